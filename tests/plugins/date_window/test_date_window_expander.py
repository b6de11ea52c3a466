"""Memories from the time that a question names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import attrs
import pytest

from comis_core.model import Filters, NewMemory, Query, Ranking, Scope, TimeWindow, Trust, to_microseconds
from comis_plugins.date_window import comis_expanders
from comis_plugins.date_window.expander import BROUGHT, build
from comis_plugins.date_window.options import DateWindowOptions


def day(year: int, month: int = 1, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def during(first: datetime | None, after: datetime | None, *, hard: bool = False) -> Query:
    edges = [None if moment is None else to_microseconds(moment) for moment in (first, after)]
    return attrs.evolve(Query.of("?"), time_window=TimeWindow(start=edges[0], end=edges[1], hard=hard))


MAY = during(day(2023, 5), day(2023, 6))


def ask(talk: Any, query: Query = MAY, **arguments: Any) -> Ranking:
    return talk.expand(talk.part(build, DateWindowOptions()), query, **arguments)


def test_a_candidate_inside_the_window_claims_everything_and_the_others_nothing(talk: Any) -> None:
    inside, outside = talk.add(
        NewMemory(content="a", created_at=day(2023, 5, 8)), NewMemory(content="b", created_at=day(2023, 6, 8))
    )
    talk.lanes = {"lexical": {inside: 0.1, outside: 1.0}}
    ranking = ask(talk)
    assert list(ranking.ids) == [inside]
    assert list(ranking.scores) == [1.0]
    assert ranking.claims is not None
    assert list(ranking.claims.at(ranking.claims.ids)) == [1.0]


def test_the_event_time_goes_before_the_record_time(talk: Any) -> None:
    happened, told = talk.add(
        NewMemory(content="a", created_at=day(2024), occurred_at=day(2023, 5, 8)),
        NewMemory(content="b", created_at=day(2023, 5, 8), occurred_at=day(2022)),
    )
    talk.lanes = {"lexical": {happened: 1.0, told: 1.0}}
    assert list(ask(talk).ids) == [happened]


def test_the_window_has_its_beginning_and_not_its_end(talk: Any) -> None:
    first, last, after = talk.add(
        *(
            NewMemory(content=str(moment), created_at=moment)
            for moment in (day(2023, 5), day(2023, 5, 31), day(2023, 6))
        )
    )
    talk.lanes = {"lexical": dict.fromkeys((first, last, after), 1.0)}
    assert sorted(ask(talk).ids) == [first, last]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (during(None, day(1900)), {1850}),
        (during(day(2100), None), {2199}),
        (during(day(1850), day(2200)), {1850, 2023, 2199}),
    ],
    ids=["before 1900", "after 2100", "all of them"],
)
def test_open_windows_and_dates_long_ago_and_far_ahead(talk: Any, query: Query, wanted: set[int]) -> None:
    years = (1850, 2023, 2199)
    pks = talk.add(*(NewMemory(content=str(year), occurred_at=day(year, 3)) for year in years))
    talk.lanes = {"lexical": dict.fromkeys(pks, 1.0)}
    by_pk = dict(zip(pks, years, strict=True))
    assert {by_pk[pk] for pk in ask(talk, query).ids.tolist()} == wanted


def test_without_a_window_nothing_is_claimed(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.add(NewMemory(content="a", created_at=day(2023, 5, 8))), 1.0)}
    assert len(ask(talk, Query.of("?"))) == 0


def test_a_hard_window_is_a_filter_already(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.add(NewMemory(content="a", created_at=day(2023, 5, 8))), 1.0)}
    assert len(ask(talk, during(day(2023, 5), day(2023, 6), hard=True))) == 0


def test_memories_of_the_window_that_no_lane_found_are_brought_in(talk: Any) -> None:
    found, missed, other = talk.add(
        NewMemory(content="a", created_at=day(2023, 5, 8)),
        NewMemory(content="b", occurred_at=day(2023, 5, 9)),
        NewMemory(content="c", created_at=day(2023, 7, 9)),
    )
    talk.lanes = {"lexical": {found: 1.0}}
    ranking = ask(talk)
    assert list(ranking.ids) == [found, missed]
    assert other not in ranking.ids
    assert list(ask(talk, limit=1).ids) == [found]


def test_of_many_the_ones_that_lanes_claim_most_for_are_brought_in(talk: Any) -> None:
    pks = talk.add(*(NewMemory(content=f"note {n}", created_at=day(2023, 5, 1 + n % 28)) for n in range(60)))
    talk.lanes = {"lexical": {pk: 0.01 * place for place, pk in enumerate(pks)}}
    assert list(ask(talk, limit=3).ids) == pks[:-4:-1]


def test_a_wide_window_brings_in_its_newest(talk: Any) -> None:
    old, *_ = talk.add(*(NewMemory(content=f"note {n}", created_at=day(2022 + (n > 0), 5)) for n in range(BROUGHT + 5)))
    ranking = ask(talk, during(day(2000), day(2024)), limit=1000)
    assert len(ranking) == BROUGHT
    assert old not in ranking.ids


def test_nothing_hidden_and_nothing_foreign_is_brought_in(talk: Any) -> None:
    (shown, _) = talk.add(
        NewMemory(content="a", created_at=day(2023, 5, 8)),
        NewMemory(content="b", created_at=day(2023, 5, 8), trust=Trust.EXTERNAL),
    )
    talk.add(NewMemory(content="c", created_at=day(2023, 5, 8)), scope=Scope("rival", "helper"))
    assert list(ask(talk, filters=Filters(trust=frozenset({Trust.LEARNED}))).ids) == [shown]


def test_an_empty_scope_is_no_error(talk: Any) -> None:
    assert len(ask(talk)) == 0


def test_the_expander_is_off_unless_asked_for() -> None:
    (spec,) = comis_expanders()
    assert (spec.name, spec.order, spec.sections[0].path) == ("date_window", 40, "rag.lanes.dateWindow")
    assert (DateWindowOptions().enabled, DateWindowOptions().weight) == (False, 0.5)
