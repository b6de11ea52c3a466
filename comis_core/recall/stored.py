"""A trace as a record that can be kept: ids and numbers, and nothing that anybody wrote.

A record goes into JSON and back without loss, so that a replay from it is the same as one from the trace itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from comis_core.errors import ComisError
from comis_core.model import Trace
from comis_core.recall.records import ANSWER

TAGS = "tags"
"""The one filter that somebody wrote. What a filter let through is in the rankings, so a replay does without it."""


def record_of(trace: Trace) -> str:
    """The trace as JSON."""
    inputs = dict(trace.inputs)
    filters = dict(inputs["filters"])
    inputs["tagged"] = len(filters.pop(TAGS, ()))
    record = {
        "inputs": {**inputs, "filters": filters},
        "stages": [dict(stage) for stage in trace.stages],
        "candidates": {name: dict(row) for name, row in trace.candidates.items()},
    }
    return json.dumps(record, separators=(",", ":"))


def trace_of(record: str) -> Trace:
    """The trace of a record. Raises ComisError when it is none."""
    try:
        data = json.loads(record)
        return Trace(inputs=data["inputs"], stages=tuple(data["stages"]), candidates=data["candidates"])
    except (ValueError, KeyError, TypeError) as error:
        raise ComisError(f"a stored trace cannot be read: {type(error).__name__}: {error}") from error


def answered(trace: Trace) -> list[tuple[str, float]]:
    """(memory id, score) of the answer that a trace tells of, best first."""
    rows = [(name, row) for name, row in trace.candidates.items() if row.get("left") == ANSWER]
    return [(name, float(row["score"])) for name, row in sorted(rows, key=_place)]


def _place(entry: tuple[str, Mapping[str, Any]]) -> int:
    return int(entry[1]["place"])
