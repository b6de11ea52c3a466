"""Cases of precisionMemBench about aliases, scopes and supersession; docs/explanation/precision-mapping.md has the mapping."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import comis_core
from comis_core.agent import Agent
from comis_core.model import Annotation, Filters, Memory, MemoryType, NewMemory

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "precisionmembench"
CATEGORIES = frozenset({"Alias resolution", "Scope disambiguation", "Supersession chain exclusion"})
UNIVERSAL = "user:universal"
CONFIG = {
    "agents": {
        "default": {
            "rag": {
                "minScore": 0,
                "maxResults": 20,
                "lanes": {
                    "fts": {"weight": 0},
                    "vector": {"enabled": False},
                    "graphSpread": {"enabled": False},
                },
                "entityLane": {"enabled": True, "seedCount": 0},
            }
        }
    }
}

Belief = Mapping[str, Any]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"precisionMemBench is not at {DATA}")


def read(name: str) -> list[Belief]:
    return list(json.loads((DATA / name).read_text(encoding="utf-8")))


def number(belief_id: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, belief_id))


def memory(belief: Belief, replaced: list[str]) -> NewMemory:
    name = belief["canonical_name"].replace("_", " ")
    aliases = [Annotation(kind="alias", name=alias, value=name) for alias in belief["aliases"]]
    resolved = belief["resolved_at"]
    return NewMemory(
        id=number(belief["_id"]),
        content=belief["content"],
        type=MemoryType.WORKING if belief["type"] == "open_question" else MemoryType.SEMANTIC,
        tags=tuple(belief["scope"]),
        pinned=belief["pinned"],
        confidence=belief["confidence"],
        proof_count=max(1, belief["reinforcement_count"]),
        created_at=datetime.fromisoformat(belief["created_at"]),
        expires_at=None if resolved is None else datetime.fromisoformat(resolved),
        annotations=(Annotation(kind="entity", name=name), *aliases),
        supersedes=tuple(map(number, replaced)),
    )


def remember(engine: Any) -> None:
    """Store every belief with its user, the older of two before the one that supersedes it."""
    beliefs = {belief["_id"]: belief for belief in read("beliefs.seed.json")}
    waiting = list(beliefs.values())
    stored: set[str] = set()
    while waiting:
        belief = waiting.pop(0)
        replaced = [each["_id"] for each in beliefs.values() if each["superseded_by"] == belief["_id"]]
        if not stored.issuperset(replaced):
            waiting.append(belief)
            continue
        assert not engine.agent("default", tenant=belief["user_id"]).store_many([memory(belief, replaced)]).rejected
        stored.add(belief["_id"])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from comis_core.clock import ManualClock

    clock = ManualClock(datetime.fromisoformat("2026-11-01T00:00:00Z"))
    with comis_core.open(tmp_path_factory.mktemp("precision") / "memory.db", config=CONFIG, clock=clock) as opened:
        remember(opened)
        yield opened


def tiers(agent: Agent, case: Belief) -> dict[str, list[Memory]]:
    tags, types = frozenset(case["scope"]), frozenset({MemoryType.SEMANTIC})
    known = Filters(tags=tags, types=types)
    pages = {
        "pinnedFacts": known,
        "openQuestions": Filters(tags=tags, types=frozenset({MemoryType.WORKING})),
        "personaPrelude": Filters(tags=frozenset({UNIVERSAL})),
    }
    found = {tier: list(agent.browse(filters=filters).memories) for tier, filters in pages.items()}
    for tier in ("pinnedFacts", "openQuestions"):
        found[tier] = [each for each in found[tier] if each.pinned]
    recalled = (item.memory for item in agent.recall(case["query"], filters=known))
    return {**found, "relevantBeliefs": [each for each in recalled if not each.pinned]}


def faults(expected: Mapping[str, Any], memories: list[Memory]) -> Iterator[str]:
    """What of a tier's expectations does not hold."""
    found = {each.id for each in memories}
    text = " ".join(each.content for each in memories)
    if "shouldOnlyInclude" in expected and found != set(map(number, expected["shouldOnlyInclude"])):
        yield f"only {expected['shouldOnlyInclude']}, not {[each.content[:40] for each in memories]}"
    if not found.issuperset(map(number, expected.get("mustInclude", ()))):
        yield f"one of {expected['mustInclude']} is missing"
    if not found.isdisjoint(map(number, expected.get("mustExclude", ()))):
        yield f"one of {expected['mustExclude']} is there"
    if expected.get("nonEmpty") and not text:
        yield "is empty"
    if expected.get("isNull") and text:
        yield "is not empty"
    yield from (f"lacks {word!r}" for word in expected.get("contains", ()) if word not in text)
    yield from (f"has {word!r}" for word in expected.get("mustNotContain", ()) if word in text)


def failures(engine: Any, case: Belief) -> list[str]:
    agent = engine.agent("default", tenant=case.get("userId", "test-user"))
    found = tiers(agent, case)
    return [f"{tier}: {fault}" for tier, expected in case["expect"].items() for fault in faults(expected, found[tier])]


def chosen() -> list[Any]:
    cases = read("retrieval.cases.json") if DATA.is_dir() else []
    return [pytest.param(case, id=case["caseId"]) for case in cases if case["category"] in CATEGORIES]


@pytest.mark.parametrize("case", chosen())
def test_a_case_brings_what_it_names_and_nothing_else(engine: Any, case: Belief) -> None:
    assert failures(engine, case) == []


def test_all_the_cases_are_there() -> None:
    assert len(chosen()) == 38
