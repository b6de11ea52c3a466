"""What facts show of themselves."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import pytest

import comis_core
from comis_core import model, protocols, specs
from comis_core.config import core, reserved
from comis_core.config.reserved import CorroborationOptions, MmrOptions
from comis_core.model import Claims, Pool, Query, Ranking, Recall, Trace
from comis_core.model.shown import Compared
from comis_core.protocols import ScoreRequest, background

IDS, SCORES = np.arange(3), np.ones(3)


@pytest.mark.parametrize("module", [model, protocols, background, specs, core, reserved])
def test_every_fact_that_users_meet_shows_its_fields(module: Any) -> None:
    facts = [each for each in vars(module).values() if isinstance(each, type) and attrs.has(each)]
    assert facts
    assert [fact.__name__ for fact in facts if fact.__repr__ is object.__repr__] == []


def test_arrays_are_shown_by_type_and_shape() -> None:
    ranking = Ranking(IDS, SCORES, Claims(IDS, SCORES))
    claims = "Claims(ids=int64[3], values=float64[3])"
    shown = f"Ranking(ids=int64[3], scores=float64[3], claims={claims}, expanded=False)"
    assert repr(ranking) == shown
    pool = Pool(IDS, SCORES, MappingProxyType({"length": np.zeros((3, 2), np.int8)}), {"fts": ranking})
    assert repr(pool) == (
        f"Pool(ids=int64[3], fused=float64[3], columns={{'length': int8[3, 2]}}, rankings={{'fts': {shown}}})"
    )


def test_an_answer_shows_items_notes_and_trace() -> None:
    recall = Recall(items=(), text="", trace=Trace(inputs={"seed": 7}, stages=(), candidates={}), notes=("none",))
    trace = "Trace(inputs={'seed': 7}, stages=(), candidates={})"
    assert repr(recall) == (
        f"Recall(items=(), text='', trace={trace}, degraded=(), notes=('none',), milliseconds=0.0, trace_id=None)"
    )


def test_a_request_shows_its_query() -> None:
    request = ScoreRequest(query=Query.of("who?"), now=5, pool=Pool(IDS, SCORES, {}, {}))
    assert repr(request).startswith("ScoreRequest(query=Query(text='who?', ")
    assert ", now=5, pool=Pool(ids=int64[3], " in repr(request)


def test_a_kept_trace_and_its_replay_show_their_fields(tmp_path: Any) -> None:
    with comis_core.open(tmp_path / "m.db", config={"memory": {"recall": {"embeddingModel": "none"}}}) as engine:
        agent = engine.agent()
        agent.store("Ana moved to Lisbon")
        kept = agent.recall("Where is Ana?", keep_trace=True).trace_id
        replayed = agent.replay(kept)
    assert repr(replayed).startswith(f"Replayed(then=StoredTrace(id='{kept}', scope=Scope(")
    assert "), now=Recall(items=(Item(memory=Memory(id=" in repr(replayed)


def test_options_of_equal_values_are_equal_and_of_one_hash() -> None:
    options = MmrOptions()
    assert repr(options).startswith("MmrOptions(enabled=")
    assert options == MmrOptions()
    assert hash(options) == hash(MmrOptions())
    changed = attrs.evolve(options, enabled=not options.enabled)
    assert options != changed
    assert len({options, MmrOptions(), changed}) == 2
    assert options != CorroborationOptions()
    assert options != "MmrOptions"


def test_a_field_that_does_not_count_makes_no_difference() -> None:
    @attrs.frozen(eq=False, repr=False)
    class Found(Compared):
        name: str
        given: object = attrs.field(default=None, eq=False, repr=False)

    assert Found("fts", given=[]) == Found("fts")
    assert hash(Found("fts", given=[])) == hash(Found("fts"))
    assert repr(Found("fts", given=[])) == "Found(name='fts')"


@attrs.frozen(eq=False, repr=False)
class Secretive(Compared):
    """A fact with fields that are shown and compared in their own way."""

    key: str = attrs.field(repr=lambda value: "***")
    name: str = attrs.field(default="", eq=str.lower)


def test_a_field_is_shown_as_it_asks_for() -> None:
    assert repr(Secretive("s3cret")) == "Secretive(key=***, name='')"


def test_a_field_is_compared_as_it_asks_for() -> None:
    one, other = Secretive("a", "Ana"), Secretive("a", "ANA")
    assert one == other
    assert hash(one) == hash(other)


def test_facts_of_a_subclass_are_not_equal_to_those_of_its_base() -> None:
    class Deeper(Secretive):
        """Another kind."""

    assert Secretive("a") != Deeper("a")


def test_a_number_of_numpy_is_shown_as_a_number() -> None:
    assert repr(model.NewMemory(content="x", confidence=np.float64(0.5))).count("0.5") == 1
