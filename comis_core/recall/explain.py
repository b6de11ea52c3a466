"""Explain: why a memory is not in an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

import attrs

from comis_core.model import Filters, Recall, Scope, Trace, from_microseconds
from comis_core.recall.reader import SnapshotSource
from comis_core.recall.records import ANSWER, filters_of

Record = Mapping[str, Any]


def why_not(recall: Recall | Trace, memory_id: str, *, source: SnapshotSource | None = None) -> str:
    """One sentence that says where a memory was lost on its way into an answer.

    Args:
        recall: the answer, or its trace alone.
        memory_id: the memory asked about.
        source: the store, to tell a memory that no lane found from one that a filter hides or that is gone; as the
            store is now, not as it was.

    Returns:
        The reason; also when the memory is in the answer.
    """
    trace = recall.trace if isinstance(recall, Recall) else recall
    try:
        memory_id = str(UUID(memory_id))
    except (ValueError, AttributeError, TypeError):
        return f"{memory_id!r} is no memory id: ids are UUIDs"
    record = trace.candidates.get(memory_id)
    if record is not None:
        return _on_its_way(record, trace.inputs["limits"])
    stopped = next((stage["stopped"] for stage in trace.stages if "stopped" in stage), None)
    if stopped:
        return f"nothing was searched: {stopped}"
    if source is None:
        return "no lane found it, or it may not be seen: a filter hides it, or this scope has no such memory"
    return _never_found(trace.inputs, memory_id, source)


def _on_its_way(record: Record, limits: Record) -> str:
    left = record["left"]
    if left == ANSWER:
        return f"it is in the answer, at place {record['place']}"
    if left == "floor":
        return (
            f"its fused score {record['fused']:.3g} is below minScore {limits['min_score']:g} by {record['below']:.2g} "
            f"(found by {_lanes(record)})"
        )
    if left == "trust":
        return "its trust level is not among those that the recall may use"
    if left == "dedup":
        return f"it says the same as {record['folded_into']}, which stands for it"
    place, score = list(record["places"].values())[-1], record["score"]
    if record["why"] == "length":
        return (
            f"it did not fit: with its {record['length']} characters of text the block would have been longer than "
            f"maxContextChars {limits['max_context_chars']} (place {place}, score {score:.3f})"
        )
    limit = limits["max_results"]
    return f"the answer was full: it came in at place {place} with score {score:.3f}, maxResults is {limit}"


def _lanes(record: Record) -> str:
    return ", ".join(f"{name} #{found['rank']}" for name, found in record["found"].items())


def _never_found(inputs: Record, memory_id: str, source: SnapshotSource) -> str:
    filters = filters_of(inputs["filters"])
    pk = _place_of(memory_id, inputs, filters, source)
    if pk is not None:
        silent = [name for name, ranking in inputs["rankings"].items() if pk in ranking["ids"]]
        if silent:
            return f"only {', '.join(silent)} found it, whose weight is not positive"
        lanes, depth = ", ".join(inputs["rankings"]) or "the lanes", inputs["limits"]["candidates"]
        hidden = ", or the filter on tags hid it, which a stored trace does not keep" if inputs.get("tagged") else ""
        return f"none of {lanes} found it among its best {depth}{hidden}"
    for name, wider in _widened(filters):
        if _place_of(memory_id, inputs, wider, source) is not None:
            return f"the filter {name} ({_shown(inputs['filters'][name])}) hides it"
    if _place_of(memory_id, inputs, Filters(), source) is not None:
        return f"the filters {', '.join(inputs['filters'])} hide it together"
    return "this scope has no such memory in sight: it was deleted or evicted, has expired, or never was here"


def _shown(value: list[str] | int) -> str:
    return ", ".join(value) if isinstance(value, list) else from_microseconds(value).isoformat()


def _widened(filters: Filters) -> Iterator[tuple[str, Filters]]:
    for field in attrs.fields(Filters):
        if getattr(filters, field.name) is not None:
            yield field.name, attrs.evolve(filters, **{field.name: None})


def _place_of(memory_id: str, inputs: Record, filters: Filters, source: SnapshotSource) -> int | None:
    with source.snapshot(Scope(**inputs["scope"]), now=inputs["now"], filters=filters) as reader:
        return reader.lookup([memory_id]).get(memory_id)
