# SPDX-License-Identifier: Apache-2.0
"""Texts of a model on a server: fields for the grammar, probabilities, refusals, failures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chat_server import ChatServer, ScriptedModel, send

from fcp_ros.grounding import EndpointOptions, GroundingError
from fcp_ros.grounding.generation import Grammar, TextRequest
from fcp_ros.grounding.generators import ServerGenerator

GRAMMAR = Grammar({"start": (("on",), ("off",))})
GRAMMAR_FIELDS = ("structured_outputs", "guided_grammar", "grammar", "ebnf")


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


def ask(count: int = 12, seconds: float = 10.0, seed: int = 0) -> TextRequest:
    return TextRequest("Say on or off.", "Now?", GRAMMAR, count, 16, seconds, seed)


def test_texts_come_with_their_probabilities(server: ChatServer, make: Any) -> None:
    found = make().write(ask(), never)
    assert [one.text for one in found] == ["on", "off", "what"]
    assert [math.exp(one.log_probability) for one in found] == pytest.approx([0.7, 0.2, 0.1])
    assert server.bodies[1]["messages"][0]["content"] == "Say on or off.\n\nNow?"
    assert [body.get("temperature") for body in server.bodies[1:]] == [0.0, 0.7]


def test_the_grammar_goes_along_in_all_fields_that_servers_know(
    server: ChatServer, make: Any
) -> None:
    make().write(ask(1), never)
    body = server.bodies[-1]
    assert body["structured_outputs"] == {"grammar": GRAMMAR.gbnf}
    assert all(body[field] == GRAMMAR.gbnf for field in GRAMMAR_FIELDS[1:])


def test_a_server_without_grammars_is_asked_without(server: ChatServer, make: Any) -> None:
    def refuse(handler: Any, body: dict[str, Any]) -> bool:
        if not any(field in body for field in GRAMMAR_FIELDS):
            return False
        return send(handler, 400, {"error": {"message": "unknown field: structured_outputs"}})

    server.behaviour = refuse
    generator = make()
    for _ in range(4):
        assert generator.write(ask(1), never)[0].text == "on"
    refused = [body for body in server.bodies if "grammar" in body]
    assert len(refused) == 3  # then it is known


def test_a_server_without_probabilities_is_counted(server: ChatServer, make: Any) -> None:
    def refuse(handler: Any, body: dict[str, Any]) -> bool:
        return "logprobs" in body and send(handler, 400, {"error": "logprobs are not supported"})

    server.behaviour = refuse
    found = make().write(ask(25), never)
    shares = {one.text: math.exp(one.log_probability) for one in found}
    assert math.fsum(shares.values()) == pytest.approx(1.0)
    assert shares["on"] > 0.5


def test_a_seed_repeats(make: Any) -> None:
    assert make().write(ask(6, seed=3), never) == make().write(ask(6, seed=3), never)


def test_a_server_that_hangs_is_left_at_the_deadline(server: ChatServer, make: Any) -> None:
    server.hangs = True
    generator = make(model="tiny")
    with pytest.raises(GroundingError, match=r"within 0\.3 s"):
        generator.write(ask(1, seconds=0.3), never)
    server.hangs = False
    assert generator.write(ask(1), never)[0].text == "on"  # and asked again afterwards


def test_a_caller_can_stop(server: ChatServer, make: Any) -> None:
    server.hangs = True

    def check() -> None:
        if server.bodies:  # it has been asked
            raise InterruptedError

    with pytest.raises(InterruptedError):
        make().write(ask(1), check)


def test_a_server_that_is_down_is_an_error_with_what_to_do(server: ChatServer, make: Any) -> None:
    generator = make()
    server.close()
    with pytest.raises(GroundingError, match="check that it runs") as told:
        generator.write(ask(1), never)
    assert told.value.code == "server_unreachable"


def test_a_wrong_url_is_told_at_once() -> None:
    with pytest.raises(GroundingError, match="url"):
        ServerGenerator(EndpointOptions(url="nonsense"))
