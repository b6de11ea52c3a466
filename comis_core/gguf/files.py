"""From a configured model name to a file on the disk. Nothing here touches the network or loads a model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import attrs

from comis_core.errors import ComisError

PREFIX = "hf:"
SUFFIX = ".gguf"
SHAPE = "hf:owner/repository:file.gguf"
HUB = "https://huggingface.co"
HUB_VARIABLE = "HF_ENDPOINT"
"""Environment variable with the address of a mirror, by the name that the hub's own tools give it."""
SAMPLES, SAMPLE = 64, 65_536
"""A file is known by its length and 64 evenly spaced blocks of 64 KiB: weights that differ, differ everywhere."""


@attrs.frozen
class Reference:
    """A file in a repository of the model hub."""

    owner: str
    repository: str
    file: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.owner}/{self.repository}:{self.file}"

    @property
    def address(self) -> str:
        """Where it can be downloaded."""
        from urllib.parse import quote

        hub = os.environ.get(HUB_VARIABLE, "").rstrip("/") or HUB
        return f"{hub}/{quote(self.owner)}/{quote(self.repository)}/resolve/main/{quote(self.file)}"

    def place(self, models: Path) -> Path:
        """Where it lies below the folder of models once it was fetched: two repositories may use one file name."""
        return models / self.owner / self.repository / self.file


def is_gguf(model: str) -> bool:
    """Whether a configured model name is a GGUF file's: a path that ends in .gguf, or hf:owner/repository:file.gguf."""
    name = model.strip()
    return name.casefold().endswith(SUFFIX) and "://" not in name


def parse_reference(model: str) -> Reference | None:
    """The reference that a model name is; None when it is a path. Raises ComisError for a malformed reference."""
    name = model.strip()
    if not name.casefold().startswith(PREFIX):
        return None
    repository, _, file = name[len(PREFIX) :].partition(":")
    parts, steps = repository.split("/"), PurePosixPath(file).parts
    sound = len(parts) == 2 and file.casefold().endswith(SUFFIX) and not PurePosixPath(file).is_absolute()
    if not sound or not all(_is_name(part) for part in (*parts, *steps)):
        raise ComisError(f"{model!r} names no model file", hint=f"write {SHAPE}")
    return Reference(parts[0], parts[1], "/".join(steps))


def _is_name(part: str) -> bool:
    """Whether a part of a reference is one step below a folder, on every system."""
    return bool(part) and part not in (".", "..") and not any(sign in part for sign in '\\:*?"<>|\0')


def locate(model: str, *, models: Path, folder: Path) -> Path:
    """Where a model's file is, or would be.

    Args:
        model: a path that ends in .gguf, or a reference.
        models: folder of models. A reference's file lies in it as owner/repository/file, where `comis models fetch`
            puts it, or directly, where a person might.
        folder: where relative paths start.

    Raises:
        ComisError: a malformed reference.
    """
    reference = parse_reference(model)
    if reference is None:
        return folder / Path(model.strip()).expanduser()
    place, beside = reference.place(models), models / PurePosixPath(reference.file).name
    return beside if beside.is_file() and not place.is_file() else place


def model_files(models: Path) -> Iterator[Path]:
    """The GGUF files of a folder of models by path: those directly in it, then those of repositories."""
    for pattern in ("*", "*/*/*"):
        yield from sorted(path for path in models.glob(pattern) if path.name.casefold().endswith(SUFFIX))


def digest(path: Path, *settings: object) -> str:
    """16 hex digits over a file's length and samples of its content, and over `settings`."""
    size = path.stat().st_size
    hasher = hashlib.blake2b(repr((size, *settings)).encode(), digest_size=8)
    with path.open("rb") as file:
        for start in range(0, size, max(SAMPLE, size // SAMPLES)):
            file.seek(start)
            hasher.update(file.read(SAMPLE))
    return hasher.hexdigest()
