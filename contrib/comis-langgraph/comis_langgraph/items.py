"""Items as memories: a value is the memory's content, its place is the memory's key, its namespaces are tags."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID, uuid5

import attrs
from langgraph.store.base import Item, SearchItem

from comis_core import Memory, NewMemory, Scope
from comis_core.errors import ComisError

Namespace = tuple[str, ...]

IDS = UUID("0d9a4a0e-6f0b-4d0b-9d0f-2a7c4f1c5b1e")
"""The name space of the ids that are made from places."""
MARK = "langgraph:"
"""Begins the tags of an item; a memory without such a tag is none of the store's."""
LONGEST = 512
"""Characters of a memory's key or tag."""

_ESCAPE = re.compile(r"\\(.)")


def _composed(word: str) -> str:
    """The form in which the store keeps texts: two spellings of one letter are one."""
    return unicodedata.normalize("NFC", word)


def _all_composed(words: Iterable[str]) -> Namespace:
    return tuple(map(_composed, words))


@attrs.frozen
class Place:
    """Where an item is: the path of namespaces, and the key in the last one."""

    namespace: Namespace = attrs.field(converter=_all_composed)
    key: str = attrs.field(converter=_composed)

    def id(self, scope: Scope) -> str:
        """The memory's id: the same for the same place of the same agent, so that no index of places is needed."""
        return str(uuid5(IDS, json.dumps([scope.tenant, scope.agent, *self.namespace, self.key])))

    def name(self) -> str:
        """The memory's key. Raises ComisError when the place is named at too great length."""
        return _short(_json([*self.namespace, self.key]), self)


def place_of(memory: Memory) -> Place:
    """Where the item of a memory is."""
    *namespace, key = json.loads(memory.key or "[null]")
    return Place(tuple(namespace), key)


def tag(prefix: Namespace) -> str:
    """The tag that every item at or below a namespace has."""
    return MARK + _json(prefix)


def new_memory(place: Place, value: Mapping[str, Any], scope: Scope) -> NewMemory:
    """The memory of an item. Raises ComisError for a value that is no JSON object."""
    name = place.name()
    return NewMemory(
        id=place.id(scope),
        content=content_of(value, place),
        key=name,
        tags=tuple(_short(tag(place.namespace[:depth]), place) for depth in range(len(place.namespace) + 1)),
        # Within one session the same text is one memory; two items of the same value are two.
        session=name,
    )


def content_of(value: Mapping[str, Any], place: Place) -> str:
    """The value as JSON that can be searched: line breaks and tabs within its texts stand as they are."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ComisError(f"the value of {place.name()} is no JSON: {error}", hint="store plain data") from None
    # An escaped line break would make one word of its letter and the word behind it.
    return _ESCAPE.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[0]), text)


def value_of(memory: Memory) -> dict[str, Any]:
    """The value that `content_of` wrote."""
    value: dict[str, Any] = json.loads(memory.content, strict=False)
    return value


def item(memory: Memory) -> Item:
    """What `get` returns."""
    place = place_of(memory)
    return Item(
        value=value_of(memory),
        key=place.key,
        namespace=place.namespace,
        created_at=memory.created_at,
        updated_at=memory.opened_at,
    )


def search_item(memory: Memory, score: float | None) -> SearchItem:
    """What `search` returns. score: 0..1, or None where nothing was asked."""
    place = place_of(memory)
    return SearchItem(
        namespace=place.namespace,
        key=place.key,
        value=value_of(memory),
        created_at=memory.created_at,
        updated_at=memory.opened_at,
        score=score,
    )


def _json(words: tuple[str, ...] | list[str]) -> str:
    return json.dumps(words, ensure_ascii=False, separators=(",", ":"))


def _short(text: str, place: Place) -> str:
    if len(text) > LONGEST:
        raise ComisError(
            f"the key {place.key[:40]!r} and its namespace are {len(text)} characters long together",
            hint=f"at most {LONGEST} are stored, quotes and commas between them included",
        )
    return text
