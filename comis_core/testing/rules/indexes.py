"""Rules of derived tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from comis_core.model import NewMemory, Ranking
from comis_core.protocols import Change, Index
from comis_core.specs import IndexSpec, LaneSpec
from comis_core.testing import corpus
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule


def is_sound_after_every_kind_of_write(bench: Bench, spec: IndexSpec) -> None:
    """It follows additions, updates, evictions, deletions and annotations inside the transaction that writes."""
    index, store, home = bench.indexes[spec.name], bench.store, corpus.HOME
    _assert_sound(bench, index, "after filling")
    first, second = bench.add(
        home, [NewMemory(content="Ana bought a boat."), NewMemory(content="It is blue. 船は青い")]
    )
    _assert_sound(bench, index, "after adding")
    store.update(home, first, content="Ana sold the boat.")
    _assert_sound(bench, index, "after an update")
    store.evict(home, [first, second])
    _assert_sound(bench, index, "after evicting")
    store.restore(home, [first])
    store.annotate(home, first, [corpus.entity("boat"), corpus.triple("ana", "owns", "nothing")])
    _assert_sound(bench, index, "after restoring and annotating")
    store.delete(home, [first, second])
    _assert_sound(bench, index, "after deleting")


def answers_the_same_after_a_rebuild(bench: Bench, spec: IndexSpec) -> None:
    """Emptied and filled again, it is sound, and what reads it finds what it found before."""
    index = bench.indexes[spec.name]
    before = _answers(bench, spec)
    bench.refill(spec.name, index, "2")
    _assert_sound(bench, index, "after a rebuild")
    after = _answers(bench, spec)
    for key, ranking in before.items():
        assert np.array_equal(ranking.ids, after[key].ids), key
        assert np.allclose(ranking.scores, after[key].scores), key


def notices_that_it_is_empty(bench: Bench, spec: IndexSpec) -> None:
    """An index that was emptied behind the store's back says so when it is checked."""
    index = bench.indexes[spec.name]
    bench.store.write(index.clear)
    assert bench.store.write(index.check).problems, "check() finds an emptied table sound"


def prepares_one_value_for_each_memory(bench: Bench, spec: IndexSpec) -> None:
    """Whatever the texts, there is one prepared value a memory; none for none."""
    index = bench.indexes[spec.name]
    with bench.snapshot() as reader:
        memories = reader.memories(reader.visible_ids())
    assert len(index.prepare(memories)) == len(memories)
    assert len(index.prepare([])) == 0


def passes_over_operations_it_does_not_know(bench: Bench, spec: IndexSpec) -> None:
    """A later version of the core may log more kinds of changes."""
    index = bench.indexes[spec.name]
    strange = [Change(seq=1_000_000, scope=1, pk=1, operation="somersault"), Change(seq=1, scope=1, pk=1, operation="")]
    bench.store.write(lambda tx: index.apply(tx, strange))
    _assert_sound(bench, index, "after operations of another version")


def _assert_sound(bench: Bench, index: Index, when: str) -> None:
    behind = bench.store.pending()
    assert not behind, f"{when}: {behind}"
    problems = bench.store.write(index.check).problems
    assert not problems, f"{when}: {problems}"


def _answers(bench: Bench, spec: IndexSpec) -> dict[tuple[str, str], Ranking]:
    """What the plugin's own lanes that the index serves answer to every question."""
    lanes = [each for each in bench.specs() if isinstance(each, LaneSpec) and each.name in spec.serves]
    answers: dict[tuple[str, str], Ranking] = {}
    for each in lanes:
        with bench.part(each) as lane, bench.snapshot() as reader:
            asked: Any = lane
            answers |= {(each.name, text): asked.search(bench.request(reader, text)) for text in corpus.QUESTIONS}
    return answers


INDEX = (
    Rule(is_sound_after_every_kind_of_write, writes=True),
    Rule(answers_the_same_after_a_rebuild, writes=True),
    Rule(notices_that_it_is_empty, writes=True),
    Rule(prepares_one_value_for_each_memory),
    Rule(passes_over_operations_it_does_not_know, writes=True),
)
