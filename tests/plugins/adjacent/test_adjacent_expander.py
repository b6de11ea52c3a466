"""What turns inherit from the turns beside them, by hand and against a plain loop."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.model import Filters, NewMemory, Ranking, Scope, Trust
from comis_core.senders import Roles
from comis_core.store.turns import MARK_BITS, turns_of
from comis_core.store.vectors import VectorStore
from comis_plugins.adjacent import comis_expanders
from comis_plugins.adjacent.expander import build
from comis_plugins.adjacent.links import link
from comis_plugins.adjacent.options import AdjacentOptions

LONG = " ".join(f"word{n}" for n in range(80))


def claims(ranking: Ranking) -> dict[int, float]:
    """Memory -> claim, where there is one."""
    if ranking.claims is None:
        return {}
    found = zip(ranking.claims.ids.tolist(), ranking.claims.values.tolist(), strict=True)
    return {pk: claim for pk, claim in found if claim}


def ask(talk: Any, options: AdjacentOptions | None = None, **arguments: Any) -> Ranking:
    embedder = arguments.pop("embedder", True)
    return talk.expand(talk.part(build, options or AdjacentOptions(), embedder=embedder), **arguments)


def at(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


# -- words


def test_a_reply_inherits_most_of_what_a_question_claims(talk: Any) -> None:
    asked, replied = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    talk.lanes = {"lexical": {asked: 1.0}}
    assert claims(ask(talk)) == pytest.approx({replied: 0.7 * 0.9 / 2})


def test_what_an_assistant_of_the_agent_says_is_linked_to_nothing_either(talk: Any) -> None:
    talk.roles = Roles(assistants=["Alfred"])
    asked, _ = talk.say("Ana: Where?", "Alfred: Here.")
    talk.lanes = {"lexical": {asked: 1.0}}
    assert claims(ask(talk)) == {}


def test_an_agent_is_a_person_for_a_customer_who_is_out_of_sight_too(talk: Any) -> None:
    asked, replied = talk.say("agent: Where do you live?", "Ben: In Lisbon.")
    talk.add(NewMemory(content="Hello.", sender="customer", trust=Trust.EXTERNAL))
    talk.lanes = {"lexical": {asked: 1.0}}
    in_sight = talk.expand(talk.part(build, AdjacentOptions()), filters=Filters(trust={Trust.LEARNED}))
    assert in_sight.ids.tolist() == [replied]


@pytest.mark.parametrize("turns", [("user: Where?", "assistant: Here."), ("Assistant: Where?", "Ana: Here.")])
def test_what_a_machine_says_hands_on_nothing_and_inherits_nothing(talk: Any, turns: tuple[str, str]) -> None:
    asked, _ = talk.say(*turns)
    talk.lanes = {"lexical": {asked: 1.0}}
    assert claims(ask(talk)) == {}


def test_after_a_statement_little_is_inherited(talk: Any) -> None:
    told, _ = talk.say("Ana: I live in Lisbon.", "Ben: How nice.")
    talk.lanes = {"lexical": {told: 0.5}}
    assert list(claims(ask(talk)).values()) == pytest.approx([0.7 * 0.1 * 0.5 / 2])


def test_turns_before_and_two_away_inherit_their_shares(talk: Any) -> None:
    first, second, third, fourth, fifth = talk.say("Ana: a", "Ben: b", "Ana: c", "Ben: d", "Ana: e")
    talk.lanes = {"lexical": {third: 1.0}}
    shares = {first: 0.15, second: 0.35, fourth: 0.1, fifth: 0.15}
    assert claims(ask(talk)) == pytest.approx({pk: 0.7 * share / 2 for pk, share in shares.items()})


def test_a_chain_ends_where_one_person_goes_on(talk: Any) -> None:
    first, second, third = talk.say("Ana: a", "Ana: b", "Ben: c")
    talk.lanes = {"lexical": {third: 1.0}}
    assert set(claims(ask(talk))) == {second}
    talk.lanes = {"lexical": {first: 1.0}}
    assert not claims(ask(talk))


def test_the_best_come_first_and_the_limit_holds(talk: Any) -> None:
    first, second, third, *_ = talk.say("Ana: a?", "Ben: b", "Ana: c", "Ben: d")
    talk.lanes = {"lexical": {first: 1.0, third: 0.5}}
    ranking = ask(talk, limit=1)
    assert list(ranking.ids) == [second]
    assert len(claims(ranking)) > 1


def test_a_long_turn_stands_for_itself(talk: Any) -> None:
    asked, long = talk.say("Ana: Where do you live?", f"Ben: {LONG}")
    talk.lanes = {"lexical": {asked: 1.0}}
    assert claims(ask(talk)) == pytest.approx({long: 0.7 * 0.9 * (40 / 80) ** 2 / 2})


def test_sessions_do_not_meet(talk: Any) -> None:
    (last,) = talk.say("Ana: Where do you live?", session="s1")
    talk.say("Ben: In Lisbon.", session="s2")
    talk.lanes = {"lexical": {last: 1.0}}
    assert len(ask(talk)) == 0


def test_turns_that_were_stored_in_another_order_are_neighbours_all_the_same(talk: Any) -> None:
    replied, asked = talk.add(
        NewMemory(content="In Lisbon.", sender="Ben", session="s1", turn=1),
        NewMemory(content="Where do you live?", sender="Ana", session="s1", turn=0),
    )
    talk.lanes = {"lexical": {asked: 1.0}}
    assert set(claims(ask(talk))) == {replied}


@pytest.mark.parametrize(
    "lines", [("user: a?", "user: b", "user: c"), ("Ana: a?", "Ana: b"), ("user: a?",)], ids=["user", "one name", "one"]
)
def test_where_one_person_speaks_nothing_is_claimed(talk: Any, lines: tuple[str, ...]) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say(*lines), 1.0)}
    ranking = ask(talk)
    assert len(ranking) == 0
    assert ranking.claims is None


def test_notes_without_a_session_have_no_neighbours(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say("Ana: a?", "Ben: b", session=None), 1.0)}
    assert len(ask(talk)) == 0


def test_what_is_hidden_is_no_neighbour(talk: Any) -> None:
    asked, hidden, replied = talk.add(
        NewMemory(content="Where do you live?", sender="Ana", session="s1", turn=0),
        NewMemory(content="Nowhere.", sender="Mallory", session="s1", turn=1, trust=Trust.EXTERNAL),
        NewMemory(content="In Lisbon.", sender="Ben", session="s1", turn=2),
    )
    talk.lanes = {"lexical": {asked: 1.0}}
    assert claims(ask(talk))[hidden] > claims(ask(talk))[replied]
    trusted = Filters(trust=frozenset({Trust.LEARNED}))
    assert claims(ask(talk, filters=trusted)) == pytest.approx({replied: 0.7 * 0.9 / 2})


def test_nothing_crosses_a_scope(talk: Any) -> None:
    asked, _ = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    talk.lanes = {"lexical": {asked: 1.0}}
    assert len(ask(talk, scope=Scope("rival", "helper"))) == 0


def test_without_a_hit_nobody_inherits(talk: Any) -> None:
    talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    assert len(ask(talk)) == 0
    talk.lanes = {"lexical": {}}
    assert len(ask(talk)) == 0


def test_the_ranking_of_fts_stands_in_for_a_lane_with_claims(talk: Any) -> None:
    asked, replied = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    talk.lanes, talk.without_claims = {"fts": {asked: 1.0}}, {"fts"}
    assert set(claims(ask(talk))) == {replied}


def test_a_lane_of_ones_own_can_be_named(talk: Any) -> None:
    asked, replied = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    talk.lanes = {"mine": {asked: 1.0}}
    assert len(ask(talk)) == 0
    assert set(claims(ask(talk, AdjacentOptions(words="mine")))) == {replied}


def test_a_silent_lane_is_not_listened_to(talk: Any) -> None:
    asked, _ = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    talk.lanes, talk.weights = {"lexical": {asked: 1.0}}, {"lexical": 0.0}
    assert len(ask(talk)) == 0


SAID = st.lists(
    st.tuples(
        st.sampled_from([None, "s", "t"]), st.sampled_from([None, "Ana", "Ben"]), st.booleans(), st.integers(0, 90)
    ),
    max_size=12,
)


@given(said=SAID, hits=st.lists(st.floats(0.0, 1.0), min_size=12, max_size=12))
def test_inheritance_is_the_sum_over_linked_neighbours(said: list[Any], hits: list[float]) -> None:
    rows = [(pk, session, sender, None, pk) for pk, (session, sender, _, _) in enumerate(said, 1)]
    marks = [pk << MARK_BITS | 4 * stems + 2 * asks for pk, (_, _, asks, stems) in enumerate(said, 1)]
    arrays = turns_of(rows, np.array(marks, np.int64), Roles()).arrays
    values = np.array(hits[: len(said)])
    inherited = link(arrays, 0, Roles()).inherited(values)
    assert inherited == pytest.approx([_inherited(said, values, row) for row in range(len(said))])


def _inherited(said: list[Any], values: Any, row: int) -> float:
    def previous(at: int) -> int | None:
        earlier = [other for other in range(at) if said[other][0] is not None and said[other][0] == said[at][0]]
        return earlier[-1] if earlier and said[earlier[-1]][1] != said[at][1] else None

    def following(at: int) -> int | None:
        later = [
            other for other in range(at + 1, len(said)) if said[other][0] is not None and said[other][0] == said[at][0]
        ]
        return later[0] if later and said[later[0]][1] != said[at][1] else None

    gate = min(1.0, (40 / max(1, said[row][3])) ** 2)
    before, after = previous(row), following(row)
    total = 0.0
    if before is not None:
        total += (0.1 + 0.8 * said[before][2]) * values[before]
        if (further := previous(before)) is not None:
            total += 0.15 * values[further]
    if after is not None:
        total += 0.35 * values[after]
        if (further := following(after)) is not None:
            total += 0.15 * values[further]
    return gate * total


# -- vectors


def cosines(vectors: dict[int, list[float]], degrees: float) -> dict[int, float]:
    return {pk: max(0.0, float(np.dot(vector, at(degrees)))) for pk, vector in vectors.items()}


def gain(own: float, before: float, question: float, mix: float = 0.75) -> float:
    """How much nearer the mixed vector is, in the plane."""
    mixed = np.array(at(own)) + mix * np.array(at(before))
    cosine = float(mixed @ np.array(at(question))) / float(np.linalg.norm(mixed))
    return max(0.0, max(0.0, cosine) - max(0.0, math.cos(math.radians(own - question))))


def test_a_turn_gains_what_it_means_together_with_the_one_before(talk: Any) -> None:
    asked, replied = talk.say("Ana: a", "Ben: b")
    vectors = {asked: at(0), replied: at(60)}
    talk.embed(vectors)
    talk.lanes = {"vector": cosines(vectors, 10)}
    assert claims(ask(talk)) == pytest.approx({replied: 3.5 * gain(60, 0, 10) / 2}, rel=1e-5)


def test_a_turn_that_means_less_together_loses_nothing(talk: Any) -> None:
    away, near = talk.say("Ana: a", "Ben: b")
    vectors = {away: at(80), near: at(0)}
    talk.embed(vectors)
    talk.lanes = {"vector": cosines(vectors, 0)}
    assert not claims(ask(talk))


def test_the_gain_is_capped_with_what_is_inherited(talk: Any) -> None:
    asked, replied = talk.say("Ana: Where do you live?", "Ben: In Lisbon.")
    vectors = {asked: at(0), replied: at(90)}
    talk.embed(vectors)
    talk.lanes = {"vector": cosines(vectors, 0), "lexical": {asked: 1.0}}
    expected = min(1.0, (0.7 * 0.9 + 3.5 * gain(90, 0, 0)) / 2)
    assert claims(ask(talk)) == pytest.approx({replied: expected}, rel=1e-5)


def test_the_lanes_discount_for_short_turns_is_taken_back(talk: Any) -> None:
    told = "Ana moved house quickly yesterday with seven boxes, two plants, four chairs, one lamp"
    asked, replied = talk.say(f"Ana: {told}", "Ben: Thanks, Ana!")
    vectors = {asked: at(0), replied: at(60)}
    talk.embed(vectors)
    plain = cosines(vectors, 10)
    talk.lanes = {"vector": plain}
    expected = claims(ask(talk))
    stems = dict(zip((asked, replied), stem_counts(talk), strict=True))
    full = min(10.0, float(np.median(list(stems.values()))))
    talk.lanes = {"vector": {pk: plain[pk] * min(1.0, stems[pk] / full) for pk in plain}}
    assert claims(ask(talk, AdjacentOptions(full_stems=10))) == pytest.approx(expected, rel=1e-5)
    assert claims(ask(talk)) != pytest.approx(expected, rel=1e-5)


def stem_counts(talk: Any) -> list[int]:
    """Of every turn, in the order of storing."""
    with talk.store.snapshot(Scope("acme", "helper"), now=0, filters=Filters()) as snapshot:
        return list(talk.sequence.arrays(snapshot).stems.tolist())


@pytest.mark.parametrize("missing", ["own", "before", "both", "embedder", "RAM"])
def test_without_both_vectors_in_ram_there_is_no_gain(talk: Any, missing: str) -> None:
    asked, replied = talk.say("Ana: a", "Ben: b")
    vectors = {asked: at(0), replied: at(60)}
    kept = {"own": {asked}, "before": {replied}, "both": set()}.get(missing, {asked, replied})
    if kept:
        talk.embed({pk: vector for pk, vector in vectors.items() if pk in kept})
    if missing == "RAM":
        talk.vectors = VectorStore(0)
    talk.lanes = {"vector": cosines(vectors, 10)}
    assert not claims(ask(talk, embedder=missing != "embedder"))


def test_a_vector_lane_without_claims_gains_nothing(talk: Any) -> None:
    asked, replied = talk.say("Ana: a", "Ben: b")
    vectors = {asked: at(0), replied: at(60)}
    talk.embed(vectors)
    talk.lanes, talk.without_claims = {"vector": cosines(vectors, 10)}, {"vector"}
    assert not claims(ask(talk))


def test_what_is_written_and_embedded_later_counts_at_once(talk: Any) -> None:
    asked, replied = talk.say("Ana: a", "Ben: b")
    vectors = {asked: at(0), replied: at(60)}
    part = talk.part(build, AdjacentOptions())
    talk.lanes = {"vector": cosines(vectors, 10)}
    assert not claims(talk.expand(part))
    talk.embed(vectors)
    assert set(claims(talk.expand(part))) == {replied}
    (again,) = talk.add(NewMemory(content="c", sender="Ana", session="s1", turn=2))
    (between,) = talk.add(
        NewMemory(content="d", sender="Cy", session="s1", turn=1, created_at=datetime(1990, 1, 1, tzinfo=UTC))
    )
    vectors |= {again: at(80), between: at(20)}
    talk.embed({pk: vectors[pk] for pk in (again, between)})
    talk.lanes = {"vector": cosines(vectors, 10)}
    expected = claims(talk.expand(talk.part(build, AdjacentOptions())))
    assert claims(talk.expand(part)) == pytest.approx(expected)
    assert expected[replied] == pytest.approx(3.5 * gain(60, 20, 10) / 2, rel=1e-5)


def test_the_expander_is_off_unless_asked_for() -> None:
    (spec,) = comis_expanders()
    assert (spec.name, spec.order, spec.sections[0].path) == ("adjacent", 10, "rag.lanes.adjacent")
    assert (AdjacentOptions().enabled, AdjacentOptions().weight) == (False, 2.0)
