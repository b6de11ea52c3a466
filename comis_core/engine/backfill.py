"""The background task that brings derived indexes up to date after one was newly enabled or rebuilt."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from comis_core.store import Store
from comis_core.store.outbox import Settlement, Task

BACKFILL = "backfill"


@attrs.define(eq=False, repr=False)
class BackfillHandler:
    """Fills indexes in transactions of bounded size; a task left half done goes on from the watermarks."""

    store: Store
    batch: int = 100

    def handle(self, tasks: Sequence[Task]) -> Settlement:
        """Catch up once for all tasks. What fails stays behind, and recalls say so."""
        self.store.catch_up()
        return Settlement(done=tasks)
