"""Turns that tell, turns that only ask, turns that say when."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from comis_core.model import Filters, NewMemory, Query, Ranking, Scope, Trust
from comis_plugins.turn_kind import comis_expanders
from comis_plugins.turn_kind.expander import build
from comis_plugins.turn_kind.options import TurnKindOptions

WHEN = attrs.evolve(Query.of("When did Ana move?"), intent="temporal")
WHERE = Query.of("Where does Ana live?")


def ask(talk: Any, query: Query = WHERE, **arguments: Any) -> Ranking:
    return talk.expand(talk.part(build, TurnKindOptions()), query, **arguments)


def claims(ranking: Ranking) -> list[float]:
    """Of the whole scope, in the order of storing."""
    return [] if ranking.claims is None else ranking.claims.values.tolist()


def test_a_turn_that_tells_claims_more_than_one_that_only_asks(talk: Any) -> None:
    talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    assert claims(ask(talk)) == pytest.approx([0.0, 0.33 / 0.93])


def test_a_long_question_tells_something_too(talk: Any) -> None:
    words = " ".join(f"word{n}" for n in range(26))
    talk.say(f"Ana: {words}?", "Ben: In Lisbon.")
    assert claims(ask(talk)) == pytest.approx([0.33 / 0.93] * 2)


def test_a_turn_that_says_when_claims_a_little_more(talk: Any) -> None:
    talk.say("Ana: I moved in May 2023.", "Ben: Did you move in May 2023?")
    assert claims(ask(talk)) == pytest.approx([0.43 / 0.93, 0.10 / 0.93])


def test_a_turn_that_says_when_claims_everything_if_that_is_asked(talk: Any) -> None:
    talk.say("Ana: I moved in May 2023.", "Ben: How nice.")
    assert claims(ask(talk, WHEN)) == pytest.approx([1.0, 0.33 / 0.93])


def test_a_time_expression_in_a_long_turn_dates_little(talk: Any) -> None:
    words = " ".join(f"word{n}" for n in range(78))
    talk.say(f"Ana: {words} in June 2023.", "Ben: How nice.")
    assert claims(ask(talk, WHEN))[0] == pytest.approx((0.33 + 0.6 * (40 / 80) ** 2) / 0.93)


@pytest.mark.parametrize(
    "lines",
    [
        ("user: a", "assistant: b?", "user: c"),
        ("Ana: a", "Ana: b?"),
        ("Ana: a", "Ben: b?", "Cy: c"),
        ("Ana: a", "assistant: b?"),
    ],
    ids=["roles", "one name", "three names", "a name and a role"],
)
def test_outside_a_talk_between_two_names_nothing_is_claimed(talk: Any, lines: tuple[str, ...]) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say(*lines), 1.0)}
    ranking = ask(talk)
    assert len(ranking) == 0
    assert ranking.claims is None


def test_two_people_who_do_not_talk_with_one_another_are_no_talk(talk: Any) -> None:
    talk.say("Ana: a", "Ana: b", "Ana: c", session="s1")
    talk.say("Ben: d", "Ben: e", session="s2")
    assert ask(talk).claims is None


def test_only_what_lanes_found_is_ranked_best_first(talk: Any) -> None:
    asked, told, dated, _ = talk.say("Ana: Where?", "Ben: In Lisbon.", "Ana: Since May 2023.", "Ben: Oh.")
    talk.lanes = {"lexical": dict.fromkeys((asked, told, dated), 0.5)}
    assert list(ask(talk).ids) == [dated, told]


def test_what_is_hidden_decides_nothing(talk: Any) -> None:
    talk.say("Ana: a", "Ben: b")
    talk.add(NewMemory(content="c", sender="Cy", session="s1", turn=9, trust=Trust.EXTERNAL))
    assert ask(talk).claims is None
    assert len(claims(ask(talk, filters=Filters(trust=frozenset({Trust.LEARNED}))))) == 2


def test_new_turns_are_judged(talk: Any) -> None:
    part = talk.part(build, TurnKindOptions())
    talk.say("Ana: a", "Ben: b")
    assert len(claims(talk.expand(part, WHERE))) == 2
    talk.add(NewMemory(content="And you?", sender="Ana", session="s1", turn=2))
    assert claims(talk.expand(part, WHERE)) == pytest.approx([0.33 / 0.93, 0.33 / 0.93, 0.0])


def test_an_empty_scope_is_no_error(talk: Any) -> None:
    assert len(ask(talk, scope=Scope("nobody", "here"))) == 0


def test_the_expander_is_off_unless_asked_for() -> None:
    (spec,) = comis_expanders()
    assert (spec.name, spec.order, spec.sections[0].path) == ("turn_kind", 50, "rag.lanes.turnKind")
    assert (TurnKindOptions().enabled, TurnKindOptions().weight) == (False, 0.93)
