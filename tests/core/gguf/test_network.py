"""A tiny model in llama.cpp against a forward pass in numpy: vectors, scores, tokens, stopping, broken files."""

from __future__ import annotations

import importlib.util
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support import bert
from support.gguf_files import (
    BEGIN,
    CLS,
    END,
    HEADS,
    LAST,
    LONGEST,
    MEAN,
    RANK,
    WIDTH,
    bert_keys,
    bert_weights,
    tiny_bert,
    tiny_tokens,
    write_gguf,
)

from comis_core.errors import ComisError
from comis_core.gguf.header import Pooling, read_header
from comis_core.gguf.native import Setup
from comis_core.gguf.network import Network

pytestmark = [
    pytest.mark.llama,
    pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is None, reason="the extra [llama] is not installed"),
]

TEXT = "where does ana live ? the cat lives in lisbon x1 ."


def network(path: Path, **changes: object) -> Network:
    header = read_header(path)
    facts = {"pooling": header.pooling, "context": LONGEST, "width": WIDTH, "threads": 1, **changes}
    return Network(Setup(path=path, **facts))  # type: ignore[arg-type]


@pytest.mark.parametrize(("pooling", "name"), [(MEAN, "mean"), (CLS, "cls"), (LAST, "last")])
def test_a_vector_equals_the_forward_pass(tmp_path: Path, pooling: int, name: str) -> None:
    tokens = [BEGIN, *tiny_tokens(TEXT), END]
    vector = network(tiny_bert(tmp_path / "tiny.gguf", pooling)).run(tokens)
    assert vector is not None
    expected = bert.embedding(bert_weights(), tokens, HEADS, name)
    assert vector / np.linalg.norm(vector) == pytest.approx(expected, abs=1e-3)


def test_inputs_of_every_length_equal_the_forward_pass(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    for length in (1, 2, 31, 64, LONGEST):
        tokens = (tiny_tokens(TEXT) * 20)[:length]
        vector = tiny.run(tokens)
        assert vector is not None
        expected = bert.embedding(bert_weights(), tokens, HEADS, "mean")
        assert vector / np.linalg.norm(vector) == pytest.approx(expected, abs=1e-3)


def test_a_score_equals_the_forward_pass(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "rank.gguf", RANK), pooling=Pooling.RANK, width=1)
    for candidate in ("ana lives in lisbon", "the cat", "bakery"):
        pair = [BEGIN, *tiny_tokens("where does ana live ?"), END, *tiny_tokens(candidate), END]
        score = tiny.run(pair)
        assert score is not None
        assert score[0] == pytest.approx(bert.relevance(bert_weights(), pair, HEADS), abs=1e-2)


def test_tokens_are_the_vocabularys_word_pieces_without_markers(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    assert tiny.tokens(TEXT) == tiny_tokens(TEXT)
    assert tiny.special.before == (BEGIN,)
    assert tiny.special.between == tiny.special.after == (END,)


@pytest.mark.parametrize("text", ["", " \n", "nul \0 inside", "lone \ud800 surrogate", "🎉", "x" * 20_000])
def test_any_text_has_tokens_or_none(tmp_path: Path, text: str) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    assert all(0 <= token < 100 for token in tiny.tokens(text))


def test_a_marker_in_a_text_is_text(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    assert END not in tiny.tokens("[SEP] </s> [CLS]")


def test_pieces_are_written_as_in_the_vocabulary_and_what_it_does_not_know_is_none(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    assert tiny.pieces("the x1 北") == ["▁the", "▁x", "1", None]


@pytest.mark.parametrize("count", [0, LONGEST + 1])
def test_an_input_that_does_not_fit_is_refused(tmp_path: Path, count: int) -> None:
    with pytest.raises(ComisError, match=f"an input has {count} tokens"):
        network(tiny_bert(tmp_path / "tiny.gguf")).run([BEGIN] * count)


def test_a_truncated_file_cannot_be_loaded_and_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tiny_bert(tmp_path / "tiny.gguf")
    tiny = network(path)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ComisError, match=r"llama\.cpp cannot load .*tiny\.gguf"):
        tiny.load()
    assert capfd.readouterr() == ("", "")


def test_a_model_that_lacks_a_tensor_cannot_be_loaded(tmp_path: Path) -> None:
    weights = {name: weight for name, weight in bert_weights().items() if name != "blk.1.ffn_down.weight"}
    path = write_gguf(tmp_path / "tiny.gguf", bert_keys(MEAN), weights)
    with pytest.raises(ComisError, match="cannot load"):
        network(path).load()


def test_a_vector_of_another_length_than_the_header_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComisError, match="vectors of 32 values instead of 33"):
        network(tiny_bert(tmp_path / "tiny.gguf"), width=33).load()


def test_a_gpu_that_must_be_used_and_is_not_there_is_an_error(tmp_path: Path) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    if llama_cpp.llama_supports_gpu_offload():
        pytest.skip("this build runs on a GPU")
    with pytest.raises(ComisError, match="without support for a GPU"):
        network(tiny_bert(tmp_path / "tiny.gguf"), gpu=True).load()


def test_loading_and_running_writes_nothing_to_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    network(tiny_bert(tmp_path / "tiny.gguf"), gpu=False).run([BEGIN, END])
    assert capfd.readouterr() == ("", "")


def test_a_run_is_stopped_when_its_time_is_over_and_the_next_one_is_whole(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    whole = tiny.run([BEGIN, END])
    with tiny.within(0.0):
        deadline = time.monotonic() + 10
        while tiny.run([BEGIN, END]) is not None:
            assert time.monotonic() < deadline, "it was never stopped"
    again = tiny.run([BEGIN, END])
    assert whole is not None
    assert np.array_equal(whole, again)


def test_a_model_at_work_for_somebody_else_is_not_waited_for_longer_than_allowed(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with tiny.within(60.0):
            taken.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    taken.wait(60)
    try:
        with pytest.raises(ComisError, match="another call"), tiny.within(0.0):
            pytest.fail("it was had twice at once")
    finally:
        done.set()
        other.join()


def test_threads_share_a_model(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    inputs = [[BEGIN, *tiny_tokens(TEXT)[:length], END] for length in range(1, 9)]
    alone = [tiny.run(tokens) for tokens in inputs]
    together: dict[int, object] = {}

    def work(place: int) -> None:
        for _ in range(20):
            together[place] = tiny.run(inputs[place])

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(alone[place], together[place]) for place in range(len(inputs)))


def test_a_closed_model_says_so_and_closes_twice(tmp_path: Path) -> None:
    tiny = network(tiny_bert(tmp_path / "tiny.gguf"))
    tiny.load()
    tiny.close()
    tiny.close()
    with pytest.raises(ComisError, match="was closed"):
        tiny.run([BEGIN, END])
