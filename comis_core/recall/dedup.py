"""Dedup: of texts that say the same, one copy stays and remembers the others.

Equal fingerprints are folded wherever they stand in the pool. Token sets are compared from the top until `reach`
different texts are found, more than an answer takes, so that a short answer does not pay for analysing a long pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.recall.conflict import Conflicts
from comis_core.text import similarity

if TYPE_CHECKING:
    from comis_core.recall.columns import Columns

Tokens = Sequence[Any]
"""The distinct tokens of a text, ascending; words or numbers that stand for them."""

LEAST_REACH = 10


def reach(max_results: int) -> int:
    """Down to how many different texts token sets are compared."""
    return max(LEAST_REACH, 2 * max_results)


@attrs.define(eq=False, repr=False)
class Folding:
    """The candidates that stay, best first, and whom each stands for; all as places in the pool.

    A group of copies stands where its highest-placed member stood.
    """

    columns: Columns
    conflicts: Conflicts
    leaders: list[int] = attrs.field(factory=list)
    """The copy that stays, a group."""
    others: dict[int, list[int]] = attrs.field(factory=dict)
    """Number of a group with copies -> those that do not stay."""

    def open(self, leader: int, others: Sequence[int] = ()) -> None:
        """A new group at the end."""
        if others:
            self.others[len(self.leaders)] = list(others)
        self.leaders.append(leader)

    def join(self, group: int, leader: int, others: Sequence[int] = ()) -> None:
        """Add copies and their best; it leads if it has higher trust than the group's, or the same and is newer."""
        behind = self.others.setdefault(group, [])
        behind += others
        known = self.leaders[group]
        if self._strength(leader, known) > self._strength(known, leader):
            self.leaders[group] = leader
            behind.append(known)
        else:
            behind.append(leader)

    def append(self, other: Folding, start: int) -> None:
        """The other's groups from `start` on, as they are."""
        shift = len(self.leaders) - start
        self.leaders += other.leaders[start:]
        self.others |= {group + shift: behind for group, behind in other.others.items() if group >= start}

    def members(self, group: int) -> tuple[int, ...]:
        """Everybody in a group, who stays first."""
        return self.leaders[group], *self.others.get(group, ())

    def copies(self, leader: int) -> list[int]:
        """Whom a copy that stays stands for."""
        return self.others.get(self.leaders.index(leader), []) if self.others else []

    def leader_of(self) -> dict[int, int]:
        """Every candidate -> the copy that stays."""
        groups = enumerate(self.leaders)
        return {member: leader for group, leader in groups for member in self.members(group)}

    def conflicts_among_leaders(self) -> Conflicts:
        """The contradictions between those that stay."""
        return self.conflicts.among(self.leader_of()) if self.conflicts.winners else self.conflicts

    def _strength(self, item: int, other: int) -> tuple[float, ...]:
        # A copy that was explicitly replaced never stays in place of the one that replaced it.
        replaced = other in self.conflicts.winners.get(item, ())
        return not replaced, self.columns["trust"][item], self.columns["created_at"][item], item


def dedup(
    order: Sequence[int],
    columns: Columns,
    conflicts: Conflicts,
    tokens: Callable[[Sequence[int]], Iterable[Tokens]],
    *,
    threshold: float,
    reach: int,
) -> Folding:
    """Fold copies: same fingerprint, or Jaccard similarity of the token sets >= `threshold`.

    Near-copies that contradict each other are not folded: the one word in which they differ is what matters.

    Args:
        order: places of the candidates, best first.
        columns: their columns.
        conflicts: who contradicts whom.
        tokens: those of candidates, given their places.
        threshold: in 0..1.
        reach: down to how many different texts token sets are compared.
    """
    exact = _exact(order, columns, conflicts)
    if len(exact.leaders) < 2:
        return exact
    folding = Folding(columns, conflicts)
    opened: dict[int, int] = {}
    near_copies = _near_copies(_in_portions(exact.leaders, tokens, reach), threshold)
    for number, leader in enumerate(exact.leaders):
        if len(folding.leaders) == reach:
            folding.append(exact, number)
            break
        others, near = exact.others.get(number, ()), next(near_copies)
        group = _foldable(leader, [opened[earlier] for earlier in near if earlier in opened], folding) if near else None
        if group is None:
            opened[number] = len(folding.leaders)
            folding.open(leader, others)
        else:
            folding.join(group, leader, others)
    return folding


def _in_portions(
    leaders: Sequence[int], tokens: Callable[[Sequence[int]], Iterable[Tokens]], size: int
) -> Iterator[Tokens]:
    for start in range(0, len(leaders), size):
        yield from tokens(leaders[start : start + size])


def _foldable(leader: int, groups: Iterable[int], folding: Folding) -> int | None:
    for group in groups:
        if not any(folding.conflicts.between(leader, member) for member in folding.members(group)):
            return group
    return None


def _exact(order: Sequence[int], columns: Columns, conflicts: Conflicts) -> Folding:
    prints = columns["fingerprint"].tolist()
    if len(set(prints)) == len(prints):
        return Folding(columns, conflicts, list(order))
    folding = Folding(columns, conflicts)
    groups: dict[bytes, int] = {}
    for item in order:
        group = groups.setdefault(prints[item], len(folding.leaders))
        if group == len(folding.leaders):
            folding.open(item)
        else:
            folding.join(group, item)
    return folding


def _near_copies(texts: Iterable[Tokens], threshold: float) -> Iterator[list[int]]:
    """Of each text the earlier ones that are similar enough, in their order, without comparing all pairs.

    Two sets whose Jaccard similarity is at least t share one of the first n - ceil(t n) + 1 of their n tokens in any
    common order of tokens (prefix filtering: Chaudhuri, Ganti, Kaushik, 2006).
    """
    known: list[Tokens] = []
    by_token: dict[Any, list[int]] = {}
    for tokens in texts:
        first = tokens[: len(tokens) - math.ceil(threshold * len(tokens) - 1e-9) + 1]
        possible = {earlier for token in first for earlier in by_token.get(token, ())}
        yield sorted([earlier for earlier in possible if _alike(tokens, known[earlier], threshold)])
        for token in first:
            by_token.setdefault(token, []).append(len(known))
        known.append(tokens)


def _alike(left: Tokens, right: Tokens, threshold: float) -> bool:
    # No more can be shared than the shorter has, nor less there in all than the longer; few pairs come further.
    own, other = len(left), len(right)
    at_most = own / other if own < other else other / own
    return at_most >= threshold and similarity(frozenset(left), frozenset(right)) >= threshold
