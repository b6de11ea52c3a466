"""Copies as proof: what several people say in the same words was confirmed as often as they say it together."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from comis_core.model import TRUST_CODES, Trust
from comis_core.recall.checks import locked

if TYPE_CHECKING:
    from comis_core.recall.columns import Columns

_EXTERNAL = TRUST_CODES[Trust.EXTERNAL]


def with_copies_as_proof(columns: Columns) -> Columns:
    """The columns, each candidate's `proof_count` being its own and those of other senders with the same text.

    A sender counts once, however often he says it, with the highest count among his copies; where none is known, each
    session does. A copy proves nothing of higher trust than its own, and an external one proves nothing at all.
    """
    prints = columns["fingerprint"].tolist()
    if len(set(prints)) == len(prints):
        return columns
    copies: dict[bytes, list[int]] = {}
    for place, each in enumerate(prints):
        copies.setdefault(each, []).append(place)
    proofs = columns["proof_count"].copy()
    for places in copies.values():
        if len(places) > 1:
            for place in places:
                proofs[place] += sum(_others(columns, place, places).values())
    return ChainMap({"proof_count": locked(proofs)}, dict(columns))


def _others(columns: Columns, place: int, places: list[int]) -> Mapping[object, float]:
    """Other voices with the same text -> the most proofs that one of their copies has."""
    trust, counts = columns["trust"], columns["proof_count"]
    found: dict[object, float] = {}
    for other in places:
        voice = _voice(columns, other)
        proves = trust[other] != _EXTERNAL and trust[other] >= trust[place]
        if proves and voice != _voice(columns, place):
            found[voice] = max(found.get(voice, 0.0), float(counts[other]))
    return found


def _voice(columns: Columns, place: int) -> tuple[object, object]:
    sender = columns["sender"][place]
    return (sender, None) if sender is not None else (None, columns["session"][place])
