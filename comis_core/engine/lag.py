"""Indexes that lag behind because a process wrote that does not keep them: another preset, or a plugin less."""

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
        self.left: Mapping[str, str] = {}
        """Index -> what recalls may miss, as of the last look."""

    def made_up(self) -> bool:
        """Whether an index was behind the last snapshot and is not any more."""
        newest = self._store.newest
        if newest == self._seen:
            return False
        self.left, self._seen = self._store.pending(), newest
        # What is being filled for the first time is in the worker's hands.
        if not self.left or self._store.read_only or not self._store.lagging():
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
        try:
            self._store.catch_up(again=False)
        except ComisError:
            # The file cannot be written now; `pending` says what that means, and the next change is another chance.
            return
