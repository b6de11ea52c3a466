"""Another embedding model: its vectors are made beside the former one's, and recall goes on all the while."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from support.toys import Toys, in_threads, vectors_only

import comis_core
from comis_core.clock import ManualClock
from comis_core.engine.assembly import STANDS_IN
from comis_core.engine.spaces import LOOK_SECONDS, NOT_SEEN
from comis_core.errors import ComisError, ConfigError
from comis_core.model import NewMemory

OLD, NEW = "toy-384", "toy-256"
BIRDS = ("heron", "magpie", "ostrich", "pelican", "sparrow", "toucan", "vulture", "warbler")

Open = Callable[..., comis_core.Engine]


@pytest.fixture
def toys() -> Toys:
    return Toys()


@pytest.fixture
def opened(tmp_path: Path, clock: ManualClock, toys: Toys) -> Iterator[Open]:
    """Opens the one file under a model; whatever is opened is closed at the end."""
    engines: list[comis_core.Engine] = []

    def open_under(model: str, **agents: str) -> comis_core.Engine:
        config = vectors_only(model, **agents)
        engines.append(comis_core.open(tmp_path / "memory.db", config=config, plugins={"toys": toys}, clock=clock))
        return engines[-1]

    yield open_under
    for toy in toys.made.values():
        toy.go.set()
    for engine in engines:
        engine.close()


def reconfigure(engine: comis_core.Engine, toys: Toys, model: str, **agents: str) -> None:
    engine.reconfigure(vectors_only(model, **agents), plugins={"toys": toys})


def fill(engine: comis_core.Engine, count: int, agent: str = "default") -> list[str]:
    rows = [NewMemory(content=f"the {BIRDS[n % len(BIRDS)]} number {n} sits on the roof") for n in range(count)]
    ids = [stored.id for stored in engine.agent(agent).store_many(rows).stored]
    engine.drain()
    return ids


def spaces(engine: comis_core.Engine) -> dict[str, int]:
    return {space.fingerprint: space.memories for space in engine.embedding_spaces()}


def best(engine: comis_core.Engine, query: str, agent: str = "default") -> str:
    answer = engine.agent(agent).recall(query)
    assert not answer.degraded
    return answer.items[0].memory.content


def answered_by(engine: comis_core.Engine, toys: Toys, query: str) -> str:
    engine.agent().recall(query)
    (model,) = (name for name in (OLD, NEW) if query in toys[name].queries[-20:])
    return model


def test_a_change_of_model_under_load_is_seen_by_no_recall(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 300)
    stop, under_way = threading.Event(), threading.Barrier(4)
    used: list[list[str]] = [[] for _ in range(3)]

    def work(number: int) -> None:
        for step in range(100_000):
            last = stop.is_set()
            if step == 1:
                under_way.wait()
            query = f"heron number {8 * (step % 30)} sits on the roof, thread {number} asks {step}"
            answer = engine.agent().recall(query)
            assert not answer.degraded
            assert "heron" in answer.items[0].memory.content
            (model,) = (name for name in (OLD, NEW) if query in toys[name].queries[-20:])
            used[number].append(model)
            if number == 0:
                engine.agent().store(f"stored by the way, {step}")
            if last:
                return

    join = in_threads(3, work)
    under_way.wait()
    reconfigure(engine, toys, NEW)
    engine.drain()
    # Whoever looks whether the new model is ready looks for all: a recall at that very moment still has the former.
    assert any(answered_by(engine, toys, f"settled {attempt}") == NEW for attempt in range(1_000))
    stop.set()
    join()
    for models in used:
        assert models[0] == OLD
        assert models[-1] == NEW
        assert models == sorted(models, key=[OLD, NEW].index), "once on the new model, never back"
    engine.drain()
    assert spaces(engine)["toy-trigrams-256"] == engine.agent().count()


def test_the_former_model_answers_until_the_new_one_has_seen_everything(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 20)
    toys[NEW].go.clear()
    reconfigure(engine, toys, NEW)
    assert toys[NEW].held.wait(60)
    meanwhile = engine.agent().recall("heron number 8")
    assert "heron number 8" in meanwhile.items[0].memory.content
    assert STANDS_IN in meanwhile.notes
    assert toys[NEW].queries == []
    toys[NEW].go.set()
    engine.drain()
    afterwards = engine.agent().recall("heron number 16")
    assert "heron number 16" in afterwards.items[0].memory.content
    assert STANDS_IN not in afterwards.notes
    assert toys[NEW].queries == ["heron number 16"]


def test_what_is_stored_meanwhile_is_found_by_the_former_model_at_once(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    toys[NEW].refused = "number"
    reconfigure(engine, toys, NEW)
    engine.agent().store("a zebra crosses the river")
    engine.drain()
    assert best(engine, "zebra crosses the river") == "a zebra crosses the river"
    assert toys[OLD].queries == ["zebra crosses the river"]


def test_a_text_that_the_new_model_gives_up_on_holds_nothing_up(opened: Open, toys: Toys, clock: ManualClock) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    toys[NEW].refused = "number 3"
    reconfigure(engine, toys, NEW)
    for _ in range(12):
        engine.drain()
        clock.advance(timedelta(hours=1))
    answer = engine.agent().recall("heron number 0")
    assert STANDS_IN not in answer.notes
    assert "1 memories could not be embedded" in answer.notes
    assert spaces(engine) == {"toy-trigrams-384": 5, "toy-trigrams-256": 4}


def test_going_back_costs_nothing(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    reconfigure(engine, toys, NEW)
    engine.drain()
    toys[OLD].documents.clear()
    reconfigure(engine, toys, OLD)
    engine.drain()
    assert "heron" in best(engine, "heron number 0")
    assert toys[OLD].documents == []


def test_a_model_that_comes_before_the_last_one_has_finished_starts_from_the_one_that_answers(
    opened: Open, toys: Toys
) -> None:
    engine = opened(OLD)
    fill(engine, 20)
    toys[NEW].go.clear()
    reconfigure(engine, toys, NEW)
    assert toys[NEW].held.wait(60)
    toys["toy-64"].refused = "number"
    reconfigure(engine, toys, "toy-64")
    assert "heron number 8" in best(engine, "heron number 8")
    assert toys[OLD].queries == ["heron number 8"]
    toys["toy-64"].refused = ""
    toys[NEW].go.set()
    for _ in range(3):
        engine.drain()
    assert toys[NEW].queries == []


def test_a_model_that_nobody_knows_leaves_the_former_one_in_force(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    assert "heron" in best(engine, "heron number 0")
    with pytest.raises(ConfigError, match="no embedder knows the model 'parrot'"):
        reconfigure(engine, toys, "parrot")
    assert "magpie" in best(engine, "magpie number 1")
    assert toys[OLD].queries == ["heron number 0", "magpie number 1"]


def test_a_process_that_opens_under_another_model_says_what_it_misses_and_catches_up(opened: Open, toys: Toys) -> None:
    fill(opened(OLD), 20)
    toys[NEW].go.clear()
    engine = opened(NEW)
    answer = engine.agent().recall("heron number 8")
    assert (answer.items, answer.degraded) == ((), ())
    assert NOT_SEEN in answer.notes
    toys[NEW].go.set()
    engine.drain()
    answer = engine.agent().recall("heron number 8")
    assert "heron number 8" in answer.items[0].memory.content
    assert NOT_SEEN not in answer.notes


def test_a_file_that_is_only_read_says_what_its_model_has_not_seen(
    opened: Open, toys: Toys, tmp_path: Path, clock: ManualClock
) -> None:
    fill(opened(OLD), 5)
    path, config = tmp_path / "memory.db", vectors_only(NEW)
    with comis_core.open(path, config=config, plugins={"toys": toys}, clock=clock, read_only=True) as engine:
        answer = engine.agent().recall("heron")
    assert answer.items == ()
    assert NOT_SEEN in answer.notes


def test_two_agents_with_two_models_share_one_file(opened: Open, toys: Toys) -> None:
    engine = opened(OLD, reader=NEW)
    fill(engine, 8)
    fill(engine, 8, "reader")
    assert "heron" in best(engine, "heron number 0")
    assert "magpie" in best(engine, "magpie number 1", "reader")
    assert (toys[OLD].queries, toys[NEW].queries) == (["heron number 0"], ["magpie number 1"])
    assert spaces(engine) == {"toy-trigrams-384": 8, "toy-trigrams-256": 8}


def test_what_comes_back_into_sight_is_embedded_by_the_model_of_now(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    ids = fill(engine, 5)
    engine.agent().evict(ids[0])
    reconfigure(engine, toys, NEW)
    engine.drain()
    engine.agent().restore(ids[0])
    engine.drain()
    assert "heron number 0" in best(engine, "heron number 0")
    assert spaces(engine)["toy-trigrams-256"] == 5


def test_what_another_process_embeds_with_its_own_model_is_caught_up_with(
    opened: Open, toys: Toys, clock: ManualClock
) -> None:
    here, there = opened(NEW), opened(OLD)
    fill(here, 3)
    there.agent().store("a zebra crosses the river")
    there.drain()
    clock.advance(timedelta(seconds=LOOK_SECONDS))
    here.drain()
    assert best(here, "zebra crosses the river") == "a zebra crosses the river"


def test_a_former_space_stays_until_it_is_dropped(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    reconfigure(engine, toys, NEW)
    engine.drain()
    assert spaces(engine) == {"toy-trigrams-384": 5, "toy-trigrams-256": 5}
    assert "heron" in best(engine, "heron number 0")
    assert engine.drop_space("toy-trigrams-384") == 5
    assert spaces(engine) == {"toy-trigrams-256": 5}
    assert "magpie" in best(engine, "magpie number 1")


def test_a_space_that_is_in_use_is_not_dropped(opened: Open, toys: Toys) -> None:
    engine = opened(OLD)
    fill(engine, 5)
    toys[NEW].go.clear()
    reconfigure(engine, toys, NEW)
    with pytest.raises(ComisError, match="in use, for instance by default/default"):
        engine.drop_space("toy-trigrams-384")
    toys[NEW].go.set()
    engine.drain()
    with pytest.raises(ComisError, match="in use"):
        engine.drop_space("toy-trigrams-256")
    with pytest.raises(ComisError, match="no embedding space 'parrot'"):
        engine.drop_space("parrot")
