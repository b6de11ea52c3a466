"""What is installed beside this package, by its metadata alone.

Public: the host looks for plugins, and plugins for the files of their models.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

import importlib_metadata


def distributions(**wanted: Any) -> Iterable[Any]:
    """Distributions on the path; `name` and the like narrow the search, as in `importlib_metadata.distributions`."""
    # Of a folder that is not there, the finder would ask whether it is an archive, and import what reads archives.
    there = [folder for folder in sys.path if os.path.exists(folder or ".")]
    return importlib_metadata.distributions(path=there, **wanted)
