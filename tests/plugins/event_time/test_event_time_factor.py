"""1 + a (1 / (1 + days since the event) - 1/2), by hand."""

from __future__ import annotations

import numpy as np
import pytest

from comis_core.model import DAY, Pool, Query
from comis_core.protocols import ScoreRequest
from comis_plugins import event_time
from comis_plugins.event_time.options import EventTimeOptions
from comis_plugins.event_time.scorer import EventTime, build

NOW = 1_700_000_000_000_000


def factor(days: float, alpha: float = 0.2) -> float:
    occurred = np.array([NOW - days * DAY])
    pool = Pool(np.array([1]), np.array([1.0]), {"occurred_at": occurred}, {})
    (value,) = EventTime(alpha).factors(ScoreRequest(query=Query.of("?"), now=NOW, pool=pool))
    return float(value)


@pytest.mark.parametrize(("days", "expected"), [(0, 1.1), (1, 1.0), (3, 0.95), (9, 0.92)])
def test_factor_by_age_of_the_event(days: float, expected: float) -> None:
    assert factor(days) == pytest.approx(expected)


def test_without_an_event_time_the_factor_is_exactly_one() -> None:
    assert factor(float("nan")) == 1.0


def test_an_event_of_the_future_counts_as_one_of_now() -> None:
    assert factor(-30) == factor(0)


def test_the_documented_default() -> None:
    assert build(None, EventTimeOptions()) == EventTime(0.2)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_strength_outside_zero_to_one_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="temporal_alpha"):
        EventTimeOptions(temporal_alpha=alpha)


def test_the_plugin_offers_the_factor() -> None:
    (spec,) = event_time.comis_scorers()
    assert spec.name == "event_time"
    assert [(section.path, section.options_class) for section in spec.sections] == [("rag.scoring", EventTimeOptions)]
