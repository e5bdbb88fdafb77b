# SPDX-License-Identifier: Apache-2.0
"""Requests of the OpenAI protocol to a server that may not have all of it.

https://platform.openai.com/docs/api-reference/chat/create; the answers are read by
`completion`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from fcp_ros.grounding.endpoint.completion import ChatAnswer, read_choices, read_model_names
from fcp_ros.grounding.endpoint.model_server import ModelServer, ServerRefusal
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

PATIENCE = 3
"""Answers in a row without the feature after which the server counts as lacking it."""
AGAIN = 50
"""Questions after which a missing feature is asked for again: servers are replaced."""

_COMPLETIONS = "/chat/completions"
_MODELS = "/models"


class OptionalFeature:
    """A feature that not every server has, learnt from the answers; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._missed = 0
        self._passed_over = 0

    def is_worth_asking(self) -> bool:
        """Return True if the feature should be asked for this time."""
        with self._lock:
            if self._missed < PATIENCE:
                return True
            self._passed_over = (self._passed_over + 1) % AGAIN
            return self._passed_over == 0

    def record(self, is_there: bool) -> None:
        """Record that it was asked for, and if it came."""
        with self._lock:
            self._missed = 0 if is_there else self._missed + 1


def find_first_model(server: ModelServer) -> str:
    """Ask for the name of the first model that a server lists.

    Raises:
        GroundingError: the server can't be asked, or has no model.
    """
    try:
        names = read_model_names(server.get(_MODELS), server.shown)
    except GroundingError as error:
        if error.code is not GroundingCode.SERVER_FAILED:
            raise
        hint = "or the server lists no models: then name one in the option endpoint model"
        raise GroundingError(error.code, f"{error.sentence}; {hint}") from error
    if not names:
        raise GroundingError(
            GroundingCode.SERVER_FAILED,
            f"{server.shown} has no model; load one there, or name one in the option "
            "endpoint model",
        )
    return names[0]


def write_request(model: str, words: str, most_tokens: int) -> dict[str, Any]:
    """Write what every question to a model has; lone surrogates become question marks."""
    said = words.encode("utf-8", "replace").decode()
    return {
        "model": model,
        "messages": [{"role": "user", "content": said}],
        "max_tokens": most_tokens,
        "stream": False,
    }


def ask_model(server: ModelServer, body: dict[str, Any]) -> tuple[ChatAnswer, ...]:
    """Ask once.

    Raises:
        GroundingError: the server can't answer.
    """
    return read_choices(server.post(_COMPLETIONS, body), server.shown)


def draw_answers(
    ask: Callable[[dict[str, Any]], Sequence[ChatAnswer]],
    body: dict[str, Any],
    count: int,
    seed: int,
    batches: OptionalFeature,
) -> list[ChatAnswer]:
    """Draw answers, all in one request (`n`) if the server can, else one by one.

    Args:
        ask: asks once.
        body: the question, with a temperature.
        count: answers that are wanted.
        seed: of the first; equal questions and seeds give equal answers if the server honours them.
        batches: the experience with `n`.

    Raises:
        GroundingError: as `ask` raises.
    """
    drawn: list[ChatAnswer] = []
    if count > 1 and batches.is_worth_asking():
        try:
            drawn += ask({**body, "n": count, "seed": seed})
        except ServerRefusal as refusal:
            if not refusal.is_about_fields:
                raise
            # The next request, without n, shows if n was the reason.
        batches.record(len(drawn) > 1)
    while len(drawn) < count:
        drawn += ask({**body, "seed": seed + len(drawn)})[:1]
    return drawn[:count]
