"""Conflict: memories that contradict each other stay, the winner directly above its highest-placed rival.

Two memories contradict each other when one explicitly supersedes the other, when they have the same key and different
text, or when they state different values for the same subject and functional predicate. An explicit word decides;
otherwise the higher trust wins, then the newer event, then the higher id. The event time of a statement is its own,
else that of its memory, else the memory's record time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from comis_core.recall.reader import Reader

if TYPE_CHECKING:
    from comis_core.model import Ids
    from comis_core.recall.columns import Columns

Pair = tuple[int, int]
"""(winner, loser), as places in the pool."""

Statement = tuple[int, str, str, str, int | None]
"""What `Reader.statements` gives of one triple."""

Strength = Callable[[int], tuple[float, ...]]
"""Place in the pool -> what decides between two memories, compared from left to right."""


@attrs.frozen(eq=False, repr=False)
class Conflicts:
    """Loser -> its winners, the one that counts first; places in the pool."""

    winners: Mapping[int, tuple[int, ...]] = attrs.field(factory=dict)

    def between(self, one: int, other: int) -> bool:
        """Whether these two contradict each other."""
        return other in self.winners.get(one, ()) or one in self.winners.get(other, ())

    def among(self, leader_of: Mapping[int, int]) -> Conflicts:
        """The same among those that stay after folding: a winner counts through the copy that stands for it.

        Args:
            leader_of: every candidate -> the copy that stays.
        """
        stay = set(leader_of.values())
        losers = ((loser, winners) for loser, winners in self.winners.items() if loser in stay)
        return _acyclic((leader_of[winner], loser) for loser, winners in losers for winner in winners)


def find_conflicts(ids: Ids, columns: Columns, predicates: Sequence[str], reader: Reader) -> Conflicts:
    """Every contradiction among the candidates.

    Args:
        ids: int64[n], ascending.
        columns: their columns.
        predicates: `functionalPredicates`, which have one value at a time.
        reader: where explicit words and statements are read.
    """
    if len(ids) < 2:
        return Conflicts()
    superseded, keyed = reader.supersedes(ids), _by_value(columns["key"].tolist())
    statements = reader.statements(ids, predicates) if predicates else ()
    if not (superseded or keyed or statements):
        return Conflicts()
    place = {pk: index for index, pk in enumerate(ids.tolist())}
    explicit = [(place[winner], place[loser]) for winner, loser in superseded if winner in place]
    strength = _strength(columns)
    decided = {frozenset(pair) for pair in explicit}
    implied = [
        pair
        for pair in (*_by_key(keyed, columns, strength), *_by_statement(statements, place, strength))
        if frozenset(pair) not in decided
    ]
    return _acyclic([*_strongest_first(explicit, strength), *_strongest_first(implied, strength)])


def winners_first(order: Iterable[int], conflicts: Conflicts) -> list[int]:
    """The order with every winner directly above its highest-placed rival, unless it is above all of them already."""
    order = list(order)
    if not conflicts.winners:
        return order
    present = set(order)
    placed: dict[int, None] = {}
    for item in order:
        # Depth first without recursion: a chain of corrections may be longer than the interpreter's stack.
        waiting = [item]
        while waiting:
            winners = conflicts.winners.get(waiting[-1], ())
            above = next((winner for winner in winners if winner in present and winner not in placed), None)
            if above is not None:
                waiting.append(above)
            else:
                placed[waiting.pop()] = None
    return list(placed)


def _by_value(keys: Sequence[str | None]) -> list[list[int]]:
    """The places of each key that several memories have."""
    groups: dict[str, list[int]] = {}
    for index, key in enumerate(keys):
        if key is not None:
            groups.setdefault(key, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _by_key(groups: Sequence[Sequence[int]], columns: Columns, strength: Strength) -> Iterator[Pair]:
    prints = columns["fingerprint"]
    for group in groups:
        winner = max(group, key=strength)
        yield from ((winner, rival) for rival in group if prints[rival] != prints[winner])


def _by_statement(statements: Sequence[Statement], place: Mapping[int, int], strength: Strength) -> Iterator[Pair]:
    groups: dict[tuple[str, str], dict[int, set[str]]] = {}
    strengths: dict[tuple[str, str], dict[int, tuple[float, ...]]] = {}
    for pk, subject, predicate, value, occurred in statements:
        about, index = (subject, predicate), place[pk]
        groups.setdefault(about, {}).setdefault(index, set()).add(value)
        trust, moment, last = strength(index)
        stated = (trust, moment if occurred is None else occurred, last)
        known = strengths.setdefault(about, {})
        known[index] = max(stated, known.get(index, stated))
    for about, group in groups.items():
        winner = max(group, key=strengths[about].__getitem__)
        yield from ((winner, rival) for rival, values in group.items() if values.isdisjoint(group[winner]))


def _strength(columns: Columns) -> Strength:
    trust, created, occurred = (columns[name].tolist() for name in ("trust", "created_at", "occurred_at"))

    def strength(index: int) -> tuple[float, ...]:
        moment = created[index] if math.isnan(occurred[index]) else occurred[index]
        return trust[index], moment, index

    return strength


def _strongest_first(pairs: Iterable[Pair], strength: Strength) -> list[Pair]:
    return sorted(set(pairs), key=lambda pair: (strength(pair[0]), -pair[1]), reverse=True)


def _acyclic(pairs: Iterable[Pair]) -> Conflicts:
    """All pairs but those that would put a memory above itself; earlier pairs count more."""
    winners: dict[int, tuple[int, ...]] = {}
    for winner, loser in pairs:
        if winner != loser and loser not in _all_above(winner, winners):
            known = winners.get(loser, ())
            winners[loser] = known if winner in known else (*known, winner)
    return Conflicts(winners)


def _all_above(item: int, winners: Mapping[int, tuple[int, ...]]) -> set[int]:
    above: set[int] = set()
    waiting = [item]
    while waiting:
        fresh = set(winners.get(waiting.pop(), ())) - above
        above |= fresh
        waiting += fresh
    return above
