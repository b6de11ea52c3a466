"""The end of a turn: each observer of the agent prepares outside the lock, then counts in a transaction of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable

import attrs

from comis_core.errors import NotFoundError, StoreError
from comis_core.model import Scope, Turn
from comis_core.protocols import Observer, Transaction
from comis_core.recall.parts import Bound
from comis_core.store import Store


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Turns:
    """Reports turns to observers. An observer that fails counts nothing and is logged; the others go on."""

    store: Store
    observers: Callable[[Scope], tuple[Bound[Observer], ...]]
    log: logging.Logger

    def ended(self, turn: Turn) -> None:
        """Tell the scope's observers. Raises StoreError when nothing could be written."""
        known = attrs.evolve(turn, texts=self._texts(turn))
        prepared = [(bound, *self._prepare(bound, known)) for bound in self.observers(turn.scope)]
        ready = [(bound, value) for bound, sound, value in prepared if sound]
        for bound, value in ready:
            self._tell(bound, known, value)

    def _texts(self, turn: Turn) -> dict[str, str]:
        texts = {}
        for id in dict.fromkeys(turn.recalled):
            try:
                texts[id] = self.store.get(turn.scope, id).content
            except NotFoundError:
                continue
        return texts

    def _prepare(self, bound: Bound[Observer], turn: Turn) -> tuple[bool, object]:
        try:
            return True, bound.part.prepare(turn)
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises, the turn has ended
            self.log.warning("%s failed to prepare a turn: %r", bound.plugin, error)
            return False, None

    def _tell(self, bound: Bound[Observer], turn: Turn, prepared: object) -> None:
        def work(tx: Transaction) -> None:
            bound.part.turn_ended(tx, turn, prepared)

        try:
            self.store.write(work)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - its own transaction is rolled back, the others' are not
            self.log.warning("%s failed to count a turn: %r", bound.plugin, error)
