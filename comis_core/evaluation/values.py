"""Single values of evaluation data; each function raises ValueError that begins with the name of the field."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from comis_core.config import did_you_mean
from comis_core.errors import shown
from comis_core.model import INTENTS
from comis_core.text import check_text


def a_name(field: str, value: Any) -> str:
    """An id: text, or a whole number in digits."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{field} must be an id, which is text or a whole number, not {shown(value)}")
    return a_text(field, value) if isinstance(value, str) else str(value)


def names(field: str, values: Any) -> tuple[str, ...]:
    """A list of ids."""
    if not isinstance(values, list):
        raise ValueError(f"{field}: a list of ids is needed, not {shown(values)}")
    return tuple(a_name(f"{field}[{index}]", value) for index, value in enumerate(values))


def a_text(field: str, value: Any) -> str:
    """Text that can be stored and asked."""
    if not isinstance(value, str):
        raise ValueError(f"{field} must be text, not {shown(value)}")
    try:
        check_text(value)
    except ValueError as error:
        raise ValueError(f"{field} has {error}") from None
    return value


def a_question(field: str, value: Any) -> str:
    """Text that asks something."""
    if not a_text(field, value).strip():
        raise ValueError(f"{field} is empty")
    return str(value)


def an_intent(field: str, value: Any) -> str:
    """The name of a kind of question. A plugin may bring its own, but not one that looks like a slip of the pen."""
    word = a_text(field, value)
    guess = None if word in INTENTS else did_you_mean(word, INTENTS)
    if guess is not None:
        raise ValueError(f"{field}: {shown(word)} is no intent; did you mean {guess!r}? (known: {', '.join(INTENTS)})")
    return word


def a_text_or_none(field: str, value: Any) -> str | None:
    """Text, or nothing."""
    return None if value is None else a_text(field, value)


def a_share(field: str, value: Any) -> float:
    """A number in 0..1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{field} must be a finite number, not {shown(value)}")
    if not 0 <= value <= 1:
        raise ValueError(f"{field} must lie in 0..1, not {shown(value)}")
    return float(value)


def a_moment(field: str, value: Any) -> datetime | None:
    """An ISO date or time, UTC where it has no zone; None for nothing."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{field} must be an ISO date or time, not {shown(value)}")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f"{field}: {error}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
