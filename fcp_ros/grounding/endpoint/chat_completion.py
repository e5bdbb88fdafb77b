# SPDX-License-Identifier: Apache-2.0
"""The answer to a chat completion, checked: texts, and the alternatives of each token if offered.

https://platform.openai.com/docs/api-reference/chat/object; vLLM, llama.cpp and Ollama answer alike.
What else they send is not looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

STOPPED = ("stop", "eos")
"""Why an answer ended, if it did so by itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """One token of an answer: its text, and the probabilities of it and its alternatives."""

    text: str
    alternatives: dict[str, float]


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: its text, its tokens if the server tells them, and whether it is complete."""

    text: str
    steps: tuple[Step, ...]
    is_complete: bool


class _Given(BaseModel):
    model_config = ConfigDict(extra="ignore")


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


def read_choices(content: Any, server: str) -> tuple[Choice, ...]:
    """The answers in what a server sent; `server` begins the sentence of an error.

    Raises:
        GroundingError: it has another shape (SERVER_FAILED).
    """
    try:
        completion = _Completion.model_validate(content)
    except ValidationError as error:
        raise _wrong_shape(error, server, "a chat completion") from None
    return tuple(_choice(given) for given in completion.choices)


def read_model_names(content: Any, server: str) -> tuple[str, ...]:
    """The names of the models that a server lists.

    Raises:
        GroundingError: it has another shape (SERVER_FAILED).
    """
    try:
        return tuple(model.id for model in _Models.model_validate(content).data)
    except ValidationError as error:
        raise _wrong_shape(error, server, "a list of models") from None


def _choice(given: _Choice) -> Choice:
    positions = given.logprobs.content if given.logprobs is not None else None
    return Choice(
        given.message.content or "",
        tuple(_step(position) for position in positions or ()),
        given.finish_reason in STOPPED,
    )


def _step(given: _Position) -> Step:
    alternatives: dict[str, float] = {}
    for token in given.top_logprobs or ():
        # Two tokens may have one text (a byte, and the character that it is): both count.
        alternatives[token.token] = alternatives.get(token.token, 0.0) + _probability(token)
    alternatives.setdefault(given.token, _probability(given))
    return Step(given.token, alternatives)


def _probability(token: _Token) -> float:
    return 0.0 if math.isnan(token.logprob) else math.exp(min(0.0, token.logprob))


def _wrong_shape(error: ValidationError, server: str, wanted: str) -> GroundingError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the answer"
    return GroundingError(
        GroundingCode.SERVER_FAILED,
        f"{server} answers with something that is not {wanted} ({where}: {first['msg']}); check "
        "that the url leads to an OpenAI-compatible interface",
    )
