"""A part that raises or breaks its contract contributes nothing, is named, and the recall answers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comis_core.model import Claims, Degraded, Filters, Query, Ranking, Recall, TimeWindow, Trust
from tests.core.recall.conftest import FOREIGN, SCOPE, Factor, Sandbox, bound, lane, pipeline, ranking, steady


def only_fault(result: Recall) -> Degraded:
    (degraded,) = result.degraded
    return degraded


def raising(*_: Any) -> Any:
    raise RuntimeError("boom")


def leaving(*_: Any) -> Any:
    raise SystemExit(3)


HOSTILE: dict[str, Callable[[int], Any]] = {
    "raises": raising,
    "leaves the process": leaving,
    "nothing": lambda pk: None,
    "a list": lambda pk: [(pk, 0.5)],
    "twice": lambda pk: ranking((pk, 0.5), (pk, 0.4)),
    "nan": lambda pk: ranking((pk, float("nan"))),
    "infinite": lambda pk: ranking((pk, float("inf"))),
    "above one": lambda pk: ranking((pk, 1.5)),
    "below zero": lambda pk: ranking((pk, -0.5)),
    "unsorted": lambda pk: ranking((pk, 0.1), (pk + 1, 0.9)),
    "wrong length": lambda pk: Ranking(np.array([pk]), np.array([0.5, 0.4])),
    "wrong dtype": lambda pk: Ranking(np.array([pk], np.int32), np.array([0.5])),
    "unknown id": lambda pk: ranking((10**12, 0.5)),
    "negative id": lambda pk: ranking((-1, 0.5)),
    "too many": lambda pk: Ranking(np.arange(1000), np.full(1000, 0.5)),
    "broken claims": lambda pk: attrs.evolve(ranking((pk, 0.5)), claims=Claims(np.array([2, 1]), np.array([0.1, 0.1]))),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("stage", ["lane", "expander"])
def test_a_hostile_lane_or_expander_is_left_out(sandbox: Sandbox, kind: str, stage: str) -> None:
    good, alone = sandbox.remember("Ana moved to Lisbon."), sandbox.remember("Ben moved to Porto.")
    sound = lane("sound", ranking((good, 0.9)))
    hostile = lane("hostile", lambda request: HOSTILE[kind](alone))
    walked = pipeline(sound, hostile) if stage == "lane" else pipeline(sound, expanders=(hostile,))
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [good]
    assert (only_fault(result).plugin, only_fault(result).stage) == ("plugin 'hostile' (tests 1.0)", stage)
    assert result.items[0].sources == {"sound": 1}


@pytest.mark.parametrize("stage", ["lane", "expander"])
def test_memories_of_another_scope_do_not_come_in(sandbox: Sandbox, stage: str) -> None:
    own, foreign = sandbox.remember("own"), sandbox.remember("foreign", scope=FOREIGN)
    sound, leaking = lane("sound", ranking((own, 0.9))), lane("leaking", ranking((foreign, 1.0), (own, 0.5)))
    walked = pipeline(sound, leaking) if stage == "lane" else pipeline(sound, expanders=(leaking,))
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [own]
    assert "may not see" in only_fault(result).reason
    assert result.items[0].sources == {"sound": 1}


def test_what_a_filter_hides_does_not_come_in(sandbox: Sandbox) -> None:
    own, external = sandbox.remember("own"), sandbox.remember("from the web", trust=Trust.EXTERNAL)
    result = sandbox.recall(pipeline(lane("sound", ranking((own, 0.9))), lane("leaking", ranking((external, 1.0)))))
    assert sandbox.found(result) == [own]
    assert only_fault(result).plugin == "plugin 'leaking' (tests 1.0)"


def test_evicted_memories_do_not_come_in(sandbox: Sandbox) -> None:
    gone = sandbox.remember("gone")
    sandbox.store.evict(SCOPE, [sandbox.ids[gone]])
    result = sandbox.recall(pipeline(lane("stale", ranking((gone, 1.0)))))
    assert len(result) == 0
    assert "may not see" in only_fault(result).reason


def test_a_foreign_claim_cannot_be_turned_into_a_candidate(sandbox: Sandbox) -> None:
    own, foreign = sandbox.remember("own"), sandbox.remember("foreign", scope=FOREIGN)
    claims = Claims(np.array(sorted((own, foreign))), np.array([1.0, 1.0]))
    sound = lane("sound", attrs.evolve(ranking((own, 0.9)), claims=claims))
    echo = lane("echo", lambda request: Ranking.best(claims.ids, claims.values, 10))
    result = sandbox.recall(pipeline(sound, expanders=(echo,)))
    assert sandbox.found(result) == [own]
    assert only_fault(result).stage == "expander"


def numbers_or_nonsense() -> st.SearchStrategy[Any]:
    score = st.one_of(st.floats(0, 1), st.floats(allow_nan=True, allow_infinity=True))
    found = st.lists(st.tuples(st.integers(-2, 14), score), max_size=12)
    tidy = found.map(lambda pairs: ranking(*sorted(dict(pairs).items(), key=lambda pair: -pair[1])))
    return st.one_of(
        tidy,
        found.map(lambda pairs: ranking(*pairs)),
        st.sampled_from([None, 7, "all", Ranking(np.array([1.5]), np.array([1.0])), RuntimeError("boom")]),
    )


@settings(steady, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    returned=st.lists(numbers_or_nonsense(), min_size=4, max_size=4),
    weights=st.lists(st.floats(-2, 2), min_size=4, max_size=4),
)
def test_whatever_lanes_and_expanders_return_nothing_crosses_a_scope(
    sandbox: Sandbox, returned: list[Any], weights: list[float]
) -> None:
    if not sandbox.ids:
        for number in range(6):
            sandbox.remember(f"own {number}")
            sandbox.remember(f"foreign {number}", scope=FOREIGN)
    own = {memory_id for pk, memory_id in sandbox.ids.items() if pk % 2}

    def act(value: Any) -> Callable[[Any], Any]:
        def answer(request: Any) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

        return answer

    parts = [
        lane(f"part{index}", act(value), weight=weight)
        for index, (value, weight) in enumerate(zip(returned, weights, strict=True))
    ]
    result = sandbox.recall(pipeline(*parts[:2], expanders=tuple(parts[2:])), max_results=50)
    assert {item.memory.id for item in result} <= own
    assert len({item.memory.id for item in result}) == len(result)
    assert set(result.trace.candidates) <= own
    assert all(np.isfinite(item.score) for item in result)
    assert "foreign" not in result.text


@pytest.mark.parametrize("act", [raising, leaving, lambda request: np.array([1.0]), lambda request: np.full(2, np.nan)])
def test_a_broken_scorer_has_no_factor(sandbox: Sandbox, act: Callable[[Any], Any]) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    double = bound("double", Factor(lambda request: np.full(len(request.pool), 2.0)))
    walked = pipeline(lane("a", ranking((first, 0.4), (second, 0.3))), scorers=(bound("broken", Factor(act)), double))
    result = sandbox.recall(walked)
    assert [item.factors for item in result] == [{"double": 2.0}] * 2
    assert [item.score for item in result] == [0.8, 0.6]
    assert only_fault(result).stage == "scorer"


@pytest.mark.parametrize(
    "vandal",
    [
        lambda request: request.pool.columns["trust"].fill(2),
        lambda request: request.pool.columns.update(trust=np.zeros(1)),
        lambda request: request.pool.rankings.clear(),
        lambda request: request.pool.ids.sort(),
    ],
)
def test_a_scorer_cannot_change_what_others_see(sandbox: Sandbox, vandal: Callable[[Any], Any]) -> None:
    pk = sandbox.remember("one")
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.4))), scorers=(bound("vandal", Factor(vandal)),)))
    assert only_fault(result).reason.startswith(("ValueError", "AttributeError"))
    assert result.items[0].score == 0.4


def test_an_expander_cannot_change_what_others_see(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    own = Claims(np.array([pk]), np.array([0.5]))
    acts: list[Callable[[Any], Any]] = [
        lambda request: request.pool.fused.fill(1.0),
        lambda request: request.pool.rankings["a"].scores.fill(1.0),
        lambda request: request.claims["a"].values.fill(1.0),
        lambda request: request.weights.update(a=9.0),
    ]
    vandals = tuple(lane(f"vandal{number}", act) for number, act in enumerate(acts))
    result = sandbox.recall(pipeline(lane("a", attrs.evolve(ranking((pk, 0.5)), claims=own)), expanders=vandals))
    assert len(result.degraded) == len(acts)
    assert [item.base for item in result] == [0.5]
    own.values.fill(0.7)
    assert own.values.tolist() == [0.7]


@pytest.mark.parametrize("act", [raising, lambda ids: np.array([np.inf] * len(ids)), lambda ids: np.zeros(99)])
def test_a_broken_column_is_absent_for_those_who_require_it(sandbox: Sandbox, act: Callable[[Any], Any]) -> None:
    pk = sandbox.remember("one")
    seen: list[Any] = []

    def factors(request: Any) -> Any:
        seen.append(request.pool.columns["usefulness"])
        return np.ones(len(request.pool))

    scorer = bound("useful", Factor(factors), requires=("usefulness",))
    walked = pipeline(lane("a", ranking((pk, 0.4))), scorers=(scorer,), columns=(bound("usefulness", Factor(act)),))
    result = sandbox.recall(walked)
    assert np.isnan(seen[0]).all()
    assert only_fault(result).stage == "column"
    assert sandbox.found(result) == [pk]


@pytest.mark.parametrize("act", [raising, lambda query: None, lambda query: attrs.evolve(query, asker="mallory")])
def test_a_broken_analyzer_leaves_the_query_as_it_was(sandbox: Sandbox, act: Callable[[Any], Any]) -> None:
    pk = sandbox.remember("one")
    asked: list[Any] = []

    def search(request: Any) -> Any:
        asked.append(request.query)
        return ranking((pk, 1.0))

    result = sandbox.recall(
        pipeline(lane("a", search), analyzers=(bound("broken", Factor(act)),)), text="where?", asker="ana"
    )
    assert asked == [Query.of("where?", asker="ana")]
    assert only_fault(result).stage == "analyzer"


@pytest.mark.parametrize(
    "act",
    [
        raising,
        lambda *_: None,
        lambda *_: (np.array([1]), np.array([np.nan])),
        lambda *_: (np.array([2]), np.array([0.5])),
        lambda *_: (np.array([1, 3]), np.array([0.5, 0.5])),
    ],
)
def test_a_broken_fusion_is_replaced_by_the_best_claims(sandbox: Sandbox, act: Callable[..., Any]) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")

    class Broken:
        fuse = staticmethod(act)

    walked = pipeline(
        lane("a", ranking((first, 0.4))),
        lane("b", ranking((second, 0.9), (first, 0.2))),
        lane("against", ranking((second, 1.0)), weight=-1.0),
        fusion=bound("broken", Broken()),
    )
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [second, first]
    assert [item.base for item in result] == [0.9, 0.4]
    assert only_fault(result).stage == "fusion"


@pytest.mark.parametrize("act", [raising, lambda request: np.array([0, 0]), lambda request: np.array([0.0, 1.0])])
def test_a_broken_diversifier_changes_nothing(sandbox: Sandbox, act: Callable[[Any], Any]) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    walked = pipeline(lane("a", ranking((first, 0.4), (second, 0.3))), diversifier=bound("mmr", Factor(act)))
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [first, second]
    assert only_fault(result).stage == "diversifier"


@pytest.mark.parametrize("act", [raising, leaving, lambda request: np.array([2.0]), lambda request: np.zeros(5)])
def test_a_broken_reranker_leaves_the_fused_order(sandbox: Sandbox, act: Callable[[Any], Any]) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    walked = pipeline(lane("a", ranking((first, 0.4), (second, 0.3))), reranker=bound("cross", Factor(act)))
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [first, second]
    assert [item.base for item in result] == [0.4, 0.3]
    assert only_fault(result).stage == "reranker"


@pytest.mark.parametrize("limits", [{"max_candidates": "many"}, {"min_results": None}, {"timeout_ms": "soon"}])
def test_a_reranker_with_broken_limits_leaves_the_fused_order(sandbox: Sandbox, limits: dict[str, Any]) -> None:
    pk = sandbox.remember("one")
    cross = bound("cross", Factor(lambda request: np.ones(1), **limits))
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.4))), reranker=cross))
    assert [item.base for item in result] == [0.4]
    assert only_fault(result).stage == "reranker"


def test_a_reranker_that_hangs_is_given_up_and_then_skipped_while_busy(sandbox: Sandbox) -> None:
    pk, go_on = sandbox.remember("one"), threading.Event()

    def hang(request: Any) -> Any:
        go_on.wait(10)
        return np.ones(1)

    walked = pipeline(lane("a", ranking((pk, 0.4))), reranker=bound("cross", Factor(hang, timeout_ms=10)))
    assert "within 10 ms" in only_fault(sandbox.recall(walked)).reason
    second = sandbox.recall(walked)
    go_on.set()
    assert "still at work" in only_fault(second).reason
    assert [item.base for item in second] == [0.4]


def test_parts_that_could_not_be_built_are_named_by_every_recall(sandbox: Sandbox) -> None:
    missing = Degraded(plugin="plugin 'gone' (x 1)", stage="lane", reason="ImportError: gone")
    walked = pipeline(lane("a", ranking()), degraded=(missing,), notes=("no embedder is configured",))
    for text in ("where?", ""):
        result = sandbox.recall(walked, text)
        assert result.degraded == (missing,)
        assert result.notes[0] == "no embedder is configured"


def test_after_the_deadline_lanes_are_not_started_and_the_recall_still_answers(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 1.0))), settings={"deadline_ms": 0}))
    assert len(result) == 0
    assert "deadline" in only_fault(result).reason


def test_a_lane_that_overruns_is_reported_and_the_core_still_reads_the_answer(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    walked = pipeline(lane("slow", lambda request: wait_for(request.cancelled, pk)), settings={"deadline_ms": 20})
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [pk]
    assert "lane 'slow' was still at work when the recall's deadline passed" in result.notes


def wait_for(cancelled: Callable[[], bool], pk: int) -> Ranking:
    while not cancelled():
        pass
    return ranking((pk, 1.0))


def test_a_failure_is_logged_once_a_cause(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    walked = pipeline(lane("broken", raising))
    with caplog.at_level(logging.WARNING, "tests.recall"):
        for _ in range(3):
            sandbox.recall(walked)
    assert len(caplog.records) == 1


def test_a_time_window_beyond_the_calendar_is_the_analyzers_fault(sandbox: Sandbox) -> None:
    window = TimeWindow(start=None, end=2**62, hard=True)
    analyzer = bound("clock", Factor(lambda query: attrs.evolve(query, time_window=window)))
    result = sandbox.recall(pipeline(lane("a", ranking()), analyzers=(analyzer,)), filters=Filters())
    assert only_fault(result).stage == "analyzer"
