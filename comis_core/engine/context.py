"""The context that parts are built with: `protocols.BuildContext` over one engine."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from comis_core.errors import PartInactive
from comis_core.model import Scope
from comis_core.protocols import Clock, Documents, Embedder, LanguageModel, Ledger, SequenceService, Vectors
from comis_core.senders import Roles

if TYPE_CHECKING:
    from comis_core.model import Finding
    from comis_core.text import Analyser

T = TypeVar("T")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Context:
    """What a part may use of the world."""

    clock: Clock
    log: logging.Logger
    text: Analyser
    vectors: Vectors
    sequence: SequenceService
    folder: str
    scope: Scope | None = None
    roles: Roles = attrs.field(factory=Roles)
    embedder: Embedder | None = None
    judge: Callable[[str, str], list[Finding]]
    """What the enabled validators say of (text, purpose)."""
    shared: Callable[[tuple[object, ...], Callable[[], Any]], Any]
    settings: Callable[[str], Any]
    known_scopes: Callable[[], list[Scope]]

    @property
    def documents(self) -> Documents:
        """Learned documents. Raises PartInactive: this version keeps none."""
        raise PartInactive("this version keeps no learned documents")

    @property
    def ledger(self) -> Ledger:
        """Outcomes. Raises PartInactive: this version keeps none."""
        raise PartInactive("this version keeps no outcomes")

    def validate(self, text: str, purpose: str) -> list[Finding]:
        """What the enabled validators say of a text."""
        return self.judge(text, purpose)

    def language_model(self, purpose: str) -> LanguageModel | None:
        """None: no language model plugin is part of this version."""
        return None

    def resource(self, key: tuple[object, ...], factory: Callable[[], T]) -> T:
        """A heavy thing shared within this engine."""
        made: T = self.shared(key, factory)
        return made

    def scopes(self) -> list[Scope]:
        """Every scope of the file."""
        return self.known_scopes()

    def setting(self, path: str) -> Any:
        """A core config value by its documented path."""
        return self.settings(path)
