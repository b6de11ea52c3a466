"""Indexes that lag behind because a process wrote that does not keep them: another preset, or a plugin less.

Also what opening left undone, because somebody else was writing then.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from comis_core.errors import ComisError
from comis_core.store import Store

PATIENCE_SECONDS = 0.25
"""So long a recall waits for its indexes: hundreds of memories are caught up with, unless somebody else is writing."""


class Lag:
    """How far the indexes of one engine are behind the file, looked at whenever the file has changed.

    The engine's own writes keep its indexes up. A file that is open for reading only cannot be caught up with.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = -1
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None
        self._owed = False
        self.left: Mapping[str, str] = {}
        """Index -> what recalls may miss, as of the last look."""

    def made_up(self) -> bool:
        """Whether an index was behind the last snapshot and is not any more."""
        newest = self._store.newest
        if newest == self._seen and not self._owed:
            return False
        before, self.left, self._seen = self.left, self._store.pending(), newest
        if not self.left:
            self._owed = False
            # If it was made up somewhere else, then perhaps while this recall was looking.
            return bool(before)
        # What is being filled for the first time is in the worker's hands, unless opening could not put it there.
        if self._store.read_only or not (self._owed or self._store.lagging()):
            return False
        thread = self._started()
        if thread is None:
            return False
        thread.join(PATIENCE_SECONDS)
        if thread.is_alive():
            self._seen = -1
            return False
        before, self.left = self.left, self._store.pending()
        return self.left != before

    def owe(self) -> None:
        """Say that indexes are not filled because somebody else is writing; a thread waits for that to end.

        When it waits in vain, the next recall has another try.
        """
        self._owed = True
        self._started()

    def settle(self) -> None:
        """Do in this thread what is owed. Raises StoreError when somebody else is still writing."""
        thread = self._running
        if self._owed or (thread is not None and thread.is_alive()):
            self._store.catch_up()
            self._owed, self._seen = False, -1

    def stop(self, seconds: float) -> None:
        """Wait for what is under way."""
        thread = self._running
        if thread is not None:
            thread.join(seconds)

    def _started(self) -> threading.Thread | None:
        """A thread that catches up; None when one was under way already."""
        with self._lock:
            if self._running is not None and self._running.is_alive():
                self._seen = -1
                return None
            # A daemon: the write lock may be somebody else's for long, and nothing is lost by ending meanwhile.
            self._running = threading.Thread(target=self._catch_up, name="comis-catch-up", daemon=True)
            self._running.start()
            return self._running

    def _catch_up(self) -> None:
        # What comes to be owed meanwhile is left to the next.
        owed, self._owed = self._owed, False
        try:
            self._store.catch_up(again=False)
        except ComisError:
            # The file cannot be written now; `pending` says what that means, and the next change is another chance.
            self._owed = owed or self._owed
            return
        self._seen = -1
