"""Entities of memories as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

import comis_core
from comis_core.model import Annotation, Memory, MemoryType, NewMemory, Scope, Trust
from comis_plugins.entities.batch import MOST
from comis_plugins.entities.extractor import EntityExtractor

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def memory(content: str, title: str | None = None) -> Memory:
    return Memory(
        id="x", scope=Scope("acme", "helper"), content=content, title=title, type=MemoryType.SEMANTIC,
        trust=Trust.LEARNED, created_at=MOMENT, opened_at=MOMENT,
    )  # fmt: skip


def view(**known: str) -> Any:
    return SimpleNamespace(entities=known, senders={}, memories=0)


def extract(*contents: str, known: Mapping[str, str] | None = None) -> list[list[Annotation]]:
    found = EntityExtractor().extract([memory(content) for content in contents], view(**(known or {})))
    return [list(annotations) for annotations in found]


def entities(annotations: Sequence[Annotation]) -> list[str]:
    return [each.name for each in annotations if each.kind == "entity"]


def test_each_name_is_said_once_in_the_spelling_that_comes_first() -> None:
    (found,) = extract("We met Ana. Then ANA met José and Jose.")
    assert found == [
        Annotation(kind="entity", name="Ana", origin="extractor"),
        Annotation(kind="entity", name="José", origin="extractor"),
    ]


def test_a_title_is_read_too() -> None:
    (found,) = EntityExtractor().extract([memory("it is up again", title="Staging Host")], view())
    assert entities(found) == ["Staging Host"]


def test_a_word_that_opens_a_sentence_is_a_name_unless_something_speaks_against_it() -> None:
    assert [entities(each) for each in extract("Ana moved.", "Swimming is fun.", "Beautifully done.")] == [
        ["Ana"],
        [],
        [],
    ]


def test_an_everyday_thing_is_a_name_only_where_a_sentence_shows_it() -> None:
    assert [entities(each) for each in extract("Paper jam again.", "Biscuits for tea.")] == [[], []]
    assert [entities(each) for each in extract("my dog Biscuits", "Biscuits barks.")] == [["Biscuits"], ["Biscuits"]]


@pytest.mark.parametrize("name", ["Bill", "Joy", "Queen", "Hill", "Stone", "Sky", "Candy", "Moon"])
def test_a_thing_that_people_are_called_after_opens_a_sentence_as_a_name(name: str) -> None:
    (found,) = extract(f"{name} moved to Lisbon.")
    assert entities(found) == [name, "Lisbon"]


def test_a_word_that_the_batch_writes_in_small_letters_too_is_no_name() -> None:
    assert [entities(each) for each in extract("Bakery closed.", "we have a bakery")] == [[], []]


def test_a_name_that_another_memory_of_the_batch_shows_is_known() -> None:
    found = extract("Swimming Ana", "Beijing was hot. A beijing duck.", "we flew to Beijing")
    assert [entities(each) for each in found[1:]] == [["Beijing"], ["Beijing"]]


def test_what_the_scope_knows_is_found_without_quotation_marks() -> None:
    (found,) = extract("我又读了红楼梦。", known={"红楼梦": "红楼梦"})
    assert entities(found) == ["红楼梦"]


def test_dana_and_dan_stay_two() -> None:
    found = extract("we met Dana and Dan", "then Dan left", known={"dana": "dana"})
    assert [entities(each) for each in found] == [["Dana", "Dan"], ["Dan"]]
    assert all(each.kind == "entity" for annotations in found for each in annotations)


def test_a_misspelt_long_name_is_said_to_be_another_name_of_the_known_one() -> None:
    (found,) = extract("a week in San Fransisco", known={"san francisco": "san francisco"})
    assert found == [
        Annotation(kind="entity", name="San Fransisco", origin="extractor"),
        Annotation(kind="alias", name="San Fransisco", value="san francisco", origin="extractor"),
    ]


def test_one_memory_has_at_most_so_many_names() -> None:
    (found,) = extract(" and ".join(f"Name{number} Surname" for number in range(2 * MOST)))
    assert len(found) == MOST
    assert found[0].name == "Name0 Surname"


PIECES = (
    "Ana and Ben. ", "a.a", "#", "@a.", "A.", "Ab-", "'s ", '"Ana', "http://", "“”", "的", "アナ", "x" * 50, "Ab of the ",
    "「Aナ",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_the_longest_text_is_read_in_one_go(piece: str) -> None:
    content = (piece * 65536)[: 65536 // len(piece.encode()) * len(piece)] or piece
    (found,) = extract(content)
    assert len(entities(found)) <= MOST


def test_nothing_is_found_in_nothing() -> None:
    assert EntityExtractor().extract([], view()) == []
    assert extract("1234 !?") == [[]]


# -- in an engine

CONFIG = {"agents": {"default": {"embedding": "none", "rag": {"fusion": {"method": "score"}, "minScore": 0}}}}


@pytest.fixture
def agent(tmp_path: Any) -> Any:
    with comis_core.open(tmp_path / "memory.db", config=CONFIG) as engine:
        yield engine.agent("default")


def names_of(agent: Any, id: str) -> list[str]:
    return [said.name for said in agent.annotations(id) if said.kind == "entity"]


def test_what_is_stored_has_its_entities(agent: Any) -> None:
    stored = agent.store("Ana met Ben in Lisbon.", sender="dana")
    assert set(names_of(agent, stored.id)) == {"Ana", "Ben", "Lisbon"}
    assert {said.origin for said in agent.annotations(stored.id)} == {"extractor"}


def test_names_stored_one_by_one_are_known_to_the_next(agent: Any) -> None:
    agent.store("他去了「北京」。")
    assert names_of(agent, agent.store("北京很大。").id) == ["北京"]


def test_entities_that_the_caller_names_are_all_there_are(agent: Any) -> None:
    given = (Annotation(kind="entity", name="project x"),)
    assert names_of(agent, agent.store("Ana met Ben.", annotations=given).id) == ["project x"]


def test_an_update_has_the_entities_of_the_new_text(agent: Any) -> None:
    stored = agent.store("We met Ana.")
    agent.update(stored.id, content="We met Ben.")
    assert names_of(agent, stored.id) == ["Ben"]


def test_a_question_reaches_over_a_shared_name_what_shares_no_word_with_it(agent: Any) -> None:
    agent.store("Our office is next to Harbour Tower.")
    behind = agent.store("Harbour Tower was built in 1931.")
    agent.store_many([NewMemory(content=f"note {number} on something else") for number in range(30)])
    found = agent.recall("Where is the office?")
    assert behind.id in [item.memory.id for item in found]
    item = next(item for item in found if item.memory.id == behind.id)
    assert {"entity", "graph_spread"} <= set(item.sources)


def test_an_alias_in_a_question_finds_what_has_the_name_alone(agent: Any) -> None:
    agent.store_many([NewMemory(content=f"note {number} on something else") for number in range(5)])
    agent.store("K8s is short for it.", annotations=(Annotation(kind="alias", name="k8s", value="Kubernetes"),))
    named = agent.store("The services run on Kubernetes.")
    assert named.id in [item.memory.id for item in agent.recall("where is k8s used?", max_results=2)]


def test_the_extractor_is_silent_while_no_lane_reads_entities(tmp_path: Any) -> None:
    off = {"rag": {"entityLane": {"enabled": False}, "lanes": {"graphSpread": {"enabled": False}}}}
    config = {"agents": {"default": {"embedding": "none", **off}}}
    with comis_core.open(tmp_path / "memory.db", config=config) as engine:
        agent = engine.agent("default")
        assert agent.annotations(agent.store("We met Ana.").id) == []
