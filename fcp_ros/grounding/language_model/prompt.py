# SPDX-License-Identifier: Apache-2.0
"""The question to a language model, written from the rubric and the declared context; and back.

The prompt holds the rubric's question, what its anchors 0, 50 and 100 mean, with their examples,
the factors to weigh, and of each argument what the predicate declares, nothing else.
"""

from __future__ import annotations

import re

from fcp_ros.domain.model import Anchor, GradedPredicate, Rubric
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest

PROMPT_VERSION = "prompt1"
"""Part of the cache key; change it with the text below."""

CUE = "Score:"
HIGHEST = 100

_NUMBER = re.compile(r"\s*(?:score\s*[:=]?\s*)?(\d{1,3})(?![.,]?\d)", re.IGNORECASE)


def write_prompt(predicate: GradedPredicate, request: JudgementRequest) -> str:
    """The question in words; the answer is a whole number from 0 to 100.

    Raises:
        GroundingError: the predicate has no rubric.
    """
    rubric = predicate.rubric
    if rubric is None or not rubric.anchors:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"{predicate.name} has no rubric, so a language model can't judge it; write one with "
            "a question and anchors 0, 50 and 100, or give the predicate a table",
        )
    lines = [
        "You judge for a service robot. Give one score from 0 to 100.",
        f"Question: {_question(rubric, request)}",
        "What the scores mean:",
        *(_anchor_line(anchor) for anchor in sorted(rubric.anchors, key=lambda a: a.score)),
    ]
    if rubric.factors:
        lines.append(f"Consider: {'; '.join(_one_line(factor) for factor in rubric.factors)}.")
    lines.append("To be judged:")
    lines.extend(f"- {_argument_line(argument)}" for argument in request.arguments)
    lines.append("Answer with one whole number from 0 to 100 and nothing else.")
    return "\n".join(lines)


def read_score(answer: str) -> float | None:
    """The degree that an answer begins with (``" 70"`` is 0.7); None if it gives no score."""
    match = _NUMBER.match(answer)
    if match is None or int(match.group(1)) > HIGHEST:
        return None
    return int(match.group(1)) / HIGHEST


def _question(rubric: Rubric, request: JudgementRequest) -> str:
    question = rubric.question
    for argument in request.arguments:
        question = question.replace("{" + argument.parameter + "}", _one_line(argument.words))
    return _one_line(question)


def _anchor_line(anchor: Anchor) -> str:
    line = f"{anchor.score}: {_one_line(anchor.text)}"
    if anchor.examples:
        examples = "; ".join(", ".join(map(_one_line, example)) for example in anchor.examples)
        line += f" Examples: {examples}."
    return line


def _argument_line(argument: ArgumentContext) -> str:
    line = f"{argument.parameter}: {_one_line(argument.words)}"
    if argument.attributes:
        said = ", ".join(f"{name} {_one_line(str(value))}" for name, value in argument.attributes)
        line += f" ({said})"
    return line


def _one_line(text: str) -> str:
    """Text from a scene can't break the prompt's lines."""
    return " ".join(text.split())
