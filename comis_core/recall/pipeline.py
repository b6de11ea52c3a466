"""The two ways to ask: `recall` for a prompt, `search` for a list. Both are one straight walk through the stages."""

from __future__ import annotations

import time
from collections.abc import Sequence

from comis_core.errors import ComisError
from comis_core.model import Filters, Item, Query, Recall, Trust
from comis_core.recall.analyze import analyze, clean, effective_filters, narrowed, zone
from comis_core.recall.asked import Asked, Limits, seed_of
from comis_core.recall.guard import Guard, Supervisor
from comis_core.recall.lanes import over_fetch
from comis_core.recall.parts import Pipeline
from comis_core.recall.question import read_of, unread_note
from comis_core.recall.reader import Reader, SnapshotSource
from comis_core.recall.render import render
from comis_core.recall.trace import Journal, RecordedTrace
from comis_core.recall.walk import Walk
from comis_core.senders import Roles


def recall(
    pipeline: Pipeline,
    source: SnapshotSource,
    text: str,
    *,
    asker: str | None = None,
    time_zone: str = "UTC",
    now: int,
    filters: Filters | None = None,
    max_results: int | None = None,
    max_context_chars: int | None = None,
    min_score: float | None = None,
    supervisor: Supervisor | None = None,
) -> Recall:
    """The few memories that matter for a question, with the block for the prompt and the reasons.

    Args:
        pipeline: the agent's parts and settings.
        source: where snapshots of the store come from; one is opened (a second one only if an analyzer asks for a
            hard time window).
        text: the question; nothing in it is syntax. Of one that is longer than `question.LONGEST` characters the two
            ends are read, and `notes` says so.
        asker: who asks.
        time_zone: IANA zone of the asker.
        now: the moment of asking, UTC epoch microseconds.
        filters: what may be seen. Without trust levels of their own, the agent's `includeTrustLevels` hold.
        max_results, max_context_chars, min_score: override the agent's settings.
        supervisor: what the recalls of one engine share; a new one by default.

    Raises:
        ComisError: an argument is out of range, or the store cannot be read. What parts do wrong is not raised.
    """
    limits = Limits.of(pipeline.settings, max_results, max_context_chars, min_score)
    query, asked = _asked("recall", pipeline, text, asker, time_zone, now, filters, limits)
    return answer(pipeline, source, query, asked, supervisor or Supervisor())


def search(
    pipeline: Pipeline,
    source: SnapshotSource,
    text: str,
    *,
    asker: str | None = None,
    time_zone: str = "UTC",
    now: int,
    filters: Filters | None = None,
    max_results: int | None = None,
    min_score: float | None = None,
    supervisor: Supervisor | None = None,
) -> Recall:
    """The same walk through dedup: no diversity, no character budget, no prompt block. Arguments as for `recall`."""
    limits = Limits.of(pipeline.settings, max_results, 0, min_score)
    query, asked = _asked("search", pipeline, text, asker, time_zone, now, filters, limits)
    return answer(pipeline, source, query, asked, supervisor or Supervisor())


def answer(pipeline: Pipeline, source: SnapshotSource, query: Query, asked: Asked, supervisor: Supervisor) -> Recall:
    """Walk. Raises ComisError when the store cannot be read."""
    started = time.perf_counter()
    guard = Guard(supervisor, time.monotonic() + pipeline.settings.deadline_ms / 1000)
    journal = Journal.open(asked, pipeline)
    obstacle = _obstacle(pipeline, query, asked)
    if asked.unread:
        guard.notes.append(unread_note(asked.unread))
    roles = pipeline.settings.roles
    items: tuple[Item, ...] = ()
    if not obstacle:
        items, roles = _walk(pipeline, source, query, asked, guard, journal)
        if not items and Trust.LEARNED not in pipeline.settings.include_trust_levels:
            guard.notes.extend(_levels_note(pipeline, asked))
    block = ""
    if obstacle:
        guard.notes.append(obstacle)
        journal.lap("analyze", stopped=obstacle)
    elif asked.kind == "recall":
        block = render(items, asker=query.asker, zone=zone(asked.time_zone), seed=asked.seed, roles=roles)
        journal.lap("render", characters=len(block))
    return Recall(
        items=items,
        text=block,
        trace=RecordedTrace(journal),
        degraded=(*pipeline.degraded, *guard.degraded),
        notes=(*pipeline.notes, *guard.notes),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _asked(
    kind: str,
    pipeline: Pipeline,
    text: str,
    asker: str | None,
    time_zone: str,
    now: int,
    filters: Filters | None,
    limits: Limits,
) -> tuple[Query, Asked]:
    if not isinstance(text, str):
        raise ComisError(f"a question is a string, not {type(text).__name__}")
    if asker is not None and not isinstance(asker, str):
        raise ComisError(f"the asker is a name or None, not {type(asker).__name__}")
    zone(time_zone)
    text, unread = read_of(text)
    text, asker = clean(text), clean(asker or "") or None
    asked = Asked(
        kind=kind,
        time_zone=time_zone,
        now=now,
        filters=effective_filters(filters, pipeline.settings.include_trust_levels),
        limits=limits,
        candidates=over_fetch(pipeline, limits.max_results),
        seed=seed_of(str(pipeline.scope), text, asker, now),
        unread=unread,
    )
    return Query.of(text, asker=asker, time_zone=time_zone), asked


def _obstacle(pipeline: Pipeline, query: Query, asked: Asked) -> str | None:
    if not pipeline.settings.enabled:
        return "recall is switched off (rag.enabled: false)"
    if not query.text.strip():
        return "the question is empty"
    if not asked.filters.trust:
        return "no trust level is allowed, so nothing can be seen"
    return None if pipeline.lanes else "no lane is enabled, so nothing can be found"


def _walk(
    pipeline: Pipeline, source: SnapshotSource, query: Query, asked: Asked, guard: Guard, journal: Journal
) -> tuple[tuple[Item, ...], Roles]:
    """The answer, and who of its senders is a person and who a machine in this scope."""
    with source.snapshot(pipeline.scope, now=asked.now, filters=asked.filters, deadline=guard.deadline) as reader:
        query = analyze(pipeline.analyzers, query, reader.scope_view(), asked.now, guard)
        filters = narrowed(asked.filters, query)
        journal.understood(query, filters)
        journal.lap("analyze", analyzers=len(pipeline.analyzers), **({"unread": asked.unread} if asked.unread else {}))
        if filters == asked.filters:
            items = Walk(pipeline, reader, asked, query, filters, guard, journal).items()
            return items, _roles(pipeline, reader, items)
    with source.snapshot(pipeline.scope, now=asked.now, filters=filters, deadline=guard.deadline) as reader:
        items = Walk(pipeline, reader, asked, query, filters, guard, journal).items()
        return items, _roles(pipeline, reader, items)


def _levels_note(pipeline: Pipeline, asked: Asked) -> Sequence[str]:
    """What an answer without memories says where the agent's levels leave out the one that memories get unasked."""
    allowed = pipeline.settings.include_trust_levels
    if asked.filters.trust != frozenset(allowed):
        return ()
    levels = ", ".join(level.value for level in allowed)
    return (f"rag.includeTrustLevels allows {levels} alone, and memories are {Trust.LEARNED.value} unless told",)


def _roles(pipeline: Pipeline, reader: Reader, items: Sequence[Item]) -> Roles:
    """Other senders of the scope are only looked at where what one of the items' senders is follows from them."""
    speaking = [item.memory.sender for item in items if item.memory.sender]
    return pipeline.settings.roles.among(speaking, lambda: reader.scope_view().senders)
