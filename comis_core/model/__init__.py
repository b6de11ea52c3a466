"""The facts that flow through a recall: immutable records at the edges, arrays on the hot path.

Times at this level are timezone-aware `datetime`; inside arrays and the store they are UTC epoch microseconds (int).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comis_core.model.memory import (
    TRUST_CODES,
    TRUSTS,
    TYPE_CODES,
    TYPES,
    Annotation,
    BatchResult,
    Filters,
    Memory,
    MemoryType,
    NewMemory,
    Page,
    Rejected,
    Scope,
    Stored,
    Trust,
)
from comis_core.model.recall import (
    INTENTS,
    Claims,
    Degraded,
    Item,
    Pool,
    Query,
    Ranking,
    Recall,
    TimeWindow,
    Trace,
)
from comis_core.model.times import (
    DAY,
    EPOCH,
    MICROSECOND,
    from_microseconds,
    to_microseconds,
)

if TYPE_CHECKING:
    from comis_core.model.learning import Document as Document
    from comis_core.model.learning import Finding as Finding
    from comis_core.model.learning import Observation as Observation
    from comis_core.model.learning import Outcome as Outcome
    from comis_core.model.learning import Section as Section
    from comis_core.model.learning import Trajectory as Trajectory
    from comis_core.model.learning import Turn as Turn
    from comis_core.model.recall import Ids as Ids
    from comis_core.model.recall import Scores as Scores

__all__ = [
    "DAY",
    "EPOCH",
    "INTENTS",
    "MICROSECOND",
    "TRUSTS",
    "TRUST_CODES",
    "TYPES",
    "TYPE_CODES",
    "Annotation",
    "BatchResult",
    "Claims",
    "Degraded",
    "Document",
    "Filters",
    "Finding",
    "Item",
    "Memory",
    "MemoryType",
    "NewMemory",
    "Observation",
    "Outcome",
    "Page",
    "Pool",
    "Query",
    "Ranking",
    "Recall",
    "Rejected",
    "Scope",
    "Section",
    "Stored",
    "TimeWindow",
    "Trace",
    "Trajectory",
    "Trust",
    "Turn",
    "from_microseconds",
    "to_microseconds",
]

_LEARNING = frozenset({"Document", "Finding", "Observation", "Outcome", "Section", "Trajectory", "Turn"})
"""What is imported when it is asked for: a recall knows of none of it."""


def __getattr__(name: str) -> Any:
    if name not in _LEARNING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from comis_core.model import learning

    return getattr(learning, name)
