"""Natural and wrong arguments of the facade."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import attrs
import pytest

import comis_core
from comis_core.errors import ComisError
from comis_core.model import Filters, MemoryType, NewMemory, Trust


@pytest.mark.parametrize("words", [{"launch"}, ["launch"], ("launch",), frozenset({"launch"})])
def test_a_filter_takes_any_collection_of_words(words: Any) -> None:
    assert Filters(tags=words).tags == frozenset({"launch"})


def test_a_filter_takes_words_for_enums() -> None:
    found = Filters(trust=["learned"], types={"semantic"})  # type: ignore[arg-type]
    assert (found.trust, found.types) == ({Trust.LEARNED}, {MemoryType.SEMANTIC})


@pytest.mark.parametrize(
    "wrong",
    [{"tags": "launch"}, {"trust": "learned"}, {"types": ["odd"]}, {"tags": [1]}, {"since": 1}, {"tags": 5}],
)
def test_a_filter_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ComisError, match="filter"):
        Filters(**wrong)


@pytest.mark.parametrize("wrong", [{"filters": 1}, {"now": 1}])
def test_a_question_with_wrong_arguments_is_refused(engine: comis_core.Engine, wrong: dict[str, Any]) -> None:
    with pytest.raises(ComisError):
        engine.agent().recall("x", **wrong)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
    ],
)
@pytest.mark.parametrize("field", ["occurred_at", "created_at", "expires_at"])
def test_a_moment_that_utc_cannot_show_is_refused(engine: comis_core.Engine, field: str, moment: datetime) -> None:
    agent = engine.agent()
    with pytest.raises(ComisError, match="1 to 9999"):
        agent.store("hello", **{field: moment})
    agent.store("zebra", occurred_at=datetime(1, 1, 1, tzinfo=UTC))
    assert len(agent.recall("zebra")) == 1


WRONG: list[object] = [None, 1, 1.5, float("nan"), b"x", "x", ["x"], {"a": 1}, datetime(2026, 1, 1), object()]
WRONG += [2**70, -(2**70), 10**400, 10**5000]  # more than the file, a float or Python's decimals can hold
"""No argument takes all of them, and none may end in anything but an answer or an error of ours."""

CALLS: dict[str, Callable[[comis_core.Agent, str, Any], object]] = {
    "store": lambda agent, known, wrong: agent.store(wrong),
    "store_many": lambda agent, known, wrong: agent.store_many(wrong),
    "store_many.row": lambda agent, known, wrong: agent.store_many([wrong]),
    "store_many.validate": lambda agent, known, wrong: agent.store_many([], validate=wrong),
    **{
        f"store.{name}": functools.partial(lambda agent, known, wrong, name: agent.store("new", **{name: wrong}), name=name)
        for name in (field.name for field in attrs.fields(NewMemory) if field.name != "content")
    },
    "update": lambda agent, known, wrong: agent.update(wrong, title="t"),
    "update.content": lambda agent, known, wrong: agent.update(known, content=wrong),
    "update.tags": lambda agent, known, wrong: agent.update(known, tags=wrong),
    "update.trust": lambda agent, known, wrong: agent.update(known, trust=wrong),
    "delete": lambda agent, known, wrong: agent.delete(wrong),
    "evict": lambda agent, known, wrong: agent.evict(wrong),
    "restore": lambda agent, known, wrong: agent.restore(wrong),
    "annotate": lambda agent, known, wrong: agent.annotate(wrong),
    "annotate.annotation": lambda agent, known, wrong: agent.annotate(known, wrong),
    "link.cause": lambda agent, known, wrong: agent.link(wrong, known),
    "link.confidence": lambda agent, known, wrong: agent.link(known, agent.store("effect").id, wrong),
    "get": lambda agent, known, wrong: agent.get(wrong),
    "get.as_of": lambda agent, known, wrong: agent.get(known, as_of=wrong),
    "history": lambda agent, known, wrong: agent.history(wrong),
    "annotations": lambda agent, known, wrong: agent.annotations(wrong),
    "links": lambda agent, known, wrong: agent.links(wrong),
    **{
        f"browse.{name}": functools.partial(lambda agent, known, wrong, name: agent.browse(**{name: wrong}), name=name)
        for name in ("filters", "limit", "cursor", "sender", "session", "key", "include_evicted")
    },
    "export": lambda agent, known, wrong: list(agent.export(include_evicted=wrong)),
    "check": lambda agent, known, wrong: agent.check(wrong),
    "recall": lambda agent, known, wrong: agent.recall(wrong),
    "search": lambda agent, known, wrong: agent.search(wrong),
    **{
        f"recall.{name}": functools.partial(lambda agent, known, wrong, name: agent.recall("x", **{name: wrong}), name=name)
        for name in (
            "sender", "time_zone", "filters", "now", "max_results", "max_context_chars", "min_score", "keep_trace",
        )
    },
    "search.limit": lambda agent, known, wrong: agent.search("x", limit=wrong),
    "why_not": lambda agent, known, wrong: agent.why_not("x", wrong),
    "trace": lambda agent, known, wrong: agent.trace(wrong),
    "traces": lambda agent, known, wrong: agent.traces(limit=wrong),
    "replay": lambda agent, known, wrong: agent.replay(wrong),
    "why_not_then": lambda agent, known, wrong: agent.why_not_then(wrong, known),
    **{
        f"turn_ended.{name}": functools.partial(
            lambda agent, known, wrong, name: agent.turn_ended(**{
                "request": "r", "answer": "a", "recalled": [known], "session": "s", "turn": "t",
                name: wrong,
            }),
            name=name,
        )
        for name in ("request", "answer", "recalled", "session", "turn", "cited", "sender", "intent")
    },
    "agent": lambda agent, known, wrong: agent.engine.agent(wrong),
    "agent.tenant": lambda agent, known, wrong: agent.engine.agent("x", wrong),
    "agent.admin": lambda agent, known, wrong: agent.engine.agent("x", admin=wrong),
    "tenant": lambda agent, known, wrong: agent.engine.tenant(wrong),
    "tenant.search": lambda agent, known, wrong: agent.engine.tenant("default").search(wrong),
    "tenant.search.agents": lambda agent, known, wrong: agent.engine.tenant("default").search("x", agents=wrong),
    "tenant.search.limit": lambda agent, known, wrong: agent.engine.tenant("default").search("x", limit=wrong),
    "clear": lambda agent, known, wrong: agent.engine.clear(wrong),
    "clear.agent": lambda agent, known, wrong: agent.engine.clear("nobody", wrong),
    "pipeline": lambda agent, known, wrong: agent.engine.pipeline(wrong),
    "drop_space": lambda agent, known, wrong: agent.engine.drop_space(wrong),
    "doctor": lambda agent, known, wrong: agent.engine.doctor(repair=wrong),
    "reconfigure.preset": lambda agent, known, wrong: agent.engine.reconfigure({}, preset=wrong),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[comis_core.Engine]:
    path = tmp_path_factory.mktemp("inputs") / "memory.db"
    with comis_core.open(path, overrides={"embedding": "none"}) as opened:
        yield opened


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_ends_in_an_answer_or_in_an_error_of_ours(shared: comis_core.Engine, name: str) -> None:
    agent = shared.agent(admin=True)
    refused = 0
    for wrong in WRONG:
        known = agent.store("Ana lives in Lisbon").id
        try:
            CALLS[name](agent, known, wrong)
        except ComisError:
            refused += 1
    takes_anything = {"store_many.row", "check"}  # they answer with a reason
    assert refused or name in takes_anything


@pytest.mark.parametrize(
    ("option", "wrong"),
    [(name, wrong) for name in ("read_only", "create") for wrong in (None, 1, "no")]
    + [("clock", 1), ("clock", "x"), ("preset", 1), ("preset", ["x"]), ("disable", "fts"), ("disable", None)]
    + [("disable", [1]), ("plugins", "x"), ("plugins", [1]), ("overrides", 1), ("config", 1), ("config", ["x"])]
    + [("embedding_cache", 1), ("embedding_cache", ""), ("embedding_cache", "no/such/folder/cache.db")],
)
def test_opening_with_a_wrong_argument_is_refused(tmp_path: Path, option: str, wrong: Any) -> None:
    with pytest.raises(ComisError):
        comis_core.open(tmp_path / "memory.db", **{"config": {}, option: wrong})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda agent: agent.delete(["a", "b"]), r"a star before the list"),
        (lambda agent: agent.get(agent.store("a")), "pass the `id` of what `store` returned"),
        (lambda agent: agent.trace(None), "trace_id must be an id as text, not None .*keep_trace=True"),
        (lambda agent: agent.replay(1), "trace_id must be an id as text, not int 1 .*keep_trace=True"),
        (lambda agent: agent.store("a", turn=2**70), f"turn must be at most {2**63 - 1}, not {2**70}"),
        (lambda agent: agent.store("a", turn=-4), "turn must be at least 0, not -4"),
        (lambda agent: agent.store("a", turn=-(2**70)), f"turn must be at least 0, not -{2**70}"),
        (lambda agent: agent.store("a", proof_count=2**63), f"proof_count must be at most {2**63 - 1}"),
        (lambda agent: agent.store("a", turn=10**5000), "turn must be at most [0-9]+, not a number of 16,610 bits"),
        (lambda agent: agent.store("a", confidence=10**400), r"confidence must lie in 0\.\.1, not 1000"),
        (
            lambda agent: agent.recall("a", max_results=2**70),
            "max_results must be a whole number of at most 1,000,000,000",
        ),
        (lambda agent: agent.browse(limit=2**70), "limit must be a whole number of at most 1,000, not int"),
        (lambda agent: agent.traces(limit=2**70), "limit must be a whole number of at most 1,000,000,000"),
        (lambda agent: agent.store("a", tags="x"), "tags must be a tuple"),
        (lambda agent: agent.store("a", trust="trusted"), "trust must be one of external, learned, system"),
        (lambda agent: agent.store("a", confidence=float("nan")), "confidence must be a finite number"),
        (lambda agent: agent.store("a", occurred_at=datetime(2026, 1, 1)), "occurred_at has no time zone"),
        (lambda agent: agent.recall("a", now=datetime(2026, 1, 1)), "now has no time zone.*tzinfo=UTC"),
        (lambda agent: agent.browse(limit="5"), "limit must be a whole number of at least 1, not str '5'"),
        (lambda agent: agent.browse(sender="\ud800"), "half a character"),
        (lambda agent: agent.engine.agent("\ud800"), "half a character"),
        (lambda agent: agent.engine.agent("x", admin="false"), "admin must be True or False, not str 'false'"),
        (
            lambda agent: agent.turn_ended("r", "a", recalled="x", session="s", turn="t"),
            "recalled must be a collection",
        ),
        (lambda agent: agent.store_many(NewMemory(content="a")), "memories must be a collection of NewMemory"),
    ],
)
def test_an_error_says_what_to_pass(
    engine: comis_core.Engine, call: Callable[[comis_core.Agent], object], words: str
) -> None:
    with pytest.raises(ComisError, match=words):
        call(engine.agent())


@pytest.mark.parametrize("name", [":memory:", "file:notes.db?mode=memory"])
def test_a_name_that_only_sqlite_understands_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ComisError, match="must name a file"):
        comis_core.open(name)
    assert not list(tmp_path.iterdir())
