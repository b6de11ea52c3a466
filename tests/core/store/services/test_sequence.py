"""The sequence: who spoke before whom, among what the snapshot may see."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Scope, Trust
from comis_core.protocols import Change, SequenceArrays
from comis_core.senders import ROLES, Roles
from comis_core.store import Store
from comis_core.store.sequence import TurnSequence, ends_with_question

SCOPE = Scope("acme", "helper")


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def sequence(world: Any) -> TurnSequence:
    service = TurnSequence(words)
    world.store.attach("sequence", service, "1")
    world.store.catch_up()
    return service


def turn(content: str, session: str | None = "s", number: int | None = None, sender: str | None = None) -> NewMemory:
    return NewMemory(content=content, session=session, turn=number, sender=sender)


def neighbours(arrays: SequenceArrays) -> dict[int, tuple[int | None, int | None]]:
    """Id -> (previous id, following id)."""

    def at(place: int) -> int | None:
        return None if place < 0 else int(arrays.ids[place])

    return {
        int(pk): (at(before), at(after))
        for pk, before, after in zip(arrays.ids, arrays.previous, arrays.following, strict=True)
    }


def test_turns_are_linked_in_the_order_of_their_numbers(world: Any, sequence: TurnSequence) -> None:
    third, first, second, other = world.remember(
        turn("c", number=3), turn("a", number=1), turn("b", number=2), turn("x", "another", 2)
    )
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert neighbours(arrays) == {
        first: (None, second), second: (first, third), third: (second, None), other: (None, None),
    }  # fmt: skip
    assert dict(zip(arrays.ids.tolist(), arrays.position.tolist(), strict=True)) == {
        third: 2, first: 0, second: 1, other: 0,
    }  # fmt: skip


def test_without_numbers_record_time_and_then_arrival_count(world: Any, sequence: TurnSequence) -> None:
    early = world.clock.now() - timedelta(days=3)
    late, one, two, numbered = world.remember(
        turn("d"), NewMemory(content="a", session="s", created_at=early),
        NewMemory(content="b", session="s", created_at=early), turn("n", number=9),
    )  # fmt: skip
    with world.look() as snapshot:
        links = neighbours(sequence.arrays(snapshot))
    assert links[numbered] == (None, one)
    assert links[one] == (numbered, two)
    assert links[late] == (two, None)


def test_notes_without_a_session_have_no_neighbours(world: Any, sequence: TurnSequence) -> None:
    one, two = world.remember(turn("a", None), turn("b", None))
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert neighbours(arrays) == {one: (None, None), two: (None, None)}
    assert arrays.session.tolist() == arrays.position.tolist() == [-1, -1]


@pytest.mark.parametrize("hide", ["delete", "evict"])
def test_what_is_hidden_is_nobodys_neighbour(world: Any, sequence: TurnSequence, hide: str) -> None:
    one, two, three = world.remember(*(turn(text, number=place) for place, text in enumerate("abc")))
    with world.look() as snapshot:
        assert neighbours(sequence.arrays(snapshot))[three] == (two, None)
    getattr(world, hide)(two)
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert neighbours(arrays) == {one: (None, three), three: (one, None)}
    assert arrays.position.tolist() == [0, 1]


def test_a_filter_hides_neighbours_too(world: Any, sequence: TurnSequence) -> None:
    one, _, three = world.remember(
        turn("a", number=1),
        NewMemory(content="b", session="s", turn=2, trust=Trust.EXTERNAL, sender="web"),
        turn("c", number=3),
    )
    with world.look(trust=frozenset({Trust.LEARNED, Trust.SYSTEM})) as snapshot:
        arrays = sequence.arrays(snapshot)
        assert sequence.arrays(snapshot) is arrays
    assert neighbours(arrays) == {one: (None, three), three: (one, None)}
    assert arrays.senders == ()


def test_two_filters_on_one_state_do_not_mix(world: Any, sequence: TurnSequence) -> None:
    one, two = world.remember(turn("a", number=1), NewMemory(content="b", session="s", turn=2, trust=Trust.EXTERNAL))
    for trust, expected in ((Trust.LEARNED, one), (Trust.EXTERNAL, two), (Trust.LEARNED, one)):
        with world.look(trust=frozenset({trust})) as snapshot:
            assert sequence.arrays(snapshot).ids.tolist() == [expected]


def test_the_past_has_the_neighbours_it_had(world: Any, sequence: TurnSequence) -> None:
    one, two, three = world.remember(*(turn(text, number=place) for place, text in enumerate("abc")))
    before = world.clock.now()
    world.clock.advance(timedelta(hours=1))
    world.store.update(world.scope, world.ids[two], content="b, but better")
    with world.look(record_as_of=before) as snapshot:
        assert neighbours(sequence.arrays(snapshot))[two] == (one, three)
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert two not in arrays.ids.tolist()
    assert neighbours(arrays)[one] == (None, int(arrays.ids[-1]))
    assert arrays.stems[-1] == 3


def test_contents_are_marked(world: Any, sequence: TurnSequence) -> None:
    world.remember("Where were you yesterday?", "Nowhere", "I came in March")
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert arrays.stems.tolist() == [4, 1, 4]
    assert arrays.asks.tolist() == [True, False, False]
    assert arrays.dated.tolist() == [True, False, True]


def chat(*senders: str | None) -> list[NewMemory]:
    return [turn(f"turn {number}", number=number, sender=sender) for number, sender in enumerate(senders)]


@pytest.mark.parametrize(
    ("senders", "expected"),
    [
        (("Ana", "Ben", "Ana", "Ben"), True),
        (("Ana", "Ana", "Ana", "Ben"), False),
        (("Ana", "Ana", "Ben"), False),
        (("Ana", "Ana", "Ben", "Ana"), True),
        (("Ana", "assistant", "Ana", "assistant"), False),
        (("Ana", "Ben", "Cem", "Ana"), False),
        (("Ana", "Ben", "Ana", "Ben", "system"), True),
        (("Ana", None, "Ben", None), False),
        (("Ana",), False),
        ((), False),
    ],
)
def test_two_sided_means_two_names_that_mostly_alternate(
    world: Any, sequence: TurnSequence, senders: tuple[str | None, ...], expected: bool
) -> None:
    if senders:
        world.remember(*chat(*senders))
    with world.look() as snapshot:
        assert sequence.arrays(snapshot).two_sided is expected


def test_senders_are_listed_by_name_with_their_kind(world: Any, sequence: TurnSequence) -> None:
    world.remember(*chat("Zoe", "assistant", None, "Ana"))
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    assert arrays.senders == ("Ana", "Zoe", "assistant")
    assert arrays.named.tolist() == [True, True, False]
    assert arrays.sender.tolist() == [1, 2, -1, 0]


@pytest.mark.parametrize("role", sorted(ROLES))
def test_roles_are_no_names(role: str) -> None:
    assert not Roles().is_named(role)
    assert not Roles().is_named(f" {role.upper()} ")


def test_a_name_may_contain_a_role() -> None:
    assert Roles().is_named("Userina")
    assert Roles().is_named("Aiden")


def test_an_assistant_with_a_name_is_no_side_of_a_talk(world: Any, sequence: TurnSequence) -> None:
    world.remember(*chat("Ana", "Alfred", "Ana", "Alfred"))
    with world.look() as snapshot:
        arrays = sequence.seen_with(Roles(assistants=["ALFRED "])).arrays(snapshot)
    assert (arrays.senders, arrays.named.tolist(), arrays.two_sided) == (("Alfred", "Ana"), [False, True], False)


def test_people_with_the_names_of_roles_are_the_sides_of_a_talk(world: Any, sequence: TurnSequence) -> None:
    world.remember(*chat("agent", "customer", "agent"))
    with world.look() as snapshot:
        arrays = sequence.seen_with(Roles(people=["agent", "customer"])).arrays(snapshot)
    assert (arrays.named.tolist(), arrays.two_sided) == ([True, True], True)


def test_two_roles_on_one_state_do_not_mix(world: Any, sequence: TurnSequence) -> None:
    world.remember(*chat("Ana", "Alfred", "Ana", "Alfred"))
    views = (Roles(), Roles(assistants=["Alfred"]), Roles())
    with world.look() as snapshot:
        assert [sequence.seen_with(roles).arrays(snapshot).two_sided for roles in views] == [True, False, True]
    world.remember(turn("more", number=9, sender="Ana"))
    with world.look() as snapshot:
        assert [sequence.seen_with(roles).arrays(snapshot).two_sided for roles in views] == [True, False, True]


def test_as_long_as_nothing_changes_the_same_arrays_come_back(world: Any, sequence: TurnSequence) -> None:
    (one,) = world.remember("a")
    with world.look() as snapshot:
        arrays = sequence.arrays(snapshot)
    world.embed({one: [1.0, 0.0]})
    with world.look() as snapshot:
        assert sequence.arrays(snapshot) is arrays
    world.remember("b")
    with world.look() as snapshot:
        assert sequence.arrays(snapshot) is not arrays


def test_arrays_cannot_be_changed(world: Any, sequence: TurnSequence) -> None:
    world.remember("a")
    with world.look() as snapshot, pytest.raises(ValueError, match="read-only"):
        sequence.arrays(snapshot).stems[0] = 3


def test_an_index_that_catches_up_later_is_seen(world: Any) -> None:
    service = TurnSequence(words)
    world.remember("three words here", "two words")
    with world.look() as snapshot:
        assert service.arrays(snapshot).stems.tolist() == [0, 0]
    world.store.attach("sequence", service, "1")
    world.store.catch_up()
    with world.look() as snapshot:
        assert service.arrays(snapshot).stems.tolist() == [3, 2]


def test_check_compares_the_table_with_the_truth(world: Any, sequence: TurnSequence) -> None:
    one, _ = world.remember("a", "b")
    assert world.store.write(sequence.check).problems == ()
    world.store.write(lambda tx: tx.execute("DELETE FROM sequence WHERE pk = ?", (one,)))
    assert world.store.write(sequence.check).problems == ("1 memories without a sequence row",)
    world.store.write(sequence.clear)
    assert world.store.write(sequence.check).problems == ("2 memories without a sequence row",)


def test_apply_counts_what_nobody_prepared(world: Any) -> None:
    service = TurnSequence(words)
    (pk,) = world.remember("two words")
    memory = world.store.get(world.scope, world.ids[pk])
    world.store.write(lambda tx: service.apply(tx, [Change(seq=1, scope=1, pk=pk, operation="add", memory=memory)]))
    assert world.store.write(service.check).problems == ()
    world.store.write(lambda tx: service.apply(tx, [Change(seq=2, scope=1, pk=pk, operation="delete")]))
    assert world.store.write(service.check).problems == ("1 memories without a sequence row",)


@pytest.mark.parametrize(
    "text",
    [
        "Where?", "你在哪里？", "أين أنت؟", "Really?!", "Where? 😊", 'He said "where?"', "(why?)", "where?  \n",
        "Πού είσαι;", "What‽", "where?**", "የት ነህ፧", "why? 👍🏽",
    ],
)  # fmt: skip
def test_a_question_ends_with_a_question_mark_of_its_script(text: str) -> None:
    assert ends_with_question(text)


@pytest.mark.parametrize("text", ["Where? There.", "x = y;", "", "?no", "Είπε όχι.", "!", "😊", "a ? b : c"])
def test_other_texts_ask_nothing(text: str) -> None:
    assert not ends_with_question(text)


def reference(rows: list[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Id -> (previous, following, position, sender), from (pk, session, turn, created_at, sender)."""
    sessions: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        if row[1] is not None:
            sessions.setdefault(row[1], []).append(row)
    expected: dict[int, tuple[Any, ...]] = {row[0]: (None, None, -1, row[4]) for row in rows}
    for turns in sessions.values():
        turns.sort(key=lambda row: (row[2] is None, row[2] or 0, row[3], row[0]))
        for place, row in enumerate(turns):
            before = turns[place - 1][0] if place else None
            after = turns[place + 1][0] if place + 1 < len(turns) else None
            expected[row[0]] = (before, after, place, row[4])
    return expected


class Play:
    """A store on which operations are played at random, and the snapshots that are still open."""

    def __init__(self, store: Store, stack: contextlib.ExitStack, seed: int) -> None:
        self.store = store
        self.service = TurnSequence(words)
        self.random = np.random.default_rng(seed)
        self.ids: list[str] = []
        self.snapshots: list[Any] = []
        self._stack = stack
        store.attach("sequence", self.service, "1")

    def step(self) -> None:
        operation = self.random.choice(["add"] * 5 + ["delete", "evict", "restore", "restore"] + ["look"] * 3)
        if operation == "add":
            self.add()
        elif operation == "look":
            restricted = bool(self.random.integers(2))
            filters = Filters(trust=frozenset({Trust.LEARNED})) if restricted else Filters()
            self.snapshots = [*self.snapshots[-4:], self._stack.enter_context(self.snapshot(filters))]
            # The newest first, so that older ones find it ahead.
            for snapshot in reversed(self.snapshots):
                compare(snapshot, self.service.arrays(snapshot))
        elif self.ids:
            getattr(self.store, operation)(SCOPE, [self.ids[self.random.integers(len(self.ids))]])

    def add(self) -> None:
        number = int(self.random.integers(4))
        memory = NewMemory(
            content=f"memory {len(self.ids)}",
            session=(None, "s", "t")[self.random.integers(3)],
            turn=number if number < 3 else None,
            sender=(None, "Ana", "Ben", "user")[self.random.integers(4)],
            trust=(Trust.LEARNED, Trust.LEARNED, Trust.EXTERNAL)[self.random.integers(3)],
            created_at=datetime(2024, 1, 1 + int(self.random.integers(2)), tzinfo=UTC),
        )
        self.ids.append(self.store.add(SCOPE, [memory]).stored[0].id)

    def snapshot(self, filters: Filters) -> Any:
        return self.store.snapshot(SCOPE, now=0, filters=filters)


@pytest.mark.parametrize("seed", range(3))
def test_any_history_gives_the_order_of_the_visible_rows(tmp_path: Path, clock: ManualClock, seed: int) -> None:
    with (
        Store.open(tmp_path / "memory.db", clock=clock, synchronous="OFF") as store,
        contextlib.ExitStack() as stack,
    ):
        play = Play(store, stack, seed)
        for _ in range(250):
            play.step()


def compare(snapshot: Any, arrays: SequenceArrays) -> None:
    rows = list(snapshot.execute("SELECT pk, session, turn, created_at, sender FROM visible_scan ORDER BY pk"))
    links = neighbours(arrays)
    found = {
        int(pk): (*links[int(pk)], int(position), arrays.senders[sender] if sender >= 0 else None)
        for pk, position, sender in zip(arrays.ids, arrays.position, arrays.sender, strict=True)
    }
    assert found == reference(rows)
    assert arrays.senders == tuple(sorted({row[4] for row in rows} - {None}))
    together = {row[0]: row[1] for row in rows}
    codes = dict(zip(arrays.ids.tolist(), arrays.session.tolist(), strict=True))
    assert len({(codes[pk], together[pk]) for pk in together}) == len(set(together.values()))
    assert all((codes[pk] == -1) == (together[pk] is None) for pk in together)
    assert np.all(arrays.stems == 2)
