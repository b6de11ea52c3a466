"""What a spec builds: one protocol a kind of part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from comis_core.model import Annotation, Memory, Query, Ranking
from comis_core.protocols.reading import Change, ScopeView, Snapshot, Transaction
from comis_core.protocols.requests import (
    Check,
    DiversityRequest,
    ExpandRequest,
    RerankRequest,
    ScoreRequest,
    SearchRequest,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.model import Finding, Ids, Observation, Outcome, Scores, Trajectory, Turn
    from comis_core.protocols.background import Completion, Event, JobReport, Message, Verdict
    from comis_core.protocols.contexts import JobContext
    from comis_core.protocols.reading import Matrix


@runtime_checkable
class Lane(Protocol):
    """Finds candidates from the query itself."""

    def search(self, request: SearchRequest) -> Ranking:
        """At most `request.limit` candidates of the snapshot's visible memories."""
        ...


@runtime_checkable
class Expander(Protocol):
    """Finds candidates from the pool so far; runs in spec order and sees what earlier ones added."""

    def expand(self, request: ExpandRequest) -> Ranking:
        """Candidates (in the pool or new) with claims in 0..1; its weight may be negative."""
        ...


@runtime_checkable
class Fusion(Protocol):
    """Merges rankings into one."""

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Ids, Scores]:
        """ids int64[n] ascending over the union of the rankings of positive weight, scores float64[n] in 0..1.

        `weights` has every enabled lane and expander, whether or not it has a ranking: its sum is a constant of the
        pipeline and the query's multipliers.
        """
        ...


@runtime_checkable
class Column(Protocol):
    """Loads a named column of the pool."""

    def load(self, snapshot: Snapshot, ids: Ids) -> NDArray[Any]:
        """An array of len(ids); NaN where there is no value."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """One multiplicative factor."""

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n], positive and finite; exactly 1.0 where the signal is absent."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Judges query and candidate together. Runs in a worker with a time limit."""

    @property
    def max_candidates(self) -> int:
        """At most so many of the pool's head are judged."""
        ...

    @property
    def min_results(self) -> int:
        """Below so many candidates the stage is skipped."""
        ...

    @property
    def timeout_ms(self) -> int:
        """Wall clock after which the fused order stands."""
        ...

    def rerank(self, request: RerankRequest) -> Scores:
        """float64[k] in 0..1 for the first k of `request.ids`, k <= len(ids)."""
        ...


@runtime_checkable
class Diversifier(Protocol):
    """Orders the candidates so that the head repeats itself less."""

    def order(self, request: DiversityRequest) -> NDArray[np.int64]:
        """int64[n]: a permutation of 0..n-1."""
        ...


@runtime_checkable
class Analyzer(Protocol):
    """Understands the query without a language model."""

    def analyze(self, query: Query, scope_view: ScopeView, now: int) -> Query:
        """The query with more known about it. `now`: epoch microseconds."""
        ...


@runtime_checkable
class Index(Protocol):
    """A derived table: can be rebuilt from the truth at any time."""

    def prepare(self, memories: Sequence[Memory]) -> Sequence[object]:
        """Slow work before the write lock (tokenising); one value a memory."""
        ...

    def apply(self, tx: Transaction, changes: Sequence[Change]) -> None:
        """Follow the change log inside the writing transaction. Unknown operations are ignored.

        Rows stay until "delete": closed and evicted versions are hidden by the view `visible`, not by the index.
        """
        ...

    def check(self, db: Transaction) -> Check:
        """Compare the table with the truth."""
        ...

    def clear(self, tx: Transaction) -> None:
        """Empty the table; the store then applies every memory again as an "add"."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """Finds annotations in memories before they are written."""

    def extract(self, memories: Sequence[Memory], scope_view: ScopeView) -> Sequence[Sequence[Annotation]]:
        """One sequence of annotations a memory."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    An attribute `inline = True` says that it is so quick (a tenth of a millisecond a text) that memories are to be
    embedded before `store` returns; otherwise that happens in the background.
    """

    @property
    def fingerprint(self) -> str:
        """Names the embedding space: model, dimensions, prompts, pooling. Different fingerprints never mix."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        ...

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), dimensions], unit length. kind: "query" or "document"."""
        ...

    def windows(self, text: str) -> Sequence[str]:
        """The overlapping pieces of a document that fit the model; [text] when it fits whole."""
        ...

    def available(self) -> bool:
        """Whether `embed` would work, found out without side effects (no download, no network)."""
        ...

    def confidence(self, text: str) -> float:
        """0..1: how well the model sees this text; 1.0 if unknown."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A chat model; never used during a recall."""

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None, max_tokens: int, timeout: float
    ) -> Completion:
        """One completion. schema: JSON Schema the text must satisfy; timeout in seconds.

        Raises:
            LanguageModelError: the model refused, did not answer in time, or answered with something else.
        """
        ...


@runtime_checkable
class OutcomeResolver(Protocol):
    """Judges a trajectory; runs as a background task, never inside the agent's turn."""

    def resolve(self, trajectory: Trajectory, verdict: Verdict | None) -> Sequence[Observation]:
        """Observations, possibly none. `verdict` is given when the spec needs it."""
        ...


@runtime_checkable
class Validator(Protocol):
    """Looks for things that must not become memory."""

    def validate(self, text: str, purpose: str) -> Sequence[Finding]:
        """Findings. purpose: "memory", "extracted" or "document"."""
        ...


@runtime_checkable
class Job(Protocol):
    """Background work, one run a scope."""

    def run(self, context: JobContext) -> JobReport:
        """Do the work for `context.scope`."""
        ...


class Observer:
    """Base of observers: every method does nothing; override those you need."""

    def prepare(self, turn: Turn) -> object:
        """Slow work before the write lock; handed to `turn_ended`."""
        return None

    def turn_ended(self, tx: Transaction, turn: Turn, prepared: object) -> None:
        """A turn is over, inside the writing transaction."""

    def outcome_resolved(self, tx: Transaction, outcome: Outcome) -> None:
        """A trajectory's outcome is known, inside the writing transaction."""

    def event(self, event: Event) -> None:
        """Something was counted."""
