"""Triples that hold: of statements that contradict each other only the strongest is walked."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

import attrs

from comis_core.mentions import Mentions
from comis_core.text import fold_name

MOST = 1_000
"""Triples read in one go, the strongest first."""

_COLUMNS = """
SELECT a.pk, a.name, a.predicate, a.value, a.confidence, v.trust,
  coalesce(a.occurred_at, v.occurred_at, v.created_at) AS moment
FROM visible_annotations AS a CROSS JOIN visible AS v ON v.pk = a.pk WHERE a.kind = 'triple' AND"""
_OF_MEMORIES = f"{_COLUMNS} a.pk IN (SELECT value FROM json_each(?1))"
_ABOUT = f"""{_COLUMNS} a.scope = ?1 AND a.name IN (SELECT value FROM json_each(?2))
ORDER BY v.trust DESC, moment DESC, a.pk DESC LIMIT ?3"""
# Counted without a look at the memories, for this only tells hubs from what is worth reading; never beyond the cap.
_NO_HUBS = """
SELECT named.value FROM json_each(?2) AS named WHERE (SELECT count(*) FROM (
  SELECT 1 FROM annotations AS a WHERE a.scope = ?1 AND a.kind = 'triple' AND a.name = named.value
  AND a.closed_at IS NULL LIMIT ?3 + 1)) <= ?3"""


@attrs.frozen(kw_only=True)
class Triple:
    """A statement of a memory; subject and value are entities, trust is the memory's code, moment its event time."""

    pk: int
    subject: str
    predicate: str
    value: str
    confidence: float
    trust: int
    moment: int

    @property
    def weight(self) -> tuple[int, int, int]:
        """What decides between contradicting statements: trust whatever its age, then the newer event, then the id."""
        return self.trust, self.moment, self.pk


@attrs.frozen(eq=False, repr=False)
class Triples:
    """Reads triples through the snapshot of `mentions`. functional: folded predicates with one value at a time."""

    mentions: Mentions
    functional: Collection[str] = frozenset()

    def of(self, ids: Collection[int]) -> list[Triple]:
        """What these memories state and no stronger statement of the scope contradicts."""
        stated = self._read(_OF_MEMORIES, json.dumps(list(ids))) if ids else []
        disputed = {triple.subject for triple in stated if triple.predicate in self.functional}
        holding = set(_holding(self._about(self._names(disputed)), self.functional))
        return [triple for triple in stated if triple.predicate not in self.functional or triple in holding]

    def stating(self, subjects: Collection[str], cap: int) -> dict[str, dict[int, float]]:
        """Entity -> the memories that state something of it that holds, with how sure the surest statement is.

        cap: entities of which more is stated are left out.
        """
        stating: dict[str, dict[int, float]] = {}
        for triple in self._holding_about(subjects, cap):
            memories = stating.setdefault(triple.subject, {})
            memories[triple.pk] = max(memories.get(triple.pk, 0.0), triple.confidence)
        return {subject: memories for subject, memories in stating.items() if len(memories) <= cap}

    def alike(self, stated: Collection[Triple], cap: int) -> dict[int, list[dict[int, float]]]:
        """Memory -> for each of its statements the memories that state the same of the same subject, itself too.

        stated: what memories state. The same is stated where subject and predicate are one; the values may differ. The
        numbers are how sure each statement is. cap: subjects of which more is stated are left out.
        """
        slots: dict[tuple[str, str], dict[int, float]] = {}
        for triple in self._holding_about({triple.subject for triple in stated}, cap):
            memories = slots.setdefault((triple.subject, triple.predicate), {})
            memories[triple.pk] = max(memories.get(triple.pk, 0.0), triple.confidence)
        alike: dict[int, list[dict[int, float]]] = {}
        for triple in stated:
            if (triple.subject, triple.predicate) in slots:
                alike.setdefault(triple.pk, []).append(slots[triple.subject, triple.predicate])
        return alike

    def _holding_about(self, subjects: Collection[str], cap: int) -> list[Triple]:
        """What is stated of these subjects and holds; nothing of those of which more than `cap` is stated."""
        names = self._names(subjects)
        if names and not self.mentions.snapshot.historic:
            bindings = (self.mentions.snapshot.scope, json.dumps(names), cap)
            names = [name for (name,) in self.mentions.snapshot.execute(_NO_HUBS, bindings)]
        return _holding(self._about(names), self.functional)

    def _names(self, subjects: Iterable[str]) -> list[str]:
        """Every spelling of these subjects; none where nothing is stated at all, as in most scopes."""
        if "triple" not in self.mentions.kinds:
            return []
        return [name for subject in sorted(subjects) for name in self.mentions.spellings.all(subject)]

    def _about(self, names: Sequence[str]) -> list[Triple]:
        return self._read(_ABOUT, self.mentions.snapshot.scope, json.dumps(names), MOST) if names else []

    def _read(self, sql: str, *bindings: object) -> list[Triple]:
        if "triple" not in self.mentions.kinds:
            return []
        canonical = self.mentions.spellings.canonical
        return [
            Triple(
                pk=pk,
                subject=canonical(subject),
                predicate=fold_name(predicate),
                value=canonical(fold_name(value)),
                confidence=confidence,
                trust=trust,
                moment=moment,
            )
            for pk, subject, predicate, value, confidence, trust, moment in self.mentions.snapshot.execute(
                sql, bindings
            )
        ]


def _holding(triples: Sequence[Triple], functional: Collection[str]) -> list[Triple]:
    """Those that no stronger one contradicts: same subject and functional predicate, another value."""
    winners: dict[tuple[str, str], Triple] = {}
    for triple in triples:
        key = (triple.subject, triple.predicate)
        if triple.predicate in functional:
            winners[key] = max(winners.get(key, triple), triple, key=lambda one: one.weight)
    return [
        triple for triple in triples if winners.get((triple.subject, triple.predicate), triple).value == triple.value
    ]
