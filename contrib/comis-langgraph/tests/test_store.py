"""The store keeps what langgraph expects of one."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp

import comis_core
from comis_core.clock import ManualClock
from comis_core.errors import ComisError
from comis_langgraph import ComisStore

USER = ("users", "ana")


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


@pytest.mark.parametrize(
    "value",
    [
        {"text": "Ana moved to Lisbon.", "year": 2026, "tags": ["a", None, True], "deep": {"x": [1.5, {}]}},
        {"text": 'two\nlines\tand "quotes" \\n and \r ends'},
        {},
        {"text": "日本語 café 😀"},
    ],
)
def test_what_is_put_comes_back(store: ComisStore, value: dict[str, Any]) -> None:
    store.put(USER, "one", value)
    item = store.get(USER, "one")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "one", USER)


def test_what_was_never_put_is_none(store: ComisStore) -> None:
    assert store.get(USER, "one") is None


def test_a_second_put_replaces_the_value_and_keeps_the_day_it_was_made(store: ComisStore, clock: ManualClock) -> None:
    store.put(USER, "one", {"city": "Porto"})
    first = store.get(USER, "one")
    clock.advance(timedelta(days=1))
    store.put(USER, "one", {"city": "Lisbon"})
    second = store.get(USER, "one")
    assert first is not None
    assert second is not None
    assert second.value == {"city": "Lisbon"}
    assert (second.created_at, second.updated_at) == (first.created_at, first.created_at + timedelta(days=1))
    assert len(store.search(USER)) == 1


def test_what_is_deleted_is_gone_and_may_be_put_again(store: ComisStore) -> None:
    store.put(USER, "one", {"city": "Porto"})
    store.delete(USER, "one")
    assert (store.get(USER, "one"), store.search(("users",))) == (None, [])
    store.put(USER, "one", {"city": "Lisbon"})
    assert [item.value for item in store.search(USER, query="Lisbon")] == [{"city": "Lisbon"}]


def test_items_of_equal_value_are_items_of_their_own(store: ComisStore) -> None:
    for key in ("one", "two"):
        store.put(USER, key, {"text": "the heron sits on the roof"})
    store.put(("users", "bo"), "one", {"text": "the heron sits on the roof"})
    assert sorted(keys(store.search(USER))) == ["one", "two"]
    assert sorted(keys(store.search(USER, query="heron"))) == ["one", "two"]
    assert len(store.search(("users",), query="heron")) == 3


def test_a_query_finds_the_best_first_and_says_how_good(store: ComisStore) -> None:
    store.put(USER, "home", {"text": "Ana moved to Lisbon in March"})
    store.put(USER, "coffee", {"text": "Ana takes her coffee black"})
    found = store.search(USER, query="how does she take her coffee")
    assert found[0].key == "coffee"
    assert found[0].score is not None
    assert found[0].score > 0


def test_a_word_behind_a_line_break_is_found(store: ComisStore) -> None:
    store.put(USER, "one", {"text": "shopping\nnectarines"})
    assert keys(store.search(USER, query="nectarines")) == ["one"]


def test_a_search_stays_below_its_prefix(store: ComisStore) -> None:
    store.put(USER, "one", {"text": "heron"})
    store.put(("users", "anabel"), "two", {"text": "heron"})
    assert keys(store.search(USER, query="heron")) == ["one"]
    assert keys(store.search(USER)) == ["one"]


def test_a_filter_hides_no_match_behind_better_ones(store: ComisStore) -> None:
    store.batch([PutOp(USER, f"n{number}", {"text": "heron heron", "kind": f"k{number}"}) for number in range(80)])
    store.put(USER, "last", {"text": "a heron and a great many other birds that were seen", "kind": "rare"})
    assert keys(store.search(USER, query="heron", filter={"kind": "rare"}, limit=1)) == ["last"]
    assert keys(store.search(USER, filter={"kind": "k7"})) == ["n7"]


def test_pages_of_a_search_follow_each_other(store: ComisStore) -> None:
    store.batch([PutOp(USER, f"n{number}", {"text": f"heron number {number}"}) for number in range(7)])
    whole = keys(store.search(USER, query="heron", limit=7))
    assert len(set(whole)) == 7
    pages = [keys(store.search(USER, query="heron", limit=3, offset=offset)) for offset in (0, 3, 6)]
    assert [key for page in pages for key in page] == whole


def test_without_a_query_the_newest_come_first(store: ComisStore, clock: ManualClock) -> None:
    for key in ("old", "new"):
        store.put(USER, key, {"x": 1})
        clock.advance(timedelta(minutes=1))
    assert keys(store.search(USER)) == ["new", "old"]


def test_what_is_not_indexed_is_found_by_its_key_alone(store: ComisStore) -> None:
    store.put(USER, "one", {"text": "heron"}, index=False)
    assert store.search(USER, query="heron") == []
    assert store.get(USER, "one") is not None
    assert keys(store.search(USER)) == ["one"]
    store.put(USER, "one", {"text": "heron"})
    assert keys(store.search(USER, query="heron")) == ["one"]


def test_an_item_expires(store: ComisStore, clock: ManualClock) -> None:
    store.put(USER, "one", {"text": "heron"}, ttl=10)
    clock.advance(timedelta(minutes=9))
    assert store.get(USER, "one") is not None
    clock.advance(timedelta(minutes=2))
    assert store.get(USER, "one") is None
    assert store.search(USER) == []
    assert store.list_namespaces() == []


def test_an_expired_item_may_be_put_again(store: ComisStore, clock: ManualClock) -> None:
    store.put(USER, "one", {"text": "heron"}, ttl=10)
    clock.advance(timedelta(minutes=11))
    store.put(USER, "one", {"text": "heron"})
    assert store.get(USER, "one") is not None


def test_a_default_lifetime_holds_where_none_is_given(engine: comis_core.Engine, clock: ManualClock) -> None:
    store = ComisStore(engine.agent(), default_ttl=5)
    store.put(USER, "short", {"x": 1})
    store.put(USER, "long", {"x": 2}, ttl=None)
    clock.advance(timedelta(minutes=6))
    assert keys(store.search(USER)) == ["long"]


def test_namespaces_are_listed(store: ComisStore) -> None:
    for namespace in (("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f")):
        store.put(namespace, "one", {"x": 1})
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(limit=1, offset=4) == [("a", "c", "f")]


def test_other_memories_of_the_agent_are_none_of_the_stores(store: ComisStore, engine: comis_core.Engine) -> None:
    engine.agent("helper", tenant="acme").store("a heron of the agent's own")
    assert store.search((), query="heron") == []
    assert store.search(()) == []
    assert store.list_namespaces() == []


def test_two_agents_share_nothing(store: ComisStore, engine: comis_core.Engine) -> None:
    store.put(USER, "one", {"text": "heron"})
    other = ComisStore(engine.agent("other", tenant="acme"))
    assert other.get(USER, "one") is None
    other.put(USER, "one", {"text": "sparrow"})
    mine = store.get(USER, "one")
    assert mine is not None
    assert mine.value == {"text": "heron"}


def test_operations_run_in_their_order(store: ComisStore) -> None:
    results = store.batch([
        GetOp(USER, "one"),
        PutOp(USER, "one", {"n": 1}),
        PutOp(USER, "one", {"n": 2}),
        SearchOp(USER),
        PutOp(USER, "one", None),
        GetOp(USER, "one"),
    ])
    assert [results[place] for place in (0, 1, 2, 4, 5)] == [None] * 5
    assert [item.value for item in results[3]] == [{"n": 2}]  # type: ignore[union-attr]


def test_the_items_are_there_after_the_file_is_opened_again(tmp_path: Path) -> None:
    for attempt in range(2):
        with comis_core.open(tmp_path / "again.db", overrides={"embedding": "none"}) as engine:
            store = ComisStore(engine.agent())
            if attempt == 0:
                store.put(USER, "one", {"n": 1})
            assert store.get(USER, "one") is not None


def test_it_serves_asyncio(store: ComisStore) -> None:
    async def main() -> list[str]:
        await store.aput(USER, "one", {"text": "heron"})
        assert await store.aget(USER, "one") is not None
        return keys(await store.asearch(USER, query="heron"))

    assert asyncio.run(main()) == ["one"]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",)])
def test_a_bad_namespace_is_refused(store: ComisStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "one", {"x": 1})


def test_a_value_too_large_is_refused_by_name(store: ComisStore) -> None:
    with pytest.raises(ComisError, match=r'\["users","ana","big"\] is refused: content is'):
        store.put(USER, "big", {"text": "x" * 70_000})


def test_a_name_too_long_is_refused(store: ComisStore) -> None:
    with pytest.raises(ComisError, match="at most 512"):
        store.put(USER, "k" * 600, {"x": 1})


def test_a_store_works_on_a_handle(engine: comis_core.Engine) -> None:
    with pytest.raises(ComisError, match=r"engine\.agent"):
        ComisStore(engine)  # type: ignore[arg-type]


def test_a_refused_item_leaves_those_beside_it_as_they_were_put(store: ComisStore) -> None:
    hidden = PutOp(USER, "hidden", {"text": "a heron"}, index=False)
    with pytest.raises(ComisError, match="refused"):
        store.batch([hidden, PutOp(USER, "big", {"text": "x" * 70_000})])
    assert store.get(USER, "hidden") is not None
    assert store.search(USER, query="heron") == []


def test_a_key_that_is_spelt_in_two_ways_is_one(store: ComisStore) -> None:
    store.put(USER, "cafe\u0301", {"x": 1})
    (found,) = store.search(USER)
    assert found.key == "caf\u00e9"
    assert store.get(USER, found.key) == store.get(USER, "cafe\u0301")
