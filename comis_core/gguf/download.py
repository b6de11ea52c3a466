"""Fetching a model file: only when asked for, over https, resumed where it broke off, checked before it gets its name.

The file grows as NAME.part beside its place. What the server states about it (size, SHA-256) or the caller knows is
checked at the end; a part that does not match is removed, one that is merely unfinished stays for the next attempt.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import ipaddress
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from io import BufferedRandom
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from comis_core.errors import ComisError
from comis_core.gguf.header import MAGIC

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, None while that is unknown."""

TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as lost."""
BLOCK = 1 << 18
STATED_DIGEST, STATED_SIZE = "X-Linked-ETag", "X-Linked-Size"
"""Headers in which the hub states SHA-256 and size of a large file, before it redirects to where it is kept."""
RESUME = "run it again: it goes on where it stopped"


@attrs.define(eq=False, repr=False)
class _Stated:
    """What is known about the whole file."""

    sha256: str = ""
    size: int | None = None

    def learn(self, headers: Message) -> None:
        """Take what a response says; what the caller knew stays."""
        digest = (headers.get(STATED_DIGEST) or "").strip('" ').lower()
        if not self.sha256 and re.fullmatch("[0-9a-f]{64}", digest):
            self.sha256 = digest
        size = headers.get(STATED_SIZE) or ""
        if self.size is None and size.isdigit():
            self.size = int(size)


def fetch(address: str, target: Path, *, sha256: str = "", progress: Progress = lambda done, total: None) -> Path:
    """Download a GGUF file.

    Args:
        address: an https address; plain http is taken from this machine alone.
        target: where the file will be; a file that is there already is left alone.
        sha256: 64 hex digits that the file must have, if known.
        progress: called after every block.

    Returns:
        The target.

    Raises:
        ComisError: the address is not allowed or not reachable, the file is not what it should be, or another process
            is at it.
    """
    _check_address(address)
    part = target.with_name(f"{target.name}.part")
    stated = _Stated(sha256=sha256.strip().lower())
    try:
        if not target.is_file():
            part.parent.mkdir(parents=True, exist_ok=True)
            with _alone(part) as file:
                _fill(address, file, stated, progress)
                _check_content(file, part, address, stated)
            _finish(part, target)
    except OSError as error:
        raise ComisError(f"{part} cannot be written: {error.strerror or error}", hint=RESUME) from error
    return target


def _finish(part: Path, target: Path) -> None:
    try:
        part.replace(target)
    except FileNotFoundError:
        if not target.is_file():  # else another process fetched it in the same moment
            raise


@contextlib.contextmanager
def _alone(part: Path) -> Iterator[BufferedRandom]:
    """The part, opened for this process alone: two that write to one file would spoil it."""
    with part.open("a+b") as file:
        try:
            import fcntl
        except ImportError:  # Windows: whoever renames first wins, and the other one fails its check
            yield file
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ComisError(f"another process is fetching {part.with_suffix('')}", hint="wait for it") from error
        yield file


def _fill(address: str, file: BufferedRandom, stated: _Stated, progress: Progress) -> None:
    """Fetch what is missing, again and again as long as each attempt brings something."""
    while True:
        before = file.seek(0, os.SEEK_END)
        try:
            complete = _attempt(address, file, before, stated, progress)
        except _DiskError as error:
            raise ComisError(f"{file.name} cannot be written: {error}", hint=RESUME) from error
        except urllib.error.HTTPError as error:
            complete = _refused(error, address, file, before, stated)
        except (OSError, http.client.HTTPException) as error:
            if file.seek(0, os.SEEK_END) <= before:
                raise _unreachable(address, str(getattr(error, "reason", None) or error)) from error
            complete = False
        if complete:
            return
        if file.seek(0, os.SEEK_END) == before:
            raise _unreachable(address, "the connection is closed before anything comes")


def _attempt(address: str, file: BufferedRandom, there: int, stated: _Stated, progress: Progress) -> bool:
    """Fetch everything from byte `there` on. Returns whether the file is complete then."""
    with _open(address, there, stated) as response:
        if there and response.status != http.client.PARTIAL_CONTENT:
            there = 0  # the server begins anew, and so does the file
            file.truncate(there)
        for block in iter(lambda: response.read(BLOCK), b""):
            _write(file, block)
            there += len(block)
            progress(there, stated.size)
    return stated.size is None or there >= stated.size


def _unreachable(address: str, reason: str) -> ComisError:
    host = urlsplit(address).netloc
    return ComisError(f"{host} cannot be reached: {reason}", hint=f"check the connection, then {RESUME}")


class _DiskError(OSError):
    """The disk failed, not the network."""


def _write(file: BufferedRandom, block: bytes) -> None:
    try:
        file.write(block)
    except OSError as error:
        raise _DiskError(error.strerror or str(error)) from error


def _open(address: str, there: int, stated: _Stated) -> Any:
    """The response to a request for everything from byte `there` on; `stated` learns what it says."""
    request = urllib.request.Request(address, headers={"User-Agent": "comis-core", "Accept-Encoding": "identity"})
    if there:
        request.add_header("Range", f"bytes={there}-")
    response = urllib.request.build_opener(_Redirects(stated)).open(request, timeout=TIMEOUT)
    stated.learn(response.headers)
    if stated.size is None:
        length = response.headers.get("Content-Length") or ""
        base = there if response.status == http.client.PARTIAL_CONTENT else 0
        stated.size = base + int(length) if length.isdigit() else None
    return response


def _refused(error: urllib.error.HTTPError, address: str, file: BufferedRandom, there: int, stated: _Stated) -> bool:
    """Whether the part is complete after all; else it is emptied, or ComisError says what the server answers."""
    if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and there:
        total = (error.headers.get("Content-Range") or "").rpartition("/")[2]
        stated.size = stated.size if stated.size is not None else int(total) if total.isdigit() else None
        if there != stated.size:
            file.truncate(0)
        return there == stated.size
    reasons = {
        401: ("asks for a login", "accept the model's terms and put the file into the folder of models by hand"),
        403: ("refuses the file", "accept the model's terms and put the file into the folder of models by hand"),
        404: ("has no such file", "look the name up on the model's page"),
    }
    what, hint = reasons.get(error.code, (f"answers {error.code} {error.reason}", RESUME))
    raise ComisError(f"{urlsplit(address).netloc} {what}: {address}", hint=hint) from error


def _check_content(file: BufferedRandom, part: Path, address: str, stated: _Stated) -> None:
    """Raise ComisError, and remove the part, unless it is the GGUF file that was promised."""
    file.flush()
    os.fsync(file.fileno())
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    wrong = ""
    if file.read(len(MAGIC)) != MAGIC:
        wrong = "it is no GGUF file"
    elif stated.size is not None and size != stated.size:
        wrong = f"it has {size:,} bytes instead of {stated.size:,}"
    elif stated.sha256:
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
        wrong = "" if found == stated.sha256 else f"its SHA-256 is {found} instead of {stated.sha256}"
    if wrong:
        part.unlink(missing_ok=True)
        raise ComisError(f"what came from {address} cannot be used: {wrong}", hint="it was removed; fetch it again")


def _check_address(address: str) -> None:
    """Raise ComisError unless the address is https, or http on this machine."""
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname or "")):
        return
    raise ComisError(f"models are fetched over https only, not from {address}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to allowed addresses, and hears what is said about the file on the way."""

    def __init__(self, stated: _Stated) -> None:
        self._stated = stated

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """The request to follow with. Raises ComisError when it leads to where nothing may be fetched from."""
        _check_address(newurl)
        self._stated.learn(headers)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
