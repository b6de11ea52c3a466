"""Vectors in a quarter of their bytes: an int8 copy that is scanned instead of the float32 matrix.

A scope that does not fit into the processor's cache is compared as fast as its vectors come from RAM, so fewer bytes
are less time. The extra `fast` brings the kernel, numkong; without it everything is compared as float32.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.protocols.reading import Matrix

LARGE = 4 * 1024 * 1024
"""Bytes of float32 from which on the copy pays: twice as fast where the matrix comes from RAM.

Up to some 16 MB one that is still in the processor's cache is compared faster as it is, by a tenth of a ms at most.
"""

EXTRA = 4
"""Bytes of a row beside its components: the scale."""

_FULL = 127
"""The largest component's code."""

_CHUNK = 1024
"""Rows coded at a time, so that what is made on the way stays in the processor's cache."""


@attrs.frozen(eq=False, repr=False)
class Kernel:
    """What compares codes. numkong: the imported module, None when there is none or it cannot be used.

    words: what it is, or why there is none.
    """

    numkong: Any
    words: str
    broken: bool = False
    """It is installed and cannot be used."""

    def dots(self, query: NDArray[np.int8], codes: NDArray[np.int8]) -> NDArray[np.float64]:
        """float64[n], whole numbers: codes @ query without the interpreter's lock, on this thread alone."""
        scores: NDArray[np.float64] = np.asarray(self.numkong.cdist(query.reshape(1, -1), codes, "dot")).reshape(-1)
        return scores


@functools.cache
def kernel() -> Kernel:
    """The kernel of this process; numkong is imported when this is first called."""
    try:
        import numkong
    except ModuleNotFoundError as error:
        if error.name == "numkong":
            return Kernel(None, "float32, numkong is not installed")
        return _broken(error)
    except Exception as error:  # noqa: BLE001 - an extension module that was built for another machine may raise anything
        return _broken(error)
    found = Kernel(numkong, f"int8 by numkong {getattr(numkong, '__version__', 'without a version')}")
    try:
        right = _tried(found)
    except Exception as error:  # noqa: BLE001 - as above
        return _broken(error)
    return found if right else Kernel(None, "float32, numkong's sums are wrong on this processor", broken=True)


def worth(rows: int, dimensions: int) -> bool:
    """Whether so many vectors are compared faster as codes, and there is a kernel for it."""
    return rows * dimensions * 4 >= LARGE and kernel().numkong is not None


class Codes:
    """Room for the codes of a buffer's rows.

    Each row has its own scale, so that rows can be added: code = round(127 x component / largest component). For unit
    vectors of 256 to 1,024 dimensions a cosine is off by .0006 to .0003 (standard deviation), at most by some .004.
    """

    def __init__(self, capacity: int, dimensions: int) -> None:
        self._codes = np.empty((capacity, dimensions), np.int8)
        self._scales = np.empty(capacity, np.float32)

    @property
    def bytes(self) -> int:
        """What they occupy."""
        return self._codes.nbytes + self._scales.nbytes

    def write(self, start: int, matrix: Matrix) -> None:
        """Code rows from the place `start` on. matrix: float32[n, d]."""
        for first in range(0, len(matrix), _CHUNK):
            rows = slice(start + first, start + min(first + _CHUNK, len(matrix)))
            self._codes[rows], self._scales[rows] = encode(matrix[first : first + _CHUNK])

    def cosines(self, rows: int, query: Matrix) -> Matrix:
        """float32[rows]: about `matrix[:rows] @ query`. query: float32[d]."""
        codes, scales = encode(query.reshape(1, -1))
        dots = kernel().dots(codes[0], self._codes[:rows]).astype(np.float32)
        dots *= self._scales[:rows]
        dots *= scales[0]
        return dots


def encode(matrix: Matrix) -> tuple[NDArray[np.int8], Matrix]:
    """int8[n, d] and the scales float32[n]: codes x scale is about the row. A row of zeros has zeros for codes."""
    scales = np.abs(matrix).max(axis=1, initial=0.0) / np.float32(_FULL)
    # A number that is no normal one in float32 has no usable inverse, and no vector of unit length has it for a scale.
    scales[scales < np.finfo(np.float32).tiny] = 0.0
    shares = np.zeros_like(scales)
    np.divide(1.0, scales, out=shares, where=scales > 0.0)
    scaled = matrix * shares[:, np.newaxis]
    np.rint(scaled, out=scaled)
    with np.errstate(invalid="ignore"):  # A damaged row that is no number has a scale that is none either.
        return scaled.astype(np.int8), scales


def _broken(error: Exception) -> Kernel:
    return Kernel(None, f"float32, numkong cannot be used: {type(error).__name__}: {error}", broken=True)


def _tried(found: Kernel) -> bool:
    """Whether the sums are right. A processor for which numkong has no kernel gets -1 from it, and no error."""
    codes = (np.arange(7 * 67) * 37 % 255 - 127).astype(np.int8).reshape(7, 67)
    return np.array_equal(found.dots(codes[3], codes), codes.astype(np.int64) @ codes[3].astype(np.int64))
