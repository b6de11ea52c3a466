"""What times a question names; it is asked on Wednesday, 13 March 2024, at half past three in the afternoon, UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.model import from_microseconds, to_microseconds
from comis_plugins.query_understanding.times import time_window

NOW = datetime(2024, 3, 13, 15, 30, tzinfo=UTC)


def days(text: str, zone: str = "UTC", now: datetime = NOW) -> tuple[str | None, str | None] | None:
    """First day and the day after the last, in the asker's zone."""
    window = time_window(text, now=to_microseconds(now), zone=ZoneInfo(zone), zone_name=zone)
    if window is None:
        return None

    def shown(edge: int | None) -> str | None:
        if edge is None:
            return None
        moment = from_microseconds(edge).astimezone(ZoneInfo(zone))
        assert (moment.hour, moment.minute, moment.second) == (0, 0, 0)
        return moment.date().isoformat()

    return shown(window.start), shown(window.end)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        # stated days
        ("What happened on 5 May 2023?", "2023-05-05", "2023-05-06"),
        ("What happened on the 5th of May 2023?", "2023-05-05", "2023-05-06"),
        ("What happened on the 5th of May?", "2023-05-05", "2023-05-06"),
        ("on the fifth of May", "2023-05-05", "2023-05-06"),
        ("on May 5, 2023", "2023-05-05", "2023-05-06"),
        ("on May 5th", "2023-05-05", "2023-05-06"),
        ("on Feb. 3", "2024-02-03", "2024-02-04"),
        ("on 14 March", "2023-03-14", "2023-03-15"),
        ("on 13 March", "2024-03-13", "2024-03-14"),
        ("on December 1,2023", "2023-12-01", "2023-12-02"),
        ("on 29 February 2024", "2024-02-29", "2024-03-01"),
        ("what did i do may 5", "2023-05-05", "2023-05-06"),
        ("Sunday, 25 October 2022", "2022-10-25", "2022-10-26"),
        ("on 2023-05-08", "2023-05-08", "2023-05-09"),
        ("at 2023-05-08T10:00:00Z", "2023-05-08", "2023-05-09"),
        ("on 2023/05/08", "2023-05-08", "2023-05-09"),
        ("on 8.5.2023", "2023-05-08", "2023-05-09"),
        ("on 8/5/2023", "2023-05-08", "2023-05-09"),
        ("on 5/13/2023", "2023-05-13", "2023-05-14"),
        ("on 8/5/23", "2023-05-08", "2023-05-09"),
        ("on 8/5/85", "1985-05-08", "1985-05-09"),
        ("2023年5月8日に何をした", "2023-05-08", "2023-05-09"),
        ("el 8 de mayo de 2023", "2023-05-08", "2023-05-09"),
        ("am 8. Mai 2023", "2023-05-08", "2023-05-09"),
        ("le 1er juillet 2023", "2023-07-01", "2023-07-02"),
        ("8 мая 2023", "2023-05-08", "2023-05-09"),
        ("on the 5th", "2024-03-05", "2024-03-06"),
        ("on the 31st", "2024-01-31", "2024-02-01"),
        # months, seasons, years
        ("What happened in May 2023?", "2023-05-01", "2023-06-01"),
        ("in May '22", "2022-05-01", "2022-06-01"),
        ("in may", "2023-05-01", "2023-06-01"),
        ("in March", "2024-03-01", "2024-04-01"),
        ("mid-May 2022", "2022-05-01", "2022-06-01"),
        ("What happened last March?", "2023-03-01", "2023-04-01"),
        ("last February", "2024-02-01", "2024-03-01"),
        ("this May", "2024-05-01", "2024-06-01"),
        ("next May", "2024-05-01", "2024-06-01"),
        ("my October trip", "2023-10-01", "2023-11-01"),
        ("2023-05", "2023-05-01", "2023-06-01"),
        ("2023年5月", "2023-05-01", "2023-06-01"),
        ("2023年", "2023-01-01", "2024-01-01"),
        ("in summer 2021", "2021-06-01", "2021-09-01"),
        ("the winter of 2021", "2021-12-01", "2022-03-01"),
        ("last summer", "2023-06-01", "2023-09-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("late 2022", "2022-01-01", "2023-01-01"),
        ("in 1850", "1850-01-01", "1851-01-01"),
        ("in 2099", "2099-01-01", "2100-01-01"),
        # from today
        ("today", "2024-03-13", "2024-03-14"),
        ("What did I do yesterday?", "2024-03-12", "2024-03-13"),
        ("tomorrow", "2024-03-14", "2024-03-15"),
        ("the day before yesterday", "2024-03-11", "2024-03-12"),
        ("the day after tomorrow", "2024-03-15", "2024-03-16"),
        ("last night", "2024-03-12", "2024-03-14"),
        ("this morning", "2024-03-13", "2024-03-14"),
        ("three days ago", "2024-03-10", "2024-03-11"),
        ("20 hours ago", "2024-03-12", "2024-03-13"),
        ("two weeks ago", "2024-02-25", "2024-03-04"),
        ("a month ago", "2024-01-29", "2024-02-28"),
        ("four years ago", "2019-09-13", "2020-09-14"),
        ("a few days ago", "2024-03-08", "2024-03-12"),
        ("a couple of weeks ago", "2024-02-21", "2024-03-04"),
        ("2 weeks from now", "2024-03-23", "2024-03-31"),
        ("last week", "2024-03-04", "2024-03-11"),
        ("this week", "2024-03-11", "2024-03-18"),
        ("next week", "2024-03-18", "2024-03-25"),
        ("the past week", "2024-03-06", "2024-03-14"),
        ("last month", "2024-02-01", "2024-03-01"),
        ("this quarter", "2024-01-01", "2024-04-01"),
        ("last quarter", "2023-10-01", "2024-01-01"),
        ("last year", "2023-01-01", "2024-01-01"),
        ("this year", "2024-01-01", "2025-01-01"),
        ("the past year", "2023-03-13", "2024-03-14"),
        ("last decade", "2010-01-01", "2020-01-01"),
        ("in the last three months", "2023-12-13", "2024-03-14"),
        ("the next 10 days", "2024-03-13", "2024-03-24"),
        ("last weekend", "2024-03-09", "2024-03-11"),
        ("over the weekend", "2024-03-09", "2024-03-11"),
        ("this weekend", "2024-03-16", "2024-03-18"),
        ("on Monday", "2024-03-11", "2024-03-12"),
        ("on Wednesday", "2024-03-13", "2024-03-14"),
        ("last Wednesday", "2024-03-06", "2024-03-07"),
        ("last Friday", "2024-03-08", "2024-03-09"),
        ("this Friday", "2024-03-15", "2024-03-16"),
        ("next Friday", "2024-03-15", "2024-03-16"),
        ("next Wednesday", "2024-03-20", "2024-03-21"),
        # ranges and open ends
        ("between 3 May and 7 June 2023", "2023-05-03", "2023-06-08"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("between March and May 2023", "2023-03-01", "2023-06-01"),
        ("from 2019 to 2021", "2019-01-01", "2022-01-01"),
        ("from November to February", "2023-11-01", "2024-03-01"),
        ("5-7 May 2023", "2023-05-05", "2023-05-08"),
        ("May 5 to 7, 2023", "2023-05-05", "2023-05-08"),
        ("2023-05-05 – 2023-05-07", "2023-05-05", "2023-05-08"),
        ("in June or July", "2023-06-01", "2023-08-01"),
        ("before May 2023", None, "2023-05-01"),
        ("prior to 5 May 2023", None, "2023-05-05"),
        ("until June 2023", None, "2023-07-01"),
        ("by 10 July 2022", None, "2022-07-11"),
        ("after 5 May 2023", "2023-05-06", None),
        ("since 2022", "2022-01-01", None),
        ("since last Monday", "2024-03-11", None),
        ("after 5 May 2023 and before 7 June 2023", "2023-05-06", "2023-06-07"),
        ("the week before August 3, 2023", "2023-07-27", "2023-08-04"),
        ("two weeks before 11 August 2023", "2023-07-28", "2023-08-12"),
        ("three days after 11 August 2023", "2023-08-11", "2023-08-15"),
        ("the Sunday before October 25, 2022", "2022-10-23", "2022-10-26"),
        ("the Friday after October 25, 2022", "2022-10-25", "2022-10-29"),
        ("photos from May 2023", "2023-05-01", "2023-06-01"),
        ("last week, as mentioned on November 6, 2023", "2023-11-06", "2023-11-07"),
        ("on 6 November in his trip of 2023", "2023-11-06", "2023-11-07"),
        # looking ahead
        ("What will we do on Friday?", "2024-03-15", "2024-03-16"),
        ("What is planned for December?", "2024-12-01", "2025-01-01"),
        ("What was planned for December?", "2023-12-01", "2024-01-01"),
        ("I'm going to Rome on 5 May, when exactly?", "2024-05-05", "2024-05-06"),
        ("What will happen on the 5th?", "2024-04-05", "2024-04-06"),
    ],
)
def test_what_is_named(text: str, first: str | None, after: str | None) -> None:
    assert days(text) == (first, after)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Where does Ana live?",
        "May I ask something?",
        "It may be 2 or 3 times.",
        "At 5 may come, at most.",
        "They march in the parade.",
        "March on Washington",
        "She sat in the sun and fell in the fall.",
        "Who is June? And August?",
        "every Monday",
        "Since when does Ana live here?",
        "She won 3 to 5 games.",
        "version 1.2.2023.4",
        "the number 555-12-2023",
        "on 30 February 2023",
        "on 31/31/2023",
        "in the year 0000",
        "0000-01-01",
        "10000 years ago",
        "9999 decades from now",
        "the Mars 2020 rover",
        "over 2000 people",
        "before lunch, after work",
        "the last book and the next one",
        "12:30",
    ],
)
def test_what_names_no_time(text: str) -> None:
    assert days(text) is None


def test_the_calendar_ends_in_an_open_window() -> None:
    assert days("on 9999-12-31") == ("9999-12-31", None)


def test_the_day_is_the_askers() -> None:
    late = datetime(2024, 3, 13, 23, 30, tzinfo=UTC)
    assert days("today", "Europe/Lisbon", late) == ("2024-03-13", "2024-03-14")
    assert days("today", "Asia/Tokyo", late) == ("2024-03-14", "2024-03-15")
    assert days("yesterday", "America/Los_Angeles", late) == ("2024-03-12", "2024-03-13")


def test_a_day_has_the_length_that_it_has_there() -> None:
    zone = ZoneInfo("Europe/Berlin")
    window = time_window("on 31 March 2024", now=to_microseconds(NOW), zone=zone, zone_name="Europe/Berlin")
    assert window is not None
    assert window.start is not None
    assert window.end is not None
    assert window.end - window.start == 23 * 3_600_000_000


@pytest.mark.parametrize(
    ("zone", "first"), [("UTC", "2023-05-08"), ("Europe/London", "2023-05-08"), ("America/New_York", "2023-08-05")]
)
def test_which_number_is_the_month_depends_on_the_zone(zone: str, first: str) -> None:
    found = days("on 8/5/2023", zone)
    assert found is not None
    assert found[0] == first


def test_summer_is_in_january_south_of_the_equator() -> None:
    assert days("last summer", "Pacific/Auckland") == ("2023-12-01", "2024-03-01")


@pytest.mark.parametrize("hard", [False, True])
def test_the_window_is_hard_only_when_asked(hard: bool) -> None:
    window = time_window("in May 2023", now=to_microseconds(NOW), zone=UTC, zone_name="UTC", hard=hard)
    assert window is not None
    assert window.hard is hard


@pytest.mark.parametrize("now", [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)])
@pytest.mark.parametrize("text", ["last year", "next year", "a decade ago", "in May", "on the 31st", "next weekend"])
def test_at_the_ends_of_the_calendar_nothing_breaks(text: str, now: datetime) -> None:
    found = days(text, now=now)
    assert found is None or found != (None, None)


@pytest.mark.parametrize("text", ["yesterday", "on Friday", "in May", "last year"])
def test_where_the_calendar_is_over_for_the_asker_nothing_is_named(text: str) -> None:
    now = datetime.max.replace(tzinfo=UTC)
    assert time_window(text, now=to_microseconds(now), zone=ZoneInfo("Pacific/Kiritimati"), zone_name="") is None


WORDS = (
    "before after since until between and from to in on the last next this may May march 5 12 31 2023 2023-05-08 "
    "8/5/2023 week month year day days ago Monday yesterday weekend summer , - th of June December first a few "
    "年 月 日 9999 0"
)
PIECES = st.sampled_from(WORDS.split(" "))


@given(words=st.lists(PIECES, max_size=10), year=st.integers(1, 9999))
def test_any_question_has_a_window_in_order_or_none(words: list[str], year: int) -> None:
    now = to_microseconds(datetime(year, 6, 15, 12, tzinfo=UTC))
    window = time_window(" ".join(words), now=now, zone=ZoneInfo("America/Sao_Paulo"), zone_name="America/Sao_Paulo")
    if window is not None:
        assert (window.start, window.end) != (None, None)
        assert window.start is None or window.end is None or window.start < window.end


def test_a_question_that_contradicts_itself_has_no_window() -> None:
    now = to_microseconds(datetime(2024, 6, 15, 12, tzinfo=UTC))
    assert time_window("before may after may", now=now, zone=UTC, zone_name="UTC") is None


@given(text=st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    window = time_window(text, now=to_microseconds(NOW), zone=UTC, zone_name="UTC")
    assert window is None or (window.start, window.end) != (None, None)
