"""The rules of the conformance kit: a sound plugin passes them all, and each notices the fault that it is there for."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core import hookimpl
from comis_core.errors import PartInactive
from comis_core.model import Annotation, Claims, Finding, Memory, Observation, Query, Ranking
from comis_core.protocols import BuildContext, Change, Check, ExpandRequest, JobReport, Observer, SearchRequest
from comis_core.specs import (
    HOOKS,
    AnalyzerSpec,
    ColumnSpec,
    DiversifierSpec,
    EmbedderSpec,
    ExpanderSpec,
    ExtractorSpec,
    FusionSpec,
    IndexSpec,
    JobSpec,
    LaneSpec,
    Migration,
    ObserverSpec,
    OutcomeResolverSpec,
    Preset,
    RerankerSpec,
    ScorerSpec,
    Section,
    ValidatorSpec,
)
from comis_core.testing import Bench, ToyEmbedder, cases


@attrs.frozen
class Options:
    """Sound options."""

    enabled: bool = attrs.field(default=True, metadata={"help": "Whether to use it."})
    weight: float = attrs.field(default=1.0, metadata={"help": "Weight in the fusion."})


# -- a sound plugin, one part of each kind


class Part:
    """What every part here has."""

    def __init__(self, context: BuildContext, *options: object) -> None:
        self.context, self.closed = context, False

    def close(self) -> None:
        self.closed = True


class Lane(Part):
    """Counts common words."""

    source = "visible_scan"

    def search(self, request: SearchRequest) -> Ranking:
        asked = set(request.query.lexical_text.casefold().split())
        rows = list(request.snapshot.execute(f"SELECT pk, content FROM {self.source} ORDER BY pk"))
        scores = [len(asked & set(text.casefold().split())) / (len(asked) or 1) for _, text in rows]
        ids = np.array([pk for pk, _ in rows], np.int64)
        return Ranking.best(ids, np.array(scores), request.limit, claims=Claims(ids, np.array(scores)))


class Expander(Part):
    """Finds what follows the seeds."""

    def expand(self, request: ExpandRequest) -> Ranking:
        seeds, scores = request.seeds(3)
        found = seeds + 1
        return Ranking.best(
            found[request.snapshot.visible_among(found)], scores[request.snapshot.visible_among(found)], request.limit
        )


class Fusion(Part):
    """Adds claims."""

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Any, Any]:
        ids = np.unique(np.concatenate([np.zeros(0, np.int64), *(ranking.ids for ranking in rankings.values())]))
        total = np.zeros(len(ids))
        for name, ranking in rankings.items():
            total[np.searchsorted(ids, ranking.ids)] += weights[name] * ranking.scores
        return ids, np.clip(total / sum(abs(weight) for weight in weights.values()), 0.0, 1.0)


class Column(Part):
    """The id itself."""

    def load(self, snapshot: Any, ids: Any) -> Any:
        return ids.astype(np.float64)


class Scorer(Part):
    """Neutral unless its column says something."""

    def factors(self, request: Any) -> Any:
        values = request.pool.columns["mine"]
        return np.where(np.isnan(values), 1.0, 1.0 + 1.0 / (1.0 + np.nan_to_num(values)))


class Reranker(Part):
    """Prefers short texts."""

    max_candidates, min_results, timeout_ms = 40, 1, 800

    def rerank(self, request: Any) -> Any:
        return np.array([1.0 / (1 + len(text)) for text in request.texts])


class Diversifier(Part):
    """Leaves the order alone."""

    def order(self, request: Any) -> Any:
        return np.arange(len(request.ids))


class Analyzer(Part):
    """Knows whom the question names."""

    def analyze(self, query: Query, scope_view: Any, now: int) -> Query:
        words = query.text.casefold().split()
        return attrs.evolve(query, participants=tuple(sender for sender in scope_view.senders if sender in words))


class Index(Part):
    """One row a memory."""

    def prepare(self, memories: Sequence[Memory]) -> Sequence[int]:
        return [len(memory.content) for memory in memories]

    def apply(self, tx: Any, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.operation == "add":
                tx.execute("INSERT INTO given_lengths VALUES (?, ?)", (change.pk, change.prepared))
            elif change.operation == "delete":
                tx.execute("DELETE FROM given_lengths WHERE pk = ?", (change.pk,))

    def check(self, db: Any) -> Check:
        ((missing,),) = db.execute("SELECT count(*) FROM memories WHERE pk NOT IN (SELECT pk FROM given_lengths)")
        ((strange,),) = db.execute("SELECT count(*) FROM given_lengths WHERE pk NOT IN (SELECT pk FROM memories)")
        return Check(problems=(f"{missing} missing, {strange} strange",) if missing or strange else ())

    def clear(self, tx: Any) -> None:
        tx.execute("DELETE FROM given_lengths")


class LengthLane(Part):
    """Reads the index."""

    def search(self, request: SearchRequest) -> Ranking:
        sql = "SELECT t.pk, t.length FROM given_lengths AS t CROSS JOIN visible AS v ON v.pk = t.pk ORDER BY t.pk"
        rows = list(request.snapshot.execute(sql))
        ids = np.array([pk for pk, _ in rows], np.int64)
        return Ranking.best(ids, np.array([1 / (1 + length) for _, length in rows]), request.limit)


class Extractor(Part):
    """Finds words with a capital."""

    def extract(self, memories: Sequence[Memory], scope_view: Any) -> Sequence[Sequence[Annotation]]:
        return [
            [Annotation(kind="entity", name=word) for word in memory.content.split() if word[0].isupper()]
            for memory in memories
        ]


class Embedder(ToyEmbedder):
    """The toy embedder."""

    def __init__(self, context: BuildContext, model: str | None, *options: object) -> None:
        self.model = model


class Validator(Part):
    """Suspects the word DROP."""

    def validate(self, text: str, purpose: str) -> Sequence[Finding]:
        return [Finding(severity="warning", code="drop", message="it says DROP")] if "DROP" in text else []


class Resolver(Part):
    """Hears thanks."""

    def resolve(self, trajectory: Any, verdict: Any) -> Sequence[Observation]:
        thanked = "thank" in (trajectory.next_message or "").casefold()
        return [Observation(kind="reaction", label="success", confidence=0.7)] if thanked else []


class Job(Part):
    """Does nothing much."""

    def run(self, context: Any) -> JobReport:
        return JobReport(counts={"done": 1})


class Watcher(Observer):
    """Counts turns."""

    def __init__(self, context: BuildContext, *options: object) -> None:
        self.turns = 0

    def turn_ended(self, tx: Any, turn: Any, prepared: object) -> None:
        self.turns += 1


TABLE = (Migration("0001", "CREATE TABLE given_lengths(pk INTEGER PRIMARY KEY, length INTEGER)"),)
SECTIONS = (Section("rag.lanes.mine", Options),)

SOUND: Mapping[str, Any] = {
    "lane": LaneSpec(name="mine", build=Lane, sections=SECTIONS),
    "length_lane": LaneSpec(name="lengths", build=LengthLane),
    "expander": ExpanderSpec(name="mine", build=Expander),
    "fusion": FusionSpec(name="mine", build=Fusion),
    "column": ColumnSpec(name="mine", build=Column),
    "scorer": ScorerSpec(name="mine", build=Scorer, requires=("mine",)),
    "reranker": RerankerSpec(name="mine", build=Reranker),
    "diversifier": DiversifierSpec(name="mine", build=Diversifier),
    "analyzer": AnalyzerSpec(name="mine", build=Analyzer),
    "index": IndexSpec(name="mine", build=Index, serves=("lengths",), migrations=TABLE),
    "extractor": ExtractorSpec(name="mine", build=Extractor),
    "embedder": EmbedderSpec(name="mine", build=Embedder),
    "validator": ValidatorSpec(name="mine", build=Validator),
    "outcome_resolver": OutcomeResolverSpec(name="mine", build=Resolver),
    "job": JobSpec(name="mine", build=Job),
    "observer": ObserverSpec(name="mine", build=Watcher),
    "preset": Preset(name="mine", agent={"rag": {"lanes": {"mine": {"weight": 2.0}}}}),
}


def plugin_of(specs: Iterable[Any]) -> types.SimpleNamespace:
    """A plugin object with these specs; its name on the bench is "given"."""
    found = list(specs)
    hooks = {hook: [spec for spec in found if type(spec) is kind] for hook, kind in HOOKS.items()}
    return types.SimpleNamespace(**{hook: hookimpl(lambda own=own: own) for hook, own in hooks.items() if own})


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[object, Bench]]:
    """The sound plugin on a bench."""
    plugin = plugin_of(SOUND.values())
    with closing(Bench.open(tmp_path_factory.mktemp("sound"), plugin)) as bench:
        yield plugin, bench


def test_a_sound_plugin_keeps_every_rule(sound: tuple[object, Bench], tmp_path: Path) -> None:
    plugin, bench = sound
    found = cases(plugin)
    for case in found:
        if not case.rule.writes:
            case.run(bench)
    with closing(Bench.open(tmp_path, plugin)) as fresh:
        # The index is emptied behind the store's back by one of them, which no other can follow.
        for case in sorted((case for case in found if case.rule.writes), key=lambda case: "empty" in case.rule.name):
            case.run(fresh)
    assert {case.stage for case in found} == {stage for stage in SOUND if stage != "length_lane"}


# -- broken ones: each breaks one rule


def broken(base: type[Any], **methods: Any) -> type[Any]:
    """The class with other methods."""
    return type(f"Broken{base.__name__}", (base,), methods)


def _raise(*arguments: Any, **named: Any) -> Any:
    raise ValueError("broken")


def _by(column: str) -> Any:
    """What a lane does that looks at one column of all memories, whoever they belong to."""

    def search(self: Any, request: SearchRequest) -> Ranking:
        asked = request.query.text.casefold().split()
        marks = ", ".join("?" * len(asked)) or "NULL"
        said = (
            f"SELECT value AS word FROM json_each({column})" if column == "tags" else f"SELECT lower({column}) AS word"
        )
        sql = f"SELECT pk FROM memories WHERE EXISTS (SELECT 1 FROM ({said}) WHERE word IN ({marks}))"
        rows = list(request.snapshot.execute(f"{sql} ORDER BY pk DESC LIMIT ?", (*asked, request.limit)))
        return Ranking(np.array([pk for (pk,) in rows], np.int64), np.ones(len(rows)))

    return search


def _remembering(self: Any, request: SearchRequest) -> Ranking:
    """A lane that keeps its first answer to a question for ever."""
    kept = self.__dict__.setdefault("kept", {})
    ranking: Ranking = kept.setdefault(request.query.text, Lane.search(self, request))
    return ranking


def _number_of(self: Any, numbers: Iterator[int] = itertools.count(1)) -> int:  # noqa: B008 - one count for all
    """A part's own number."""
    number: int = self.__dict__.setdefault("number", next(numbers))
    return number


def _shuffled(self: Any, request: SearchRequest) -> Ranking:
    """A lane whose answers depend on which part was asked."""
    ranking = Lane.search(self, request)
    return Ranking(ranking.ids, ranking.scores / _number_of(self))


def _unfiltered(self: Any, request: SearchRequest) -> Ranking:
    """A lane that reads a table instead of the view."""
    ranking: Ranking = broken(Lane, source="memories")(self.context).search(request)
    return ranking


def _syntax(self: Any, request: SearchRequest) -> Ranking:
    """A lane that hands the question to FTS5."""
    list(request.snapshot.execute("SELECT 1 WHERE ? NOT LIKE '%\"%' OR 1 / 0 IS NOT NULL", (request.query.text,)))
    return _raise() if '"' in request.query.text else Lane.search(self, request)


def _too_many(self: Any, request: SearchRequest) -> Ranking:
    return Lane.search(self, attrs.evolve(request, limit=request.limit + 2))


def _writing(self: Any, request: ExpandRequest) -> Ranking:
    request.pool.fused[:] = 0.0
    return Ranking.empty()


def _next_one(self: Any, request: ExpandRequest) -> Ranking:
    return Ranking(request.pool.ids[:1] + 1_000, np.ones(len(request.pool.ids[:1])))


def _lossy(self: Any, rankings: Any, weights: Any) -> Any:
    ids, scores = Fusion.fuse(self, rankings, weights)
    return ids[1:], scores[1:]


def _upside_down(self: Any, rankings: Any, weights: Any) -> Any:
    ids, scores = Fusion.fuse(self, rankings, weights)
    return ids, 1.0 - scores


def _counting_lanes(self: Any, rankings: Any, weights: Any) -> Any:
    ids, scores = Fusion.fuse(self, rankings, weights)
    return ids, scores / (len(rankings) or 1)


def _in_place(self: Any, rankings: Any, weights: Any) -> Any:
    for ranking in rankings.values():
        ranking.scores[:] *= 0.5
    return Fusion.fuse(self, rankings, weights)


def _keeping_deleted(self: Any, tx: Any, changes: Sequence[Change]) -> None:
    Index.apply(self, tx, [change for change in changes if change.operation != "delete"])


def _counting_rows(self: Any, tx: Any, changes: Sequence[Change]) -> None:
    """An index whose rows depend on how many came before."""
    added = [change for change in changes if change.operation == "add"]
    self.seen = getattr(self, "seen", 0) + len(added)
    tx.executemany("INSERT INTO given_lengths VALUES (?, ?)", [(change.pk, self.seen) for change in added])
    Index.apply(self, tx, [change for change in changes if change.operation == "delete"])


def _knowing_all(self: Any, tx: Any, changes: Sequence[Change]) -> None:
    for change in changes:
        if change.operation not in ("add", "delete", "close", "evict", "restore", "embed", "annotate"):
            raise KeyError(change.operation)
    Index.apply(self, tx, changes)


def _closing_once(self: Any) -> None:
    if self.closed:
        raise RuntimeError("closed already")
    self.closed = True


@attrs.frozen
class Silent:
    """Options without help."""

    size: int = 1


@attrs.frozen
class Loose:
    """Options whose default could not be written."""

    size: int = attrs.field(default=None, metadata={"help": "A size."})


WRONG_TABLE = (Migration("0001", "CREATE TABLE given_lengths(pk); CREATE TABLE lengths(pk)"),)

BROKEN: list[tuple[str, Any, str]] = [
    (
        "lane",
        LaneSpec(name="mine", build=Lane, sections=(Section("rag.lanes.mine", Silent),)),
        "documents every option",
    ),
    (
        "lane",
        LaneSpec(name="mine", build=Lane, sections=(Section("rag.lanes.mine", Loose),)),
        "accepts its own defaults from a file",
    ),
    ("lane", broken(Lane, close=_closing_once), "builds with its defaults and closes twice"),
    ("index", IndexSpec(name="mine", build=Index, migrations=WRONG_TABLE), "names its tables after the plugin"),
    ("lane", broken(Lane, search=_unfiltered), "finds only what is visible"),
    ("lane", broken(Lane, search=_unfiltered), "is silent in an empty scope"),
    ("lane", broken(Lane, search=_syntax), "answers any query"),
    ("lane", broken(Lane, search=_too_many), "keeps to the limit"),
    ("lane", broken(Lane, search=_shuffled), "answers the same twice"),
    ("lane", broken(Lane, search=_remembering), "keeps up with what is written"),
    ("expander", broken(Expander, expand=_next_one), "finds only what is visible"),
    ("expander", broken(Expander, expand=_writing), "answers the same twice"),
    ("fusion", broken(Fusion, fuse=_lossy), "fuses the union into scores"),
    (
        "fusion",
        broken(Fusion, fuse=lambda self, rankings, weights: Fusion.fuse(self, rankings, weights)[0]),
        "fuses the union into scores",
    ),
    ("fusion", broken(Fusion, fuse=_upside_down), "equals a lane that is alone"),
    ("fusion", broken(Fusion, fuse=_counting_lanes), "ignores empty rankings"),
    ("fusion", broken(Fusion, fuse=_in_place), "fuses the same twice and leaves its input alone"),
    ("column", broken(Column, load=lambda self, snapshot, ids: np.arange(len(ids))), "loads one value for each memory"),
    ("column", broken(Column, load=lambda self, snapshot, ids: ids[1:]), "loads one value for each memory"),
    (
        "scorer",
        broken(Scorer, factors=lambda self, request: 2.0 - Scorer.factors(self, request) * 2),
        "gives positive finite factors",
    ),
    (
        "scorer",
        broken(Scorer, factors=lambda self, request: request.pool.columns["occurred_at"] * 0 + 1),
        "gives positive finite factors",
    ),
    (
        "scorer",
        broken(Scorer, factors=lambda self, request: Scorer.factors(self, request) * 1.1),
        "is neutral without its columns",
    ),
    (
        "scorer",
        broken(Scorer, factors=lambda self, request: Scorer.factors(self, request) + _number_of(self)),
        "scores the same twice and leaves the pool alone",
    ),
    ("reranker", broken(Reranker, rerank=lambda self, request: np.full(len(request.texts), 1.5)), "judges any texts"),
    ("reranker", broken(Reranker, max_candidates=0), "judges any texts"),
    (
        "reranker",
        broken(
            Reranker, rerank=lambda self, request: _raise() if request.cancelled() else Reranker.rerank(self, request)
        ),
        "stops at the deadline",
    ),
    (
        "diversifier",
        broken(Diversifier, order=lambda self, request: np.zeros(len(request.ids), np.int64)),
        "permutes any candidates",
    ),
    (
        "analyzer",
        broken(Analyzer, analyze=lambda self, query, view, now: attrs.evolve(query, text="else")),
        "understands any query",
    ),
    (
        "analyzer",
        broken(Analyzer, analyze=lambda self, query, view, now: _raise() if not query.text else query),
        "understands any query",
    ),
    ("index", broken(Index, apply=_keeping_deleted), "is sound after every kind of write"),
    ("index", broken(Index, apply=_counting_rows), "answers the same after a rebuild"),
    ("index", broken(Index, check=lambda self, db: Check()), "notices that it is empty"),
    (
        "index",
        broken(Index, prepare=lambda self, memories: [len(memory.content) for memory in memories] or [0]),
        "prepares one value for each memory",
    ),
    ("index", broken(Index, apply=_knowing_all), "passes over operations it does not know"),
    ("extractor", broken(Extractor, extract=lambda self, memories, view: []), "extracts one list for each memory"),
    (
        "extractor",
        broken(
            Extractor, extract=lambda self, memories, view: [[Annotation(kind="x", confidence=2.0)]] * len(memories)
        ),
        "extracts one list for each memory",
    ),
    (
        "embedder",
        broken(Embedder, embed=lambda self, texts, kind: 2 * ToyEmbedder.embed(self, texts, kind)),
        "embeds any text as a finite unit vector",
    ),
    (
        "embedder",
        broken(Embedder, embed=lambda self, texts, kind: ToyEmbedder.embed(self, texts or [""], kind)),
        "embeds nothing as nothing",
    ),
    (
        "embedder",
        broken(Embedder, embed=lambda self, texts, kind: ToyEmbedder.embed(self, [texts[0]] * len(texts), kind)),
        "embeds the same twice and in any company",
    ),
    ("embedder", broken(Embedder, windows=lambda self, text: text.split()), "cuts documents into windows"),
    ("embedder", broken(Embedder, confidence=lambda self, text: len(text)), "knows itself"),
    (
        "validator",
        broken(Validator, validate=lambda self, text, purpose: [Finding(severity="bad", code="c", message="m")]),
        "judges any text",
    ),
    (
        "outcome_resolver",
        broken(
            Resolver, resolve=lambda self, trajectory, verdict: [Observation(kind="k", label="great", confidence=1.0)]
        ),
        "resolves any trajectory",
    ),
    (
        "outcome_resolver",
        broken(Resolver, resolve=lambda self, trajectory, verdict: [trajectory.next_message[0]]),
        "resolves any trajectory",
    ),
    ("job", JobSpec(name="mine", build=Job, schedule="at noon"), "has a schedule"),
    ("observer", broken(Watcher, prepare=lambda self, turn: turn.recalled[0]), "observes any turn"),
    ("preset", Preset(name="mine", agent={"rag": {"maxResutls": 3}}), "is a sound overlay"),
]


@pytest.mark.parametrize(
    ("stage", "fault", "rule"),
    BROKEN,
    ids=[f"{stage}-{rule}-{number}" for number, (stage, _, rule) in enumerate(BROKEN)],
)
def test_a_rule_notices_the_fault_that_it_is_there_for(stage: str, fault: Any, rule: str, tmp_path: Path) -> None:
    spec = attrs.evolve(SOUND[stage], build=fault) if isinstance(fault, type) else fault
    helpers = {"index": ["length_lane"], "scorer": ["column"]}.get(stage, [])
    plugin = plugin_of([spec, *(SOUND[helper] for helper in helpers)])
    (case,) = [
        case for case in cases(plugin) if (case.stage, case.spec, case.rule.name) == (spec.stage, spec.name, rule)
    ]
    with closing(Bench.open(tmp_path, plugin)) as bench, pytest.raises(Exception) as caught:
        case.run(bench)
    assert not isinstance(caught.value, PartInactive)


@pytest.mark.parametrize("column", ["tags", "sender", "session", "key"])
def test_a_lane_that_reads_a_column_of_every_scope_is_noticed(column: str, tmp_path: Path) -> None:
    plugin = plugin_of([attrs.evolve(SOUND["lane"], build=broken(Lane, search=_by(column)))])
    (case,) = [case for case in cases(plugin) if case.rule.name == "finds only what is visible"]
    with closing(Bench.open(tmp_path, plugin)) as bench, pytest.raises(AssertionError, match="are not visible"):
        case.run(bench)


def test_an_inactive_part_is_told_from_a_broken_one(tmp_path: Path) -> None:
    def build(context: BuildContext) -> Any:
        raise PartInactive("no model")

    plugin = plugin_of([RerankerSpec(name="mine", build=build)])
    with closing(Bench.open(tmp_path, plugin)) as bench:
        for case in cases(plugin):
            if case.rule.name in ("judges any texts", "stops at the deadline"):
                with pytest.raises(PartInactive):
                    case.run(bench)
