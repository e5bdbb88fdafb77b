# SPDX-License-Identifier: Apache-2.0
"""The checked content of a chat completion: texts, and each token's alternatives if offered.

https://platform.openai.com/docs/api-reference/chat/object; vLLM, llama.cpp and Ollama answer alike.
Fields that are not named here are ignored.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.rubric_prompt import Turn
from fcp_ros.grounding.model_server import ModelServer, ServerRefusal

#
# https://platform.openai.com/docs/api-reference/chat/create; the answers are read by
# `completion`.

PATIENCE = 3  # Answers in a row without the feature after which the server counts as lacking it
AGAIN = 50  # Questions after which a missing feature is asked for again: servers are replaced

_COMPLETIONS = "/chat/completions"
_MODELS = "/models"


class OptionalFeature:
    """A feature that not every server has, learnt from the answers; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._missed = 0
        self._passed_over = 0

    def is_worth_asking(self) -> bool:
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
    """Ask for the name of the first model that a server lists."""
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


def write_request(model: str, turns: Sequence[Turn], most_tokens: int) -> dict[str, Any]:
    """Write what every question to a model has; lone surrogates become question marks."""
    return {
        "model": model,
        "messages": [
            {"role": turn.role, "content": turn.content.encode("utf-8", "replace").decode()}
            for turn in turns
        ],
        "max_tokens": most_tokens,
        "stream": False,
    }


def ask_model(server: ModelServer, body: dict[str, Any]) -> tuple[ChatAnswer, ...]:
    """Ask once. Raises GroundingError: the server can't answer."""
    return read_choices(server.post(_COMPLETIONS, body), server.shown)


def draw_answers(
    ask: Callable[[dict[str, Any]], Sequence[ChatAnswer]],
    body: dict[str, Any],
    count: int,
    seed: int,
    batches: OptionalFeature,
) -> list[ChatAnswer]:
    """Draw answers, all in one request (`n`) if the server can, else one by one.

    `seed` is the first's; equal questions and seeds give equal answers if the server honours them.
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


# --- the checked content of a chat completion: texts, and each token's alternatives if offered ---

STOPPED = ("stop", "eos")  # Finish reasons of an answer that ended by itself


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """One token of an answer: its text, and the probabilities of this and alternative tokens."""

    text: str
    alternatives: dict[str, float]


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One answer: its text, its tokens if the server sends them, and a flag if it is complete."""

    text: str
    tokens: tuple[AnswerToken, ...]
    is_complete: bool


class _Given(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)


class _Token(_Given):
    token: str
    logprob: float


class _Position(_Token):
    top_logprobs: list[_Token] | None = None


class _Logprobs(_Given):
    content: list[_Position] | None = None


class _Message(_Given):
    content: str | None = None


class _Choice(_Given):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Completion(_Given):
    choices: list[_Choice] = Field(min_length=1)


class _Model(_Given):
    id: str = Field(min_length=1)


class _Models(_Given):
    data: list[_Model]


def read_choices(content: Any, server: str) -> tuple[ChatAnswer, ...]:
    """Read the answers that a server sent; SERVER_FAILED for another shape."""
    try:
        completion = _Completion.model_validate(content)
    except ValidationError as error:
        raise _build_shape_error(error, server, "a chat completion") from None
    return tuple(_read_answer(given) for given in completion.choices)


def read_model_names(content: Any, server: str) -> tuple[str, ...]:
    """Read the names of the models that a server lists; SERVER_FAILED for another shape."""
    try:
        return tuple(model.id for model in _Models.model_validate(content).data)
    except ValidationError as error:
        raise _build_shape_error(error, server, "a list of models") from None


def _read_answer(given: _Choice) -> ChatAnswer:
    positions = given.logprobs.content if given.logprobs is not None else None
    return ChatAnswer(
        given.message.content or "",
        tuple(_read_token(position) for position in positions or ()),
        given.finish_reason in STOPPED,
    )


def _read_token(given: _Position) -> AnswerToken:
    alternatives: dict[str, float] = {}
    for token in given.top_logprobs or ():
        # Two tokens may have the same text (a byte and its character): both count.
        alternatives[token.token] = alternatives.get(token.token, 0.0) + _to_probability(token)
    alternatives.setdefault(given.token, _to_probability(given))
    return AnswerToken(given.token, alternatives)


def _to_probability(token: _Token) -> float:
    return 0.0 if math.isnan(token.logprob) else math.exp(min(0.0, token.logprob))


def _build_shape_error(error: ValidationError, server: str, wanted: str) -> GroundingError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the answer"
    return GroundingError(
        GroundingCode.SERVER_FAILED,
        f"{server} answers with something that is not {wanted} ({where}: {first['msg']}); check "
        "that the url leads to an OpenAI-compatible interface",
    )
