# SPDX-License-Identifier: Apache-2.0
"""The endpoint oracle against a real HTTP server that misbehaves in every way."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from chat_server import send

from fcp_ros.grounding import (
    EndpointOptions,
    Estimate,
    GroundingCode,
    GroundingError,
    LanguageModelOptions,
)
from fcp_ros.grounding.endpoint_oracle import EndpointOracle
from fcp_ros.grounding.model_server import read_retry_after

EXACT = LanguageModelOptions(estimate=Estimate.MEDIAN)


def failing(*statuses: int, **headers: str) -> Callable[..., bool]:
    """Refuses with these statuses, one a request, and then serves."""
    left = list(statuses)

    def behave(handler: Any, body: Any) -> bool:
        if not left:
            return False
        return send(handler, left.pop(0), {"error": {"message": "not now"}}, headers)

    return behave


def garbage(content: Any) -> Callable[..., bool]:
    return lambda handler, body: send(handler, 200, content)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_passes_is_tried_again(server: Any, connect: Any, judge: Any, status: int) -> None:
    server.behaviour = failing(status, status)
    assert judge(connect(model="tiny")).degree == 0.7
    assert len(server.bodies) == 3


def test_retry_after_is_honoured(server: Any, connect: Any, judge: Any) -> None:
    server.behaviour = failing(429, **{"Retry-After": "0.3"})
    begun = time.monotonic()
    assert judge(connect(model="tiny")).degree == 0.7
    assert time.monotonic() - begun >= 0.3
    server.behaviour = failing(429, **{"Retry-After": "86400"})
    with pytest.raises(GroundingError, match="status 429"):
        judge(connect(model="tiny"))


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [("3", 3, 3), ("-1", 0, 0), ("1e9", 60, 60), ("Wed, 21 Oct 2065 07:28:00 GMT", 60, 60),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0)],
)  # fmt: skip
def test_retry_after_in_its_forms(header: str, low: float, high: float) -> None:
    found = read_retry_after(header)
    assert found is not None
    assert low <= found <= high


@pytest.mark.parametrize("header", ["", "soon", "nan", "Wed, 99"])
def test_retry_after_that_says_nothing(header: str) -> None:
    assert read_retry_after(header) is None


def test_a_server_that_goes_on_failing(server: Any, connect: Any, judge: Any) -> None:
    server.behaviour = failing(*[500] * 100)
    with pytest.raises(GroundingError, match="status 500: not now; it failed") as caught:
        judge(connect(model="tiny", retries=2))
    assert caught.value.code is GroundingCode.SERVER_FAILED
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("status", "message", "words", "code"),
    [
        (401, "no", "set the environment variable FCP_KEY_TEST", GroundingCode.SERVER_FAILED),
        (403, "no", "set the environment variable FCP_KEY_TEST", GroundingCode.SERVER_FAILED),
        (404, "The model `x` does not exist", "check the options", GroundingCode.SERVER_FAILED),
        (400, "what?", "can't take the request", GroundingCode.SERVER_FAILED),
        (302, "moved", "use that as endpoint url", GroundingCode.SERVER_FAILED),
        (
            400,
            "This model's maximum context length is 256 tokens.",
            "shorten the rubric",
            GroundingCode.CONTEXT_TOO_LONG,
        ),
        (
            500,
            "the request exceeds the available context size, try increasing it",
            "shorten the rubric",
            GroundingCode.CONTEXT_TOO_LONG,
        ),
    ],
)
def test_what_is_wrong_is_not_tried_again(
    server: Any, connect: Any, judge: Any, status: int, message: str, words: str, code: Any
) -> None:
    def refuse(handler: Any, body: Any) -> bool:
        return send(handler, status, {"error": {"message": message}}, {"Location": "/v2"})

    server.behaviour = refuse
    with pytest.raises(GroundingError, match=words) as caught:
        judge(connect(model="x", key_variable="FCP_KEY_TEST"))
    assert caught.value.code is code
    assert message in caught.value.sentence
    assert len(server.bodies) == 1


@pytest.mark.parametrize("name", ["HOME", "AWS_SECRET_ACCESS_KEY", "fcp_key_x", "XFCP_KEY_"])
def test_no_other_secret_of_the_process_can_be_sent(name: str) -> None:
    with pytest.raises(GroundingError, match="begins with FCP_KEY_") as caught:
        EndpointOptions(key_variable=name)
    assert caught.value.code is GroundingCode.INVALID_OPTION


def test_the_key_is_sent_and_never_said(
    server: Any, connect: Any, judge: Any, monkeypatch: Any, caplog: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    oracle = connect(model="tiny", key_variable="FCP_KEY_TEST")
    judge(oracle)
    assert "Authorization" not in server.headers[-1]
    monkeypatch.setenv("FCP_KEY_TEST", "sk-very-secret\n")
    judge(oracle)
    assert server.headers[-1]["Authorization"] == "Bearer sk-very-secret"
    server.behaviour = lambda handler, body: send(handler, 401, "wrong key sk-very-secret!")
    with pytest.raises(GroundingError, match=r"wrong key \*\*\*!") as caught:
        judge(oracle)
    assert "very-secret" not in caught.value.sentence + caplog.text + repr(oracle.model)
    monkeypatch.setenv("FCP_KEY_TEST", "sk\nX-Evil: 1")
    with pytest.raises(GroundingError, match="characters that no key contains") as caught:
        judge(oracle)
    assert "Evil" not in caught.value.sentence


@pytest.mark.parametrize(
    "content",
    [
        "<html>Welcome to nginx</html>",
        '{"choices": [{"message": {"con',
        "[" * 100_000,
        "",
        b"\xff\xfe\x00",
        "null",
        "[]",
        {"choices": []},
        {"choices": [{"message": "70"}]},
        {"choices": [{"message": {"content": ["70"]}}]},
        {"choices": [{"message": {"content": "70"}, "logprobs": {"content": [{"token": 7}]}}]},
        {"error": "but with status 200"},
    ],
    ids=lambda content: str(content)[:30],
)
def test_garbage(server: Any, connect: Any, judge: Any, content: Any) -> None:
    server.behaviour = garbage(content)
    with pytest.raises(GroundingError, match="OpenAI-compatible interface") as caught:
        judge(connect(model="tiny"))
    assert caught.value.code is GroundingCode.SERVER_FAILED
    with pytest.raises(GroundingError, match=r"OpenAI-compatible interface.*option endpoint model"):
        _ = connect().model


def test_a_server_without_models(server: Any, connect: Any) -> None:
    server.names = ()
    with pytest.raises(GroundingError, match="has no model"):
        _ = connect().model


def test_an_answer_without_end_is_not_read_to_the_end(
    server: Any, connect: Any, judge: Any
) -> None:
    def endless(handler: Any, body: Any) -> bool:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        with contextlib.suppress(OSError):  # whatever the closed connection leads to
            while True:
                handler.wfile.write(piece)
        return True

    server.behaviour = endless
    with pytest.raises(GroundingError, match="more than 4 MiB"):
        judge(connect(model="tiny"))


def test_a_server_that_hangs(server: Any, connect: Any, judge: Any) -> None:
    gone = threading.Event()
    server.behaviour = lambda handler, body: gone.wait()
    items = [f"thing {i}" for i in range(20)]
    with pytest.raises(GroundingError, match=r"did not answer within 0") as caught:
        judge(connect(model="tiny", timeout=0.2, concurrency=2), *items)
    assert len(server.bodies) <= 6  # when one has given up, the others don't begin
    assert caught.value.code is GroundingCode.SERVER_UNREACHABLE
    gone.set()


def test_a_server_that_dribbles(server: Any, connect: Any, judge: Any) -> None:
    def dribble(handler: Any, body: Any) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            handler.close_connection = True
        return True

    server.behaviour = dribble
    with pytest.raises(GroundingError, match="too slowly"):
        judge(connect(model="tiny", timeout=0.3))


def test_a_dropped_connection_is_made_again(server: Any, connect: Any, judge: Any) -> None:
    dropped = []

    def drop(handler: Any, body: Any) -> bool:
        if len(dropped) >= 2:
            return False
        dropped.append(True)
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True
        return True

    server.behaviour = drop
    assert judge(connect(model="tiny")).degree == 0.7
    assert len(server.bodies) == 3


def test_no_server(server: Any, connect: Any, judge: Any) -> None:
    oracle = connect(model="tiny", retries=1)
    server.close()
    with pytest.raises(GroundingError, match=r"can't be reached .*check that it runs") as caught:
        judge(oracle, "mug", "cup")
    assert caught.value.code is GroundingCode.SERVER_UNREACHABLE


def test_closing_ends_the_waiting(server: Any, connect: Any, judge: Any) -> None:
    server.behaviour = failing(*[503] * 9, **{"Retry-After": "60"})
    oracle = connect(model="tiny", timeout=600)
    threading.Timer(0.2, oracle.close).start()
    with pytest.raises(GroundingError):
        judge(oracle, *(f"thing {i}" for i in range(40)))
    for _ in range(3):
        with pytest.raises(GroundingError, match="closed"):
            judge(oracle)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "set the grounding option endpoint url"),
        ("localhost:8000/v1", "such as http"),
        ("ftp://host/v1", "such as http"),
        ("http://", "such as http"),
        ("http://me:secret@host/v1", "without user"),
        ("http://host/v1?key=secret", "without user"),
        ("http://[::1/v1", "a URL"),
    ],
)
def test_urls_that_lead_nowhere(url: str, words: str) -> None:
    with pytest.raises(GroundingError, match=words) as caught:
        EndpointOracle(EndpointOptions(url=url), EXACT)
    assert caught.value.code is GroundingCode.INVALID_OPTION
    assert "secret" not in caught.value.sentence
