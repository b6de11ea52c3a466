"""The preset `tuned` as data, each value with what it is worth (docs/plugins/presets.md has the figures)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

TUNED: Mapping[str, Any] = MappingProxyType({
    "rag": {
        # Claims added as they are: a lane that is blind to a question then harms nothing, which ranks alone cannot do.
        "fusion": {"method": "score"},
        # On the scale of `score` with these weights: at 5 results no relevant memory of the sets lies below it.
        "minScore": 0.1,
        "lanes": {
            "fts": {"weight": 1.0},
            "vector": {"weight": 2.0, "fullStems": 10},
        },
    },
})
