# SPDX-License-Identifier: Apache-2.0
"""A generator whose texts are written down: one answer a round, and what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcp_ros.grounding import GroundingError
from fcp_ros.grounding.generation import TextRequest, WrittenText


class ScriptedTexts:
    """Writes the given texts in order; an error among them is raised.

    Args:
        answers: one for each request; the last one is repeated.
    """

    model = "scripted"

    def __init__(self, answers: Sequence[str | GroundingError]) -> None:
        self._answers = answers
        self.requests: list[TextRequest] = []

    def write(self, request: TextRequest, check: Callable[[], None]) -> WrittenText:
        """The next answer."""
        check()
        self.requests.append(request)
        answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if isinstance(answer, GroundingError):
            raise answer
        return WrittenText(answer.strip())
