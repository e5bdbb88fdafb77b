# SPDX-License-Identifier: Apache-2.0
"""HTTP to a model server: bounded in time and size, repeated only if that can help.

Transient failures (no connection, 408, 425, 429, 5xx) are repeated after growing, jittered pauses,
or after as long as the server asks for (`Retry-After`). Any other 4xx is not. The key is read from
the environment at each request and is kept out of every message.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import threading
import time
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from fcp_ros.foundation.wording import to_printable
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.options import EndpointOptions, build_range_error

MOST_BYTES = 4 << 20  # The longest answer that is read; usual ones have a few kilobytes
FIRST_PAUSE = 0.25  # Seconds before the second try; each further pause is twice as long
LONGEST_PAUSE = 8.0
TIMEOUTS_A_REQUEST = 2.0
"""The limit on all tries of one request together, in multiples of the timeout."""
LONGEST_AFTER = 60.0  # The longest pause that a server may ask for, in seconds
SHOWN = 200  # The longest part of a server's explanation in a message, in characters

_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum context|max_model_len|"
    r"(prompt|input|request)[^.]{0,40}\b(too long|exceeds)|too many (input )?tokens",
    re.IGNORECASE,
)


class ModelServer:
    """A server with the OpenAI protocol; safe to use from several threads.

    `first_pause`: seconds before the second try of a request.
    """

    def __init__(self, options: EndpointOptions, *, first_pause: float = FIRST_PAUSE) -> None:
        self._options = options
        self._first_pause = first_pause
        self._closed = threading.Event()
        self._client, self.host = _make_client(options)

    @property
    def shown(self) -> str:
        return f"the model server {self.host}"

    def get(self, path: str) -> Any:
        """Fetch the JSON content under a path."""
        return self._fetch_json("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send JSON content, and return that of the answer.

        Raises GroundingError (SERVER_UNREACHABLE, SERVER_FAILED, CONTEXT_TOO_LONG) or
        `ServerRefusal`.
        """
        return self._fetch_json("POST", path, body)

    def close(self) -> None:
        """End pauses and close the connections."""
        self._closed.set()
        self._client.close()

    def _fetch_json(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        text = self._request(method, path, body)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            start = " ".join(text[:80].decode("utf-8", "replace").split())
            raise GroundingError(
                GroundingCode.SERVER_FAILED,
                f"{self.shown} answers {path} with something that is not JSON (it begins with "
                f"{start!r}); check that the url leads to an OpenAI-compatible interface, such as "
                "http://host:8000/v1",
            ) from None

    def _request(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        bound = time.monotonic() + TIMEOUTS_A_REQUEST * self._options.timeout
        attempt = 0
        while True:
            try:
                return self._try_once(method, path, body, bound)
            except GroundingError as error:
                if attempt == self._options.retries or not _is_transient(error):
                    raise
                pause = self._choose_pause(error, attempt)
                if time.monotonic() + pause >= bound or self._closed.wait(pause):
                    raise
                attempt += 1

    def _choose_pause(self, error: GroundingError, attempt: int) -> float:
        """Choose the seconds before the next try: as the server asks, else doubled with jitter."""
        asked = error.after if isinstance(error, ServerRefusal) else None
        if asked is not None:
            return asked
        # Without jitter, a fleet that was refused together would come back together.
        return min(LONGEST_PAUSE, self._first_pause * 2.0**attempt) * random.uniform(0.5, 1.5)

    def _try_once(self, method: str, path: str, body: dict[str, Any] | None, bound: float) -> bytes:
        import httpx2

        if self._closed.is_set():
            raise self._build_unreachable("is no longer asked: its oracle is closed")
        left = max(0.05, min(self._options.timeout, bound - time.monotonic()))
        until = time.monotonic() + left
        try:
            with self._client.stream(
                method, path, json=body, headers=self._build_headers(), timeout=left
            ) as response:
                text = self._read(response, until)
        except httpx2.TimeoutException as error:
            raise self._build_unreachable(f"did not answer within {left:.3g} s") from error
        except httpx2.RequestError as error:
            what = f"can't be reached ({type(error).__name__}: {error})"
            raise self._build_unreachable(what) from error
        except (httpx2.StreamError, RuntimeError) as error:  # the client was closed meanwhile
            raise self._build_unreachable(f"is no longer asked ({error})") from error
        if 200 <= response.status_code < 300:
            return text
        key = os.environ.get(self._options.key_variable, "")
        raise build_refusal(
            self.shown,
            response.status_code,
            text.decode("utf-8", "replace"),
            self._options.key_variable,
            location=response.headers.get("location", ""),
            after=read_retry_after(response.headers.get("retry-after", "")),
            secret=key.strip(),
        )

    def _read(self, response: Any, until: float) -> bytes:
        """Read the body within the limits of size and time."""
        received = bytearray()
        # Raw: a compressed body, which was not asked for, could expand to any size in one piece.
        for piece in response.iter_raw():
            received += piece
            if len(received) > MOST_BYTES:
                raise GroundingError(
                    GroundingCode.SERVER_FAILED,
                    f"{self.shown} sends more than {MOST_BYTES >> 20} MiB for one answer; check "
                    "that the url leads to an OpenAI-compatible interface",
                )
            if time.monotonic() > until:
                raise self._build_unreachable("sends its answer too slowly")
        return bytes(received)

    def _build_headers(self) -> dict[str, str]:
        variable = self._options.key_variable
        key = os.environ.get(variable, "").strip() if variable else ""
        if not key:
            return {}
        if not key.isascii() or not key.isprintable():
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the environment variable {variable} holds characters that no key contains; "
                "set it to the server's key alone",
            )
        return {"Authorization": f"Bearer {key}"}

    def _build_unreachable(self, what: str) -> GroundingError:
        return GroundingError(
            GroundingCode.SERVER_UNREACHABLE,
            f"{self.shown} {what}; check that it runs, and the options endpoint url and timeout",
        )


def _is_transient(error: GroundingError) -> bool:
    """Return True if the same request may succeed later."""
    if isinstance(error, ServerRefusal):
        busy = error.status in (408, 425, 429) or error.status >= 500
        return busy and error.code is GroundingCode.SERVER_FAILED
    return error.code is GroundingCode.SERVER_UNREACHABLE


def _make_client(options: EndpointOptions) -> tuple[Any, str]:
    """Make the HTTP client; also return the server's host and port for messages and cache keys."""
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
        raise build_range_error("endpoint url", options.url, f"a URL ({error})") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise build_range_error("endpoint url", options.url, "such as http://localhost:8000/v1")
    if url.userinfo or url.query or url.fragment:
        shown = url.copy_with(userinfo=b"", query=None, fragment=None)
        raise build_range_error(
            "endpoint url",
            str(shown),
            "without user, password and query; a key belongs in the environment variable "
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


class ServerRefusal(GroundingError):
    """A server's answer with an error status."""

    status: int = 0
    words: str = ""
    after: float | None = None  # seconds after which it asks to come back, or None

    @property
    def is_about_fields(self) -> bool:
        """True if the status is that of a server that does not know a field of the request."""
        return self.status in (400, 422, 501)


def build_refusal(
    server: str,
    status: int,
    body: str,
    key_variable: str,
    *,
    location: str = "",
    after: float | None = None,
    secret: str = "",
) -> ServerRefusal:
    """Build the error for a status other than success.

    `server`, in words, begins the sentence; `location`: target of a redirect; `after`: `Retry-
    After` in seconds; `secret`: removed from the message if the server repeats it.
    """
    words = _extract_words(body)
    words = words.replace(secret, "***") if secret else words
    code = GroundingCode.SERVER_FAILED
    if _TOO_LONG.search(words):
        code = GroundingCode.CONTEXT_TOO_LONG
        what = "the question is longer than its context; shorten the rubric, or give the server a "
        what += "larger context"
    elif status in (401, 403):
        what = f"it requires a key; set the environment variable {key_variable} to a valid one"
    elif status == 404:
        what = "there is no such address or model; check the options endpoint url and model"
    elif 300 <= status < 400:
        target = to_printable(location)[:SHOWN] or "another address"
        what = f"it redirects to {target}; use that as endpoint url"
    elif status == 429:
        what = "it is overloaded; lower the option endpoint concurrency"
    elif status >= 500:
        what = "it failed; see its log"
    else:
        what = "it can't take the request; check the option endpoint model, then its log"
    said = f": {words}" if words else ""
    refusal = ServerRefusal(code, f"{server} refuses with status {status}{said}; {what}")
    refusal.status, refusal.words, refusal.after = status, words, after
    return refusal


def read_retry_after(header: str) -> float | None:
    """Read `Retry-After` (a number or a date) as seconds, at most LONGEST_AFTER."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            then = parsedate_to_datetime(header)
        except (TypeError, ValueError, IndexError):
            return None
        aware = then if then.tzinfo is not None else then.replace(tzinfo=timezone.utc)
        seconds = (aware - datetime.now(timezone.utc)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_AFTER)


def _extract_words(body: str) -> str:
    """Extract the server's explanation from the JSON around it, on one line."""
    text = body
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    for key in ("error", "message", "detail"):
        if isinstance(content, dict) and key in content:
            content = content[key]
    if isinstance(content, str):
        text = content
    return to_printable(" ".join(text.split()))[:SHOWN]
