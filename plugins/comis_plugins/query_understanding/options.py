"""Options of query understanding."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from comis_core.model import INTENTS
from comis_core.model.shown import Compared

INTENT_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType({
    # What was near in time shares no name with the question, and what shares one is not asked for.
    "surroundings": {"temporal": 8.0, "entity": 0.0, "graph_spread": 0.0},
    # A cause or an effect shares no word with it.
    "reasons": {"causal": 3.0},
})
"""What measured best (docs/explanation/recall-quality.md), for the intents that a config does not name."""


def _with_the_measured(given: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
    return {**INTENT_WEIGHTS, **given}


def _known_intents(instance: object, attribute: attrs.Attribute[Any], value: Mapping[str, Any]) -> None:
    for intent, weights in value.items():
        if intent not in INTENTS:
            import difflib  # only where somebody has mistyped one

            near = difflib.get_close_matches(intent.casefold(), INTENTS, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"there is no intent {intent!r}{guess} (there are: {', '.join(INTENTS)})")
        if any(weight < 0.0 for weight in weights.values()):
            raise ValueError(f"the factors of {intent!r} must be 0 or more")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class QueryUnderstandingOptions(Compared):
    """`rag.queryUnderstanding`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether questions are analysed at all"})
    intent_reweight: bool = attrs.field(
        default=True, metadata={"help": "apply intentWeights for the kind of question found"}
    )
    intent_weights: Mapping[str, Mapping[str, float]] = attrs.field(
        factory=dict,
        converter=_with_the_measured,
        validator=_known_intents,
        metadata={
            "help": f"factor on a weight by intent ({', '.join(INTENTS)}) and lane or expander;"
            " an intent that is not named keeps its own",
            "parts": ("lane", "expander"),
        },
    )
    synonyms: bool = attrs.field(default=True, metadata={"help": "search the synonyms in synonymsMap too"})
    synonyms_map: Mapping[str, tuple[str, ...]] = attrs.field(
        factory=dict, metadata={"help": "words or phrases that are searched besides a word or phrase of the question"}
    )
    temporal_parse: bool = attrs.field(default=True, metadata={"help": "understand time expressions in the question"})
    hard_window: bool = attrs.field(
        default=False, metadata={"help": "show only memories dated in the named time, instead of preferring them"}
    )
    participants: bool = attrs.field(
        default=False,
        metadata={"help": "find the senders that are named, and ask in their own words; pays with `speaker`"},
    )
