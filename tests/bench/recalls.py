"""How long a recall takes, beside what people build first, beside bare numpy, and as the file grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from synthetic import RandomEmbedder, mixed_questions, questions
from table import Row, milliseconds, times
from timing import Times, measure
from worlds import EVERYTHING, TWO_LANES, WITH_MMR, Worlds, compared, opened, precisions

from comis_core.store.codes import encode, kernel

if TYPE_CHECKING:
    from naive import Naive

    from comis_core import Engine

QUESTIONS = 200
ONE = {"home": 100_000}


def large(worlds: Worlds) -> Iterator[Row]:
    """100,000 memories of one scope, lexical + vector: beside the naive file and one pass over the vectors.

    Once compared as float32, and once as int8 where the extra `fast` is installed.
    """
    sizes = {agent: worlds.sized(count) for agent, count in ONE.items()}
    path = worlds.scopes("large", sizes, TWO_LANES)
    naive = worlds.naive("large", sizes)
    for precision in precisions(sizes["home"]):
        with compared(precision), opened(path, overrides=TWO_LANES) as engine:
            yield from _beside_naive(worlds, engine, naive, sizes["home"], precision)
            yield _beside_a_bare_pass(worlds, engine, sizes["home"], precision)
    naive.close()


def _beside_naive(worlds: Worlds, engine: Engine, naive: Naive, count: int, precision: str) -> Iterator[Row]:
    target = {"float32": 4, "int8": 8}[precision]
    for words, asked in (
        ("six words, three frequent", mixed_questions(worlds.language, QUESTIONS // 4, 7)),
        ("five words by Zipf", questions(worlds.language, QUESTIONS // 4, 8)),
    ):
        vectors = RandomEmbedder().embed(asked, "query")
        warm(engine, "home", asked)
        ours, theirs = measure(
            recalls(engine, "home", asked),
            [
                lambda text=text, vector=vector: naive.search("home", text, vector)
                for text, vector in zip(asked, vectors, strict=True)
            ],
        )
        yield Row(
            what=f"recall of {count:,}, lexical + vector ({precision}), {words}",
            median=milliseconds(ours.p50),
            beside=f"naive FTS5 + vec0, filters joined: {milliseconds(theirs.p50)}",
            ratio=times(theirs.p50 / ours.p50),
            target=f">= {target}x faster",
            met=theirs.p50 >= target * ours.p50,
        )


def _beside_a_bare_pass(worlds: Worlds, engine: Engine, count: int, precision: str) -> Row:
    asked = mixed_questions(worlds.language, QUESTIONS // 4, 7)
    embedder = RandomEmbedder()
    vectors = embedder.embed(asked, "query")
    matrix = embedder.embed([row.content for row in worlds.rows(count, 0)], "document")
    if precision == "float32":
        passes, bare_name = [lambda vector=vector: matrix @ vector for vector in vectors], "numpy matrix @ vector"
    else:
        coded, dots = encode(matrix)[0], kernel().dots
        passes = [lambda code=code: dots(code, coded) for code in encode(vectors)[0]]
        bare_name = "numkong cdist"
    warm(engine, "home", asked)
    ours, bare = measure(recalls(engine, "home", asked), passes)
    return Row(
        what=f"the same, beside one pass over {count:,} {precision} vectors",
        median=milliseconds(ours.p50),
        beside=f"{bare_name}: {milliseconds(bare.p50)}",
        ratio=times(ours.p50 / bare.p50),
        target="<= 2x",
        met=ours.p50 <= 2 * bare.p50,
    )


def scopes(worlds: Worlds) -> Iterator[Row]:
    """Ten scopes of 10,000: two lanes with every stage behind them, then the preset with all its lanes and expanders."""
    sizes = {f"agent{number}": worlds.sized(10_000) for number in range(10)}
    path = worlds.scopes("ten", sizes, TWO_LANES)
    asked = mixed_questions(worlds.language, QUESTIONS, 9)
    for words, overrides in (("lexical + vector, every stage", TWO_LANES), ("preset tuned as it is", None)):
        with opened(path, overrides=overrides) as engine:
            for agent in sizes:
                warm(engine, agent, asked)
            ours = _together(measure(recalls(engine, agent, asked))[0] for agent in sizes)
        yield Row(
            what=f"recall in ten scopes of {worlds.sized(10_000):,}, {words}",
            median=milliseconds(ours.p50),
            beside=f"wall {milliseconds(ours.wall_p50)}",
            target="<= 2.5 ms",
            met=ours.p50 <= 2.5,
        )
        yield Row(
            what=f"99th percentile of {len(ours.cpu):,} such recalls",
            median=milliseconds(ours.p99),
            beside=f"median {milliseconds(ours.p50)}",
            ratio=times(ours.p99 / ours.p50),
            target="<= 3x",
            met=ours.p99 <= 3 * ours.p50,
        )


def neighbours(worlds: Worlds) -> Iterator[Row]:
    """A scope of 1,000 alone and in a file with many others."""
    others = worlds.sized(worlds.others) // 100
    alone = worlds.scopes("alone", {"home": 1000}, TWO_LANES)
    crowd = {"home": 1000, **{f"agent{number}": others for number in range(100)}}
    crowded = worlds.scopes("crowded", crowd, TWO_LANES)
    asked = mixed_questions(worlds.language, QUESTIONS, 10)
    with opened(alone, overrides=TWO_LANES) as first, opened(crowded, overrides=TWO_LANES) as second:
        for engine in (first, second):
            warm(engine, "home", asked)
        small, large = measure(recalls(first, "home", asked), recalls(second, "home", asked))
    yield Row(
        what=f"recall of 1,000 beside {100 * others:,} of other scopes, lexical + vector",
        median=milliseconds(large.p50),
        beside=f"alone: {milliseconds(small.p50)}",
        ratio=times(large.p50 / small.p50),
        target="<= 1.5x",
        met=large.p50 <= 1.5 * small.p50,
    )


def stages(worlds: Worlds) -> Iterator[Row]:
    """Every lane and expander on, then the diversifier too, beside two lanes, beside the naive file."""
    sizes = {"home": worlds.sized(10_000)}
    path = worlds.scopes("every", sizes, EVERYTHING)
    naive = worlds.naive("every", sizes)
    asked = mixed_questions(worlds.language, QUESTIONS, 11)
    vectors = RandomEmbedder().embed(asked, "query")
    searches = [
        lambda text=text, vector=vector: naive.search("home", text, vector)
        for text, vector in zip(asked, vectors, strict=True)
    ]
    for words, overrides in (("every lane and expander on", EVERYTHING), ("the same with mmr", WITH_MMR)):
        with opened(path, overrides=overrides) as every, opened(path, overrides=TWO_LANES) as two:
            for engine in (every, two):
                warm(engine, "home", asked)
            found = measure(recalls(every, "home", asked), recalls(two, "home", asked), searches)
        yield from _everything(f"recall of {sizes['home']:,}, {words}", *found)
    naive.close()


def _everything(what: str, everything: Times, two: Times, naive: Times) -> Iterator[Row]:
    yield Row(
        what=what,
        median=milliseconds(everything.p50),
        beside=f"lexical + vector alone: {milliseconds(two.p50)}",
        ratio=times(everything.p50 / two.p50),
        target="<= 4 ms more",
        met=everything.p50 <= two.p50 + 4,
    )
    yield Row(
        what="the same",
        median=milliseconds(everything.p50),
        beside=f"naive FTS5 + vec0: {milliseconds(naive.p50)}",
        ratio=times(everything.p50 / naive.p50),
        target="<= 0.5x",
        met=everything.p50 <= 0.5 * naive.p50,
    )


def recalls(engine: Engine, agent: str, asked: Sequence[str], **options: Any) -> list[Any]:
    """One call a question."""
    handle = engine.agent(agent)
    return [lambda text=text: handle.recall(text, **options) for text in asked]


def warm(engine: Engine, agent: str, asked: Sequence[str]) -> None:
    """Ask everything once, so that slabs are loaded and the questions' vectors known; nothing may go wrong after that.

    The first recall may: on a busy machine, loading everything can take longer than a recall's deadline.
    """
    calls = recalls(engine, agent, asked)
    for call in (calls[0], *calls):
        answer: Any = call()
    if answer.degraded:
        raise SystemExit(f"degraded: {answer.degraded}")


def _together(parts: Iterator[Times]) -> Times:
    measured = list(parts)
    return Times(np.concatenate([part.cpu for part in measured]), np.concatenate([part.wall for part in measured]))


RECALLS: Mapping[str, Any] = {"large": large, "scopes": scopes, "neighbours": neighbours, "stages": stages}
