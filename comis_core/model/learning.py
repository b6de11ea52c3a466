"""What learning works with: turns, observations, outcomes, documents and validators' findings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import attrs

from comis_core.model.memory import Scope, Trust


@attrs.frozen(kw_only=True)
class Turn:
    """One request of the host agent with what was recalled, what was answered and what was used."""

    scope: Scope
    session: str
    turn: str
    """An id of the caller's; one turn counts once, however often it is reported."""
    request: str
    answer: str
    ended_at: datetime
    sender: str | None = None
    intent: str = "factual"
    recalled: tuple[str, ...] = ()
    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Id -> content of the recalled memories that are still there; filled in by the core."""
    cited: tuple[str, ...] = ()
    """Ids the agent says it used."""


@attrs.frozen(kw_only=True)
class Observation:
    """One signal about how a turn or task went, of an open kind ("tool", "reaction", "vote", ...)."""

    kind: str
    label: str
    """success, failure, corrected or unknown."""
    confidence: float
    """0..1."""
    source: str = ""
    """Stamped by the core with the resolver's name."""
    evidence: Mapping[str, Any] = attrs.field(factory=dict)
    observed_at: datetime | None = None


@attrs.frozen(kw_only=True)
class Outcome:
    """The fused verdict on a trajectory."""

    scope: Scope
    trajectory: str
    session: str
    label: str
    confidence: float
    observations: tuple[Observation, ...]
    recalled: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Trajectory:
    """A request with its recalls, tools and answer, as outcome resolvers see it."""

    scope: Scope
    turn: Turn
    events: tuple[Mapping[str, Any], ...] = ()
    next_message: str | None = None
    """The next user message of the session, once there is one."""
    sender_trust: str = "unknown"


@attrs.frozen(kw_only=True)
class Section:
    """A part of a learned document; its body stays byte-identical unless a delta names it."""

    id: str
    heading: str
    body: str


@attrs.frozen(kw_only=True)
class Document:
    """A learned document (mental model) of kind skill, profile or topic."""

    id: str
    scope: Scope
    kind: str
    title: str
    sections: tuple[Section, ...]
    state: str
    """candidate, active, stale or archived."""
    trust: Trust = Trust.LEARNED
    proof_count: int = 1
    confidence: float = 0.5
    source_ids: tuple[str, ...] = ()
    required_tools: tuple[str, ...] = ()
    mutating: bool = False
    owner: str | None = None


@attrs.frozen(kw_only=True)
class Finding:
    """A validator's word on a text. severity: "critical" (refused) or "warning" (stored as external)."""

    severity: str
    code: str
    message: str
