"""The cosine with a turn's vector mixed with the previous turn's, without a second vector.

cos(q, unit(e + m e')) = (cos(q, e) + m cos(q, e')) / sqrt(1 + m^2 + 2 m e.e'): besides the two cosines it needs the
inner product of the two stored vectors, which is the same for every question and therefore kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import VectorSlab
from comis_plugins.adjacent.links import Links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

_ROWS = 2048
"""Vectors multiplied at a time: 3 MB at 384 dimensions."""


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Mixing:
    """The inner products of linked turns, as of a change of the scope.

    ids, previous: int64[n], a turn and the one before it (-1: not linked). products: float64[n], NaN while unknown.
    scale: float64[n], 1 / the length of the mixed vector, 0 where there is none.
    """

    seq: int
    links: Links
    ids: Ids
    previous: Ids
    products: Scores
    scale: Scores

    def gain(self, cosines: Scores) -> Scores:
        """float64[n]: by how much the mixed vector is nearer to the question than the turn's own.

        cosines: float64[n], not negative. Without a linked neighbour, or a vector of both, the gain is exactly 0.
        """
        given = np.append(cosines, 0.0)
        mixed: Scores = given.take(self.links.before)
        mixed *= self.links.mix
        mixed += cosines
        mixed *= self.scale
        mixed -= cosines
        return np.maximum(mixed, 0.0, out=mixed)


def mix(links: Links, seq: int, slab: VectorSlab, older: Mixing | None) -> Mixing:
    """The inner products of a state of the scope; those that an older state knows are taken from there.

    A memory's text never changes under its id, so a product holds for as long as the pair are neighbours.
    """
    ids = links.said.ids
    previous = np.append(ids, -1)[links.before]
    products = _known(older, ids, previous)
    _multiply(products, ids, previous, np.flatnonzero(np.isnan(products) & links.linked), slab)
    length = np.sqrt(np.maximum(1.0 + links.mix**2 + 2.0 * links.mix * products, 1e-12))
    scale = np.where(np.isnan(products), 0.0, 1.0 / length)
    return Mixing(seq=seq, links=links, ids=ids, previous=previous, products=products, scale=scale)


def _known(older: Mixing | None, ids: Ids, previous: Ids) -> Scores:
    """float64[n]: the products of pairs that were neighbours before, NaN for the others."""
    if older is None or not len(older.ids):
        return np.full(len(ids), np.nan)
    places = np.minimum(np.searchsorted(older.ids, ids), len(older.ids) - 1)
    same = (older.ids[places] == ids) & (older.previous[places] == previous)
    return np.where(same, older.products[places], np.nan)


def _multiply(products: Scores, ids: Ids, previous: Ids, wanted: NDArray[np.int64], slab: VectorSlab) -> None:
    """Fill in the products of the wanted pairs that have vectors; a text in several windows counts by its first."""
    if not len(slab.ids):
        return
    for start in range(0, len(wanted), _ROWS):
        rows = wanted[start : start + _ROWS]
        own, before = (np.minimum(np.searchsorted(slab.ids, pks[rows]), len(slab.ids) - 1) for pks in (ids, previous))
        both = (slab.ids[own] == ids[rows]) & (slab.ids[before] == previous[rows])
        products[rows[both]] = np.einsum("ij,ij->i", slab.matrix[own[both]], slab.matrix[before[both]])
