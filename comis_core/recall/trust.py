"""Trust: the second lock behind the lanes' filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import TRUST_CODES, Filters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.recall.columns import Columns


def trusted(columns: Columns, filters: Filters) -> NDArray[np.bool_]:
    """bool[n]: which candidates have one of the trust levels that the filters allow."""
    allowed = np.zeros(len(TRUST_CODES), np.bool_)
    allowed[[TRUST_CODES[trust] for trust in (TRUST_CODES if filters.trust is None else filters.trust)]] = True
    return allowed[columns["trust"]]
