"""How well the stems find, measured on public sets where they are at hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from comis_core.text import Analyser

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
TOKENIZER = "ascii tokenchars '_-./:@&+=\\?#%~>'"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the public evaluation sets are not at {DATA}")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def index(columns: dict[str, Iterable[str]]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    names = list(columns)
    connection.execute(f'CREATE VIRTUAL TABLE words USING fts5({", ".join(names)}, tokenize="{TOKENIZER}")')
    statement = f"INSERT INTO words(rowid, {', '.join(names)}) VALUES ({', '.join('?' * (len(names) + 1))})"
    with connection:
        for row, values in enumerate(zip(*columns.values(), strict=True)):
            connection.execute(statement, (row, *values))
    return connection


def nearest(connection: apsw.Connection, analyser: Analyser, question: str, weights: str, limit: int) -> list[int]:
    match = " OR ".join(f'"{stem}"' for stem in dict.fromkeys(analyser.stems(question)))
    statement = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, {weights}), rowid LIMIT ?"
    return [row for (row,) in connection.execute(statement, (match, limit))]


@pytest.mark.parametrize(("language", "bar"), [("en", 0.92), ("zh", 0.92), ("ar", 0.86), ("ru", 0.88), ("hi", 0.88)])
def test_the_passage_that_answers_comes_first(analyser: Analyser, language: str, bar: float) -> None:
    passages = rows(DATA / "xquad" / language / "memories.jsonl")
    questions = rows(DATA / "xquad" / language / "queries.jsonl")[::3]
    connection = index({"content": (" ".join(analyser.all_stems(passage["content"])) for passage in passages)})
    hits = 0
    for question in questions:
        found = nearest(connection, analyser, question["text"], "1", 1)
        hits += bool(found) and passages[found[0]]["id"] in question["relevant"]
    assert hits / len(questions) >= bar


def test_turns_that_answer_are_among_the_first_ten(analyser: Analyser) -> None:
    recalls: list[float] = []
    for case in sorted((DATA / "locomo").iterdir()):
        turns = rows(case / "memories.jsonl")
        dates = [datetime.fromisoformat(turn["created_at"].replace("Z", "+00:00")) for turn in turns]
        connection = index({
            "speaker": (" ".join(analyser.all_stems(turn["sender"])) for turn in turns),
            "date": (" ".join(analyser.all_stems(f"{date:%d %B %Y}".lstrip("0"))) for date in dates),
            "content": (" ".join(analyser.all_stems(turn["content"])) for turn in turns),
        })
        for question in rows(case / "queries.jsonl"):
            if question["category"] != "adversarial":
                found = {turns[row]["id"] for row in nearest(connection, analyser, question["text"], "4, 4, 2", 10)}
                relevant = question["relevant"]
                recalls.append(len(found.intersection(relevant)) / len(relevant))
    assert sum(recalls) / len(recalls) >= 0.62
