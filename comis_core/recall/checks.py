"""Whether what a part returned keeps its contract: every function returns the sound value or raises ContractError."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from comis_core.errors import ComisError, ContractError
from comis_core.model import Claims, Query, Ranking, TimeWindow, from_microseconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

_BITS_OF_ONE = np.float64(1.0).view(np.uint64)


def breach(words: str) -> NoReturn:
    """Say which promise was broken."""
    raise ContractError(words)


class Ascending:
    """Knows arrays of ids that were found ascending and unique: a scope's are the same array in recall after recall.

    Only an array that nobody can write to is remembered, and only as long as somebody else holds it.
    """

    def __init__(self) -> None:
        self._known: WeakValueDictionary[int, Ids] = WeakValueDictionary()

    def holds(self, ids: Ids) -> bool:
        """Whether they are."""
        closed = ids.base is None and not ids.flags.writeable
        if closed and self._known.get(id(ids)) is ids:
            return True
        found = _every(ids[1:] > ids[:-1])
        if found and closed:
            self._known[id(ids)] = ids
        return found


def check_ranking(value: object, limit: int, *, expanded: bool = False, ascending: Ascending | None = None) -> Ranking:
    """A Ranking of at most `limit` unique ids with claims in 0..1, best first; its arrays are closed copies.

    Copies, because a part may go on writing into arrays that it handed out. Whether the ids are visible is not known
    here (see `visibility`).

    expanded: whether an expander returned it. ascending: what is known of claims' ids from other recalls.
    """
    if not isinstance(value, Ranking):
        breach(f"returned {_kind(value)}, not a Ranking")
    ids = _vector(value.ids, np.int64, "ids")
    scores = _vector(value.scores, np.float64, "scores")
    if len(ids) != len(scores):
        breach(f"returned {len(ids)} ids with {len(scores)} scores")
    if len(ids) > limit:
        breach(f"returned {len(ids)} candidates where at most {limit} were asked for")
    if len(ids):
        _check_unique(ids)
        _check_descending(scores)
    claims = None if value.claims is None else _claims(value.claims, ascending or Ascending())
    return Ranking(ids, scores, claims, expanded)


def check_fused(value: object, union: Ids) -> tuple[Ids, Scores]:
    """(ids, scores): ascending ids out of `union` (ascending), scores in 0..1."""
    if not isinstance(value, tuple) or len(value) != 2:
        breach(f"returned {_kind(value)}, not (ids, scores)")
    ids = _vector(value[0], np.int64, "ids")
    scores = _vector(value[1], np.float64, "scores")
    if len(ids) != len(scores):
        breach(f"returned {len(ids)} ids with {len(scores)} scores")
    if len(ids) != len(union) or not _every(ids == union):
        if not _every(ids[1:] > ids[:-1]):
            breach("returned ids that are not ascending and unique")
        if not _every(positions(ids, union)[1]):
            breach("returned ids that no lane found")
    _check_bounds(scores, "scores")
    return ids, scores


def check_factors(value: object, length: int) -> Scores:
    """float64[length], positive and finite."""
    factors = _vector(value, np.float64, "factors")
    _check_length(factors, length, "factors")
    if not _every((factors > 0) & (factors < np.inf)):
        breach("returned factors that are not positive and finite")
    return factors


def check_column(value: object, length: int) -> NDArray[Any]:
    """An array of `length`; NaN stands for an absent number, infinities are refused."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        breach(f"returned {_kind(value)}, not a one-dimensional array")
    _check_length(value, length, "values")
    if value.dtype.kind == "f" and np.isinf(value).any():
        breach("returned infinite values")
    return np.array(value)


def check_reranked(value: object, length: int) -> Scores:
    """float64[k] in 0..1 for some k <= length."""
    scores = _vector(value, np.float64, "scores")
    if len(scores) > length:
        breach(f"returned {len(scores)} scores for {length} candidates")
    _check_bounds(scores, "scores")
    return scores


def check_permutation(value: object, length: int) -> NDArray[np.int64]:
    """A permutation of 0..length-1."""
    order = _vector(value, np.int64, "places")
    _check_length(order, length, "places")
    if not np.array_equal(np.sort(order), np.arange(length)):
        breach("returned places that are no permutation of the candidates")
    return order


def check_query(value: object, before: Query) -> Query:
    """A Query that knows more than `before` and still is the same question from the same asker."""
    if not isinstance(value, Query):
        breach(f"returned {_kind(value)}, not a Query")
    if (value.text, value.asker, value.time_zone) != (before.text, before.asker, before.time_zone):
        breach("changed the query's text, asker or time zone")
    for field in ("lexical_text", "dense_text", "intent"):
        if not isinstance(getattr(value, field), str):
            breach(f"set {field} to {_kind(getattr(value, field))}, not a string")
    for lane, factor in value.lane_multipliers.items():
        if not _is_number(factor) or factor < 0:
            breach(f"set the multiplier of lane {lane!r} to {factor!r}, not to a finite number >= 0")
    for field in ("entities", "participants"):
        names = getattr(value, field)
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            breach(f"set {field} to something else than a tuple of strings")
    if value.time_window is not None:
        _check_window(value.time_window)
    return value


def locked(values: NDArray[Any]) -> NDArray[Any]:
    """The same array, closed for writing: one part must not change what the next one sees."""
    values.setflags(write=False)
    return values


def positions(ids: Ids, among: Ids) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each of `ids` stands in the ascending `among`, and whether it is there at all."""
    if not len(among):
        return np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
    places = among.searchsorted(ids)
    np.minimum(places, len(among) - 1, out=places)
    return places, among.take(places) == ids


def _every(holds: NDArray[np.bool_]) -> bool:
    """`holds.all()` in half the time, which is what counts for arrays as short as these."""
    return int(np.count_nonzero(holds)) == len(holds)


def _vector(value: object, dtype: type[Any], what: str) -> NDArray[Any]:
    if not isinstance(value, np.ndarray):
        breach(f"returned {_kind(value)} as {what}, not an array")
    if value.ndim != 1 or value.dtype != dtype:
        breach(f"returned {what} as {value.dtype}{list(value.shape)}, not {np.dtype(dtype)}[n]")
    return locked(np.array(value))


def _claims(value: object, ascending: Ascending) -> Claims:
    # Views, not copies: a whole scope's claims are large, and their ids reach the pool only through checked rankings.
    if not isinstance(value, Claims):
        breach(f"attached {_kind(value)}, not Claims")
    ids, values = value.ids, value.values
    for array, dtype in ((ids, np.int64), (values, np.float64)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
            breach("attached claims that are not int64[n] and float64[n]")
    if len(ids) != len(values):
        breach(f"attached {len(values)} claims for {len(ids)} ids")
    if not ascending.holds(ids):
        breach("attached claims whose ids are not ascending and unique")
    _check_bounds(values, "claims")
    return Claims(locked(ids.view()), locked(values.view()))


def _check_unique(ids: Ids) -> None:
    ordered = ids.copy()
    ordered.sort()
    if not _every(ordered[1:] > ordered[:-1]):
        breach("returned an id twice")


def _check_descending(scores: Scores) -> None:
    # One look settles the usual case; NaN makes every comparison false.
    if scores[0] <= 1.0 and scores[-1] >= 0.0 and _every(scores[1:] <= scores[:-1]):
        return
    _check_bounds(scores, "scores")
    breach("returned scores that are not best first")


def _check_bounds(values: Scores, what: str) -> None:
    # The bits of 0.0 to 1.0 are in the order of the numbers, and those of all others but -0.0 are higher: one pass.
    if not len(values) or values.view(np.uint64).max() <= _BITS_OF_ONE:
        return
    low, high = float(values.min()), float(values.max())
    if low >= 0.0 and high <= 1.0:
        return
    if not (math.isfinite(low) and math.isfinite(high)):
        breach(f"returned {what} that are not finite")
    breach(f"returned {what} outside 0..1")


def _check_length(values: NDArray[Any], length: int, what: str) -> None:
    if len(values) != length:
        breach(f"returned {len(values)} {what} for {length} candidates")


def _check_window(window: object) -> None:
    if not isinstance(window, TimeWindow):
        breach(f"set time_window to {_kind(window)}, not a TimeWindow")
    for edge in (window.start, window.end):
        if edge is None:
            continue
        if isinstance(edge, bool) or not isinstance(edge, int):
            breach(f"set an edge of the time window to {_kind(edge)}, not to epoch microseconds (int)")
        try:
            from_microseconds(edge)
        except (OverflowError, ComisError):
            breach("set an edge of the time window beyond the calendar")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
