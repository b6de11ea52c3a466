"""All made-up sets."""

from __future__ import annotations

from collections.abc import Iterator

from synthetic import (
    as_of,
    assistant,
    causal,
    chatter,
    confirmed,
    fading,
    habits,
    lately,
    paraphrase,
    sources,
    supersession,
    temporal,
)
from synthetic.writing import Draft

SEED = 7

PAST = ("record_as_of", "event_as_of")


def drafts(seed: int = SEED) -> Iterator[Draft]:
    """Every case of every set; `present` is `as_of` without the moments that its questions ask about.

    `assistant` is written by hand from end to end: no seed changes it.
    """
    for kind in (causal, temporal, supersession, paraphrase, habits, fading, chatter, lately, sources, confirmed):
        yield from kind.drafts(seed)
    for draft in as_of.drafts(seed):
        yield draft
        yield draft.without("present", *PAST)
    yield from assistant.drafts()
