"""Counts, when a turn ends, which of its recalled memories were used and which were ignored. A turn counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import UUID

import attrs

from comis_core.protocols import BuildContext, Embedder, Observer, Transaction
from comis_core.text import Analyser
from comis_plugins.feedback.attribution import used_memories
from comis_plugins.feedback.options import FeedbackOptions

if TYPE_CHECKING:
    from comis_core.model import Turn

_ONCE = "INSERT INTO feedback_turns VALUES (?) ON CONFLICT DO NOTHING RETURNING 1"

_COUNT = """
INSERT INTO feedback_uses(id, intent, shown, used)
SELECT m.id, ?, 1, ? FROM memories AS m JOIN scopes AS s ON s.scope = m.scope
WHERE m.id = ? AND m.closed_at IS NULL AND s.tenant = ? AND s.agent = ?
ON CONFLICT DO UPDATE SET shown = shown + 1, used = used + excluded.used"""


@attrs.frozen(eq=False, repr=False)
class FeedbackObserver(Observer):
    """Attributes a turn's recalled memories. Being shown never raises a memory; being ignored lowers it."""

    text: Analyser
    embedder: Embedder | None

    def prepare(self, turn: Turn) -> frozenset[str]:
        """Ids of the memories that were used; embedding happens here, before the lock."""
        return used_memories(turn.answer, turn.texts, turn.cited, self.text, self.embedder)

    def turn_ended(self, tx: Transaction, turn: Turn, prepared: object) -> None:
        """Count, unless this turn was reported before."""
        used: frozenset[str] = prepared if isinstance(prepared, frozenset) else frozenset()
        scope = (turn.scope.tenant, turn.scope.agent)
        if list(tx.execute(_ONCE, (_digest(*scope, turn.session, turn.turn),))):
            tx.executemany(_COUNT, _rows(turn.recalled, turn.texts, used, turn.intent, scope))


def _digest(*names: str) -> bytes:
    """16 bytes that stand for a turn; nothing of its names can be had back."""
    return blake2b("\0".join(names).encode(), digest_size=16).digest()


def _rows(
    recalled: Sequence[str], texts: Mapping[str, str], used: frozenset[str], intent: str, scope: tuple[str, str]
) -> list[tuple[object, ...]]:
    known = [id for id in dict.fromkeys(recalled) if id in texts]
    return [(intent, int(id in used), UUID(id).bytes, *scope) for id in known]


def build_observer(context: BuildContext, options: FeedbackOptions) -> FeedbackObserver:
    """The observer of one engine."""
    return FeedbackObserver(context.text, context.embedder)
