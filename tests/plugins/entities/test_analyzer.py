"""Known names in a question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import attrs

from comis_core.model import Query
from comis_plugins.entities.analyzer import MOST, EntityAnalyzer


def asked(text: str, *, senders: tuple[str, ...] = (), before: tuple[str, ...] = (), **known: str) -> Query:
    """The question after the analyzer. known: name -> canonical name."""
    view: Any = SimpleNamespace(entities=known, senders=dict.fromkeys(senders, 1), memories=1)
    return EntityAnalyzer().analyze(attrs.evolve(Query.of(text), entities=before), view, 0)


def test_a_question_names_known_entities_by_any_of_their_names() -> None:
    found = asked("my K8s or k8s and ana?", k8s="kubernetes", kubernetes="kubernetes", ana="ana", ben="ben")
    assert found.entities == ("kubernetes", "ana")


def test_what_an_analyzer_before_found_stays() -> None:
    assert asked("ana?", before=("ben",), ana="ana").entities == ("ben", "ana")


def test_what_goes_by_several_names_is_searched_by_all_of_them() -> None:
    found = asked("the k8s story?", k8s="kubernetes", kube="kubernetes", kubernetes="kubernetes")
    assert found.lexical_text == "the k8s story? kubernetes kube"
    assert found.dense_text == found.text == "the k8s story?"


def test_what_has_one_name_leaves_the_words_as_they_are() -> None:
    assert asked("where is ana?", ana="ana").lexical_text == "where is ana?"


def test_who_speaks_in_the_scope_is_not_searched_by_other_names() -> None:
    found = asked("where is caro?", senders=("Caroline",), caro="caroline", caroline="caroline")
    assert (found.entities, found.lexical_text) == (("caroline",), "where is caro?")


def test_at_most_so_many_names_are_added() -> None:
    known = {f"name{number}": "gadget" for number in range(20)}
    assert len(asked("a gadget?", gadget="gadget", **known).lexical_text.split()) == 2 + MOST


def test_where_nothing_is_known_the_question_stays_as_it_is() -> None:
    query = Query.of("Ana?")
    view: Any = SimpleNamespace(entities={}, senders={}, memories=0)
    assert EntityAnalyzer().analyze(query, view, 0) is query
