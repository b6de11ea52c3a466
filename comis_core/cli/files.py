"""Writing files that people name: whole or not at all, and never in place of what is no file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from comis_core.errors import ComisError


@contextmanager
def written(file: Path) -> Iterator[IO[str]]:
    """A stream whose text is in FILE once the block has ended, and nothing of it if the block fails.

    What a symbolic link points to is written, and the link stays. A device or a pipe takes the text as it comes.

    Raises:
        ComisError: the file cannot be written, or is a folder.
    """
    target = _target(file)
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8") as out:
                yield out
            return
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            with part.open("x", encoding="utf-8") as out:
                yield out
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ComisError(f"{file} could not be written: {error.strerror or error}") from error


def _target(file: Path) -> Path:
    """What is to be written in the end."""
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:  # a link that leads to itself is a RuntimeError
        raise ComisError(f"{file} leads nowhere: {error}") from error
    if target.is_dir():
        raise ComisError(f"{file} is a folder", hint="name a file in it")
    return target
