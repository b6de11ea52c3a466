"""What of a memory is embedded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from comis_core.embedding.template import TextTemplate
from comis_core.errors import ConfigError
from comis_core.model import Memory, MemoryType, Scope, Trust

DAY = datetime(2023, 5, 8, 13, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    base: dict[str, Any] = {
        "id": "0", "scope": Scope("t", "a"), "content": "I moved.", "type": MemoryType.SEMANTIC, "trust": Trust.LEARNED,
        "created_at": DAY, "opened_at": DAY,
    }  # fmt: skip
    return Memory(**base | fields)


@pytest.mark.parametrize(
    ("pattern", "fields", "text"),
    [
        ("{content}", {"sender": "Ana", "title": "News"}, "I moved."),
        ("{sender}: {content}", {"sender": "Ana"}, "Ana: I moved."),
        ("{sender}: {content}", {}, "I moved."),
        ("{date} | {sender}: {content}", {"occurred_at": DAY, "sender": "Ana"}, "8 May 2023 | Ana: I moved."),
        ("{date} | {sender}: {content}", {"occurred_at": DAY}, "8 May 2023 | I moved."),
        ("{date} | {sender}: {content}", {"sender": "Ana"}, "Ana: I moved."),
        ("{date}. {content}", {"created_given": True}, "8 May 2023. I moved."),
        ("{title}\n{content}", {"title": "News"}, "News\nI moved."),
        ("passage: {content}", {}, "passage: I moved."),
        ("{content} {content}", {"content": "{sender}"}, "{sender} {sender}"),
    ],
)
def test_a_field_that_is_absent_takes_its_literal_along(pattern: str, fields: dict[str, Any], text: str) -> None:
    assert TextTemplate(pattern).render(memory(**fields)) == text


def test_the_stores_own_stamp_is_no_date() -> None:
    assert TextTemplate("{date}. {content}").render(memory()) == "I moved."


def test_the_date_is_the_day_in_utc() -> None:
    late = datetime(2023, 5, 8, 23, tzinfo=timezone(timedelta(hours=-8)))
    assert TextTemplate("{date} {content}").render(memory(occurred_at=late)) == "9 May 2023 I moved."


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no field 'speaker'.*content, title, sender, date"):
        TextTemplate("{speaker}: {content}")


@pytest.mark.parametrize("pattern", ["", "{title}", "content"])
def test_a_template_without_content_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"lacks \{content\}"):
        TextTemplate(pattern)


def test_equal_patterns_are_equal_templates() -> None:
    assert TextTemplate("{content}") == TextTemplate()
    assert TextTemplate("{sender} {content}").fingerprint == "|text={sender} {content}"
