"""Opening a file and asking it imports what that takes, and no more."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import comis_core.engine
import comis_core.model
import comis_core.protocols

PROGRAM = """
import sys
import comis_core

with comis_core.open(sys.argv[1], preset="tuned", overrides={"embedding": "none"}) as engine:
    engine.agent("a").recall("Where does Ana live?")
    print(*sys.modules)
"""
NOT_NEEDED = {
    "comis_core.embedding.cache",
    "comis_core.engine.diagnosis",
    "comis_core.engine.doctor",
    "comis_core.engine.traces",
    "comis_core.engine.turns",
    "comis_core.gguf.header",
    "comis_core.gguf.native",
    "comis_core.links",
    "comis_core.model.learning",
    "comis_core.protocols.background",
    "comis_core.recall.explain",
    "comis_core.recall.replays",
    "comis_core.store.integrity",
    "comis_core.store.memories",
    "comis_core.store.renewal",
    "comis_core.store.salvage",
    "comis_core.store.traces",
    "comis_core.text.dates",
    "comis_plugins.embed_llama.embedder",
    "comis_plugins.embed_onnx.embedder",
    "comis_plugins.embed_openai.client",
    "comis_plugins.embed_openai.embedder",
    "comis_plugins.embed_openai.connection",
    "comis_plugins.entities.batch",
    "comis_plugins.fts.lane",
    "comis_plugins.query_understanding.times.window",
    "comis_plugins.rrf.fusion",
    "comis_plugins.rerank.encoder",
    "croniter",
    "difflib",
    "sqlite3",
    "yaml",
}


def test_a_first_recall_imports_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sorted(NOT_NEEDED & set(done.stdout.split())) == []


def test_a_file_opens_and_answers_while_another_connection_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("comis_core.store.connection.BUSY_MILLISECONDS", 0)
    path, options = tmp_path / "memory.db", {"preset": "tuned", "overrides": {"embedding": "none"}}
    with comis_core.open(path, **options) as engine:
        engine.agent().store("Ana lives in Lisbon.")
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        with comis_core.open(path, **options) as engine:
            assert len(engine.agent().recall("Where does Ana live?")) == 1


@pytest.mark.parametrize("name", comis_core.engine.__all__)
def test_every_public_name_of_the_engine_is_there(name: str) -> None:
    assert getattr(comis_core.engine, name).__name__ == name


@pytest.mark.parametrize("name", ["Document", "Finding", "Observation", "Outcome", "Section", "Trajectory", "Turn"])
def test_every_record_of_learning_is_there(name: str) -> None:
    assert getattr(comis_core.model, name).__name__ == name


@pytest.mark.parametrize("name", ["Completion", "Event", "JobReport", "Message", "Verdict"])
def test_every_record_of_parts_beside_recalls_is_there(name: str) -> None:
    assert getattr(comis_core.protocols, name).__name__ == name


@pytest.mark.parametrize("module", [comis_core.engine, comis_core.model, comis_core.protocols])
def test_an_unknown_name_is_an_attribute_error(module: object) -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        _ = module.guess  # type: ignore[attr-defined]
