"""1 + a (fade - 1), by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from comis_core.model import DAY, TRUST_CODES, TYPE_CODES, MemoryType, Pool, Query, Trust
from comis_core.protocols import ScoreRequest
from comis_plugins import forget
from comis_plugins.forget.options import ForgetOptions, ForgetScoringOptions
from comis_plugins.forget.scorer import Forget, build

NOW = 1_700_000_000_000_000


def factor(
    days: float,
    *,
    kind: MemoryType = MemoryType.SEMANTIC,
    trust: Trust = Trust.LEARNED,
    importance: float = math.nan,
    usefulness: float = math.nan,
    proof: float = 1.0,
    alpha: float = 0.1,
) -> float:
    columns = {
        "created_at": np.array([NOW - days * DAY]),
        "type": np.array([TYPE_CODES[kind]], np.int8),
        "trust": np.array([TRUST_CODES[trust]], np.int8),
        "importance": np.array([importance]),
        "usefulness": np.array([usefulness]),
        "proof_count": np.array([proof]),
    }
    pool = Pool(np.array([1]), np.array([1.0]), columns, {})
    (value,) = Forget(alpha).factors(ScoreRequest(query=Query.of("?"), now=NOW, pool=pool))
    return float(value)


def by_hand(days: float, weight: float, beta: float) -> float:
    rate = math.log(2) / 30 * math.exp(-1.5 * weight)
    return 1 + 0.1 * (0.5 + 0.5 * math.exp(-rate * days**beta) - 1)


def test_a_new_memory_has_not_faded() -> None:
    assert factor(0) == 1.0


@pytest.mark.parametrize(
    ("kind", "beta"),
    [(MemoryType.SEMANTIC, 0.8), (MemoryType.PROCEDURAL, 0.8), (MemoryType.EPISODIC, 1.2), (MemoryType.WORKING, 1.2)],
)
def test_each_type_fades_at_its_own_pace(kind: MemoryType, beta: float) -> None:
    weight = 0.25 * 0.5 + 0.25 * 0.5 + 0.15 / 61 + 0.20 * 0.5 + 0.15 * 0.5
    assert factor(60, kind=kind) == pytest.approx(by_hand(60, weight, beta))


def test_what_is_important_used_trusted_and_proven_fades_less() -> None:
    weight = 0.25 * 1 + 0.25 * 0.8 + 0.15 / 61 + 0.20 * 1 + 0.15 * (0.5 + math.log(10) / 10)
    strong = factor(60, importance=1.0, usefulness=0.8, trust=Trust.SYSTEM, proof=10)
    assert strong == pytest.approx(by_hand(60, weight, 0.8))
    assert strong > factor(60)


def test_a_record_from_the_future_has_not_faded() -> None:
    assert factor(-100) == 1.0


def test_without_a_record_time_the_factor_is_exactly_one() -> None:
    assert factor(math.nan) == 1.0


def test_it_never_falls_below_half_the_strength() -> None:
    assert factor(10_000, kind=MemoryType.EPISODIC) == pytest.approx(0.95)


def test_the_documented_defaults() -> None:
    assert build(None, ForgetOptions(), ForgetScoringOptions()) == Forget(0.1)  # type: ignore[arg-type]
    assert ForgetOptions().enabled


def test_the_plugin_offers_the_factor_and_can_do_without_usefulness() -> None:
    (spec,) = forget.comis_scorers()
    assert (spec.name, spec.uses, spec.requires) == ("forget", ("usefulness",), ())
