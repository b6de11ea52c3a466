"""One file, one configuration, many agents."""

from __future__ import annotations

import stat
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.toys import PATIENCE, Toys, vectors_only

import comis_core
from comis_core.clock import ManualClock
from comis_core.errors import ArgumentError, ComisError, ConfigError, MemoryRejected
from comis_core.model import Annotation, Filters, Finding, NewMemory, Trust
from comis_core.specs import ExtractorSpec, ValidatorSpec

WORDS_ONLY = {"rag": {"lanes": {"vector": {"enabled": False}}}}


def test_agents_and_tenants_never_see_each_other(engine: comis_core.Engine) -> None:
    engine.agent("a", tenant="one").store("the code is zanzibar")
    for agent, tenant in (("b", "one"), ("a", "two"), ("b", "two")):
        assert not engine.agent(agent, tenant=tenant).recall("zanzibar").items


def test_a_foreign_id_is_unknown_to_every_method(engine: comis_core.Engine) -> None:
    stored = engine.agent("a").store("the code is zanzibar")
    other = engine.agent("b")
    assert other.delete(stored.id) == other.evict(stored.id) == other.restore(stored.id) == 0
    for call in (other.get, other.history, other.annotations):
        with pytest.raises(ComisError):
            call(stored.id)
    with pytest.raises(ComisError):
        other.update(stored.id, content="mine now")
    assert engine.agent("a").get(stored.id).content == "the code is zanzibar"


def test_an_operator_searches_all_agents_of_one_tenant(engine: comis_core.Engine) -> None:
    engine.agent("a", tenant="one").store("zanzibar is here")
    engine.agent("b", tenant="one").store("zanzibar is there")
    engine.agent("c", tenant="two").store("zanzibar is elsewhere")
    found = engine.tenant("one").search("zanzibar")
    assert {item.memory.scope.agent for item in found.items} == {"a", "b"}


def test_an_operator_cannot_name_an_agent_that_is_not_there(engine: comis_core.Engine) -> None:
    engine.agent("a", tenant="one").store("zanzibar")
    with pytest.raises(ComisError, match="no agent 'x'"):
        engine.tenant("one").search("zanzibar", agents=("x",))


def test_clearing_needs_a_tenant(engine: comis_core.Engine) -> None:
    with pytest.raises(ComisError, match="tenant"):
        engine.clear("")


def test_the_file_is_for_its_owner_alone(engine: comis_core.Engine) -> None:
    engine.agent().store("x")
    assert stat.S_IMODE(engine.path.stat().st_mode) == 0o600


def test_two_engines_with_two_configurations_live_side_by_side(tmp_path: Path) -> None:
    one = comis_core.open(tmp_path / "a.db", overrides={"rag": {**WORDS_ONLY["rag"], "maxResults": 1}})
    two = comis_core.open(tmp_path / "b.db", overrides={"rag": {**WORDS_ONLY["rag"], "maxResults": 3}})
    with one, two:
        for engine in (one, two):
            engine.agent().store_many([NewMemory(content=f"bird number {number}") for number in range(5)])
        assert (len(one.agent().recall("bird")), len(two.agent().recall("bird"))) == (1, 3)


def test_many_threads_store_and_recall_at_once(engine: comis_core.Engine) -> None:
    agent, errors = engine.agent(), []

    def work(number: int) -> None:
        try:
            for step in range(10):
                agent.store(f"thread {number} saw bird {step}")
                assert agent.recall(f"thread {number} bird {step}").items
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert agent.count() == 80


def test_what_one_engine_writes_another_on_the_same_file_recalls(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with comis_core.open(path, overrides=WORDS_ONLY) as one, comis_core.open(path, overrides=WORDS_ONLY) as two:
        one.agent().store("zanzibar")
        assert len(two.agent().recall("zanzibar")) == 1


def test_a_new_configuration_holds_for_the_next_recall(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    agent.store_many([NewMemory(content=f"bird number {number}") for number in range(9)])
    before = agent.recall("bird")
    engine.reconfigure({"agents": {"default": {"rag": {"maxResults": 2, **WORDS_ONLY["rag"]}}}})
    assert (len(before), len(agent.recall("bird"))) == (5, 2)


def test_a_wrong_new_configuration_leaves_the_old_one_in_force(engine: comis_core.Engine) -> None:
    engine.agent().store("bird")
    with pytest.raises(ConfigError):
        engine.reconfigure({"agents": {"default": {"rag": {"maxResult": 2}}}})
    assert len(engine.agent().recall("bird")) == 1


def test_a_file_opened_for_reading_answers_and_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with comis_core.open(path, overrides=WORDS_ONLY) as engine:
        engine.agent().store("zanzibar")
    with comis_core.open(path, overrides=WORDS_ONLY, read_only=True) as engine:
        assert len(engine.agent().recall("zanzibar")) == 1
        with pytest.raises(ComisError, match="reading only"):
            engine.agent().store("more")


def test_a_config_as_path_is_told_from_a_database(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="config="):
        comis_core.open({"memory": {}})  # type: ignore[arg-type]


def test_recall_that_is_switched_off_says_so(tmp_path: Path) -> None:
    with comis_core.open(tmp_path / "m.db", overrides={"rag": {"enabled": False}}) as engine:
        engine.agent().store("zanzibar")
        recall = engine.agent().recall("zanzibar")
    assert not recall.items
    assert any("rag.enabled" in note for note in recall.notes)


def test_no_embedder_is_a_note_and_nothing_degraded(tmp_path: Path) -> None:
    with comis_core.open(tmp_path / "m.db", overrides={"embedding": "none"}) as engine:
        engine.agent().store("zanzibar")
        recall = engine.agent().recall("zanzibar")
    assert len(recall) == 1
    assert any("no embedder" in note for note in recall.notes)
    assert not recall.degraded


class Plugin:
    """A plugin object with one validator and one extractor."""

    def __init__(self, validate: Any = None, extract: Any = None) -> None:
        self.validate, self.extract = validate, extract

    @comis_core.hookimpl
    def comis_validators(self) -> list[ValidatorSpec]:
        return [ValidatorSpec(name="judge", build=lambda context: self)] if self.validate else []

    @comis_core.hookimpl
    def comis_extractors(self) -> list[ExtractorSpec]:
        return [ExtractorSpec(name="finder", build=lambda context: self)] if self.extract else []


def opened(path: Path, plugin: Plugin, clock: ManualClock) -> comis_core.Engine:
    return comis_core.open(path / "m.db", plugins={"mine": plugin}, overrides=WORDS_ONLY, clock=clock)


def test_a_warning_makes_a_memory_external_and_is_told(tmp_path: Path, clock: ManualClock) -> None:
    warning = Finding(severity="warning", code="odd", message="looks odd")
    with opened(tmp_path, Plugin(validate=lambda text, purpose: [warning]), clock) as engine:
        stored = engine.agent().store("odd text")
    assert (stored.trust, stored.warnings) == (Trust.EXTERNAL, ("looks odd",))


def test_a_critical_finding_refuses_the_row_and_not_its_neighbours(tmp_path: Path, clock: ManualClock) -> None:
    def judge(text: str, purpose: str) -> list[Finding]:
        return [Finding(severity="critical", code="no", message="not this")] if "bad" in text else []

    with opened(tmp_path, Plugin(validate=judge), clock) as engine:
        result = engine.agent().store_many([NewMemory(content=text) for text in ("good", "bad", "fine")])
        with pytest.raises(MemoryRejected, match="not this"):
            engine.agent().store("bad again")
    assert [(row.index, row.reason) for row in result.rejected] == [(1, "not this")]
    assert len(result.stored) == 2


def test_a_validator_that_fails_makes_the_memory_external(tmp_path: Path, clock: ManualClock) -> None:
    def judge(text: str, purpose: str) -> list[Finding]:
        raise RuntimeError("broken")

    with opened(tmp_path, Plugin(validate=judge), clock) as engine:
        stored = engine.agent().store("some text")
    assert stored.trust is Trust.EXTERNAL
    assert "judge" in stored.warnings[0]


def test_what_an_extractor_finds_is_annotated_as_its_own(tmp_path: Path, clock: ManualClock) -> None:
    def extract(memories: list[comis_core.Memory], view: object) -> list[list[Annotation]]:
        return [[Annotation(kind="entity", name=memory.content.split()[0])] for memory in memories]

    with opened(tmp_path, Plugin(extract=extract), clock) as engine:
        stored = engine.agent().store("Ana sings")
        (note,) = engine.agent().annotations(stored.id)
    assert (note.name, note.origin) == ("Ana", "extractor")


def test_an_extractor_that_fails_does_not_keep_a_memory_out(tmp_path: Path, clock: ManualClock) -> None:
    def extract(memories: list[comis_core.Memory], view: object) -> list[list[Annotation]]:
        raise RuntimeError("broken")

    with opened(tmp_path, Plugin(extract=extract), clock) as engine:
        stored = engine.agent().store("Ana sings")
        assert engine.agent().get(stored.id).content == "Ana sings"


def test_an_embedder_that_hangs_is_given_up_at_the_recalls_deadline(tmp_path: Path) -> None:
    toys, go = Toys(), threading.Event()
    embed = toys["toy-16"].embed

    def hang(texts: Sequence[str], kind: str) -> Any:
        if kind == "query" and not go.wait(PATIENCE):
            raise TimeoutError("never let go")
        return embed(texts, kind)

    toys["toy-16"].embed = hang  # type: ignore[method-assign]
    config: Any = vectors_only("toy-16")
    config["agents"]["default"]["rag"]["deadlineMs"] = 40
    with comis_core.open(tmp_path / "memory.db", config=config, plugins={"toys": toys}) as engine:
        engine.agent().store("a heron")
        engine.drain()
        answer = engine.agent().recall("heron")
        go.set()
    assert any("no answer within 0.04 s" in failure.reason for failure in answer.degraded)


@pytest.mark.parametrize("name", ["a\0b", "x" * 256])
def test_nothing_new_is_stored_under_a_name_that_nobody_can_write(engine: comis_core.Engine, name: str) -> None:
    for agent, tenant in ((name, "one"), ("one", name)):
        with pytest.raises(ArgumentError, match=r"the name of a new (agent|tenant)"):
            engine.agent(agent, tenant=tenant).store("x")
        assert not engine.agent(agent, tenant=tenant).recall("x").items
    assert not engine.scopes()
    assert engine.agent("x" * 255).store("x")


def test_a_name_that_a_file_has_stays_usable_whatever_its_length(engine: comis_core.Engine) -> None:
    long = "x" * 300
    with engine.store.transaction() as tx:
        tx.execute("INSERT INTO scopes(tenant, agent) VALUES ('default', ?)", (long,))
    engine.agent(long).store("the code is zanzibar")
    assert [item.memory.content for item in engine.agent(long).recall("zanzibar")] == ["the code is zanzibar"]


@pytest.mark.parametrize(
    ("key", "value"), [("dbPath", "other.db"), ("language", "german"), ("walMode", False)], ids=lambda value: str(value)
)
def test_what_stays_as_it_is_while_a_file_is_open_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, key: str, value: Any
) -> None:
    with comis_core.open(tmp_path / "m.db", config={}) as engine:
        engine.reconfigure({})
        engine.reconfigure({"memory": {"dbPath": "memory.db", "language": "english", "walMode": True}})
        assert not caplog.records
        engine.reconfigure({"memory": {key: value}})
    (record,) = caplog.records
    assert f"memory.{key} stays " in record.getMessage()
    assert "while the file is open" in record.getMessage()
    assert key != "dbPath" or str(tmp_path / "m.db") in record.getMessage()


def test_an_empty_answer_says_that_the_agents_levels_leave_out_what_is_learned(tmp_path: Path) -> None:
    config = {"agents": {"default": {"rag": {"includeTrustLevels": ["external"]}}}}
    with comis_core.open(tmp_path / "m.db", config=config) as engine:
        agent = engine.agent()
        agent.store("the code is zanzibar")
        (note,) = agent.recall("zanzibar").notes
        assert note == "rag.includeTrustLevels allows external alone, and memories are learned unless told"
        assert agent.recall("zanzibar", filters=Filters(trust={Trust.LEARNED})).notes == ()
        agent.store("the code is banana", trust=Trust.EXTERNAL)
        assert (len(agent.recall("banana")), agent.recall("banana").notes) == (1, ())
