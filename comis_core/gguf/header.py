"""What a GGUF file says about itself, read without loading it: kind of model, dimensions, longest input, tensors.

The layout (version 2 and 3, little-endian): magic, version, tensor count, key count; then keys with typed values; then
one record a tensor (name, shape, type, offset); then the data. No library is needed, and a file that llama.cpp would
abort the process over can be told from a sound one.
"""

from __future__ import annotations

import enum
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs

from comis_core.errors import ComisError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
TEXT, ARRAY = 8, 9
SCALARS: Mapping[int, str] = MappingProxyType({
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
})  # fmt: skip
"""Type number -> struct format of a value of fixed size."""
AGAIN = "the file is damaged or cut off; fetch or convert it again"


class Pooling(enum.IntEnum):
    """How the vectors of a text's tokens become one; the numbers are the format's."""

    NONE = 0
    MEAN = 1
    CLS = 2
    LAST = 3
    RANK = 4


EMBEDDING_POOLINGS = (Pooling.MEAN, Pooling.CLS, Pooling.LAST)
"""What an embedding model pools by; a cross-encoder has RANK, a chat model says nothing."""


@attrs.frozen(kw_only=True)
class Header:
    """The facts of a file. values: every key whose value is no array; lengths: key -> length of every array."""

    path: Path
    architecture: str
    values: Mapping[str, Any]
    lengths: Mapping[str, int]
    tensors: frozenset[str]

    def own(self, key: str, default: Any = None) -> Any:
        """The value of a key below the architecture's name, such as "context_length"."""
        return self.values.get(f"{self.architecture}.{key}", default)

    @property
    def pooling(self) -> Pooling | None:
        """How the model pools; None when the file does not say, or says what is not known."""
        stated = self.own("pooling_type")
        return Pooling(stated) if stated in list(Pooling) else None

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 when the file does not say."""
        return int(self.own("embedding_length_out") or self.own("embedding_length") or 0)

    @property
    def context_length(self) -> int:
        """Longest input in tokens; 512 when the file does not say."""
        return int(self.own("context_length") or 512)

    @property
    def vocabulary(self) -> int:
        """How many tokens the model knows."""
        return self.lengths.get("tokenizer.ggml.tokens", 0)

    @property
    def outputs(self) -> int:
        """Scores that a classifying model gives; 1 when the file does not say."""
        return self.lengths.get(f"{self.architecture}.classifier.output_labels", 1)


def read_header(path: Path) -> Header:
    """Read what `path` says about itself. Raises ComisError when it is no GGUF file, damaged or cut off."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise ComisError(f"{path} is no GGUF file", hint="it must begin with the letters GGUF")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _header(path, data)
    except OSError as error:
        raise ComisError(f"{path} cannot be read: {error.strerror or error}") from error
    except (struct.error, UnicodeDecodeError, ValueError, IndexError) as error:
        raise ComisError(f"the GGUF file {path} cannot be read: {error}", hint=AGAIN) from error


def _header(path: Path, data: mmap.mmap) -> Header:
    cursor = _Cursor(data, len(MAGIC))
    version = cursor.number("I")
    if version not in VERSIONS:
        raise ComisError(
            f"{path} has version {version} of the GGUF format", hint=f"known: {', '.join(map(str, VERSIONS))}"
        )
    tensors, keys = cursor.number("Q"), cursor.number("Q")
    values: dict[str, Any] = {}
    lengths: dict[str, int] = {}
    for _ in range(keys):
        key, kind = cursor.text(), cursor.number("I")
        if kind == ARRAY:
            lengths[key] = cursor.skip_array()
        else:
            values[key] = cursor.value(kind)
    names, end = _tensors(cursor, tensors)
    if cursor.at + end >= len(data) and names:
        raise ComisError(f"the GGUF file {path} ends before its last tensor", hint=AGAIN)
    return Header(
        path=path,
        architecture=str(values.get("general.architecture", "")),
        values=values,
        lengths=lengths,
        tensors=names,
    )


def _tensors(cursor: _Cursor, count: int) -> tuple[frozenset[str], int]:
    """The tensors' names, and where the last one begins, counted from the end of the records."""
    names, last = set(), 0
    for _ in range(count):
        names.add(cursor.text())
        axes = cursor.number("I")
        cursor.at += 8 * axes + 4  # the sizes and the type
        last = max(last, cursor.number("Q"))
    return frozenset(names), last


@attrs.define(eq=False, repr=False)
class _Cursor:
    """A place in the file that moves on as it is read."""

    data: mmap.mmap
    at: int

    def number(self, format: str) -> Any:
        """One value of a struct format."""
        size = struct.calcsize(f"<{format}")
        (value,) = struct.unpack_from(f"<{format}", self.data, self.at)
        self.at += size
        return value

    def text(self) -> str:
        """One string: its length in bytes, then UTF-8."""
        return self._bytes(self.number("Q")).decode("utf-8")

    def value(self, kind: int) -> Any:
        """One value that is no array."""
        if kind == TEXT:
            # What a chat template or a licence holds is of no interest here, and not always sound UTF-8.
            return self._bytes(self.number("Q")).decode("utf-8", "replace")
        return self.number(self._format(kind))

    def skip_array(self) -> int:
        """Pass over an array; its length."""
        kind, length = self.number("I"), self.number("Q")
        if kind == TEXT:
            for _ in range(length):
                self._bytes(self.number("Q"))
        else:
            self.at += length * struct.calcsize(f"<{self._format(kind)}")
        return int(length)

    def _bytes(self, length: int) -> bytes:
        start, self.at = self.at, self.at + length
        if self.at > len(self.data):
            raise ValueError("it ends in the middle of a text")
        return self.data[start : self.at]

    def _format(self, kind: int) -> str:
        if kind not in SCALARS:
            raise ValueError(f"a value has the unknown type {kind}")
        return SCALARS[kind]
