"""The lexical lane: what it finds, in which order, with what claims, and what it never does."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comis_core.model import Filters, MemoryType, NewMemory, Ranking, Scope, Trust
from comis_core.text import Analyser
from comis_plugins.lexical import segment
from comis_plugins.lexical.lane import EDGE, query_tokens
from comis_plugins.lexical.scoring import best

SCOPE = Scope("acme", "helper")
FILLER = tuple(f"filler {number} about gardens" for number in range(8))
TEXTS = (
    "Ana moved to Lisbon in spring",
    "Ana likes the river, the river and once more the river",
    "Ben asked when the bakery in Lisbon opens on Monday morning",
    "bakery",
    "The bakery closed last week, so she teaches swimming now, swimming and diving",
    "a cat",
    "Lisbonne, Lissabon, Lisboa: Lisbon has many names and many rivers",
)
QUESTIONS = ("Where did Ana move?", "river", "bakery in Lisbon", "swims Monday Monday", "Lisbon Lisbon rivers")

WEAK = ("Which yacht did Ana sell to the dentist from Tokyo?", "cat food allergies among zebra finches")
"""Questions of which no text has half."""


@pytest.mark.parametrize("weights", [(0.4, 0.25), (0.0, 0.0), (1.0, 0.0), (0.0, 2.0)])
@pytest.mark.parametrize("small", [1024, 1], ids=["lists", "bitmaps"])
def test_claims_follow_the_formula(
    library: Any, plain: Any, monkeypatch: Any, weights: tuple[float, float], small: int
) -> None:
    monkeypatch.setattr(segment, "SMALL", small)
    library.add(*TEXTS)
    prefix, trigram = weights
    for question in (*QUESTIONS, *WEAK):
        claims = library.rank(question, prefix_weight=prefix, trigram_weight=trigram).claims
        np.testing.assert_allclose(claims.values, plain(TEXTS, question, prefix, trigram), rtol=1e-5, atol=1e-7)


def test_a_question_of_which_every_memory_lacks_most_is_claimed_for_with_less(library: Any, plain: Any) -> None:
    library.add(*TEXTS)
    for question in WEAK:
        claims = library.rank(question).claims
        assert 0.0 < claims.values.max() < 0.9
        np.testing.assert_allclose(claims.values, plain(TEXTS, question), rtol=1e-5)


def test_coverage_shrinks_every_claim_alike(library: Any) -> None:
    library.add(*TEXTS)
    shrunk, whole = library.rank(WEAK[0]), library.rank(WEAK[0], full_coverage=0.0)
    assert whole.scores[0] == 1.0
    assert shrunk.ids.tolist() == whole.ids.tolist()
    np.testing.assert_allclose(shrunk.scores, whole.scores * shrunk.scores[0])


def test_one_word_of_a_long_question_is_claimed_for_with_a_tenth(library: Any) -> None:
    library.add(*TEXTS)
    assert library.rank(f"bakery {' '.join(f'word{number}' for number in range(60))}").scores[0] == pytest.approx(0.1)


def test_a_hidden_memory_covers_nothing(library: Any) -> None:
    question = "river steamers near Mannheim and Koblenz"
    library.add(*TEXTS)
    library.add(NewMemory(content="steamers near Mannheim and Koblenz", type=MemoryType.PROCEDURAL))
    assert library.rank(question).claims.values.max() == 1.0
    assert library.rank(question, filters=Filters(types=(MemoryType.SEMANTIC,))).claims.values.max() < 0.5


def test_words_that_nobody_said_bring_nothing(library: Any) -> None:
    library.add(*TEXTS)
    ranking = library.rank("dog")
    assert len(ranking) == 0
    assert ranking.claims is None


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.7, 1.0]) | st.floats(0, 1), max_size=300),
    limit=st.integers(0, 12),
)
def test_the_best_are_among_those_that_are_sorted(values: list[float], limit: int) -> None:
    array = np.array(values, np.float64)
    ids = np.arange(len(values), dtype=np.int64)
    head = best(array, limit)
    found, expected = Ranking.best(ids[head], array[head], limit), Ranking.best(ids, array, limit)
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.scores.tolist() == expected.scores.tolist()


def test_few_of_many_values_are_sorted() -> None:
    values = np.random.default_rng(1).random(100_000)
    assert len(best(values, 100)) < 1000


def test_the_best_claims_in_full_and_every_memory_has_a_claim(library: Any) -> None:
    library.add(*TEXTS, *FILLER)
    ranking = library.rank("Lisbon bakery", limit=3)
    assert ranking.scores[0] == 1.0
    assert len(ranking) == 3
    assert ranking.claims is not None
    assert len(ranking.claims.ids) == len(TEXTS) + len(FILLER)
    assert ranking.claims.at(ranking.ids).tolist() == ranking.scores.tolist()
    assert ranking.claims.values.min() == 0.0


def test_equal_memories_stand_newest_first(library: Any) -> None:
    library.add(*(NewMemory(content="quince", session=f"s{number}") for number in range(60)), *FILLER)
    ranking = library.rank("quince", limit=7)
    assert ranking.ids.tolist() == list(range(60, 53, -1))
    assert set(ranking.scores.tolist()) == {1.0}


def test_a_word_that_the_question_repeats_counts_as_often(library: Any) -> None:
    library.add("quince pie", "plum pie", *FILLER)
    assert library.find("quince plum plum")[0] == "plum pie"
    assert library.find("quince quince plum")[0] == "quince pie"


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
        (NewMemory(content="party 🎉 tonight"), "🎉"),
        (NewMemory(content="what is this"), "what is this?"),
        (NewMemory(content="NOT a OR b AND c NEAR d"), "NOT"),
    ],
)
def test_what_is_stored_is_found_again(library: Any, memory: NewMemory, query: str) -> None:
    stored, *_ = library.add(memory, *FILLER)
    assert library.find(query)[0] == library.store.get(SCOPE, stored).content


@pytest.mark.parametrize("query", ["photografer", "photogenic", "fotographer"])
def test_words_are_found_by_their_beginning_and_by_their_letters(library: Any, query: str) -> None:
    library.add("she is a photographer", *FILLER)
    assert library.find(query)[0] == "she is a photographer"
    assert library.find(query, prefix_weight=0.0, trigram_weight=0.0) == []


def test_a_question_of_stop_words_finds_them_inside_longer_texts(library: Any) -> None:
    library.add("Who are you, said the caterpillar", "the caterpillar", *FILLER)
    assert library.find("who are you")[0] == "Who are you, said the caterpillar"


def test_stop_words_beside_others_find_nothing(library: Any) -> None:
    library.add("who are you", "a quince", *FILLER)
    assert library.find("who are you, quince?") == ["a quince"]


def test_stop_words_make_no_text_longer(library: Any) -> None:
    library.add("quince", "it is the quince that we have been with", *FILLER)
    assert library.rank("quince").scores.tolist() == [1.0, 1.0]


def test_the_stores_own_stamp_is_no_date_of_the_text(library: Any) -> None:
    library.add("x y z", *FILLER)
    assert library.find("May 2024") == []


def test_a_date_is_the_day_in_utc_whatever_zone_it_came_in(library: Any) -> None:
    west = timezone(timedelta(hours=-5))
    library.add(NewMemory(content="x y z", occurred_at=datetime(2023, 5, 8, 23, tzinfo=west)), *FILLER[:7])
    assert library.find("9 May")[0] == "x y z"
    assert library.find("8") == []


@pytest.mark.parametrize("role", ["user", "assistant", "System", "tool"])
def test_a_role_is_no_speakers_name(library: Any, role: str) -> None:
    library.add(NewMemory(content="x y z", sender=role), *FILLER)
    assert "x y z" not in library.find(role)


HOSTILE = [
    "pre-edit", "a:b", '"', "x AND", "(y", "*", "what's next?", "{title}: x", "'; DROP TABLE memories; --", "\\", "%",
    "\x00", "a\x00b", "\ud800", "", " ", "\n\t", "the of and", "?!...", "🎉", "🏳️‍🌈👩‍👩‍👧", "\u202e\u200d\ufeff", "ﷺ",
    "a\u0301" * 500, "x" * 100_000, "\ud800" * 9_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_no_text_breaks_the_query(library: Any, text: str) -> None:
    library.add("pre edit x y what next the of and title", *FILLER)
    ranking = library.rank(text)
    assert np.isfinite(ranking.scores).all()
    assert len(np.unique(ranking.ids)) == len(ranking)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_is_a_query(library: Any, text: str) -> None:
    ranking = library.rank(text)
    assert ((ranking.scores > 0) & (ranking.scores <= 1)).all()


def test_of_a_long_query_both_ends_are_asked_for(library: Any) -> None:
    library.add("the zebra at the start", "the walrus at the end", *FILLER)
    text = "zebra " + " ".join(f"w{number}" for number in range(20_000)) + " walrus"
    tokens = query_tokens(Analyser(), text)
    assert len({token.word for token in tokens}) == 2 * EDGE
    assert set(library.find(text)) >= {"the zebra at the start", "the walrus at the end"}


def test_repetitions_of_the_words_that_stay_are_kept() -> None:
    words = [f"w{number}" for number in range(300)]
    tokens = query_tokens(Analyser(), " ".join([*words, "w0", "w299", "w150"]))
    assert [token.word for token in tokens].count("w0") == 2
    assert not [token for token in tokens if token.word == "w150"]


def test_what_a_neighbour_stores_changes_no_byte(library: Any) -> None:
    library.add(*TEXTS)
    before = library.rank("Lisbon bakery river")
    for scope in (Scope("acme", "other"), Scope("rival", "helper")):
        library.add(
            "Lisbon, the secret bakery", *(f"{text} {number}" for number in range(40) for text in TEXTS), scope=scope
        )
    after = library.rank("Lisbon bakery river")
    assert (before.ids.tobytes(), before.scores.tobytes()) == (after.ids.tobytes(), after.scores.tobytes())
    assert before.claims.values.tobytes() == after.claims.values.tobytes()
    library.slabs.close()
    assert library.rank("Lisbon bakery river").claims.values.tobytes() == before.claims.values.tobytes()


def test_a_neighbour_of_a_million_words_changes_no_byte(library: Any) -> None:
    library.add(*TEXTS)
    before = library.rank("Lisbon bakery river")
    chance, words = random.Random(7), [*" ".join(TEXTS).split(), *(f"word{number}" for number in range(5_000))]
    for _ in range(20):
        library.add(*(" ".join(chance.choices(words, k=50)) for _ in range(1_000)), scope=Scope("acme", "other"))
    after = library.rank("Lisbon bakery river")
    assert (before.ids.tobytes(), before.scores.tobytes()) == (after.ids.tobytes(), after.scores.tobytes())
    library.slabs.close()
    assert library.rank("Lisbon bakery river").claims.values.tobytes() == before.claims.values.tobytes()


def test_a_scope_that_nobody_stored_to_is_silent(library: Any) -> None:
    library.add("a secret quince")
    assert library.find("secret", scope=Scope("nobody", "here")) == []


@pytest.mark.parametrize(
    "filters",
    [
        Filters(trust=frozenset({Trust.LEARNED})),
        Filters(types=frozenset({MemoryType.SEMANTIC})),
        Filters(tags=frozenset({"good"})),
        Filters(since=datetime(2023, 1, 1, tzinfo=UTC)),
    ],
    ids=["trust", "types", "tags", "since"],
)
def test_what_a_filter_hides_has_no_claim_and_lends_no_maximum(library: Any, filters: Filters) -> None:
    hidden = NewMemory(
        content="quince quince quince", trust=Trust.EXTERNAL, type=MemoryType.WORKING,
        created_at=datetime(2020, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    seen = NewMemory(content="one quince of many", tags=("good",))
    library.add(hidden, seen, *FILLER)
    ranking = library.rank("quince", filters=filters)
    assert ranking.ids.tolist() == [2]
    assert ranking.scores.tolist() == [1.0]
    assert 1 not in ranking.claims.ids


def test_a_filter_does_not_change_what_words_weigh(library: Any) -> None:
    external = [NewMemory(content=f"plum {number}", trust=Trust.EXTERNAL) for number in range(30)]
    library.add("plum and pear", "quince and pear", *external)
    learned = Filters(trust=frozenset({Trust.LEARNED}))
    # Among all memories plums are common, so that the quince leads, whether or not the plums are in sight.
    assert library.find("quince plum", filters=learned)[0] == "quince and pear"


def test_expired_memories_are_not_found(library: Any) -> None:
    library.add(NewMemory(content="a quince", expires_at=library.clock.now() + timedelta(hours=1)), "an old quince")
    assert len(library.find("quince")) == 2
    library.clock.advance(timedelta(hours=2))
    assert library.find("quince") == ["an old quince"]


def test_an_earlier_state_is_searched_as_it_was(library: Any, plain: Any) -> None:
    library.add(*TEXTS)
    (changed,) = library.add("Ana lives in Porto")
    before = library.clock.now()
    library.clock.advance(timedelta(hours=1))
    library.store.update(SCOPE, changed, content="Ana lives in Braga")
    library.add("Porto, Porto, Porto", *FILLER)
    ranking = library.rank("Porto", filters=Filters(record_as_of=before))
    np.testing.assert_allclose(ranking.claims.values, plain([*TEXTS, "Ana lives in Porto"], "Porto"), rtol=1e-5)
    assert library.find("Porto", filters=Filters(record_as_of=before))[0] == "Ana lives in Porto"


def test_a_memory_whose_row_comes_later_is_found_then(library: Any) -> None:
    library.add("quince one", "quince two")
    with library.store.transaction() as tx:
        saved = list(tx.execute("SELECT * FROM lexical_postings WHERE pk = 2"))
        tx.execute("DELETE FROM lexical_postings WHERE pk = 2")
    assert library.find("quince") == ["quince one"]
    with library.store.transaction() as tx:
        tx.executemany("INSERT INTO lexical_postings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", saved)
    assert sorted(library.find("quince")) == ["quince one", "quince two"]
