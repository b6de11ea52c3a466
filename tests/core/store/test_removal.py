from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.damage import checkpoint

from comis_core.errors import ComisError
from comis_core.model import Annotation, NewMemory, Scope, Trust
from comis_core.protocols import Transaction
from comis_core.store import Store

Add = Callable[..., str]

# Words in the alphabet of no other text of these tests, so that a search of the file finds nothing else.
SECRET = "zyxwqjkv"


def dangling(tx: Transaction, pks: set[int], number: bytes) -> dict[str, int]:
    """Rows left in any table that name one of the versions or the id; the change log's numbers apart."""
    found: dict[str, int] = {}
    for (table,) in list(tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")):
        names = [row[1] for row in tx.execute(f"PRAGMA table_info({table})")]
        for column in names:
            for (value,) in list(tx.execute(f'SELECT "{column}" FROM "{table}"')):
                named = value == number or (column == "pk" and value in pks and table != "changes")
                found[table] = found.get(table, 0) + named
    return {table: count for table, count in found.items() if count}


def fill_side_tables(tx: Transaction, scope: int, pks: list[int]) -> None:
    tx.execute("INSERT OR IGNORE INTO spaces VALUES (1, 'model', 2)")
    for pk in pks:
        tx.execute("INSERT INTO vectors(space, scope, pk, part, vector) VALUES (1, ?, ?, 0, x'00')", (scope, pk))
        tx.execute("INSERT INTO sequence VALUES (?, ?, 1, 0, 0)", (scope, pk))
        tx.execute("INSERT INTO outbox(kind, scope, pk, payload, due) VALUES ('embed', ?, ?, '', 0)", (scope, pk))


def test_nothing_names_a_deleted_memory_any_more(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one", annotations=(Annotation(kind="entity", name="Ana"),))
    store.update(scope, memory_id, content="two")
    add("names it", annotations=(Annotation(kind="cause", target=memory_id),), source_ids=(memory_id,))
    store.write(lambda tx: fill_side_tables(tx, 1, [1, 2]))
    number = store.write(lambda tx: next(tx.execute("SELECT id FROM memories WHERE pk = 1"))[0])
    assert dangling_tables(store, number) >= {"memories", "annotations", "vectors", "sequence", "outbox"}
    assert store.delete(scope, [memory_id]) == 1
    assert dangling_tables(store, number) == set()


def dangling_tables(store: Store, number: bytes) -> set[str]:
    return set(store.write(lambda tx: dangling(tx, {1, 2}, number)))


def test_a_deleted_id_goes_from_the_sources_of_others(store: Store, scope: Scope, add: Add) -> None:
    first, second = add("one"), add("two")
    derived = add("three", source_ids=(first, second))
    store.delete(scope, [first])
    assert store.get(scope, derived).source_ids == (second,)


def test_memories_that_pointed_to_a_deleted_one_are_said_to_have_changed(store: Store, scope: Scope, add: Add) -> None:
    target = add("one")
    add("two", annotations=(Annotation(kind="supersedes", target=target),))
    store.delete(scope, [target])
    operations = store.write(lambda tx: list(tx.execute("SELECT pk, operation FROM changes ORDER BY seq")))
    assert operations == [(1, "add"), (2, "add"), (2, "annotate"), (1, "delete")]


def test_the_same_id_can_be_given_again_and_inherits_nothing(store: Store, scope: Scope, add: Add) -> None:
    old = add("one", annotations=(Annotation(kind="entity", name="Ana"),), pinned=True, key="k")
    store.write(lambda tx: fill_side_tables(tx, 1, [1]))
    store.delete(scope, [old])
    again = store.add(scope, [NewMemory(content="two", id=old)])
    assert again.stored[0].id == old
    assert again.pks == (2,)
    assert store.annotations(scope, old) == []
    memory = store.get(scope, old)
    assert (memory.content, memory.pinned, memory.key) == ("two", False, None)
    assert store.history(scope, old) == [memory]
    assert list(store.write(lambda tx: tx.execute("SELECT pk FROM vectors UNION ALL SELECT pk FROM sequence"))) == []


def test_primary_keys_are_never_used_again(store: Store, scope: Scope, add: Add) -> None:
    store.delete(scope, [add("one")])
    assert store.add(scope, [NewMemory(content="two")]).pks == (2,)


def test_deleting_counts_memories_and_passes_over_what_is_not_there(store: Store, scope: Scope, add: Add) -> None:
    first, second = add("one"), add("two")
    store.update(scope, first, content="three")
    assert store.delete(scope, [first, first, second, "x", "0190b8f0-1111-7abc-8def-000000000001"]) == 2
    assert store.delete(scope, [first]) == 0


def test_a_scope_cannot_delete_or_hide_what_is_anothers(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    rival = Scope("rival", "helper")
    store.add(rival, [NewMemory(content="theirs")])
    assert store.delete(rival, [memory_id]) == 0
    assert store.evict(rival, [memory_id]) == 0
    assert store.get(scope, memory_id).evicted_at is None


def test_no_word_of_a_deleted_memory_is_left_in_the_file(store: Store, scope: Scope, add: Add, path: Path) -> None:
    gone = add(
        f"The {SECRET} content " * 2000, title=f"{SECRET} title", sender=f"{SECRET} sender", tags=(f"{SECRET}-tag",),
        key=f"{SECRET}-key", annotations=(Annotation(kind="entity", name=f"{SECRET} name", value=f"{SECRET} value"),),
    )  # fmt: skip
    store.update(scope, gone, content=f"Another {SECRET} content")
    for number in range(50):
        add(f"other {number}")
    checkpoint(path)
    assert SECRET.encode() in path.read_bytes()
    store.delete(scope, [gone])
    store.vacuum()
    for file in path.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file.name


def test_even_without_a_vacuum_freed_pages_are_wiped(store: Store, scope: Scope, add: Add, path: Path) -> None:
    gone = add(f"The {SECRET} content " * 2000)
    store.delete(scope, [gone])
    checkpoint(path)
    assert SECRET.encode() not in path.read_bytes()


def fill_for_clearing(store: Store) -> tuple[Scope, Scope, Scope]:
    scopes = Scope("acme", "one"), Scope("acme", "two"), Scope("other", "one")
    for scope in scopes:
        rows = [
            NewMemory(content="plain"), NewMemory(content="external", trust=Trust.EXTERNAL),
            NewMemory(content="pinned", pinned=True), NewMemory(content="system", trust=Trust.SYSTEM),
            NewMemory(content="evicted"),
        ]  # fmt: skip
        stored = store.add(scope, rows, allow_system=True).stored
        store.evict(scope, [stored[4].id])
    return scopes


def left(store: Store, scope: Scope) -> list[str]:
    return sorted(memory.content for memory in store.browse(scope, include_evicted=True).memories)


EVERYTHING = ["evicted", "external", "pinned", "plain", "system"]


def test_clearing_an_agent_spares_system_and_pinned_memories(store: Store) -> None:
    one, two, other = fill_for_clearing(store)
    assert store.clear("acme", "one") == 3
    assert [left(store, scope) for scope in (one, two, other)] == [["pinned", "system"], EVERYTHING, EVERYTHING]


def test_clearing_a_tenant_clears_its_agents_alone(store: Store) -> None:
    one, two, other = fill_for_clearing(store)
    assert store.clear("acme") == 6
    assert [left(store, scope) for scope in (one, two, other)] == [["pinned", "system"]] * 2 + [EVERYTHING]


def test_clearing_takes_every_version(store: Store, scope: Scope, add: Add) -> None:
    store.update(scope, add("one"), content="two")
    assert store.clear(scope.tenant) == 1
    assert list(store.write(lambda tx: tx.execute("SELECT count(*) FROM memories"))) == [(0,)]


def test_a_memory_that_is_pinned_now_is_spared_with_its_history(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    store.update(scope, memory_id, pinned=True)
    assert store.clear(scope.tenant) == 0
    assert len(store.history(scope, memory_id)) == 2


@pytest.mark.parametrize("arguments", [("",), (" ",), ("acme", "")])
def test_clearing_needs_a_name(store: Store, arguments: tuple[str, ...]) -> None:
    with pytest.raises(ComisError, match="non-empty"):
        store.clear(*arguments)


def test_an_unknown_tenant_has_nothing_to_clear(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    assert store.clear("nobody") == 0
    assert store.clear(scope.tenant, "nobody") == 0
    assert store.count(scope) == 1


def test_evicted_memories_can_be_fetched_and_restored(
    store: Store, scope: Scope, add: Add, visible: Callable[..., list[str]]
) -> None:
    first, second = add("one"), add("two")
    assert store.evict(scope, [first, "x"]) == 1
    assert store.evict(scope, [first]) == 0
    assert visible() == ["two"]
    assert store.get(scope, first).evicted_at is not None
    assert store.restore(scope, [first, second]) == 1
    assert visible() == ["one", "two"]
    assert store.get(scope, first).evicted_at is None
