"""Outbox tasks that embed memories, and those that find the memories which a new embedder has not seen yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import attrs

from comis_core.embedding.guard import GuardedEmbedder
from comis_core.errors import EmbedderError
from comis_core.model import Memory, to_microseconds
from comis_core.protocols import Clock, Transaction
from comis_core.store.outbox import SECOND, Outbox, Settlement, Task, Writing
from comis_core.store.vectors import VectorStore
from comis_core.store.watermarks import load

if TYPE_CHECKING:
    from comis_core.protocols.reading import Matrix

EMBED = "embed"
"""Kind of the task that embeds one memory."""

EMBED_MISSING = "embed_missing"
"""Kind of the task that asks for a scope's memories without a vector to be embedded."""

BATCH = 64
"""Memories embedded in one call."""

PAGE = 256
"""Memories asked for at a time while filling a new space, so that new memories wait for no more than these."""

GIVE_UP = 3
"""After so many failures in a row the embedder is at fault and not the texts."""

REST_SECONDS = 30
"""How long an embedder that is at fault is left alone."""

ABSENT_SECONDS = 600
"""How long tasks of a scope wait that has no embedder in this process."""

EmbedderFor = Callable[[int], GuardedEmbedder | None]
"""Scope's number -> the embedder of its agent, None when it has none."""


@attrs.frozen(eq=False, repr=False)
class _Work:
    """The memories of one scope to embed, by task."""

    scope: int
    embedder: GuardedEmbedder
    memories: Mapping[Task, Memory]


class EmbedHandler:
    """Embeds memories in batches and writes their vectors.

    A memory that has been deleted or replaced meanwhile is skipped. When a batch fails its memories are tried one by
    one, so that one bad text fails alone; when several in a row fail, the embedder rests and nobody's attempts are
    counted but theirs. Nothing is lost: what failed comes back, and is set aside in the outbox at last.

    Args:
        stand_in_for: the model that answers in a scope while the vectors of its own are being made; what it has not
            seen yet is embedded by it too, so that new memories are found at once.
    """

    def __init__(
        self,
        store: Writing,
        vectors: VectorStore,
        embedder_for: EmbedderFor,
        clock: Clock,
        stand_in_for: EmbedderFor = lambda scope: None,
    ) -> None:
        self.batch = BATCH
        self._store = store
        self._vectors = vectors
        self._embedder_for = embedder_for
        self._stand_in_for = stand_in_for
        self._clock = clock
        self._resting: dict[str, int] = {}

    def handle(self, tasks: Sequence[Task]) -> Settlement:
        """Embed the memories of these tasks."""
        memories = self._store.read(lambda tx: load(tx, [task.pk for task in tasks if task.pk is not None]))
        done, failed, postponed = [], [], []
        results: list[_Result] = []
        for scope, group in groupby(sorted(tasks, key=lambda task: (task.scope, task.task)), lambda task: task.scope):
            embedder = self._embedder_for(scope)
            mine = list(group)
            live = {task: memories[task.pk] for task in mine if task.pk in memories and _is_open(memories[task.pk])}
            done += [task for task in mine if task not in live]
            if embedder is None:
                postponed += [(task, ABSENT_SECONDS) for task in live]
                continue
            outcome = self._embed(_Work(scope, embedder, live))
            failed += outcome.failed
            postponed += outcome.postponed
            done += list(outcome.vectors)
            results.append((scope, embedder, outcome.vectors))
            results += self._also(scope, live)
        return Settlement(done=done, failed=failed, postponed=postponed, write=lambda tx: self._write(tx, results))

    def _embed(self, work: _Work) -> _Outcome:
        outcome = _Outcome()
        tasks = list(work.memories)
        if self._rests(work.embedder):
            outcome.postponed = [(task, REST_SECONDS) for task in tasks]
            return outcome
        try:
            outcome.vectors = _embed(work, tasks)
        except EmbedderError as error:
            if len(tasks) == 1:
                outcome.failed = [(tasks[0], error.message)]
            else:
                self._one_by_one(work, tasks, outcome)
        return outcome

    def _one_by_one(self, work: _Work, tasks: Sequence[Task], outcome: _Outcome) -> None:
        in_a_row = 0
        for place, task in enumerate(tasks):
            try:
                outcome.vectors |= _embed(work, [task])
                in_a_row = 0
            except EmbedderError as error:
                outcome.failed.append((task, error.message))
                in_a_row += 1
            if in_a_row == GIVE_UP:
                self._resting[work.embedder.fingerprint] = self._now() + REST_SECONDS * SECOND
                outcome.postponed += [(later, REST_SECONDS) for later in tasks[place + 1 :]]
                return

    def _also(self, scope: int, memories: Mapping[Task, Memory]) -> list[_Result]:
        """What the stand-in makes of memories that it has not seen yet, whatever becomes of them with the new model."""
        embedder = self._stand_in_for(scope)
        if embedder is None or not memories:
            return []
        pks = [task.pk for task in memories if task.pk is not None]
        unseen = set(self._store.read(lambda tx: self._vectors.lacking(tx, embedder.fingerprint, scope, pks)))
        tasks = [task for task in memories if task.pk in unseen]
        try:
            return [(scope, embedder, _embed(_Work(scope, embedder, memories), tasks))] if tasks else []
        except EmbedderError:
            return []

    def _rests(self, embedder: GuardedEmbedder) -> bool:
        return self._now() < self._resting.get(embedder.fingerprint, 0)

    def _write(self, tx: Transaction, results: Sequence[_Result]) -> None:
        for scope, embedder, vectors in results:
            present = load(tx, [task.pk for task in vectors if task.pk is not None])
            kept = {
                task.pk: windows
                for task, windows in vectors.items()
                if task.pk in present and _is_open(present[task.pk])
            }
            self._vectors.write(tx, embedder.fingerprint, embedder.dimensions, scope, kept)

    def _now(self) -> int:
        return to_microseconds(self._clock.now())


class MissingHandler:
    """Asks for a scope's memories without a vector in its embedder's space to be embedded, a page at a time."""

    def __init__(self, vectors: VectorStore, outbox: Outbox, embedder_for: EmbedderFor, clock: Clock) -> None:
        self.batch = 1
        self._vectors = vectors
        self._outbox = outbox
        self._embedder_for = embedder_for
        self._clock = clock

    def handle(self, tasks: Sequence[Task]) -> Settlement:
        """Enqueue the next page, and itself for the page after it."""
        (task,) = tasks
        embedder = self._embedder_for(task.scope)
        if embedder is None:
            return Settlement(postponed=[(task, ABSENT_SECONDS)])
        return Settlement(done=[task], write=lambda tx: self._enqueue(tx, task, embedder.fingerprint))

    def _enqueue(self, tx: Transaction, task: Task, space: str) -> None:
        # What an earlier model had reached says nothing about this one.
        after = int(task.payload["after"]) if task.payload.get("space") == space else 0
        page = self._vectors.missing(tx, space, task.scope, PAGE, after=after)
        now = to_microseconds(self._clock.now())
        self._outbox.enqueue(tx, EMBED, task.scope, self._outbox.without(tx, EMBED, page), now=now)
        if len(page) == PAGE:
            further = {"space": space, "after": page[-1]}
            self._outbox.enqueue(tx, EMBED_MISSING, task.scope, [None], now=now, payload=further)


def embed_missing(tx: Transaction, outbox: Outbox, vectors: VectorStore, space: str, scope: int, *, now: int) -> bool:
    """Ask for the scope's memories without a vector in `space`; whether there are any.

    For an agent whose embedder is new or has changed: the new space is built beside the old one, which stays.
    """
    if not vectors.missing(tx, space, scope, 1):
        return False
    if not outbox.has(tx, EMBED_MISSING, scope):
        outbox.enqueue(tx, EMBED_MISSING, scope, [None], now=now)
    return True


@attrs.define(eq=False, repr=False)
class _Outcome:
    """What became of one scope's tasks."""

    vectors: dict[Task, Sequence[Matrix]] = attrs.field(factory=dict)
    failed: list[tuple[Task, str]] = attrs.field(factory=list)
    postponed: list[tuple[Task, int]] = attrs.field(factory=list)


_Result = tuple[int, GuardedEmbedder, Mapping[Task, "Sequence[Matrix]"]]


def _embed(work: _Work, tasks: Sequence[Task]) -> dict[Task, Sequence[Matrix]]:
    """Every window of every memory in one call. Raises EmbedderError."""
    windows = {task: work.embedder.windows(work.memories[task].content.strip()) for task in tasks}
    matrix = work.embedder.embed([text for texts in windows.values() for text in texts], "document")
    vectors: dict[Task, Sequence[Matrix]] = {}
    start = 0
    for task, texts in windows.items():
        vectors[task] = list(matrix[start : start + len(texts)])
        start += len(texts)
    return vectors


def _is_open(memory: Memory) -> bool:
    return memory.closed_at is None
