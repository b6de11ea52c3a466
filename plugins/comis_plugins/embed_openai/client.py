"""The endpoint: one request a batch, passing failures tried again, the key in the header and nowhere else."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.errors import EmbedderError
from comis_plugins.embed_openai.connection import Connection

if TYPE_CHECKING:
    import httpx

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed."""
FIRST_DELAY = 0.5
LONGEST_DELAY = 20.0
SHORTEST_TIMEOUT = 0.05
"""Seconds; a request is never sent with less, since nothing could come back."""


@attrs.define(eq=False, repr=False)
class Client:
    """Speaks to one endpoint; safe to use from several threads.

    `timeout` is what a request may take from beginning to end, in seconds. `pause` waits so many seconds, `clock`
    counts them (given by tests).
    """

    base_url: str
    key: str = attrs.field(repr=False)
    timeout: float
    retries: int
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _connection: Connection = attrs.field(init=False, repr=False)

    @_connection.default
    def _not_open_yet(self) -> Connection:
        return Connection(self.base_url, {"Authorization": f"Bearer {self.key}"})

    def embed(self, body: dict[str, Any], *, seconds: float = math.inf) -> list[Sequence[float]]:
        """One vector a text of `body["input"]`, in its order.

        Args:
            seconds: after so many no further request is begun, and one under way is stopped.

        Raises:
            EmbedderError: the endpoint refused, did not answer, or answered with something else; without key or text.
        """
        answer = self._post(body, self.clock() + seconds)
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or len(rows) != len(body["input"]):
            raise EmbedderError(f"{self.base_url} did not answer with a vector for each text")
        try:
            return [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]
        except (KeyError, TypeError) as error:
            raise EmbedderError(f"{self.base_url} answered in another form than OpenAI's") from error

    def close(self) -> None:
        """Close the connection for good: a later request is an EmbedderError. Twice is harmless."""
        self._connection.close()

    def _post(self, body: dict[str, Any], end: float) -> Any:
        import httpx

        failure = ""
        for attempt in range(self.retries + 1):
            wait = min(FIRST_DELAY * 2**attempt, LONGEST_DELAY)
            timeout = max(SHORTEST_TIMEOUT, min(self.timeout, end - self.clock()))
            try:
                response = self._connection.post("embeddings", body, timeout)
            except TimeoutError:
                failure = f"{self.base_url} did not answer within {timeout:.3g} s"
            except httpx.HTTPError as error:
                failure = f"{self.base_url} cannot be reached ({type(error).__name__})"
            else:
                if response.is_success:
                    return _json(response, self.base_url)
                failure = f"{self.base_url} answered with status {response.status_code}"
                if response.status_code not in PASSING:
                    break
                wait = min(_asked_to_wait(response) or wait, LONGEST_DELAY)
            if attempt == self.retries:
                break
            if self.clock() + wait >= end:
                failure = f"{failure}, and there was no time for another try"
                break
            self.pause(wait)
        raise EmbedderError(failure, hint="check memory.recall.embeddingBaseUrl, the model's name and the key")


def _json(response: httpx.Response, base_url: str) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise EmbedderError(f"{base_url} answered with something that is no JSON") from error


def _asked_to_wait(response: httpx.Response) -> float | None:
    try:
        seconds = float(response.headers.get("Retry-After", ""))
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
