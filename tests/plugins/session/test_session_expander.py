"""A session claims what its best turns have together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.model import Filters, NewMemory, Ranking, Scope, Trust
from comis_core.senders import Roles
from comis_core.store.turns import turns_of
from comis_plugins.session import comis_expanders
from comis_plugins.session.expander import build
from comis_plugins.session.grouping import sessions_of
from comis_plugins.session.options import SessionOptions


def claims(ranking: Ranking) -> dict[int, float]:
    """Memory -> claim of the whole scope."""
    if ranking.claims is None:
        return {}
    return dict(zip(ranking.claims.ids.tolist(), ranking.claims.values.tolist(), strict=True))


def ask(talk: Any, options: SessionOptions | None = None, **arguments: Any) -> Ranking:
    return talk.expand(talk.part(build, options or SessionOptions()), **arguments)


def test_every_turn_claims_the_mean_of_its_sessions_three_best(talk: Any) -> None:
    one = talk.say("Ana: a", "Ben: b", "Ana: c", "Ben: d", session="s1")
    other = talk.say("Ana: e", "Ben: f", "Ana: g", session="s2")
    talk.lanes = {"lexical": dict(zip(one + other, [1.0, 0.8, 0.6, 0.4, 0.5, 0.0, 0.0], strict=True))}
    expected = dict.fromkeys(one, 0.8 / 4) | dict.fromkeys(other, 0.5 / 3 / 4)
    assert claims(ask(talk)) == pytest.approx(expected)


def test_a_session_of_fewer_turns_has_the_mean_of_them(talk: Any) -> None:
    turns = talk.say("Ana: a", "Ben: b")
    talk.lanes = {"lexical": dict(zip(turns, [1.0, 0.5], strict=True))}
    assert claims(ask(talk)) == pytest.approx(dict.fromkeys(turns, 0.75 / 4))


def test_the_score_so_far_is_the_weighted_sum_of_every_lane(talk: Any) -> None:
    (turn,) = talk.say("Ana: a")
    talk.lanes = {"lexical": {turn: 0.5}, "vector": {turn: 0.25}, "silent": {turn: 1.0}}
    talk.weights = {"lexical": 1.0, "vector": 2.0, "silent": 0.0}
    assert claims(ask(talk)) == pytest.approx({turn: 1.0 / 4})


def test_a_lane_without_claims_counts_with_what_it_ranked(talk: Any) -> None:
    found, other = talk.say("Ana: a", "Ben: b")
    talk.lanes, talk.without_claims = {"fts": {found: 1.0}}, {"fts"}
    assert claims(ask(talk)) == pytest.approx({found: 0.125, other: 0.125})


def test_the_claim_ends_at_one(talk: Any) -> None:
    (turn,) = talk.say("Ana: a")
    talk.lanes, talk.weights = {"lexical": {turn: 1.0}}, {"lexical": 9.0}
    assert claims(ask(talk)) == {turn: 1.0}


def test_a_lane_that_speaks_against_a_session_makes_no_negative_claim(talk: Any) -> None:
    (turn,) = talk.say("Ana: a")
    talk.lanes, talk.weights = {"lexical": {turn: 0.1}, "against": {turn: 1.0}}, {"against": -1.0}
    assert claims(ask(talk)) == {turn: 0.0}


def test_how_many_turns_and_what_a_full_score_is_can_be_set(talk: Any) -> None:
    turns = talk.say("Ana: a", "Ben: b")
    talk.lanes = {"lexical": dict(zip(turns, [1.0, 0.0], strict=True))}
    assert claims(ask(talk, SessionOptions(best_turns=1, full_score=2.0))) == pytest.approx(dict.fromkeys(turns, 0.5))


@pytest.mark.parametrize("options", [{"best_turns": 0}, {"full_score": 0.0}, {"full_score": -1.0}])
def test_senseless_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SessionOptions(**options)


def test_without_sessions_there_is_nothing_to_say(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say("Ana: a", "Ben: b", session=None), 1.0)}
    ranking = ask(talk)
    assert len(ranking) == 0
    assert ranking.claims is None


def test_a_note_beside_sessions_claims_nothing(talk: Any) -> None:
    (note,) = talk.say("Ana: a", session=None)
    (turn,) = talk.say("Ana: b")
    talk.lanes = {"lexical": {note: 1.0, turn: 1.0}}
    assert claims(ask(talk)) == pytest.approx({note: 0.0, turn: 0.25})
    assert list(ask(talk).ids) == [turn]


def test_in_one_session_all_turns_claim_the_same(talk: Any) -> None:
    turns = talk.say("Ana: a", "Ben: b", "Ana: c")
    talk.lanes = {"lexical": {turns[0]: 1.0}}
    assert claims(ask(talk)) == pytest.approx(dict.fromkeys(turns, 1 / 3 / 4))


def test_only_what_lanes_found_is_ranked(talk: Any) -> None:
    found, other = talk.say("Ana: a", "Ben: b")
    talk.lanes = {"lexical": {found: 1.0}}
    assert list(ask(talk).ids) == [found]
    assert claims(ask(talk))[other] > 0.0


def test_the_limit_bounds_what_is_ranked(talk: Any) -> None:
    one, other = talk.say("Ana: a", session="s1") + talk.say("Ana: b", session="s2")
    talk.lanes = {"lexical": {one: 0.5, other: 1.0}}
    part = talk.part(build, SessionOptions())
    assert list(talk.expand(part, limit=1).ids) == [other]


def test_empty_lanes_and_an_empty_scope_are_no_error(talk: Any) -> None:
    assert len(ask(talk)) == 0
    talk.say("Ana: a")
    assert len(ask(talk)) == 0
    assert len(ask(talk, scope=Scope("nobody", "here"))) == 0


def test_hidden_turns_lend_their_session_nothing(talk: Any) -> None:
    shown, hidden = talk.add(
        NewMemory(content="a", session="s1"), NewMemory(content="b", session="s1", trust=Trust.EXTERNAL)
    )
    talk.lanes = {"lexical": {shown: 0.2, hidden: 1.0}}
    trusted = Filters(trust=frozenset({Trust.LEARNED}))
    assert claims(ask(talk, filters=trusted)) == pytest.approx({shown: 0.05})


def test_a_session_that_grows_is_weighed_anew(talk: Any) -> None:
    part = talk.part(build, SessionOptions())
    (first,) = talk.say("Ana: a")
    talk.lanes = {"lexical": {first: 1.0}}
    assert claims(talk.expand(part)) == pytest.approx({first: 0.25})
    (second,) = talk.say("Ben: b")
    assert claims(talk.expand(part)) == pytest.approx({first: 0.125, second: 0.125})


@given(
    said=st.lists(
        st.tuples(st.sampled_from([None, "s", "t", "u"]), st.sampled_from([0.0, 0.5, 1.0, 2.5])), max_size=20
    ),
    count=st.integers(1, 5),
)
def test_the_mean_of_the_best_is_that_of_sorted_values(said: list[Any], count: int) -> None:
    rows = [(pk, session, None, None, pk) for pk, (session, _) in enumerate(said, 1)]
    sessions = sessions_of(turns_of(rows, np.zeros(0, np.int64), Roles()).arrays)
    values = np.array([value for _, value in said])
    spread = sessions.over_turns(sessions.best_means(values, count))
    for row, (session, _) in enumerate(said):
        best = sorted((value for other, value in said if other == session), reverse=True)[:count]
        assert spread[row] == pytest.approx(0.0 if session is None else sum(best) / len(best))


def test_it_runs_after_adjacent_and_before_what_looks_at_single_turns() -> None:
    (spec,) = comis_expanders()
    assert (spec.name, spec.order, spec.sections[0].path) == ("session", 20, "rag.lanes.session")
    assert (SessionOptions().enabled, SessionOptions().weight) == (False, 1.76)
