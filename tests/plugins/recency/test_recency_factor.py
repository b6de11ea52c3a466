"""1 + a (1 / (1 + days since recorded) - 1/2), by hand."""

from __future__ import annotations

import numpy as np
import pytest

from comis_core.model import DAY, Pool, Query
from comis_core.protocols import ScoreRequest
from comis_plugins import recency
from comis_plugins.recency.options import RecencyOptions
from comis_plugins.recency.scorer import Recency, build

NOW = 1_700_000_000_000_000


def factor(days: float, alpha: float = 0.2) -> float:
    created = np.array([NOW - days * DAY])
    pool = Pool(np.array([1]), np.array([1.0]), {"created_at": created}, {})
    (value,) = Recency(alpha).factors(ScoreRequest(query=Query.of("?"), now=NOW, pool=pool))
    return float(value)


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.1), (1, 1.0), (9, 0.92), (99, 0.902), (0.5, 1 + 0.2 * (1 / 1.5 - 0.5))]
)
def test_factor_by_age(days: float, expected: float) -> None:
    assert factor(days) == pytest.approx(expected)


def test_a_record_from_the_future_counts_as_new() -> None:
    assert factor(-400) == factor(0)


def test_a_record_of_the_nineteenth_century_is_merely_old() -> None:
    assert factor(150 * 365) == pytest.approx(0.9, abs=1e-4)


def test_without_a_record_time_the_factor_is_exactly_one() -> None:
    assert factor(float("nan")) == 1.0


def test_strength_zero_is_exactly_neutral() -> None:
    assert factor(3, alpha=0.0) == 1.0


def test_the_documented_default() -> None:
    assert build(None, RecencyOptions()) == Recency(0.2)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_strength_outside_zero_to_one_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="recency_alpha"):
        RecencyOptions(recency_alpha=alpha)


def test_the_plugin_offers_the_factor() -> None:
    (spec,) = recency.comis_scorers()
    assert spec.name == "recency"
    assert [(section.path, section.options_class) for section in spec.sections] == [("rag.scoring", RecencyOptions)]
