"""The full-text index: it follows the change log, can be checked and rebuilt, and forgets what was deleted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comis_core.model import NewMemory, Scope
from comis_core.store import Store
from comis_core.text import Analyser
from comis_plugins.fts import comis_indexes, comis_lanes
from comis_plugins.fts.index import MIGRATIONS, TOKENIZER, FtsIndex, version
from comis_plugins.fts.options import FtsOptions

SCOPE = Scope("acme", "helper")
INDEX = FtsIndex(Analyser())


def test_every_version_has_a_row_until_the_memory_is_deleted(library: Any) -> None:
    (memory,) = library.add("one version")
    library.store.update(SCOPE, memory, content="another version")
    assert len(library.rows()) == 2
    library.store.delete(SCOPE, [memory])
    assert library.rows() == []


def test_an_index_that_was_off_catches_up_with_what_it_missed(tmp_path: Path, library: Any) -> None:
    library.add("quince before")
    with Store.open(library.store.path, clock=library.clock) as other:
        other.add(SCOPE, [NewMemory(content="quince from elsewhere")])
        other.delete(SCOPE, [library.add("quince passing")[0]])
    library.store.catch_up()
    assert sorted(library.find("quince")) == ["quince before", "quince from elsewhere"]
    assert not library.store.pending()


def test_another_version_is_built_anew(library: Any) -> None:
    library.add("quince", "plum")
    library.store.attach("fts", FtsIndex(Analyser("german")), "2")
    assert library.rows() == []
    library.store.catch_up()
    assert len(library.rows()) == 2


def test_a_sound_index_has_no_problems(library: Any) -> None:
    library.add("quince", "plum")
    with library.store.transaction() as tx:
        assert INDEX.check(tx).problems == ()


def test_a_missing_and_a_strange_row_are_reported(library: Any) -> None:
    library.add("quince", "plum")
    first, _ = library.rows()
    with library.store.transaction() as tx:
        tx.execute("DELETE FROM fts_text WHERE rowid = ?", (first,))
        tx.execute("INSERT INTO fts_text(rowid, scope, content) VALUES(99, 's1', 'ghost')")
        problems = INDEX.check(tx).problems
    assert problems == (
        f"fts_text: 1 without a row, first pk {first}",
        "fts_text: 1 of no memory, first pk 99",
    )


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM fts_text_data WHERE id > 10",
        "UPDATE fts_text_data SET block = zeroblob(length(block)) WHERE id = 10",
        "UPDATE fts_text_data SET block = substr(block, 1, 20) WHERE id > 10",
    ],
    ids=["blocks lost", "structure emptied", "blocks cut"],
)
def test_damage_inside_the_table_is_reported(library: Any, damage: str) -> None:
    library.add(*(f"quince number {n} of many" for n in range(50)))
    with library.store.transaction() as tx:
        tx.execute(damage)
    # FTS5 keeps what it has read; a fresh connection reads what is there.
    with Store.open(library.store.path, clock=library.clock) as other, other.transaction() as tx:
        problems = INDEX.check(tx).problems
    assert len(problems) == 1
    assert problems[0].startswith("fts_text: ")


def test_clearing_leaves_an_empty_table_that_can_be_filled_again(library: Any) -> None:
    library.add("quince")
    with library.store.transaction() as tx:
        INDEX.clear(tx)
    assert library.rows() == []
    library.store.attach("fts", INDEX, "rebuilt")
    library.store.catch_up()
    assert library.find("quince") == ["quince"]


def test_after_optimising_no_word_of_a_deleted_memory_is_in_the_table(library: Any) -> None:
    kept, gone = library.add("ordinary words", "xylophonist zwieback")

    def blocks() -> bytes:
        with library.store.transaction() as tx:
            return b"".join(block for (block,) in tx.execute("SELECT block FROM fts_text_data"))

    library.store.delete(SCOPE, [gone])
    with library.store.transaction() as tx:
        INDEX.optimise(tx)
    stem = Analyser().stems("xylophonist")[0].encode()
    assert stem not in blocks()
    assert b"ordinari" in blocks()
    assert kept


def test_after_a_vacuum_no_word_of_a_deleted_memory_is_in_the_file(library: Any) -> None:
    (gone,) = library.add(*[NewMemory(content="xylophonist zwieback", title="Xylophonistics", sender="Zwiebackson")])
    library.add("ordinary words")
    library.store.delete(SCOPE, [gone])
    library.store.vacuum()
    data = library.store.path.read_bytes().lower()
    assert b"ordinari" in data
    assert not any(word in data for word in (b"xylophon", b"zwieback"))


def test_what_is_prepared_outside_the_lock_is_what_is_written(library: Any) -> None:
    day = datetime(2023, 5, 8, tzinfo=UTC)
    memory = NewMemory(content="Moving the boxes", title="Plans", sender="Ana", tags=("a-b",), occurred_at=day)
    (stored,) = library.add(memory)
    (fields,) = INDEX.prepare([library.store.get(SCOPE, stored)])
    assert (fields.title, fields.speaker, fields.content) == ("plan", "ana", "move the box")
    assert set(fields.date.split()) >= {"8", "may", "2023", "05", "08"}
    assert set(fields.tags.split()) >= {"a", "b"}


def test_the_version_changes_with_the_analyser() -> None:
    english, german = (SimpleNamespace(text=Analyser(language)) for language in ("english", "german"))
    assert version(english) == version(SimpleNamespace(text=Analyser()))
    assert version(english) != version(german)


def test_the_tokenizer_parts_tokens_at_spaces_only(library: Any) -> None:
    signs = "".join(map(chr, range(33, 127))).replace("'", "").replace('"', "")
    with library.store.transaction() as tx:
        tx.execute("INSERT INTO fts_text(rowid, scope, content) VALUES(5, 's1', ?)", (f"a'b c\"d {signs} é-ü",))
        for token in ("a'b", 'c""d', signs, "é-ü"):
            assert [row[0] for row in tx.execute("SELECT rowid FROM fts_text WHERE fts_text MATCH ?", (f'"{token}"',))]
        assert not list(tx.execute("SELECT rowid FROM fts_text WHERE fts_text MATCH '\"ü\"'"))
    assert TOKENIZER.startswith("ascii")


def test_the_plugin_offers_one_lane_and_the_index_that_serves_it() -> None:
    (lane,), (index,) = comis_lanes(), comis_indexes()
    assert lane.name in index.serves
    assert lane.sections[0].path == "rag.lanes.fts"
    assert (FtsOptions().enabled, FtsOptions().weight, lane.weight) == (True, 1.0, 1.0)
    assert index.migrations == MIGRATIONS
    assert "fts_text" in str(index.migrations[0].apply)
