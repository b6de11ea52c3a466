"""Replay: the same answer again from the inputs in a trace, without the question."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.errors import ComisError
from comis_core.model import Query, Ranking, Recall, Scope, TimeWindow
from comis_core.protocols import ExpandRequest, Reranker, RerankRequest, ScopeView, SearchRequest
from comis_core.recall.asked import Asked, Limits
from comis_core.recall.guard import Supervisor
from comis_core.recall.parts import Bound, Pipeline
from comis_core.recall.pipeline import answer
from comis_core.recall.reader import SnapshotSource
from comis_core.recall.records import filters_of

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

QUESTION = "(replay)"
"""Stands for the question, which a trace does not hold."""

_PLUGIN = "replay"


def replay(
    pipeline: Pipeline,
    source: SnapshotSource,
    inputs: Mapping[str, Any],
    *,
    asker: str | None = None,
    supervisor: Supervisor | None = None,
) -> Recall:
    """Walk again from what the lanes, expanders and the reranker said then; everything after it is done anew.

    Args:
        pipeline: the agent's pipeline; its fusion, scorers, columns, diversifier and settings are used.
        source: the store as it is now.
        inputs: `Trace.inputs`, also after a trip through JSON.
        asker: who asked, for the marks in the prompt block; a trace does not hold it.
        supervisor: as for `recall`.

    Returns:
        The answer. `notes` says how many candidates have gone since; without such a note and with the same pipeline,
        the ranking is the same.

    Raises:
        ComisError: the inputs are not those of a recall of this scope.
    """
    try:
        asked = _asked(inputs)
        scope = Scope(**inputs["scope"])
        replayed = _recorded(pipeline, inputs)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ComisError(f"these are no inputs of a trace: {type(error).__name__}: {error}") from error
    if scope != pipeline.scope:
        raise ComisError(f"the trace is of {scope}, the pipeline of {pipeline.scope}")
    notes = _what_has_changed(pipeline, inputs, asked, source)
    query = Query.of(QUESTION, asker=asker, time_zone=asked.time_zone)
    result = answer(replayed, source, query, asked, supervisor or Supervisor())
    return attrs.evolve(result, notes=(*notes, *result.notes))


def _asked(inputs: Mapping[str, Any]) -> Asked:
    limits = dict(inputs["limits"])
    candidates = limits.pop("candidates")
    return Asked(
        kind=inputs["kind"],
        time_zone=inputs["time_zone"],
        now=inputs["now"],
        filters=filters_of(inputs["filters"]),
        limits=Limits(**limits),
        candidates=candidates,
        seed=inputs["seed"],
    )


def _recorded(pipeline: Pipeline, inputs: Mapping[str, Any]) -> Pipeline:
    silent: dict[str, Any] = {name: {"ids": [], "scores": []} for name in inputs["weights"]}
    bound: list[Bound[Any]] = [
        Bound(name=name, plugin=_PLUGIN, part=_Recording.of(found), weight=inputs["weights"][name])
        for name, found in (silent | dict(inputs["rankings"])).items()
    ]
    expanders = set(inputs["expanders"])
    return attrs.evolve(
        pipeline,
        settings=attrs.evolve(pipeline.settings, enabled=True),
        analyzers=(Bound(name="intent", plugin=_PLUGIN, part=_Understanding.of(inputs)),),
        lanes=tuple(part for part in bound if part.name not in expanders),
        expanders=tuple(part for part in bound if part.name in expanders),
        reranker=_reranker(inputs["reranked"]),
        degraded=(),
        notes=(),
    )


def _reranker(reranked: Mapping[str, Any] | None) -> Bound[Reranker] | None:
    if reranked is None:
        return None
    scores = dict(zip(reranked["ids"], reranked["scores"], strict=True))
    return Bound(name="rerank", plugin=_PLUGIN, part=_Judgement(scores, max_candidates=len(scores)))


def _what_has_changed(
    pipeline: Pipeline, inputs: Mapping[str, Any], asked: Asked, source: SnapshotSource
) -> tuple[str, ...]:
    notes = []
    if pipeline.fusion.name != inputs["fusion"]:
        notes.append(f"the fusion is {pipeline.fusion.name!r} now, it was {inputs['fusion']!r}")
    found = {pk for ranking in inputs["rankings"].values() for pk in ranking["ids"]}
    with source.snapshot(pipeline.scope, now=asked.now, filters=asked.filters) as reader:
        seen = reader.visible_among(np.array(sorted(found), np.int64))
    if not seen.all():
        gone = len(found) - int(seen.sum())
        notes.append(f"{gone} of {len(found)} candidates have gone since (deleted, updated, evicted or expired)")
    return tuple(notes)


@attrs.frozen(eq=False, repr=False)
class _Recording:
    """A lane or expander that says again what it said then, as far as it is still there."""

    ids: Ids
    scores: Scores

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> _Recording:
        return cls(np.array(found["ids"], np.int64), np.array(found["scores"], np.float64))

    def search(self, request: SearchRequest) -> Ranking:
        seen = request.snapshot.visible_among(self.ids)
        return Ranking(self.ids[seen], self.scores[seen])

    def expand(self, request: ExpandRequest) -> Ranking:
        return self.search(request)


@attrs.frozen
class _Understanding:
    """An analyzer that knows what analyzers made of the question then."""

    intent: str
    window: TimeWindow | None

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> _Understanding:
        window = inputs["time_window"]
        return cls(inputs["intent"], None if window is None else TimeWindow(**window))

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        return attrs.evolve(query, intent=self.intent, time_window=self.window)


@attrs.define(eq=False, repr=False)
class _Judgement:
    """A reranker that gives the scores it gave then, to the first it never saw."""

    scores: Mapping[int, float]
    max_candidates: int
    min_results: int = 1
    timeout_ms: int = 10_000

    def rerank(self, request: RerankRequest) -> Scores:
        known = itertools.takewhile(self.scores.__contains__, request.ids.tolist())
        return np.array([self.scores[pk] for pk in known], np.float64)
