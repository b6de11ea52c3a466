"""The cache of versions: each reader its own state, a bounded number of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import pytest

from comis_core.handles import KEPT, Handles
from comis_core.protocols import Change


@attrs.frozen(eq=False)
class Value:
    """What it was made from, and a block of RAM of its own or one that is shared."""

    seq: int
    how: str
    bytes: int = 10
    block: int | None = None

    @property
    def memory(self) -> Mapping[int, int]:
        return {self.block if self.block is not None else id(self): self.bytes}


@attrs.define
class Log:
    """A snapshot of a log of `seq` changes, of which those up to `pruned` are gone."""

    seq: int
    pruned: int = 0

    def changes_since(self, seq: int) -> list[Change] | None:
        if seq < self.pruned:
            return None
        return [Change(seq=number, scope=1, pk=number, operation="add") for number in range(seq + 1, self.seq + 1)]


def ask(handles: Handles[Value], key: str, log: Log, *, bytes: int = 10, block: int | None = None) -> Value:
    def advance(older: Value, changes: Sequence[Change]) -> Value:
        return Value(changes[-1].seq, f"{older.seq}+{len(changes)}", bytes, block)

    return handles.at(key, log, load=lambda: Value(log.seq, "loaded", bytes, block), advance=advance)  # type: ignore[arg-type]


def test_nothing_is_made_twice() -> None:
    handles: Handles[Value] = Handles(100)
    assert ask(handles, "a", Log(5)) is ask(handles, "a", Log(5))


def test_a_newer_snapshot_advances_what_is_there() -> None:
    handles: Handles[Value] = Handles(100)
    ask(handles, "a", Log(5))
    assert ask(handles, "a", Log(8)).how == "5+3"


def test_an_older_snapshot_gets_its_own_state() -> None:
    handles: Handles[Value] = Handles(100)
    ask(handles, "a", Log(8))
    older = ask(handles, "a", Log(6))
    assert (older.seq, older.how) == (6, "loaded")
    assert ask(handles, "a", Log(8)).seq == 8
    assert ask(handles, "a", Log(6)) is older
    assert ask(handles, "a", Log(7)).how == "6+1"


def test_a_pruned_log_means_loading() -> None:
    handles: Handles[Value] = Handles(100)
    ask(handles, "a", Log(5))
    assert ask(handles, "a", Log(9, pruned=7)).how == "loaded"


def test_only_the_recent_versions_are_kept() -> None:
    handles: Handles[Value] = Handles(1000)
    for seq in range(1, KEPT + 3):
        ask(handles, "a", Log(seq))
    assert handles.size() == 10 * KEPT
    assert ask(handles, "a", Log(1)).how == "loaded"


def test_the_key_not_used_for_longest_goes_first() -> None:
    handles: Handles[Value] = Handles(30)
    first = {key: ask(handles, key, Log(1)) for key in "abc"}
    ask(handles, "a", Log(1))
    ask(handles, "d", Log(1))
    assert handles.size() == 30
    assert ask(handles, "a", Log(1)) is first["a"]
    assert ask(handles, "c", Log(1)) is first["c"]
    assert ask(handles, "b", Log(1)) is not first["b"]


def test_older_versions_go_before_the_latest_asked_for() -> None:
    handles: Handles[Value] = Handles(15)
    ask(handles, "a", Log(1))
    latest = ask(handles, "a", Log(2))
    assert handles.size() == 10
    assert ask(handles, "a", Log(2)) is latest


def test_a_shared_block_counts_once() -> None:
    handles: Handles[Value] = Handles(100)
    for seq in (1, 2, 3):
        ask(handles, "a", Log(seq), block=77)
    assert handles.size() == 10


def test_a_value_larger_than_the_budget_stays_alone() -> None:
    handles: Handles[Value] = Handles(30)
    ask(handles, "a", Log(1))
    large = ask(handles, "b", Log(1), bytes=99)
    assert handles.size() == 99
    assert ask(handles, "b", Log(1)) is large
    ask(handles, "a", Log(1))
    assert handles.size() == 10


def test_a_failed_load_is_tried_again() -> None:
    handles: Handles[Value] = Handles(30)

    def fail() -> Value:
        raise OSError("interrupted")

    with pytest.raises(OSError, match="interrupted"):
        handles.at("a", Log(1), load=fail, advance=lambda older, changes: None)  # type: ignore[arg-type]
    assert ask(handles, "a", Log(1)).how == "loaded"


def test_forgetting_one_key_leaves_the_others() -> None:
    handles: Handles[Value] = Handles(100)
    kept, gone = ask(handles, "a", Log(1)), ask(handles, "b", Log(1))
    handles.forget("b")
    handles.forget("never there")
    assert handles.size() == 10
    assert ask(handles, "a", Log(1)) is kept
    assert ask(handles, "b", Log(1)) is not gone


def test_clearing_forgets_everything() -> None:
    handles: Handles[Value] = Handles(100)
    value = ask(handles, "a", Log(1))
    handles.clear()
    assert handles.size() == 0
    assert ask(handles, "a", Log(1)) is not value
