"""A lane that stands in for another one is asked only where that one cannot answer."""

from __future__ import annotations

from typing import Any

import attrs

from comis_core.recall.parts import Bound
from tests.core.recall.conftest import Sandbox, lane, pipeline, ranking


def stand_in(*found: tuple[int, float], weight: float = 1.0, name: str = "table") -> Bound[Any]:
    """A lane that stands in for `words`."""
    return attrs.evolve(lane(name, ranking(*found), weight=weight), stands_in_for="words")


def refused(request: Any) -> Any:
    raise RuntimeError("no words today")


def test_it_is_not_asked_where_the_other_answers(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("Ana lives in Lisbon."), sandbox.remember("Ben lives in Porto.")
    standing = stand_in((second, 1.0))
    answer = sandbox.recall(pipeline(standing, lane("words", ranking((first, 0.5)))))
    assert sandbox.found(answer) == [first]
    assert standing.part.asked == []


def test_it_is_not_asked_where_the_other_finds_nothing(sandbox: Sandbox) -> None:
    second = sandbox.remember("Ben lives in Porto.")
    assert sandbox.found(sandbox.recall(pipeline(lane("words", ranking()), stand_in((second, 1.0))))) == []


def test_it_answers_where_the_other_failed(sandbox: Sandbox) -> None:
    second = sandbox.remember("Ben lives in Porto.")
    answer = sandbox.recall(pipeline(lane("words", refused), stand_in((second, 0.5))))
    assert sandbox.found(answer) == [second]
    assert answer.items[0].score == 0.5
    assert ["words" in each.plugin for each in answer.degraded] == [True]


def test_it_answers_where_the_other_brought_what_nobody_may_see(sandbox: Sandbox) -> None:
    second = sandbox.remember("Ben lives in Porto.")
    answer = sandbox.recall(pipeline(lane("words", ranking((second + 1000, 1.0))), stand_in((second, 0.5))))
    assert sandbox.found(answer) == [second]
    assert len(answer.degraded) == 1


def test_it_answers_where_the_other_is_not_in_the_pipeline(sandbox: Sandbox) -> None:
    second = sandbox.remember("Ben lives in Porto.")
    assert sandbox.found(sandbox.recall(pipeline(stand_in((second, 0.5))))) == [second]


def test_standing_by_it_changes_no_score(sandbox: Sandbox) -> None:
    first = sandbox.remember("Ana lives in Lisbon.")
    words = lane("words", ranking((first, 0.5)))
    alone, beside = sandbox.recall(pipeline(words)), sandbox.recall(pipeline(words, stand_in(weight=9.0)))
    assert beside.items == alone.items


def test_an_answer_with_one_standing_by_is_replayed(sandbox: Sandbox) -> None:
    first = sandbox.remember("Ana lives in Lisbon.")
    answer = sandbox.recall(pipeline(lane("words", ranking((first, 0.5))), stand_in((first, 1.0))))
    assert answer.trace.inputs["weights"] == {"words": 1.0, "table": 0.0}


def test_of_two_that_stand_in_for_one_another_one_is_asked(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("Ana lives in Lisbon."), sandbox.remember("Ben lives in Porto.")
    words = attrs.evolve(lane("words", ranking((first, 0.5))), stands_in_for="table")
    assert sandbox.found(sandbox.recall(pipeline(words, stand_in((second, 1.0))))) == [first]
