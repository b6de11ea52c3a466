"""Values and places survive their way through a memory."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import MatchCondition

from comis_core.errors import ComisError
from comis_langgraph.items import Place, content_of
from comis_langgraph.matching import matches, passes

HERE = Place(("notes",), "one")


def test_a_line_break_parts_words_in_what_is_searched() -> None:
    assert "first\nsecond\tthird" in content_of({"text": "first\nsecond\tthird"}, HERE)


def test_a_backslash_before_an_n_is_no_line_break() -> None:
    assert content_of({"path": "C:\\new"}, HERE) == '{"path": "C:\\\\new"}'


@pytest.mark.parametrize("value", [{"odd": object()}, {"number": float("nan")}, {"many": {1, 2}}])
def test_what_is_no_json_is_refused_by_name(value: dict[str, Any]) -> None:
    with pytest.raises(ComisError, match=r'value of \["notes","one"\] is no JSON'):
        content_of(value, HERE)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, True),
        ({"kind": "report"}, True),
        ({"kind": "memo"}, False),
        ({"pages": {"$gte": 10}}, True),
        ({"pages": {"$gt": 10}}, False),
        ({"pages": {"$gt": 5, "$lt": 11}}, True),
        ({"kind": {"$ne": "memo"}}, True),
        ({"kind": {"$gt": 3}}, False),
        ({"absent": {"$lt": 3}}, False),
        ({"author": {"name": "Ana"}}, True),
        ({"author": {"name": "Bo"}}, False),
        ({"tags": ["a", "b"]}, True),
        ({"tags": ("a", "b")}, True),
        ({"tags": ["a"]}, False),
    ],
)
def test_a_filter_lets_pass_what_it_wants(wanted: dict[str, Any] | None, found: bool) -> None:
    value = {"kind": "report", "pages": 10, "author": {"name": "Ana", "age": 40}, "tags": ["a", "b"]}
    assert passes(value, wanted) is found


def test_an_unknown_operator_is_an_error() -> None:
    with pytest.raises(ComisError, match=r"no operator '\$like'"):
        passes({"kind": "report"}, {"kind": {"$like": "r"}})


@pytest.mark.parametrize(
    ("kind", "path", "found"),
    [
        ("prefix", ("a", "*"), True),
        ("prefix", ("b",), False),
        ("suffix", ("c",), True),
        ("suffix", ("*", "c"), True),
        ("suffix", ("a",), False),
        ("suffix", (), True),
        ("prefix", ("a", "b", "c", "d"), False),
    ],
)
def test_a_condition_fits_a_namespace(kind: Any, path: tuple[str, ...], found: bool) -> None:
    assert matches(MatchCondition(kind, path), ("a", "b", "c")) is found
