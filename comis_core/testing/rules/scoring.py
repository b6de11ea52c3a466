"""Rules of what judges and orders candidates: columns, scorers, rerankers, diversifiers, analyzers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from comis_core.model import Pool, Query
from comis_core.protocols import CORE_COLUMNS, DiversityRequest, RerankRequest, ScoreRequest
from comis_core.recall.checks import check_column, check_factors, check_permutation, check_query, check_reranked
from comis_core.specs import AnalyzerSpec, ColumnSpec, DiversifierSpec, RerankerSpec, ScorerSpec
from comis_core.testing import corpus
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids
    from comis_core.store.reader import StoreReader

    Columns = Mapping[str, NDArray[Any]]

YEAR = 365 * 86_400_000_000


# -- columns


def loads_one_value_for_each_memory(bench: Bench, spec: ColumnSpec) -> None:
    """An array as long as the ids, none included, and a memory's value does not depend on the others asked for."""
    with bench.part(spec) as column, bench.snapshot() as reader:
        ids = reader.visible_ids()
        whole = check_column(column.load(reader, ids), len(ids))
        some = check_column(column.load(reader, ids[::2]), len(ids[::2]))
        assert np.array_equal(whole[::2], some, equal_nan=whole.dtype.kind == "f")
        check_column(column.load(reader, ids[:0]), 0)


COLUMN = (Rule(loads_one_value_for_each_memory),)


# -- scorers


def gives_positive_finite_factors(bench: Bench, spec: ScorerSpec) -> None:
    """One factor a candidate for any pool: the whole scope, none, and dates in 1850, in the future and unknown."""
    with bench.part(spec) as scorer, bench.snapshot() as reader:
        for ids, columns in _pools(bench, spec, reader):
            check_factors(scorer.factors(_scoring(bench, ids, columns)), len(ids))


def is_neutral_without_its_columns(bench: Bench, spec: ScorerSpec) -> None:
    """Where a column of a plugin that it requires has no value, its factor is exactly 1."""
    required = [name for name in spec.requires if name not in CORE_COLUMNS]
    if not required:
        return
    with bench.part(spec) as scorer, bench.snapshot() as reader:
        ids = reader.visible_ids()
        columns = {**reader.columns(ids), **{name: np.full(len(ids), np.nan) for name in required}}
        factors = scorer.factors(_scoring(bench, ids, columns))
        assert (factors == 1.0).all(), factors


def scores_the_same_twice_and_leaves_the_pool_alone(bench: Bench, spec: ScorerSpec) -> None:
    """The same pool has the same factors."""
    with bench.part(spec) as scorer, bench.part(spec) as fresh, bench.snapshot() as reader:
        for ids, columns in _pools(bench, spec, reader):
            request = _scoring(bench, ids, columns)
            first = np.array(scorer.factors(request))
            for other in (scorer, fresh):
                assert np.array_equal(first, other.factors(request))


def _pools(bench: Bench, spec: ScorerSpec, reader: StoreReader) -> Iterator[tuple[Ids, Columns]]:
    ids = reader.visible_ids()
    columns = {**reader.columns(ids), **_plugin_columns(bench, spec, reader, ids)}
    yield ids, columns
    yield ids[:0], {name: values[:0] for name, values in columns.items()}
    for moment in (bench.now - 176 * YEAR, bench.now + 100 * YEAR, float("nan")):
        dated = {"occurred_at": np.full(len(ids), moment)}
        dated |= {} if moment != moment else {"created_at": np.full(len(ids), moment)}
        yield ids, {**columns, **dated}
    yield ids, {**columns, "proof_count": np.full(len(ids), 1e9), "importance": np.full(len(ids), np.nan)}


def _plugin_columns(bench: Bench, spec: ScorerSpec, reader: StoreReader, ids: Ids) -> Columns:
    own = {column.name: column for column in bench.specs() if isinstance(column, ColumnSpec)}
    columns = {}
    for name in (*spec.requires, *spec.uses):
        if name in own:
            with bench.part(own[name]) as column:
                columns[name] = column.load(reader, ids)
        elif name not in CORE_COLUMNS:
            columns[name] = np.full(len(ids), np.nan)
    return columns


def _scoring(bench: Bench, ids: Ids, columns: Columns) -> ScoreRequest:
    locked = {name: values.copy() for name, values in columns.items()}
    pool = Pool(ids.copy(), np.linspace(1.0, 0.0, len(ids)), locked, {})
    for values in (pool.ids, pool.fused, *locked.values()):
        values.flags.writeable = False
    return ScoreRequest(query=Query.of(corpus.QUESTIONS[0], asker="ana"), now=bench.now, pool=pool)


SCORER = (
    Rule(gives_positive_finite_factors),
    Rule(is_neutral_without_its_columns),
    Rule(scores_the_same_twice_and_leaves_the_pool_alone),
)


# -- rerankers


def judges_any_texts(bench: Bench, spec: RerankerSpec) -> None:
    """Scores in 0..1 for the first k candidates, whatever the question and the texts; the same ones twice."""
    with bench.part(spec) as reranker, bench.snapshot() as reader:
        assert reranker.max_candidates >= 1
        assert reranker.min_results >= 0
        assert reranker.timeout_ms >= 1
        ids = reader.visible_ids()[:4]
        texts = reader.texts(ids)
        for question in (*corpus.QUESTIONS[:2], *corpus.HOSTILE[:20]):
            request = _reranking(question, ids, texts)
            first = check_reranked(reranker.rerank(request), len(ids))
            again = check_reranked(reranker.rerank(request), len(ids))
            both = min(len(first), len(again))
            assert np.allclose(first[:both], again[:both], atol=1e-4)


def stops_at_the_deadline(bench: Bench, spec: RerankerSpec) -> None:
    """When the answer is no longer wanted, what is there so far comes back."""
    with bench.part(spec) as reranker, bench.snapshot() as reader:
        ids = reader.visible_ids()[:4]
        request = _reranking("Where does Ana live?", ids, reader.texts(ids), seconds=-1.0)
        check_reranked(reranker.rerank(request), len(ids))


def _reranking(question: str, ids: Ids, texts: Any, seconds: float = 60.0) -> RerankRequest:
    deadline = time.monotonic() + seconds
    return RerankRequest(
        query=Query.of(question),
        ids=ids,
        texts=texts,
        deadline=deadline,
        cancelled=lambda: time.monotonic() >= deadline,
    )


RERANKER = (Rule(judges_any_texts), Rule(stops_at_the_deadline))


# -- diversifiers


def permutes_any_candidates(bench: Bench, spec: DiversifierSpec) -> None:
    """A permutation for none, one and many candidates, copies of each other included; the same one twice."""
    with bench.part(spec) as diversifier, bench.snapshot() as reader:
        visible = reader.visible_ids()
        for count in (0, 1, 2, len(visible)):
            ids = visible[:count][::-1]
            sets = [frozenset(map(hash, text.casefold().split())) for text in reader.texts(ids)] if count else []
            for token_sets in (sets, [frozenset[int]()] * count, [frozenset({1})] * count):
                scores = np.linspace(0.9, 0.1, count)
                request = DiversityRequest(ids=ids, scores=scores, token_sets=token_sets, snapshot=reader)
                order = check_permutation(diversifier.order(request), count)
                assert np.array_equal(order, diversifier.order(request))


DIVERSIFIER = (Rule(permutes_any_candidates),)


# -- analyzers


def understands_any_query(bench: Bench, spec: AnalyzerSpec) -> None:
    """The query stays the same question from the same asker, whatever it says; twice the same is known about it."""
    with bench.part(spec) as analyzer:
        for scope in (corpus.HOME, corpus.EMPTY):
            with bench.snapshot(scope) as reader:
                view = reader.scope_view()
                for text in (*corpus.QUESTIONS, *corpus.HOSTILE):
                    before = Query.of(text, asker="ana", time_zone="Europe/Lisbon")
                    after = check_query(analyzer.analyze(before, view, bench.now), before)
                    assert after == analyzer.analyze(before, view, bench.now), f"{text[:40]!r}"


ANALYZER = (Rule(understands_any_query),)
