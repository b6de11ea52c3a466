"""A slab is what the blobs are, exactly as of each snapshot, whatever happens around it."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Scope, Trust
from comis_core.store import Store, codes, slabs
from comis_core.store.vectors import VectorStore, load_sqlite_vec

SPACE = "model"
SCOPE = Scope("acme", "helper")
DIMENSIONS = 3
CHANGES = ("add", "embed", "embed windows", "delete", "evict", "restore", "update", "annotate")
OPERATIONS = st.lists(
    st.tuples(st.sampled_from((*CHANGES, "look", "look restricted", "verify", "forget")), st.integers(0, 30)),
    max_size=60,
)


def brute_force(snapshot: Any, query: Any) -> dict[int, float]:
    """Cosine of every visible memory, from the blobs."""
    rows = snapshot.execute("SELECT v.pk, v.vector FROM vectors AS v JOIN visible AS m ON m.pk = v.pk ORDER BY v.pk")
    found: dict[int, float] = {}
    for pk, blob in rows:
        cosine = float(np.frombuffer(blob, "<f4").astype(float) @ query.astype(float))
        found[pk] = max(cosine, found.get(pk, -2.0))
    return found


class Play:
    """A store on which operations are played, and the snapshots that are still open."""

    def __init__(self, store: Store, stack: contextlib.ExitStack, seed: int = 3) -> None:
        self.store = store
        self.vectors = VectorStore()
        self.random = np.random.default_rng(seed)
        self.pks: list[int] = []
        self.open: list[Any] = []
        self._stack = stack
        self._added = 0

    def unit(self, rows: int = 1) -> Any:
        vectors = self.random.standard_normal((rows, DIMENSIONS)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def act(self, operation: str, number: int) -> None:
        if operation.startswith("look"):
            self.look(restricted=operation.endswith("restricted"))
        elif operation == "verify":
            self.verify()
        elif operation == "forget":
            self.vectors.close()
        elif operation == "add":
            self.add(1 + number % 5)
        elif self.pks:
            self.change(operation, self.pks[number % len(self.pks)])

    def add(self, count: int) -> None:
        trusts = (Trust.LEARNED, Trust.EXTERNAL)
        rows = [NewMemory(content=f"memory {self._added + place}", trust=trusts[place % 2]) for place in range(count)]
        self._added += count
        self.pks += self.store.add(SCOPE, rows).pks

    def change(self, operation: str, pk: int) -> None:
        if operation.startswith("embed"):
            windows = self.unit(3 if operation.endswith("windows") else 1)
            self.store.write(lambda tx: self.vectors.write(tx, SPACE, DIMENSIONS, 1, {pk: list(windows)}))
            return
        open_row = "SELECT lower(hex(id)) FROM memories WHERE pk = ? AND closed_at IS NULL"
        rows = self.store.write(lambda tx: list(tx.execute(open_row, (pk,))))
        if not rows:
            return
        memory = rows[0][0]
        if operation == "delete":
            self.store.delete(SCOPE, [memory])
        elif operation == "evict":
            self.store.evict(SCOPE, [memory])
        elif operation == "restore":
            self.store.restore(SCOPE, [memory])
        elif operation == "update":
            self._added += 1
            self.store.update(SCOPE, memory, content=f"memory {self._added} anew")
            self.pks += self.store.write(lambda tx: [pk for (pk,) in tx.execute("SELECT max(pk) FROM memories")])

    def look(self, *, restricted: bool) -> None:
        filters = Filters(trust=frozenset({Trust.LEARNED})) if restricted else Filters()
        self.open.append(self._stack.enter_context(self.store.snapshot(SCOPE, now=0, filters=filters)))

    def verify(self) -> None:
        """Every open snapshot sees exactly its own state; the newest first, so that older ones find it ahead."""
        query = self.unit()[0]
        for snapshot in reversed(self.open):
            expected = brute_force(snapshot, query)
            claims = self.vectors.similarities(snapshot, SPACE, query)
            assert claims is not None
            assert claims.ids.tolist() == sorted(expected)
            np.testing.assert_allclose(claims.values, [expected[pk] for pk in sorted(expected)], atol=1e-5)
            slab = self.vectors.slab(snapshot, SPACE)
            assert slab is not None
            assert set(expected) <= set(slab.ids.tolist())
            assert np.all(np.diff(slab.ids) >= 0)
            best = self.vectors.nearest(snapshot, SPACE, query, 3).ids.tolist()
            assert best == sorted(sorted(expected, key=lambda pk: expected[pk])[-3:])


@contextlib.contextmanager
def played() -> Iterator[Play]:
    clock = ManualClock(datetime(2024, 5, 8, tzinfo=UTC))
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "memory.db", clock=clock, synchronous="OFF", on_connect=load_sqlite_vec) as store,
        contextlib.ExitStack() as stack,
    ):
        yield Play(store, stack)


@pytest.fixture(params=["compacted at once", "compacted late", "late, as int8 from three rows on"])
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Small buffers, so that a few rows fill them; and both ways to treat hidden rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slabs, "_SLACK", 2)
        if request.param != "compacted at once":
            patch.setattr(slabs, "_SMALL", 0)
        if request.param.endswith("rows on"):
            pytest.importorskip("numkong")
            patch.setattr(codes, "LARGE", 3 * 4 * DIMENSIONS)
        yield


@settings(max_examples=25, deadline=None)
@given(operations=OPERATIONS)
@pytest.mark.usefixtures("thresholds")
def test_any_history_leaves_every_snapshot_its_own_state(operations: list[tuple[str, int]]) -> None:
    with played() as play:
        play.add(4)
        for pk in play.pks[:3]:
            play.change("embed", pk)
        for operation, number in operations:
            play.act(operation, number)
        play.look(restricted=False)
        play.verify()


@pytest.mark.usefixtures("thresholds")
def test_hundreds_of_changes_under_one_old_snapshot() -> None:
    with played() as play:
        play.add(20)
        for pk in play.pks:
            play.change("embed", pk)
        play.look(restricted=False)
        play.look(restricted=True)
        play.verify()
        for step in range(120):
            play.act(CHANGES[step % len(CHANGES)], int(play.random.integers(1000)))
            if step % 10 == 0:
                play.look(restricted=step % 20 == 0)
                play.verify()
                play.open = play.open[:2] + play.open[-2:]


def test_a_snapshot_between_two_known_states_gets_its_own_rows() -> None:
    with played() as play:
        play.add(6)
        for pk in play.pks:
            play.change("embed", pk)
            play.look(restricted=False)
        play.open = [play.open[place] for place in (1, 3, 4, 2)]
        play.verify()
        play.add(1)
        play.change("embed", play.pks[-1])
        play.look(restricted=False)
        play.verify()


def test_readers_in_threads_never_see_another_snapshots_vectors() -> None:
    wrong: list[str] = []
    finished = threading.Event()
    with played() as play:
        play.add(50)
        for pk in play.pks:
            play.change("embed", pk)

        def read(seed: int) -> None:
            query = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
            while not finished.is_set():
                with play.store.snapshot(SCOPE, now=0, filters=Filters()) as snapshot:
                    claims = play.vectors.similarities(snapshot, SPACE, query)
                    if claims is None or claims.ids.tolist() != sorted(brute_force(snapshot, query)):
                        wrong.append(f"at {snapshot.seq}")

        readers = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for reader in readers:
            reader.start()
        try:
            for step in range(150):
                play.act(("add", "embed", "delete", "embed", "update")[step % 5], int(play.random.integers(1000)))
        finally:
            finished.set()
            for reader in readers:
                reader.join()
    assert wrong == []
