"""The hosted embedder against a real HTTP server on loopback."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from support.toys import PATIENCE, in_threads

import comis_core
from comis_core.errors import EmbedderError
from comis_plugins.embed_openai import connection
from comis_plugins.embed_openai.client import Client
from comis_plugins.embed_openai.connection import Connection
from comis_plugins.embed_openai.embedder import HostedEmbedder, checked_address
from comis_plugins.embed_openai.options import HostedOptions, claims

pytest.importorskip("httpx", reason="the extra [openai] is not installed")

DROPS, DROP_SECONDS = 500, 0.01
"""A dripping server sends so many bytes, one in so many seconds."""

KEY = "sk-a-secret-that-nobody-may-see"


@attrs.define
class Endpoint:
    """What the server does next, and what it was asked."""

    url: str = ""
    statuses: list[int] = attrs.field(factory=list)
    body: str | None = None
    drip: str = ""
    """What is sent byte by byte: "head", "body" or nothing."""
    requests: list[dict[str, Any]] = attrs.field(factory=list)
    keys: list[str] = attrs.field(factory=list)
    drops: int = 0
    closed: threading.Event = attrs.field(factory=threading.Event)

    def answer(self, request: dict[str, Any]) -> tuple[int, str]:
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200 or self.body is not None:
            return status, self.body or '{"error": "no"}'
        rows = [
            {"index": index, "embedding": [float(len(text)), 1.0, 2.0]} for index, text in enumerate(request["input"])
        ]
        return 200, json.dumps({"data": rows[::-1]})


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(request)
            state.keys.append(self.headers["Authorization"])
            status, text = state.answer(request)
            if state.drip == "head":
                self.dripping(b"HTTP/1.0 200 OK\r\nX-Slow: " + b"x" * DROPS + b"\r\n")
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode()) + (DROPS if state.drip == "body" else 0)))
            self.end_headers()
            if state.drip == "body":
                self.dripping(b" " * DROPS)
            self.wfile.write(text.encode())

        def dripping(self, some: bytes) -> None:
            for place in range(len(some)):
                state.drops += 1
                self.wfile.write(some[place : place + 1])
                if state.closed.wait(DROP_SECONDS):
                    return

        def log_message(self, *arguments: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    state.closed.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def embedder(endpoint: Endpoint) -> Iterator[HostedEmbedder]:
    client = Client(endpoint.url, KEY, timeout=5.0, retries=2, pause=lambda seconds: None)
    yield HostedEmbedder(client=client, model="m", dimensions=3, options=HostedOptions(batch_size=2))
    client.close()


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(embedder: HostedEmbedder) -> None:
    found = embedder.embed(["a", "bbbb"], "document")
    wanted = np.array([[1, 1, 2], [4, 1, 2]]) / np.array([[6**0.5], [21**0.5]])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_many_texts_go_in_batches(embedder: HostedEmbedder, endpoint: Endpoint) -> None:
    assert embedder.embed(["a", "b", "c", "d", "e"], "document").shape == (5, 3)
    assert [len(request["input"]) for request in endpoint.requests] == [2, 2, 1]


def test_no_text_is_no_request(embedder: HostedEmbedder, endpoint: Endpoint) -> None:
    assert embedder.embed([], "document").shape == (0, 3)
    assert not endpoint.requests


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_passing_failure_is_tried_again(embedder: HostedEmbedder, endpoint: Endpoint, status: int) -> None:
    endpoint.statuses = [status, status]
    assert embedder.embed(["a"], "query").shape == (1, 3)
    assert len(endpoint.requests) == 3


def test_after_the_last_try_the_failure_is_told(embedder: HostedEmbedder, endpoint: Endpoint) -> None:
    endpoint.statuses = [503] * 9
    with pytest.raises(EmbedderError, match="status 503"):
        embedder.embed(["a"], "query")
    assert len(endpoint.requests) == 3


class Watch:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def test_tries_for_a_question_end_before_the_recall_gives_up(endpoint: Endpoint) -> None:
    watch = Watch()
    client = Client(endpoint.url, KEY, timeout=5.0, retries=10, pause=watch.pause, clock=watch)
    embedder = HostedEmbedder(client=client, model="m", dimensions=3, options=HostedOptions())
    endpoint.statuses = [503] * 20
    with pytest.raises(EmbedderError, match="no time for another try"):
        embedder.embed(["a"], "query")
    assert watch.pauses == [0.5, 1.0, 2.0]
    client.close()


def test_memories_have_the_time_that_their_tries_need(endpoint: Endpoint) -> None:
    watch = Watch()
    client = Client(endpoint.url, KEY, timeout=5.0, retries=4, pause=watch.pause, clock=watch)
    embedder = HostedEmbedder(client=client, model="m", dimensions=3, options=HostedOptions())
    endpoint.statuses = [503] * 4
    assert embedder.embed(["a"], "document").shape == (1, 3)
    assert watch.pauses == [0.5, 1.0, 2.0, 4.0]
    client.close()


def test_a_request_waits_no_longer_than_is_left(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    post = Connection.post

    def watched(self: Connection, path: str, body: dict[str, Any], seconds: float) -> Any:
        waits.append(seconds)
        return post(self, path, body, seconds)

    monkeypatch.setattr(Connection, "post", watched)
    watch = Watch()
    client = Client(endpoint.url, KEY, timeout=20.0, retries=3, pause=watch.pause, clock=watch)
    endpoint.statuses = [503]
    client.embed({"model": "m", "input": ["a"]}, seconds=4.0)
    assert waits == [4.0, 3.5]
    client.close()


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_server_that_drips_is_not_waited_for_beyond_the_timeout(endpoint: Endpoint, part: str) -> None:
    endpoint.drip = part
    client = Client(endpoint.url, KEY, timeout=0.2, retries=0)
    with pytest.raises(EmbedderError, match=r"did not answer within 0\.2 s"):
        client.embed({"model": "m", "input": ["a"]})
    assert 0 < endpoint.drops < DROPS
    endpoint.drip = ""
    assert client.embed({"model": "m", "input": ["a"]}) == [[1.0, 1.0, 2.0]]
    client.close()


def test_a_question_stops_a_request_that_would_go_on(endpoint: Endpoint) -> None:
    endpoint.drip = "body"
    client = Client(endpoint.url, KEY, timeout=20.0, retries=3)
    with pytest.raises(EmbedderError, match="no time for another try"):
        client.embed({"model": "m", "input": ["a"]}, seconds=0.2)
    assert 0 < endpoint.drops < DROPS
    client.close()


def test_a_connection_that_is_closed_stops_what_is_under_way(endpoint: Endpoint) -> None:
    endpoint.drip = "body"
    client = Client(endpoint.url, KEY, timeout=20.0, retries=3)

    def ask(_: int) -> None:
        with pytest.raises(EmbedderError, match="was closed"):
            client.embed({"model": "m", "input": ["a"]})

    ended = in_threads(1, ask)
    while not endpoint.drops:
        endpoint.closed.wait(DROP_SECONDS)
    client.close()
    client.close()
    ended()


def test_a_request_after_the_end_is_refused_and_starts_no_thread(endpoint: Endpoint) -> None:
    client = Client(endpoint.url, KEY, timeout=5.0, retries=0)
    assert client.embed({"model": "m", "input": ["a"]}) == [[1.0, 1.0, 2.0]]
    client.close()
    with pytest.raises(EmbedderError, match="was closed"):
        client.embed({"model": "m", "input": ["a"]})
    assert "comis-hosted" not in {thread.name for thread in threading.enumerate()}
    assert len(endpoint.requests) == 1


@pytest.mark.filterwarnings("error")
def test_requests_at_the_moment_of_the_end_are_answered_or_told_of_it(endpoint: Endpoint) -> None:
    for _ in range(5):
        client = Client(endpoint.url, KEY, timeout=5.0, retries=0)
        begun = threading.Barrier(9)

        def ask(number: int, client: Client = client, begun: threading.Barrier = begun) -> None:
            begun.wait(PATIENCE)
            with pytest.raises(EmbedderError, match="was closed"):
                list(map(client.embed, repeat({"model": "m", "input": ["a"]}, 10_000)))

        ended = in_threads(8, ask)
        begun.wait(PATIENCE)
        client.close()
        ended()


def test_the_end_waits_for_no_loop_that_hangs(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    make, hangs, go = httpx.AsyncClient.__init__, threading.Event(), threading.Event()

    def held(self: httpx.AsyncClient, *arguments: Any, **options: Any) -> None:
        hangs.set()
        go.wait(PATIENCE)
        make(self, *arguments, **options)

    monkeypatch.setattr(httpx.AsyncClient, "__init__", held)
    monkeypatch.setattr(connection, "GRACE", 0.05)
    client = Client(endpoint.url, KEY, timeout=PATIENCE, retries=0)

    def ask(_: int) -> None:
        with pytest.raises(EmbedderError, match="was closed"):
            client.embed({"model": "m", "input": ["a"]})

    ended = in_threads(1, ask)
    assert hangs.wait(PATIENCE)
    client.close()
    assert not go.is_set()
    go.set()
    ended()


def test_the_process_ends_though_a_name_is_being_looked_up() -> None:
    program = (
        "import socket, threading\n"
        "from comis_core.errors import EmbedderError\n"
        "from comis_plugins.embed_openai.client import Client\n"
        "socket.getaddrinfo = lambda *arguments, **options: threading.Event().wait()\n"
        "client = Client('https://nowhere.invalid/v1/', 'k', timeout=0.2, retries=0)\n"
        "try:\n    client.embed({'model': 'm', 'input': ['a']})\n"
        "except EmbedderError as error:\n    print(error)\n"
        "client.close()\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("https://nowhere.invalid/v1/ did not answer within 0.2 s")
    assert done.stderr == ""


def test_threads_that_begin_at_once_share_one_connection(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    made: list[httpx.AsyncClient] = []
    begin = threading.Barrier(8)
    make = httpx.AsyncClient.__init__

    def counted(self: httpx.AsyncClient, *arguments: Any, **options: Any) -> None:
        made.append(self)
        make(self, *arguments, **options)

    monkeypatch.setattr(httpx.AsyncClient, "__init__", counted)
    client = Client(endpoint.url, KEY, timeout=5.0, retries=0)

    def work(_: int) -> None:
        begin.wait(PATIENCE)
        client.embed({"model": "m", "input": ["a"]})

    in_threads(8, work)()
    assert len(made) == 1
    client.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_tried_again(embedder: HostedEmbedder, endpoint: Endpoint, status: int) -> None:
    endpoint.statuses = [status]
    with pytest.raises(EmbedderError, match=f"status {status}"):
        embedder.embed(["a"], "query")
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("body", ["no json", "[]", '{"data": []}', '{"data": [{"index": 0}]}', '{"data": [7]}'])
def test_another_answer_than_vectors_is_an_error(embedder: HostedEmbedder, endpoint: Endpoint, body: str) -> None:
    endpoint.body = body
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1"):
        embedder.embed(["a"], "query")


def test_vectors_of_another_length_name_the_key_to_change(endpoint: Endpoint) -> None:
    client = Client(endpoint.url, KEY, timeout=5.0, retries=0)
    embedder = HostedEmbedder(client=client, model="m", dimensions=1024, options=HostedOptions())
    with pytest.raises(EmbedderError, match="embeddingDimensions"):
        embedder.embed(["a"], "query")
    client.close()


def test_the_key_stands_in_the_header_and_nowhere_else(
    embedder: HostedEmbedder, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.statuses = [401]
    with pytest.raises(EmbedderError) as failure:
        embedder.embed(["my private text"], "query")
    assert endpoint.keys == [f"Bearer {KEY}"]
    told = f"{failure.value} {embedder!r} {embedder.client!r} {embedder.fingerprint} {caplog.text}"
    assert KEY not in told
    assert "my private text" not in told


def test_an_endpoint_that_is_not_there_is_an_error() -> None:
    client = Client("http://127.0.0.1:9/", KEY, timeout=1.0, retries=0)
    with pytest.raises(EmbedderError, match="cannot be reached"):
        client.embed({"model": "m", "input": ["a"]})
    client.close()


@pytest.mark.parametrize("address", ["http://example.org/v1", "ftp://example.org", "example.org", "https://", ""])
def test_an_address_that_would_send_the_key_in_the_clear_is_refused(address: str) -> None:
    with pytest.raises(EmbedderError, match="embeddingBaseUrl"):
        checked_address(address)


def test_long_texts_are_cut_into_overlapping_windows(embedder: HostedEmbedder) -> None:
    text = "".join(chr(97 + index % 26) for index in range(9_000))
    windows = embedder.windows(text)
    assert all(len(window) <= 4000 for window in windows)
    assert all(one[-400:] == two[:400] for one, two in pairwise(windows))
    assert windows[0] + "".join(window[400:] for window in windows[1:]) == text


@pytest.mark.parametrize("character", ["a", "é", "北", "\U0001f426"])
def test_no_window_can_have_more_tokens_than_the_endpoint_takes(embedder: HostedEmbedder, character: str) -> None:
    text = "".join(f"{character}{index % 10}" if index % 100 == 0 else character for index in range(9_000))
    windows = embedder.windows(text)
    assert all(len(window) <= 4000 and len(window.encode()) <= 8000 for window in windows)
    assert all(one[-400:] == two[:400] for one, two in pairwise(windows))
    assert windows[0] + "".join(window[400:] for window in windows[1:]) == text


def test_a_question_of_too_many_bytes_is_sent_by_its_two_ends(embedder: HostedEmbedder, endpoint: Endpoint) -> None:
    embedder.embed([f"who?{'北' * 3_000}", f"{'北' * 3_000}who?", "\U0001f426" * 2_000], "query")
    sent = [text for request in endpoint.requests for text in request["input"]]
    assert all(len(text.encode()) <= 8000 for text in sent)
    assert sent[0].startswith("who?北")
    assert sent[1].endswith("北who?")
    assert sent[2] == "\U0001f426" * 2_000


@pytest.mark.parametrize(
    ("model", "mine"), [("text-embedding-3-small", True), ("openai:x", True), ("onnx:x", False), ("static", False)]
)
def test_it_claims_hosted_models(model: str, mine: bool) -> None:
    assert claims(model) is mine


def hosted(endpoint: Endpoint) -> dict[str, Any]:
    recall = {
        "embeddingModel": "openai:m",
        "embeddingBaseUrl": endpoint.url,
        "embeddingDimensions": 3,
        "hosted": {"apiKeyEnv": "COMIS_TEST_KEY", "retries": 0},
    }
    return {"memory": {"recall": recall}}


def test_an_engine_stores_and_recalls_through_it(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMIS_TEST_KEY", KEY)
    with comis_core.open(tmp_path / "m.db", config=hosted(endpoint)) as engine:
        engine.agent().store("Ana moved to Lisbon")
        engine.drain()
        (item,) = engine.agent().recall("Where is Ana?")
    assert "vector" in item.sources


def test_a_missing_key_is_told_by_its_variable(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMIS_TEST_KEY", raising=False)
    with comis_core.open(tmp_path / "m.db", config=hosted(endpoint)) as engine:
        engine.agent().store("Ana moved to Lisbon")
        recall = engine.agent().recall("Where is Ana?")
    assert len(recall) == 1
    assert any("COMIS_TEST_KEY" in str(failure) for failure in recall.degraded)
    assert not endpoint.requests


def test_a_fresh_install_touches_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with comis_core.open(tmp_path / "m.db", disable=["embed_static", "embed_onnx"]) as engine:
        engine.agent().store("Ana moved to Lisbon")
        recall = engine.agent().recall("Where is Ana?")
    assert any("no embedder" in note for note in recall.notes)
