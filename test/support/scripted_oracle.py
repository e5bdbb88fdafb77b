# SPDX-License-Identifier: Apache-2.0
"""An oracle that answers what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding import GroundingError, JudgementRequest, Membership


class ScriptedOracle:
    """Answers each question by the first argument's category.

    Args:
        name: of the oracle.
        degrees: degree by category; an error is raised for the batch that holds the question.
    """

    mode = "scripted"

    def __init__(self, name: str, degrees: dict[str, float | Exception]) -> None:
        self.name = name
        self.model = f"{name}-model"
        self.degrees = degrees
        self.asked: list[list[str]] = []
        self.before: Callable[[], None] = lambda: None

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """The degrees, as told."""
        words = [request.arguments[0].words for request in requests]
        self.asked.append(words)
        self.before()
        answers = []
        for word in words:
            degree = self.degrees.get(word, self.degrees.get("*", 0.5))
            if isinstance(degree, Exception):
                raise degree
            answers.append(Membership(degree, degree, source=self.name, model=self.model))
        return answers


def refusing(code: object, sentence: str = "it can't") -> GroundingError:
    """An error to be told to a `ScriptedOracle`."""
    return GroundingError(code, sentence)  # type: ignore[arg-type]
