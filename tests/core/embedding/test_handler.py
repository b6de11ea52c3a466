"""Embedding in the background: every memory gets its vectors or stays in the outbox."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.embedding.guard import GuardedEmbedder
from comis_core.embedding.handler import (
    ABSENT_SECONDS,
    BATCH,
    EMBED,
    EMBED_MISSING,
    GIVE_UP,
    PAGE,
    REST_SECONDS,
    EmbedHandler,
    MissingHandler,
    embed_missing,
)
from comis_core.jobs.worker import Worker
from comis_core.model import Filters, NewMemory, Scope, to_microseconds
from comis_core.store import Store
from comis_core.store.outbox import MAX_ATTEMPTS, Outbox, Pending
from comis_core.store.vectors import VectorStore

SCOPE = Scope("acme", "helper")
OTHER = Scope("acme", "other")


@attrs.define
class Bench:
    """A store, its worker, and an embedder a scope."""

    store: Store
    clock: ManualClock
    embedders: dict[int, GuardedEmbedder] = attrs.field(factory=dict)
    vectors: VectorStore = attrs.field(factory=VectorStore)
    outbox: Outbox = attrs.field(factory=Outbox)
    ids: dict[int, str] = attrs.field(factory=dict)

    @property
    def worker(self) -> Worker:
        embed = EmbedHandler(self.store, self.vectors, self.embedders.get, self.clock)
        missing = MissingHandler(self.vectors, self.outbox, self.embedders.get, self.clock)
        handlers = {EMBED: embed, EMBED_MISSING: missing}
        return Worker(self.store, self.outbox, handlers, self.clock, logging.getLogger("test"))

    def use(self, toy: Any, scope: int = 1, **options: Any) -> None:
        self.embedders[scope] = GuardedEmbedder(toy, plugin="plugin 'toy'", **options)

    def remember(self, *contents: str | NewMemory, scope: Scope = SCOPE, later: bool = True) -> list[int]:
        def enqueue(tx: Any, number: int, pks: Any) -> None:
            if later:
                self.outbox.enqueue(tx, EMBED, number, pks, now=self.now)

        rows = [NewMemory(content=row) if isinstance(row, str) else row for row in contents]
        result = self.store.add(scope, rows, enqueue=enqueue)
        self.ids |= {pk: stored.id for pk, stored in zip(result.pks, result.stored, strict=True)}
        return list(result.pks)

    @property
    def now(self) -> int:
        return to_microseconds(self.clock.now())

    def embedded(self, space: str = "toy-4", scope: Scope = SCOPE) -> list[int]:
        with self.store.snapshot(scope, now=self.now, filters=Filters()) as snapshot:
            slab = self.vectors.slab(snapshot, space)
            assert slab is not None
            return sorted(set(slab.ids.tolist()))

    def vector(self, pk: int, space: str = "toy-4") -> Any:
        with self.store.snapshot(SCOPE, now=self.now, filters=Filters()) as snapshot:
            return self.vectors.fetch(snapshot, space, np.array([pk]))[0]

    def pending(self, kind: str = EMBED) -> Pending:
        return self.store.write(lambda tx: self.outbox.pending(tx, now=self.now)).get(kind, Pending())

    def wait(self, seconds: float) -> None:
        self.clock.advance(timedelta(seconds=seconds))


@pytest.fixture
def bench(store: Store, clock: ManualClock, toy: Any) -> Bench:
    bench = Bench(store, clock)
    bench.use(toy)
    return bench


def test_what_is_stored_is_embedded(bench: Bench, toy: Any) -> None:
    one, two = bench.remember("one", "two")
    assert bench.worker.drain() == 2
    assert bench.embedded() == [one, two]
    np.testing.assert_allclose(bench.vector(two), toy.vector("two"), atol=1e-6)
    assert bench.pending() == Pending()


def test_a_batch_is_one_call(bench: Bench, toy: Any) -> None:
    bench.remember(*(f"memory {number}" for number in range(BATCH + 1)))
    bench.worker.drain()
    assert [len(texts) for texts, _ in toy.calls] == [BATCH, 1]
    assert {kind for _, kind in toy.calls} == {"document"}


def test_a_long_text_is_embedded_in_windows(bench: Bench, toy: Any) -> None:
    toy.window = 4
    (pk,) = bench.remember("abcdefgh")
    bench.worker.drain()
    with bench.store.snapshot(SCOPE, now=bench.now, filters=Filters()) as snapshot:
        claims = bench.vectors.similarities(snapshot, "toy-4", toy.vector("efgh"))
    assert claims is not None
    assert claims.ids.tolist() == [pk]
    assert claims.values.tolist() == pytest.approx([1.0], abs=1e-6)


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_memory_that_went_meanwhile_is_skipped(bench: Bench, toy: Any, how: str) -> None:
    one, two = bench.remember("one", "two")
    if how == "deleted":
        bench.store.delete(SCOPE, [bench.ids[one]])
    else:
        bench.store.update(SCOPE, bench.ids[one], content="one anew")
    bench.worker.drain()
    assert toy.calls == [(("two",), "document")]
    assert bench.embedded() == [two]
    assert bench.pending() == Pending()


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_memory_that_goes_while_it_is_embedded_gets_no_vector(bench: Bench, toy: Any, how: str) -> None:
    one, two = bench.remember("one", "two")

    def meanwhile(texts: list[str], vectors: Any) -> Any:
        if how == "deleted":
            bench.store.delete(SCOPE, [bench.ids[one]])
        else:
            bench.store.update(SCOPE, bench.ids[one], content="one anew")
        return vectors

    toy.spoil = meanwhile
    bench.worker.drain()
    assert bench.store.write(lambda tx: list(tx.execute("SELECT pk FROM vectors"))) == [(two,)]
    assert bench.pending() == Pending()


def poison(*bad: str) -> Callable[[list[str], Any], Any]:
    """NaN for these texts."""

    def spoil(texts: list[str], vectors: Any) -> Any:
        for place, text in enumerate(texts):
            if text in bad:
                vectors[place] = np.nan
        return vectors

    return spoil


def test_one_bad_text_fails_alone(bench: Bench, toy: Any) -> None:
    toy.spoil = poison("bad")
    good, _, fine = bench.remember("good", "bad", "fine")
    bench.worker.drain()
    assert bench.embedded() == [good, fine]
    assert bench.pending() == Pending(later=1)


def test_a_bad_text_is_set_aside_at_last_and_its_reason_quotes_nothing(bench: Bench, toy: Any) -> None:
    toy.spoil = poison("the secret is 4711")
    bench.remember("the secret is 4711")
    for _ in range(MAX_ATTEMPTS + 3):
        bench.worker.drain()
        bench.wait(4000)
    assert len(toy.calls) == MAX_ATTEMPTS
    (aside,) = bench.store.write(bench.outbox.set_aside)
    assert aside.error == "plugin 'toy' returned a number that is not finite for text 0 of 1"


def test_many_bad_texts_do_not_take_the_good_ones_with_them(bench: Bench, toy: Any) -> None:
    bad = [f"bad {number}" for number in range(10)]
    toy.spoil = poison(*bad)
    bench.remember(*bad)
    good = bench.remember("good", "fine")
    for _ in range(40):
        bench.worker.drain()
        bench.wait(600)
    assert bench.embedded() == good
    assert bench.pending() == Pending(set_aside=10)


def raising(texts: list[str], vectors: Any) -> Any:
    raise ConnectionError("no route")


def test_an_embedder_that_is_down_rests_and_loses_nothing(bench: Bench, toy: Any) -> None:
    toy.spoil = raising
    pks = bench.remember(*(f"memory {number}" for number in range(BATCH * 3)))
    worker = bench.worker
    worker.drain()
    assert len(toy.calls) == 1 + GIVE_UP
    assert bench.pending() == Pending(later=len(pks))
    toy.spoil = lambda texts, vectors: vectors
    worker.drain()
    bench.wait(REST_SECONDS)
    worker.drain()
    assert bench.embedded() == pks
    assert bench.pending() == Pending()


def test_a_long_outage_sets_nothing_aside_that_was_not_tried(bench: Bench, toy: Any) -> None:
    toy.spoil = raising
    bench.remember(*(f"memory {number}" for number in range(100)))
    worker = bench.worker
    for _ in range(10):
        worker.drain()
        bench.wait(REST_SECONDS)
    assert bench.pending().set_aside == 0


def test_an_embedder_of_another_contract_fails_its_tasks_not_the_worker(bench: Bench, toy: Any) -> None:
    bench.remember("one")
    bench.embedders[1] = object()  # type: ignore[assignment]
    bench.worker.drain()
    assert bench.pending() == Pending(later=1)
    ((error,),) = bench.store.write(lambda tx: list(tx.execute("SELECT error FROM outbox")))
    assert error == "AttributeError"


def test_a_scope_without_an_embedder_here_waits(bench: Bench, toy: Any) -> None:
    (mine,) = bench.remember("mine")
    bench.remember("theirs", scope=OTHER)
    bench.worker.drain()
    assert bench.embedded() == [mine]
    assert bench.pending() == Pending(later=1)
    bench.use(toy, scope=2)
    bench.wait(ABSENT_SECONDS)
    bench.worker.drain()
    assert len(bench.embedded(scope=OTHER)) == 1


def test_two_scopes_with_two_models_share_one_file(bench: Bench, toys: Callable[..., Any]) -> None:
    bench.use(toys(fingerprint="toy-6", dimensions=6), scope=2)
    (mine,) = bench.remember("mine")
    (theirs,) = bench.remember("theirs", scope=OTHER)
    bench.worker.drain()
    assert bench.embedded("toy-4") == [mine]
    assert bench.embedded("toy-6", OTHER) == [theirs]
    assert bench.embedded("toy-6") == []


def ask(bench: Bench, space: str = "toy-4", scope: int = 1) -> bool:
    return bench.store.write(lambda tx: embed_missing(tx, bench.outbox, bench.vectors, space, scope, now=bench.now))


def test_memories_of_before_the_embedder_are_caught_up_with(bench: Bench) -> None:
    pks = bench.remember(*(f"memory {number}" for number in range(PAGE + 5)), later=False)
    assert ask(bench)
    bench.worker.drain()
    assert bench.embedded() == pks
    assert not ask(bench)


def test_asking_twice_does_the_work_once(bench: Bench, toy: Any) -> None:
    bench.remember("one", "two")
    assert ask(bench)
    assert ask(bench)
    assert bench.pending(EMBED_MISSING) == Pending(due=1)
    bench.worker.drain()
    assert [texts for texts, _ in toy.calls] == [("one", "two")]


def test_a_new_memory_waits_for_one_page_of_old_ones_at_most(bench: Bench, toy: Any) -> None:
    bench.remember(*(f"old {number}" for number in range(3 * PAGE)), later=False)
    ask(bench)
    fresh: list[str] = []

    def arrive(texts: list[str], vectors: Any) -> Any:
        if not fresh:
            fresh.append("new")
            bench.remember("new")
        return vectors

    toy.spoil = arrive
    bench.worker.drain()
    embedded = [text for texts, _ in toy.calls for text in texts]
    assert embedded.index("new") <= 2 * PAGE
    assert len(embedded) == 3 * PAGE + 1


def test_a_changed_model_is_built_beside_the_old_one(bench: Bench, toys: Callable[..., Any]) -> None:
    pks = bench.remember("one", "two", "three")
    bench.worker.drain()
    bench.use(toys(fingerprint="toy-6", dimensions=6))
    assert ask(bench, "toy-6")
    assert bench.embedded("toy-4") == pks
    bench.worker.drain()
    assert bench.embedded("toy-6") == bench.embedded("toy-4") == pks


def test_missing_memories_of_a_scope_without_an_embedder_wait(bench: Bench) -> None:
    bench.remember("one", later=False)
    ask(bench)
    bench.embedders.clear()
    bench.worker.drain()
    assert bench.pending(EMBED_MISSING) == Pending(later=1)
