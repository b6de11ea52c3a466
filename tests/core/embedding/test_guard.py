"""The guard: unit vectors or an error that names the plugin and quotes no text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from comis_core.embedding.guard import GuardedEmbedder
from comis_core.errors import EmbedderError
from comis_core.protocols import Embedder

PLUGIN = "plugin 'toy' (toy-dist 1.2)"


def guard(embedder: Any, **options: Any) -> GuardedEmbedder:
    return GuardedEmbedder(embedder, plugin=PLUGIN, **options)


def nan(texts: list[str], vectors: Any) -> Any:
    vectors[-1, 0] = np.nan
    return vectors


def infinite(texts: list[str], vectors: Any) -> Any:
    vectors[-1, 0] = -np.inf
    return vectors


def zero(texts: list[str], vectors: Any) -> Any:
    vectors[-1] = 0
    return vectors


def raising(texts: list[str], vectors: Any) -> Any:
    raise KeyError(texts[0])


def quoting(texts: list[str], vectors: Any) -> Any:
    raise EmbedderError(f"cannot read {texts[0]}")


def refused(texts: list[str], vectors: Any) -> Any:
    raise EmbedderError("401: the key is wrong")


FAULTS = [
    (nan, "returned a number that is not finite for text 1 of 2"),
    (infinite, "returned a number that is not finite for text 1 of 2"),
    (zero, "returned a zero vector for text 1 of 2"),
    (lambda texts, vectors: vectors[:1], r"returned vectors of shape \(1, 4\) instead of \(2, 4\)"),
    (lambda texts, vectors: vectors[:, :3], r"returned vectors of shape \(2, 3\) instead of \(2, 4\)"),
    (lambda texts, vectors: vectors[0], r"returned vectors of shape \(4,\) instead of \(2, 4\)"),
    (lambda texts, vectors: vectors * 7, "returned a vector of length 7 for text [01] of 2.*unit vectors"),
    (lambda texts, vectors: None, r"returned vectors of shape \(\) instead of \(2, 4\)"),
    (lambda texts, vectors: "words", "returned str instead of an array of numbers"),
    (lambda texts, vectors: [[1.0], [1.0, 2.0]], "returned list instead of an array of numbers"),
    (raising, "failed: KeyError"),
    (refused, "failed: 401: the key is wrong"),
]


@pytest.mark.parametrize("kind", ["query", "document"])
@pytest.mark.parametrize(("spoil", "message"), FAULTS)
def test_a_broken_answer_is_an_error_with_the_plugins_name(
    toys: Callable[..., Any], spoil: Any, message: str, kind: str
) -> None:
    with pytest.raises(EmbedderError, match=message) as caught:
        guard(toys(spoil=spoil)).embed(["one", "two"], kind)
    assert str(caught.value).startswith(PLUGIN)


def quoting_a_part(texts: list[str], vectors: Any) -> Any:
    raise EmbedderError(f"too long: {texts[0][3:]}...")


@pytest.mark.parametrize("spoil", [raising, quoting, quoting_a_part])
def test_an_error_quotes_no_text(toys: Callable[..., Any], spoil: Any) -> None:
    with pytest.raises(EmbedderError) as caught:
        guard(toys(spoil=spoil)).embed(["my secret is 4711"], "document")
    assert "4711" not in str(caught.value)


def test_a_good_answer_is_float32_of_unit_length(toys: Callable[..., Any]) -> None:
    toy = toys(spoil=lambda texts, vectors: vectors.astype(np.float64).tolist())
    vectors = guard(toy).embed(["one", "two"], "document")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [toy.vector("one"), toy.vector("two")], atol=1e-6)


@pytest.mark.parametrize("factor", [0.985, 1.001, 1.015])
def test_a_length_that_is_a_little_off_is_put_right(toys: Callable[..., Any], factor: float) -> None:
    vectors = guard(toys(spoil=lambda texts, vectors: vectors * factor)).embed(["one", "two"], "document")
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_texts_are_no_vectors(toy: Any) -> None:
    assert guard(toy).embed([], "document").shape == (0, 4)
    assert toy.calls == []


def test_another_kind_is_refused(toy: Any) -> None:
    with pytest.raises(EmbedderError, match="not as 'passage'"):
        guard(toy).embed(["one"], "passage")


def test_it_satisfies_the_protocol(toy: Any) -> None:
    guarded = guard(toy)
    assert isinstance(guarded, Embedder)
    assert (guarded.fingerprint, guarded.dimensions, guarded.available()) == ("toy-4", 4, True)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("fingerprint", "", "the fingerprint ''"), ("fingerprint", None, "the fingerprint None"),
     ("dimensions", 0, "has 0 dimensions"), ("dimensions", "4", "has '4' dimensions")],
)  # fmt: skip
def test_an_embedder_without_a_space_is_refused(toys: Callable[..., Any], field: str, value: Any, message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        guard(toys(**{field: value}))


def test_a_query_is_computed_once(toy: Any) -> None:
    guarded = guard(toy)
    first = guarded.embed(["who?", "where?"], "query")
    again = guarded.embed(["where?", "who?"], "query")
    assert len(toy.calls) == 1
    assert again.tolist() == first[::-1].tolist()


def test_a_cached_query_cannot_be_spoilt_by_who_gets_it(toy: Any) -> None:
    guarded = guard(toy)
    expected = guarded.embed(["who?"], "query").tolist()
    guarded.embed(["who?"], "query")[:] = 0
    assert guarded.embed(["who?"], "query").tolist() == expected


def test_only_the_last_queries_are_kept(toy: Any) -> None:
    guarded = guard(toy, queries_kept=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        guarded.embed([text], "query")
    assert [texts for texts, _ in toy.calls] == [("a",), ("b",), ("c",), ("b",)]


def test_documents_and_queries_are_not_confused(toy: Any) -> None:
    guarded = guard(toy)
    guarded.embed(["same"], "query")
    guarded.embed(["same"], "document")
    guarded.embed(["same"], "document")
    assert [kind for _, kind in toy.calls] == ["query", "document", "document"]


def test_a_failed_query_is_tried_again(toys: Callable[..., Any]) -> None:
    toy = toys(spoil=nan)
    guarded = guard(toy)
    with pytest.raises(EmbedderError):
        guarded.embed(["who?"], "query")
    toy.spoil = lambda texts, vectors: vectors
    assert np.isfinite(guarded.embed(["who?"], "query")).all()


def test_text_that_cannot_be_encoded_is_embedded_or_refused_by_the_plugin_alone(toy: Any) -> None:
    assert guard(toy).embed(["lone \ud800 surrogate"], "query").shape == (1, 4)


def test_windows_come_through(toys: Callable[..., Any]) -> None:
    assert guard(toys(window=3)).windows("abcdefg") == ["abc", "def", "g"]


@pytest.mark.parametrize("pieces", [[], [1], [None]])
def test_windows_that_are_no_texts_are_refused(toy: Any, monkeypatch: pytest.MonkeyPatch, pieces: Any) -> None:
    monkeypatch.setattr(type(toy), "windows", lambda self, text: pieces)
    with pytest.raises(EmbedderError, match="windows that are no texts"):
        guard(toy).windows("abc")


@pytest.mark.parametrize(("said", "heard"), [(0.25, 0.25), (-1, 0.0), (7, 1.0)])
def test_confidence_is_held_to_its_range(toy: Any, monkeypatch: pytest.MonkeyPatch, said: float, heard: float) -> None:
    monkeypatch.setattr(type(toy), "confidence", lambda self, text: said)
    assert guard(toy).confidence("x") == heard


@pytest.mark.parametrize("said", [float("nan"), "much", None])
def test_a_confidence_that_is_no_number_is_an_error(toy: Any, monkeypatch: pytest.MonkeyPatch, said: Any) -> None:
    monkeypatch.setattr(type(toy), "confidence", lambda self, text: said)
    with pytest.raises(EmbedderError, match="plugin 'toy'"):
        guard(toy).confidence("x")


def test_a_probe_that_raises_means_not_available(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any) -> bool:
        raise OSError("no")

    monkeypatch.setattr(type(toy), "available", fail)
    assert not guard(toy).available()


@pytest.mark.parametrize("kind", ["query", "document"])
def test_an_embedder_that_hangs_is_given_up_and_refused_until_it_is_back(toys: Callable[..., Any], kind: str) -> None:
    released = threading.Event()
    entered: list[int] = []

    def hang(texts: list[str], vectors: Any) -> Any:
        entered.append(1)
        released.wait(30)
        return vectors

    guarded = guard(toys(spoil=hang), **{f"{kind}_seconds": 0.02})
    with pytest.raises(EmbedderError, match=r"failed: TimeoutError: no answer within 0\.02 s"):
        guarded.embed(["who?"], kind)
    with pytest.raises(EmbedderError, match="an earlier call has not come back yet"):
        guarded.embed(["where?"], kind)
    assert len(entered) == 1
    released.set()
    for thread in threading.enumerate():
        if thread.name == "comis-embedder":
            thread.join()
    assert guarded.embed(["where?"], kind).shape == (1, 4)


def test_an_error_under_a_time_limit_is_the_plugins(toys: Callable[..., Any]) -> None:
    with pytest.raises(EmbedderError, match="401"):
        guard(toys(spoil=refused), query_seconds=30).embed(["who?"], "query")
