"""Derived indexes: each is kept up inside the transaction that writes, and catches up when it was left behind."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs

from comis_core.errors import ComisError, StoreError
from comis_core.model import Memory
from comis_core.protocols import Change, Index, Transaction
from comis_core.store import changes, watermarks
from comis_core.store.database import Database
from comis_core.store.faults import is_environment, is_locked
from comis_core.store.transaction import Statements
from comis_core.store.watermarks import BATCH, Mark, Payload

log = logging.getLogger(__name__)


@attrs.define(eq=False, repr=False)
class Attached:
    """An index that this store keeps up.

    fault: why it is left behind until the next `catch_up`. waits: whether it has not been looked after yet, because
    somebody else was writing.
    """

    name: str
    index: Index
    version: str
    fault: str = ""
    waits: bool = False

    def payloads(self, memories: Mapping[int, Memory]) -> dict[int, Payload]:
        """Let the index do its slow work. memories: by any key; raises StoreError for a wrong number of answers."""
        values = self.index.prepare(tuple(memories.values())) if memories else ()
        if len(values) != len(memories):
            raise StoreError(f"prepare returned {len(values)} values for {len(memories)} memories")
        return {key: Payload(memory, value) for (key, memory), value in zip(memories.items(), values, strict=True)}


@attrs.define(eq=False, repr=False)
class Prepared:
    """What the indexes made of a batch outside the write lock.

    payloads: index name -> place in the batch -> payload. places: pk -> place, filled by the write.
    """

    payloads: Mapping[str, Mapping[int, Payload]] = attrs.field(factory=dict)
    places: dict[int, int] = attrs.field(factory=dict)

    def of(self, name: str) -> dict[int, Payload]:
        """pk -> payload for one index."""
        payloads = self.payloads.get(name)
        return {} if payloads is None else {pk: payloads[place] for pk, place in self.places.items()}


class Indexes:
    """Every attached index of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._attached: dict[str, Attached] = {}

    def attach(self, name: str, index: Index, version: str, patience: float | None = None) -> bool:
        """Keep an index up from now on; a new one, or one of another version, is emptied and waits for `catch_up`.

        patience: seconds after which emptying it is left to `catch_up` too. Returns whether it was not.
        """
        attached = Attached(name, index, version)
        self._attached = {**self._attached, name: attached}
        if self._database.read_only:
            return True
        try:
            with self._guarded(attached):
                self._begin(attached, patience)
        except StoreError as error:
            if patience is None or not is_locked(error):
                raise
            attached.waits = True
        return not attached.waits

    def _begin(self, attached: Attached, patience: float | None) -> None:
        # Mostly there is nothing to write, and a file can be opened while another process writes to it.
        with self._database.state() as reader:
            if _is_kept(attached, reader):
                return
        with self._database.transaction(patience) as transaction:
            if not _is_kept(attached, transaction):
                watermarks.begin(transaction, attached.name, attached.index, attached.version)

    def detach(self, name: str) -> None:
        """Keep an index up no longer; its rows stay, and its mark says how far it has come."""
        self._attached = {other: attached for other, attached in self._attached.items() if other != name}

    def known(self) -> set[str]:
        """The indexes that have rows in the file, attached or not."""
        with self._database.state() as reader:
            return set(watermarks.read_marks(reader)) - {changes.HORIZON}

    def attached(self) -> Sequence[Attached]:
        """Every attached index."""
        return tuple(self._attached.values())

    def pending(self) -> dict[str, str]:
        """Index -> why recalls may miss memories in it; empty when all are up to date."""
        if not self._attached:
            return {}
        with self._database.state() as reader:
            marks, last = watermarks.read_marks(reader), changes.newest(reader)
        words = {attached.name: _behind(attached, marks.get(attached.name), last) for attached in self.attached()}
        return {name: word for name, word in words.items() if word}

    def lagging(self) -> bool:
        """Whether a sound index has been filled and has not seen the last changes."""
        with self._database.state() as reader:
            marks, last = watermarks.read_marks(reader), changes.newest(reader)
        found = ((attached, marks.get(attached.name)) for attached in self._sound())
        filled = [mark for attached, mark in found if mark and mark.version == attached.version and not mark.filling]
        return any(mark.seq < last for mark in filled)

    # -- with a write ----------------------------------------------------------------------------------------------

    def prepare(self, memories: Sequence[Memory]) -> Prepared:
        """Let every index do its slow work on a batch, outside the write lock."""
        places = dict(enumerate(memories))
        payloads = {}
        for attached in self._sound():
            with self._guarded(attached):
                payloads[attached.name] = attached.payloads(places)
        return Prepared(payloads)

    def follow(self, transaction: Statements, before: int, prepared: Prepared) -> None:
        """Apply what this transaction changed, and a short gap that another process left.

        before: number of the last change when the transaction began.
        """
        last = changes.newest(transaction)
        if last == before:
            return
        marks = watermarks.read_marks(transaction) if self._attached else {}
        # Nearly always every index has come as far as the others, and the log is read once.
        since: dict[int, list[Change]] = {}
        for attached in self._sound():
            mark = marks.get(attached.name)
            if mark is not None and _near(attached, mark, marks, before):
                with self._guarded(attached):
                    lines = since.get(mark.seq)
                    if lines is None:
                        lines = since[mark.seq] = watermarks.lines_to_replay(transaction, mark, last)
                    payloads = _payloads(transaction, attached, lines, prepared)
                    complete = watermarks.complete(lines, mark, payloads)
                    watermarks.apply(transaction, attached.index, complete, attrs.evolve(mark, seq=last))
        if last // BATCH != before // BATCH:
            changes.prune(transaction, last)

    # -- catching up -----------------------------------------------------------------------------------------------

    def catch_up(self, *, again: bool = True, patience: float | None = None) -> None:
        """Bring every index up to date, in transactions of at most `BATCH` rows.

        An index that fails stays behind with its reason in `pending`. again: also one that has failed before.
        patience: of each transaction.
        """
        for attached in self.attached() if again else self._sound():
            attached.fault = ""
            with self._guarded(attached):
                while self._step(attached, patience):
                    pass

    def rebuild(self, name: str) -> str:
        """Empty an index and fill it again; why it could not be, "" when it could."""
        attached = self._attached[name]
        attached.fault = ""
        with self._guarded(attached):
            with self._database.transaction() as transaction:
                watermarks.begin(transaction, name, attached.index, attached.version)
            while self._step(attached):
                pass
        return attached.fault

    def _step(self, attached: Attached, patience: float | None = None) -> bool:
        """Apply one batch; whether there may be more to do."""
        if attached.waits:
            self._begin(attached, patience)
            attached.waits = False
        # One state of the file, or a change could be pruned between two looks at the log.
        with self._database.state() as reader:
            marks, last = watermarks.read_marks(reader), changes.newest(reader)
            mark = marks.get(attached.name)
            if mark is None or _lost(mark, marks) or mark.seq > last:
                lines, memories = None, {}
            elif mark.version != attached.version:
                raise StoreError(f"another process keeps it in version {mark.version!r}, not {attached.version!r}")
            elif not mark.filling and mark.seq == last:
                return False
            else:
                lines = _next(reader, mark, last)
                memories = watermarks.load(reader, [line.pk for line in lines if line.operation == "add"])
        if mark is None or lines is None:
            with self._database.transaction(patience) as transaction:
                watermarks.begin(transaction, attached.name, attached.index, attached.version)
            return True
        payloads = attached.payloads(memories)
        with self._database.transaction(patience) as transaction:
            # Another writer with the same index may have come first: then this batch is applied already.
            if watermarks.read_marks(transaction).get(attached.name) == mark:
                present = watermarks.present(transaction, payloads)
                complete = watermarks.complete(lines, mark, {pk: payloads[pk] for pk in present})
                watermarks.apply(transaction, attached.index, complete, mark.after(lines, last))
        return True

    # -- shared ----------------------------------------------------------------------------------------------------

    def _sound(self) -> list[Attached]:
        return [attached for attached in self._attached.values() if not attached.fault]

    @contextmanager
    def _guarded(self, attached: Attached) -> Iterator[None]:
        """A failing index is left behind and named; the write goes on. Disk, locks and memory are not its fault."""
        try:
            yield
        except Exception as error:
            if isinstance(error, ComisError) and is_environment(error):
                raise
            attached.fault = f"{type(error).__name__}: {error}"
            log.warning("index %s is left behind: %s", attached.name, attached.fault)


def _is_kept(attached: Attached, reader: Transaction) -> bool:
    mark = watermarks.read_marks(reader).get(attached.name)
    return mark is not None and mark.version == attached.version


def _payloads(
    reader: Transaction, attached: Attached, lines: Sequence[Change], prepared: Prepared
) -> dict[int, Payload]:
    """pk -> payload of every addition; what nobody prepared is prepared now."""
    payloads = prepared.of(attached.name)
    missing = [line.pk for line in lines if line.operation == "add" and line.pk not in payloads]
    return payloads | attached.payloads(watermarks.load(reader, missing)) if missing else payloads


def _near(attached: Attached, mark: Mark, marks: Mapping[str, Mark], before: int) -> bool:
    """Whether the index can be brought up within a write that began at the change `before`."""
    return mark.version == attached.version and 0 <= before - mark.seq <= BATCH and not _lost(mark, marks)


def _lost(mark: Mark, marks: Mapping[str, Mark]) -> bool:
    """Whether the log no longer reaches back to the mark."""
    horizon = marks.get(changes.HORIZON)
    return horizon is not None and mark.seq < horizon.seq


def _next(reader: Transaction, mark: Mark, last: int) -> list[Change]:
    if mark.filling:
        return watermarks.lines_to_fill(reader, mark)
    return watermarks.lines_to_replay(reader, mark, last, BATCH)


def _behind(attached: Attached, mark: Mark | None, last: int) -> str:
    if attached.fault:
        return attached.fault
    if mark is None or (attached.waits and mark.version != attached.version):
        return "not filled yet"
    if mark.version != attached.version:
        return f"kept by another process in version {mark.version!r}, not {attached.version!r}"
    if mark.filling:
        return f"being filled: up to {mark.position:,} of {mark.target:,}"
    if mark.seq > last:
        return "ahead of the change log"
    return f"{last - mark.seq:,} changes behind" if mark.seq < last else ""
