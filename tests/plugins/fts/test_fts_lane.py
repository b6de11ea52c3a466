"""The full-text lane: what it finds, in which order, with what claims, and what it never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comis_core.model import Filters, MemoryType, NewMemory, Scope, Trust
from comis_core.text import Analyser
from comis_plugins.fts.lane import EDGE, expression, query_tokens
from comis_plugins.fts.options import FtsOptions

SCOPE = Scope("acme", "helper")
FILLER = tuple(f"filler {word} about nothing" for word in ("one", "two", "three", "four", "five", "six"))


def test_the_memory_that_shares_the_rare_words_comes_first(library: Any) -> None:
    library.add("Ana moved to Lisbon in March.", "Ana likes tea.", "Ben moved a chair.", *FILLER)
    assert library.find("Where did Ana move?")[0] == "Ana moved to Lisbon in March."


def test_any_word_is_enough_and_words_need_not_stand_together(library: Any) -> None:
    library.add("the red fox sleeps under the old bridge", *FILLER)
    assert library.find("fox bridge zeppelin") == ["the red fox sleeps under the old bridge"]


def test_the_best_claim_is_one_and_claims_fall(library: Any) -> None:
    library.add("lisbon trip with ana", "a trip to the coast", "ana sings", *FILLER)
    ranking = library.rank("Ana's trip to Lisbon")
    assert ranking.scores[0] == 1.0
    assert len(ranking) == 3
    assert (np.diff(ranking.scores) <= 0).all()
    assert ((ranking.scores > 0) & (ranking.scores <= 1)).all()


def test_claims_are_bm25_over_the_best_bm25(library: Any) -> None:
    """Worked by hand: rows of 3, 4 and 3 tokens (one of them the scope's), "fox" in two of eight rows, "red" in one."""
    library.add("red fox", "fox runs home", "blue whale", *FILLER[:5])
    lengths = [3, 4, 3, 5, 5, 5, 5, 5]
    mean, k1, b = sum(lengths) / 8, 1.2, 0.75

    def bm25(length: int, *document_counts: int) -> float:
        saturation = (k1 + 1) / (1 + k1 * (1 - b + b * length / mean))
        return sum(float(np.log((8 - count + 0.5) / (count + 0.5))) * saturation for count in document_counts)

    ranking = library.rank("red fox")
    assert ranking.scores == pytest.approx([1.0, bm25(4, 2) / bm25(3, 2, 1)], abs=1e-6)


def test_equal_scores_put_the_newer_memory_first(library: Any) -> None:
    library.add("quince jam", "quince tea", *FILLER)
    assert library.find("quince") == ["quince tea", "quince jam"]


def test_no_more_than_the_limit_come_back(library: Any) -> None:
    library.add(*(f"quince number {n}" for n in range(30)), *FILLER)
    assert len(library.rank("quince", limit=7)) == 7


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        (NewMemory(content="x y z", title="Quarterly quince report"), "quince"),
        (NewMemory(content="x y z", sender="Quincy"), "what did Quincy say"),
        (NewMemory(content="x y z", tags=("fruit", "quince-tree")), "quince tree"),
        (NewMemory(content="x y z", occurred_at=datetime(2023, 5, 8, tzinfo=UTC)), "what happened on 8 May 2023"),
        (NewMemory(content="x y z", occurred_at=datetime(2023, 5, 8, tzinfo=UTC)), "2023-05-08"),
        (NewMemory(content="x y z", created_at=datetime(2021, 7, 3, tzinfo=UTC)), "July 2021"),
        (NewMemory(content="今日は成語しりとり"), "しりとり"),
        (NewMemory(content="更新用户身份验证"), "用户身份"),
        (NewMemory(content="see om_x1 in the 测试 run"), "om_x1 测试"),
        (NewMemory(content="run the pre-edit hook"), "pre-edit"),
        (NewMemory(content="call foo.bar() first"), "foo.bar()"),
        (NewMemory(content="the cafe\u0301 is closed"), "caf\u00e9"),
        (NewMemory(content="ＦＵＬＬ　ｗｉｄｔｈ"), "full width"),
        (NewMemory(content="Große Straße"), "grosse strasse"),
        (NewMemory(content="party 🎉 tonight"), "🎉"),
        (NewMemory(content="what is this"), "what is this?"),
        (NewMemory(content="NOT a OR b AND c NEAR d"), "NOT"),
    ],
)
def test_what_is_stored_is_found_again(library: Any, memory: NewMemory, query: str) -> None:
    stored, *_ = library.add(memory, *FILLER)
    assert library.find(query)[0] == library.store.get(SCOPE, stored).content


def test_the_stores_own_stamp_is_no_date_of_the_text(library: Any) -> None:
    library.add("x y z", *FILLER)
    assert library.find("May 2024") == []


def test_a_date_is_the_day_in_utc_whatever_zone_it_came_in(library: Any) -> None:
    west = timezone(timedelta(hours=-5))
    library.add(NewMemory(content="x y z", occurred_at=datetime(2023, 5, 8, 23, tzinfo=west)), *FILLER)
    assert library.find("9 May") == ["x y z"]
    assert library.find("8") == []


@pytest.mark.parametrize("role", ["user", "assistant", "System", "tool"])
def test_a_role_is_no_speakers_name(library: Any, role: str) -> None:
    library.add(NewMemory(content="x y z", sender=role), *FILLER)
    assert library.find(role) == []


HOSTILE = [
    "pre-edit", "a:b", '"', "x AND", "(y", "NEAR(", "NEAR(a b)", "*", "^x", "what's next?", "{title}: x", "-x", "a + b",
    "scope:s1", "title : x", "rowid", "x*", "'; DROP TABLE memories; --", "\\", "%", "?", ":1", "@x", "$x", "\x00",
    "a\x00b", "\ud800", "", " ", "\n\t", "the of and", "?!...", "🎉", "🏳️‍🌈👩‍👩‍👧", "\u202e\u200d\ufeff", "ﷺ",
    "OR OR OR", '""" """',
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_the_query(library: Any, text: str) -> None:
    library.add("pre edit x y what next the of and title", *FILLER)
    ranking = library.rank(text)
    assert np.isfinite(ranking.scores).all()
    assert len(np.unique(ranking.ids)) == len(ranking)


def test_a_query_of_100_kb_asks_for_a_bounded_number_of_words(library: Any) -> None:
    library.add("the zebra at the start", "the walrus at the end", *FILLER)
    text = "zebra " + " ".join(f"w{n}" for n in range(20_000)) + " walrus"
    assert len(text) > 100_000
    assert len(query_tokens(Analyser(), text)) == 2 * EDGE
    assert set(library.find(text)) == {"the zebra at the start", "the walrus at the end"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_is_a_query(library: Any, text: str) -> None:
    ranking = library.rank(text)
    assert ((ranking.scores > 0) & (ranking.scores <= 1)).all()


@settings(max_examples=100)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1), min_size=1, max_size=5))
def test_every_token_of_an_expression_is_a_quoted_string(tokens: list[str]) -> None:
    inside = expression(tokens, 7).partition(" : (")[2].removesuffix(")")
    assert [part.replace('""', '"') for part in _strings(inside)] == tokens


def _strings(text: str) -> list[str]:
    """Split `"a" OR "b"` as FTS5 reads it: a quote inside a string is doubled."""
    found, rest = [], text
    while rest:
        assert rest.startswith('"')
        end = 1
        while rest[end] != '"' or rest[end : end + 2] == '""':
            end += 2 if rest[end : end + 2] == '""' else 1
        found.append(rest[1:end])
        rest = rest[end + 1 :].removeprefix(" OR ")
    return found


def test_nothing_crosses_a_scope(library: Any) -> None:
    others = [Scope("acme", "other"), Scope("rival", "helper")]
    for scope in others:
        library.add("the secret quince", "s1 s2 s3", scope=scope)
    library.add("a public quince", *FILLER)
    assert library.find("quince secret s2") == ["a public quince"]
    assert library.find("secret", scope=Scope("nobody", "here")) == []


def test_a_scope_of_text_that_looks_like_a_scope_token_stays_closed(library: Any) -> None:
    library.add("private one", scope=Scope("acme", "other"))
    library.add("s1 s2 scope s3", *FILLER)
    assert library.find("s1 s2 s3") == ["s1 s2 scope s3"]


@pytest.mark.parametrize(
    ("hidden", "filters"),
    [
        (NewMemory(content="", trust=Trust.EXTERNAL), Filters(trust=frozenset({Trust.LEARNED, Trust.SYSTEM}))),
        (NewMemory(content="", type=MemoryType.WORKING), Filters(types=frozenset({MemoryType.SEMANTIC}))),
        (
            NewMemory(content="", occurred_at=datetime(2020, 1, 1, tzinfo=UTC)),
            Filters(since=datetime(2021, 1, 1, tzinfo=UTC)),
        ),
    ],
)
def test_what_a_filter_hides_takes_no_place_among_the_best(library: Any, hidden: NewMemory, filters: Filters) -> None:
    library.add(*(attrs.evolve(hidden, content=f"quince quince {n}") for n in range(300)))
    library.add("one long sentence in which the word quince stands once among a good many other words")
    assert len(library.find("quince", filters=filters, limit=5)) == 1
    assert len(library.find("quince", limit=5)) == 5


def test_expired_evicted_and_deleted_memories_are_not_found(library: Any) -> None:
    expires = library.clock.moment + timedelta(days=1)
    library.add(NewMemory(content="quince expires", expires_at=expires), *FILLER)
    evicted, deleted = library.add("quince evicted", "quince deleted")
    library.store.evict(SCOPE, [evicted])
    library.store.delete(SCOPE, [deleted])
    library.clock.moment = expires
    assert library.find("quince") == []
    library.store.restore(SCOPE, [evicted])
    assert library.find("quince") == ["quince evicted"]


def test_an_update_is_found_by_its_new_words_and_the_past_by_the_old(library: Any) -> None:
    (job,) = library.add("works at Acme")
    library.add(*FILLER)
    before = library.clock.moment
    library.clock.moment += timedelta(days=1)
    library.store.update(SCOPE, job, content="works at Globex")
    assert library.find("globex") == ["works at Globex"]
    assert library.find("acme") == []
    past = Filters(record_as_of=before + timedelta(hours=1))
    assert library.find("acme", filters=past) == ["works at Acme"]
    assert library.find("globex", filters=past) == []


@pytest.mark.parametrize(
    ("field", "favoured"),
    [
        ("title_weight", "in the title"),
        ("speaker_weight", "in the sender"),
        ("tags_weight", "in the tags"),
        ("content_weight", "quince in content"),
    ],
)
def test_the_weight_of_a_field_lifts_what_was_found_there(library: Any, field: str, favoured: str) -> None:
    library.add(
        NewMemory(content="in the title", title="quince"),
        NewMemory(content="in the sender", sender="Quince"),
        NewMemory(content="in the tags", tags=("quince",)),
        "quince in content",
        *FILLER,
    )
    silent: dict[str, Any] = {f"{name}_weight": 0.1 for name in ("title", "speaker", "date", "content", "tags")}
    assert library.find("quince", options=FtsOptions(**{**silent, field: 5.0}))[0] == favoured


def test_fields_without_weight_find_nothing(library: Any) -> None:
    library.add(NewMemory(content="x y z", title="quince"), *FILLER)
    assert library.find("quince", options=FtsOptions(title_weight=0.0)) == []


@pytest.mark.parametrize("field", ["title_weight", "speaker_weight", "date_weight", "content_weight", "tags_weight"])
def test_a_negative_field_weight_is_refused(field: str) -> None:
    options: dict[str, Any] = {field: -1.0}
    with pytest.raises(ValueError, match=field):
        FtsOptions(**options)


def test_an_empty_store_answers_with_nothing(library: Any) -> None:
    assert len(library.rank("anything")) == 0


# -- common words


@pytest.fixture
def few_are_common(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than ten rows make a word worth leaving out."""
    monkeypatch.setattr("comis_plugins.fts.lane.COMMON_ROWS", 10)


GARAGES = tuple(f"a garage was rented, number {number}" for number in range(40))


@pytest.mark.usefixtures("few_are_common")
def test_a_word_of_everywhere_is_not_asked_where_rarer_ones_find_enough(library: Any) -> None:
    library.add(*GARAGES, "a boat in Lisbon", "a flat in Lisbon", "a house in Lisbon")
    assert len(library.find("rented Lisbon", limit=3)) == 3
    assert all("Lisbon" in content for content in library.find("rented Lisbon", limit=3))


@pytest.mark.usefixtures("few_are_common")
def test_every_word_is_asked_where_the_rarer_ones_find_too_little(library: Any) -> None:
    library.add(*GARAGES, "a boat in Lisbon")
    found = library.find("rented Lisbon", limit=5)
    assert found[0] == "a boat in Lisbon"
    assert len(found) == 5


@pytest.mark.usefixtures("few_are_common")
def test_with_a_share_of_one_every_word_is_asked(library: Any) -> None:
    library.add(*GARAGES, "a boat in Lisbon", "Lisbon was rented", "a house in Lisbon")
    assert library.find("rented Lisbon", limit=1, options=FtsOptions(common_share=1.0)) == ["Lisbon was rented"]


@pytest.mark.usefixtures("few_are_common")
def test_what_is_common_elsewhere_is_asked_here(library: Any) -> None:
    library.add(*GARAGES, "Ana rented in Lisbon")
    before = library.find("rented Lisbon", limit=3)
    library.add(*(f"Lisbon tram {number}" for number in range(300)), scope=Scope("other", "helper"))
    assert before[0] == "Ana rented in Lisbon"
    assert library.find("rented Lisbon", limit=3)[0] == "Ana rented in Lisbon"


@pytest.mark.usefixtures("few_are_common")
def test_a_word_that_was_common_is_asked_once_its_rows_are_gone(library: Any) -> None:
    garages = library.add(*GARAGES)
    library.add("Lisbon trams", "Ana rented in Lisbon", *FILLER)
    lane = library.lane()
    assert library.find("rented Lisbon", limit=1, lane=lane) == ["Lisbon trams"]
    library.store.delete(SCOPE, garages)
    assert library.find("rented Lisbon", limit=1, lane=lane) == ["Ana rented in Lisbon"]


@pytest.mark.usefixtures("few_are_common")
def test_a_word_that_becomes_common_is_left_out_from_then_on(library: Any) -> None:
    library.add("Lisbon trams", "Ana rented in Lisbon", *FILLER)
    lane = library.lane()
    assert library.find("rented Lisbon", limit=1, lane=lane) == ["Ana rented in Lisbon"]
    library.add(*GARAGES)
    assert library.find("rented Lisbon", limit=1, lane=lane) == ["Lisbon trams"]


def test_where_the_first_ranked_are_hidden_the_next_come_up(library: Any) -> None:
    library.add(*(NewMemory(content="fox", trust=Trust.EXTERNAL) for _ in range(30)), "one fox in a long story")
    found = library.find("fox", limit=5, filters=Filters(trust=frozenset({Trust.LEARNED})))
    assert found == ["one fox in a long story"]
