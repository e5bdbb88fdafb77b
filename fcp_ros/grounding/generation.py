# SPDX-License-Identifier: Apache-2.0
"""The interface of generators: a request for a text, and what a model wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.language_model.rubric_prompt import Turn, sanitise


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request for the likeliest text."""

    task: str  # what is to be done: the same for many requests, and first in the prompt
    question: str  # this request's own part, last in the prompt
    most_tokens: int = 128
    seconds: float = 60.0
    examples: tuple[tuple[str, str], ...] = ()  # questions and answers, as if they went before

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The chat that this stands for, the question last."""
        if not self.examples:
            return (Turn("user", f"{self.task}\n\n{self.question}"),)
        told = (
            turn
            for question, answer in self.examples
            for turn in (Turn("user", question), Turn("assistant", answer))
        )
        return (Turn("system", self.task), *told, Turn("user", self.question))


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a model wrote."""

    text: str  # without spaces at its ends
    is_complete: bool = True  # False if it was cut at the most tokens


class TextGenerator(Protocol):
    """Anything that writes texts; equal requests get equal texts as far as the model allows it."""

    @property
    def model(self) -> str: ...

    def write(self, request: TextRequest, check: Check) -> WrittenText:
        """Write the likeliest text; GroundingError without an answer in time."""
        ...


def quote_data(text: str, most: int = 2000) -> str:
    """Put text from a person or a scene between double quotes of a prompt (`sanitise`)."""
    return sanitise(text).replace('"', "'")[:most]
