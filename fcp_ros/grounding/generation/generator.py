# SPDX-License-Identifier: Apache-2.0
"""The interface of generators: a request for texts, and the texts with their probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.grounding.generation.grammar import Grammar
from fcp_ros.grounding.language_model.prompt import sanitise


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request for texts."""

    task: str  # what is to be done: the same for many requests, and first in the prompt
    question: str  # this request's own part, last in the prompt
    # all texts that are allowed; None: any text, which ends where its end is likelier than any
    # word. With one, a line is the whole answer.
    grammar: Grammar | None = None
    count: int = 1  # texts that are wanted at most, at least 1
    most_tokens: int = 128
    seconds: float = 60.0
    seed: int = 0  # of servers that draw at random


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a model wrote."""

    text: str  # without spaces at its ends
    # of the text in the model, natural logarithm; of a server that tells none, the logarithm of its
    # share among the answers drawn
    log_probability: float
    is_complete: bool = True  # False if the text was cut at the most tokens


class TextGenerator(Protocol):
    """Anything that writes texts; equal requests get equal texts as far as the model allows it."""

    @property
    def model(self) -> str:
        """Identity of the model, for people."""
        ...

    def write(self, request: TextRequest, check: Callable[[], None]) -> list[WrittenText]:
        """Write texts, likeliest first, each once; GroundingError without an answer in time."""
        ...


def quote_data(text: str, most: int = 2000) -> str:
    """Put text from a person or a scene between double quotes of a prompt (`sanitise`)."""
    return sanitise(text).replace('"', "'")[:most]
