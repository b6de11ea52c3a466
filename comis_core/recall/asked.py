"""What a caller asks, checked once at the door."""

from __future__ import annotations

from hashlib import blake2b

import attrs

from comis_core.arguments import MOST
from comis_core.errors import ComisError, shown
from comis_core.model import Filters
from comis_core.model.shown import Compared
from comis_core.recall.parts import RecallSettings


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Limits(Compared):
    """How much may come back.

    max_results: items, at least 1. max_context_chars: characters of the prompt block, 0 = no limit. min_score: floor
    under the fused score, in 0..1.
    """

    max_results: int
    max_context_chars: int
    min_score: float

    @classmethod
    def of(
        cls,
        settings: RecallSettings,
        max_results: int | None = None,
        max_context_chars: int | None = None,
        min_score: float | None = None,
    ) -> Limits:
        """The agent's settings, overridden by what is not None. Raises ComisError for values out of range."""
        return cls(
            max_results=_whole("max_results", settings.max_results if max_results is None else max_results, 1),
            max_context_chars=_whole(
                "max_context_chars", settings.max_context_chars if max_context_chars is None else max_context_chars, 0
            ),
            min_score=_share("min_score", settings.min_score if min_score is None else min_score),
        )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Asked(Compared):
    """One call: what decides the answer besides the question, the store and the pipeline.

    Neither the question nor who asked it is here, for a trace holds this.
    """

    kind: str
    """"recall", or "search": the same without diversity, budget and prompt block."""
    time_zone: str
    now: int
    filters: Filters
    limits: Limits
    candidates: int
    """How many candidates each lane is asked for."""
    seed: int
    """Decides whatever is random."""
    unread: int = 0
    """Characters of the question that were not looked at, for it is too long."""


def seed_of(scope: str, text: str, asker: str | None, now: int) -> int:
    """A number that follows from the question, its moment and its scope, and that nobody who wrote a memory knew."""
    words = "\0".join((scope, text, asker or "", str(now)))
    return int.from_bytes(blake2b(words.encode(), digest_size=6).digest(), "big")


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ComisError(f"{name} must be a whole number of at least {least}, not {shown(value)}")
    if value > MOST:
        raise ComisError(f"{name} must be a whole number of at most {MOST:,}, not {shown(value)}")
    return value


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ComisError(
            f"{name} must be a number in 0..1, not {shown(value)}", hint="every fusion's scores lie in 0..1"
        )
    return float(value)
