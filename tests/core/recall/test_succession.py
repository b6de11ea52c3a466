"""A memory that replaces a candidate is in the answer too, also if no lane found it."""

from __future__ import annotations

import pytest

from comis_core.model import Annotation, Filters, Trust
from tests.core.recall.conftest import FOREIGN, SCOPE, Sandbox, lane, pipeline, ranking


def test_a_correction_that_no_lane_found_stands_above_what_it_corrects(sandbox: Sandbox) -> None:
    other, old = sandbox.remember("Ana likes tea."), sandbox.remember("Ana works at Acme.")
    new = sandbox.remember("She has moved on to Globex.", supersedes=(sandbox.ids[old],))
    result = sandbox.recall(pipeline(lane("words", ranking((other, 0.9), (old, 0.6)))))
    assert sandbox.found(result) == [other, new, old]
    assert [item.superseded_by for item in result] == [None, None, sandbox.ids[new]]
    assert result.items[1].score == pytest.approx(0.6)
    assert result.items[1].sources == {"supersedes": 1}


def test_corrections_of_corrections_come_in_too(sandbox: Sandbox) -> None:
    pks = [sandbox.remember("version 0")]
    for number in range(1, 5):
        pks.append(sandbox.remember(f"version {number}", supersedes=(sandbox.ids[pks[-1]],)))
    result = sandbox.recall(pipeline(lane("words", ranking((pks[0], 0.6)))))
    assert sandbox.found(result) == pks[::-1]


def test_memories_that_replace_each_other_in_a_circle_are_found_once(sandbox: Sandbox) -> None:
    one = sandbox.remember("one")
    other = sandbox.remember("other", supersedes=(sandbox.ids[one],))
    sandbox.store.annotate(SCOPE, sandbox.ids[one], [Annotation(kind="supersedes", target=sandbox.ids[other])])
    result = sandbox.recall(pipeline(lane("words", ranking((one, 0.6)))))
    assert sorted(sandbox.found(result)) == [one, other]


def test_a_memory_that_replaces_itself_changes_nothing(sandbox: Sandbox) -> None:
    one = sandbox.remember("one")
    sandbox.store.annotate(SCOPE, sandbox.ids[one], [Annotation(kind="supersedes", target=sandbox.ids[one])])
    result = sandbox.recall(pipeline(lane("words", ranking((one, 0.6)))))
    assert [item.superseded_by for item in result] == [None]


def test_a_correction_below_the_floor_is_lifted_to_what_it_corrects(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana works at Acme.")
    new = sandbox.remember("She has moved on to Globex.", supersedes=(sandbox.ids[old],))
    walked = pipeline(lane("words", ranking((old, 0.6), (new, 0.05))), settings={"min_score": 0.1})
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [new, old]


def test_a_correction_of_what_is_below_the_floor_stays_away(sandbox: Sandbox) -> None:
    good, old = sandbox.remember("good"), sandbox.remember("Ana works at Acme.")
    sandbox.remember("She has moved on to Globex.", supersedes=(sandbox.ids[old],))
    walked = pipeline(lane("words", ranking((good, 0.6), (old, 0.05))), settings={"min_score": 0.1})
    assert sandbox.found(sandbox.recall(walked)) == [good]


def test_a_correction_keeps_a_score_that_reaches_the_floor(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana works at Acme.")
    new = sandbox.remember("She has moved on to Globex.", supersedes=(sandbox.ids[old],))
    result = sandbox.recall(pipeline(lane("words", ranking((old, 0.6), (new, 0.2)))))
    assert [(item.memory.id, item.score) for item in result] == [
        (sandbox.ids[new], pytest.approx(0.2)),
        (sandbox.ids[old], pytest.approx(0.6)),
    ]


def test_a_correction_that_may_not_be_seen_does_not_come_in(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana works at Acme.")
    sandbox.remember("A stranger says Globex.", supersedes=(sandbox.ids[old],), trust=Trust.EXTERNAL)
    evicted = sandbox.remember("It was Initech.", supersedes=(sandbox.ids[old],))
    sandbox.store.evict(SCOPE, [sandbox.ids[evicted]])
    sandbox.remember("unrelated", scope=FOREIGN)
    found = lane("words", ranking((old, 0.6)))
    allowed = Filters(trust=frozenset({Trust.LEARNED}))
    assert sandbox.found(sandbox.recall(pipeline(found), filters=allowed)) == [old]


def test_with_conflicts_switched_off_nothing_comes_in_and_nothing_moves(sandbox: Sandbox) -> None:
    old = sandbox.remember("The code is 1234.", key="code")
    newer = sandbox.remember("The code is 9876.", key="code", supersedes=(sandbox.ids[old],))
    sandbox.remember("It has changed again.", supersedes=(sandbox.ids[newer],))
    walked = pipeline(lane("words", ranking((old, 0.6), (newer, 0.2))), settings={"conflicts": False})
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [old, newer]
    assert [item.superseded_by for item in result] == [None, None]


def test_the_trace_tells_of_a_memory_that_came_in_by_what_it_replaces(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana works at Acme.")
    new = sandbox.remember("She has moved on to Globex.", supersedes=(sandbox.ids[old],))
    record = sandbox.recall(pipeline(lane("words", ranking((old, 0.6))))).trace.candidates[sandbox.ids[new]]
    assert (record["found"], record["fused"], record["left"], record["place"]) == ({}, 0.6, "answer", 1)
