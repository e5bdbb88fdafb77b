# SPDX-License-Identifier: Apache-2.0
"""A kitchen, and a model server with scripted answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from chat_server import ChatServer, ScriptedModel
from language_kitchen import build_kitchen

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
