"""Who said a memory and on which day, as indexes over words have it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from comis_core.fields import day, speaker, written
from comis_core.model import Memory, MemoryType, Scope, Trust

RECORDED = datetime(2026, 3, 1, 12, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    fixed: dict[str, Any] = {"type": MemoryType.SEMANTIC, "trust": Trust.LEARNED}
    return Memory(id="x", scope=Scope("t", "a"), content="c", created_at=RECORDED, opened_at=RECORDED, **fixed | fields)


@pytest.mark.parametrize(("sender", "name"), [("Ana", "Ana"), ("User", ""), ("assistant", ""), (None, ""), ("", "")])
def test_a_role_is_no_speaker(sender: str | None, name: str) -> None:
    assert speaker(memory(sender=sender)) == name


def test_the_day_is_the_events_in_utc() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
    assert day(memory(occurred_at=late)) == date(2023, 5, 9)


def test_the_records_day_counts_only_if_somebody_gave_it() -> None:
    assert day(memory()) is None
    assert day(memory(created_given=True)) == date(2026, 3, 1)


def test_a_day_is_written_as_people_write_it() -> None:
    assert written(date(2023, 5, 8)) == "8 May 2023"
