"""Which turns answer which: the neighbours of every turn, and how much each may hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import SequenceArrays
from comis_core.senders import Roles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Scores

GATE_STEMS = 40.0
"""A turn of at most so many stems takes all that its neighbours hand on; a longer one stands for itself."""

BEFORE, REPLY, AFTER, TWO = 0.1, 0.8, 0.35, 0.15
"""Shares of a neighbour's claim: the turn before, added when that one asks, the turn after, those two away."""

MIX = 0.75
"""How much of the previous turn's vector is mixed into a turn's own."""


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Links:
    """One state of a scope's turns, as arrays by ascending id.

    A turn is linked to the one before it in its session when somebody else says it: reply and remark, not a monologue.
    What a machine says is linked to nothing: its replies are about everything that they follow, and say little of it. A
    neighbour two turns away counts only through an unbroken chain of links. Places are indices into the arrays;
    `len(ids)` stands for "no such neighbour".

    said, roles: what they were made from. linked: bool[n]. before, after, two_before, two_after: int64[n], places of
    neighbours. from_before, from_after, from_two: float64[n], the share of that neighbour's claim. mix: float64[n],
    the part of the previous turn's vector in the mixed one. length: float64[n] in 0..1, above 0: how much of a
    statement each turn is, as the vector lane discounts it.
    """

    said: SequenceArrays
    roles: Roles
    linked: NDArray[np.bool_]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    two_before: NDArray[np.int64]
    two_after: NDArray[np.int64]
    from_before: Scores
    from_after: Scores
    from_two: Scores
    mix: Scores
    length: Scores

    def inherited(self, claims: Scores) -> Scores:
        """float64[n]: what every turn inherits from its neighbours. claims: float64[n], of some lane."""
        given = np.append(claims, 0.0)
        inherited: Scores = given.take(self.before)
        inherited *= self.from_before
        for neighbours, share in (
            (given.take(self.after), self.from_after),
            (given.take(self.two_before) + given.take(self.two_after), self.from_two),
        ):
            neighbours *= share
            inherited += neighbours
        return inherited


def link(said: SequenceArrays, full_stems: int, roles: Roles) -> Links:
    """The links of a sequence.

    full_stems: stems from which on a turn is a full statement; 0: every turn is one. roles: who is a machine, as the
        scope has it (`Roles.beside`).
    """
    none = len(said.ids)
    previous, following = said.previous.astype(np.int64), said.following.astype(np.int64)
    person = _by_person(said, roles)
    linked = (previous >= 0) & (said.sender != said.sender[previous]) & person & person[previous]
    before = np.where(linked, previous, none)
    after = np.where((following >= 0) & linked[following], following, none)
    gate = np.minimum(1.0, (GATE_STEMS / np.maximum(said.stems, 1)) ** 2)
    return Links(
        said=said,
        roles=roles,
        linked=linked,
        before=before,
        after=after,
        two_before=np.append(before, none)[before],
        two_after=np.append(after, none)[after],
        from_before=gate * (BEFORE + REPLY * said.asks[previous]),
        from_after=gate * AFTER,
        from_two=gate * TWO,
        mix=np.where(linked, MIX * gate, 0.0),
        length=_length(said, full_stems),
    )


def _by_person(said: SequenceArrays, roles: Roles) -> NDArray[np.bool_]:
    """bool[n]: whether a person says it, and no machine; true where the sender is not known."""
    people = np.array([*(not roles.machine(sender) for sender in said.senders), True])
    return people[said.sender]


def _length(said: SequenceArrays, full_stems: int) -> Scores:
    if not full_stems or not len(said.ids):
        return np.ones(len(said.ids))
    full = max(1.0, min(float(full_stems), float(np.median(said.stems))))
    return np.minimum(1.0, np.maximum(said.stems, 1) / full)
