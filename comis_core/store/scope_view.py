"""Counts and names of a scope, kept between recalls and brought forward by the change log."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import attrs

from comis_core.layers import Layered
from comis_core.protocols import Change
from comis_core.store.identity import fold
from comis_core.store.transaction import select_in

MAX_SCOPES = 256
"""Names of so many scopes are kept; the one asked for longest ago goes first."""

_MOVES = frozenset({"add", "close", "evict", "restore"})
_LIVE = "closed_at IS NULL AND evicted_at IS NULL"
_NAMING = "a.kind IN ('alias', 'entity') AND a.closed_at IS NULL"
_VALUE = "CASE a.kind WHEN 'alias' THEN a.value ELSE '' END"
_ALIAS_STEPS = 8

Name = tuple[str, str, str]
"""(kind, folded name, folded value) of an entity or an alias; an entity's value is left out."""


class Source(Protocol):
    """What this module needs of a snapshot."""

    scope: int
    seq: int

    def changes_since(self, seq: int) -> list[Change] | None:
        """The scope's changes after `seq`."""
        ...

    def fetch(self, sql: str, bindings: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All rows of a statement of the core's own."""
        ...


@attrs.frozen(eq=False, repr=False)
class Known:
    """What was found out as of a change."""

    seq: int
    senders: Counter[str | None] | None = None
    names: Layered[Name, None] | None = None
    canonical: Layered[str, str] | None = None


class ScopeNames:
    """Counts and names as of a snapshot; each is found out when it is first asked for."""

    def __init__(self, source: Source, known: Known | None, keep: Callable[[Known], None]) -> None:
        self._source = source
        self._keep = keep
        self._known = Known(source.seq)
        if known is not None:
            self._known = known if known.seq == source.seq else _forward(source, known)

    @property
    def memories(self) -> int:
        """How many live memories the scope has."""
        return self._counts.total()

    @cached_property
    def senders(self) -> Mapping[str, int]:
        """Sender -> number of live memories."""
        return {sender: count for sender, count in self._counts.items() if sender is not None}

    @cached_property
    def entities(self) -> Mapping[str, str]:
        """Folded entity name or alias -> canonical name, folded too, over the scope's open annotations."""
        names, canonical = self._known.names, self._known.canonical
        if names is None or canonical is None:
            names = Layered(dict.fromkeys(_all_names(self._source))) if names is None else names
            canonical = Layered(_canonical(names))
            self._known = attrs.evolve(self._known, names=names, canonical=canonical)
        self._keep(self._known)
        return canonical

    @cached_property
    def _counts(self) -> Counter[str | None]:
        senders = self._known.senders
        if senders is None:
            sql = f"SELECT sender, count(*) FROM memories WHERE scope = ? AND {_LIVE} GROUP BY sender"
            senders = Counter(dict(self._source.fetch(sql, (self._source.scope,))))
            self._known = attrs.evolve(self._known, senders=senders)
        self._keep(self._known)
        return senders


class PastNames:
    """Counts and names of what a snapshot of the past sees: nothing said later, nothing that has gone since.

    Read through the views each time, for nobody asks twice about the same moment.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def memories(self) -> int:
        """How many memories are in sight."""
        return sum(self._counts.values())

    @cached_property
    def senders(self) -> Mapping[str, int]:
        """Sender -> number of memories in sight."""
        return {sender: count for sender, count in self._counts.items() if sender is not None}

    @cached_property
    def entities(self) -> Mapping[str, str]:
        """Folded entity name or alias -> canonical name, folded too, over the annotations in sight."""
        sql = (
            f"SELECT DISTINCT a.kind, a.name, {_VALUE} FROM visible_annotations AS a "
            "WHERE a.scope = ? AND a.kind IN ('alias', 'entity')"
        )
        return _canonical(_folded(self._source.fetch(sql, (self._source.scope,))))

    @cached_property
    def _counts(self) -> Mapping[str | None, int]:
        return dict(self._source.fetch("SELECT sender, count(*) FROM visible_scan GROUP BY sender", ()))


class ScopeViews:
    """What is known of each scope."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[int, Known] = {}

    def of(self, source: Source) -> ScopeNames:
        """The scope's counts and names as of a snapshot."""

        def keep(known: Known) -> None:
            with self._lock:
                former = self._known.pop(source.scope, None)
                self._known[source.scope] = former if former is not None and former.seq > known.seq else known
                while len(self._known) > MAX_SCOPES:
                    del self._known[next(iter(self._known))]

        known = self._known.get(source.scope)
        return ScopeNames(source, known if known is not None and known.seq <= source.seq else None, keep)


def _forward(source: Source, known: Known) -> Known:
    """What is known at the snapshot: the log's changes are counted in. What was deleted left nothing to count out."""
    changes = source.changes_since(known.seq)
    if changes is None or any(change.operation == "delete" for change in changes):
        return Known(source.seq)
    senders = None if known.senders is None else _recounted(source, known.senders, changes)
    return attrs.evolve(_renamed(source, known, changes), seq=source.seq, senders=senders)


def _renamed(source: Source, known: Known, changes: Sequence[Change]) -> Known:
    """The names after the changes; what is said now and then, an entity that is new, costs no look at the others."""
    names, canonical = known.names, known.canonical
    if names is None:
        return known
    fresh = [name for name in _names_said(source, changes) if name not in names]
    stale = [name for name in _names_withdrawn(source, changes) if name in names]
    if stale or any(kind == "alias" for kind, _, _ in fresh):
        canonical = None
    elif canonical is not None and fresh:
        canonical = canonical.extended({name: name for _, name, _ in fresh if name not in canonical})
    if fresh:
        names = names.extended(dict.fromkeys(fresh))
    if stale:
        names = Layered(dict.fromkeys(names.keys() - stale))
    return attrs.evolve(known, names=names, canonical=canonical)


def _recounted(source: Source, senders: Counter[str | None], changes: Sequence[Change]) -> Counter[str | None]:
    """Senders after the changes: a memory counts if it is live now, and counted before if its first change says so."""
    first: dict[int, str] = {}
    for change in changes:
        if change.operation in _MOVES:
            first.setdefault(change.pk, change.operation)
    sql = (
        "SELECT m.pk, m.sender, m.closed_at IS NULL AND m.evicted_at IS NULL, m.evicted_at IS NULL "
        "FROM json_each(?) AS moved CROSS JOIN memories AS m ON m.pk = moved.value"
    )
    counted = senders.copy()
    for pk, sender, live, unevicted in source.fetch(sql, (str(list(first)),)):
        before = first[pk] == "evict" or (first[pk] == "close" and unevicted)
        counted[sender] += live - before
    return +counted


def _all_names(source: Source) -> frozenset[Name]:
    sql = f"SELECT DISTINCT a.kind, a.name, {_VALUE} FROM annotations AS a WHERE a.scope = ? AND {_NAMING}"
    return _folded(source.fetch(sql, (source.scope,)))


def _names_said(source: Source, changes: Sequence[Change]) -> frozenset[Name]:
    """Names in what was added or said since."""
    pks = [change.pk for change in changes if change.operation in ("add", "annotate")]
    sql = f"SELECT a.kind, a.name, {_VALUE} FROM annotations AS a WHERE a.pk IN ({{}}) AND {_NAMING}"
    return _folded(select_in(source.fetch, sql, pks))


def _names_withdrawn(source: Source, changes: Sequence[Change]) -> frozenset[Name]:
    """Names in closed versions that no open annotation says any more."""
    pks = [change.pk for change in changes if change.operation in ("close", "annotate")]
    sql = (
        f"SELECT DISTINCT a.kind, a.name, {_VALUE} FROM json_each(?) AS changed "
        "CROSS JOIN annotations AS a ON a.pk = changed.value "
        "WHERE a.kind IN ('alias', 'entity') AND a.closed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations "
        "AS o WHERE o.scope = a.scope AND o.kind = a.kind AND o.name = a.name AND o.closed_at IS NULL "
        "AND (a.kind = 'entity' OR o.value = a.value))"
    )
    return _folded(source.fetch(sql, (str(pks),))) if pks else frozenset()


def _folded(rows: Sequence[tuple[Any, ...]]) -> frozenset[Name]:
    # Entities, as most names are, have no value: their rows are what is wanted, and thousands need no copy.
    return frozenset((row[0], row[1], fold(row[2])) if row[2] else row for row in rows if row[1])


def _canonical(names: Collection[Name]) -> dict[str, str]:
    """Name -> canonical name; an alias of an alias is followed, a circle of aliases is left where it was entered."""
    said = sorted(name for name in names if name[0] == "alias")
    aliases = {name: value for _, name, value in said if value and value != name}
    canonical = {name: name for kind, name, _ in names if kind == "entity"}
    canonical |= {value: value for value in aliases.values()}
    for name in aliases:
        target = name
        for _ in range(_ALIAS_STEPS):
            if target not in aliases:
                break
            target = aliases[target]
        canonical[name] = target
    return canonical
