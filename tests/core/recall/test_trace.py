"""A trace is plain data without text; it explains every candidate, and why another memory is not in the answer."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.model import Filters, MemoryType, Recall, Trust
from comis_core.recall import why_not
from comis_core.recall.records import filters_of, plain_filters
from tests.core.recall.conftest import FOREIGN, NOW, SCOPE, Factor, Sandbox, bound, lane, pipeline, ranking

DAYS = timedelta(days=1)


def record(sandbox: Sandbox, result: Recall, pk: int) -> Any:
    return result.trace.candidates[sandbox.ids[pk]]


def test_a_trace_goes_through_json_and_back(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    walked = pipeline(
        lane("a", ranking((first, 0.9), (second, 0.4))),
        scorers=(bound("half", Factor(lambda request: np.full(len(request.pool), 0.5))),),
        reranker=bound("cross", Factor(lambda request: np.array([0.7]))),
    )
    filters = Filters(types=frozenset({MemoryType.SEMANTIC}), until=NOW + 1 * DAYS)
    trace = sandbox.recall(walked, filters=filters).trace
    plain = attrs.asdict(trace)
    assert json.loads(json.dumps(plain, allow_nan=False)) == json.loads(json.dumps(plain))
    assert plain["inputs"]["rankings"] == {"a": {"ids": [first, second], "scores": [0.9, 0.4]}}
    assert plain["inputs"]["reranked"] == {"ids": [first], "scores": [0.7]}
    assert plain["inputs"]["filters"] == {
        "trust": ["learned", "system"],
        "types": ["semantic"],
        "until": 1_717_329_600_000_000,
    }


def test_a_trace_holds_neither_the_question_nor_a_memory_nor_who_asked(sandbox: Sandbox) -> None:
    pk = sandbox.remember("It is swordfish.", sender="quentin", title="secret", key="launch-key", tags=("tagged",))
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.9)))), "what is the passphrase?", asker="mallory")
    text = json.dumps(attrs.asdict(result.trace))
    for word in ("swordfish", "passphrase", "quentin", "mallory", "secret", "launch-key", "tagged"):
        assert word not in text


def test_every_stage_is_there_in_order_with_what_it_cost(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    walked = pipeline(
        lane("a", ranking((pk, 0.9))),
        expanders=(lane("b", ranking((pk, 0.1))),),
        diversifier=bound("mmr", Factor(lambda request: np.arange(len(request.ids)))),
    )
    stages = sandbox.recall(walked).trace.stages
    assert [stage["name"] for stage in stages] == [
        "analyze", "search", "fuse", "expand", "floor", "rerank", "score", "trust", "conflict", "dedup", "budget",
        "answer", "render",
    ]  # fmt: skip
    assert all(stage["milliseconds"] >= 0 for stage in stages)
    assert stages[1]["found"] == {"a": 1}


def test_a_candidate_has_its_ranks_scores_factors_and_places(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    double_the_second = Factor(lambda request: np.where(request.pool.ids == second, 2.0, 1.0))
    walked = pipeline(
        lane("a", ranking((first, 0.8), (second, 0.5)), weight=0.5),
        lane("b", ranking((first, 0.2)), weight=0.0),
        scorers=(bound("double", double_the_second),),
    )
    result = sandbox.recall(walked)
    assert record(sandbox, result, first) == {
        "pk": first,
        "found": {"a": {"rank": 1, "score": 0.8, "weighted": 0.4}, "b": {"rank": 1, "score": 0.2, "weighted": 0.0}},
        "fused": 0.4,
        "base": 0.4,
        "reranked": False,
        "factors": {"double": 1.0},
        "score": 0.4,
        "places": {"score": 2, "conflict": 2, "dedup": 2, "diversity": 2},
        "left": "answer",
        "place": 2,
    }


def test_moves_show_as_places(sandbox: Sandbox) -> None:
    old = sandbox.remember("one", key="k", created_at=NOW - 9 * DAYS)
    new = sandbox.remember("two", key="k")
    result = sandbox.recall(pipeline(lane("a", ranking((old, 0.8), (new, 0.5)))))
    assert record(sandbox, result, new)["places"] == {"score": 2, "conflict": 1, "dedup": 1, "diversity": 1}
    assert record(sandbox, result, old)["superseded_by"] == sandbox.ids[new]


def test_recalls_that_did_not_search_have_a_trace_that_says_why(sandbox: Sandbox) -> None:
    result = sandbox.recall(pipeline(lane("a", ranking())), " ")
    assert result.trace.candidates == {}
    assert result.trace.stages[0]["stopped"] == "the question is empty"
    assert why_not(result, "018fd3ab-c200-7359-baa2-8d9fd112c1f6") == "nothing was searched: the question is empty"


def test_filters_survive_as_plain_data() -> None:
    filters = Filters(
        trust=frozenset({Trust.SYSTEM}),
        types=frozenset(MemoryType),
        tags=frozenset({"b", "a"}),
        since=NOW - 9 * DAYS,
        until=NOW,
        record_as_of=NOW - 1 * DAYS,
        event_as_of=NOW,
    )
    assert filters_of(json.loads(json.dumps(plain_filters(filters)))) == filters
    assert filters_of(plain_filters(Filters())) == Filters()


# -- why not -----------------------------------------------------------------------------------------------------------


def because(sandbox: Sandbox, result: Recall, pk: int) -> str:
    return why_not(result, sandbox.ids[pk], source=sandbox.store)


def test_it_is_in_the_answer(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.9)))))
    assert because(sandbox, result, pk) == "it is in the answer, at place 1"
    assert why_not(result.trace, sandbox.ids[pk].upper()) == "it is in the answer, at place 1"


def test_it_was_below_min_score(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9), (second, 0.2)))), min_score=0.5)
    assert because(sandbox, result, second) == ("its fused score 0.2 is below minScore 0.5 by 0.3 (found by a #2)")


def test_it_was_below_min_score_like_everything_else(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.456)))), min_score=0.5)
    assert "below minScore 0.5 by 0.044" in because(sandbox, result, pk)


def test_it_was_folded(sandbox: Sandbox) -> None:
    first, copy = sandbox.remember("one", sender="ana"), sandbox.remember("one", sender="ben")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9), (copy, 0.2)))))
    assert because(sandbox, result, first) == f"it says the same as {sandbox.ids[copy]}, which stands for it"
    assert record(sandbox, result, copy)["stands_for"] == [sandbox.ids[first]]


def test_it_did_not_fit(sandbox: Sandbox) -> None:
    long, short = sandbox.remember("long " * 20), sandbox.remember("short")
    result = sandbox.recall(pipeline(lane("a", ranking((long, 0.9), (short, 0.2)))), max_context_chars=150)
    assert "with its 100 characters of text the block would have been longer than maxContextChars 150" in because(
        sandbox, result, long
    )


def test_the_answer_was_full(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9), (second, 0.2)))), max_results=1)
    assert because(sandbox, result, second) == (
        "the answer was full: it came in at place 2 with score 0.200, maxResults is 1"
    )


def test_no_lane_found_it(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9))), lane("b", ranking())))
    assert because(sandbox, result, second) == "none of a, b found it among its best 50"
    assert why_not(result, sandbox.ids[second]).startswith("no lane found it, or it may not be seen")


def test_only_a_silent_lane_found_it(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    silent = lane("silent", ranking((second, 0.9)), weight=0.0)
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9))), silent))
    assert because(sandbox, result, second) == "only silent found it, whose weight is not positive"


@pytest.mark.parametrize(
    ("fields", "filters", "expected"),
    [
        ({"trust": Trust.EXTERNAL}, Filters(), "the filter trust (learned, system) hides it"),
        ({}, Filters(types=frozenset({MemoryType.WORKING})), "the filter types (working) hides it"),
        ({}, Filters(tags=frozenset({"work"})), "the filter tags (work) hides it"),
        ({}, Filters(since=NOW + 1 * DAYS), "the filter since (2024-06-02T12:00:00+00:00) hides it"),
        ({"trust": Trust.EXTERNAL}, Filters(tags=frozenset({"x"})), "the filters trust, tags hide it together"),
    ],
)
def test_a_filter_hides_it(sandbox: Sandbox, fields: dict[str, Any], filters: Filters, expected: str) -> None:
    pk = sandbox.remember("one", **fields)
    result = sandbox.recall(pipeline(lane("a", ranking())), filters=filters)
    assert because(sandbox, result, pk) == expected


def test_a_memory_that_is_gone_and_one_of_another_scope_look_the_same(sandbox: Sandbox) -> None:
    evicted, foreign = sandbox.remember("one"), sandbox.remember("two", scope=FOREIGN)
    sandbox.store.evict(SCOPE, [sandbox.ids[evicted]])
    result = sandbox.recall(pipeline(lane("a", ranking())))
    assert because(sandbox, result, evicted) == because(sandbox, result, foreign)
    assert because(sandbox, result, foreign).startswith("this scope has no such memory in sight")


@pytest.mark.parametrize("memory_id", ["nonsense", "", "12"])
def test_what_is_no_id_is_told(sandbox: Sandbox, memory_id: str) -> None:
    result = sandbox.recall(pipeline(lane("a", ranking())))
    assert why_not(result, memory_id) == f"{memory_id!r} is no memory id: ids are UUIDs"
