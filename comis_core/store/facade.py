"""The facade `Store`: what the rest of the package calls to remember, change, forget and look after memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comis_core.errors import MemoryRejected, NotFoundError
from comis_core.model import Annotation, Filters, Memory, NewMemory, Page, Scope, from_microseconds, to_microseconds
from comis_core.protocols import Transaction
from comis_core.store import annotations as statements
from comis_core.store import browse, removal, versions
from comis_core.store.access import Access
from comis_core.store.identity import to_bytes, to_text
from comis_core.store.rows import to_memory
from comis_core.store.scopes import UNKNOWN
from comis_core.store.transaction import Statements
from comis_core.store.validation import checked_annotations

if TYPE_CHECKING:
    from comis_core.store import memories as rows
    from comis_core.store.salvage import Salvage
    from comis_core.store.traces import TraceRow


class Store(Access):
    """One file with everything that is remembered.

    Each method that writes is one transaction unless it says otherwise, and attached indexes follow in it. What stores
    memories and traces, and what looks after the file, is imported when it is asked for.
    """

    # -- memories --------------------------------------------------------------------------------------------------

    def add(
        self,
        scope: Scope,
        memories: Sequence[NewMemory],
        *,
        annotations: Sequence[Sequence[Annotation]] | None = None,
        extract: rows.Extract | None = None,
        enqueue: rows.Enqueue | None = None,
        allow_system: bool = False,
    ) -> rows.AddResult:
        """Store a batch in one transaction; callers with more than 1,000 rows make several, so that others can write.

        A row that breaks a rule is refused with its index and the rest goes in. The same text from the same sender,
        session and trust as a live memory is that memory: its id comes back with `duplicate`.

        Args:
            annotations: further annotations, one sequence a row.
            extract: finds annotations in the rows that may go in, outside the write lock.
            enqueue: called in the transaction with the scope's number and the new rows' primary keys.
            allow_system: whether trust "system" may be given.

        Raises:
            ReadOnlyError, StoreError: nothing of the batch was stored.
        """
        from comis_core.store import memories as rows

        now = self._now()
        accepted, rejected = rows.candidates(
            scope, memories, annotations, now=now, make=self._ids, allow_system=allow_system
        )
        if not accepted:
            return rows.AddResult(stored=(), rejected=tuple(rejected), pks=())
        if extract is not None:
            accepted = rows.extracted(accepted, extract)
        prepared = self._indexes.prepare([candidate.memory for candidate in accepted])

        def work(transaction: Statements) -> rows.AddResult:
            number = self._scopes.ensure(transaction, scope)
            outcome = rows.insert(transaction, number, accepted, now=now, allow_system=allow_system)
            prepared.places = outcome.places
            if enqueue is not None and outcome.places:
                enqueue(transaction, number, list(outcome.places))
            return outcome.result(rejected)

        return self._write(work, prepared)

    def refusal(self, scope: Scope, memory: NewMemory, *, allow_system: bool = False) -> str:
        """Why `add` would refuse this row as things are; empty when it would not. Writes nothing."""
        from comis_core.store import memories as rows

        accepted, rejected = rows.candidates(
            scope, [memory], None, now=self._now(), make=self._ids, allow_system=allow_system
        )
        if rejected:
            return rejected[0].reason
        with self._reading(scope) as (reader, number):
            return rows.refusal(reader, number, accepted[0], allow_system=allow_system)

    def get(self, scope: Scope, id: str, *, as_of: datetime | None = None) -> Memory:
        """The open version, or the one that was open at a moment of record time. Raises NotFoundError."""
        moment = None if as_of is None else to_microseconds(as_of)
        with self._reading(scope) as (reader, number):
            row = versions.find(reader, number, id, moment)
        if row is None:
            raise versions.not_found(scope, id)
        return to_memory(row, scope)

    def history(self, scope: Scope, id: str) -> list[Memory]:
        """Every version, oldest first. Raises NotFoundError."""
        with self._reading(scope) as (reader, number):
            rows = versions.history(reader, number, id)
        if not rows:
            raise versions.not_found(scope, id)
        return [to_memory(row, scope) for row in rows]

    def update(
        self,
        scope: Scope,
        id: str,
        *,
        annotations: Sequence[Annotation] | None = None,
        extract: rows.Extract | None = None,
        enqueue: rows.Enqueue | None = None,
        allow_system: bool = False,
        **fields: Any,
    ) -> Memory:
        """Close the open version and write the next one under the same id; nothing happens when nothing changes.

        Args:
            annotations: what caller or model say from now on; None = what they said moves along.
            extract: finds annotations in the new version; None = what was found moves along, unless content or title
                changed.
            enqueue: as for `add`.
            fields: new values by name, see `versions.CHANGEABLE`.

        Raises:
            NotFoundError, MemoryRejected, ComisError: nothing changed.
        """
        former = self.get(scope, id)
        now = from_microseconds(self._now())
        memory = versions.changed(former, fields, now, allow_system=allow_system)
        extracted = extract([memory])[0] if extract is not None and not versions.same(memory, former) else None
        replacement = versions.Replacement.of(annotations, extracted)
        if replacement.empty and versions.same(memory, former):
            return former
        prepared = self._indexes.prepare([memory])

        def work(transaction: Statements) -> Memory | None:
            number = self._scopes.number(transaction.execute, scope)
            row = versions.open_row(transaction, number, scope, id)
            if to_memory(row, scope) != former:
                return None
            pk = versions.replace(transaction, number, row, memory, replacement)
            prepared.places = {pk: 0}
            if enqueue is not None:
                enqueue(transaction, number, [pk])
            return memory

        updated = self._write(work, prepared)
        if updated is not None:
            return updated
        # Somebody else changed the memory meanwhile: the fields go onto what is there now.
        return self.update(
            scope, id, annotations=annotations, extract=extract, enqueue=enqueue, allow_system=allow_system,
            **fields,
        )  # fmt: skip

    def delete(self, scope: Scope, ids: Sequence[str], *, allow_system: bool = False) -> int:
        """Remove every trace of these memories; how many there were. `vacuum` takes it out of the file's free pages.

        Raises:
            MemoryRejected: one is a system memory, and `allow_system` is not given; nothing changed.
        """
        return self._on(scope, ids, removal.delete, allow_system)

    def clear(self, tenant: str, agent: str | None = None) -> int:
        """Delete a tenant's or an agent's memories but system and pinned ones, 1,000 a transaction; how many."""
        named = Scope(tenant, tenant if agent is None else agent)
        scopes = [named] if agent is not None else [scope for scope in self.scopes() if scope.tenant == named.tenant]
        return sum(self._clear(scope) for scope in scopes)

    def _clear(self, scope: Scope) -> int:
        total = 0
        while cleared := self._write(lambda tx: removal.clear_some(tx, self._scopes.number(tx.execute, scope))):
            total += cleared
        return total

    def evict(self, scope: Scope, ids: Sequence[str], *, allow_system: bool = False) -> int:
        """Hide live memories from recall, reversibly; how many were in sight. Raises as `delete` does."""
        now = self._now()
        return self._on(scope, ids, lambda tx, number, found: removal.evict(tx, number, found, now), allow_system)

    def restore(self, scope: Scope, ids: Sequence[str], *, allow_system: bool = False) -> int:
        """Undo `evict`; how many were hidden. Raises as `delete` does."""
        now = self._now()
        return self._on(scope, ids, lambda tx, number, found: removal.restore(tx, number, found, now), allow_system)

    def _on(
        self,
        scope: Scope,
        ids: Sequence[str],
        act: Callable[[Transaction, int, list[bytes]], int],
        allow_system: bool,
    ) -> int:
        found = [number for number in map(to_bytes, dict.fromkeys(ids)) if number is not None]
        if not found:
            return 0

        def work(transaction: Transaction) -> int:
            number = self._scopes.number(transaction.execute, scope)
            if not allow_system:
                removal.check_permitted(transaction, number, found)
            return act(transaction, number, found)

        return self._write(work)

    def browse(
        self,
        scope: Scope,
        *,
        filters: Filters | None = None,
        limit: int = 50,
        cursor: str | None = None,
        include_evicted: bool = False,
        sender: str | None = None,
        session: str | None = None,
        key: str | None = None,
    ) -> Page:
        """One page of the scope by record time, newest first; `cursor` is the last page's. Raises ComisError."""
        equal = {"sender": sender, "session": session, "key": key}
        snapshot = self.snapshot(scope, now=self._now(), filters=filters or Filters(), include_evicted=include_evicted)
        with snapshot as reader:
            rows, following = browse.page(reader, limit, cursor, equal)
        return Page(memories=tuple(to_memory(row, scope) for row in rows), cursor=following)

    # -- annotations -----------------------------------------------------------------------------------------------

    def annotate(self, scope: Scope, id: str, annotations: Sequence[Annotation], *, allow_system: bool = False) -> int:
        """Say more about a live memory; how many statements were new.

        Args:
            allow_system: whether a memory with the trust "system" may be said to be replaced, and may be annotated with
                anything but causes.

        Raises:
            NotFoundError, MemoryRejected.
        """
        fresh = checked_annotations(annotations)
        now = self._now()

        def work(transaction: Transaction) -> int:
            number = self._scopes.number(transaction.execute, scope)
            pk = versions.open_row(transaction, number, scope, id)[0]
            reason = (
                ""
                if allow_system
                else (
                    statements.protected_target(transaction, number, fresh)
                    or statements.protected_statement(transaction, number, id, fresh)
                )
            )
            if reason:
                raise MemoryRejected(reason, hint="engine.agent(name, admin=True)")
            return statements.annotate(transaction, number, pk, fresh, now)

        return self._write(work)

    def annotations(self, scope: Scope, id: str, *, as_of: datetime | None = None) -> list[Annotation]:
        """What stands of a live memory, or stood at a moment of record time, in the order in which it was said.

        Raises NotFoundError.
        """
        with self._reading(scope) as (reader, number):
            if as_of is None:
                return statements.open_annotations(reader, versions.open_row(reader, number, scope, id)[0])
            moment = to_microseconds(as_of)
            row = versions.find(reader, number, id, moment)
            if row is None:
                raise versions.not_found(scope, id)
            return statements.annotations_at(reader, row[0], moment)

    def annotated_history(self, scope: Scope, id: str) -> list[tuple[Memory, list[Annotation]]]:
        """Every version, oldest first, and what stood of it when it ended. Raises NotFoundError."""
        with self._reading(scope) as (reader, number):
            rows = versions.history(reader, number, id)
            said = [statements.last_annotations(reader, row[0]) for row in rows]
        if not rows:
            raise versions.not_found(scope, id)
        return [(to_memory(row, scope), stated) for row, stated in zip(rows, said, strict=True)]

    # -- traces ----------------------------------------------------------------------------------------------------

    def keep_trace(
        self, scope: Scope, *, kind: str, asked_at: int, record: str, most: int, patience: float | None = None
    ) -> str | None:
        """Keep how an answer came about, as JSON of ids and numbers; of the scope's traces the last `most` stay.

        patience: seconds after which the write lock is given up (StoreError); None waits as other writes do.

        Returns:
            The trace's id; None for a scope that nothing was ever stored to.
        """
        from comis_core.store import traces as stored

        number = self._ids.make()
        row = stored.TraceRow(id=to_text(number), kind=kind, asked_at=asked_at, record=record)

        def work(transaction: Transaction) -> str | None:
            place = self._scopes.number(transaction.execute, scope)
            if place == UNKNOWN:
                return None
            stored.keep(transaction, place, number, row, most)
            return row.id

        return self._write(work, patience=patience)

    def trace(self, scope: Scope, id: str) -> TraceRow:
        """A stored trace. Raises NotFoundError."""
        from comis_core.store import traces as stored

        with self._reading(scope) as (reader, number):
            row = stored.find(reader, number, to_bytes(id))
        if row is None:
            raise NotFoundError(f"{scope} has no trace {id}", hint="older ones make room for newer ones")
        return row

    def traces(self, scope: Scope, limit: int) -> list[TraceRow]:
        """The scope's last traces, newest first."""
        from comis_core.store import traces as stored

        with self._reading(scope) as (reader, number):
            return stored.newest(reader, number, limit)

    # -- the file --------------------------------------------------------------------------------------------------

    def scopes(self) -> list[Scope]:
        """Every scope that was ever stored to, by tenant and agent."""
        with self._database.reading() as connection:
            return self._scopes.all(Statements(connection.raw, self.path))

    def count(self, scope: Scope) -> int:
        """How many memories of the scope are live: neither evicted nor expired."""
        with self.snapshot(scope, now=self._now(), filters=Filters()) as reader:
            ((count,),) = reader.fetch("SELECT count(*) FROM visible_scan")
        return int(count)

    def scope_number(self, scope: Scope) -> int:
        """The number under which the scope's rows are filed; 0 for one that was never stored to."""
        with self._reading(scope) as (_, number):
            return number

    def size(self) -> int:
        """How many memory versions the file has held at most: the highest primary key."""
        with self._database.reading() as connection:
            ((highest,),) = Statements(connection.raw, self.path).execute("SELECT coalesce(max(pk), 0) FROM memories")
        return int(highest)

    def vacuum(self) -> None:
        """Rewrite the file and empty its log: what was deleted is gone from the disk's view of both.

        Indexes with a method `optimise(tx)` run it first.
        """
        for attached in self._indexes.attached():
            optimise = getattr(attached.index, "optimise", None)
            if optimise is not None:
                self._write(optimise)
        from comis_core.store import maintenance

        with self._database.writing() as connection:
            maintenance.rewrite(connection, self.path)

    def backup(self, path: Path | str) -> None:
        """Copy the file as it is now to a path where there is nothing yet, while others read and write."""
        from comis_core.store import maintenance

        self._database.check()
        maintenance.backup(self._database.connections, self._database.reader, Path(path).absolute())

    @contextmanager
    def salvage(self, scope: Scope) -> Iterator[Salvage]:
        """What can be read of the scope in a damaged file. Raises StoreError when not even the scopes can be."""
        from comis_core.store.salvage import Salvage

        with self._database.reading() as connection:
            number = self._scopes.number(Statements(connection.raw, self.path).execute, scope)
            yield Salvage(connection=connection.raw, path=self.path, scope=scope, number=number)
