# SPDX-License-Identifier: Apache-2.0
"""Texts of a model on a server: what is asked, and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chat_server import ChatServer, ScriptedModel

from fcp_ros.grounding import EndpointOptions, GroundingError
from fcp_ros.grounding.generation import TextRequest, WrittenText
from fcp_ros.grounding.generators import ServerGenerator


def never() -> None:
    """Does not stop."""


@pytest.fixture
def server(monkeypatch: Any) -> Iterator[ChatServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ChatServer(ScriptedModel({"on": 0.7, "off": 0.2, "what": 0.1}, shows_end=True))
    yield server
    server.close()


@pytest.fixture
def make(server: ChatServer) -> Iterator[Callable[..., ServerGenerator]]:
    made = []

    def generator(**changes: Any) -> ServerGenerator:
        options = EndpointOptions(**{"url": server.url, "timeout": 5.0, "retries": 0, **changes})
        made.append(ServerGenerator(options))
        return made[-1]

    yield generator
    for one in made:
        one.close()


def ask(seconds: float = 10.0) -> TextRequest:
    return TextRequest("Say on or off.", "Now?", 16, seconds)


def test_the_likeliest_text_is_asked_for(server: ChatServer, make: Any) -> None:
    assert make().write(ask(), never) == WrittenText("on")
    (body,) = server.bodies[1:]
    assert body["messages"][0]["content"] == "Say on or off.\n\nNow?"
    assert body["temperature"] == 0.0


def test_a_server_that_hangs_is_left_at_the_deadline(server: ChatServer, make: Any) -> None:
    server.hangs = True
    generator = make(model="tiny")
    with pytest.raises(GroundingError, match=r"within 0\.3 s"):
        generator.write(ask(0.3), never)
    server.hangs = False
    assert generator.write(ask(), never).text == "on"  # and asked again afterwards


def test_a_caller_can_stop(server: ChatServer, make: Any) -> None:
    server.hangs = True

    def check() -> None:
        if server.bodies:  # it has been asked
            raise InterruptedError

    with pytest.raises(InterruptedError):
        make().write(ask(), check)


def test_a_server_that_is_down_is_an_error_with_what_to_do(server: ChatServer, make: Any) -> None:
    generator = make()
    server.close()
    with pytest.raises(GroundingError, match="check that it runs") as told:
        generator.write(ask(), never)
    assert told.value.code == "server_unreachable"


def test_a_wrong_url_is_told_at_once() -> None:
    with pytest.raises(GroundingError, match="url"):
        ServerGenerator(EndpointOptions(url="nonsense"))
