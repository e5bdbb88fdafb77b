# SPDX-License-Identifier: Apache-2.0
"""The checked content of a chat completion: texts, and each token's alternatives if offered.

https://platform.openai.com/docs/api-reference/chat/object; vLLM, llama.cpp and Ollama answer alike.
Fields that are not named here are ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

STOPPED = ("stop", "eos")
"""Finish reasons of an answer that ended by itself."""


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
    """Read the answers that a server sent; `server` begins the sentence of an error.

    Raises:
        GroundingError: it has another shape (SERVER_FAILED).
    """
    try:
        completion = _Completion.model_validate(content)
    except ValidationError as error:
        raise _build_shape_error(error, server, "a chat completion") from None
    return tuple(_read_answer(given) for given in completion.choices)


def read_model_names(content: Any, server: str) -> tuple[str, ...]:
    """Read the names of the models that a server lists.

    Raises:
        GroundingError: it has another shape (SERVER_FAILED).
    """
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
