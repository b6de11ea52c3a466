"""Cases whose rows point to each other, and cases that are played at their own times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import comis_core
from comis_core import hookimpl
from comis_core.clock import ManualClock
from comis_core.errors import ComisError
from comis_core.evaluation import Variant, find_cases, run_variant
from comis_core.evaluation.story import CaseClock, fill
from comis_core.evaluation.variants import Pipeline
from comis_core.model import Filters, Trust, Turn
from comis_core.protocols import Observer, Transaction
from comis_core.specs import ObserverSpec

WORDS_ONLY = {"embedding": "none"}
Rows = Sequence[Mapping[str, Any]]


def write(folder: Path, memories: Rows, queries: Rows, edges: Rows = (), turns: Rows = ()) -> Path:
    """Write a case."""
    case = folder / "set" / "case"
    case.mkdir(parents=True)
    files = {"memories": memories, "queries": queries, "edges": edges, "turns": turns}
    for name, rows in files.items():
        if rows:
            (case / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def ranked(folder: Path) -> dict[str, tuple[str, ...]]:
    """Question -> the data's ids of the answer, under the documented preset without vectors."""
    run = run_variant(Variant(name="words", open=Pipeline(preset="comis", overrides=WORDS_ONLY)), find_cases(folder))
    assert not run.degraded
    return {answer.id: answer.ranked for answer in run.answers}


def asks(text: str, gold: str, **fields: str) -> dict[str, Any]:
    return {"id": "q", "text": text, "relevant": [gold], **fields}


def test_an_edge_leads_to_a_memory_of_other_words(tmp_path: Path) -> None:
    memories = [{"id": "m1", "content": "A digger cut the cable."}, {"id": "m2", "content": "Ice cream melted."}]
    edges = [{"cause": "m1", "effect": "m2", "confidence": 0.9}]
    assert set(ranked(write(tmp_path, memories, [asks("digger", "m2")], edges))["q"]) == {"m1", "m2"}


def test_an_annotation_names_its_target_by_the_datas_id_wherever_it_stands(tmp_path: Path) -> None:
    said = [{"kind": "cause", "target": "m2", "confidence": 0.9}]
    memories = [
        {"id": "m1", "content": "A digger cut the cable.", "annotations": said},
        {"id": "m2", "content": "Ice cream melted."},
    ]
    assert set(ranked(write(tmp_path, memories, [asks("digger", "m2")]))["q"]) == {"m1", "m2"}


def test_a_correction_leads(tmp_path: Path) -> None:
    memories = [
        {"id": "old", "content": "Ana works at Acme, in the front office."},
        {"id": "new", "content": "She has moved on to Globex.", "supersedes": ["old"]},
    ]
    assert ranked(write(tmp_path, memories, [asks("Where does Ana work?", "new")])) == {"q": ("new", "old")}


def test_annotations_of_a_row_are_kept_with_it(tmp_path: Path) -> None:
    said = [{"kind": "triple", "name": "Ana", "predicate": "works at", "value": "Acme", "occurred_at": "2020-02-29"}]
    (case,) = find_cases(write(tmp_path, [{"id": "m", "content": "x", "annotations": said}], [asks("x", "m")]))
    (annotation,) = case.memories[0].annotations
    assert (annotation.name, annotation.value) == ("Ana", "Acme")
    assert annotation.occurred_at == datetime(2020, 2, 29, tzinfo=UTC)


def test_a_row_says_how_far_it_is_trusted_and_how_often_it_was_confirmed(tmp_path: Path) -> None:
    memories = [{"id": "m", "content": "x", "trust": "system", "proof_count": 4, "confidence": 0.5}]
    (case,) = find_cases(write(tmp_path, memories, [asks("x", "m")]))
    (memory,) = case.memories
    assert (memory.trust, memory.proof_count, memory.confidence) == (Trust.SYSTEM, 4, 0.5)


def test_a_trust_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "m", "content": "x", "trust": "blind"}], [asks("x", "m")])
    with pytest.raises(
        ComisError, match=r"memories\.jsonl:1: trust must be one of external, learned, system, not 'blind'"
    ):
        find_cases(tmp_path)


def test_what_an_operator_stored_is_stored_and_found(tmp_path: Path) -> None:
    memories = [
        {"id": "said", "content": "The office opens at nine."},
        {"id": "set", "content": "The office opens at eight.", "trust": "system"},
    ]
    assert ranked(write(tmp_path, memories, [asks("When does the office open?", "set")])) == {"q": ("set", "said")}


def test_a_row_that_no_operator_stores_cannot_replace_what_one_stored(tmp_path: Path) -> None:
    memories = [
        {"id": "set", "content": "The office opens at eight.", "trust": "system"},
        {"id": "said", "content": "The office opens at nine.", "supersedes": ["set"]},
    ]
    with pytest.raises(ComisError, match="administrator"):
        ranked(write(tmp_path, memories, [asks("When does the office open?", "said")]))


def test_a_version_may_be_confirmed_more_often(tmp_path: Path) -> None:
    memories = [*VERSIONS[:1], {"id": "m1b", "proof_count": 3, "created_at": "2024-03-01T00:00:00Z", "updates": "m1"}]
    (case,) = find_cases(write(tmp_path, memories, [asks("Where is the key?", "m1b")]))
    with comis_core.open(tmp_path / "m.db", clock=CaseClock(), overrides=WORDS_ONLY) as engine:
        agent = engine.agent()
        stored = fill(agent, case).stored
        memory = agent.get(stored["m1"])
    assert memory is not None
    assert memory.proof_count == 3


VERSIONS: Rows = [
    {"id": "m1", "content": "The key hangs in the kitchen.", "created_at": "2024-01-01T00:00:00Z"},
    {"id": "m1b", "content": "The key lies in the safe.", "created_at": "2024-03-01T00:00:00Z", "updates": "m1"},
    {"id": "m2", "content": "The key of the car is lost.", "created_at": "2024-02-01T00:00:00Z"},
]


@pytest.mark.parametrize(
    ("moment", "expected"),
    [("2024-01-15", {"m1"}), ("2024-02-15", {"m1", "m2"}), ("2024-04-01", {"m1b", "m2"}), ("2023-01-01", set())],
)
def test_a_question_about_the_past_is_answered_with_the_version_of_then(
    tmp_path: Path, moment: str, expected: set[str]
) -> None:
    answers = ranked(write(tmp_path, VERSIONS, [asks("Where is the key?", "m1", record_as_of=moment)]))
    assert set(answers["q"]) == expected


def test_a_question_about_the_present_is_answered_with_the_last_version(tmp_path: Path) -> None:
    assert set(ranked(write(tmp_path, VERSIONS, [asks("Where is the key?", "m1b")]))["q"]) == {"m1b", "m2"}


def test_rows_are_played_by_time_and_not_by_line(tmp_path: Path) -> None:
    answers = ranked(write(tmp_path, VERSIONS[::-1], [asks("Where is the key?", "m1b", record_as_of="2024-04-01")]))
    assert set(answers["q"]) == {"m1b", "m2"}


def test_an_evicted_row_is_there_until_its_moment(tmp_path: Path) -> None:
    memories = [{"id": "m", "content": "The key is brass.", "created_at": "2024-01-01", "evicted_at": "2024-02-01"}]
    queries = [
        {**asks("key", "m", record_as_of="2024-01-15"), "id": "before"},
        {**asks("key", "m", record_as_of="2024-02-15"), "id": "after"},
        {**asks("key", "m"), "id": "now"},
    ]
    assert ranked(write(tmp_path, memories, queries)) == {"before": ("m",), "after": (), "now": ()}


def test_an_expired_row_is_there_until_its_moment(tmp_path: Path) -> None:
    memories = [
        {"id": "m", "content": "The key is brass.", "created_at": "2024-01-01", "expires_at": "2024-02-01"},
        {"id": "n", "content": "A later note.", "created_at": "2024-06-01"},
    ]
    queries = [{**asks("key", "m", record_as_of="2024-01-15"), "id": "before"}, {**asks("key", "m"), "id": "now"}]
    assert ranked(write(tmp_path, memories, queries)) == {"before": ("m",), "now": ()}


def test_a_dated_edge_counts_from_its_moment(tmp_path: Path) -> None:
    memories = [
        {"id": "m1", "content": "A digger cut the cable.", "created_at": "2024-01-01"},
        {"id": "m2", "content": "Ice cream melted.", "created_at": "2024-01-02"},
    ]
    queries = [
        {**asks("digger", "m2", record_as_of="2024-01-15"), "id": "before"},
        {**asks("digger", "m2", record_as_of="2024-02-15"), "id": "after"},
    ]
    edges = [{"cause": "m1", "effect": "m2", "at": "2024-02-01"}]
    answers = ranked(write(tmp_path, memories, queries, edges))
    assert {moment: set(found) for moment, found in answers.items()} == {"before": {"m1"}, "after": {"m1", "m2"}}


def test_event_time_needs_no_playing(tmp_path: Path) -> None:
    memories = [
        {"id": "m1", "content": "The office moved to Porto.", "occurred_at": "2020-01-01"},
        {"id": "m2", "content": "The office moved to Lisbon.", "occurred_at": "2024-01-01"},
    ]
    folder = write(tmp_path, memories, [asks("office", "m1", event_as_of="2022-01-01")])
    (case,) = find_cases(folder)
    assert not case.timed
    assert ranked(folder) == {"q": ("m1",)}


def test_a_case_without_times_leaves_the_clock_alone(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "m", "content": "x y"}], [asks("x", "m")])
    clock = CaseClock()
    with comis_core.open(tmp_path / "m.db", clock=clock, overrides=WORDS_ONLY) as engine:
        fill(engine.agent(), find_cases(folder)[0])
    assert clock.moment is None


def test_a_clock_that_cannot_be_set_is_an_error(tmp_path: Path) -> None:
    (case,) = find_cases(write(tmp_path, VERSIONS, [asks("key", "m1")]))
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    with (
        comis_core.open(tmp_path / "m.db", clock=clock, overrides=WORDS_ONLY) as engine,
        pytest.raises(ComisError, match="at its own times"),
    ):
        fill(engine.agent(), case)


def test_equal_rows_are_one_memory_also_after_an_update(tmp_path: Path) -> None:
    memories = [
        {"id": "a", "content": "The key is brass.", "created_at": "2024-01-01"},
        {"id": "b", "content": "The key is brass.", "created_at": "2024-01-02"},
        {"id": "c", "content": "The key is steel.", "created_at": "2024-03-01", "updates": "a"},
    ]
    queries = [{**asks("key", "b", record_as_of="2024-02-01"), "id": "then"}, {**asks("key", "c"), "id": "now"}]
    assert ranked(write(tmp_path, memories, queries)) == {"then": ("a", "b"), "now": ("c",)}


def test_a_row_that_builds_on_nothing_is_an_error(tmp_path: Path) -> None:
    for number, row in enumerate((
        {"id": "m", "content": "x", "supersedes": ["nobody"]},
        {"id": "m", "content": "x", "updates": "nobody", "created_at": "2024-01-01"},
    )):
        folder = write(tmp_path / str(number), [row], [asks("x", "m")])
        with pytest.raises(ComisError, match="nobody"):
            find_cases(folder)


@pytest.mark.parametrize(
    "row",
    [
        {"id": "m", "content": "x", "occurred_at": "yesterday"},
        {"id": "m", "content": "x", "annotations": [{"kin": "entity"}]},
        {"id": "m", "content": "x", "updates": "m"},
        {"id": "m", "content": "x", "type": "dream"},
    ],
    ids=["date", "annotation", "undated update", "type"],
)
def test_a_broken_row_names_file_and_line(tmp_path: Path, row: Mapping[str, Any]) -> None:
    folder = write(tmp_path, [{"id": "good", "content": "y"}, row], [asks("y", "good")])
    with pytest.raises(ComisError, match=r"memories\.jsonl:2"):
        find_cases(folder)


def test_a_question_says_what_may_be_seen(tmp_path: Path) -> None:
    query = asks("x", "m", record_as_of="2024-01-01", event_as_of="2024-02-29T12:00:00+01:00")
    (case,) = find_cases(write(tmp_path, [{"id": "m", "content": "x"}], [query, {**asks("x", "m"), "id": "plain"}]))
    assert [question.filters for question in case.questions] == [
        Filters(record_as_of=datetime(2024, 1, 1, tzinfo=UTC), event_as_of=datetime(2024, 2, 29, 11, tzinfo=UTC)),
        None,
    ]


KEYS: Rows = [
    {"id": "brass", "content": "The spare key is brass.", "created_at": "2024-01-01"},
    {"id": "steel", "content": "The spare key is steel.", "created_at": "2024-01-01"},
]
SHOWN = {"id": "t1", "text": "Which key fits?", "recalled": ["steel", "brass"]}


class Listener(Observer):
    """A plugin that keeps the turns it is told of."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    @hookimpl
    def comis_observers(self) -> list[ObserverSpec]:
        return [ObserverSpec(name="heard", build=lambda context: self)]

    def turn_ended(self, tx: Transaction, turn: Turn, prepared: object) -> None:
        self.turns.append(turn)


@pytest.mark.parametrize(
    ("used", "leader"),
    [({"cited": ["brass"]}, "brass"), ({"cited": ["steel"]}, "steel"), ({"answer": "Take the brass one."}, "brass")],
)
def test_what_a_turn_used_leads(tmp_path: Path, used: Mapping[str, Any], leader: str) -> None:
    folder = write(tmp_path, KEYS, [asks("spare key", leader)], turns=[{**SHOWN, **used}])
    assert ranked(folder)["q"][0] == leader


def test_each_turn_counts(tmp_path: Path) -> None:
    turns = [{**SHOWN, "id": f"t{number}", "cited": [used]} for number, used in enumerate(("steel", *["brass"] * 5))]
    assert ranked(write(tmp_path, KEYS, [asks("spare key", "brass")], turns=turns))["q"] == ("brass", "steel")


def test_a_dated_turn_is_reported_at_its_moment(tmp_path: Path) -> None:
    turns = [
        {**SHOWN, "answer": "", "sender": "ana", "intent": "howto", "at": "2024-03-01"},
        {**SHOWN, "id": "earlier", "cited": ["brass"], "at": "2024-01-01"},
    ]
    (case,) = find_cases(write(tmp_path, KEYS, [asks("key", "brass")], turns=turns))
    assert case.timed
    assert case.last_moment == datetime(2024, 3, 1, tzinfo=UTC)
    heard = Listener()
    opened = comis_core.open(tmp_path / "m.db", clock=CaseClock(), overrides=WORDS_ONLY, plugins={"heard": heard})
    with opened as engine:
        stored = fill(engine.agent(), case).stored
    first, second = heard.turns
    assert (first.ended_at, first.cited) == (datetime(2024, 1, 1, tzinfo=UTC), (stored["brass"],))
    assert (second.ended_at, second.sender, second.intent) == (datetime(2024, 3, 1, tzinfo=UTC), "ana", "howto")
    assert second.recalled == (stored["steel"], stored["brass"])


@pytest.mark.parametrize(
    "row",
    [
        {"recalled": ["brass"]},
        {"recalled": "brass", "cited": ["brass"]},
        {"recalled": ["brass"], "cited": ["steel"]},
        {"cited": ["brass"]},
        {"recalled": ["brass"], "answer": 7},
        {"recalled": ["brass"], "answer": "yes", "sender": 7},
        {"recalled": ["brass"], "answer": "yes", "at": "yesterday"},
    ],
    ids=["nothing said of use", "no list", "cited, not recalled", "nothing recalled", "answer", "sender", "date"],
)
def test_a_broken_turn_names_file_and_line(tmp_path: Path, row: Mapping[str, Any]) -> None:
    good = {**SHOWN, "cited": ["brass"]}
    folder = write(tmp_path, KEYS, [asks("key", "brass")], turns=[good, {"id": "t2", "text": "Which key?", **row}])
    with pytest.raises(ComisError, match=r"turns\.jsonl:2"):
        find_cases(folder)


def test_a_turn_recalls_what_is_there(tmp_path: Path) -> None:
    turns = [{**SHOWN, "recalled": ["nobody"], "answer": "no"}]
    with pytest.raises(ComisError, match="nobody"):
        find_cases(write(tmp_path, KEYS, [asks("key", "brass")], turns=turns))


def test_two_turns_of_one_id_are_an_error(tmp_path: Path) -> None:
    turn = {**SHOWN, "cited": ["brass"]}
    with pytest.raises(ComisError, match="two turns have the id 't1'"):
        find_cases(write(tmp_path, KEYS, [asks("key", "brass")], turns=[turn, turn]))
