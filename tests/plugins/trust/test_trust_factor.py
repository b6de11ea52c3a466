"""1 + a (w - 1/2), w = 1, 1/2, 0."""

from __future__ import annotations

import numpy as np
import pytest

from comis_core.model import TRUST_CODES, Pool, Query, Trust
from comis_core.protocols import ScoreRequest
from comis_plugins import trust
from comis_plugins.trust.options import TrustOptions
from comis_plugins.trust.scorer import TrustFactor, build


def factor(trust: Trust, alpha: float = 0.1) -> float:
    pool = Pool(np.array([1]), np.array([1.0]), {"trust": np.array([TRUST_CODES[trust]], np.int8)}, {})
    (value,) = TrustFactor(alpha).factors(ScoreRequest(query=Query.of("?"), now=0, pool=pool))
    return float(value)


@pytest.mark.parametrize(("trust", "expected"), [(Trust.SYSTEM, 1.05), (Trust.LEARNED, 1.0), (Trust.EXTERNAL, 0.95)])
def test_factor_by_level(trust: Trust, expected: float) -> None:
    assert factor(trust) == expected


def test_the_documented_default() -> None:
    assert build(None, TrustOptions()) == TrustFactor(0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_strength_outside_zero_to_one_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="trust_alpha"):
        TrustOptions(trust_alpha=alpha)


def test_the_plugin_offers_the_factor() -> None:
    (spec,) = trust.comis_scorers()
    assert spec.name == "trust"
    assert [(section.path, section.options_class) for section in spec.sections] == [("rag.scoring", TrustOptions)]
