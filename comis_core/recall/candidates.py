"""The candidates from the fusion to the final score, as columns in ascending id order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.recall.columns import Selected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores
    from comis_core.recall.columns import Columns


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Candidates:
    """All arrays have length n; a place is an index into them.

    ids int64, ascending · fused float64 · base float64, the reranker's score where it judged, else the fused one ·
    head bool, what was judged · factors, by scorer · final float64, base x the product of the factors.
    """

    ids: Ids
    columns: Columns
    fused: Scores
    base: Scores
    head: NDArray[np.bool_]
    factors: Mapping[str, Scores]
    final: Scores

    @classmethod
    def fresh(cls, ids: Ids, columns: Columns, fused: Scores) -> Candidates:
        """Before anything but the fusion has judged them."""
        head = np.zeros(len(ids), np.bool_)
        return cls(ids=ids, columns=columns, fused=fused, base=fused, head=head, factors={}, final=fused)

    def judged(self, base: Scores, head: NDArray[np.bool_], factors: Mapping[str, Scores], final: Scores) -> Candidates:
        """After reranker and scorers."""
        return Candidates(
            ids=self.ids, columns=self.columns, fused=self.fused, base=base, head=head, factors=factors, final=final
        )

    def with_columns(self, *names: str) -> Candidates:
        """The same with only some of the columns."""
        return Candidates(
            ids=self.ids,
            columns={name: self.columns[name] for name in names},
            fused=self.fused,
            base=self.base,
            head=self.head,
            factors=self.factors,
            final=self.final,
        )

    def only(self, kept: NDArray[np.bool_]) -> Candidates:
        """Those where `kept` is true."""
        if np.count_nonzero(kept) == len(kept):
            return self
        return Candidates(
            ids=self.ids[kept],
            columns=Selected(self.columns, kept),
            fused=self.fused[kept],
            base=self.base[kept],
            head=self.head[kept],
            factors={name: values[kept] for name, values in self.factors.items()},
            final=self.final[kept],
        )

    def __len__(self) -> int:
        return len(self.ids)
