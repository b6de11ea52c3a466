"""What a peer is. To add one, put a module under peers/ with these names; nothing else has to change.

INSTALL: what pip installs into the peer's own environment. LOADS_EXTENSIONS: whether it needs a Python whose sqlite3
module can load extensions. Peer: the class below. A module imports the peer itself only inside the class, because the
race reads INSTALL in another environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = dict[str, Any]
"""A memory as plain data: id, content, sender, session, turn, created_at (ISO 8601); absent where unknown."""


class Peer(Protocol):
    """A memory library, opened on an empty folder."""

    note: str
    """What a reader of the table must know, or nothing."""

    def __init__(self, folder: Path, dimensions: int) -> None: ...

    def ingest(self, rows: Sequence[Row], vectors: NDArray[np.float32]) -> None:
        """Store rows, each with the unit vector of its content."""
        ...

    def search(self, text: str, vector: NDArray[np.float32], k: int) -> list[str]:
        """The ids of the k best, best first; `vector` is the question's."""
        ...

    def close(self) -> None:
        """The end."""
        ...
