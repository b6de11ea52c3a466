"""A tiny cross-encoder against a forward pass in numpy, alone and inside an engine."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import bert
from support.gguf_files import (
    BEGIN,
    END,
    HEADS,
    LONGEST,
    RANK,
    bert_keys,
    bert_weights,
    tiny_bert,
    tiny_tokens,
    write_gguf,
)

import comis_core
from comis_core.errors import ComisError
from comis_core.gguf.header import read_header
from comis_core.testing import check_plugin
from comis_plugins.rerank.encoder import CrossEncoder, sigmoid

pytestmark = [
    pytest.mark.llama,
    pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is None, reason="the extra [llama] is not installed"),
]

QUERY = "where does ana live ?"
MODEL = "hf:owner/tiny-GGUF:rank.gguf"
TEXTS = ("ana lives in lisbon", "the cat does live in the bakery", "where is the cat", "lisbon !")


def encoder(path: Path, **kind: Any) -> CrossEncoder:
    return CrossEncoder(read_header(tiny_bert(path, RANK, **kind)), threads=1, gpu=False)


def expected(text: str, seed: int = 0) -> float:
    pair = [BEGIN, *tiny_tokens(QUERY), END, *tiny_tokens(text), END]
    return sigmoid(bert.relevance(bert_weights(seed), pair, HEADS))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_equal_a_forward_pass_in_numpy(tmp_path: Path, seed: int) -> None:
    tiny = encoder(tmp_path / "rank.gguf", seed=seed)
    query = tiny.tokens(QUERY)
    for text in TEXTS:
        assert tiny.score(tiny.pair(query, text)) == pytest.approx(expected(text, seed), abs=1e-3)


def test_a_pair_is_question_and_text_parted_by_the_models_own_token(tmp_path: Path) -> None:
    tiny = encoder(tmp_path / "rank.gguf")
    pair = tiny.pair(tiny.tokens("the cat"), "ana [SEP] lives")
    assert pair[:4] == [BEGIN, *tiny_tokens("the cat"), END]
    assert pair[-1] == END
    assert pair.count(END) == 2


def test_a_pair_that_is_too_long_keeps_its_tokens_and_the_beginning_of_both_texts(tmp_path: Path) -> None:
    tiny = encoder(tmp_path / "rank.gguf")
    query = tiny.tokens("cat " * 500)
    pair = tiny.pair(query, "bakery " * 500)
    cat, bakery = tiny_tokens("cat bakery")
    assert len(pair) == LONGEST
    assert pair == [BEGIN, *[cat] * 62, END, *[bakery] * 63, END]
    assert tiny.score(pair) is not None


@pytest.mark.parametrize("text", ["", "🎉", "lone \ud800", "x" * 10_000])
def test_any_pair_has_a_score(tmp_path: Path, text: str) -> None:
    tiny = encoder(tmp_path / "rank.gguf")
    for pair in (tiny.pair(tiny.tokens(text), "the cat"), tiny.pair(tiny.tokens(QUERY), text)):
        score = tiny.score(pair)
        assert score is not None
        assert 0.0 <= score <= 1.0


@pytest.mark.parametrize("enabled", [True, None])
def test_it_keeps_every_promise_of_a_reranker(tmp_path: Path, enabled: bool | None) -> None:
    path = tiny_bert(tmp_path / "rank.gguf", RANK)
    rerank = {} if enabled is None else {"enabled": enabled}
    config = {
        "memory": {"recall": {"rerankerModel": str(path)}},
        "agents": {"home": {"rag": {"rerank": {**rerank, "timeoutMs": 60_000}}}},
    }
    assert check_plugin("rerank", tmp_path / "benches", config) == {}


# -- inside an engine


def config(folder: Path, **rerank: Any) -> dict[str, Any]:
    recall = {
        "embeddingModel": "none",
        "rerankerModel": MODEL,
        "rerankerModelsDir": str(folder / "models"),
        "rerankerGpu": False,
    }
    rag = {"minScore": 0.0, "rerank": {"timeoutMs": 60_000, **rerank}, "deadlineMs": 60_000}
    return {"memory": {"recall": recall}, "agents": {"helper": {"rag": rag}}}


def recall_of(folder: Path, **rerank: Any) -> Any:
    folder.mkdir(exist_ok=True)
    with comis_core.open(folder / "memory.db", config=config(folder, **rerank)) as engine:
        agent = engine.agent("helper")
        for text in TEXTS:
            agent.store(text)
        return agent.search("where does ana live in lisbon the cat ?", limit=10)


def rerankers(found: Any) -> list[str]:
    return [f"{each.stage}: {each.reason}" for each in found.degraded if each.stage == "reranker"]


def test_a_model_that_is_there_orders_the_answer(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    found = recall_of(tmp_path)
    assert rerankers(found) == []
    query = tiny_tokens("where does ana live in lisbon the cat ?")
    scores = {
        text: sigmoid(bert.relevance(bert_weights(), [BEGIN, *query, END, *tiny_tokens(text), END], HEADS))
        for text in TEXTS
    }
    got = {item.memory.content: item.base for item in found}
    assert set(got) == set(TEXTS)
    for text, score in scores.items():
        assert got[text] == pytest.approx(score, abs=1e-3)


def test_switched_off_it_is_not_asked(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    off = recall_of(tmp_path, enabled=False)
    assert rerankers(off) == []
    assert not any("rank.gguf" in note for note in off.notes)


def test_an_absent_model_that_nobody_asked_for_is_off_in_silence(tmp_path: Path) -> None:
    without = recall_of(tmp_path / "without", enabled=False)
    found = recall_of(tmp_path / "with")
    assert [item.memory.content for item in found] == [item.memory.content for item in without]
    assert not any("rank.gguf" in note for note in found.notes)
    assert rerankers(found) == []


def test_a_broken_model_degrades_and_the_fused_order_stands(tmp_path: Path) -> None:
    weights = {name: weight for name, weight in bert_weights().items() if name != "blk.0.attn_q.weight"}
    write_gguf(tmp_path / "with" / "models" / "rank.gguf", bert_keys(RANK), weights)
    without = recall_of(tmp_path / "without", enabled=False)
    found = recall_of(tmp_path / "with")
    assert [item.memory.content for item in found] == [item.memory.content for item in without]
    assert any("cannot load" in words for words in rerankers(found))


def test_too_little_time_for_a_single_candidate_degrades_and_the_fused_order_stands(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "with" / "models" / "rank.gguf", RANK)
    without = recall_of(tmp_path / "without", enabled=False)
    found = recall_of(tmp_path / "with", timeoutMs=1)
    same = [item.memory.content for item in found] == [item.memory.content for item in without]
    assert same or not rerankers(found)  # a fast machine may judge some within a millisecond


def test_agents_share_one_model(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    with comis_core.open(tmp_path / "memory.db", config=config(tmp_path)) as engine:
        parts = []
        for name in ("helper", "other"):
            reranker = engine.pipeline(name).reranker
            assert reranker is not None
            parts.append(reranker.part)
    assert parts[0] is not parts[1]
    assert parts[0]._encoder is parts[1]._encoder  # type: ignore[attr-defined]


def test_closing_the_engine_frees_the_model(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    with comis_core.open(tmp_path / "memory.db", config=config(tmp_path)) as engine:
        reranker = engine.pipeline("helper").reranker
        assert reranker is not None
        encoder = reranker.part._encoder  # type: ignore[attr-defined]
        pair = encoder.pair(encoder.tokens(QUERY), TEXTS[0])
        assert isinstance(encoder.score(pair), float)
    with pytest.raises(ComisError, match="was closed"):
        encoder.score(pair)


def test_the_same_pair_has_the_same_score(tmp_path: Path) -> None:
    tiny = encoder(tmp_path / "rank.gguf")
    pair = tiny.pair(tiny.tokens(QUERY), TEXTS[0])
    assert len({tiny.score(pair) for _ in range(5)}) == 1
    assert np.isfinite(tiny.score(pair) or np.nan)
