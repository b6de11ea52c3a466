"""A scope's memories as turns of sessions: their order, their neighbours, who speaks with whom."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import SequenceArrays
from comis_core.senders import Roles

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from comis_core.model import Ids

Row = tuple[int, str | None, str | None, int | None, int]
"""(id, session, sender, turn, created_at)."""

MARK_BITS = 22
"""Bits below the id in a mark: 4 * stem count + 2 * asks + dated; a content has fewer than 2**17 stems."""

_LAST = np.iinfo(np.int64).max
"""Stands for an absent turn: such a memory follows the numbered turns of its session."""

_CHUNK = 512

_INSERTED = 64
"""More new turns than that are put in place by sorting everything anew."""


class Codes:
    """Small numbers for names, in order of arrival. It only grows, so that older arrays keep their meaning."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str | None, int] = {None: -1}

    def of(self, names: Sequence[str | None]) -> NDArray[np.int32]:
        """int32[n]: the number of each name, -1 for None."""
        for name in dict.fromkeys(names):
            if name is not None and name not in self._numbers:
                self._numbers[name] = len(self.names)
                self.names.append(name)
        return np.fromiter(map(self._numbers.__getitem__, names), np.int32, len(names))


@attrs.frozen(eq=False, repr=False)
class Sequenced:
    """The arrays of a state, and the counts that `two_sided` comes from.

    linked: how many turns follow another. replies: how many of them change the speaker. Both are 0 where there are not
    two named speakers.
    """

    arrays: SequenceArrays
    linked: int
    replies: int


@attrs.frozen(eq=False, repr=False, slots=False, kw_only=True)
class Turns:
    """One immutable state of a scope's turns, as columns by ascending id.

    order: int64[n], the rows sorted by (session, turn, created_at, id). complete: the index has a mark for every row.
    roles: who of the senders is a person.
    """

    sessions: Codes
    senders: Codes
    ids: Ids
    session: NDArray[np.int32]
    sender: NDArray[np.int32]
    turn: NDArray[np.int64]
    created: NDArray[np.int64]
    stems: NDArray[np.int32]
    asks: NDArray[np.bool_]
    dated: NDArray[np.bool_]
    order: NDArray[np.int64]
    complete: bool
    roles: Roles
    _continued: Sequenced | None
    """Its sequence where it could be continued from an earlier state's, which costs less than to make it."""
    _narrowed: dict[str, tuple[Ids, Turns]] = attrs.field(init=False, factory=dict)
    """The last narrowing, for the recalls that follow with the same filter."""

    @property
    def memory(self) -> Mapping[int, int]:
        """What its columns and the arrays made from them occupy, about."""
        return {id(self): 80 * len(self.ids) + 1000}

    @property
    def arrays(self) -> SequenceArrays:
        """The sequence of all its rows; the same each time."""
        return self._sequenced.arrays

    @cached_property
    def _sequenced(self) -> Sequenced:
        return _made(self) if self._continued is None else self._continued

    def narrowed(self, visible: Ids) -> Turns:
        """Only the rows whose ids are in `visible` (ascending)."""
        last = self._narrowed.get("last")
        if last is not None and np.array_equal(last[0], visible):
            return last[1]
        turns = _kept(self, np.isin(self.ids, visible, assume_unique=True))
        self._narrowed["last"] = (visible, turns)
        return turns

    def followed(self, touched: Sequence[int], rows: Sequence[Row], marks: NDArray[np.int64]) -> Turns:
        """The turns after a change of the memories `touched`, of which `rows` are there now, by ascending id."""
        turns = _kept(self, ~np.isin(self.ids, np.array(touched, np.int64), assume_unique=True))
        if not rows:
            return turns
        new = _columns(rows, marks, self.sessions, self.senders)
        complete = turns.complete and _complete(new["ids"], marks)
        columns = {name: np.concatenate((getattr(turns, name), column)) for name, column in new.items()}
        if len(rows) > _INSERTED or (len(turns.ids) and rows[0][0] < turns.ids[-1]):
            return _sorted(columns, self.sessions, self.senders, complete, self.roles)
        order, previous = _inserted(turns.order, columns)
        followed = Turns(
            sessions=self.sessions,
            senders=self.senders,
            order=order,
            complete=complete,
            roles=self.roles,
            continued=None,
            **columns,
        )
        earlier = self.__dict__.get("_sequenced", self._continued)  # not made for this alone
        if earlier is None or previous is None or turns is not self:
            return followed
        return attrs.evolve(followed, continued=_continued(followed, earlier, previous))


def turns_of(rows: Iterable[Row], marks: NDArray[np.int64], roles: Roles) -> Turns:
    """Turns from database rows by ascending id.

    marks: int64[m], ascending: id << MARK_BITS | what the index says of the content. A row without one has no stems.
    roles: who of the senders is a person.
    """
    sessions, senders = Codes(), Codes()
    columns = _columns(rows, marks, sessions, senders)
    return _sorted(columns, sessions, senders, _complete(columns["ids"], marks), roles)


def _columns(rows: Iterable[Row], marks: NDArray[np.int64], sessions: Codes, senders: Codes) -> dict[str, NDArray[Any]]:
    """Columns from rows, a part at a time: many tuples alive at once keep the garbage collector busy."""
    remaining = iter(rows)
    parts = [_part((), sessions, senders)]
    while chunk := list(islice(remaining, _CHUNK)):
        parts.append(_part(chunk, sessions, senders))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    mark = _marks_at(columns["ids"], marks)
    return columns | {"stems": (mark >> 2).astype(np.int32), "asks": (mark & 2) > 0, "dated": (mark & 1) > 0}


def _part(rows: Sequence[Row], sessions: Codes, senders: Codes) -> dict[str, NDArray[Any]]:
    pks, session, sender, turn, created = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return {
        "ids": np.array(pks, np.int64),
        "session": sessions.of(session),
        "sender": senders.of(sender),
        "turn": np.array([_LAST if at is None else at for at in turn] if None in turn else turn, np.int64),
        "created": np.array(created, np.int64),
    }


def _marks_at(ids: Ids, marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the mark of each id without the id, 0 where there is none."""
    if not len(marks) or not len(ids):
        return np.zeros(len(ids), np.int64)
    marked = marks >> MARK_BITS
    places = np.minimum(np.searchsorted(marked, ids), len(marked) - 1)
    return np.where(marked[places] == ids, marks[places] & ((1 << MARK_BITS) - 1), 0)


def _complete(ids: Ids, marks: NDArray[np.int64]) -> bool:
    return bool(np.isin(ids, marks >> MARK_BITS, assume_unique=True).all())


def _sorted(columns: dict[str, NDArray[Any]], sessions: Codes, senders: Codes, complete: bool, roles: Roles) -> Turns:
    if np.any(np.diff(columns["ids"]) < 0):
        by_id = np.argsort(columns["ids"], kind="stable")
        columns = {name: column[by_id] for name, column in columns.items()}
    # Rows are in order of id already and the sort is stable, so the id needs no key of its own.
    order = np.lexsort((columns["created"], columns["turn"], columns["session"])).astype(np.int64)
    return Turns(
        sessions=sessions, senders=senders, order=order, complete=complete, roles=roles, continued=None, **columns
    )


def _kept(turns: Turns, keep: NDArray[np.bool_]) -> Turns:
    if keep.all():
        return turns
    renumbered = np.cumsum(keep) - 1
    return attrs.evolve(
        turns,
        ids=turns.ids[keep],
        session=turns.session[keep],
        sender=turns.sender[keep],
        turn=turns.turn[keep],
        created=turns.created[keep],
        stems=turns.stems[keep],
        asks=turns.asks[keep],
        dated=turns.dated[keep],
        order=renumbered[turns.order[keep[turns.order]]],
        continued=None,
    )


def _inserted(
    order: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[np.int64], Sequence[int] | None]:
    """Put the rows that `order` lacks, those with the highest ids, in their places.

    Returns:
        The order of all rows, and the row that each of the new ones follows in its session, -1 for none; None instead
        when one of them is not the last of its session.
    """
    session = columns["session"]
    previous, last = [], True
    for row in range(len(order), len(session)):
        place = _place(order, columns, row)
        before, behind = _beside(order, session, place, row)
        previous.append(before)
        last = last and behind < 0
        order = np.insert(order, place, row)
    return order, previous if last else None


def _place(order: NDArray[np.int64], columns: Mapping[str, NDArray[Any]], row: int) -> int:
    """Where in `order` a row with the highest id so far belongs."""
    session, turn, created = columns["session"], columns["turn"], columns["created"]
    by_session = session[order]
    low, high = (int(np.searchsorted(by_session, session[row], side)) for side in ("left", "right"))
    key = (int(turn[row]), int(created[row]))
    within = range(low, high)
    return low + bisect.bisect_right(within, key, key=lambda at: (int(turn[order[at]]), int(created[order[at]])))


def _beside(order: NDArray[np.int64], session: NDArray[np.int32], place: int, row: int) -> tuple[int, int]:
    """The rows of its own session between which a row belongs, at a place in `order`; -1 for none."""
    if session[row] < 0:
        return -1, -1
    before = int(order[place - 1]) if place and session[order[place - 1]] == session[row] else -1
    behind = int(order[place]) if place < len(order) and session[order[place]] == session[row] else -1
    return before, behind


def _made(turns: Turns) -> Sequenced:
    """A state's sequence from its rows alone."""
    previous, following, position = _neighbours(turns.session, turns.order)
    sender, senders, named = _senders(turns.sender, turns.senders.names, turns.roles)
    linked, replies = _replies(sender, named, previous)
    return Sequenced(
        _arrays(turns, previous, following, position, sender, senders, named, linked, replies), linked, replies
    )


def _continued(turns: Turns, earlier: Sequenced, follows: Sequence[int]) -> Sequenced | None:
    """The same from an earlier state's; None when there is a new sender, for senders are numbered by name.

    follows: the row that each of the new ones follows, -1 for none; each is the last one of its session.
    """
    former = earlier.arrays
    count, more = len(former.ids), len(follows)
    numbers = {name: number for number, name in enumerate(former.senders)}
    names = [turns.senders.names[code] if code >= 0 else None for code in turns.sender[count:].tolist()]
    if not numbers.keys() >= set(names) - {None}:
        return None
    absent = np.full(more, -1, np.int32)
    previous, following, position, sender = (
        np.concatenate((old, absent)) for old in (former.previous, former.following, former.position, former.sender)
    )
    sender[count:] = [-1 if name is None else numbers[name] for name in names]
    two = int(np.count_nonzero(former.named) == 2)
    linked, replies = earlier.linked, earlier.replies
    for row, before in enumerate(follows, start=count):
        if before >= 0:
            previous[row], following[before], position[row] = before, row, position[before] + 1
            linked += two
            replies += two and _replies_to(sender[row], sender[before], former.named)
        elif turns.session[row] >= 0:
            position[row] = 0
    arrays = _arrays(turns, previous, following, position, sender, former.senders, former.named, linked, replies)
    return Sequenced(arrays, linked, replies)


def _replies_to(one: int, other: int, named: NDArray[np.bool_]) -> bool:
    return bool(one != other and one >= 0 and other >= 0 and named[one] and named[other])


def _arrays(
    turns: Turns,
    previous: NDArray[np.int32],
    following: NDArray[np.int32],
    position: NDArray[np.int32],
    sender: NDArray[np.int32],
    senders: tuple[str, ...],
    named: NDArray[np.bool_],
    linked: int,
    replies: int,
) -> SequenceArrays:
    arrays = SequenceArrays(
        ids=turns.ids,
        session=turns.session,
        position=position,
        sender=sender,
        previous=previous,
        following=following,
        stems=turns.stems,
        asks=turns.asks,
        dated=turns.dated,
        senders=senders,
        named=named,
        two_sided=2 * replies > linked,
    )
    for field in attrs.fields(SequenceArrays):
        value = getattr(arrays, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return arrays


def _neighbours(
    session: NDArray[np.int32], order: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Previous row, following row and place within the session of each row; -1 outside sessions."""
    count = len(order)
    previous, following, position = (np.full(count, -1, np.int32) for _ in range(3))
    by_session = session[order]
    linked = (by_session[1:] == by_session[:-1]) & (by_session[1:] >= 0)
    earlier, later = order[:-1][linked], order[1:][linked]
    previous[later] = earlier
    following[earlier] = later
    places = np.arange(count)
    begins = np.ones(count, np.bool_)
    begins[1:] = ~linked
    within = places - np.maximum.accumulate(np.where(begins, places, 0)) if count else places
    position[order] = np.where(by_session >= 0, within, -1)
    return previous, following, position


def _senders(
    sender: NDArray[np.int32], names: Sequence[str], roles: Roles
) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.bool_]]:
    """Senders renumbered to those that are there, by name."""
    present = np.flatnonzero(np.bincount(sender + 1, minlength=1)[1:])
    ranked = sorted((names[code], code) for code in present.tolist())
    table = np.full(int(present[-1]) + 2 if len(present) else 1, -1, np.int32)
    for number, (_, code) in enumerate(ranked):
        table[code + 1] = number
    senders = tuple(name for name, _ in ranked)
    return table[sender + 1], senders, np.array([roles.is_person(name) for name in senders], np.bool_)


def _replies(sender: NDArray[np.int32], named: NDArray[np.bool_], previous: NDArray[np.int32]) -> tuple[int, int]:
    """How many turns follow another, and how many of them change the speaker; 0 without two named speakers."""
    if np.count_nonzero(named) != 2:
        return 0, 0
    later = np.flatnonzero(previous >= 0)
    one, other = sender[later], sender[previous[later]]
    between = (one != other) & (one >= 0) & (other >= 0)
    between &= named[one] & named[other]
    return len(later), int(np.count_nonzero(between))
