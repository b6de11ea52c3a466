"""Who and what memories mention: the names in their annotations, as a snapshot sees them.

A memory mentions the name of each of its annotations of kind "entity", "alias" and "triple". An entity is known by its
canonical name; its spellings are that name and every alias of it. All names here are folded (`text.fold_name`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from comis_core.layers import Layered
from comis_core.protocols import ScopeView, Snapshot
from comis_core.text import fold_name

NAMING = ("entity", "alias", "triple")
"""Kinds of annotations whose name a memory mentions."""
SUPERSEDES = "supersedes"

MOST_ROWS = 1_000
"""Mentions read in one go; the rarest entities come first, so that what is left out says least."""
MOST_NAMES = 64
"""Names looked at of one memory, in the order in which they were noted."""

_OF_MEMORIES = """
SELECT a.pk, a.name FROM visible_annotations AS a
WHERE a.pk IN (SELECT value FROM json_each(?1)) AND a.kind IN ({}) AND a.name <> '' ORDER BY a.pk, a.annotation"""

# Counted without a look at the memories, for this only decides which names are worth reading; and never beyond the cap.
_COUNTS = """
SELECT named.value, (SELECT count(*) FROM (
  SELECT 1 FROM annotations AS a WHERE a.scope = ?1 AND a.kind IN ({}) AND a.name = named.value
  AND a.closed_at IS NULL LIMIT ?2)) FROM json_each(?3) AS named"""
# What was open at an earlier moment has no index by name: one pass over the scope's annotations.
_COUNTS_BEFORE = """
SELECT a.name, count(*) FROM visible_annotations AS a
WHERE a.scope = ?1 AND a.kind IN ({}) AND a.name IN (SELECT value FROM json_each(?2)) GROUP BY a.name"""

_BY_NAME = """
SELECT DISTINCT a.name, a.pk FROM visible_annotations AS a
WHERE a.scope = ?1 AND a.kind IN ({}) AND a.name IN (SELECT value FROM json_each(?2))"""

_SUPERSEDED = """
SELECT v.pk FROM json_each(?1) AS given CROSS JOIN visible AS v ON v.pk = given.value
WHERE EXISTS (
  SELECT 1 FROM visible_annotations AS a WHERE a.target = v.id AND a.kind = 'supersedes' AND a.pk <> v.pk)"""


def rarity(mentions: int, memories: int) -> float:
    """How much it says that two memories share an entity: 1 for one mention, 0.. for one in every memory.

    ln(1 + N/n) / ln(1 + N), N memories, n of which mention it.
    """
    memories = max(memories, mentions)
    return math.log1p(memories / mentions) / math.log1p(memories) if mentions else 0.0


@attrs.frozen(eq=False, repr=False)
class Spellings:
    """Which names are one entity.

    known: name -> canonical name, as `ScopeView.entities` has it. others: canonical name -> its aliases.
    """

    known: Mapping[str, str]
    others: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, known: Mapping[str, str], former: Spellings | None = None) -> Spellings:
        """From the names of a scope. former: an earlier state, which spares a look at the names that it had."""
        if former is not None and isinstance(known, Layered):
            added = known.added_to(former.known)
            if added is not None and not _aliases(added):
                return cls(known, former.others)
        others: dict[str, list[str]] = {}
        for name, canonical in _aliases(known):
            others.setdefault(canonical, []).append(name)
        return cls(known, others)

    def canonical(self, name: str) -> str:
        """The entity that a folded name stands for."""
        return self.known.get(name, name)

    def all(self, entity: str) -> Sequence[str]:
        """Every name of an entity."""
        return (entity, *self.others.get(entity, ()))


@attrs.frozen(eq=False, repr=False)
class Names:
    """The names of a scope. speaking: the entities who speak in it; their names are on everything and lead nowhere."""

    spellings: Spellings
    speaking: frozenset[str]
    _senders: Mapping[str, int]

    @classmethod
    def of(cls, view: ScopeView, former: Names | None = None) -> Names:
        """As of a view; `former` itself if nothing has changed since."""
        known, senders = view.entities, view.senders
        if former is not None and former.spellings.known is known and former._senders.keys() == senders.keys():
            return former
        spellings = Spellings.of(known, None if former is None else former.spellings)
        return cls(spellings, frozenset(spellings.canonical(fold_name(sender)) for sender in senders), senders)


@attrs.frozen(eq=False, repr=False)
class Mentions:
    """Reads mentions through a snapshot: never of another scope, of what is hidden, or of what was said later."""

    snapshot: Snapshot
    spellings: Spellings
    kinds: frozenset[str] = attrs.field(init=False)
    """Kinds of annotations that the scope has: a statement is shorter by those that it lacks."""
    _naming: str = attrs.field(init=False)

    @kinds.default
    def _present(self) -> frozenset[str]:
        return frozenset(kind for kind in (*NAMING, SUPERSEDES) if self.snapshot.has_annotations(kind))

    @_naming.default
    def _list_naming(self) -> str:
        return ", ".join(f"'{kind}'" for kind in NAMING if kind in self.kinds)

    def of(self, ids: Iterable[int]) -> dict[int, Sequence[str]]:
        """Memory -> the entities that it mentions, at most `MOST_NAMES`; memories that mention none are missing."""
        found: dict[int, dict[str, None]] = {}
        known = self.spellings.known
        for pk, name in self._rows(_OF_MEMORIES, _json(ids)):
            names = found.setdefault(pk, {})
            if len(names) < MOST_NAMES:
                names[known.get(name, name)] = None
        return {pk: tuple(names) for pk, names in found.items()}

    def counts(self, entities: Iterable[str], cap: int) -> dict[str, int]:
        """Entity -> about how many memories mention it; more than `cap`, at least, where more than `cap` do."""
        owners = self._owners(entities)
        counts = dict.fromkeys(owners.values(), 0)
        scope, names = self.snapshot.scope, _json(owners)
        if not owners:
            rows: Iterable[tuple[str, int]] = ()
        elif self.snapshot.historic:
            rows = self._rows(_COUNTS_BEFORE, scope, names)
        else:
            rows = self._rows(_COUNTS, scope, cap + 1, names)
        for name, count in rows:
            counts[owners[name]] += count
        return counts

    def having(self, counts: Mapping[str, int], cap: int) -> dict[str, Sequence[int]]:
        """Entity -> the memories that mention it, ascending.

        Args:
            counts: the entities wanted, with about how often each is mentioned. Beyond `MOST_ROWS` mentions together
                the most frequent ones are left out.
            cap: entities mentioned by more memories are left out: what is everywhere leads nowhere.
        """
        wanted = _rarest(counts, cap)
        owners = self._owners(wanted)
        found: dict[str, set[int]] = {}
        for name, pk in self._rows(_BY_NAME, self.snapshot.scope, _json(owners)) if owners else ():
            found.setdefault(owners[name], set()).add(pk)
        return {entity: sorted(found[entity]) for entity in wanted if entity in found and len(found[entity]) <= cap}

    def superseded(self, ids: Iterable[int]) -> set[int]:
        """Those of these memories that another one in sight replaces."""
        if SUPERSEDES not in self.kinds:
            return set()
        return {pk for (pk,) in self.snapshot.execute(_SUPERSEDED, (_json(ids),))}

    def _rows(self, sql: str, *bindings: object) -> Iterable[tuple[Any, ...]]:
        return self.snapshot.execute(sql.format(self._naming), bindings) if self._naming else ()

    def _owners(self, entities: Iterable[str]) -> dict[str, str]:
        return {name: entity for entity in entities for name in self.spellings.all(entity)}


def _aliases(known: Mapping[str, str]) -> list[tuple[str, str]]:
    """(name, canonical name) where they differ."""
    # The same string, not an equal one, for nearly every name: no comparison of characters.
    return [(name, canonical) for name, canonical in known.items() if name is not canonical and name != canonical]


def _rarest(counts: Mapping[str, int], cap: int) -> list[str]:
    """The entities in order of frequency, up to `cap` each and `MOST_ROWS` mentions together."""
    rarest: list[str] = []
    rows = 0
    for count, entity in sorted((count, entity) for entity, count in counts.items()):
        rows += count
        if count > cap or rows > MOST_ROWS:
            break
        rarest.append(entity)
    return rarest


def _json(values: Iterable[object]) -> str:
    return json.dumps(list(values))
