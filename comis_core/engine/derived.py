"""The indexes that a configuration keeps up, with the tables that hold their rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from comis_core.host import BoundIndex, Registry
from comis_core.protocols import Index, Transaction
from comis_core.specs import IndexSpec
from comis_core.store import changes, watermarks
from comis_core.store.sequence import VERSION, TurnSequence
from comis_core.text import Analyser

SEQUENCE = "sequence"
"""The index that is the core's own; its table has the same name."""

AHEAD = "it claims to know changes that the file does not"

_CREATED = re.compile(r"CREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", re.IGNORECASE)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Derived:
    """An index: rows of another version are built again."""

    name: str
    index: Index
    version: str
    tables: frozenset[str]

    def behind(self, reader: Transaction) -> str:
        """Why the index cannot be compared with the truth now; "" when it can."""
        mark, newest = watermarks.read_marks(reader).get(self.name), changes.newest(reader)
        if mark is None:
            return "not filled yet"
        if mark.version != self.version:
            return f"kept in version {mark.version!r}, not {self.version!r}"
        if mark.filling:
            return f"being filled: up to {mark.position:,} of {mark.target:,}"
        if mark.seq > newest:
            return AHEAD
        return f"{newest - mark.seq:,} changes behind" if mark.seq < newest else ""

    def owns(self, table: str) -> bool:
        """Whether a table holds its rows, also one that a virtual table of its own made for itself."""
        return table in self.tables or any(table.startswith(f"{name}_") for name in self.tables)


def derived_of(
    registry: Registry, indexes: Sequence[BoundIndex], sequence: TurnSequence, text: Analyser
) -> list[Derived]:
    """Every index, the core's own first."""
    version = f"{VERSION}-{text.fingerprint_id}"
    return [
        Derived(name=SEQUENCE, index=sequence, version=version, tables=frozenset({SEQUENCE})),
        *(
            Derived(name=bound.name, index=bound.index, version=bound.version, tables=_tables(registry, bound.name))
            for bound in indexes
        ),
    ]


def _tables(registry: Registry, name: str) -> frozenset[str]:
    """The tables that an index's migrations make."""
    steps = [step.apply for spec in registry.specs(IndexSpec) if spec.name == name for step in spec.migrations]
    return frozenset(table for sql in steps if isinstance(sql, str) for table in _CREATED.findall(sql))
