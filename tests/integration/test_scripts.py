"""Writing and asking agree in every script."""

from __future__ import annotations

import pytest

import comis_core
from comis_core.model import NewMemory


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("今日は成語しりとりで遊んだ", "しりとり"),
        ("系统会保存用户身份信息", "用户身份"),
        ("내일 회의는 부산에서 열린다", "부산"),
        ("ประชุมวันพรุ่งนี้ที่เชียงใหม่", "เชียงใหม่"),
        ("Встреча будет в Новосибирске", "новосибирск"),
        ("الاجتماع القادم في القاهرة", "القاهرة"),
        ("अगली बैठक दिल्ली में होगी", "दिल्ली"),
        ("Η συνάντηση είναι στην Αθήνα", "ΑΘΗΝΑ"),
        ("פגישה הבאה בירושלים", "בירושלים"),
        ("Treffen in der Hauptstraße", "HAUPTSTRASSE"),
        ("caf\u00e9 on the corner", "cafe\u0301"),
        ("caf\u00e9 on the corner", "cafe"),
        ("ＦＵＬＬ width ｔｅｘｔ", "full text"),
        ("the ﬁle was ﬂat", "file flat"),
        ("İstanbul'da buluştuk", "istanbul"),
        ("DIYARBAKIR ılık", "diyarbakır"),
    ],
)
def test_what_was_written_is_found(agent: comis_core.Agent, content: str, query: str) -> None:
    stored = agent.store(content)
    agent.store("an unrelated line about nothing in particular")
    assert [item.memory.id for item in agent.recall(query)][:1] == [stored.id]


def test_composed_and_decomposed_texts_are_one_memory(agent: comis_core.Agent) -> None:
    first = agent.store("caf\u00e9")
    assert agent.store("cafe\u0301").id == first.id


@pytest.mark.parametrize("bad", ["lone \ud800 surrogate", "a \0 byte"])
def test_one_bad_row_of_a_hundred_is_refused_by_index(agent: comis_core.Agent, bad: str) -> None:
    rows = [NewMemory(content=f"row number {number}") for number in range(100)]
    rows[63] = NewMemory(content=bad)
    result = agent.store_many(rows)
    assert [row.index for row in result.rejected] == [63]
    assert (len(result.stored), agent.count()) == (99, 99)
