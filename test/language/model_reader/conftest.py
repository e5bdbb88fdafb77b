# SPDX-License-Identifier: Apache-2.0
"""A kitchen, a model server with scripted answers, and readers that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from chat_server import END, ChatServer, ScriptedModel
from language_kitchen import build_kitchen

from fcp_ros.grounding import EndpointOptions
from fcp_ros.language.model_reader import EndpointReader, ModelReaderOptions
from fcp_ros.language.reader import ReadingContext


@pytest.fixture(scope="session")
def context() -> ReadingContext:
    """Somebody in a kitchen."""
    return ReadingContext(*build_kitchen())


@pytest.fixture
def server(monkeypatch: Any) -> Iterator[ChatServer]:
    """A server whose model writes nothing useful."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ChatServer(ScriptedModel({"?": 1.0}))
    yield server
    server.close()


Answers = Mapping[str, float] | Callable[[str], Mapping[str, float]]


@pytest.fixture
def make_reader(server: ChatServer) -> Callable[..., EndpointReader]:
    """Makes a reader whose model gives these answers: make_reader({goal: probability})."""

    def make(answers: Answers, **changes: Any) -> EndpointReader:
        server.model = ScriptedModel(answers, lambda text: [text, END], shows_end=True)
        options = ModelReaderOptions(**{"candidates": 16, **changes})
        endpoint = EndpointOptions(url=server.url, timeout=5.0, retries=0)
        return EndpointReader(options=options, endpoint=endpoint)

    return make
