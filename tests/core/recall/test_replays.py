"""The same answer again from the inputs in a trace, without the question."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.errors import ComisError
from comis_core.model import NewMemory, Recall, Scope, TimeWindow, Trust, to_microseconds
from comis_core.recall import replay
from comis_core.recall.parts import Pipeline
from comis_plugins.recency.scorer import Recency
from comis_plugins.rrf.fusion import ReciprocalRankFusion
from tests.core.recall.conftest import NOW, SCOPE, Factor, Sandbox, bound, lane, pipeline, ranking

DAYS = timedelta(days=1)


def rich(sandbox: Sandbox) -> tuple[Pipeline, list[int]]:
    """A pipeline that uses every stage, over memories that conflict and repeat each other."""
    pks = sandbox.remember_all([
        NewMemory(
            content=f"memory {number % 8}",
            sender=f"s{number}",
            key="k" if number in (3, 5) else None,
            trust=Trust.EXTERNAL if number == 6 else Trust.LEARNED,
            created_at=NOW - number * DAYS,
        )
        for number in range(12)
    ])
    found = [(pk, 0.9 - 0.05 * place) for place, pk in enumerate(pks)]
    window = TimeWindow(start=to_microseconds(NOW - 10 * DAYS), end=None, hard=True)
    analyzer = Factor(
        lambda query: attrs.evolve(query, intent="temporal", time_window=window, lane_multipliers={"b": 0.5})
    )
    walked = pipeline(
        lane("a", ranking(*found[:6]), weight=1.5),
        lane("b", ranking(*found[4:10])),
        expanders=(lane("c", ranking(*found[9:11]), weight=0.3), lane("against", ranking(found[0]), weight=-0.2)),
        fusion=bound("rrf", ReciprocalRankFusion()),
        analyzers=(bound("words", analyzer),),
        scorers=(bound("recency", Recency(0.2)),),
        reranker=bound("cross", Factor(lambda request: np.linspace(0.2, 0.9, 4), max_candidates=4)),
        settings={"include_trust_levels": tuple(Trust), "max_context_chars": 700},
    )
    return walked, pks


def again(sandbox: Sandbox, walked: Pipeline, first: Recall, **options: Any) -> Recall:
    inputs = json.loads(json.dumps(first.trace.inputs))
    return replay(walked, sandbox.store, inputs, supervisor=sandbox.supervisor, **options)


def test_a_replay_gives_the_same_answer_byte_for_byte(sandbox: Sandbox) -> None:
    walked, _ = rich(sandbox)
    first = sandbox.recall(walked, "when was it?", asker="s1")
    second = again(sandbox, walked, first, asker="s1")
    assert len(first) > 2
    assert second.items == first.items
    assert second.text == first.text
    assert second.trace.candidates == first.trace.candidates
    assert second.trace.inputs == first.trace.inputs
    assert second.notes == ()


def test_a_replay_needs_neither_lanes_nor_clock(sandbox: Sandbox) -> None:
    walked, _ = rich(sandbox)
    first = sandbox.recall(walked)
    broken = lane("a", lambda request: 1 / 0)
    sandbox.clock.advance(400 * DAYS)
    second = again(sandbox, attrs.evolve(walked, lanes=(broken,), expanders=(), reranker=None, analyzers=()), first)
    assert second.items == first.items
    assert second.degraded == ()


def test_a_lane_that_failed_then_still_counts_in_the_weights(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    walked = pipeline(lane("a", ranking((pk, 0.5))), lane("broken", lambda request: 1 / 0, weight=3.0))
    first = sandbox.recall(walked)
    second = again(sandbox, walked, first)
    assert second.items == first.items
    assert second.trace.inputs["weights"] == {"a": 1.0, "broken": 3.0}


def test_memories_stored_since_are_not_in_a_replay(sandbox: Sandbox) -> None:
    walked, _ = rich(sandbox)
    first = sandbox.recall(walked)
    sandbox.remember("memory 99")
    assert again(sandbox, walked, first).items == first.items


def test_what_has_gone_since_is_counted(sandbox: Sandbox) -> None:
    walked, _ = rich(sandbox)
    first = sandbox.recall(walked)
    best = first.items[0].memory.id
    sandbox.store.delete(SCOPE, [best])
    second = again(sandbox, walked, first)
    assert best not in {item.memory.id for item in second}
    assert second.notes[0] == "1 of 11 candidates have gone since (deleted, updated, evicted or expired)"


def test_another_fusion_is_told(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    walked = pipeline(lane("a", ranking((pk, 0.5))))
    first = sandbox.recall(walked)
    changed = attrs.evolve(walked, fusion=bound("rrf", ReciprocalRankFusion()))
    assert again(sandbox, changed, first).notes == ("the fusion is 'rrf' now, it was 'sum'",)


def test_a_search_replays_as_a_search(sandbox: Sandbox) -> None:
    walked, _ = rich(sandbox)
    first = sandbox.search(walked)
    second = again(sandbox, walked, first)
    assert (second.items, second.text) == (first.items, "")


def test_an_answer_that_found_nothing_replays(sandbox: Sandbox) -> None:
    walked = pipeline(lane("a", ranking()))
    assert again(sandbox, walked, sandbox.recall(walked)).items == ()


@pytest.mark.parametrize("inputs", [{}, {"limits": 7}, {"scope": {}, "limits": {"candidates": 1}}])
def test_what_is_no_trace_is_refused(sandbox: Sandbox, inputs: dict[str, Any]) -> None:
    with pytest.raises(ComisError, match="no inputs of a trace"):
        replay(pipeline(lane("a", ranking())), sandbox.store, inputs)


def test_a_trace_of_another_scope_is_refused(sandbox: Sandbox) -> None:
    walked = pipeline(lane("a", ranking()))
    inputs = sandbox.recall(walked).trace.inputs
    with pytest.raises(ComisError, match=r"the trace is of acme/helper, the pipeline of acme/other"):
        replay(attrs.evolve(walked, scope=Scope("acme", "other")), sandbox.store, inputs)
