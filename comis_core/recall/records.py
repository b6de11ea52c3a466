"""The records of a trace, built from the journal: plain data that goes into JSON as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from comis_core.errors import ComisError
from comis_core.model import Filters, MemoryType, Trust, from_microseconds, to_microseconds
from comis_core.recall.columns import id_text
from comis_core.recall.trace import Admission, Choice, Journal, Search

ANSWER = "answer"
"""Where a candidate "left" that is in the answer."""

_VERSION = 1
_MOMENTS = ("since", "until", "record_as_of", "event_as_of")

Record = dict[str, Any]


def inputs_of(journal: Journal) -> Record:
    """Everything that decided the answer besides the store and the pipeline's parts. No text of query or memory."""
    asked, window = journal.asked, journal.time_window
    return {
        "version": _VERSION,
        "kind": asked.kind,
        "scope": {"tenant": journal.scope.tenant, "agent": journal.scope.agent},
        "now": asked.now,
        "seed": asked.seed,
        "time_zone": asked.time_zone,
        "limits": {
            "max_results": asked.limits.max_results,
            "max_context_chars": asked.limits.max_context_chars,
            "min_score": asked.limits.min_score,
            "candidates": asked.candidates,
        },
        "filters": plain_filters(journal.filters),
        "intent": journal.intent,
        "time_window": None if window is None else {"start": window.start, "end": window.end, "hard": window.hard},
        "fusion": journal.fusion,
        "expanders": list(journal.expanders),
        "weights": dict(journal.search.weights) if journal.search else {},
        "rankings": {
            name: {"ids": ids.tolist(), "scores": scores.tolist()}
            for name, (ids, scores) in (journal.search.rankings.items() if journal.search else ())
        },
        "reranked": _reranked(journal.choice),
    }


def candidates_of(journal: Journal) -> dict[str, Record]:
    """Memory id -> ranks, scores, factors, places and where it left: a stage, or "answer"."""
    if journal.search is None or journal.admission is None:
        return {}
    ids = journal.admission.fused.ids.tolist()
    names = {pk: id_text(raw) for pk, raw in zip(ids, journal.admission.known_as.tolist(), strict=True)}
    records = {pk: {"pk": pk, "found": {}} for pk in ids}
    _add_found(records, journal.search)
    _add_admission(records, journal.admission, journal.asked.limits.min_score)
    if journal.choice is not None:
        _add_scores(records, journal.choice)
        _add_moves(records, journal.choice, names)
        _add_exits(records, journal.choice, names)
    return {names[pk]: record for pk, record in records.items()}


def plain_filters(filters: Filters) -> Record:
    """Filters as plain data, without those that do not restrict."""
    sets = {name: getattr(filters, name) for name in ("trust", "types", "tags")}
    moments = {name: getattr(filters, name) for name in _MOMENTS}
    return {name: sorted(str(value) for value in values) for name, values in sets.items() if values is not None} | {
        name: to_microseconds(moment) for name, moment in moments.items() if moment is not None
    }


def filters_of(plain: Mapping[str, Any]) -> Filters:
    """Filters from plain data. Raises ComisError when they are none."""
    try:
        return Filters(
            trust=frozenset(map(Trust, plain["trust"])) if "trust" in plain else None,
            types=frozenset(map(MemoryType, plain["types"])) if "types" in plain else None,
            tags=frozenset(plain["tags"]) if "tags" in plain else None,
            **{name: from_microseconds(plain[name]) for name in _MOMENTS if name in plain},
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise ComisError(f"the trace's filters cannot be read: {error}") from error


def _reranked(choice: Choice | None) -> Record | None:
    if choice is None or not choice.pool.head.any():
        return None
    head = choice.pool.head
    return {"ids": choice.pool.ids[head].tolist(), "scores": choice.pool.base[head].tolist()}


def _add_found(records: Mapping[int, Record], search: Search) -> None:
    for name, (ids, scores) in search.rankings.items():
        weight = search.weights[name]
        for rank, (pk, score) in enumerate(zip(ids.tolist(), scores.tolist(), strict=True), 1):
            if pk in records:
                records[pk]["found"][name] = {"rank": rank, "score": score, "weighted": weight * score}


def _add_admission(records: Mapping[int, Record], admission: Admission, min_score: float) -> None:
    rows = zip(admission.fused.ids.tolist(), admission.fused.scores.tolist(), admission.kept.tolist(), strict=True)
    for pk, fused, kept in rows:
        records[pk]["fused"] = fused
        if not kept:
            records[pk] |= {"left": "floor", "below": min_score - fused}


def _add_scores(records: Mapping[int, Record], choice: Choice) -> None:
    for pk in choice.removed.tolist():
        records[pk]["left"] = "trust"
    pool = choice.pool
    rows = zip(pool.ids.tolist(), pool.base.tolist(), pool.head.tolist(), pool.final.tolist(), strict=True)
    factors = {name: values.tolist() for name, values in pool.factors.items()}
    for index, (pk, base, judged, final) in enumerate(rows):
        own = {name: values[index] for name, values in factors.items()}
        records[pk] |= {"base": base, "reranked": judged, "factors": own, "score": final}


def _add_moves(records: Mapping[int, Record], choice: Choice, names: Mapping[int, str]) -> None:
    """The place after each stage that may move something (1 = first), and what moved it."""
    pks = choice.pool.ids.tolist()
    for stage, order in (
        ("score", choice.by_score),
        ("conflict", choice.after_conflict),
        ("dedup", choice.folding.leaders),
        ("diversity", choice.after_diversity),
    ):
        for place, item in enumerate(order, 1):
            records[pks[item]].setdefault("places", {})[stage] = place
    for loser, winners in choice.conflicts.winners.items():
        records[pks[loser]]["superseded_by"] = names[pks[winners[0]]]


def _add_exits(records: Mapping[int, Record], choice: Choice, names: Mapping[int, str]) -> None:
    pks = choice.pool.ids.tolist()
    lengths = choice.pool.columns["length"].tolist()
    for item, leader in choice.folding.leader_of().items():
        if item != leader:
            records[pks[item]] |= {"left": "dedup", "folded_into": names[pks[leader]]}
            records[pks[leader]].setdefault("stands_for", []).append(names[pks[item]])
    for item in choice.spent.too_long:
        records[pks[item]] |= {"left": "budget", "why": "length", "length": lengths[item]}
    for item in choice.spent.surplus:
        records[pks[item]] |= {"left": "budget", "why": "results"}
    for place, item in enumerate(choice.spent.taken, 1):
        records[pks[item]] |= {"left": ANSWER, "place": place}
