"""What happened near a good hit, and how much it claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.graphs import OTHER, SCOPE, World

from comis_core.model import Filters, Trust
from comis_plugins.temporal.expander import CROWD, MOST, QUIETEST, build
from comis_plugins.temporal.options import TemporalOptions

DAY = timedelta(days=1)
MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def claims(world: World, best: Mapping[int, float], *, days: float = 7.0, **how: Any) -> dict[int, float]:
    """What the expander claims when a lane has found `best`."""
    return world.claims(build(None, TemporalOptions(window_days=days)), best, **how)  # type: ignore[arg-type]


# -- the formula -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [-6, -1, 0, 3, 7])
def test_a_neighbour_claims_less_the_further_away_it_lies(world: World, days: int) -> None:
    seed, near = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT + days * DAY)
    assert claims(world, {seed: 0.8}) == {near: pytest.approx(math.exp(-abs(days) / 7))}


@pytest.mark.parametrize("beyond", [timedelta(microseconds=1), 30 * DAY])
def test_what_lies_outside_the_window_claims_nothing(world: World, beyond: timedelta) -> None:
    seed = world.add(occurred_at=MOMENT)
    world.add(occurred_at=MOMENT + 7 * DAY + beyond)
    world.add(occurred_at=MOMENT - 7 * DAY - beyond)
    assert claims(world, {seed: 0.8}) == {}


def test_a_weaker_hit_pulls_less(world: World) -> None:
    best, weak = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT + 100 * DAY)
    near_best, near_weak = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT + 100 * DAY)
    found = claims(world, {best: 0.8, weak: 0.6})
    assert found == {near_best: pytest.approx(1.0), near_weak: pytest.approx(0.6 / 0.8 / math.sqrt(2))}


def test_between_two_hits_the_stronger_pull_counts(world: World) -> None:
    one, other = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT + 10 * DAY)
    between = world.add(occurred_at=MOMENT + 5 * DAY)
    assert claims(world, {one: 0.8, other: 0.7}) == {between: pytest.approx(math.exp(-5 / 7))}


def test_a_hit_earns_nothing_from_itself_and_something_from_another(world: World) -> None:
    one, other = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT)
    found = claims(world, {one: 0.8, other: 0.8})
    assert found == {one: pytest.approx(1.0), other: pytest.approx(1 / math.sqrt(2))} or found == {
        other: pytest.approx(1.0),
        one: pytest.approx(1 / math.sqrt(2)),
    }
    assert claims(world, {one: 0.8}) == {other: pytest.approx(1.0)}


def test_only_the_five_best_hits_pull(world: World) -> None:
    hits = [world.add(occurred_at=MOMENT + 50 * number * DAY) for number in range(6)]
    near = [world.add(occurred_at=MOMENT + 50 * number * DAY) for number in range(6)]
    found = claims(world, dict.fromkeys(hits, 0.9))
    # Of equal hits the newer five are the best.
    assert set(found) == set(near[1:])


def test_in_a_crowd_everybody_claims_a_share_and_only_the_nearest_do(world: World) -> None:
    seed = world.add(occurred_at=MOMENT)
    near = [world.add(occurred_at=MOMENT + number * timedelta(hours=1)) for number in range(1, 17)]
    found = claims(world, {seed: 0.8})
    assert list(found) == near[:CROWD]
    assert found[near[0]] == pytest.approx(CROWD / 16 * math.exp(-1 / 24 / 7))


def test_a_moment_at_which_everything_happened_says_nothing(world: World) -> None:
    seed = world.add(occurred_at=MOMENT)
    for _ in range(int(CROWD / QUIETEST) + 1):
        world.add(occurred_at=MOMENT)
    assert claims(world, {seed: 0.8}) == {}


def test_no_claim_is_quieter_than_a_quarter(world: World) -> None:
    best, weak = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT + 100 * DAY)
    world.add(occurred_at=MOMENT + 100 * DAY)
    assert claims(world, {best: 0.9, weak: 0.9 * QUIETEST}) == {}


def test_all_hits_together_bring_in_few(world: World) -> None:
    hits = [world.add(occurred_at=MOMENT + 50 * number * DAY) for number in range(5)]
    for number in range(5):
        for hour in range(4):
            world.add(occurred_at=MOMENT + 50 * number * DAY + timedelta(hours=hour))
    assert len(claims(world, dict.fromkeys(hits, 0.9))) == MOST


def test_the_limit_is_kept_and_the_best_come_first(world: World) -> None:
    seed = world.add(occurred_at=MOMENT)
    near = [world.add(occurred_at=MOMENT + number * DAY) for number in range(1, 5)]
    assert list(claims(world, {seed: 0.8}, limit=2)) == near[:2]


def test_among_equals_what_the_lanes_found_comes_first(world: World) -> None:
    seed, known, unknown = (world.add(occurred_at=MOMENT + days * DAY) for days in (0, 1, -1))
    assert list(claims(world, {seed: 0.8, known: 0.001})) == [known, unknown]


# -- nothing to go by --------------------------------------------------------------------------------------------------


def test_without_hits_there_is_nothing(world: World) -> None:
    world.add(occurred_at=MOMENT)
    assert claims(world, {}) == {}


def test_in_an_empty_file_there_is_nothing(world: World) -> None:
    assert claims(world, {}) == {}


def test_without_event_times_there_is_nothing(world: World) -> None:
    seed = world.add(created_at=MOMENT)
    world.add(created_at=MOMENT)
    assert claims(world, {seed: 0.8}) == {}


def test_a_hit_without_a_date_leaves_the_others_their_neighbours(world: World) -> None:
    undated, dated = world.add(), world.add(occurred_at=MOMENT)
    near = world.add(occurred_at=MOMENT)
    assert claims(world, {undated: 0.9, dated: 0.9}) in (
        {near: pytest.approx(1.0)},
        {near: pytest.approx(1 / math.sqrt(2))},
    )


# -- unusual dates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1850, 6, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, tzinfo=UTC),
        datetime(2024, 2, 29, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
    ],
    ids=["year 1", "1850", "before the epoch", "leap day", "9999"],
)
def test_any_date_has_neighbours(world: World, moment: datetime) -> None:
    seed, same = world.add(occurred_at=moment), world.add(occurred_at=moment)
    world.add(occurred_at=MOMENT)
    assert claims(world, {seed: 0.8}) == {same: pytest.approx(1.0)}


def test_the_day_after_a_leap_day_is_one_day_away(world: World) -> None:
    leap = datetime(2024, 2, 29, tzinfo=UTC)
    seed, after = world.add(occurred_at=leap), world.add(occurred_at=datetime(2024, 3, 1, tzinfo=UTC))
    assert claims(world, {seed: 0.8}) == {after: pytest.approx(math.exp(-1 / 7))}


def test_a_window_of_no_days_is_the_same_moment(world: World) -> None:
    seed, same = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT)
    world.add(occurred_at=MOMENT + timedelta(microseconds=1))
    assert claims(world, {seed: 0.8}, days=0.0) == {same: pytest.approx(1.0)}


def test_a_window_without_end_holds_all_times(world: World) -> None:
    seed, ancient = world.add(occurred_at=MOMENT), world.add(occurred_at=datetime(1, 1, 1, tzinfo=UTC))
    found = claims(world, {seed: 0.8}, days=1e300)
    assert set(found) == {ancient}


@pytest.mark.parametrize("days", [-1.0, -0.001])
def test_a_window_of_less_than_no_days_is_refused(days: float) -> None:
    with pytest.raises(ValueError, match="window_days"):
        TemporalOptions(window_days=days)


# -- what may be seen --------------------------------------------------------------------------------------------------


def test_hidden_neighbours_neither_claim_nor_make_a_crowd(world: World) -> None:
    seed, seen = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT)
    for _ in range(CROWD):
        world.add(occurred_at=MOMENT, trust=Trust.EXTERNAL)
        world.store.evict(SCOPE, [world.id(world.add(occurred_at=MOMENT))])
        world.add(occurred_at=MOMENT, expires_at=world.clock.now() - DAY)
        world.add(occurred_at=MOMENT, scope=OTHER)
    allowed = Filters(trust=frozenset({Trust.LEARNED}))
    assert claims(world, {seed: 0.8}, filters=allowed) == {seen: pytest.approx(1.0)}


def test_as_of_an_earlier_moment_the_versions_of_then_are_neighbours(world: World) -> None:
    seed, moved = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT)
    then = world.clock.now()
    world.clock.advance(DAY)
    world.store.update(SCOPE, world.id(moved), occurred_at=MOMENT + 400 * DAY)
    world.add(occurred_at=MOMENT)
    found = claims(world, {seed: 0.8}, filters=Filters(record_as_of=then))
    assert found == {moved: pytest.approx(1.0)}


def test_what_happened_after_the_moment_asked_for_is_no_neighbour(world: World) -> None:
    seed, before = world.add(occurred_at=MOMENT), world.add(occurred_at=MOMENT - DAY)
    world.add(occurred_at=MOMENT + DAY)
    found = claims(world, {seed: 0.8}, filters=Filters(event_as_of=MOMENT))
    assert set(found) == {before}


@pytest.mark.parametrize(
    "filters",
    [Filters(), Filters(trust=frozenset({Trust.LEARNED, Trust.SYSTEM})), Filters(event_as_of=MOMENT + DAY)],
    ids=["no filter", "trust", "event time"],
)
def test_neighbours_are_read_from_the_index_over_event_times(world: World, filters: Filters) -> None:
    from comis_plugins.temporal import expander

    world.add(occurred_at=MOMENT)
    with world.snapshot(filters) as reader:
        for sql in (expander._AFTER, expander._BEFORE):
            plan = [row[3] for row in reader.execute(f"EXPLAIN QUERY PLAN {sql}", (0, 1, 10))]
            steps = [step for step in plan if "recall_parameters" not in step and "SUBQUERY" not in step]
            assert steps == ["SEARCH m USING INDEX memories_occurred (scope=? AND occurred_at>? AND occurred_at<?)"]
