"""What makes a replayed answer another one than it was: the first stage at which each candidate's way parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from comis_core.model import Trace

Record = Mapping[str, Any]
Candidates = Mapping[str, Record]

_STAGES = ("score", "conflict", "dedup", "diversity")
"""Where an order is made, as `places` in a candidate's record calls it."""


def differences(then: Trace, now: Trace) -> tuple[str, ...]:
    """One sentence a difference between two walks from the same inputs, in the order of the stages.

    Args:
        then: the trace of the answer. now: that of its replay.

    Returns:
        Nothing when every candidate went the same way to the same score.
    """
    common = {id: (row, now.candidates[id]) for id, row in then.candidates.items() if id in now.candidates}
    return (
        *_pipeline(then.inputs, now.inputs),
        *_candidates(then.candidates, now.candidates),
        *_scores(common.values()),
        *_orders(common),
        *_ends(common.values()),
    )


def _pipeline(then: Record, now: Record) -> Iterator[str]:
    if then["fusion"] != now["fusion"]:
        yield f"the fusion is {now['fusion']!r} now, it was {then['fusion']!r}"


def _candidates(then: Candidates, now: Candidates) -> Iterator[str]:
    gone, come = len(then.keys() - now.keys()), len(now.keys() - then.keys())
    if gone:
        yield f"{gone} of {len(then)} candidates are not in sight any more (deleted, updated, evicted or expired)"
    if come:
        yield f"{come} {_memories(come)} came that replaced a candidate since"


def _scores(pairs: Iterable[tuple[Record, Record]]) -> Iterator[str]:
    """Fused scores, what the reranker said, then factor by factor."""
    fused, base, factors = 0, 0, dict[str, int]()
    absent: dict[str, str] = {}
    for before, after in pairs:
        fused += before["fused"] != after["fused"]
        if "base" not in before or "base" not in after:
            continue
        base += before["fused"] == after["fused"] and before["base"] != after["base"]
        for name in {**before["factors"], **after["factors"]}:
            if name not in before["factors"] or name not in after["factors"]:
                absent[name] = "was not part of the score then" if name in after["factors"] else "is no part of it now"
            elif before["factors"][name] != after["factors"][name]:
                factors[name] = factors.get(name, 0) + 1
    if fused:
        yield f"the fused score of {fused} {_memories(fused)} is another one"
    if base:
        yield f"the reranker's part in the score of {base} {_memories(base)} is another one"
    yield from (f"the factor {name} {words}" for name, words in absent.items())
    yield from (f"the factor {name} of {count} {_memories(count)} is another one" for name, count in factors.items())


def _orders(common: Mapping[str, tuple[Record, Record]]) -> Iterator[str]:
    """The first stage that puts the candidates that both walks know into another order."""
    for stage in _STAGES:
        both = [id for id, rows in common.items() if all(stage in row.get("places", ()) for row in rows)]
        if _sorted(both, common, stage, 0) != _sorted(both, common, stage, 1):
            yield f"the order is another one from the stage {stage} on"
            return


def _sorted(ids: Sequence[str], common: Mapping[str, tuple[Record, Record]], stage: str, walk: int) -> list[str]:
    return sorted(ids, key=lambda known: int(common[known][walk]["places"][stage]))


def _ends(pairs: Iterable[tuple[Record, Record]]) -> Iterator[str]:
    moved: dict[tuple[str, str], int] = {}
    for before, after in pairs:
        ends = before["left"], after["left"]
        if ends[0] != ends[1]:
            moved[ends] = moved.get(ends, 0) + 1
    for (was, became), count in moved.items():
        yield f"{count} {_memories(count)} ended at {became}, not at {was}"


def _memories(count: int) -> str:
    return "memory" if count == 1 else "memories"
