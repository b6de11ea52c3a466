"""The contexts: the only way from a part to the world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from comis_core.model import Annotation, Filters, NewMemory, Scope, Stored
from comis_core.protocols.parts import Embedder, LanguageModel
from comis_core.protocols.reading import Clock, SequenceService, Snapshot, Transaction, Vectors

if TYPE_CHECKING:
    import logging

    from comis_core.model import Document, Finding, Outcome
    from comis_core.senders import Roles
    from comis_core.text import Analyser

T = TypeVar("T")


class Documents(Protocol):
    """Learned documents of every scope."""

    def list(self, scope: Scope, *, kind: str | None = None) -> list[Document]:
        """The scope's documents."""
        ...

    def save(self, document: Document) -> None:
        """Write a document; its prior body is kept in its history."""
        ...


class Ledger(Protocol):
    """Outcomes of trajectories."""

    def outcomes(self, scope: Scope, *, since: datetime | None = None) -> list[Outcome]:
        """The scope's resolved outcomes, oldest first."""
        ...


class BuildContext(Protocol):
    """The only way from a part to the world, given to `build`."""

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        ...

    @property
    def log(self) -> logging.Logger:
        """Where to log."""
        ...

    @property
    def text(self) -> Analyser:
        """The one analyser."""
        ...

    @property
    def scope(self) -> Scope | None:
        """The agent's scope; None while an engine-level part is built."""
        ...

    @property
    def roles(self) -> Roles:
        """Who of the agent's senders is a person and who a machine; without its settings in an engine-level part."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The store's vectors."""
        ...

    @property
    def sequence(self) -> SequenceService:
        """The order in which things were said."""
        ...

    @property
    def embedder(self) -> Embedder | None:
        """The agent's embedder, already guarded and cached; None when none is configured or available."""
        ...

    @property
    def documents(self) -> Documents:
        """Learned documents."""
        ...

    @property
    def ledger(self) -> Ledger:
        """Outcomes."""
        ...

    @property
    def folder(self) -> str:
        """Folder of the config file; relative model paths start here."""
        ...

    def validate(self, text: str, purpose: str) -> list[Finding]:
        """What the enabled validators say of a text."""
        ...

    def language_model(self, purpose: str) -> LanguageModel | None:
        """The configured language model, or None; never during a recall."""
        ...

    def resource(self, key: tuple[object, ...], factory: Callable[[], T]) -> T:
        """A heavy thing (a model) shared by everything in this engine that asks with an equal key."""
        ...

    def scopes(self) -> list[Scope]:
        """Every scope of the file."""
        ...

    def setting(self, path: str) -> Any:
        """A core config value by its documented path, e.g. "memory.recall.rerankerModel"."""
        ...


class MemoryWriter(Protocol):
    """Writes through the change log, for jobs and observers."""

    def store(self, scope: Scope, memories: Sequence[NewMemory]) -> list[Stored]:
        """Store a batch."""
        ...

    def evict(self, scope: Scope, ids: Sequence[str]) -> int:
        """Hide memories from recall, reversibly."""
        ...

    def restore(self, scope: Scope, ids: Sequence[str]) -> int:
        """Undo `evict`."""
        ...

    def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        """Remove every trace."""
        ...

    def annotate(self, scope: Scope, id: str, annotations: Sequence[Annotation]) -> None:
        """Add annotations to a live memory."""
        ...


class JobContext(BuildContext, Protocol):
    """What a job works with, for one scope."""

    @property
    def memories(self) -> MemoryWriter:
        """Writes through the change log."""
        ...

    @property
    def lease(self) -> Callable[[], bool]:
        """Renews the job's lease; False means another runner has taken over and this one must stop."""
        ...

    def tx(self) -> AbstractContextManager[Transaction]:
        """A write transaction."""
        ...

    def snapshot(self, filters: Filters | None = None) -> AbstractContextManager[Snapshot]:
        """A read transaction of the job's scope."""
        ...

    def progress(self, done: int, total: int | None = None) -> None:
        """Report progress."""
        ...
