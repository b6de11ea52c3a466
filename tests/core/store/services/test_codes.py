"""Vectors as int8: quicker, and what is nearest stays what float32 says."""

from __future__ import annotations

import importlib.abc
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from comis_core.model import Claims
from comis_core.store import codes, slabs
from comis_core.store.codes import Codes, encode, kernel, worth
from comis_core.store.slabs import RESCORED, Slab, best, follow, read, row_bytes
from comis_core.store.vectors import VectorStore

AMPLE = 1 << 28
ERROR = 0.01
"""How far a cosine of vectors of unit length may be off behind the nearest."""


@pytest.fixture
def fresh_kernel() -> Iterator[None]:
    """The kernel is looked for again, and again after the test."""
    kernel.cache_clear()
    yield
    kernel.cache_clear()


@pytest.fixture
def everything_coded() -> Iterator[None]:
    """Slabs of any size have their codes."""
    pytest.importorskip("numkong")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "LARGE", 1)
        yield


def unit(matrix: Any) -> Any:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def made(ids: Any, matrix: Any, budget: int = AMPLE) -> Slab:
    rows = ((int(pk), row.tobytes()) for pk, row in zip(ids, matrix, strict=True))
    return read(rows, len(ids), matrix.shape[1], budget)


def random_rows(seed: int, rows: int, dimensions: int) -> tuple[Any, Any]:
    """Ids, ascending, and vectors with zeros, copies and near copies among them. One more vector is the query, the last.

    An id that repeats has windows.
    """
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((rows + 1, dimensions))
    for share in (0.1, 0.2):
        copies = random.random(rows + 1) < share
        matrix[copies] = matrix[0] + random.choice([0.0, 1e-3]) * random.standard_normal(dimensions)
    matrix[:-1][random.random(rows) < 0.05] = 0.0
    return np.sort(random.integers(1, 2 * rows + 2, rows)), unit(matrix)


SHAPES = {
    "seed": st.integers(0, 2**32 - 1),
    "rows": st.integers(1, 900),
    "dimensions": st.sampled_from([1, 2, 7, 64, 256]),
}


@settings(max_examples=60, deadline=None)
@given(
    **SHAPES, restricted=st.sampled_from(["no", "some", "none", "one"]), hidden=st.booleans(), limit=st.integers(1, 60)
)
@example(seed=1, rows=1, dimensions=1, restricted="no", hidden=False, limit=1)
@example(seed=2, rows=1, dimensions=256, restricted="one", hidden=True, limit=1)
@pytest.mark.usefixtures("everything_coded")
def test_the_nearest_are_those_of_float32(
    seed: int, rows: int, dimensions: int, restricted: str, hidden: bool, limit: int
) -> None:
    ids, matrix = random_rows(seed, rows, dimensions)
    query, matrix = matrix[-1], matrix[:-1]
    slab, plain = made(ids, matrix), made(ids, matrix, budget=0)
    random = np.random.default_rng(seed)
    if hidden:
        gone = np.unique(random.choice(ids, max(1, rows // 40)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(slabs, "_SMALL", 0)
            slab, plain = (
                follow(each, gone.tolist(), ids[:0], matrix[:0], budget) for each, budget in ((slab, AMPLE), (plain, 0))
            )
    living = plain.similarities(query, None).ids
    visible = {
        "no": None,
        "some": living[random.random(len(living)) < 0.5],
        "none": living[:0],
        "one": living[:1],
    }[restricted]
    found, exact = slab.similarities(query, visible), plain.similarities(query, visible)
    assert (slab.buffer.codes is not None) == (len(slab.ids) > 0)
    assert plain.buffer.codes is None
    np.testing.assert_array_equal(found.ids, exact.ids)
    np.testing.assert_allclose(found.values, exact.values, atol=ERROR)
    head, right = best(found, limit), best(exact, limit)
    # Copies of one vector differ in the last bit with their place in the matrix, so the values are compared.
    np.testing.assert_allclose(np.sort(head.values), np.sort(right.values), atol=1e-3 if rows > RESCORED else 1e-6)


@pytest.mark.parametrize("dimensions", [64, 256, 384])
@pytest.mark.usefixtures("everything_coded")
def test_the_nearest_fifty_of_thousands_are_exact_and_in_order(dimensions: int) -> None:
    random = np.random.default_rng(dimensions)
    matrix = unit(random.standard_normal((20_000, dimensions)))
    slab = made(np.arange(1, 20_001), matrix)
    for query in unit(random.standard_normal((10, dimensions))):
        found, exact = slab.similarities(query, None), matrix @ query
        nearest = best(found, 50).ids - 1
        assert set(nearest) == set(np.argsort(exact)[-50:])
        np.testing.assert_allclose(found.values[nearest], exact[nearest], atol=1e-6)
        assert np.abs(found.values - exact).max() < ERROR


@pytest.mark.usefixtures("everything_coded")
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 4000), limit=st.integers(0, 60), steps=st.integers(1, 900))
def test_the_highest_are_those_of_a_sort_with_the_newest_of_equals(
    seed: int, count: int, limit: int, steps: int
) -> None:
    values = np.random.default_rng(seed).integers(-steps, steps + 1, count) / steps
    ids = np.arange(count) * 3
    chosen = best(Claims(ids, values), limit)
    wanted = np.sort(np.lexsort((-ids, -values))[:limit])
    assert chosen.ids.tolist() == ids[wanted].tolist()
    assert chosen.values.tolist() == values[wanted].tolist()


def test_what_is_no_number_does_not_keep_others_from_being_found() -> None:
    values = np.linspace(0.0, 1.0, 4000)
    values[[1, 500, 3900]] = np.nan
    assert {3999, 3998, 3997, 3996} <= set(best(Claims(np.arange(4000), values), 8).ids.tolist())


def test_the_newest_of_many_copies_are_the_nearest() -> None:
    random = np.random.default_rng(5)
    matrix = unit(random.standard_normal((3000, 48)))
    matrix[100:2000] = matrix[7]
    claims = made(np.arange(3000), matrix).similarities(matrix[7], None)
    assert best(claims, 20).ids.min() >= 1980 - RESCORED
    assert (claims.values[100:2000] <= claims.values[1999]).all()
    np.testing.assert_allclose(claims.values[100:2000], 1.0, atol=ERROR)


@pytest.mark.usefixtures("everything_coded")
def test_the_best_window_counts_although_another_looks_better_in_int8() -> None:
    random = np.random.default_rng(6)
    base = unit(random.standard_normal((1, 32)))[0]
    windows = unit(base + 1e-3 * random.standard_normal((400, 32)))
    ids = np.repeat(np.arange(100), 4)
    claims = made(ids, windows).similarities(base, None)
    np.testing.assert_allclose(claims.values, (windows @ base).reshape(100, 4).max(axis=1), atol=1e-6)


@pytest.mark.usefixtures("everything_coded")
def test_a_slab_that_has_grown_answers_like_one_that_was_loaded() -> None:
    random = np.random.default_rng(8)
    matrix = unit(random.standard_normal((2600, 24)))
    ids = np.arange(1, 2601)
    slab = made(ids[:2000], matrix[:2000])
    for start in range(2000, 2600, 60):
        rows = slice(start, start + 60)
        slab = follow(slab, ids[rows].tolist(), ids[rows], matrix[rows], AMPLE)
    query = matrix[3]
    np.testing.assert_array_equal(
        slab.similarities(query, None).values, made(ids, matrix).similarities(query, None).values
    )


def test_codes_appear_where_a_slab_becomes_large(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numkong")
    monkeypatch.setattr(codes, "LARGE", 500 * 4 * 8)
    matrix = unit(np.random.default_rng(9).standard_normal((600, 8)))
    ids = np.arange(600)
    slab = made(ids[:499], matrix[:499])
    assert slab.buffer.codes is None
    slab = follow(slab, [499], ids[499:500], matrix[499:500], AMPLE)
    assert slab.buffer.codes is not None
    grown = follow(slab, [500], ids[500:501], matrix[500:501], AMPLE)
    assert grown.buffer is slab.buffer


@pytest.mark.usefixtures("everything_coded")
def test_codes_go_where_they_no_longer_fit_the_budget() -> None:
    matrix = unit(np.random.default_rng(10).standard_normal((101, 8)))
    ids = np.arange(101)
    budget = 100 * row_bytes(8, coded=True)
    slab = made(ids[:100], matrix[:100], budget)
    assert slab.buffer.codes is not None
    assert made(ids, matrix, budget).buffer.codes is None
    assert follow(slab, [100], ids[100:], matrix[100:], budget).buffer.codes is None


@pytest.mark.usefixtures("everything_coded")
def test_a_scope_that_fits_only_without_codes_stays_in_memory(world: Any, unit: Any) -> None:
    pks = world.remember(*(f"memory {number}" for number in range(50)))
    world.embed(dict(zip(pks, unit(50), strict=True)))
    service = VectorStore(budget_bytes=50 * row_bytes(8))
    with world.look() as snapshot:
        claims = service.similarities(snapshot, "model-a", unit(1)[0])
    assert claims is not None
    assert claims.ids.tolist() == pks


@pytest.mark.usefixtures("everything_coded")
def test_codes_count_in_the_budget() -> None:
    matrix = unit(np.random.default_rng(11).standard_normal((1000, 16)))
    coded, plain = (sum(made(np.arange(1000), matrix, budget).memory.values()) for budget in (AMPLE, 0))
    assert coded - plain == (1000 + 256) * (16 + 4)


@pytest.mark.usefixtures("everything_coded")
def test_every_call_and_thread_gets_the_same_bits() -> None:
    random = np.random.default_rng(12)
    matrix = unit(random.standard_normal((5000, 96)))
    slab = made(np.arange(5000), matrix)
    queries = matrix[:8]
    expected = [slab.similarities(query, None).values for query in queries]
    different: list[int] = []

    def ask(first: int) -> None:
        for step in range(24):
            place = (first + step) % len(queries)
            if not np.array_equal(slab.similarities(queries[place], None).values, expected[place]):
                different.append(place)

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert different == []


def test_a_scan_leaves_very_small_numbers_as_they_were() -> None:
    pytest.importorskip("numkong")
    space = Codes(10, 4)
    space.write(0, np.ones((10, 4), np.float32) / 2)
    np.testing.assert_allclose(space.cosines(10, np.full(4, 0.5, np.float32)), 1.0, atol=1e-6)
    assert (np.array([1e-40], np.float32) * np.ones(1, np.float32))[0] > 0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), exponent=st.integers(-44, 30))
def test_a_code_is_within_half_a_step_of_its_number(seed: int, exponent: int) -> None:
    matrix = (np.random.default_rng(seed).standard_normal((5, 9)) * 10.0**exponent).astype(np.float32)
    matrix[2] = 0.0
    coded, scales = encode(matrix)
    assert coded[2].tolist() == [0] * 9
    assert (np.abs(coded[scales > 0].astype(int)).max(axis=1) == 127).all()
    wrong = np.abs(coded * scales[:, np.newaxis].astype(float) - matrix)
    assert (wrong <= np.maximum(0.5001 * scales, 127 * np.finfo(np.float32).tiny)[:, np.newaxis]).all()


# -- without the kernel


class Refusing(importlib.abc.MetaPathFinder):
    """Importing numkong fails in a given way."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name == "numkong":
            raise self.error


@pytest.mark.usefixtures("fresh_kernel")
@pytest.mark.parametrize(
    ("error", "words", "broken"),
    [
        (ModuleNotFoundError("No module named 'numkong'", name="numkong"), "not installed", False),
        (ModuleNotFoundError("No module named 'other'", name="other"), "No module named 'other'", True),
        (ImportError("undefined symbol"), "cannot be used: ImportError: undefined symbol", True),
        (RuntimeError("illegal instruction"), "cannot be used: RuntimeError", True),
    ],
)
def test_without_numkong_vectors_are_compared_as_float32(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str, broken: bool
) -> None:
    monkeypatch.delitem(sys.modules, "numkong", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refusing(error), *sys.meta_path])
    monkeypatch.setattr(codes, "LARGE", 1)
    found = kernel()
    assert words in found.words
    assert found.broken is broken
    assert_float32()


@pytest.mark.usefixtures("fresh_kernel")
@pytest.mark.parametrize(
    ("module", "words"),
    [
        (SimpleNamespace(), "AttributeError"),
        (SimpleNamespace(cdist=lambda query, rows, metric: np.full((1, len(rows)), -1.0)), "wrong on this processor"),
        (SimpleNamespace(cdist=lambda query, rows, metric: None), "cannot be used|wrong on this processor"),
    ],
)
def test_a_numkong_that_cannot_add_is_left_alone(monkeypatch: pytest.MonkeyPatch, module: Any, words: str) -> None:
    monkeypatch.setitem(sys.modules, "numkong", module)
    monkeypatch.setattr(codes, "LARGE", 1)
    assert any(word in kernel().words for word in words.split("|"))
    assert kernel().broken
    assert_float32()


def assert_float32() -> None:
    matrix = unit(np.random.default_rng(13).standard_normal((300, 16)))
    slab = made(np.arange(300), matrix)
    assert not worth(10**6, 384)
    assert slab.buffer.codes is None
    np.testing.assert_allclose(slab.similarities(matrix[0], None).values, np.clip(matrix @ matrix[0], -1, 1), atol=1e-6)


def test_a_small_scope_does_not_even_look_for_numkong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "kernel", lambda: pytest.fail("looked for the kernel"))
    matrix = unit(np.random.default_rng(14).standard_normal((200, 16)))
    assert len(made(np.arange(200), matrix).similarities(matrix[0], None).ids) == 200
