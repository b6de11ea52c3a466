"""The tokens in SQLite FTS5: every query a user types is valid and finds what it should."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from comis_core.text import Analyser

# Tokens come analysed: this tokenizer only splits at spaces and leaves every other sign in its token.
TOKENIZER = "ascii tokenchars '_-./:@&+=\\?#%~>'"

STORED = [
    "please pre-edit the draft",
    "the ratio a:b is fixed",
    "she said x AND y",
    "NEAR( the station",
    "what comes next is the om_x1 测试",
    "今日は成語しりとり",
    "系统记录了用户身份",
    "run foo.bar() in gen-itgc",
    "nice work 👩‍💻 👍",
    "Ana met at the café with Bob",
    "to be or not to be",
    "price of C++ book is 1,000 at https://acme.org/a?b=1#c",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    path: Path = tmp_path_factory.mktemp("fts") / "words.db"
    connection = apsw.Connection(str(path))
    # Tokens come analysed: the tokenizer only splits at spaces and leaves every other sign in its token.
    connection.execute(f'CREATE VIRTUAL TABLE words USING fts5(content, tokenize="{TOKENIZER}")')
    analyser = Analyser()
    for row, text in enumerate(STORED):
        connection.execute("INSERT INTO words(rowid, content) VALUES (?, ?)", (row, " ".join(analyser.all_stems(text))))
    yield connection
    connection.close()


def search(database: apsw.Connection, analyser: Analyser, query: str) -> list[str]:
    stems = dict.fromkeys(analyser.stems(query))
    if not stems:
        return []
    match = " OR ".join(f'"{stem}"' for stem in stems)
    rows = database.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid", (match,))
    return [STORED[row] for (row,) in rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("pre-edit", STORED[0]),
        ("preedit", STORED[0]),
        ("a:b", STORED[1]),
        ("x AND", STORED[2]),
        ("(y", STORED[2]),
        ("^x", STORED[2]),
        ("NEAR(", STORED[3]),
        ('"station', STORED[3]),
        ("what's next?", STORED[4]),
        ("om_x1 测试", STORED[4]),
        ("测试", STORED[4]),
        ("しりとり", STORED[5]),
        ("用户身份", STORED[6]),
        ("foo.bar()", STORED[7]),
        ("gen-itgc", STORED[7]),
        ("ITGC", STORED[7]),
        ("👍🏽", STORED[8]),
        ("💻", STORED[8]),
        ("Did Ana and Bob meet?", STORED[9]),
        ("CAFE\u0301", STORED[9]),
        ("be", STORED[10]),
        ("1000", STORED[11]),
        ("c++", STORED[11]),
        ("acme.org", STORED[11]),
    ],
)
def test_a_query_finds_its_row_first(database: apsw.Connection, analyser: Analyser, query: str, found: str) -> None:
    assert search(database, analyser, query)[0] == found


@pytest.mark.parametrize("query", ["", "*", '"', '""', "()", "- -", "^", "?!", "\ud800", "\x00", "{}[]", "' OR 1=1 --"])
def test_a_query_of_signs_is_no_error(database: apsw.Connection, analyser: Analyser, query: str) -> None:
    assert all(row in STORED for row in search(database, analyser, query))


def test_words_that_are_not_neighbours_are_both_found(database: apsw.Connection, analyser: Analyser) -> None:
    assert search(database, analyser, "draft please")[0] == STORED[0]


def test_every_token_comes_out_of_the_index_as_it_went_in(tmp_path: Path, analyser: Analyser) -> None:
    tokens = {stem for text in STORED for stem in analyser.all_stems(text)}
    tokens |= set(analyser.all_stems("C:\\x\\y k=v R&D 50%off ~a~b k#t std::x p->q İ ß 🇵🇹 ❤️ ที่ ज़ الكتاب"))
    connection = apsw.Connection(str(tmp_path / "vocabulary.db"))
    connection.execute(f'CREATE VIRTUAL TABLE words USING fts5(content, tokenize="{TOKENIZER}")')
    connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)")
    connection.execute("INSERT INTO words(content) VALUES (?)", (" ".join(tokens),))
    assert {term for (term,) in connection.execute("SELECT term FROM vocabulary")} == tokens
    connection.close()
