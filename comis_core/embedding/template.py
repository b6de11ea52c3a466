"""What of a memory is embedded: its content, and if wanted its date, title and sender in front."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import attrs

from comis_core.errors import ConfigError
from comis_core.model import Memory

FIELDS = ("content", "title", "sender", "date")

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

_PLACE = re.compile(r"\{([^{}]*)\}")


def _pieces(pattern: str) -> tuple[tuple[str, str], ...]:
    """(field, the literal that follows it); the literal before the first field belongs to the empty field."""
    parts = _PLACE.split(pattern)
    pieces = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    unknown = sorted({field for field, _ in pieces[1:]} - set(FIELDS))
    if unknown:
        raise ConfigError(
            f"the embedding template {pattern!r} has no field {unknown[0]!r}", hint=f"fields: {', '.join(FIELDS)}"
        )
    if "content" not in parts[1::2]:
        raise ConfigError(f"the embedding template {pattern!r} lacks {{content}}", hint="nothing would be told apart")
    return tuple(pieces)


@attrs.frozen
class TextTemplate:
    """A pattern such as "{date} | {sender}: {content}".

    Fields are content, title, sender and date (event time, else a record time that the caller gave, as in 8 May 2023).
    The literal after a field belongs to it: when a memory lacks the field, both are left out.

    Raises:
        ConfigError: an unknown field, or no {content}.
    """

    pattern: str = "{content}"
    _parts: tuple[tuple[str, str], ...] = attrs.field(init=False, repr=False, eq=False)

    @_parts.default
    def _split(self) -> tuple[tuple[str, str], ...]:
        return _pieces(self.pattern)

    @property
    def fingerprint(self) -> str:
        """What the template adds to an embedder's fingerprint: nothing as long as it is the content alone."""
        return "" if self.pattern == "{content}" else f"|text={self.pattern}"

    def render(self, memory: Memory) -> str:
        """The text to embed."""
        values = _values(memory)
        return "".join(
            values[field] + literal if field else literal
            for field, literal in self._parts
            if not field or values[field]
        ).strip()


def _values(memory: Memory) -> Mapping[str, str]:
    moment = memory.occurred_at or (memory.created_at if memory.created_given else None)
    return {
        "content": memory.content,
        "title": memory.title or "",
        "sender": memory.sender or "",
        "date": "" if moment is None else _day(moment.astimezone(UTC)),
    }


def _day(moment: datetime) -> str:
    """As people write it in English, whatever the machine's locale: 8 May 2023."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
