"""1 + a (clamp01(1/2 + ln n / 10) - 1/2) x confidence x 0.5 ^ (days / 30), by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from comis_core.model import DAY, Pool, Query
from comis_core.protocols import ScoreRequest
from comis_plugins import proof
from comis_plugins.proof.options import ProofOptions
from comis_plugins.proof.scorer import Proof, build

NOW = 1_700_000_000_000_000


def factor(
    count: float, *, confidence: float = 1.0, event_days: float = math.nan, record_days: float = 0.0, alpha: float = 0.1
) -> float:
    columns = {
        "proof_count": np.array([count]),
        "confidence": np.array([confidence]),
        "occurred_at": np.array([NOW - event_days * DAY]),
        "created_at": np.array([NOW - record_days * DAY]),
    }
    pool = Pool(np.array([1]), np.array([1.0]), columns, {})
    (value,) = Proof(alpha).factors(ScoreRequest(query=Query.of("?"), now=NOW, pool=pool))
    return float(value)


def test_ten_proofs_with_full_confidence_today() -> None:
    assert factor(10) == pytest.approx(1 + 0.1 * math.log(10) / 10)  # 1.02302...


@pytest.mark.parametrize("days", [0.0, 500.0])
def test_said_once_is_exactly_one(days: float) -> None:
    assert factor(1, event_days=days) == 1.0


def test_corroboration_is_capped() -> None:
    assert factor(10_000) == pytest.approx(1.05)


def test_confidence_scales_the_boost() -> None:
    assert factor(10, confidence=0.4) == pytest.approx(1 + 0.1 * 0.4 * math.log(10) / 10)


def test_the_boost_halves_in_thirty_days_of_event_age() -> None:
    assert factor(10, event_days=30, record_days=0) == pytest.approx(1 + 0.1 * 0.5 * math.log(10) / 10)


def test_without_an_event_time_the_record_ages() -> None:
    assert factor(10, record_days=60) == pytest.approx(1 + 0.1 * 0.25 * math.log(10) / 10)


def test_an_event_of_the_future_counts_as_one_of_now() -> None:
    assert factor(10, event_days=-90) == factor(10, event_days=0)


def test_without_confidence_the_factor_is_exactly_one() -> None:
    assert factor(10, confidence=math.nan) == 1.0


def test_the_documented_default() -> None:
    assert build(None, ProofOptions()) == Proof(0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_strength_outside_zero_to_one_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="proof_alpha"):
        ProofOptions(proof_alpha=alpha)


def test_the_plugin_offers_the_factor() -> None:
    (spec,) = proof.comis_scorers()
    assert spec.name == "proof"
    assert [(section.path, section.options_class) for section in spec.sections] == [("rag.scoring", ProofOptions)]
