from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.store.identity import IdMaker, fold, to_bytes, to_text


@given(st.lists(st.integers(-(10**15), 10**16), min_size=1, max_size=30))
def test_ids_grow_whatever_the_clock_does(moments: list[int]) -> None:
    remaining = iter(moments)
    maker = IdMaker(lambda: next(remaining))
    made = [maker.make() for _ in moments]
    assert made == sorted(set(made))
    assert all(uuid.UUID(bytes=number).version == 7 for number in made)


def test_more_ids_than_the_counter_holds_still_grow_while_the_clock_stands() -> None:
    maker = IdMaker(lambda: 1_700_000_000_000_000)
    made = [maker.make() for _ in range(10_000)]
    assert made == sorted(set(made))


@given(st.uuids())
def test_ids_survive_their_binary_form(number: uuid.UUID) -> None:
    assert to_bytes(str(number)) == number.bytes
    assert to_text(number.bytes) == str(number)


@pytest.mark.parametrize("text", ["", "x", "1234", "g" * 32, "\ud800" * 32])
def test_what_is_no_uuid_has_no_binary_form(text: str) -> None:
    assert to_bytes(text) is None


@pytest.mark.parametrize(
    ("name", "folded"),
    [("Ana  Silva ", "ana silva"), ("ＡＮＡ", "ana"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("ﬁn", "fin")],
)
def test_names_that_differ_in_form_case_or_space_fold_alike(name: str, folded: str) -> None:
    assert fold(name) == folded


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert fold(fold(name)) == fold(name)
