"""What a spec builds, and the request and context records that parts receive.

Parts take one keyword-complete request record, so that a field can be added without breaking anyone. Ids are the
store's integer primary keys (one a version, never reused); times are UTC epoch microseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comis_core.protocols.contexts import (
    BuildContext,
    Documents,
    JobContext,
    Ledger,
    MemoryWriter,
)
from comis_core.protocols.parts import (
    Analyzer,
    Column,
    Diversifier,
    Embedder,
    Expander,
    Extractor,
    Fusion,
    Index,
    Job,
    Lane,
    LanguageModel,
    Observer,
    OutcomeResolver,
    Reranker,
    Scorer,
    Validator,
)
from comis_core.protocols.reading import (
    CORE_COLUMNS,
    Cancelled,
    Change,
    Clock,
    ScopeView,
    SequenceArrays,
    SequenceService,
    Snapshot,
    Transaction,
    Vectors,
    VectorSlab,
)
from comis_core.protocols.requests import (
    Check,
    DiversityRequest,
    ExpandRequest,
    RerankRequest,
    ScoreRequest,
    SearchRequest,
)

if TYPE_CHECKING:
    from comis_core.protocols.background import Completion as Completion
    from comis_core.protocols.background import Event as Event
    from comis_core.protocols.background import JobReport as JobReport
    from comis_core.protocols.background import Message as Message
    from comis_core.protocols.background import Verdict as Verdict
    from comis_core.protocols.reading import Matrix as Matrix

__all__ = [
    "CORE_COLUMNS",
    "Analyzer",
    "BuildContext",
    "Cancelled",
    "Change",
    "Check",
    "Clock",
    "Column",
    "Completion",
    "Diversifier",
    "DiversityRequest",
    "Documents",
    "Embedder",
    "Event",
    "ExpandRequest",
    "Expander",
    "Extractor",
    "Fusion",
    "Index",
    "Job",
    "JobContext",
    "JobReport",
    "Lane",
    "LanguageModel",
    "Ledger",
    "MemoryWriter",
    "Message",
    "Observer",
    "OutcomeResolver",
    "RerankRequest",
    "Reranker",
    "ScopeView",
    "ScoreRequest",
    "Scorer",
    "SearchRequest",
    "SequenceArrays",
    "SequenceService",
    "Snapshot",
    "Transaction",
    "Validator",
    "VectorSlab",
    "Vectors",
    "Verdict",
]

_BACKGROUND = frozenset({"Completion", "Event", "JobReport", "Message", "Verdict"})
"""What is imported when it is asked for: no recall needs it."""


def __getattr__(name: str) -> Any:
    if name not in _BACKGROUND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from comis_core.protocols import background

    return getattr(background, name)
