"""The lexical index: it follows the change log, can be checked and rebuilt, and forgets what was deleted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import comis_core
from comis_core.model import NewMemory, Scope
from comis_core.store import Store
from comis_core.text import Analyser
from comis_plugins.lexical import comis_indexes, comis_lanes
from comis_plugins.lexical.index import MIGRATIONS, LexicalIndex, version
from comis_plugins.lexical.options import LexicalBudget, LexicalOptions
from comis_plugins.lexical.terms import STEMS

SCOPE = Scope("acme", "helper")
INDEX = LexicalIndex(Analyser())


def test_every_version_has_a_row_until_the_memory_is_deleted(library: Any) -> None:
    (memory,) = library.add("one version")
    library.store.update(SCOPE, memory, content="another version")
    assert len(library.rows()) == 2
    library.store.delete(SCOPE, [memory])
    assert library.rows() == []


def test_a_deletion_reaches_the_table_while_the_index_is_off(library: Any) -> None:
    kept, gone = library.add("quince", "plum")
    with Store.open(library.store.path, clock=library.clock) as other:
        other.delete(SCOPE, [gone])
    assert len(library.rows()) == 1
    assert kept


def test_an_index_that_was_off_catches_up_with_what_it_missed(library: Any) -> None:
    library.add("quince before")
    with Store.open(library.store.path, clock=library.clock) as other:
        other.add(SCOPE, [NewMemory(content="quince from elsewhere")])
    assert library.find("quince") == ["quince before"]
    library.store.catch_up()
    assert sorted(library.find("quince")) == ["quince before", "quince from elsewhere"]


def test_another_version_is_built_anew(library: Any) -> None:
    library.add("quince", "plum")
    library.store.attach("lexical", LexicalIndex(Analyser("german")), "2")
    assert library.rows() == []
    library.store.catch_up()
    assert len(library.rows()) == 2


def test_a_sound_index_has_no_problems(library: Any) -> None:
    library.add("quince", "plum", "?!")
    with library.store.transaction() as tx:
        assert INDEX.check(tx).problems == ()


def test_damage_is_reported(library: Any) -> None:
    library.add("quince", "plum", "pear")
    with library.store.transaction() as tx:
        tx.execute("DELETE FROM lexical_postings WHERE pk = 1")
        tx.execute("UPDATE lexical_postings SET stems = substr(stems, 2) WHERE pk = 2")
        tx.execute("UPDATE lexical_postings SET scope = 7 WHERE pk = 3")
        problems = INDEX.check(tx).problems
    assert problems == (
        "lexical_postings: 2 memories without a row, first pk 1",
        "lexical_postings: 1 rows without their memory, first pk 3",
        "lexical_postings: 1 rows whose terms are cut off, first pk 2",
    )


def test_clearing_leaves_an_empty_table_that_can_be_filled_again(library: Any) -> None:
    library.add("quince")
    with library.store.transaction() as tx:
        INDEX.clear(tx)
    assert library.rows() == []
    library.store.attach("lexical", INDEX, "rebuilt")
    library.store.catch_up()
    assert library.find("quince") == ["quince"]


def test_no_word_stands_in_the_table(library: Any) -> None:
    day = datetime(2023, 5, 8, tzinfo=UTC)
    library.add(
        NewMemory(content="xylophonist zwieback", title="Xylophonistics", sender="Zwiebackson", occurred_at=day)
    )
    with library.store.transaction() as tx:
        ((stems, prefixes, trigrams),) = tx.execute("SELECT stems, prefixes, trigrams FROM lexical_postings")
    assert len(stems) >= 7 * STEMS.size
    assert not any(word in stems + prefixes + trigrams for word in (b"xyl", b"zwi", b"may"))


def test_after_a_vacuum_no_term_of_a_deleted_memory_is_in_the_file(library: Any) -> None:
    gone, _ = library.add("xylophonist zwieback", "ordinary words")
    library.store.delete(SCOPE, [gone])
    library.store.vacuum()
    data = library.store.path.read_bytes()

    def term(word: str) -> bytes:
        stem = Analyser().stems(word)[0]
        return (STEMS.hash(stem) << STEMS.count_bits | 1).to_bytes(STEMS.size, "little")

    assert term("ordinary") in data
    assert term("xylophonist") not in data
    assert term("zwieback") not in data


def test_what_is_prepared_outside_the_lock_is_what_is_written(library: Any) -> None:
    (stored,) = library.add(NewMemory(content="Moving the boxes and boxes", sender="Ana"))
    (packed,) = INDEX.prepare([library.store.get(SCOPE, stored)])
    with library.store.transaction() as tx:
        (row,) = tx.execute("SELECT * FROM lexical_postings")
    assert row == (1, 1, *packed.lengths, *packed.blobs)
    assert packed.lengths == (4, 4, sum(len(word) for word in ("moving", "boxes", "boxes", "ana")))
    words = np.frombuffer(packed.blobs[0], STEMS.dtype)
    counts = {int(word) >> STEMS.count_bits: int(word) & 0xFFFF for word in words}
    assert counts[STEMS.hash("box")] == 2
    assert counts[STEMS.hash("move")] == 1
    assert len(counts) == 5  # with two stop words


def test_the_version_changes_with_the_analyser() -> None:
    english, german = (SimpleNamespace(text=Analyser(language)) for language in ("english", "german"))
    assert version(english) == version(SimpleNamespace(text=Analyser()))
    assert version(english) != version(german)


def test_the_plugin_offers_one_lane_and_the_index_that_serves_it() -> None:
    (lane,), (index,) = comis_lanes(), comis_indexes()
    assert lane.name in index.serves
    assert [(section.path, section.level) for section in lane.sections] == [
        ("rag.lanes.lexical", "agent"),
        ("", "engine"),
    ]
    assert (LexicalOptions().enabled, LexicalOptions().weight, lane.weight) == (False, 1.0, 1.0)
    assert index.migrations == MIGRATIONS


@pytest.mark.parametrize("options", [{"prefix_weight": -0.1}, {"trigram_weight": -1.0}])
def test_a_sub_lane_cannot_speak_against(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be >= 0"):
        LexicalOptions(**options)
    with pytest.raises(ValueError, match="must be >= 0"):
        LexicalBudget(lexical_budget_mb=-1)


def test_an_engine_recalls_by_it(tmp_path: Path) -> None:
    config = {
        "memory": {"lexicalBudgetMb": 8},
        "agents": {"default": {"rag": {"lanes": {"lexical": {"enabled": True}, "fts": {"enabled": False}}}}},
    }
    with comis_core.open(tmp_path / "memory.db", config=config) as engine:
        agent = engine.agent()
        agent.store("Ana moved to Lisbon")
        agent.store("Ben bakes bread")
        answer = agent.recall("Where does Ana live, in Lisbonne?")
    assert [item.memory.content for item in answer] == ["Ana moved to Lisbon"]
    assert answer.degraded == ()
