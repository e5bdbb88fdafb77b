# SPDX-License-Identifier: Apache-2.0
"""A real HTTP server that speaks the protocol, and oracles that ask it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chat_server import USUAL, ChatServer, ScriptedModel

from fcp_ros.grounding import EndpointOptions, Estimate, LanguageModelOptions
from fcp_ros.grounding.endpoint_oracle import EndpointOracle


@pytest.fixture
def server(monkeypatch: Any) -> Iterator[ChatServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ChatServer(ScriptedModel(USUAL))
    yield server
    server.close()


@pytest.fixture
def connect(server: ChatServer) -> Iterator[Callable[..., EndpointOracle]]:
    made = []

    def oracle(options: LanguageModelOptions | None = None, **changes: Any) -> EndpointOracle:
        endpoint = EndpointOptions(**{"url": server.url, "timeout": 5.0, **changes})
        made.append(
            EndpointOracle(
                endpoint,
                options or LanguageModelOptions(estimate=Estimate.MEDIAN),
                first_pause=0.01,
            )
        )
        return made[-1]

    yield oracle
    for one in made:
        one.close()


@pytest.fixture
def judge(make_predicate: Any, ask: Any) -> Callable[..., Any]:
    def judged(oracle: EndpointOracle, *items: str) -> Any:
        requests = [ask(item, "drinking") for item in items or ("mug",)]
        answers = oracle.judge(make_predicate(), requests)
        return answers if items else answers[0]

    return judged
