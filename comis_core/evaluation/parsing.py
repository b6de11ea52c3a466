"""From rows of evaluation data to what they say; every value is judged here, where file and line are known.

What is wrong is a ValueError that names the field, or a refusal by the rules of the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs

from comis_core.errors import ComisError, shown
from comis_core.evaluation.data import UNCATEGORISED, Eviction, Pointer, Question, ReportedTurn, Revision
from comis_core.evaluation.rows import Shape
from comis_core.evaluation.values import (
    a_moment,
    a_name,
    a_question,
    a_share,
    a_text,
    a_text_or_none,
    an_intent,
    names,
)
from comis_core.model import Annotation, MemoryType, NewMemory, Trust, to_microseconds
from comis_core.store.validation import checked

VERSION_FIELDS = (
    "content", "title", "type", "trust", "sender", "session", "turn", "tags", "key", "occurred_at", "expires_at",
    "proof_count", "confidence",
)  # fmt: skip
"""What a row with `updates` may change."""

MEMORIES = Shape(
    called="memories",
    required=("id",),
    optional=(*VERSION_FIELDS, "created_at", "annotations", "supersedes", "evicted_at", "updates"),
)
QUESTIONS = Shape(
    called="questions",
    required=("id", "text", "relevant"),
    optional=("category", "asker", "now", "record_as_of", "event_as_of"),
)
EDGES = Shape(called="edges", required=("cause", "effect"), optional=("confidence", "at"))
TURNS = Shape(
    called="turns", required=("id", "text", "recalled"), optional=("cited", "answer", "sender", "intent", "at")
)


@attrs.frozen(kw_only=True)
class Row:
    """A line of memories.jsonl: a memory or the next version of one, and what hangs on it."""

    id: str
    place: str
    memory: NewMemory | None = None
    revision: Revision | None = None
    pointers: Sequence[Pointer] = ()
    eviction: Eviction | None = None


def memory_of(row: Mapping[str, Any], place: str) -> Row:
    """A row of memories.jsonl."""
    name = a_name("id", row["id"])
    if "updates" in row:
        return Row(id=name, place=place, revision=_revision(name, row, place))
    if not isinstance(row.get("content"), str):
        raise ValueError("'content' is missing, or no text")
    plain, pointers = _annotations(name, row, place)
    memory = NewMemory(**_fields(row), created_at=_moment(row, "created_at"), annotations=plain)
    _refuse_what_the_store_would(memory)
    evicted = _moment(row, "evicted_at")
    if evicted is not None and memory.created_at is not None and evicted < memory.created_at:
        raise ValueError(f"evicted_at ({row['evicted_at']}) is before created_at ({row['created_at']})")
    return Row(
        id=name,
        place=place,
        memory=memory,
        pointers=pointers,
        eviction=None if evicted is None else Eviction(of=name, at=evicted, place=place),
    )


def _revision(name: str, row: Mapping[str, Any], place: str) -> Revision:
    at = _moment(row, "created_at")
    if at is None:
        raise ValueError("a row with 'updates' needs its 'created_at'")
    if unread := sorted({"annotations", "supersedes", "evicted_at"} & row.keys()):
        raise ValueError(f"a row with 'updates' cannot have {unread[0]!r}: it changes the memory's fields alone")
    changes = _fields(row)
    _refuse_what_the_store_would(NewMemory(**{"content": "unchanged", **changes}))
    return Revision(id=name, of=a_name("updates", row["updates"]), at=at, changes=changes, place=place)


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row's fields of a memory, but for its record time."""
    fields = {field: row[field] for field in VERSION_FIELDS if field in row}
    for field, kind in (("type", MemoryType), ("trust", Trust)):
        if field in fields:
            fields[field] = _word(field, fields[field], kind)
    if "tags" in fields:
        fields["tags"] = _list("tags", fields["tags"])
    return fields | {field: _moment(row, field) for field in ("occurred_at", "expires_at") if field in fields}


def _word(field: str, value: Any, kind: type[MemoryType] | type[Trust]) -> Any:
    words = [str(word) for word in kind]
    if value not in words:
        raise ValueError(f"{field} must be one of {', '.join(words)}, not {shown(value)}")
    return kind(value)


def _list(field: str, value: Any) -> tuple[Any, ...]:
    """A list; a text is no list of characters."""
    if not isinstance(value, list):
        raise ValueError(f"{field} must be a list, not {shown(value)}")
    return tuple(value)


def _moment(row: Mapping[str, Any], field: str) -> datetime | None:
    moment = a_moment(field, row.get(field))
    if moment is not None:
        try:
            to_microseconds(moment)
        except ComisError as error:
            raise ValueError(f"{field}: {error.message}") from None
    return moment


def _refuse_what_the_store_would(memory: NewMemory) -> None:
    """Raises MemoryRejected. An operator stores what is of the system, so that its trust is no obstacle."""
    checked(memory, 0, allow_system=True)


def _annotations(name: str, row: Mapping[str, Any], place: str) -> tuple[tuple[Annotation, ...], list[Pointer]]:
    """What is said about the memory alone, and what points to others."""
    plain, pointers = [], []
    for index, said in enumerate(_list("annotations", row.get("annotations", []))):
        field = f"annotations[{index}]"
        annotation = _annotation(field, said)
        if said.get("target") is None:
            plain.append(annotation)
        else:
            target = _another(f"{field}.target", said["target"], name)
            pointers.append(Pointer(source=name, target=target, annotation=annotation, place=place))
    replaced = Annotation(kind="supersedes")
    pointers += [
        Pointer(source=name, target=_another("supersedes", old, name), annotation=replaced, place=place)
        for old in names("supersedes", row.get("supersedes", []))
    ]
    return tuple(plain), pointers


def _another(field: str, value: Any, name: str) -> str:
    """The id of a memory other than `name`."""
    other = a_name(field, value)
    if other == name:
        raise ValueError(f"{field}: {other!r} is the memory itself")
    return other


def _annotation(field: str, said: Any) -> Annotation:
    """An annotation whose target is left open."""
    if not isinstance(said, dict):
        raise ValueError(f"{field} must be an object with the fields of an annotation, not {shown(said)}")
    known = [attribute.name for attribute in attrs.fields(Annotation)]
    if unknown := [key for key in said if key not in known]:
        raise ValueError(f"{field} has an unknown field {unknown[0]!r} (known: {', '.join(known)})")
    if "kind" not in said:
        raise ValueError(f"{field}.kind is missing")
    if said["kind"] == "entity" and not said.get("name"):
        raise ValueError(f"{field}.name is missing: an entity has a name")
    fields = {key: value for key, value in said.items() if key != "target"}
    annotation = Annotation(**fields | {"occurred_at": a_moment(f"{field}.occurred_at", said.get("occurred_at"))})
    try:
        _refuse_what_the_store_would(NewMemory(content="said of", annotations=(annotation,)))
    except ComisError as error:
        raise ValueError(f"{field}: {getattr(error, 'reason', error.message)}") from None
    return annotation


def edge_of(row: Mapping[str, Any], place: str) -> Pointer:
    """A row of edges.jsonl."""
    said = Annotation(kind="cause", confidence=a_share("confidence", row.get("confidence", 1.0)))
    source = a_name("cause", row["cause"])
    target = _another("effect", row["effect"], source)
    return Pointer(source=source, target=target, annotation=said, at=_moment(row, "at"), place=place)


def turn_of(row: Mapping[str, Any], place: str) -> ReportedTurn:
    """A row of turns.jsonl."""
    recalled, cited = names("recalled", row["recalled"]), names("cited", row.get("cited", []))
    if not cited and "answer" not in row:
        raise ValueError("a turn says what it used: cited, or answer, or both")
    if not set(cited) <= set(recalled):
        raise ValueError("cited: a turn cites what it has not recalled")
    return ReportedTurn(
        id=a_name("id", row["id"]),
        text=a_text("text", row["text"]),
        recalled=recalled,
        cited=cited,
        answer=a_text("answer", row.get("answer", "")),
        sender=a_text_or_none("sender", row.get("sender")),
        intent=an_intent("intent", row.get("intent", "factual")),
        at=_moment(row, "at"),
        place=place,
    )


def question_of(row: Mapping[str, Any], place: str) -> Question:
    """A row of queries.jsonl."""
    if not row["relevant"]:
        raise ValueError("relevant: a question needs at least one relevant memory")
    return Question(
        id=a_name("id", row["id"]),
        text=a_question("text", row["text"]),
        relevant=frozenset(names("relevant", row["relevant"])),
        category=a_text_or_none("category", row.get("category")) or UNCATEGORISED,
        asker=a_text_or_none("asker", row.get("asker")),
        now=_moment(row, "now"),
        record_as_of=_moment(row, "record_as_of"),
        event_as_of=_moment(row, "event_as_of"),
        place=place,
    )
