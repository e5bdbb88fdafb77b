# SPDX-License-Identifier: Apache-2.0
"""HTTP to a model server: bounded in time and size, tried again where that can help, never more.

What passes is repeated (no connection, 408, 429, 5xx) with growing, jittered pauses, or after as
long as the server asks for (`Retry-After`); what is wrong is not (any other 4xx). The key comes
from the environment at each request and is kept out of every message.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from typing import TYPE_CHECKING, Any

from fcp_ros.grounding.endpoint.refusals import Refusal, passes, refusal_of, retry_after
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import EndpointOptions, out_of_range

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 4 << 20
"""The longest answer that is read; those to a question have some kilobytes."""
FIRST_PAUSE = 0.25
"""Seconds before the second try; each further one is twice as long."""
LONGEST_PAUSE = 8.0
TIMEOUTS_A_REQUEST = 2.0
"""All tries of one request together may take so many times the timeout."""


class ModelServer:
    """A server with the OpenAI protocol; safe to use from several threads.

    Args:
        options: where it is, and how long to wait for it.
        first_pause: seconds before the second try of a request.

    Raises:
        GroundingError: the URL is none, or the HTTP library is not installed.
    """

    def __init__(self, options: EndpointOptions, *, first_pause: float = FIRST_PAUSE) -> None:
        self._options = options
        self._first_pause = first_pause
        self._closed = threading.Event()
        self._client, self.host = _client(options)

    @property
    def shown(self) -> str:
        """The server in messages."""
        return f"the model server {self.host}"

    def get(self, path: str) -> Any:
        """The JSON that the server has under a path."""
        return self._content("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON that the server answers a JSON with.

        Raises:
            GroundingError: it can't be reached (SERVER_UNREACHABLE), or it can't or won't answer
                (`Refusal`, SERVER_FAILED or CONTEXT_TOO_LONG).
        """
        return self._content("POST", path, body)

    def close(self) -> None:
        """End pauses and connections."""
        self._closed.set()
        self._client.close()

    def _content(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        text = self._tried(method, path, body)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            start = " ".join(text[:80].decode("utf-8", "replace").split())
            raise GroundingError(
                GroundingCode.SERVER_FAILED,
                f"{self.shown} answers {path} with something that is no JSON (it begins with "
                f"{start!r}); check that the url leads to an OpenAI-compatible interface, such as "
                "http://host:8000/v1",
            ) from None

    def _tried(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        bound = time.monotonic() + TIMEOUTS_A_REQUEST * self._options.timeout
        attempt = 0
        while True:
            try:
                return self._once(method, path, body, bound)
            except GroundingError as error:
                if attempt == self._options.retries or not _may_pass(error):
                    raise
                pause = self._pause(error, attempt)
                if time.monotonic() + pause >= bound or self._closed.wait(pause):
                    raise
                attempt += 1

    def _pause(self, error: GroundingError, attempt: int) -> float:
        """Seconds before the next try: what the server asks for, else doubled, with jitter."""
        asked = error.after if isinstance(error, Refusal) else None
        if asked is not None:
            return asked
        # Jitter, so that a fleet that was refused together does not come back together.
        return min(LONGEST_PAUSE, self._first_pause * 2.0**attempt) * random.uniform(0.5, 1.5)

    def _once(self, method: str, path: str, body: dict[str, Any] | None, bound: float) -> bytes:
        import httpx2

        if self._closed.is_set():
            raise self._unreachable("is not asked any more: its oracle is closed", None)
        left = max(0.05, min(self._options.timeout, bound - time.monotonic()))
        until = time.monotonic() + left
        try:
            with self._client.stream(
                method, path, json=body, headers=self._headers(), timeout=left
            ) as response:
                text = self._read(response, until)
        except httpx2.TimeoutException as error:
            raise self._unreachable(f"did not answer within {left:.3g} s", error) from error
        except httpx2.RequestError as error:
            what = f"can't be reached ({type(error).__name__}: {error})"
            raise self._unreachable(what, error) from error
        except (httpx2.StreamError, RuntimeError) as error:  # the client was closed meanwhile
            raise self._unreachable(f"is not asked any more ({error})", error) from error
        if 200 <= response.status_code < 300:
            return text
        key = os.environ.get(self._options.key_variable, "")
        raise refusal_of(
            self.shown,
            response.status_code,
            text.decode("utf-8", "replace"),
            self._options.key_variable,
            location=response.headers.get("location", ""),
            after=retry_after(response.headers.get("retry-after", "")),
            secret=key.strip(),
        )

    def _read(self, response: httpx2.Response, until: float) -> bytes:
        """The body as it was sent, as far as size and time allow."""
        received = bytearray()
        # Raw: a compressed body could grow to any size in one piece; none is asked for.
        for piece in response.iter_raw():
            received += piece
            if len(received) > MOST_BYTES:
                raise GroundingError(
                    GroundingCode.SERVER_FAILED,
                    f"{self.shown} sends more than {MOST_BYTES >> 20} MiB for one answer; check "
                    "that the url leads to an OpenAI-compatible interface",
                )
            if time.monotonic() > until:
                raise self._unreachable("sends its answer too slowly", None)
        return bytes(received)

    def _headers(self) -> dict[str, str]:
        variable = self._options.key_variable
        key = os.environ.get(variable, "").strip() if variable else ""
        if not key:
            return {}
        if not key.isascii() or not key.isprintable():
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the environment variable {variable} holds characters that no key has; set it to "
                "the server's key alone",
            )
        return {"Authorization": f"Bearer {key}"}

    def _unreachable(self, what: str, cause: Exception | None) -> GroundingError:
        return GroundingError(
            GroundingCode.SERVER_UNREACHABLE,
            f"{self.shown} {what}; check that it runs, and the options endpoint url and timeout",
        )


def _may_pass(error: GroundingError) -> bool:
    if isinstance(error, Refusal):
        return passes(error)
    return error.code is GroundingCode.SERVER_UNREACHABLE


def _client(options: EndpointOptions) -> tuple[httpx2.Client, str]:
    """The HTTP client, and the server's host and port for messages and cache keys."""
    try:
        import httpx2
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"the endpoint oracle needs httpx2 ({error}); pip install 'fcp_ros[endpoint]'",
        ) from error
    if not options.url:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            "the endpoint oracle needs a server: set the grounding option endpoint url, such as "
            "http://localhost:8000/v1",
        )
    try:
        url = httpx2.URL(options.url)
    except (httpx2.InvalidURL, TypeError, ValueError) as error:
        raise out_of_range("endpoint url", options.url, f"a URL ({error})") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise out_of_range("endpoint url", options.url, "such as http://localhost:8000/v1")
    if url.userinfo or url.query or url.fragment:
        shown = url.copy_with(userinfo=b"", query=None, fragment=None)
        raise out_of_range(
            "endpoint url",
            str(shown),
            "without user, password and query; a key belongs into the environment variable "
            f"{options.key_variable}",
        )
    client = httpx2.Client(
        base_url=str(url).rstrip("/"),
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        limits=httpx2.Limits(
            max_connections=options.concurrency, max_keepalive_connections=options.concurrency
        ),
    )
    return client, url.netloc.decode("ascii")
