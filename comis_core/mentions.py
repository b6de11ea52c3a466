"""Who and what memories mention: the names in their annotations, as a snapshot sees them.

A memory mentions the name of each of its annotations of kind "entity", "alias" and "triple". An entity is known by its
canonical name; its spellings are that name and every alias of it. All names here are folded (`text.fold_name`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

import attrs

from comis_core.protocols import ScopeView, Snapshot
from comis_core.text import fold_name

MOST_ROWS = 1_000
"""Mentions read in one go; the rarest entities come first, so that what is left out says least."""
MOST_NAMES = 64
"""Names looked at of one memory, in the order in which they were noted."""

_NAMING = "a.kind IN ('entity', 'alias', 'triple')"

_OF_MEMORIES = f"""
SELECT a.pk, a.name FROM visible_annotations AS a
WHERE a.pk IN (SELECT value FROM json_each(?1)) AND {_NAMING} AND a.name <> '' ORDER BY a.pk, a.annotation"""

# Counted without a look at the memories, for this only decides which names are worth reading; and never beyond the cap.
_COUNTS = f"""
SELECT named.value, (SELECT count(*) FROM (
  SELECT 1 FROM annotations AS a WHERE a.scope = ?1 AND {_NAMING} AND a.name = named.value AND a.closed_at IS NULL
  LIMIT ?2)) FROM json_each(?3) AS named"""
# What was open at an earlier moment has no index by name: one pass over the scope's annotations.
_COUNTS_BEFORE = f"""
SELECT a.name, count(*) FROM visible_annotations AS a
WHERE a.scope = ?1 AND {_NAMING} AND a.name IN (SELECT value FROM json_each(?2)) GROUP BY a.name"""

_BY_NAME = f"""
SELECT DISTINCT a.name, a.pk FROM visible_annotations AS a
WHERE a.scope = ?1 AND {_NAMING} AND a.name IN (SELECT value FROM json_each(?2))"""

_ANY_SUPERSEDES = "SELECT 1 FROM annotations WHERE scope = ? AND kind = 'supersedes' AND closed_at IS NULL LIMIT 1"
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


@attrs.frozen(eq=False)
class Spellings:
    """Which names are one entity.

    known: name -> canonical name, as `ScopeView.entities` has it. others: canonical name -> its aliases.
    """

    known: Mapping[str, str]
    others: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, known: Mapping[str, str]) -> Spellings:
        """From the names of a scope."""
        others: dict[str, list[str]] = {}
        for name, canonical in known.items():
            # The same string, not an equal one, for nearly every name: no comparison of characters.
            if name is not canonical and name != canonical:
                others.setdefault(canonical, []).append(name)
        return cls(known, others)

    def canonical(self, name: str) -> str:
        """The entity that a folded name stands for."""
        return self.known.get(name, name)

    def all(self, entity: str) -> Sequence[str]:
        """Every name of an entity."""
        return (entity, *self.others.get(entity, ()))


@attrs.frozen(eq=False)
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
        spellings = Spellings.of(known)
        return cls(spellings, frozenset(spellings.canonical(fold_name(sender)) for sender in senders), senders)


@attrs.frozen(eq=False)
class Mentions:
    """Reads mentions through a snapshot: never of another scope, of what is hidden, or of what was said later."""

    snapshot: Snapshot
    spellings: Spellings

    def of(self, ids: Iterable[int]) -> dict[int, Sequence[str]]:
        """Memory -> the entities that it mentions, at most `MOST_NAMES`; memories that mention none are missing."""
        found: dict[int, dict[str, None]] = {}
        known = self.spellings.known
        for pk, name in self.snapshot.execute(_OF_MEMORIES, (_json(ids),)):
            names = found.setdefault(pk, {})
            if len(names) < MOST_NAMES:
                names[known.get(name, name)] = None
        return {pk: tuple(names) for pk, names in found.items()}

    def counts(self, entities: Iterable[str], cap: int) -> dict[str, int]:
        """Entity -> about how many memories mention it, `cap` + 1 where more than `cap` do."""
        owners = self._owners(entities)
        if not owners:
            return {}
        if self.snapshot.historic:
            rows = self.snapshot.execute(_COUNTS_BEFORE, (self.snapshot.scope, _json(owners)))
        else:
            rows = self.snapshot.execute(_COUNTS, (self.snapshot.scope, cap + 1, _json(owners)))
        counts = dict.fromkeys(owners.values(), 0)
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
        wanted: list[str] = []
        rows = 0
        for entity in sorted(counts, key=lambda entity: (counts[entity], entity)):
            rows += counts[entity]
            if counts[entity] > cap or rows > MOST_ROWS:
                break
            wanted.append(entity)
        owners = self._owners(wanted)
        found: dict[str, set[int]] = {}
        for name, pk in self.snapshot.execute(_BY_NAME, (self.snapshot.scope, _json(owners))) if owners else ():
            found.setdefault(owners[name], set()).add(pk)
        return {entity: sorted(found[entity]) for entity in wanted if entity in found and len(found[entity]) <= cap}

    def superseded(self, ids: Iterable[int]) -> set[int]:
        """Those of these memories that another one in sight replaces."""
        if not self.snapshot.historic and not list(self.snapshot.execute(_ANY_SUPERSEDES, (self.snapshot.scope,))):
            return set()
        return {pk for (pk,) in self.snapshot.execute(_SUPERSEDED, (_json(ids),))}

    def _owners(self, entities: Iterable[str]) -> dict[str, str]:
        return {name: entity for entity in entities for name in self.spellings.all(entity)}


def _json(values: Iterable[object]) -> str:
    return json.dumps(list(values))
