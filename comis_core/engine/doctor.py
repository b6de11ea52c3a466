"""The doctor: every derived table against the truth, and the truth against itself.

Repairing builds derived tables again and touches nothing else: a truth that is damaged is said to be, and left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from comis_core.engine.derived import AHEAD, Derived
from comis_core.engine.diagnosis import Problem
from comis_core.errors import ComisError, MissingFileError, StoreError
from comis_core.protocols import Check, Transaction
from comis_core.store import Store, changes, integrity
from comis_core.store.codes import kernel
from comis_core.store.faults import is_environment
from comis_core.store.integrity import TRUTH, Damage
from comis_core.store.outbox import Outbox
from comis_core.store.vectors import VectorStore

DERIVED = {
    "vectors": ("vectors",),
    "spaces": ("spaces", "vectors"),
    "changes": ("changes",),
    "watermarks": ("watermarks",),
}
"""Tables of the core that can be made anew, each with what has to go with it."""

LOG = frozenset({"changes", "watermarks"})
"""Tables without which no index knows how far it has come."""

MEND = "comis doctor --repair"
SAVE = "take what can be read with `comis export --damaged`, and import it into a new file"


@attrs.define(kw_only=True, eq=False, repr=False)
class Doctor:
    """Looks at one open file.

    Args:
        indexes: those that the configuration keeps up, the core's own too.
        now: epoch microseconds.
    """

    store: Store
    indexes: Sequence[Derived]
    vectors: VectorStore
    outbox: Outbox
    now: Callable[[], int]
    _problems: list[Problem] = attrs.field(factory=list, init=False)

    def examine(self) -> tuple[Problem, ...]:
        """Every problem there is. What cannot even be looked at is one."""
        self._problems = []
        with self._looking("file"):
            self._tell_damage(self.store.damage())
        with self._looking("file"):
            self._tell_dangling(self.store.read(integrity.dangling))
        with self._looking("truth"):
            self._tell("truth", self.store.read(integrity.truth), "nothing is removed or changed by the doctor")
        for derived in self.indexes:
            with self._looking(f"index {derived.name}"):
                self._examine_index(derived)
        with self._looking("vectors"):
            self._tell("vectors", self.store.read(self.vectors.check).problems, MEND)
        with self._looking("outbox"):
            self._tell("outbox", self.store.read(integrity.outbox), f"{MEND} tries them again or forgets them")
        with self._looking("traces"):
            if unreadable := self.store.read(integrity.unreadable_traces):
                self._tell("traces", [f"{unreadable} cannot be read"], "they make room for newer ones")
        return tuple(self._problems)

    def facts(self) -> dict[str, Any]:
        """Counts of what is there, and how vectors are compared; empty when they cannot be read."""
        try:
            return self.store.read(self._facts)
        except StoreError:
            return {}

    def repair(self) -> list[str]:
        """Build again what can be built again; what was done, in sentences. Call `examine` afterwards.

        With a damaged truth nothing is touched: what is built from it could only be worse than what is there.

        Raises:
            StoreError: the file is open for reading only, or cannot be used.
        """
        damage = self.store.damage()
        if not all(self._mendable(table, damage) for table in damage.complaints):
            return []
        renewed = self._renew(damage) if damage.complaints else []
        done = [f"{name} was made anew" for name in renewed]
        ahead = [derived for derived in self.indexes if self.store.read(derived.behind) == AHEAD]
        for derived in self.indexes:
            self.store.attach(derived.name, derived.index, derived.version)
        self.store.catch_up()
        for derived in self.indexes:
            if derived in ahead or self._needs_rebuilding(derived, renewed):
                fault = self.store.rebuild(derived.name)
                done.append(f"index {derived.name} {f'could not be rebuilt: {fault}' if fault else 'was rebuilt'}")
        for words, mend in (
            ("unusable vectors were removed; they are made again", self.vectors.mend),
            ("tasks that nobody can do were forgotten", integrity.forget_tasks),
            ("tasks that had failed too often are tried again", self._retry),
            ("tasks that were claimed or put off are due now", self._release),
        ):
            if count := self.store.write(mend):
                done.append(f"{count:,} {words}")
        if renewed:
            self.store.vacuum()
        return done

    # -- what is found

    @contextmanager
    def _looking(self, area: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a plugin's check may raise anything, and the doctor goes on
            words = error.message if isinstance(error, ComisError) else f"{type(error).__name__}: {error}"
            remedy = error.hint if isinstance(error, MissingFileError) else MEND
            self._problems.append(Problem(area=area, what=f"could not be looked at: {words}", remedy=remedy))

    def _tell(self, area: str, words: Sequence[str], remedy: str) -> None:
        self._problems += [Problem(area=area, what=what, remedy=remedy) for what in words]

    def _tell_damage(self, damage: Damage) -> None:
        for table, complaints in damage.complaints.items():
            mendable = self._mendable(table, damage)
            self._problems.append(
                Problem(
                    area="file" if mendable else "truth",
                    what=f"the table {table} is damaged: {complaints[0]}"
                    + (f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""),
                    remedy=MEND if mendable else SAVE,
                )
            )

    def _tell_dangling(self, rows: Mapping[str, int]) -> None:
        for table, count in rows.items():
            mendable = table not in TRUTH and self._is_derived(table)
            remedy = MEND if mendable else "nothing is removed by the doctor"
            what = f"{count} rows of {table} belong to something that is not there"
            self._problems.append(Problem(area="file", what=what, remedy=remedy))

    def _examine_index(self, derived: Derived) -> None:
        area = f"index {derived.name}"

        def look(tx: Transaction) -> tuple[str, Check]:
            behind = derived.behind(tx)
            return behind, Check() if behind else derived.index.check(tx)

        behind, check = self.store.rehearse(look)
        if behind:
            ahead = behind == AHEAD
            remedy = MEND if ahead else "it catches up when the file is opened"
            self._problems.append(Problem(area=area, what=behind, remedy=remedy, minor=not ahead))
        self._tell(area, check.problems, MEND)

    def _facts(self, tx: Transaction) -> dict[str, Any]:
        ((memories, versions),) = tx.execute("SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM memories")
        ((scopes,),) = tx.execute("SELECT count(*) FROM scopes")
        ((traces,),) = tx.execute("SELECT count(*) FROM traces")
        pending = self.outbox.pending(tx, now=self.now())
        return {
            "memories": memories,
            "versions": versions,
            "scopes": scopes,
            "traces": traces,
            "spaces": {space.fingerprint: space.memories for space in self.vectors.spaces(tx)},
            "vectors": kernel().words,
            "tasks": {kind: each.due + each.later for kind, each in pending.items() if each.due + each.later},
            # Claimed by a process that works or was killed, or put off: nothing is wrong with that.
            "not due": {kind: each.later for kind, each in pending.items() if each.later},
        }

    # -- what can be mended

    def _is_derived(self, table: str) -> bool:
        return table in DERIVED or any(derived.owns(table) for derived in self.indexes)

    def _mendable(self, table: str, damage: Damage) -> bool:
        """Whether nothing is lost when what is damaged about this table is made anew."""
        whole = table not in damage.tables and table not in damage.keys.values()
        return whole or self._is_derived(table)

    def _renew(self, damage: Damage) -> list[str]:
        wanted = damage.tables | set(damage.keys.values())
        tables = {name for table in wanted if self._is_derived(table) for name in DERIVED.get(table, (table,))}
        renewed = self.store.renew(tables, damage.indexes)
        if LOG & set(renewed):
            self.store.write(changes.begin_anew)
        return renewed

    def _needs_rebuilding(self, derived: Derived, renewed: Sequence[str]) -> bool:
        if LOG & set(renewed) or any(map(derived.owns, renewed)):
            return True

        try:
            return bool(self.store.rehearse(derived.index.check).problems)
        except Exception as error:
            if isinstance(error, ComisError) and is_environment(error):
                raise
            return True

    def _retry(self, tx: Transaction) -> int:
        return self.outbox.retry(tx, now=self.now())

    def _release(self, tx: Transaction) -> int:
        return self.outbox.release(tx, now=self.now())
