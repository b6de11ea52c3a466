"""Rules of what finds and merges candidates: lanes, expanders, fusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.model import Claims, NewMemory, Pool, Ranking
from comis_core.protocols import ExpandRequest
from comis_core.recall.checks import check_fused, check_ranking
from comis_core.specs import ExpanderSpec, FusionSpec, LaneSpec
from comis_core.testing import corpus
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule

if TYPE_CHECKING:
    from comis_core.model import Ids
    from comis_core.store.reader import StoreReader

LIMIT = 10

"""Puts a question to a part inside a snapshot and checks the form of the answer."""


# -- lanes and expanders


def finds_only_what_is_visible(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """Whatever the scope and the filter, no other id comes back: no neighbour's, no hidden one's."""
    for scope in (corpus.HOME, corpus.NEIGHBOUR, corpus.EMPTY):
        with bench.part(spec, scope) as part:
            for words, filters in corpus.FILTERS.items():
                with bench.snapshot(scope, filters) as reader:
                    for question in corpus.QUESTIONS:
                        ranking = _ask(bench, part, reader, question)
                        seen = reader.visible_among(ranking.ids)
                        assert seen.all(), f"{scope}, {words}, {question!r}: {ranking.ids[~seen]} are not visible"


def answers_any_query(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """Nothing that a user types makes it raise or break its form."""
    with bench.part(spec) as part, bench.snapshot() as reader:
        for text in corpus.HOSTILE:
            ranking = _ask(bench, part, reader, text)
            assert reader.visible_among(ranking.ids).all(), f"{text[:40]!r}"


def is_silent_in_an_empty_scope(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """Where nothing was stored, nothing is found."""
    with bench.part(spec, corpus.EMPTY) as part, bench.snapshot(corpus.EMPTY) as reader:
        for question in corpus.QUESTIONS:
            assert len(_ask(bench, part, reader, question)) == 0


def keeps_to_the_limit(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """At most as many candidates as were asked for, and the same ones first."""
    with bench.part(spec) as part, bench.snapshot() as reader:
        for question in corpus.QUESTIONS:
            for limit in (1, 3, 1_000):
                _ask(bench, part, reader, question, limit)


def answers_the_same_twice(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """The same question in the same snapshot has the same answer, also from a part that was just built."""
    with bench.part(spec) as part, bench.part(spec) as fresh, bench.snapshot() as reader:
        for question in corpus.QUESTIONS:
            first = _ask(bench, part, reader, question)
            for other in (part, fresh):
                _assert_equal(first, _ask(bench, other, reader, question), question)


def keeps_up_with_what_is_written(bench: Bench, spec: LaneSpec | ExpanderSpec) -> None:
    """A part that has answered before sees every later write as one that was built afterwards."""
    with bench.part(spec) as part:
        for _ in _writes(bench):
            with bench.part(spec) as fresh, bench.snapshot() as reader:
                for question in corpus.QUESTIONS:
                    ranking = _ask(bench, part, reader, question)
                    assert reader.visible_among(ranking.ids).all(), question
                    _assert_equal(ranking, _ask(bench, fresh, reader, question), question)


def _writes(bench: Bench) -> Iterator[None]:
    """One write of every kind, one at a time; the first step is none."""
    yield
    told = NewMemory(content="Ana lives in Lisbon with a cat and swims.", sender="ana", session="s3", turn=0)
    (told_id,) = bench.add(corpus.HOME, [told])
    yield
    bench.store.evict(corpus.HOME, [told_id])
    yield
    bench.store.restore(corpus.HOME, [told_id])
    yield
    bench.store.update(corpus.HOME, told_id, content="Ana lives in Braga with two cats.")
    yield
    bench.store.delete(corpus.HOME, [told_id])
    yield


def _ask(bench: Bench, part: Any, reader: StoreReader, text: str, limit: int = LIMIT) -> Ranking:
    request = bench.request(reader, text, limit=limit)
    if hasattr(part, "search"):
        return check_ranking(part.search(request), limit)
    return check_ranking(part.expand(_expansion(bench, reader, text, limit)), limit)


def _expansion(bench: Bench, reader: StoreReader, text: str, limit: int) -> ExpandRequest:
    """A pool of every third visible memory, as if a lane had found them; a part may read it and not write to it."""
    request = bench.request(reader, text, limit=limit)
    visible = reader.visible_ids()
    ids = visible[:: 3 if text.strip() else 1_000_000]
    fused = _locked(np.linspace(0.9, 0.1, len(ids)))
    columns = {name: _locked(values) for name, values in reader.columns(ids).items()} if len(ids) else {}
    return ExpandRequest(
        query=request.query,
        now=request.now,
        snapshot=reader,
        scope_view=request.scope_view,
        limit=limit,
        pool=Pool(_locked(ids.copy()), fused, columns, {"words": Ranking(ids, fused)}),
        claims={"words": Claims(visible, np.linspace(0.1, 0.9, len(visible)))},
        weights={"words": 1.0},
    )


def _locked(values: Any) -> Any:
    values.flags.writeable = False
    return values


def _assert_equal(first: Ranking, second: Ranking, question: str) -> None:
    assert np.array_equal(first.ids, second.ids), f"{question!r}: {first.ids} and {second.ids}"
    assert np.array_equal(first.scores, second.scores), f"{question!r}: {first.scores} and {second.scores}"


FINDING = (
    Rule(finds_only_what_is_visible),
    Rule(answers_any_query),
    Rule(is_silent_in_an_empty_scope),
    Rule(keeps_to_the_limit),
    Rule(answers_the_same_twice),
    Rule(keeps_up_with_what_is_written, writes=True),
)


# -- fusions


def _ranking(*ids: int) -> Ranking:
    return Ranking(np.array(ids, np.int64), np.linspace(0.95, 0.05, len(ids)))


def _neighbours(*ids: int) -> Ranking:
    return attrs.evolve(_ranking(*ids), expanded=True)


RANKINGS: Mapping[str, tuple[Ranking, ...]] = {
    "one": (_ranking(7, 3, 5),),
    "two that agree": (_ranking(1, 2, 3), _ranking(1, 2, 3)),
    "two that disagree": (_ranking(1, 2, 3), _ranking(3, 4)),
    "three": (_ranking(1, 2, 3, 4), _ranking(4, 2), _ranking(9, 8, 1)),
    "hits and neighbours": (_ranking(1, 2, 3), _neighbours(3, 4)),
    "neighbours alone": (_neighbours(1, 2),),
}


def fuses_the_union_into_scores(bench: Bench, spec: FusionSpec) -> None:
    """Ascending ids over the union, scores in 0..1, whatever the weights; negative ones speak against."""
    with bench.part(spec) as fusion:
        for words, rankings in RANKINGS.items():
            for weights in ((1.0, 1.0, 1.0), (1.0, 1.5, 0.1), (2.0, -0.5, 1.0), (0.001, 1000.0, 1.0)):
                named = _named(rankings)
                given = dict(zip(named, weights, strict=False))
                union = np.unique(np.concatenate([ranking.ids for ranking in rankings]))
                ids, _ = check_fused(fusion.fuse(named, given), union)
                wanted = _positive(named, given)
                assert np.isin(wanted, ids).all(), f"{words}: {np.setdiff1d(wanted, ids)} got lost"


def equals_a_lane_that_is_alone(bench: Bench, spec: FusionSpec) -> None:
    """A single voice keeps its order, whatever silent lanes there are beside it: weights [1, 0] are the first lane."""
    alone = _ranking(7, 3, 5, 11)
    with bench.part(spec) as fusion:
        for weights in ({"a": 1.0}, {"a": 1.0, "b": 0.0}):
            ids, scores = fusion.fuse({"a": alone}, weights)
            found = scores[np.searchsorted(ids, alone.ids)]
            assert (np.diff(found) < 0).all(), f"weights {weights}: {found} for the best first"


def ignores_empty_rankings(bench: Bench, spec: FusionSpec) -> None:
    """A lane that found nothing changes nothing, and nothing found at all is no error."""
    weights = {"a": 1.0, "b": 1.5}
    with bench.part(spec) as fusion:
        without = fusion.fuse({"a": _ranking(7, 3)}, weights)
        with_empty = fusion.fuse({"a": _ranking(7, 3), "b": Ranking.empty()}, weights)
        for one, other in zip(without, with_empty, strict=True):
            assert np.array_equal(one, other)
        ids, scores = fusion.fuse({}, weights)
        assert len(ids) == len(scores) == 0


def fuses_the_same_twice_and_leaves_its_input_alone(bench: Bench, spec: FusionSpec) -> None:
    """The same rankings have the same fusion, and can still be used afterwards."""
    with bench.part(spec) as fusion:
        for rankings in RANKINGS.values():
            named = _named(rankings)
            for ranking in named.values():
                _locked(ranking.ids), _locked(ranking.scores)
            weights = dict.fromkeys(named, 1.0)
            first, second = fusion.fuse(named, weights), fusion.fuse(named, weights)
            assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def _named(rankings: tuple[Ranking, ...]) -> dict[str, Ranking]:
    return {
        name: attrs.evolve(ranking, ids=ranking.ids.copy(), scores=ranking.scores.copy())
        for name, ranking in zip("abc", rankings, strict=False)
    }


def _positive(named: Mapping[str, Ranking], weights: Mapping[str, float]) -> Ids:
    return np.unique(np.concatenate([ranking.ids for name, ranking in named.items() if weights[name] > 0]))


FUSION = (
    Rule(fuses_the_union_into_scores),
    Rule(equals_a_lane_that_is_alone),
    Rule(ignores_empty_rankings),
    Rule(fuses_the_same_twice_and_leaves_its_input_alone),
)
