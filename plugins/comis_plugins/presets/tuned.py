"""The preset `tuned` as data, each value with what it is worth (docs/explanation/recall-quality.md has the figures)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

TUNED: Mapping[str, Any] = MappingProxyType({
    "rag": {
        # Claims added as they are: a lane that is blind to a question then harms nothing, which ranks alone cannot do.
        "fusion": {"method": "score"},
        # On the scale of `score` with these weights a perfect match of words alone scores 0.08, one by meaning alone
        # 0.01 to 0.05. What is below the floor has next to nothing of the question.
        "minScore": 0.005,
        "lanes": {
            # Two lanes of words count every word twice: LoCoMo loses .018 of recall@10, MuSiQue .050.
            "fts": {"enabled": False, "standsInFor": "lexical"},
            "lexical": {"enabled": True, "weight": 1.0},
            "vector": {"weight": 2.0, "fullStems": 10},
            "adjacent": {"enabled": True, "weight": 2.0, "fullStems": 10},
            "session": {"enabled": True, "weight": 1.76},
            "speaker": {"enabled": True, "weight": 0.6},
            "dateWindow": {"enabled": True, "weight": 0.5},
            "turnKind": {"enabled": True, "weight": 0.93},
            # What has only its day for it must not push aside what answers: at 1.0 corrected facts lose .135.
            "temporal": {"weight": 0.5},
            "graphSpread": {"weight": 1.6},
        },
        "entityLane": {"weight": 0.2},
        # Taking the name out of the question pays where `speaker` and `adjacent` put the person back.
        "queryUnderstanding": {"participants": True},
        # Diversity costs a little recall on sets that ask for what was said, none that could be told from nothing at
        # .85, and finds what restatements bury; at the documented .7 questions over several hops lose .02.
        "mmr": {"enabled": False, "lambda": 0.85},
        # Fading finds what holds now (+.22 of recall@10) and costs what was told once, long ago (-.12 of MRR; with the
        # static embedder -.09 of recall@10): a choice for whoever knows what is stored.
        "forget": {"enabled": False},
        # Decides between what answers equally well, and no more: what was corrected leads by `supersedes` and `key`.
        "scoring": {"recencyAlpha": 0.03},
    },
})
