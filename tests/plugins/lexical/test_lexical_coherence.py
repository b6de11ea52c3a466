"""A slab is what a fresh one would be, to the byte, exactly as of each snapshot, whatever happened before."""

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
from comis_core.model import Filters, NewMemory, Ranking, Scope, Trust
from comis_core.store import Store
from comis_core.text import Analyser
from comis_plugins.lexical import cache, segment, slab
from comis_plugins.lexical.cache import SlabCache
from comis_plugins.lexical.index import MIGRATIONS, LexicalIndex
from comis_plugins.lexical.terms import SUB_LANES

SCOPE = Scope("acme", "helper")
WORDS = ("river", "rivers", "bakery", "baker", "Lisbon", "Lisboa", "swim", "swimming", "the", "of", "boat", "Monday")
CHANGES = ("add", "delete", "evict", "restore", "update", "embed")
LOOKS = ("look", "look restricted", "verify", "forget")
OPERATIONS = st.lists(st.tuples(st.sampled_from((*CHANGES, *LOOKS)), st.integers(0, 1000)), max_size=50)
LEARNED = Filters(trust=frozenset({Trust.LEARNED}))


@pytest.fixture(params=["lists only", "bitmaps at once"])
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Small segments, and both ways to put postings in order and to read a frequent term."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slab, "LARGEST", 20)
        patch.setattr(slab, "GRADE", 2)
        patch.setattr(slab, "HIDDEN", 3)
        patch.setattr(cache, "_RELOAD", 0)
        if request.param == "bitmaps at once":
            patch.setattr(segment, "SMALL", 3)
            patch.setattr(segment, "DENSE", 4)
            patch.setattr(segment, "MANY", 1)
        yield


class Play:
    """A store on which operations are played, and the snapshots that are still open."""

    def __init__(self, library: Any, store: Store, stack: contextlib.ExitStack, seed: int = 5) -> None:
        self.library = library(store, ManualClock(datetime(2024, 5, 8, tzinfo=UTC)))
        self.store = store
        self.random = np.random.default_rng(seed)
        self.ids: list[str] = []
        self.open: list[Any] = []
        self._stack = stack
        self._added = 0

    def text(self) -> str:
        self._added += 1
        words = self.random.choice(WORDS, int(self.random.integers(0, 12))).tolist()
        return " ".join([*words, f"n{self._added}"])

    def act(self, operation: str, number: int) -> None:
        if operation.startswith("look"):
            self.look(LEARNED if operation.endswith("restricted") else Filters())
        elif operation == "verify":
            self.verify()
        elif operation == "forget":
            self.library.slabs.close()
        elif operation == "add":
            self.add(1 + number % 6)
        elif self.ids:
            self.change(operation, self.ids[number % len(self.ids)])

    def add(self, count: int) -> None:
        trusts = (Trust.LEARNED, Trust.LEARNED, Trust.EXTERNAL)
        rows = [NewMemory(content=self.text(), trust=trusts[place % 3]) for place in range(count)]
        self.ids += [stored.id for stored in self.store.add(SCOPE, rows).stored]

    def change(self, operation: str, id: str) -> None:
        if operation == "delete":
            self.store.delete(SCOPE, [id])
            self.ids.remove(id)
        elif operation == "evict":
            self.store.evict(SCOPE, [id])
        elif operation == "restore":
            self.store.restore(SCOPE, [id])
        elif operation == "embed":
            self.store.write(lambda tx: tx.execute("INSERT INTO changes(scope, pk, operation) VALUES (1, 1, 'embed')"))
        else:
            self.store.update(SCOPE, id, content=self.text())

    def look(self, filters: Filters) -> None:
        self.open.append(self._stack.enter_context(self.store.snapshot(SCOPE, now=0, filters=filters)))

    def verify(self) -> None:
        """Every open snapshot has its own answer; the newest first, so that older ones find the slabs ahead."""
        question = " ".join(self.random.choice(WORDS, 3).tolist())
        for snapshot in reversed(self.open):
            kept = self.library.ask(snapshot, question, limit=5)
            fresh = self.library.ask(snapshot, question, limit=5, slabs=SlabCache(1 << 28))
            assert bytes_of(kept) == bytes_of(fresh), question
            assert kept.claims is None or kept.claims.ids.tolist() == snapshot.visible_ids().tolist()


def bytes_of(ranking: Ranking) -> tuple[bytes, ...]:
    """Everything that a ranking says."""
    claims = () if ranking.claims is None else (ranking.claims.ids.tobytes(), ranking.claims.values.tobytes())
    return (ranking.ids.tobytes(), ranking.scores.tobytes(), *claims)


@contextlib.contextmanager
def played(library: Any) -> Iterator[Play]:
    clock = ManualClock(datetime(2024, 5, 8, tzinfo=UTC))
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(
            Path(folder) / "memory.db", clock=clock, synchronous="OFF", readers=64, migrations={"lexical": MIGRATIONS}
        ) as store,
        contextlib.ExitStack() as stack,
    ):
        store.attach("lexical", LexicalIndex(Analyser()), "1")
        store.catch_up()
        yield Play(library, store, stack)


@settings(max_examples=25, deadline=None)
@given(operations=OPERATIONS)
@pytest.mark.usefixtures("thresholds")
def test_any_history_leaves_every_snapshot_the_answer_of_a_fresh_slab(
    library_class: Any, operations: list[tuple[str, int]]
) -> None:
    with played(library_class) as play:
        play.add(8)
        for operation, number in operations:
            play.act(operation, number)
        play.look(Filters())
        play.verify()


@pytest.mark.usefixtures("thresholds")
def test_hundreds_of_changes_under_one_old_snapshot(library_class: Any) -> None:
    with played(library_class) as play:
        play.add(40)
        play.look(Filters())
        play.look(LEARNED)
        play.verify()
        for step in range(200):
            play.act(CHANGES[step % len(CHANGES)], int(play.random.integers(1000)))
            if step % 7 == 0:
                play.look(LEARNED if step % 2 else Filters())
                play.verify()
                play.open = play.open[:2] + play.open[-2:]


@pytest.mark.usefixtures("thresholds")
def test_segments_stay_few_and_are_rid_of_what_is_hidden(library_class: Any) -> None:
    with played(library_class) as play:
        for step in range(60):
            play.add(1)
            if step % 3 == 2:
                play.change("evict", play.ids[step - 2])
            play.look(Filters())
            found = play.library.slabs.of(play.open[-1], SUB_LANES)
            assert len(found.segments) <= 8
            assert found.count == len(found.ids) == play.open[-1].visible_ids().size
            assert all(each.dead * slab.HIDDEN <= len(each) for each in found.segments)
            play.open.pop()


def test_restored_memories_come_back_in_order(library_class: Any) -> None:
    with played(library_class) as play:
        play.add(30)
        play.store.evict(SCOPE, play.ids[3:9])
        play.look(Filters())
        play.verify()
        play.store.restore(SCOPE, play.ids[3:5])
        play.look(Filters())
        play.verify()
        ids = play.library.slabs.of(play.open[-1], SUB_LANES).ids
        assert ids.tolist() == sorted(ids.tolist())
        assert ids.size == 26


def test_agents_that_use_other_sub_lanes_have_slabs_of_their_own(library_class: Any) -> None:
    with played(library_class) as play:
        play.add(30)
        play.look(Filters())
        play.library.ask(play.open[0], "river", prefix_weight=0.0, trigram_weight=0.0)
        stems_alone = play.library.slabs.size()
        play.library.ask(play.open[0], "river")
        assert play.library.slabs.size() > 2.5 * stems_alone
        play.verify()


def test_beyond_the_budget_other_scopes_are_loaded_again(library_class: Any) -> None:
    with played(library_class) as play:
        play.library.slabs = SlabCache(1)
        play.add(10)
        play.library.add("river boat", "bakery", scope=Scope("acme", "other"))
        for _ in range(2):
            assert play.library.find("river boat", scope=Scope("acme", "other"))[0] == "river boat"
            other = play.library.slabs.size()
            assert play.library.find("river")
            assert play.library.slabs.size() != other


def test_readers_in_threads_never_see_another_snapshots_words(library_class: Any) -> None:
    wrong: list[str] = []
    with played(library_class) as play:
        play.add(60)
        finished = threading.Event()

        def read(seed: int) -> None:
            random = np.random.default_rng(seed)
            while not finished.is_set():
                question = " ".join(random.choice(WORDS[:6], 2).tolist())
                with play.store.snapshot(SCOPE, now=0, filters=Filters()) as snapshot:
                    kept = play.library.ask(snapshot, question)
                    fresh = play.library.ask(snapshot, question, slabs=SlabCache(1 << 28))
                if bytes_of(kept) != bytes_of(fresh):
                    wrong.append(f"{question} at {snapshot.seq}")

        readers = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for reader in readers:
            reader.start()
        try:
            for step in range(100):
                play.act(("add", "delete", "update", "evict", "restore")[step % 5], int(play.random.integers(1000)))
        finally:
            finished.set()
            for reader in readers:
                reader.join()
    assert wrong == []
