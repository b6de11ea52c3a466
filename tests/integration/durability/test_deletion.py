"""Deleted means gone: no table, no file, no trace and no vector holds a word of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from support.damage import checkpoint, statement
from support.processes import config, opened
from support.toys import PATIENCE, Toys

import comis_core
from comis_core.model import Annotation, NewMemory
from comis_core.store.identity import to_bytes

MODEL = "toy-16"
SECRET = "The quokka Bartholomew hides seventeen sapphires beneath the observatory"
WORDS = (
    "quokka", "quokkas", "bartholomew", "seventeen", "sapphir", "sapphire", "beneath", "observatory", "observatori",
    "wombat", "kookaburra", "echidna", "platypus", "bandicoot", "numbat", "cassowary", "taipan",
)  # fmt: skip
"""Words of the secret and of everything said about it, and their stems."""
TRIGRAM = "quokk"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[comis_core.Engine]:
    with opened(tmp_path / "memory.db", MODEL) as engine:
        yield engine


def fill(engine: comis_core.Engine) -> tuple[str, str]:
    """A neighbour that stays and a secret with everything that can hang on it; their ids."""
    agent = engine.agent()
    kept = agent.store("the heron sits on the roof", sender="ana")
    secret = agent.store(
        SECRET,
        title="wombat",
        sender="kookaburra",
        channel="echidna",
        session="platypus",
        tags=["bandicoot"],
        key="numbat",
        annotations=[Annotation(kind="entity", name="Cassowary"), Annotation(kind="alias", name="Taipan", value="x")],
    )
    agent.update(secret.id, content=f"{SECRET}, all of them")
    agent.annotate(secret.id, Annotation(kind="triple", name="Bartholomew", predicate="hides", value="sapphires"))
    agent.annotate(kept.id, Annotation(kind="cause", target=secret.id))
    agent.store_many([NewMemory(content=f"other words {number}", source_ids=(secret.id,)) for number in range(30)])
    engine.drain()
    answer = agent.recall("where does the quokka hide sapphires?", keep_trace=True)
    assert secret.id in {item.memory.id for item in answer}
    agent.turn_ended("quokka?", SECRET, recalled=answer, session="s", turn="t", cited=[secret.id])
    return kept.id, secret.id


def cells(path: Path) -> Iterator[tuple[str, Any]]:
    """Every value of every table, those of virtual tables too, and every term of the full-text index."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'fts_text', 'row')")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in [*tables, "temp.terms"]:
            for row in connection.execute(f"SELECT * FROM {table}"):
                yield from ((table, value) for value in row)
    finally:
        connection.close(True)


def found_in(data: bytes) -> list[str]:
    lower = data.lower()
    return [word for word in (*WORDS, TRIGRAM) if word.encode() in lower]


def files(path: Path) -> dict[str, bytes]:
    """The file and what lies beside it."""
    return {file.name: file.read_bytes() for file in path.parent.glob(f"{path.name}*")}


def vectors(path: Path, secret: str) -> list[bytes]:
    """The vectors of a memory, to be looked for when it is gone."""
    sql = "SELECT vector FROM vectors WHERE pk IN (SELECT pk FROM memories WHERE id = ?)"
    found = [vector for (vector,) in statement(path, sql, (to_bytes(secret),))]
    assert found
    return found


def test_the_search_finds_what_is_there(engine: comis_core.Engine) -> None:
    _, secret = fill(engine)
    checkpoint(engine.path)
    data = engine.path.read_bytes()
    assert set(found_in(data)) >= {"quokka", "wombat", "kookaburra", "cassowary", "taipan", "bandicoot", "numbat"}
    assert all(vector in data for vector in vectors(engine.path, secret))


@pytest.mark.parametrize("how", ["delete", "clear"])
def test_nothing_is_left_in_any_table(engine: comis_core.Engine, how: str) -> None:
    _, secret = fill(engine)
    lost = vectors(engine.path, secret)
    assert engine.agent().delete(secret) if how == "delete" else engine.agent().clear()
    for table, value in cells(engine.path):
        data = value if isinstance(value, bytes) else str(value).encode()
        # SQLite's full-text index only marks words as deleted; rewriting the file takes them out.
        assert table in {"fts_text_data", "temp.terms"} or (table, found_in(data)) == (table, [])
        assert not any(vector in data for vector in lost)


@pytest.mark.parametrize("how", ["delete", "clear"])
def test_nothing_is_left_in_the_file_once_it_is_rewritten(engine: comis_core.Engine, how: str) -> None:
    _, secret = fill(engine)
    lost = vectors(engine.path, secret)
    assert engine.agent().delete(secret) if how == "delete" else engine.agent().clear()
    assert engine.vacuum() == ()
    for name, data in files(engine.path).items():
        assert (name, found_in(data)) == (name, [])
        assert not any(vector in data for vector in lost)
    assert [(table, value) for table, value in cells(engine.path) if found_in(str(value).encode())] == []


def test_the_id_is_left_in_traces_alone(engine: comis_core.Engine) -> None:
    kept, secret = fill(engine)
    engine.agent().delete(secret)
    number = to_bytes(secret)
    holding = {table for table, value in cells(engine.path) if value == number or secret in str(value)}
    assert holding == {"traces"}
    assert engine.agent().annotations(kept) == []


def test_a_task_that_waits_goes_with_its_memory(tmp_path: Path) -> None:
    toys = Toys()
    toys[MODEL].go.clear()
    with comis_core.open(tmp_path / "memory.db", config=config(MODEL), plugins={"toys": toys}) as engine:
        secret = engine.agent().store(SECRET)
        assert toys[MODEL].held.wait(PATIENCE)
        assert engine.doctor().facts["tasks"] == {"embed": 1}
        engine.agent().delete(secret.id)
        assert engine.doctor().facts["tasks"] == {}
        toys[MODEL].go.set()
        engine.drain()
        assert statement(engine.path, "SELECT count(*) FROM vectors") == [(0,)]


def test_nothing_is_left_in_an_index_that_was_switched_off_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path, MODEL) as engine:
        _, secret = fill(engine)
    without = config(MODEL)
    without["agents"]["default"]["rag"]["lanes"]["fts"]["enabled"] = False
    with comis_core.open(path, config=without, plugins={"toys": Toys()}) as engine:
        engine.agent().delete(secret)
        assert engine.vacuum() == ()
        assert [found_in(data) for data in files(path).values() if found_in(data)] == []


def test_an_index_whose_plugin_has_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path, MODEL) as engine:
        fill(engine)
    without = {**config(MODEL), "plugins": {"disable": ["fts"]}}
    del without["agents"]["default"]["rag"]["lanes"]["fts"]
    with comis_core.open(path, config=without, plugins={"toys": Toys()}) as engine:
        assert engine.vacuum() == ("fts",)


def test_what_was_replaced_is_history_until_it_is_deleted(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    stored = agent.store(SECRET)
    agent.update(stored.id, content="nothing to see here")
    engine.vacuum()
    assert "quokka" in found_in(engine.path.read_bytes()), "an earlier version is kept on purpose"
    agent.delete(stored.id)
    engine.vacuum()
    assert [found_in(data) for data in files(engine.path).values() if found_in(data)] == []


def test_another_process_forgets_what_it_had_in_memory(engine: comis_core.Engine) -> None:
    _, secret = fill(engine)
    with opened(engine.path, MODEL) as other:
        assert secret in {item.memory.id for item in other.agent().recall("quokka sapphires")}
        engine.agent().delete(secret)
        assert secret not in {item.memory.id for item in other.agent().recall("quokka sapphires", min_score=0.0)}
