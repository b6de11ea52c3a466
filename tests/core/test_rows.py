"""Records as rows and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import attrs
import pytest

from comis_core.errors import ComisError
from comis_core.model import Memory, MemoryType, Scope, Trust
from comis_core.rows import memory_row, new_memory

MEMORY = Memory(
    id="0199c0de-0000-7000-8000-000000000000",
    scope=Scope("acme", "helper"),
    content="Ana moved to Lisbon.",
    type=MemoryType.EPISODIC,
    trust=Trust.EXTERNAL,
    created_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
    opened_at=datetime(2026, 3, 2, tzinfo=UTC),
    tags=("city", "move"),
    importance=0.5,
)


def test_a_memory_survives_the_way_through_json() -> None:
    row = json.loads(json.dumps(memory_row(MEMORY)))
    back = new_memory(row)
    assert (back.id, back.content, back.type, back.trust) == (MEMORY.id, MEMORY.content, MEMORY.type, MEMORY.trust)
    assert (back.tags, back.importance, back.created_at) == (MEMORY.tags, MEMORY.importance, MEMORY.created_at)


def test_a_stamp_of_the_store_stays_a_stamp() -> None:
    assert not new_memory({"content": "x", "created_at": "2026-01-01T00:00:00Z", "created_given": False}).created_given


@pytest.mark.parametrize("given", [True, False])
def test_whether_a_date_was_given_survives_the_way_through_json(given: bool) -> None:
    row = json.loads(json.dumps(memory_row(attrs.evolve(MEMORY, created_given=given))))
    assert new_memory(row).created_given is given


def test_absent_fields_are_left_out() -> None:
    assert "sender" not in memory_row(MEMORY)
    assert "fingerprint" not in memory_row(MEMORY)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, "content is missing"),
        ({"content": 3}, "content: must be text"),
        ({"content": "x", "turn": "3"}, "turn: must be a whole number"),
        ({"content": "x", "turn": True}, "turn: must be a whole number"),
        ({"content": "x", "confidence": "1"}, "confidence: must be a number"),
        ({"content": "x", "pinned": "yes"}, "pinned: must be true or false"),
        ({"content": "x", "tags": "abc"}, "tags: must be a list"),
        ({"content": "x", "tags": [1]}, r"tags\[0\]: must be text"),
        ({"content": "x", "trust": "great"}, "trust: must be one of external, learned, system"),
        ({"content": "x", "created_at": "2026-01-01"}, "created_at: .* has no time zone"),
        ({"content": "x", "created_at": "soon"}, "created_at: "),
        ({"content": "x", "colour": "red"}, "unknown field 'colour'"),
        ({"content": "x", "annotations": [{"kind": "entity", "nme": "x"}]}, r"unknown field 'nme' of annotations\[0\]"),
    ],
)
def test_a_wrong_field_is_named(row: dict[str, Any], words: str) -> None:
    with pytest.raises(ComisError, match=words):
        new_memory(row)


def test_every_wrong_field_is_named_at_once() -> None:
    with pytest.raises(ComisError, match=r"turn: .*pinned: |pinned: .*turn: "):
        new_memory({"content": "x", "turn": "1", "pinned": 1})
