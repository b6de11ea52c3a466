"""The planner does what the views were made for; without statistics it easily turns a join round."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from comis_core.model import Filters, Scope, Trust
from comis_core.store import Store

POOL = "json_each('[1,2,3]') AS pool"
PERMITTED = Filters(trust=frozenset({Trust.LEARNED, Trust.SYSTEM}))
PAST = Filters(record_as_of=datetime(2026, 1, 1, tzinfo=UTC))
NARROW = Filters(
    trust=frozenset({Trust.LEARNED}), tags=frozenset({"a"}), since=datetime(2026, 1, 1, tzinfo=UTC),
    until=datetime(2027, 1, 1, tzinfo=UTC), event_as_of=datetime(2027, 1, 1, tzinfo=UTC),
)  # fmt: skip


@pytest.fixture
def plan(store: Store, scope: Scope, add: Callable[..., str]) -> Callable[..., list[str]]:
    """The steps of a statement's plan, without those of the parameters' subqueries."""
    add("something")

    def steps(sql: str, filters: Filters = PERMITTED) -> list[str]:
        with store.snapshot(scope, now=0, filters=filters) as reader:
            rows = list(reader.execute(f"EXPLAIN QUERY PLAN {sql}"))
        return [row[3] for row in rows if "recall_parameters" not in row[3] and "SUBQUERY" not in row[3]]

    return steps


Plan = Callable[..., list[str]]


@pytest.mark.parametrize("filters", [Filters(), PERMITTED, NARROW, PAST])
def test_a_pool_drives_its_join_with_the_visible_memories(plan: Plan, filters: Filters) -> None:
    steps = plan(f"SELECT v.content FROM {POOL} CROSS JOIN visible AS v ON v.pk = pool.value", filters)
    assert steps[0].startswith("SCAN pool")
    assert "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)" in steps
    assert not [step for step in steps if step.startswith("SCAN m")]


@pytest.mark.parametrize("filters", [Filters(), PERMITTED, NARROW, PAST])
def test_a_list_of_ids_is_searched_by_primary_key(plan: Plan, filters: Filters) -> None:
    steps = plan("SELECT pk FROM visible WHERE pk IN (1, 2, 3)", filters)
    assert steps[0] == "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"


@pytest.mark.parametrize("filters", [PERMITTED, PAST])
def test_a_pool_drives_its_join_with_annotations(plan: Plan, filters: Filters) -> None:
    sql = f"SELECT a.name FROM {POOL} CROSS JOIN visible_annotations AS a ON a.pk = pool.value AND a.kind = 'entity'"
    evictions = ["SCAN ended", "SEARCH e USING PRIMARY KEY (pk=? AND evicted_at<?)"] if filters is PAST else []
    assert plan(sql, filters)[1:] == [
        "SEARCH a USING INDEX annotations_memory (pk=? AND kind=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        *evictions,
    ]


def test_a_hop_over_shared_names_goes_from_memory_to_name_to_memory(plan: Plan) -> None:
    sql = (
        f"SELECT b.pk FROM {POOL} CROSS JOIN visible_annotations AS a ON a.pk = pool.value AND a.kind = 'entity' "
        "CROSS JOIN visible_annotations AS b ON b.scope = a.scope AND b.kind = a.kind AND b.name = a.name"
    )
    assert plan(sql)[1:] == [
        "SEARCH a USING INDEX annotations_memory (pk=? AND kind=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH a USING INDEX annotations_name (scope=? AND kind=? AND name=?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
    ]


def test_a_name_is_looked_up_by_its_index_when_the_scope_is_named(plan: Plan) -> None:
    sql = "SELECT pk FROM visible_annotations WHERE scope = 1 AND kind = 'entity' AND name IN ('ana', 'ben')"
    assert plan(sql)[0] == "SEARCH a USING INDEX annotations_name (scope=? AND kind=? AND name=?)"


@pytest.mark.parametrize("filters", [Filters(), PERMITTED])
def test_a_whole_scope_is_counted_from_the_index_alone(plan: Plan, filters: Filters) -> None:
    assert plan("SELECT count(*) FROM visible_scan", filters) == [
        "SEARCH m USING COVERING INDEX memories_scope (scope=?)"
    ]


def test_a_whole_scope_comes_in_order_without_sorting(plan: Plan) -> None:
    steps = plan("SELECT pk FROM visible_scan ORDER BY pk")
    assert [step.replace("COVERING ", "") for step in steps] == ["SEARCH m USING INDEX memories_scope (scope=?)"]


def test_the_past_of_a_scope_is_read_without_the_rest_of_the_file(plan: Plan) -> None:
    steps = plan("SELECT pk FROM visible_scan", PAST)
    searches = [step for step in steps if "m " in step or " m" in step]
    assert len(searches) == 2
    assert all(step.startswith("SEARCH m USING") and "(scope=?" in step for step in searches)


def test_whether_anything_was_ever_evicted_is_asked_once_and_not_row_by_row(store: Store, scope: Scope) -> None:
    with store.snapshot(scope, now=0, filters=PAST) as reader:
        rows = list(reader.execute("EXPLAIN QUERY PLAN SELECT pk FROM visible"))
    parents = {number: (parent, text) for number, parent, _, text in rows}
    (asked,) = [parent for parent, text in parents.values() if text == "SCAN ended"]
    assert parents[asked][1].startswith("SCALAR SUBQUERY")


def test_a_page_is_read_in_order_without_sorting(plan: Plan) -> None:
    steps = plan("SELECT content FROM visible_scan ORDER BY created_at DESC, pk DESC LIMIT 10")
    assert steps == ["SEARCH m USING INDEX memories_created (scope=?)"]
    steps = plan(
        "SELECT content FROM visible_scan WHERE (created_at, pk) < (5, 5) ORDER BY created_at DESC, pk DESC LIMIT 10"
    )
    assert steps == ["SEARCH m USING INDEX memories_created (scope=? AND created_at<?)"]


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        ("SELECT pk FROM memories WHERE id = x'00' AND closed_at IS NULL AND scope = 1", "memories_live_id (id=?)"),
        ("SELECT pk FROM memories WHERE id = x'00' AND opened_at <= 5", "memories_versions (id=? AND opened_at<?)"),
        ("SELECT pk FROM memories WHERE id = x'00' AND scope = 1", "memories_versions (id=?)"),
        (
            "SELECT pk FROM memories WHERE scope = 1 AND fingerprint IN (x'00', x'01') AND closed_at IS NULL "
            "AND evicted_at IS NULL",
            "memories_fingerprint (scope=? AND fingerprint=?)",
        ),
        ("DELETE FROM annotations WHERE target = x'00' AND scope = 1", "annotations_target (target=?)"),
        ("DELETE FROM memories WHERE pk IN (SELECT value FROM json_each('[1]'))", "INTEGER PRIMARY KEY (rowid=?)"),
        ("UPDATE memories SET source_ids = '[]' WHERE scope = 1 AND source_ids <> '[]'", "memories_derived (scope=?)"),
    ],
)
def test_the_stores_own_statements_use_their_index(store: Store, scope: Scope, sql: str, index: str) -> None:
    steps = store.write(lambda tx: [row[3] for row in tx.execute(f"EXPLAIN QUERY PLAN {sql}")])
    assert [step for step in steps if step.startswith("SEARCH") and index in step], steps
