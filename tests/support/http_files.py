"""A real HTTP server on loopback that serves files as a model hub does: ranges, redirects, digests, bad lines."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs

STORAGE = "/storage"
"""Where files really lie; the address that people know redirects there."""


@attrs.define(eq=False)
class FileServer:
    """What is served and how; tests change it between requests.

    files: path -> content. redirect: path -> where it leads, with the digest stated as the hub does. break_after:
    bytes of each answer after which the line breaks, the next answers' in turn. ranges: whether parts can be asked for.
    refuse: path -> status instead of a file. requests: (path, Range header) of every request.
    """

    address: str = ""
    files: dict[str, bytes] = attrs.field(factory=dict)
    redirects: dict[str, str] = attrs.field(factory=dict)
    break_after: list[int] = attrs.field(factory=list)
    ranges: bool = True
    sized: bool = True
    refuse: dict[str, int] = attrs.field(factory=dict)
    requests: list[tuple[str, str | None]] = attrs.field(factory=list)

    def hub(self, path: str, content: bytes) -> str:
        """Serve a file as the hub does: at `path`, by way of a redirect that states size and digest."""
        self.redirects[path] = f"{self.address}{STORAGE}{path}"
        self.files[f"{STORAGE}{path}"] = content
        return f"{self.address}{path}"

    def plain(self, path: str, content: bytes) -> str:
        """Serve a file directly, with nothing stated but its length."""
        self.files[path] = content
        return f"{self.address}{path}"


class _Handler(BaseHTTPRequestHandler):
    served: FileServer

    def do_GET(self) -> None:
        served, asked = self.served, self.headers.get("Range")
        served.requests.append((self.path, asked))
        if self.path in served.refuse:
            self.send_error(served.refuse[self.path])
        elif self.path in served.redirects:
            self._redirect(served.redirects[self.path])
        elif self.path in served.files:
            self._send(served.files[self.path], asked if served.ranges else None)
        else:
            self.send_error(404)

    def _redirect(self, target: str) -> None:
        content = self.served.files.get(f"{STORAGE}{self.path}", b"")
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("X-Linked-Size", str(len(content)))
        self.send_header("X-Linked-ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.end_headers()

    def _send(self, content: bytes, asked: str | None) -> None:
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if start and start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if self.served.sized:
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = start + self.served.break_after.pop(0) if self.served.break_after else len(content)
        self.wfile.write(content[start:end])

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@contextmanager
def file_server() -> Iterator[FileServer]:
    """Serve until the end of the block."""
    served = FileServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"served": served}))
    served.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
