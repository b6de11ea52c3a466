"""What a snapshot must know of its scope before anything is read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import apsw
import attrs

from comis_core.model.shown import Compared

MAX_SCOPES = 10_000
"""States of so many scopes are kept."""

_LAST = "SELECT max(seq) FROM changes"
_LIVE = "closed_at IS NULL AND evicted_at IS NULL"
# The index is named, because the planner would rather read every live row of the scope.
_UNCOMMON = f"SELECT 1 FROM memories INDEXED BY memories_uncommon WHERE scope = ?1 AND trust <> 1 AND {_LIVE}"
_SEQ = "SELECT max(seq) FROM changes WHERE scope = ?"
# From each kind to the next in the index over open annotations: DISTINCT would read every entry.
_KINDS = """WITH RECURSIVE kinds(kind) AS (
  SELECT min(kind) FROM annotations WHERE scope = ?1 AND closed_at IS NULL UNION ALL
  SELECT (SELECT min(a.kind) FROM annotations AS a WHERE a.scope = ?1 AND a.closed_at IS NULL AND a.kind > kinds.kind)
  FROM kinds WHERE kinds.kind IS NOT NULL) SELECT kind FROM kinds WHERE kind IS NOT NULL"""
_CONTENTS = f"""SELECT EXISTS ({_UNCOMMON} AND trust = 0), EXISTS ({_UNCOMMON} AND trust = 2),
  (SELECT min(expires_at) FROM memories WHERE scope = ?1 AND expires_at IS NOT NULL AND closed_at IS NULL),
  (SELECT json_group_array(kind) FROM ({_KINDS}))"""

Fetch = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


@attrs.frozen(eq=False, repr=False)
class Contents(Compared):
    """What kinds of rows a scope has.

    trusts: bits of the trust codes that its live rows may have (learned always counts as present). soonest: the first
    moment at which one of its rows expires, if any does. kinds: those of its open annotations.
    """

    trusts: int
    soonest: int | None
    kinds: frozenset[str]


@attrs.define(eq=False, repr=False)
class State:
    """A scope as of a change of the file. last: the file's last change. seq: the scope's last one."""

    last: int
    seq: int
    scope: int
    _contents: Contents | None = None

    def contents(self, fetch: Fetch) -> Contents:
        """What the scope holds; looked up once, by whoever asks first, for a write does not ask.

        fetch: reads in a snapshot of this state.
        """
        if self._contents is None:
            ((external, system, soonest, kinds),) = fetch(_CONTENTS, (self.scope,))
            self._contents = Contents(0b010 | external | system << 2, soonest, frozenset(json.loads(kinds)))
        return self._contents


class States:
    """The scopes' states; one found as of the file's last change holds until the next."""

    def __init__(self) -> None:
        self._states: dict[int, State] = {}

    def of(self, connection: apsw.Connection, scope: int) -> State:
        """The scope's state; the transaction's first read, so that it fixes what the snapshot sees."""
        ((last,),) = connection.execute(_LAST)
        state = self._states.get(scope)
        if state is None or state.last != (last or 0):
            ((seq,),) = connection.execute(_SEQ, (scope,))
            state = State(last or 0, seq or 0, scope)
            if len(self._states) >= MAX_SCOPES:
                self._states.clear()
            self._states[scope] = state
        return state
