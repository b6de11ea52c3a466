"""The doctor: finds what is wrong, mends what is derived, and loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.damage import digest, pages, spoil_page, statement
from support.toys import Toys

import comis_core
from comis_core.clock import ManualClock
from comis_core.engine import Diagnosis
from comis_core.engine.checkup import check_up
from comis_core.engine.doctor import DERIVED as MADE_ANEW
from comis_core.model import Annotation, NewMemory, Scope, to_microseconds
from comis_core.store import Store
from comis_core.store.integrity import TRUTH
from comis_core.store.outbox import Outbox
from comis_core.store.schema import EVICTIONS, TABLES

CONFIG = {
    "memory": {"recall": {"embeddingModel": "none"}},
    "agents": {"default": {"rag": {"lanes": {"fts": {"enabled": True}, "lexical": {"enabled": True}}}}},
}
MEMORIES = 400
SCOPE = Scope("default", "default")

Examine = Callable[..., Diagnosis]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with memories, annotations, both kinds of text index and vectors."""
    path = tmp_path_factory.mktemp("sample") / "memory.db"
    config = {**CONFIG, "memory": {"recall": {"embeddingModel": "toy-16"}}}
    with comis_core.open(path, config=config, plugins={"toys": Toys()}) as engine:
        agent = engine.agent()
        rows = [
            NewMemory(content=f"the bird number {number} sits on roof {7 * number} " + "and sings " * 20)
            for number in range(MEMORIES)
        ]
        first, second = (stored.id for stored in agent.store_many(rows).stored[:2])
        agent.annotate(first, Annotation(kind="cause", target=second), Annotation(kind="entity", name="Zeppelin"))
        engine.drain()
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, sample: bytes) -> Path:
    made = tmp_path / "memory.db"
    made.write_bytes(sample)
    return made


@pytest.fixture
def examine(path: Path, clock: ManualClock) -> Examine:
    return lambda **options: check_up(path, config=CONFIG, clock=clock, **options)


def serious(found: Diagnosis) -> list[str]:
    return [str(problem) for problem in found.problems if not problem.minor]


def contents(path: Path) -> list[Any]:
    """The truth, row by row."""
    tables = ("scopes", "memories", "annotations")
    return [statement(path, f"SELECT * FROM {table} ORDER BY 1") for table in tables]


def test_a_sound_file_is_sound_and_stays_as_it_is(path: Path, examine: Examine) -> None:
    before = digest(path)
    found = examine()
    assert serious(found) == []
    assert found.sound
    assert digest(path) == before
    assert found.facts["memories"] == MEMORIES
    assert found.facts["spaces"] == {"toy-trigrams-16": MEMORIES}


DERIVED = {
    "a row of fts is missing": ("DELETE FROM fts_text WHERE rowid = 7", "index fts"),
    "a row of fts too many": (
        "INSERT INTO fts_text(rowid, scope, title, speaker, date, content, tags) "
        "VALUES (9999, 's1', '', '', '', 'x', '')",
        "index fts",
    ),
    "postings are missing": ("DELETE FROM lexical_postings WHERE pk < 50", "index lexical"),
    "postings are cut off": ("UPDATE lexical_postings SET stems = x'01' WHERE pk = 3", "index lexical"),
    "a sequence row is missing": ("DELETE FROM sequence WHERE pk = 3", "index sequence"),
    "a sequence row of another scope": ("UPDATE sequence SET scope = 77 WHERE pk = 3", "index sequence"),
    "a vector is cut off": ("UPDATE vectors SET vector = x'00' WHERE pk = 5", "vectors"),
    "a vector of no memory": ("UPDATE vectors SET pk = 9999 WHERE pk = 5", "vectors"),
    "a vector of no space": ("UPDATE vectors SET space = 99 WHERE pk = 5", "vectors"),
    "an index that is ahead of the log": ("UPDATE watermarks SET seq = 99999 WHERE name = 'fts'", "index fts"),
    "a task of no memory": (
        "INSERT INTO outbox(kind, scope, pk, payload, due) VALUES ('embed', 1, 9999, '{}', 0)",
        "outbox",
    ),
    "a task that cannot be read": (
        "INSERT INTO outbox(kind, scope, pk, payload, due) VALUES ('embed', 1, 1, 'no json', 0)",
        "outbox",
    ),
    "a task that was set aside": (
        "INSERT INTO outbox(kind, scope, pk, payload, due) VALUES ('embed', 1, 1, '{}', 9223372036854775807)",
        "outbox",
    ),
}


@pytest.mark.parametrize("what", DERIVED)
def test_what_is_wrong_with_a_derived_table_is_found_and_mended(path: Path, examine: Examine, what: str) -> None:
    sql, area = DERIVED[what]
    truth = contents(path)
    statement(path, sql)
    spoilt = digest(path)
    found = examine()
    assert [words for words in serious(found) if words.startswith(area)]
    assert digest(path) == spoilt, "a look changes nothing"
    mended = examine(repair=True)
    assert serious(mended) == []
    assert mended.repaired
    assert serious(examine()) == []
    assert contents(path) == truth


def test_tasks_of_a_killed_process_are_told_and_released(path: Path, examine: Examine, clock: ManualClock) -> None:
    statement(path, "INSERT INTO outbox(kind, scope, pk, payload, due) VALUES ('embed', 1, 1, '{}', 0)")
    with Store.open(path, clock=clock) as killed:
        killed.write(lambda tx: Outbox().claim(tx, "embed", now=to_microseconds(clock.now()), limit=9))
    found = examine()
    assert [problem for problem in found.problems if problem.area == "outbox"] == []
    assert found.facts["not due"] == {"embed": 1}
    mended = examine(repair=True)
    assert mended.repaired == ("1 tasks that were claimed or put off are due now",)
    assert mended.facts["not due"] == {}
    assert mended.facts["tasks"] == {"embed": 1}


TREES = [
    "vectors", "sqlite_autoindex_vectors_1", "vectors_memory", "spaces", "sequence", "lexical_postings",
    "lexical_memory", "fts_text_data", "fts_text_docsize", "fts_text_idx", "changes", "changes_scope", "watermarks",
    "memories_scope", "memories_versions", "memories_live_id", "annotations_name",
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES)
def test_a_damaged_page_of_something_derived_is_found_and_mended(path: Path, examine: Examine, tree: str) -> None:
    truth = contents(path)
    spoil_page(path, tree)
    spoilt = digest(path)
    found = examine()
    assert any(problem.area == "file" and "is damaged" in problem.what for problem in found.problems)
    assert digest(path) == spoilt
    mended = examine(repair=True)
    assert serious(mended) == []
    assert contents(path) == truth
    assert statement(path, "PRAGMA integrity_check") == [("ok",)]
    assert serious(examine()) == []
    with comis_core.open(path, config=CONFIG) as engine:
        assert "number 123" in engine.agent().recall("bird number 123").items[0].memory.content


@pytest.mark.parametrize("tree", ["memories", "annotations", "evictions"])
def test_a_damaged_truth_is_told_and_left_alone(path: Path, examine: Examine, tree: str) -> None:
    spoil_page(path, tree)
    spoilt = digest(path)
    for options in ({}, {"repair": True}):
        found = examine(**options)
        assert not found.sound
        (problem,) = (problem for problem in found.problems if f"the table {tree} is damaged" in problem.what)
        assert problem.area == "truth"
        assert "comis export --damaged" in problem.remedy
        assert found.repaired == ()
        assert digest(path) == spoilt


def test_every_table_of_the_core_is_the_truth_or_derived_or_state(path: Path) -> None:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    core = {name for (name,) in statement(path, sql) if f"CREATE TABLE {name}(" in TABLES + EVICTIONS}
    assert core - {*MADE_ANEW, "outbox", "traces", "sequence"} == TRUTH & core
    assert {"memories", "annotations", "evictions", "scopes"} <= TRUTH


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE annotations SET target = x'00' WHERE target IS NOT NULL", "point at a memory which is not there"),
        ("UPDATE annotations SET scope = 9", "filed under another scope"),
        ("UPDATE memories SET scope = 9 WHERE pk = 3", "memories of a scope that is not there"),
        ("UPDATE memories SET closed_at = 1 WHERE pk = 3", "closed before they were opened"),
        ("UPDATE memories SET fingerprint = x'00' WHERE pk = 3", "without a fingerprint"),
    ],
)
def test_a_truth_that_does_not_fit_together_is_told_and_left_alone(
    path: Path, examine: Examine, sql: str, words: str
) -> None:
    statement(path, sql)
    truth = contents(path)
    assert any(words in line for line in serious(examine()))
    assert any(words in line for line in serious(examine(repair=True)))
    assert contents(path) == truth


def test_what_is_only_behind_is_no_reason_to_worry(path: Path, examine: Examine) -> None:
    statement(path, "UPDATE watermarks SET seq = seq - 3 WHERE name = 'fts'")
    found = examine()
    assert found.sound
    assert [str(problem) for problem in found.problems] == ["index fts: 3 changes behind"]


def test_vectors_that_were_removed_are_made_again(path: Path) -> None:
    statement(path, "UPDATE vectors SET vector = x'00' WHERE pk < 10")
    config = {"memory": {"recall": {"embeddingModel": "toy-16"}}}
    with comis_core.open(path, config=config, plugins={"toys": Toys()}) as engine:
        engine.agent().count()
        assert not engine.doctor().sound
        assert "9 unusable vectors were removed; they are made again" in engine.doctor(repair=True).repaired
        engine.agent().recall("bird")
        engine.drain()
        assert [space.memories for space in engine.embedding_spaces()] == [MEMORIES]


def test_an_open_engine_can_be_looked_at_and_mended(path: Path, clock: ManualClock) -> None:
    with comis_core.open(path, config=CONFIG, clock=clock) as engine:
        assert engine.doctor().sound
        engine.store.write(lambda tx: tx.execute("DELETE FROM lexical_postings WHERE pk = 124"))
        assert not engine.doctor().sound
        assert engine.doctor(repair=True).repaired == ("index lexical was rebuilt",)
        assert engine.doctor().sound


def test_a_file_that_is_only_read_is_looked_at(path: Path, clock: ManualClock) -> None:
    with comis_core.open(path, config=CONFIG, clock=clock, read_only=True) as engine:
        assert [str(problem) for problem in engine.doctor().problems] == []


def test_damage_is_seen_in_a_file_that_is_only_read(path: Path, clock: ManualClock) -> None:
    statement(path, "UPDATE fts_text_data SET block = zeroblob(length(block)) WHERE id > 10")
    with comis_core.open(path, config=CONFIG, clock=clock, read_only=True) as engine:
        assert any("fts_text" in str(problem) for problem in engine.doctor().problems)


def test_an_index_that_nobody_needs_is_not_looked_at(path: Path, clock: ManualClock) -> None:
    statement(path, "DELETE FROM lexical_postings")
    words = {"agents": {"default": {"rag": {"lanes": {"lexical": {"enabled": False}}}}}}
    assert check_up(path, config=words, clock=clock).sound


# -- in any case


def test_a_config_that_is_wrong_is_a_problem_and_the_file_is_looked_at(path: Path, clock: ManualClock) -> None:
    found = check_up(path, config={"agents": {"default": {"rag": {"maxResult": 1}}}}, clock=clock)
    assert any("maxResult" in line for line in serious(found))
    assert found.facts["memories"] == MEMORIES


def test_a_config_that_cannot_be_read_is_a_problem_and_the_file_is_looked_at(
    path: Path, clock: ManualClock, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text("memory: [", encoding="utf-8")
    found = check_up(path, config=tmp_path / "config.yaml", clock=clock)
    assert [problem.area for problem in found.problems if not problem.minor] == ["config"]
    assert found.facts["memories"] == MEMORIES


def test_a_plugin_that_is_not_there_is_a_problem(path: Path, clock: ManualClock) -> None:
    found = check_up(path, config={"plugins": {"enable": ["nowhere"], "strict": True}}, clock=clock)
    assert any("'nowhere' is not installed" in line for line in serious(found))
    assert found.facts["memories"] == MEMORIES


def test_tables_of_a_newer_plugin_are_told(path: Path, examine: Examine) -> None:
    statement(path, "INSERT INTO migrations VALUES ('lexical', 1, '0002_future')")
    (words,) = serious(examine())
    assert words == ("plugins: the tables of 'lexical' were written by a newer version of it (unknown: 0002_future)")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file"),
        (b"", "is empty"),
        (b"this is no database, only words " * 400, "not an SQLite database"),
    ],
)
def test_what_is_no_database_is_told_and_left_alone(
    tmp_path: Path, clock: ManualClock, content: bytes | None, words: str
) -> None:
    path = tmp_path / "other.db"
    if content is not None:
        path.write_bytes(content)
    for repair in (False, True):
        found = check_up(path, clock=clock, repair=repair)
        assert any(words in line for line in serious(found))
    assert (path.read_bytes() if path.exists() else None) == content
    assert [entry.name for entry in tmp_path.iterdir()] == ([] if content is None else ["other.db"])


def test_a_newer_schema_is_told_and_left_alone(path: Path, examine: Examine) -> None:
    statement(path, "PRAGMA user_version = 99")
    spoilt = digest(path)
    assert any("newer version" in line for line in serious(examine(repair=True)))
    assert digest(path) == spoilt


# -- what can be read of a damaged file


def test_what_can_be_read_of_a_damaged_file_is_had(path: Path, clock: ManualClock) -> None:
    a_page = MEMORIES / (len(pages(path, "memories")) - 1)
    spoil_page(path, "memories")
    with Store.open(path, clock=clock, read_only=True) as store, store.salvage(SCOPE) as found:
        memories = [memory for memory, _ in found]
    assert 0 < found.unreadable < 2 * a_page
    assert len(memories) + found.unreadable == MEMORIES
    assert all("sits on roof" in memory.content for memory in memories)


def test_annotations_come_along(path: Path, clock: ManualClock) -> None:
    with Store.open(path, clock=clock, read_only=True) as store, store.salvage(SCOPE) as found:
        said = [note.kind for _, notes in found for note in notes if note.origin == "caller"]
    assert sorted(said) == ["cause", "entity"]
    assert (found.unreadable, found.silent) == (0, 0)


def test_memories_whose_annotations_are_lost_are_had_and_counted(path: Path, clock: ManualClock) -> None:
    spoil_page(path, "annotations_memory", 0)
    with Store.open(path, clock=clock, read_only=True) as store, store.salvage(SCOPE) as found:
        assert len([memory for memory, _ in found]) == MEMORIES
    assert found.unreadable == 0
    assert found.silent > 0


def test_a_file_that_another_one_took_the_place_of_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with comis_core.open(path, overrides={"embedding": "none"}) as engine:
        engine.agent().store("Ana moved to Lisbon.")
        engine.backup(tmp_path / "backup.db")
        (tmp_path / "backup.db").replace(path)
        first = engine.doctor().problems[0]
    assert "another file was put in its place" in first.what
    assert "open it again" in first.remedy
