"""Causes and effects on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Comis = Callable[..., Any]


def stored(on: Comis, text: str) -> str:
    return str(on("store", text, "--json").json["id"])


def test_an_edge_is_said_and_shown(on: Comis) -> None:
    cause, effect = stored(on, "The cable was cut."), stored(on, "The cold store was warm.")
    assert on("link", cause, effect, "--confidence", "0.75").code == 0
    assert on("links", effect).out == f"{cause}  ->  {effect}  0.75\n"
    assert on("links", cause, "--json").json == [
        {"cause": cause, "effect": effect, "confidence": 0.75, "origin": "caller"}
    ]


def test_a_memory_without_edges_says_so(on: Comis) -> None:
    result = on("links", stored(on, "alone"))
    assert (result.code, result.out) == (0, "")
    assert "no causes" in result.err


def test_an_unknown_memory_fails_with_a_word(on: Comis) -> None:
    nobody = "00000000-0000-7000-8000-000000000000"
    result = on("link", stored(on, "alone"), nobody)
    assert result.code == 1
    assert nobody in result.err


def test_a_confidence_out_of_range_is_a_usage_error(on: Comis) -> None:
    assert on("link", "a", "b", "--confidence", "2").code == 2
