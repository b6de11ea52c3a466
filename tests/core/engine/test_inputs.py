"""Natural and wrong arguments of the facade."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import comis_core
from comis_core.errors import ComisError
from comis_core.model import Filters, MemoryType, Trust


@pytest.mark.parametrize("words", [{"launch"}, ["launch"], ("launch",), frozenset({"launch"})])
def test_a_filter_takes_any_collection_of_words(words: Any) -> None:
    assert Filters(tags=words).tags == frozenset({"launch"})


def test_a_filter_takes_words_for_enums() -> None:
    found = Filters(trust=["learned"], types={"semantic"})  # type: ignore[arg-type]
    assert (found.trust, found.types) == ({Trust.LEARNED}, {MemoryType.SEMANTIC})


@pytest.mark.parametrize(
    "wrong",
    [{"tags": "launch"}, {"trust": "learned"}, {"types": ["odd"]}, {"tags": [1]}, {"since": 1}, {"tags": 5}],
)
def test_a_filter_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ComisError, match="filter"):
        Filters(**wrong)


@pytest.mark.parametrize("wrong", [{"filters": 1}, {"now": 1}])
def test_a_question_with_wrong_arguments_is_refused(engine: comis_core.Engine, wrong: dict[str, Any]) -> None:
    with pytest.raises(ComisError):
        engine.agent().recall("x", **wrong)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
    ],
)
@pytest.mark.parametrize("field", ["occurred_at", "created_at", "expires_at"])
def test_a_moment_that_utc_cannot_show_is_refused(engine: comis_core.Engine, field: str, moment: datetime) -> None:
    agent = engine.agent()
    with pytest.raises(ComisError, match="1 to 9999"):
        agent.store("hello", **{field: moment})
    agent.store("zebra", occurred_at=datetime(1, 1, 1, tzinfo=UTC))
    assert len(agent.recall("zebra")) == 1
