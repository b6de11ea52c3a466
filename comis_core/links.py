"""What caused what: edges between an agent's memories, which the plugin `causal` follows.

An edge is an annotation of kind "cause" on the cause, with the effect as its target: it moves along when either is
updated, goes when either is deleted, and is out of sight as long as either is.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from comis_core.errors import ComisError
from comis_core.model import Annotation, Filters, Scope
from comis_core.model.shown import Compared
from comis_core.store import Store
from comis_core.store.annotations import CAUSE
from comis_core.store.identity import to_text

_OF_MEMORY = """
SELECT cause.id, effect.id, a.confidence, a.origin
FROM visible_annotations AS a CROSS JOIN visible AS cause ON cause.pk = a.pk
CROSS JOIN memories AS m ON m.id = a.target CROSS JOIN visible AS effect ON effect.pk = m.pk
WHERE a.kind = 'cause' AND a.pk = ?1
UNION SELECT cause.id, effect.id, a.confidence, a.origin
FROM visible AS effect CROSS JOIN visible_annotations AS a ON a.target = effect.id
CROSS JOIN visible AS cause ON cause.pk = a.pk
WHERE effect.pk = ?1 AND a.kind = 'cause'"""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Link(Compared):
    """One memory is a cause of another. origin: "caller", "model" or "extractor"."""

    cause: str
    effect: str
    confidence: float = 1.0
    origin: str = "caller"


def link(store: Store, scope: Scope, cause: str, effect: str, confidence: float) -> None:
    """Say that one memory is a cause of another.

    Raises:
        NotFoundError: the scope has no such memory. ComisError: both are the same.
        MemoryRejected: the confidence is not in 0..1.
    """
    ends = [store.get(scope, id).id for id in (cause, effect)]
    if ends[0] == ends[1]:
        raise ComisError(f"a memory cannot be its own cause: {ends[0]}", hint="name two memories, cause first")
    store.annotate(scope, ends[0], [Annotation(kind=CAUSE, target=ends[1], confidence=confidence)])


def links(store: Store, scope: Scope, id: str, *, now: int) -> Sequence[Link]:
    """Every edge from or to a memory whose two ends are in sight, the surest first; of two equal ones the surer.

    Args:
        now: epoch microseconds.

    Raises:
        NotFoundError: the scope has no such memory.
    """
    canonical = store.get(scope, id).id
    with store.snapshot(scope, now=now, filters=Filters()) as reader:
        place = reader.lookup([canonical]).get(canonical)
        rows = [] if place is None else list(reader.execute(_OF_MEMORY, (place,)))
    surest: dict[tuple[str, str], Link] = {}
    for cause, effect, confidence, origin in sorted(rows, key=lambda row: -row[2]):
        ends = to_text(cause), to_text(effect)
        surest.setdefault(ends, Link(cause=ends[0], effect=ends[1], confidence=confidence, origin=origin))
    return list(surest.values())
