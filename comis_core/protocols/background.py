"""The request and answer records of parts that work beside recalls: language models, resolvers, jobs and observers."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Message(Compared):
    """One chat message for a language model. role: system, user or assistant."""

    role: str
    content: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Completion(Compared):
    """A language model's answer and what it cost in tokens."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Verdict(Compared):
    """The fused outcome so far, for resolvers that need it."""

    label: str
    confidence: float


@attrs.frozen(kw_only=True, eq=False, repr=False)
class JobReport(Compared):
    """What a job did, as counts."""

    counts: Mapping[str, int] = attrs.field(factory=dict)
    message: str = ""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Event(Compared):
    """Something worth counting; counts only, never text."""

    name: str
    counts: Mapping[str, int]
