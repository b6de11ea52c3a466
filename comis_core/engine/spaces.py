"""Which embedding model answers in a scope while the vectors of its own are being made.

A configuration may bring another model. Its space is built beside the former one, in the background; until every
memory that was there at the change has its new vector, recalls of the scope go on with the model of this process that
has seen most of it. A recall uses one model from beginning to end, so spaces never mix.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

import attrs

from comis_core.embedding.guard import GuardedEmbedder
from comis_core.embedding.handler import EMBED, embed_missing
from comis_core.engine.assembly import Assembly
from comis_core.errors import ComisError
from comis_core.model import Scope
from comis_core.protocols import Transaction
from comis_core.recall.parts import Pipeline
from comis_core.store import Store
from comis_core.store.outbox import SECOND, Outbox
from comis_core.store.vectors import VectorStore

LOOK_SECONDS = 30
"""How often scopes are looked at for memories that another process embedded with another model."""

NOT_SEEN = "older memories await their embedding and are found by other lanes alone until then"

PAGE = 256
"""Memories without a vector that are looked at together."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Shelf:
    """What `Spaces` works with: the file's vectors and the outbox of what is to be embedded.

    now: epoch microseconds. wake: says that there is something to seek.
    """

    store: Store
    vectors: VectorStore
    outbox: Outbox
    now: Callable[[], int]
    wake: Callable[[], None]


@attrs.define(eq=False, repr=False)
class _Place:
    """How far a scope is on its way into its model's space.

    number: the scope's, 0 while nothing was stored to it. target: the last memory that was there at the change.
    cursor: up to here every live memory has its vector or was given up on. behind: whether one up to the target has
    none. stand_in: who answers meanwhile.
    """

    number: int
    target: int = 0
    cursor: int = 0
    behind: bool = False
    stand_in: GuardedEmbedder | None = None


class Spaces:
    """The scopes of one configuration and their models.

    Args:
        assembly: the configuration's parts.
        former: those of the configuration before it, whose models may stand in.
    """

    def __init__(self, assembly: Assembly, former: Spaces | None, shelf: Shelf) -> None:
        self.assembly = assembly
        self._former = former
        self._shelf = shelf
        self._places: dict[Scope, _Place] = {}
        self._wanted: deque[Scope] = deque()
        self._looked = shelf.now()
        self._lock = threading.Lock()

    def pipeline(self, scope: Scope) -> Pipeline:
        """The pipeline that answers in the scope now. Raises ConfigError or PluginError when it cannot be compiled."""
        place = self.visit(scope)
        if place.stand_in is not None:
            self._look_again(scope, place)
        return self.assembly.pipeline(scope, place.stand_in)

    def visit(self, scope: Scope) -> _Place:
        """The scope's place. At the first visit it is seen whether its model has seen all memories."""
        place = self._places.get(scope)
        if place is None or not place.number:
            with self._lock:
                place = self._places.get(scope)
                if place is None or not place.number:
                    place = self._places[scope] = self._begin(scope)
        return place

    def adopt(self) -> None:
        """Visit every scope that was in use under the former configuration. Raises what `pipeline` raises."""
        if self._former is not None:
            for scope in list(self._former._places):
                self.pipeline(scope)
                self._wanted.append(scope)

    def note(self, scope: Scope) -> str:
        """What a recall of the scope may be missing because its model has not seen everything; "" when it has."""
        place = self.visit(scope)
        if place.behind:
            self._look_again(scope, place)
        return NOT_SEEN if place.behind and place.stand_in is None else ""

    def recheck(self, scope: Scope) -> None:
        """Look through the whole scope again: older memories have come into sight."""
        place = self.visit(scope)
        place.cursor = 0
        self._want(scope)

    def recheck_all(self) -> None:
        """Look through every scope in use again."""
        for scope in list(self._places):
            self.recheck(scope)

    def fingerprints(self, scope: Scope) -> set[str]:
        """The spaces that recalls of the scope use, or will use once their vectors are made."""
        own, stand_in = self.assembly.embedder(scope.agent), self.visit(scope).stand_in
        return {embedder.fingerprint for embedder in (own, stand_in) if embedder is not None}

    def stand_in(self, number: int) -> GuardedEmbedder | None:
        """Who stands in for the own model of the scope with this number."""
        return next((place.stand_in for place in list(self._places.values()) if place.number == number), None)

    def seek(self) -> None:
        """Ask for what is missing in the scopes that were wanted, now and then in all that are in use."""
        now = self._shelf.now()
        wanted = set()
        while self._wanted:
            wanted.add(self._wanted.popleft())
        if now - self._looked >= LOOK_SECONDS * SECOND:
            self._looked = now
            wanted |= set(self._places)
        for scope in wanted:
            self._ask(scope, self.visit(scope), now)

    # -- inside

    def _want(self, scope: Scope) -> None:
        self._wanted.append(scope)
        self._shelf.wake()

    def _begin(self, scope: Scope) -> _Place:
        store = self._shelf.store
        place = _Place(number=store.scope_number(scope), target=store.size())
        own = self.assembly.embedder(scope.agent)
        if own is not None and place.number and self._missing(own, place):
            place.behind = True
            self._want(scope)
            place.stand_in = self._choose(scope, own, place.number)
        return place

    def _look_again(self, scope: Scope, place: _Place) -> None:
        """End the substitution once the own model has seen everything; whoever looks already looks for all."""
        own = self.assembly.embedder(scope.agent)
        if own is not None and self._lock.acquire(blocking=False):
            try:
                if not self._missing(own, place, up_to=place.target):
                    place.behind, place.stand_in = False, None
            finally:
                self._lock.release()

    def _choose(self, scope: Scope, own: GuardedEmbedder, number: int) -> GuardedEmbedder | None:
        """The model, of those this process had before, that has seen more of the scope than its own and all others."""

        def seen(embedder: GuardedEmbedder) -> int:
            return self._shelf.store.read(lambda tx: self._shelf.vectors.covered(tx, embedder.fingerprint, number))

        formers = {each.fingerprint: each for each in self._formers(scope.agent) if each.fingerprint != own.fingerprint}
        best, most = None, seen(own) if formers else 0
        for embedder in formers.values():
            if (count := seen(embedder)) > most:
                best, most = embedder, count
        return best

    def _formers(self, agent: str) -> Iterator[GuardedEmbedder]:
        """The agent's models under earlier configurations, oldest last; what cannot be built any more is left out."""
        former = self._former
        while former is not None:
            try:
                embedder = former.assembly.embedder(agent)
            except ComisError:
                embedder = None
            if embedder is not None:
                yield embedder
            former = former._former

    def _ask(self, scope: Scope, place: _Place, now: int) -> None:
        own = self.assembly.embedder(scope.agent)
        if own is None or not place.number or not self._missing(own, place):
            return
        shelf, space, number = self._shelf, own.fingerprint, place.number
        shelf.store.write(lambda tx: embed_missing(tx, shelf.outbox, shelf.vectors, space, number, now=now))

    def _missing(self, own: GuardedEmbedder, place: _Place, *, up_to: int | None = None) -> bool:
        """Whether a live memory (up to this one) waits for its vector; moves the cursor up to it."""
        shelf, space = self._shelf, own.fingerprint

        def first(reader: Transaction) -> int | None:
            ((newest,),) = reader.execute("SELECT coalesce(max(pk), 0) FROM memories")
            after = place.cursor
            while page := shelf.vectors.missing(reader, space, place.number, PAGE, after=after):
                given_up = shelf.outbox.given_up(reader, EMBED, page)
                waiting = next((pk for pk in page if pk not in given_up), None)
                if waiting is not None:
                    place.cursor = waiting - 1
                    return waiting
                after = page[-1]
            place.cursor = int(newest)
            return None

        waiting = shelf.store.read(first)
        return waiting is not None and (up_to is None or waiting <= up_to)
