"""Recall as of an earlier moment: what was recorded by then, and what had happened by then, through every lane."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.toys import Toys, vectors_only

import comis_core
from comis_core import Agent, Annotation, Filters
from comis_core.clock import ManualClock
from comis_core.errors import NotFoundError
from comis_core.model import NewMemory, Recall

DAY = timedelta(days=1)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYS = {"rag": {"conflict": {"functionalPredicates": ["lives in"]}, "maxContextChars": 0, "minScore": 0.0}}


@pytest.fixture(params=["comis", "tuned", "vectors"])
def agent(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Agent]:
    """An agent that finds by words under either preset, or by vectors alone."""
    path = tmp_path / "memory.db"
    if request.param == "vectors":
        opened = comis_core.open(
            path, config=vectors_only("toy-16"), clock=clock, overrides=KEYS, plugins={"toys": Toys()}
        )
    else:
        opened = comis_core.open(path, preset=request.param, clock=clock, overrides={"embedding": "none", **KEYS})
    with opened as engine:
        yield engine.agent("helper", tenant="acme")


def ask(agent: Agent, text: str, **filters: Any) -> Recall:
    """Recall with all background work done."""
    agent.engine.drain()
    answer = agent.recall(text, filters=Filters(**filters), max_results=100)
    assert not answer.degraded
    return answer


def contents(agent: Agent, text: str, **filters: Any) -> list[str]:
    return [item.memory.content for item in ask(agent, text, **filters)]


def marks(agent: Agent, text: str, **filters: Any) -> dict[str, str | None]:
    """Content -> id of what supersedes it."""
    return {item.memory.content: item.superseded_by for item in ask(agent, text, **filters)}


def triple(subject: str, value: str, **fields: Any) -> Annotation:
    return Annotation(kind="triple", name=subject, predicate="lives in", value=value, **fields)


# -- record time: memories ---------------------------------------------------------------------------------------------


def test_an_updated_memory_is_recalled_as_it_was(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key hangs in the kitchen.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.update(stored.id, content="The office key lies in the safe.")
    question = "Where is the office key?"
    assert contents(agent, question) == ["The office key lies in the safe."]
    assert contents(agent, question, record_as_of=START) == ["The office key hangs in the kitchen."]
    assert contents(agent, question, record_as_of=START + DAY) == ["The office key lies in the safe."]
    assert contents(agent, question, record_as_of=START - DAY) == []


def test_an_update_keeps_every_prior_body(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key has number 1.")
    for number in range(2, 5):
        agent.engine.drain()
        clock.advance(DAY)
        agent.update(stored.id, content=f"The office key has number {number}.")
    assert [version.content[-2] for version in agent.history(stored.id)] == ["1", "2", "3", "4"]
    for number in range(4):
        seen = contents(agent, "office key number", record_as_of=START + number * DAY)
        assert seen == [f"The office key has number {number + 1}."]


def test_what_was_stored_later_was_not_known(agent: Agent, clock: ManualClock) -> None:
    agent.store("The first office key is brass.")
    clock.advance(DAY)
    agent.store("The second office key is steel.")
    assert contents(agent, "office key", record_as_of=START) == ["The first office key is brass."]
    assert len(contents(agent, "office key")) == 2


def test_what_was_evicted_later_was_still_there(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key is brass.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.evict(stored.id)
    assert contents(agent, "office key") == []
    assert contents(agent, "office key", record_as_of=START) == ["The office key is brass."]
    assert contents(agent, "office key", record_as_of=START + DAY) == []


def test_what_was_restored_later_was_still_evicted_then(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key is brass.")
    agent.engine.drain()
    for _ in range(2):
        clock.advance(DAY)
        agent.evict(stored.id)
        clock.advance(DAY)
        agent.restore(stored.id)
    seen = [bool(contents(agent, "office key", record_as_of=START + day * DAY)) for day in range(5)]
    assert seen == [True, False, True, False, True]
    assert contents(agent, "office key") == ["The office key is brass."]


def test_of_several_that_were_restored_together_each_was_evicted_then(agent: Agent, clock: ManualClock) -> None:
    texts = [f"The office key hangs on hook {number}." for number in ("one", "two", "three")]
    ids = [agent.store(text).id for text in texts]
    agent.engine.drain()
    clock.advance(DAY)
    assert agent.evict(*ids) == 3
    clock.advance(DAY)
    assert agent.restore(*ids) == 3
    seen = [sorted(contents(agent, "office key", record_as_of=START + day * DAY)) for day in range(3)]
    assert seen == [sorted(texts), [], sorted(texts)]


def test_restoring_changes_no_answer_about_the_past(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key is brass.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.evict(stored.id)
    clock.advance(DAY)
    moments = [START + hours * DAY / 2 for hours in range(4)]
    before = [contents(agent, "office key", record_as_of=moment) for moment in moments]
    agent.restore(stored.id)
    clock.advance(DAY)
    assert [contents(agent, "office key", record_as_of=moment) for moment in moments] == before


def test_a_memory_that_was_updated_while_it_was_evicted_was_hidden_until_it_was_restored(
    agent: Agent, clock: ManualClock
) -> None:
    stored = agent.store("The office key is brass.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.evict(stored.id)
    clock.advance(DAY)
    agent.update(stored.id, content="The office key is steel.")
    clock.advance(DAY)
    agent.restore(stored.id)
    seen = [contents(agent, "office key", record_as_of=START + day * DAY) for day in range(4)]
    assert seen == [["The office key is brass."], [], [], ["The office key is steel."]]


def test_expiry_is_judged_by_the_moment_asked_for(agent: Agent, clock: ManualClock) -> None:
    agent.store("The office voucher is valid.", expires_at=START + 10 * DAY)
    agent.engine.drain()
    clock.advance(30 * DAY)
    assert contents(agent, "office voucher") == []
    assert contents(agent, "office voucher", record_as_of=START + 9 * DAY) == ["The office voucher is valid."]
    assert contents(agent, "office voucher", record_as_of=START + 10 * DAY) == []


def test_what_was_deleted_is_gone_from_the_past_too(agent: Agent, clock: ManualClock) -> None:
    stored = agent.store("The office key is brass.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.update(stored.id, content="The office key is steel.")
    agent.delete(stored.id)
    assert contents(agent, "office key", record_as_of=START) == []
    with pytest.raises(NotFoundError):
        agent.get(stored.id, as_of=START)


def test_what_is_imported_with_its_own_record_time_counts_from_then(agent: Agent) -> None:
    agent.store("The office key is brass.", created_at=START - 100 * DAY)
    assert contents(agent, "office key", record_as_of=START - 101 * DAY) == []
    assert contents(agent, "office key", record_as_of=START - 50 * DAY) == ["The office key is brass."]


# -- record time: annotations ------------------------------------------------------------------------------------------


def test_a_correction_counts_from_the_moment_it_was_recorded(agent: Agent, clock: ManualClock) -> None:
    old = agent.store("The office key is brass.")
    agent.engine.drain()
    clock.advance(DAY)
    new = agent.store("The office key is steel.", supersedes=[old.id])
    assert marks(agent, "office key") == {"The office key is brass.": new.id, "The office key is steel.": None}
    assert contents(agent, "office key")[0] == "The office key is steel."
    assert marks(agent, "office key", record_as_of=START) == {"The office key is brass.": None}


def test_a_correction_said_later_of_what_was_known_does_not_count_before(agent: Agent, clock: ManualClock) -> None:
    one, other = agent.store("The office key is brass."), agent.store("The office key is steel.")
    agent.engine.drain()
    clock.advance(DAY)
    agent.annotate(other.id, Annotation(kind="supersedes", target=one.id))
    assert marks(agent, "office key")["The office key is brass."] == other.id
    assert set(marks(agent, "office key", record_as_of=START).values()) == {None}


def test_what_is_said_with_an_import_is_as_old_as_the_memory(agent: Agent) -> None:
    old = agent.store("The office key is brass.", created_at=START - 100 * DAY)
    new = agent.store("The office key is steel.", created_at=START - 50 * DAY, supersedes=[old.id])
    then = marks(agent, "office key", record_as_of=START - 40 * DAY)
    assert then == {"The office key is brass.": new.id, "The office key is steel.": None}
    assert marks(agent, "office key", record_as_of=START - 60 * DAY) == {"The office key is brass.": None}


def test_statements_conflict_as_far_as_they_were_known(agent: Agent, clock: ManualClock) -> None:
    agent.store("Ana lives in a flat in Porto.", annotations=[triple("Ana", "Porto")])
    agent.engine.drain()
    clock.advance(DAY)
    new = agent.store("Ana lives in a flat in Lisbon.", annotations=[triple("ana", "Lisbon")])
    assert marks(agent, "Where does Ana live, in a flat?")["Ana lives in a flat in Porto."] == new.id
    then = marks(agent, "Where does Ana live, in a flat?", record_as_of=START)
    assert then == {"Ana lives in a flat in Porto.": None}


def test_a_statement_that_was_withdrawn_later_counted_before(agent: Agent, clock: ManualClock) -> None:
    first = agent.store("Ana lives in a flat in Porto.", annotations=[triple("Ana", "Porto")])
    second = agent.store("Ana lives in a flat in Lisbon.", annotations=[triple("Ana", "Lisbon")])
    agent.engine.drain()
    clock.advance(DAY)
    agent.engine.store.update(agent.scope, second.id, annotations=[Annotation(kind="entity", name="Ana")])
    question = "Where does Ana live, in a flat?"
    assert set(marks(agent, question).values()) == {None}
    assert marks(agent, question, record_as_of=START)[agent.get(first.id).content] == second.id


def test_an_alias_joins_statements_from_the_moment_it_is_known(agent: Agent, clock: ManualClock) -> None:
    agent.store("Isabel lives in a flat in Porto.", annotations=[triple("Isabel", "Porto")])
    new = agent.store("Bel lives in a flat in Lisbon.", annotations=[triple("Bel", "Lisbon")])
    agent.engine.drain()
    clock.advance(DAY)
    agent.annotate(new.id, Annotation(kind="alias", name="Bel", value="Isabel"))
    question = "Who lives in a flat?"
    assert marks(agent, question)["Isabel lives in a flat in Porto."] == new.id
    assert set(marks(agent, question, record_as_of=START).values()) == {None}


def test_two_names_of_one_value_do_not_conflict(agent: Agent) -> None:
    said = [triple("Ana", "Lisboa"), Annotation(kind="alias", name="Lisboa", value="Lisbon")]
    agent.store("Ana lives in a flat in Lisboa.", annotations=said)
    agent.store("Ana lives in a flat in Lisbon.", annotations=[triple("Ana", "Lisbon")])
    assert set(marks(agent, "Where does Ana live, in a flat?").values()) == {None}


def test_a_statement_about_an_earlier_time_loses_whenever_it_was_recorded(agent: Agent, clock: ManualClock) -> None:
    new = agent.store("Ana lives in a flat in Lisbon.", annotations=[triple("Ana", "Lisbon", occurred_at=START)])
    clock.advance(DAY)
    earlier = triple("Ana", "Porto", occurred_at=START - 900 * DAY)
    agent.store("Ana lives in a flat in Porto.", annotations=[earlier])
    assert marks(agent, "Where does Ana live, in a flat?")["Ana lives in a flat in Porto."] == new.id


def test_a_cause_leads_to_its_effect_from_the_moment_it_was_said(tmp_path: Path, clock: ManualClock) -> None:
    with comis_core.open(tmp_path / "memory.db", clock=clock, overrides={"embedding": "none"}) as engine:
        agent = engine.agent()
        cause, effect = agent.store("A digger cut the cable."), agent.store("The ice cream melted.")
        clock.advance(DAY)
        agent.link(cause.id, effect.id)
        assert set(contents(agent, "digger")) == {"A digger cut the cable.", "The ice cream melted."}
        assert contents(agent, "digger", record_as_of=START) == ["A digger cut the cable."]


# -- event time --------------------------------------------------------------------------------------------------------


def test_what_happened_later_is_hidden_and_what_has_no_date_is_not(agent: Agent) -> None:
    agent.store("The office moved to Porto.", occurred_at=START - 300 * DAY)
    agent.store("The office moved to Lisbon.", occurred_at=START - 100 * DAY)
    agent.store("The office has a cat.")
    seen = contents(agent, "office", event_as_of=START - 200 * DAY)
    assert sorted(seen) == ["The office has a cat.", "The office moved to Porto."]
    assert len(contents(agent, "office", event_as_of=START)) == 3


def test_of_rivals_the_last_before_the_moment_wins(agent: Agent) -> None:
    ids = [
        agent.store(f"The office is in {city}.", key="office", occurred_at=START - days * DAY).id
        for city, days in (("Faro", 300), ("Porto", 200), ("Lisbon", 100))
    ]
    assert marks(agent, "Where is the office?", event_as_of=START - 150 * DAY) == {
        "The office is in Faro.": ids[1],
        "The office is in Porto.": None,
    }
    assert marks(agent, "Where is the office?")["The office is in Porto."] == ids[2]


def test_a_statement_that_became_true_later_does_not_count(agent: Agent) -> None:
    agent.store("Ana lives in a flat in Porto.", annotations=[triple("Ana", "Porto", occurred_at=START - 300 * DAY)])
    new = agent.store("Ana lives in a flat in Lisbon.", annotations=[triple("Ana", "Lisbon", occurred_at=START)])
    question = "Where does Ana live, in a flat?"
    assert marks(agent, question)["Ana lives in a flat in Porto."] == new.id
    assert marks(agent, question, event_as_of=START - DAY)["Ana lives in a flat in Porto."] is None


def test_both_axes_hold_at_once(agent: Agent, clock: ManualClock) -> None:
    agent.store("The office moved to Porto.", occurred_at=START - 300 * DAY)
    agent.engine.drain()
    clock.advance(DAY)
    agent.store("The office moved to Faro first.", occurred_at=START - 400 * DAY)
    agent.store("The office moved to Lisbon.", occurred_at=START)
    assert contents(agent, "office", record_as_of=START, event_as_of=START) == ["The office moved to Porto."]
    both = contents(agent, "office", record_as_of=START + DAY, event_as_of=START - DAY)
    assert sorted(both) == ["The office moved to Faro first.", "The office moved to Porto."]


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1850, 6, 1, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC),
        datetime(9999, 12, 31, tzinfo=UTC),
    ],
    ids=["1850", "epoch", "leap day", "9999"],
)
def test_a_moment_itself_belongs_to_what_had_happened(agent: Agent, moment: datetime) -> None:
    agent.store("The office opened.", occurred_at=moment)
    assert contents(agent, "office", event_as_of=moment) == ["The office opened."]
    assert contents(agent, "office", event_as_of=moment - timedelta(microseconds=1)) == []


# -- the whole ---------------------------------------------------------------------------------------------------------


class Diary:
    """An agent to whom things happen by lot, a step a day."""

    def __init__(self, agent: Agent, clock: ManualClock, seed: int) -> None:
        self.agent, self.clock = agent, clock
        self.chance = random.Random(seed)
        self.ids: list[str] = []
        self.written = 0

    def step(self) -> None:
        """Something happens, and a day goes by."""
        self.chance.choice((self.remember, self.remember, self.rewrite, self.hide, self.point, self.rename))()
        self.clock.advance(DAY)

    def remember(self) -> None:
        self.written += 1
        chance = self.chance
        memory: dict[str, Any] = {"key": chance.choice((None, None, "k1", "k2"))}
        if chance.random() < 0.4:
            memory["occurred_at"] = START + chance.randrange(-50, 50) * DAY
        if chance.random() < 0.2:
            memory["expires_at"] = self.clock.now() + chance.randrange(1, 20) * DAY
        if self.ids and chance.random() < 0.3:
            memory["supersedes"] = [chance.choice(self.ids)]
        if chance.random() < 0.4:
            memory["annotations"] = [triple(chance.choice(("Ana", "Anita", "Ben")), chance.choice(("Porto", "Faro")))]
        self.ids.append(self.agent.store(f"report {self.written} {chance.random():.12f}", **memory).id)

    def rewrite(self) -> None:
        if self.ids:
            self.written += 1
            self.agent.update(
                self.chance.choice(self.ids), content=f"report {self.written} {self.chance.random():.12f}"
            )

    def hide(self) -> None:
        if self.ids:
            self.agent.evict(self.chance.choice(self.ids))

    def point(self) -> None:
        if self.ids:
            kind = self.chance.choice(("cause", "supersedes"))
            said = Annotation(kind=kind, target=self.chance.choice(self.ids))
            self.agent.annotate(self.chance.choice(self.ids), said)

    def rename(self) -> None:
        if self.ids:
            said = Annotation(kind="alias", name="Anita", value="Ana")
            self.agent.annotate(self.chance.choice(self.ids), said)

    def seen(self, moment: datetime, **filters: Any) -> set[tuple[str, str | None]]:
        """What a question at a moment brings, and what supersedes what."""
        answer = self.agent.recall("report", now=moment, max_results=100, filters=Filters(**filters))
        return {(item.memory.content, item.superseded_by) for item in answer}


@pytest.mark.parametrize("preset", ["comis", "tuned"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_past_looks_as_it_looked_then(tmp_path: Path, clock: ManualClock, preset: str, seed: int) -> None:
    overrides = {"embedding": "none", **KEYS}
    with comis_core.open(tmp_path / "memory.db", preset=preset, clock=clock, overrides=overrides) as engine:
        diary = Diary(engine.agent(), clock, seed)
        saw = {}
        for _ in range(40):
            diary.step()
            moment = clock.now() - timedelta(microseconds=1)
            saw[moment] = diary.seen(moment)
        assert any(mark for seen in saw.values() for _, mark in seen)
        for moment, seen in saw.items():
            assert diary.seen(moment, record_as_of=moment) == seen, moment


def test_a_batch_of_the_past_is_recalled_version_by_version(agent: Agent) -> None:
    rows = [NewMemory(content=f"The office report of day {day}.", created_at=START - day * DAY) for day in range(20)]
    agent.store_many(rows)
    assert len(contents(agent, "office report", record_as_of=START - 10 * DAY)) == 10
