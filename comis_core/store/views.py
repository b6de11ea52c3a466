"""The TEMP views through which everything reads: what is not in them does not exist for a recall.

A one-row TEMP table holds the recall's parameters; scalar subqueries read them, so that the statements of all recalls
share their text and stay prepared. A view has only the conditions that its recall needs (its shape); a connection
whose views have another shape makes them anew.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import apsw
import attrs

from comis_core.model import TRUST_CODES, TYPE_CODES, Filters, to_microseconds
from comis_core.model.shown import Compared, Shown
from comis_core.store.schema import VIEW_PARAMETERS
from comis_core.store.state import Contents

VERSION_COLUMNS = (
    "pk", "id", "scope", "type", "trust", "sender", "channel", "session", "turn", "created_at", "created_given",
    "occurred_at", "expires_at", "evicted_at", "opened_at", "closed_at", "pinned", "proof_count", "confidence",
    "importance", "length", "fingerprint", "key", "title", "tags", "source_ids", "content",
)  # fmt: skip
"""The columns of `memories`, in the order in which rows become records."""

ANNOTATION_COLUMNS = (
    "annotation", "pk", "scope", "kind", "name", "label", "predicate", "value", "target", "confidence", "origin",
    "occurred_at", "opened_at", "closed_at",
)  # fmt: skip

ALL_TRUST = (1 << len(TRUST_CODES)) - 1


def _parameter(name: str) -> str:
    return f"(SELECT {name} FROM temp.recall_parameters)"


_LIVE = ("m.closed_at IS NULL", "m.evicted_at IS NULL")
_OPEN = ("m.closed_at IS NULL",)
# Most files have no evictions that ended: that is asked once a statement, and only else row by row.
_IN_SIGHT_THEN = (
    "(NOT EXISTS (SELECT 1 FROM main.evictions AS ended) "
    "OR NOT EXISTS (SELECT 1 FROM main.evictions AS e WHERE e.pk = m.pk "
    f"AND e.evicted_at <= {_parameter('record_as_of')} AND e.restored_at > {_parameter('record_as_of')}))"
)
_AS_OF = (
    f"m.opened_at <= {_parameter('record_as_of')}",
    f"(m.closed_at IS NULL OR m.closed_at > {_parameter('record_as_of')})",
    f"(m.evicted_at IS NULL OR m.evicted_at > {_parameter('record_as_of')})",
    _IN_SIGHT_THEN,
)
_VERSIONS = {"live": _LIVE, "open": _OPEN, "historic": _AS_OF}
_UNEXPIRED = f"(m.expires_at IS NULL OR m.expires_at > {_parameter('now')})"
_CONDITIONS = {
    "trust": f"(1 << m.trust) & {_parameter('trust_mask')}",
    "types": f"(1 << m.type) & {_parameter('type_mask')}",
    "tags": "EXISTS (SELECT 1 FROM json_each(m.tags) AS own CROSS JOIN "
    f"json_each({_parameter('tags')}) AS wanted ON own.value = wanted.value)",
    "since": f"coalesce(m.occurred_at, m.created_at) >= {_parameter('since')}",
    "until": f"coalesce(m.occurred_at, m.created_at) < {_parameter('until')}",
    "event_as_of": f"(m.occurred_at IS NULL OR m.occurred_at <= {_parameter('event_as_of')})",
}
_ANNOTATIONS_LIVE = "a.closed_at IS NULL"
_ANNOTATIONS_AS_OF = (
    f"a.opened_at <= {_parameter('record_as_of')} AND "
    f"(a.closed_at IS NULL OR a.closed_at > {_parameter('record_as_of')})"
)
_ANNOTATIONS_HAPPENED = f"(a.occurred_at IS NULL OR a.occurred_at <= {_parameter('event_as_of')})"
SET_PARAMETERS = f"UPDATE temp.recall_parameters SET ({', '.join(VIEW_PARAMETERS)}) = ({', '.join('?' * 10)})"


@attrs.frozen(repr=False)
class Shape(Shown):
    """Which conditions the views have. versions: "live", "open" (evicted ones too) or "historic"."""

    versions: str = "live"
    conditions: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class View(Compared):
    """What a recall may see of any scope: a shape, and the values of `VIEW_PARAMETERS` after scope and now."""

    shape: Shape
    parameters: tuple[Any, ...]
    trusts: int
    """Bits of the trust codes in sight."""

    def bindings(self, scope: int, now: int) -> tuple[Any, ...]:
        """What `SET_PARAMETERS` wants. An `as_of` recall judges expiry at its own moment."""
        as_of = self.parameters[5]
        return (scope, now if as_of is None else as_of, *self.parameters)

    def hides(self, contents: Callable[[], Contents], now: int) -> bool:
        """Whether any live row of a scope is out of sight. contents: looks up what kinds of rows it has."""
        if self.shape.versions != "live" or set(self.shape.conditions) - {"trust"}:
            return True
        held = contents()
        return bool(held.trusts & ~self.trusts) or (held.soonest is not None and held.soonest <= now)


@functools.lru_cache(maxsize=256)
def view_of(filters: Filters, *, include_evicted: bool = False) -> View:
    """The view that shows what these filters permit."""
    as_of = _moment(filters.record_as_of)
    values = {
        "trust": None if filters.trust is None else sum(1 << TRUST_CODES[trust] for trust in filters.trust),
        "types": None if filters.types is None else sum(1 << TYPE_CODES[kind] for kind in filters.types),
        "tags": None if filters.tags is None else json.dumps(sorted(filters.tags), ensure_ascii=False),
        "since": _moment(filters.since),
        "until": _moment(filters.until),
        "event_as_of": _moment(filters.event_as_of),
    }
    if values["trust"] == ALL_TRUST:
        values["trust"] = None
    versions = "historic" if as_of is not None else "open" if include_evicted else "live"
    return View(
        shape=Shape(versions, tuple(name for name, value in values.items() if value is not None)),
        parameters=(
            values["trust"], values["types"], values["tags"], values["since"], values["until"], as_of,
            values["event_as_of"], as_of is not None,
        ),
        trusts=ALL_TRUST if values["trust"] is None else int(values["trust"]),
    )  # fmt: skip


def install(connection: apsw.Connection, shape: Shape) -> None:
    """Give a connection the views of a shape; those of another shape go."""
    for statement in _statements(shape):
        connection.execute(statement)


def _statements(shape: Shape) -> Iterable[str]:
    yield f"CREATE TEMP TABLE IF NOT EXISTS recall_parameters({', '.join(VIEW_PARAMETERS)})"
    yield "DELETE FROM temp.recall_parameters"
    yield f"INSERT INTO temp.recall_parameters VALUES ({', '.join(['NULL'] * len(VIEW_PARAMETERS))})"
    for name in ("visible", "visible_scan", "visible_annotations"):
        yield f"DROP VIEW IF EXISTS temp.{name}"
    columns = ", ".join(f"m.{name}" for name in VERSION_COLUMNS)
    rest = " AND ".join([*_VERSIONS[shape.versions], _UNEXPIRED, *(_CONDITIONS[name] for name in shape.conditions)])
    # The plus keeps the planner from driving a join by scope: it must come from the side that names the pks.
    driven = f"+m.scope = {_parameter('scope')} AND {rest}"
    yield f"CREATE TEMP VIEW visible AS SELECT {columns} FROM main.memories AS m WHERE {driven}"
    scan = f"SELECT {columns} FROM main.memories AS m WHERE m.scope = {_parameter('scope')} AND {rest}"
    if shape.versions == "historic":
        # Two partial indexes cover open and closed rows; no one index covers both.
        scan = f"{scan} AND m.closed_at IS NULL UNION ALL {scan} AND m.closed_at > {_parameter('record_as_of')}"
    yield f"CREATE TEMP VIEW visible_scan AS {scan}"
    opened = _ANNOTATIONS_AS_OF if shape.versions == "historic" else _ANNOTATIONS_LIVE
    if "event_as_of" in shape.conditions:
        opened = f"{opened} AND {_ANNOTATIONS_HAPPENED}"
    yield (
        f"CREATE TEMP VIEW visible_annotations AS SELECT {', '.join(f'a.{name}' for name in ANNOTATION_COLUMNS)} "
        "FROM main.annotations AS a CROSS JOIN main.memories AS m ON m.pk = a.pk "
        f"WHERE +a.scope = {_parameter('scope')} AND {opened} AND {driven}"
    )


def _moment(moment: datetime | None) -> int | None:
    return None if moment is None else to_microseconds(moment)
