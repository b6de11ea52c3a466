"""Trust: the second lock behind the lanes' filter."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import TRUSTS, Filters, Trust
from comis_core.recall.checks import locked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.recall.columns import Columns


def trusted(columns: Columns, filters: Filters) -> NDArray[np.bool_]:
    """bool[n]: which candidates have one of the trust levels that the filters allow."""
    return _allowed(filters.trust)[columns["trust"]]


@lru_cache(maxsize=16)
def _allowed(levels: frozenset[Trust] | None) -> NDArray[np.bool_]:
    """bool by trust code; None allows every level."""
    return locked(np.array([levels is None or trust in levels for trust in TRUSTS], np.bool_))
