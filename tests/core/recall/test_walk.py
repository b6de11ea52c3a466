"""The walk over a real store: numbers by hand, order, limits, filters, and what each stage hands to the next."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.errors import ComisError
from comis_core.model import (
    Annotation,
    Claims,
    Filters,
    MemoryType,
    NewMemory,
    Ranking,
    TimeWindow,
    Trust,
    to_microseconds,
)
from comis_core.recall.measure import HEADING_LENGTH
from comis_plugins.event_time.scorer import EventTime
from comis_plugins.proof.scorer import Proof
from comis_plugins.recency.scorer import Recency
from comis_plugins.rrf.fusion import ReciprocalRankFusion
from comis_plugins.trust.scorer import TrustFactor
from tests.core.recall.conftest import NOW, SCOPE, Factor, Sandbox, SumOfClaims, bound, lane, pipeline, ranking

DAYS = timedelta(days=1)
DOCUMENTED = (
    bound("recency", Recency(0.2)),
    bound("event_time", EventTime(0.2)),
    bound("proof", Proof(0.1)),
    bound("trust", TrustFactor(0.1)),
)


def constant(*values: float) -> Any:
    """A scorer or reranker that always says the same."""
    return Factor(lambda request: np.array(values, np.float64))


# -- fusion and factors ------------------------------------------------------------------------------------------------


def test_the_documented_numbers_from_lanes_to_final_score(sandbox: Sandbox) -> None:
    first = sandbox.remember(
        "Ana lives in Lisbon.",
        created_at=NOW - 9 * DAYS,
        occurred_at=NOW - 3 * DAYS,
        proof_count=10,
        confidence=0.8,
        trust=Trust.SYSTEM,
    )
    second = sandbox.remember("Ben lives in Porto.", created_at=NOW)
    walked = pipeline(
        lane("fts", ranking((second, 0.9), (first, 0.8)), weight=1.0),
        lane("vector", ranking((first, 0.4)), weight=1.5),
        fusion=bound("rrf", ReciprocalRankFusion()),
        scorers=DOCUMENTED,
        settings={"min_score": 0.1},
    )
    result = sandbox.recall(walked)
    assert sandbox.found(result) == [first, second]
    one, two = result.items
    assert one.base == pytest.approx((1 / 62 + 1.5 / 61) / (2.5 / 61))
    assert one.factors == pytest.approx({
        "recency": 0.92,
        "event_time": 0.95,
        "proof": 1 + 0.1 * (np.log(10) / 10) * 0.8 * 0.5**0.1,
        "trust": 1.05,
    })
    assert two.base == pytest.approx(0.4)
    assert two.factors == pytest.approx({"recency": 1.1, "event_time": 1.0, "proof": 1.0, "trust": 1.0})
    assert two.score == pytest.approx(0.44)
    assert one.sources == {"fts": 2, "vector": 1}


def test_the_score_is_base_times_the_product_of_the_factors(sandbox: Sandbox) -> None:
    pks = sandbox.remember_all([
        NewMemory(content=f"memory {number}", created_at=NOW - number * DAYS, proof_count=number + 1)
        for number in range(20)
    ])
    found = ranking(*((pk, 1.0 - 0.04 * place) for place, pk in enumerate(pks)))
    result = sandbox.recall(pipeline(lane("a", found), scorers=DOCUMENTED), max_results=20)
    assert len(result) == 20
    for item in result:
        assert item.score == item.base * np.prod(list(item.factors.values()))


def proven(sandbox: Sandbox, *said: tuple[str, str, int, Trust]) -> list[float]:
    """How often each copy counts as confirmed: e ** (100 x (factor - 1)); sender, session, proof count and trust."""
    pks = sandbox.remember_all([
        NewMemory(
            content="The key.",
            sender=sender,
            session=session,
            created_at=NOW,
            proof_count=count,
            confidence=1.0,
            trust=trust,
        )
        for sender, session, count, trust in said
    ])
    factors: list[float] = []
    spy = Factor(lambda request: factors.extend(Proof(0.1).factors(request)) or np.ones(len(request.pool.ids)))
    found = ranking(*((pk, 0.9 - 0.01 * place) for place, pk in enumerate(pks)))
    everyone = Filters(trust=frozenset(Trust))
    sandbox.recall(pipeline(lane("a", found), scorers=(bound("proof", spy),)), filters=everyone)
    return [round(float(np.exp(100 * (factor - 1))), 6) for factor in factors]


L, E = Trust.LEARNED, Trust.EXTERNAL


def test_what_several_say_in_the_same_words_has_the_proofs_of_all(sandbox: Sandbox) -> None:
    assert proven(sandbox, ("ana", "1", 2, L), ("ben", "1", 3, L), ("cleo", "1", 1, L)) == [6, 6, 6]


def test_who_says_it_often_counts_once(sandbox: Sandbox) -> None:
    assert proven(sandbox, ("ana", "1", 1, L), ("ana", "2", 2, L), ("ben", "1", 1, L)) == [2, 3, 3]


def test_without_a_sender_every_session_counts(sandbox: Sandbox) -> None:
    assert proven(sandbox, (None, "1", 1, L), (None, "2", 1, L)) == [2, 2]  # type: ignore[arg-type]


def test_what_is_less_trusted_proves_nothing_and_external_copies_not_even_each_other(sandbox: Sandbox) -> None:
    assert proven(sandbox, ("ana", "1", 1, L), ("web", "1", 5, E), ("net", "1", 5, E)) == [1, 6, 6]


def test_a_query_multiplies_the_weight_of_a_lane(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    analyzer = bound("intent", Factor(lambda query: attrs.evolve(query, lane_multipliers={"b": 0.0, "a": 0.5})))
    walked = pipeline(lane("a", ranking((first, 0.8))), lane("b", ranking((second, 0.9))), analyzers=(analyzer,))
    result = sandbox.recall(walked)
    assert [(item.base, item.sources) for item in result] == [(0.4, {"a": 1})]


def test_a_lane_of_weight_zero_runs_and_is_silent(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    silent = lane("silent", ranking((second, 1.0), (first, 0.9)), weight=0.0)
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.5))), silent))
    assert sandbox.found(result) == [first]
    assert result.items[0].sources == {"a": 1}
    assert len(silent.part.asked) == 1


# -- ties --------------------------------------------------------------------------------------------------------------


def test_ties_go_to_higher_trust_then_newer_record_then_later_stored(sandbox: Sandbox) -> None:
    old_system = sandbox.remember("a", trust=Trust.SYSTEM, created_at=NOW - 9 * DAYS)
    older = sandbox.remember("b", created_at=NOW - 5 * DAYS)
    newer = sandbox.remember("c", created_at=NOW - 2 * DAYS)
    twin = sandbox.remember("d", created_at=NOW - 2 * DAYS)
    found = ranking((older, 0.5), (newer, 0.5), (twin, 0.5), (old_system, 0.5))
    assert sandbox.found(sandbox.recall(pipeline(lane("a", found)))) == [old_system, twin, newer, older]


# -- minScore ----------------------------------------------------------------------------------------------------------


def test_what_is_below_min_score_is_hidden_and_what_reaches_it_is_not(sandbox: Sandbox) -> None:
    first, second, third = (sandbox.remember(text) for text in ("one", "two", "three"))
    found = ranking((first, 0.5), (second, 0.25), (third, 0.24))
    result = sandbox.recall(pipeline(lane("a", found)), min_score=0.25)
    assert sandbox.found(result) == [first, second]
    assert result.notes == ()


def test_min_score_is_compared_with_the_fused_score_not_with_the_final_one(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    walked = pipeline(
        lane("a", ranking((first, 0.5), (second, 0.2))),
        scorers=(bound("tiny", constant(0.1)),),
        reranker=bound("cross", constant(0.05)),
        settings={"min_score": 0.3},
    )
    (item,) = sandbox.recall(walked)
    assert (item.base, item.score) == pytest.approx((0.05, 0.005))


def test_when_everything_is_below_min_score_the_answer_says_so(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("one"), sandbox.remember("two")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.456), (second, 0.1)))), min_score=0.5)
    assert len(result) == 0
    assert result.text == ""
    assert result.notes == ("all 2 candidates are below minScore 0.5: the best has 0.456",)


# -- reranking ---------------------------------------------------------------------------------------------------------


def test_the_reranked_head_comes_first_on_its_own_scale_then_the_tail(sandbox: Sandbox) -> None:
    pks = [sandbox.remember(text) for text in ("one", "two", "three", "four")]
    found = ranking(*zip(pks, (0.9, 0.8, 0.7, 0.6), strict=True))
    cross = bound("cross", Factor(lambda request: np.array([0.1, 0.3]), max_candidates=2))
    result = sandbox.recall(pipeline(lane("a", found), reranker=cross))
    assert sandbox.found(result) == [pks[1], pks[0], pks[2], pks[3]]
    assert [item.base for item in result] == [0.3, 0.1, 0.7, 0.6]


def test_factors_reorder_within_head_and_tail_only(sandbox: Sandbox) -> None:
    pks = [sandbox.remember(text) for text in ("one", "two", "three", "four")]
    found = ranking(*zip(pks, (0.9, 0.8, 0.7, 0.6), strict=True))
    cross = bound("cross", Factor(lambda request: np.array([0.3, 0.2]), max_candidates=2))
    factor = bound("factor", constant(1.0, 2.0, 1.0, 2.0))
    result = sandbox.recall(pipeline(lane("a", found), reranker=cross, scorers=(factor,)))
    assert sandbox.found(result) == [pks[1], pks[0], pks[3], pks[2]]
    assert [item.score for item in result] == pytest.approx([0.4, 0.3, 1.2, 0.7])


def test_a_reranker_may_judge_fewer_than_it_was_given(sandbox: Sandbox) -> None:
    pks = [sandbox.remember(text) for text in ("one", "two", "three")]
    found = ranking(*zip(pks, (0.9, 0.8, 0.7), strict=True))
    result = sandbox.recall(pipeline(lane("a", found), reranker=bound("cross", constant(0.2))))
    assert [item.base for item in result] == [0.2, 0.8, 0.7]


def test_the_reranker_gets_the_head_best_first_with_its_texts(sandbox: Sandbox) -> None:
    worse, better = sandbox.remember("worse"), sandbox.remember("better")
    seen: list[Any] = []

    def judge(request: Any) -> Any:
        seen.append((request.ids.tolist(), request.texts, request.query.text))
        return np.array([0.5, 0.5])

    sandbox.recall(pipeline(lane("a", ranking((better, 0.9), (worse, 0.3))), reranker=bound("cross", Factor(judge))))
    assert seen == [([better, worse], ("better", "worse"), "where?")]


def test_below_min_results_reranking_is_skipped_without_a_word(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    cross = bound("cross", Factor(lambda request: 1 / 0, min_results=2))
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.4))), reranker=cross))
    assert [item.base for item in result] == [0.4]
    assert result.degraded == ()


@pytest.mark.parametrize(("results", "judged", "expected"), [(5, 40, 50), (5, 80, 80), (100, 40, 200)])
def test_lanes_are_asked_for_more_than_the_answer_takes(
    sandbox: Sandbox, results: int, judged: int, expected: int
) -> None:
    asked = lane("a", ranking())
    cross = bound("cross", Factor(lambda request: np.zeros(0), max_candidates=judged))
    sandbox.recall(pipeline(asked, reranker=cross), max_results=results)
    assert asked.part.asked[0].limit == expected


# -- expansion ---------------------------------------------------------------------------------------------------------


def test_expanders_run_in_order_and_see_what_earlier_ones_added(sandbox: Sandbox) -> None:
    hit, neighbour, further = (sandbox.remember(text) for text in ("hit", "neighbour", "further"))
    claims = Claims(np.array([hit, neighbour]), np.array([0.1, 0.9]))
    first = lane("first", attrs.evolve(ranking((neighbour, 0.9)), claims=claims), weight=0.5)
    second = lane("second", ranking((further, 0.5)), weight=0.2)
    result = sandbox.recall(pipeline(lane("a", ranking((hit, 0.6))), expanders=(first, second)))
    (one,), (two,) = first.part.asked, second.part.asked
    assert (one.pool.ids.tolist(), one.pool.fused.tolist(), dict(one.claims)) == ([hit], [0.6], {})
    assert two.pool.ids.tolist() == [hit, neighbour]
    assert two.pool.fused.tolist() == [0.6, 0.0]
    assert two.claims["first"].at(np.array([neighbour])).tolist() == [0.9]
    assert list(two.pool.rankings) == ["a", "first"]
    assert two.weights == {"a": 1.0, "first": 0.5, "second": 0.2}
    assert sandbox.found(result) == [hit, neighbour, further]
    assert [item.base for item in result] == pytest.approx([0.6, 0.45, 0.1])


def test_seeds_are_what_the_lanes_found(sandbox: Sandbox) -> None:
    hit, added = sandbox.remember("hit"), sandbox.remember("added")
    first = lane("first", ranking((added, 1.0)), weight=9.0)
    seeds: list[Any] = []

    def act(request: Any) -> Ranking:
        seeds.append(request.seeds(1)[0].tolist())
        return Ranking.empty()

    sandbox.recall(pipeline(lane("a", ranking((hit, 0.2))), expanders=(first, lane("second", act))))
    assert seeds == [[hit]]


def test_the_fusion_is_told_what_was_found_beside_the_hits(sandbox: Sandbox) -> None:
    hit, neighbour = sandbox.remember("hit"), sandbox.remember("neighbour")
    seen: list[dict[str, bool]] = []

    @attrs.frozen
    class Watching(SumOfClaims):
        def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Any, Any]:
            seen.append({name: ranking.expanded for name, ranking in rankings.items()})
            return super().fuse(rankings, weights)

    boastful = attrs.evolve(ranking((hit, 0.6)), expanded=True)
    beside = lane("beside", ranking((neighbour, 0.5)))
    sandbox.recall(pipeline(lane("a", boastful), expanders=(beside,), fusion=bound("watching", Watching())))
    assert seen == [{"a": False}, {"a": False, "beside": True}]


def test_ranks_of_neighbours_count_by_their_claims(sandbox: Sandbox) -> None:
    hit, neighbour = sandbox.remember("hit"), sandbox.remember("neighbour")
    walked = pipeline(
        lane("a", ranking((hit, 0.2))),
        expanders=(lane("beside", ranking((neighbour, 0.25)), weight=8.0),),
        fusion=bound("rrf", ReciprocalRankFusion()),
    )
    assert [item.base for item in sandbox.recall(walked)] == pytest.approx([1 / 1.5, 0.5 / 1.5])


def test_an_expander_of_negative_weight_speaks_against_and_adds_nothing(sandbox: Sandbox) -> None:
    hit, other, added = (sandbox.remember(text) for text in ("hit", "other", "added"))
    against = lane("against", ranking((hit, 1.0), (added, 1.0)), weight=-0.5)
    result = sandbox.recall(pipeline(lane("a", ranking((hit, 0.8), (other, 0.4))), expanders=(against,)))
    assert sandbox.found(result) == [other, hit]
    assert [item.base for item in result] == pytest.approx([0.4, 0.3])
    assert [item.sources for item in result] == [{"a": 2}, {"a": 1}]


def test_expanders_run_when_no_lane_found_anything(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    result = sandbox.recall(pipeline(lane("a", ranking()), expanders=(lane("named", ranking((pk, 0.7))),)))
    assert [(item.base, item.sources) for item in result] == [(0.7, {"named": 1})]


def test_columns_are_read_once_and_once_more_for_newcomers(sandbox: Sandbox) -> None:
    hit, added = sandbox.remember("hit"), sandbox.remember("added")
    loads: list[Any] = []

    def load(ids: Any) -> Any:
        loads.append(ids.tolist())
        return np.full(len(ids), 0.5)

    def look(request: Any) -> Ranking:
        assert request.pool.columns["rate"].tolist() == [0.5] * len(request.pool)
        return ranking((added, 0.9))

    looking = attrs.evolve(lane("looking", look), requires=("rate",))
    walked = pipeline(
        lane("a", ranking((hit, 0.5))),
        expanders=(looking, attrs.evolve(looking, name="again")),
        columns=(bound("rate", Factor(load)), bound("unused", Factor(lambda ids: 1 / 0))),
    )
    result = sandbox.recall(walked)
    assert result.degraded == ()
    assert loads == [[hit], [added]]


def test_a_pool_that_an_expander_kept_stays_as_it_was(sandbox: Sandbox) -> None:
    hit, added = sandbox.remember("hit"), sandbox.remember("added", trust=Trust.SYSTEM)
    pools: list[Any] = []

    def keep(request: Any) -> Ranking:
        pools.append(request.pool)
        return ranking((added, 0.9))

    def look(request: Any) -> Ranking:
        pools.extend([request.pool.columns["trust"].tolist(), pools[0].columns["trust"].tolist()])
        return Ranking.empty()

    sandbox.recall(pipeline(lane("a", ranking((hit, 0.5))), expanders=(lane("keep", keep), lane("look", look))))
    assert pools[1:] == [[1, 2], [1]]


def test_a_column_that_nobody_provides_is_absent(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    scorer = bound(
        "useful",
        Factor(lambda request: np.where(np.isnan(request.pool.columns["rate"]), 1.0, 2.0)),
        requires=("rate",),
    )
    result = sandbox.recall(pipeline(lane("a", ranking((pk, 0.5))), scorers=(scorer,)))
    assert result.items[0].factors == {"useful": 1.0}


# -- filters and trust -------------------------------------------------------------------------------------------------


def everything(request: Any) -> Ranking:
    """A lane that finds whatever is visible."""
    ids = request.snapshot.visible_ids()
    return Ranking(ids, np.full(len(ids), 0.5))


def test_external_memories_are_out_of_sight_unless_they_are_allowed(sandbox: Sandbox) -> None:
    learned = sandbox.remember("learned")
    external = sandbox.remember("external", trust=Trust.EXTERNAL)
    sees = lane("all", everything)
    allowed = {"include_trust_levels": (Trust.EXTERNAL, Trust.LEARNED)}
    assert sandbox.found(sandbox.recall(pipeline(sees))) == [learned]
    assert sandbox.found(sandbox.recall(pipeline(sees, settings=allowed))) == [learned, external]


def test_the_callers_own_trust_levels_are_taken_exactly(sandbox: Sandbox) -> None:
    sandbox.remember("learned")
    external = sandbox.remember("external", trust=Trust.EXTERNAL)
    only = Filters(trust=frozenset({Trust.EXTERNAL}))
    assert sandbox.found(sandbox.recall(pipeline(lane("all", everything)), filters=only)) == [external]


def test_no_trust_level_at_all_is_an_answer_that_says_so(sandbox: Sandbox) -> None:
    sandbox.remember("learned")
    result = sandbox.recall(pipeline(lane("all", everything)), filters=Filters(trust=frozenset()))
    assert len(result) == 0
    assert "trust" in result.notes[0]


def test_a_hard_time_window_narrows_the_filters_before_the_search(sandbox: Sandbox) -> None:
    sandbox.remember("too early", occurred_at=NOW - 9 * DAYS)
    inside = sandbox.remember("inside", occurred_at=NOW - 5 * DAYS)
    sandbox.remember("too late", occurred_at=NOW - 1 * DAYS)
    window = TimeWindow(start=to_microseconds(NOW - 8 * DAYS), end=to_microseconds(NOW), hard=True)
    analyzer = bound("dates", Factor(lambda query: attrs.evolve(query, time_window=window)))
    walked = pipeline(lane("all", everything), analyzers=(analyzer,))
    assert sandbox.found(sandbox.recall(walked, filters=Filters(until=NOW - 2 * DAYS))) == [inside]


def test_a_soft_time_window_hides_nothing(sandbox: Sandbox) -> None:
    pk = sandbox.remember("early", occurred_at=NOW - 9 * DAYS)
    window = TimeWindow(start=to_microseconds(NOW - 1 * DAYS), end=None)
    analyzer = bound("dates", Factor(lambda query: attrs.evolve(query, time_window=window)))
    assert sandbox.found(sandbox.recall(pipeline(lane("all", everything), analyzers=(analyzer,)))) == [pk]


def test_types_and_tags_are_filtered_inside_the_lane(sandbox: Sandbox) -> None:
    sandbox.remember("a", type=MemoryType.EPISODIC, tags=("work",))
    wanted = sandbox.remember("b", type=MemoryType.SEMANTIC, tags=("work", "home"))
    filters = Filters(types=frozenset({MemoryType.SEMANTIC}), tags=frozenset({"home"}))
    assert sandbox.found(sandbox.recall(pipeline(lane("all", everything)), filters=filters)) == [wanted]


# -- conflict, dedup, diversity, budget --------------------------------------------------------------------------------


def test_of_two_memories_with_one_key_the_newer_stands_directly_above_the_marked_older(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana works at Initech.", key="employer", created_at=NOW - 90 * DAYS)
    between = sandbox.remember("Ana has a dog.")
    new = sandbox.remember("Ana works at Globex.", key="employer", created_at=NOW - 2 * DAYS)
    result = sandbox.recall(pipeline(lane("a", ranking((old, 0.9), (between, 0.8), (new, 0.1)))))
    assert sandbox.found(result) == [new, old, between]
    assert [item.superseded_by for item in result] == [None, sandbox.ids[new], None]
    assert [item.score for item in result] == [0.1, 0.9, 0.8]
    assert "- [learned] [superseded] recorded" in result.text


def test_an_explicit_supersedes_beats_trust(sandbox: Sandbox) -> None:
    old = sandbox.remember("The code is 1234.", trust=Trust.SYSTEM)
    new = sandbox.remember("The code is 9876.", supersedes=(sandbox.ids[old],))
    result = sandbox.recall(pipeline(lane("a", ranking((old, 0.9), (new, 0.3)))))
    assert sandbox.found(result) == [new, old]
    assert result.items[1].superseded_by == sandbox.ids[new]


def test_a_functional_predicate_has_one_value_at_a_time(sandbox: Sandbox) -> None:
    def lives(city: str) -> tuple[Annotation, ...]:
        return (Annotation(kind="triple", name="Ana", predicate="lives in", value=city),)

    old = sandbox.remember("x", annotations=lives("Porto"), occurred_at=NOW - 90 * DAYS)
    new = sandbox.remember("y", annotations=lives("Lisbon"), occurred_at=NOW - 9 * DAYS)
    walked = pipeline(lane("a", ranking((old, 0.9), (new, 0.3))), settings={"functional_predicates": ("lives in",)})
    assert sandbox.found(sandbox.recall(walked)) == [new, old]
    assert sandbox.found(sandbox.recall(pipeline(lane("a", ranking((old, 0.9), (new, 0.3)))))) == [old, new]


def test_copies_from_other_senders_are_folded_into_one_that_names_them(sandbox: Sandbox) -> None:
    first = sandbox.remember("The office closes at six.", sender="ana", created_at=NOW - 3 * DAYS)
    other = sandbox.remember("Lunch is at noon.")
    copy = sandbox.remember("the office  closes at SIX.", sender="ben", created_at=NOW - 1 * DAYS)
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9), (other, 0.5), (copy, 0.2)))))
    assert sandbox.found(result) == [copy, other]
    assert result.items[0].folded == (sandbox.ids[first],)


def test_near_copies_are_folded(sandbox: Sandbox) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    first, second = sandbox.remember(words), sandbox.remember(f"{words} indeed")
    result = sandbox.recall(pipeline(lane("a", ranking((first, 0.9), (second, 0.5)))))
    assert sandbox.found(result) == [second]


def test_the_mark_of_a_loser_points_to_the_copy_that_stands_for_the_winner(sandbox: Sandbox) -> None:
    old = sandbox.remember("Ana lives in Porto.", key="home", created_at=NOW - 9 * DAYS)
    new = sandbox.remember("Ana lives in Lisbon.", key="home", sender="ana", created_at=NOW - 2 * DAYS)
    copy = sandbox.remember("Ana lives in Lisbon.", sender="ben", created_at=NOW - 1 * DAYS)
    result = sandbox.recall(pipeline(lane("a", ranking((old, 0.9), (new, 0.5), (copy, 0.4)))))
    assert sandbox.found(result) == [copy, old]
    assert result.items[1].superseded_by == sandbox.ids[copy]


def test_a_diversifier_orders_a_recall_but_not_a_search(sandbox: Sandbox) -> None:
    first, second = sandbox.remember("Ana likes tea."), sandbox.remember("Ben runs.")
    seen: list[Any] = []

    def turn(request: Any) -> Any:
        seen.append((request.ids.tolist(), request.scores.tolist(), list(request.token_sets)))
        return np.array([1, 0])

    walked = pipeline(lane("a", ranking((first, 0.9), (second, 0.5))), diversifier=bound("mmr", Factor(turn)))
    assert sandbox.found(sandbox.recall(walked)) == [second, first]
    assert sandbox.found(sandbox.search(walked)) == [first, second]
    stems = [frozenset(map(hash, words)) for words in (("ana", "like", "tea"), ("ben", "run"))]
    assert seen == [([first, second], [0.9, 0.5], stems)]


def test_a_diversifier_cannot_put_a_loser_above_its_winner(sandbox: Sandbox) -> None:
    old = sandbox.remember("one", key="k", created_at=NOW - 9 * DAYS)
    new = sandbox.remember("two", key="k")
    flip = bound("mmr", Factor(lambda request: np.arange(len(request.ids))[::-1].copy()))
    result = sandbox.recall(pipeline(lane("a", ranking((new, 0.9), (old, 0.5))), diversifier=flip))
    assert sandbox.found(result) == [new, old]


def test_the_budget_skips_what_does_not_fit(sandbox: Sandbox) -> None:
    long, longer, short = sandbox.remember("a" * 60), sandbox.remember("b" * 50), sandbox.remember("c" * 40)
    whole = HEADING_LENGTH + 2 * len("\n- [learned] recorded 2026-03-01: ") + 100
    walked = pipeline(
        lane("a", ranking((long, 0.9), (longer, 0.8), (short, 0.7))), settings={"max_context_chars": whole}
    )
    assert len(sandbox.recall(walked).text) == whole
    assert sandbox.found(sandbox.recall(walked, max_context_chars=whole - 1)) == [long]
    assert sandbox.found(sandbox.recall(walked)) == [long, short]
    assert sandbox.found(sandbox.recall(walked, max_context_chars=0)) == [long, longer, short]
    assert sandbox.found(sandbox.search(walked)) == [long, longer, short]


def test_the_notes_name_what_did_not_fit(sandbox: Sandbox) -> None:
    manual, short = sandbox.remember("a" * 4071), sandbox.remember("b")
    walked = pipeline(lane("a", ranking((manual, 0.9), (short, 0.8))), settings={"max_context_chars": 4000})
    (note,) = sandbox.recall(walked).notes
    said = f"1 memory did not fit maxContextChars 4,000: {sandbox.ids[manual]} (4,071 characters); "
    assert note.startswith(said)
    assert sandbox.recall(walked, max_context_chars=0).notes == ()


def test_the_notes_do_not_name_what_would_not_be_in_the_answer_anyway(sandbox: Sandbox) -> None:
    pks = [sandbox.remember("a" * 300), sandbox.remember("b"), sandbox.remember("c" * 300)]
    walked = pipeline(lane("a", ranking(*zip(pks, (0.9, 0.8, 0.7), strict=True))))
    (note,) = sandbox.recall(walked, max_context_chars=200, max_results=2).notes
    assert sandbox.ids[pks[0]] in note
    assert sandbox.ids[pks[2]] not in note


def test_the_pool_is_cut_to_max_results_only_at_the_end(sandbox: Sandbox) -> None:
    pks = [sandbox.remember(f"memory {number}") for number in range(12)]
    found = ranking(*((pk, 0.9 - 0.01 * place) for place, pk in enumerate(pks)))
    lifts_the_last = bound("lift", Factor(lambda request: np.where(request.pool.ids == pks[-1], 2.0, 1.0)))
    result = sandbox.recall(pipeline(lane("a", found), scorers=(lifts_the_last,)), max_results=2)
    assert sandbox.found(result) == [pks[-1], pks[0]]


def test_a_search_has_no_prompt_block(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one")
    result = sandbox.search(pipeline(lane("a", ranking((pk, 0.9)))))
    assert (sandbox.found(result), result.text) == ([pk], "")


# -- what is asked -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\0"])
def test_an_empty_question_is_answered_with_a_note(sandbox: Sandbox, text: str) -> None:
    asked = lane("a", ranking())
    result = sandbox.recall(pipeline(asked), text)
    assert (len(result), result.text, result.notes) == (0, "", ("the question is empty",))
    assert asked.part.asked == []


def test_a_recall_that_is_switched_off_says_so(sandbox: Sandbox) -> None:
    asked = lane("a", ranking())
    result = sandbox.recall(pipeline(asked, settings={"enabled": False}))
    assert (len(result), result.notes) == (0, ("recall is switched off (rag.enabled: false)",))
    assert asked.part.asked == []


def test_a_pipeline_without_lanes_says_so(sandbox: Sandbox) -> None:
    assert sandbox.recall(pipeline()).notes == ("no lane is enabled, so nothing can be found",)


@pytest.mark.parametrize("text", ['"', "a:b", "x AND", "(y", "NEAR(", "*", "^x", "😀", "用户身份", "x" * 4_000])
def test_any_text_is_a_question(sandbox: Sandbox, text: str) -> None:
    asked = lane("a", ranking())
    assert sandbox.recall(pipeline(asked), text).degraded == ()
    assert asked.part.asked[0].query.text == text


def test_any_length_is_a_question(sandbox: Sandbox) -> None:
    asked = lane("a", ranking((sandbox.remember("one"), 0.5)))
    result = sandbox.recall(pipeline(asked), "x" * 100_000)
    assert (len(result), result.degraded) == (1, ())
    assert asked.part.asked[0].query.text == f"{'x' * 1_999}\n{'x' * 1_999}"
    assert "the question is too long" in result.notes[0]


def test_what_no_encoder_can_take_is_replaced(sandbox: Sandbox) -> None:
    asked = lane("a", ranking())
    sandbox.recall(pipeline(asked), "cafe\u0301 \ud800 \0x")
    assert asked.part.asked[0].query.text == "café ?  x"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_results": 0}, "max_results must be a whole number of at least 1"),
        ({"max_results": True}, "max_results"),
        ({"max_results": 2.5}, "max_results"),
        ({"max_context_chars": -1}, "max_context_chars must be a whole number of at least 0"),
        ({"min_score": 1.5}, r"min_score must be a number in 0\.\.1"),
        ({"min_score": float("nan")}, "min_score"),
        ({"min_score": "0.1"}, "min_score"),
        ({"time_zone": "Mars/Olympus"}, "no time zone 'Mars/Olympus'"),
        ({"time_zone": "../etc/passwd"}, "no time zone"),
        ({"time_zone": "Europe"}, "no time zone"),
        ({"text": 7}, "a question is a string, not int"),
        ({"asker": 7}, "the asker is a name or None, not int"),
    ],
)
def test_arguments_out_of_range_are_refused(sandbox: Sandbox, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ComisError, match=words):
        sandbox.recall(pipeline(lane("a", ranking())), **options)


def test_lanes_learn_the_asker_the_zone_and_the_moment(sandbox: Sandbox) -> None:
    sandbox.remember("hello", sender="ben")
    seen: list[Any] = []

    def look(request: Any) -> Ranking:
        seen.append((request.query.asker, request.query.time_zone, request.now, dict(request.scope_view.senders)))
        return Ranking.empty()

    sandbox.recall(pipeline(lane("a", look)), "when?", asker="ana", time_zone="Europe/Lisbon", now=123)
    assert seen == [("ana", "Europe/Lisbon", 123, {"ben": 1})]


@pytest.mark.parametrize("asker", ["José", "Jose\u0301"])
def test_a_sender_is_the_same_however_the_name_is_composed(sandbox: Sandbox, asker: str) -> None:
    pk = sandbox.remember("hello", sender="Jose\u0301")
    assert "another sender" not in sandbox.recall(pipeline(lane("a", ranking((pk, 0.5)))), asker=asker).text


def test_an_empty_name_is_an_unknown_asker(sandbox: Sandbox) -> None:
    pk = sandbox.remember("hello", sender="ana")
    assert "another sender" not in sandbox.recall(pipeline(lane("a", ranking((pk, 0.5)))), asker="").text


def test_the_moment_of_asking_decides_what_has_expired(sandbox: Sandbox) -> None:
    pk = sandbox.remember("one", expires_at=NOW + 2 * DAYS)
    walked = pipeline(lane("all", everything))
    assert sandbox.found(sandbox.recall(walked, now=to_microseconds(NOW + 1 * DAYS))) == [pk]
    assert sandbox.found(sandbox.recall(walked, now=to_microseconds(NOW + 3 * DAYS))) == []


def test_events_of_the_future_and_of_1850_are_scored(sandbox: Sandbox) -> None:
    old = sandbox.remember("old", occurred_at=datetime(1850, 1, 1, tzinfo=UTC))
    future = sandbox.remember("future", occurred_at=NOW + 400 * DAYS)
    result = sandbox.recall(pipeline(lane("a", ranking((old, 0.5), (future, 0.5))), scorers=DOCUMENTED))
    assert [item.factors["event_time"] for item in result] == pytest.approx([1.1, 0.9], abs=1e-4)
    assert "happened 1850-01-01" in result.text


def test_two_recalls_of_the_same_are_identical_apart_from_timings(sandbox: Sandbox) -> None:
    pks = sandbox.remember_all([
        NewMemory(content=f"memory {number % 9}", sender=f"s{number}", trust=list(Trust)[number % 3])
        for number in range(21)
    ])
    found = ranking(*((pk, 0.5) for pk in pks))
    settings = {"include_trust_levels": tuple(Trust)}
    walked = pipeline(lane("a", found), lane("b", everything), scorers=DOCUMENTED, settings=settings)
    first, second = (sandbox.recall(walked, asker="s1", max_results=10) for _ in range(2))
    assert first.items == second.items
    assert first.text == second.text
    assert "<<" in first.text
    assert first.trace.inputs == second.trace.inputs
    assert first.trace.candidates == second.trace.candidates
    assert [{**stage, "milliseconds": 0} for stage in first.trace.stages] == [
        {**stage, "milliseconds": 0} for stage in second.trace.stages
    ]


def test_reading_happens_in_one_snapshot(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    pk = sandbox.remember("one")
    opened: list[Any] = []
    real = sandbox.store.snapshot

    def snapshot(scope: Any, **options: Any) -> Any:
        opened.append(scope)
        return real(scope, **options)

    monkeypatch.setattr(sandbox.store, "snapshot", snapshot)
    sandbox.recall(pipeline(lane("a", ranking((pk, 0.5))), expanders=(lane("b", ranking((pk, 0.5))),)))
    assert opened == [SCOPE]
