from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.config import did_you_mean, to_key, to_name

words = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
names = st.lists(words, min_size=1, max_size=5).map("_".join).filter(lambda name: not keyword.iskeyword(name))
keys = st.from_regex(r"[a-z][a-z0-9]{0,4}([A-Z][a-z0-9]{0,4}){0,4}", fullmatch=True)


@given(names)
def test_a_name_survives_the_way_to_its_key_and_back(name: str) -> None:
    assert to_name(to_key(name)) == name


@given(keys)
def test_a_key_survives_the_way_to_its_name_and_back(key: str) -> None:
    assert to_key(to_name(key)) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("db_path", "dbPath"),
        ("wal_mode", "walMode"),
        ("seed_count", "seedCount"),
        ("max_context_chars", "maxContextChars"),
        ("enabled", "enabled"),
        ("embedding_base_url", "embeddingBaseUrl"),
        ("lambda_", "lambda"),
    ],
)
def test_documented_names_are_mapped_by_the_rule(name: str, key: str) -> None:
    assert (to_key(name), to_name(key)) == (key, name)


@pytest.mark.parametrize("name", ["", "_private", "dbPath", "two__words", "trailing_", "top_1", "lambda", "mit-strich"])
def test_a_name_without_a_key_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        to_key(name)


@pytest.mark.parametrize("key", ["", "db_path", "DbPath", "1st", "a.b"])
def test_a_key_without_a_name_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="camelCase"):
        to_name(key)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("maxResult", "maxResults"),
        ("max_results", "maxResults"),
        ("MAXRESULTS", "maxResults"),
        ("minscore", "minScore"),
        ("banana", None),
    ],
)
def test_a_mistyped_word_is_recognised(word: str, meant: str | None) -> None:
    assert did_you_mean(word, ["maxResults", "minScore", "enabled"]) == meant
