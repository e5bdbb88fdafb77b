# SPDX-License-Identifier: Apache-2.0
"""The question to a language model, written from the rubric and the declared context; and back.

The prompt holds the rubric's question, what its anchors 0, 50 and 100 mean, with their examples,
the factors to weigh, and of each argument what the predicate declares, nothing else. All that is
the same for every request of a predicate stands first, so that a model reads it once a batch;
what is to be judged stands last, and in as few words as say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fcp_ros.domain.model import Anchor, GradedPredicate, Rubric
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import (
    HIGHEST_SCORE,
    ArgumentContext,
    JudgementRequest,
)

PROMPT_VERSION = "prompt3"
"""Part of the cache key; change it with the text below."""

CUE = "Score:"

_NUMBER = re.compile(r"\s*(?:score\s*[:=]?\s*)?(\d{1,3})(?![.,/]?\d)", re.IGNORECASE)
_NO_CONTROL = str.maketrans(dict.fromkeys("<>|[]", " "))
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_OUT_OF_HIGHEST = re.compile(rf"(\d)\s?/\s?{HIGHEST_SCORE}(?!\d)")


def write_prompt(predicate: GradedPredicate, request: JudgementRequest) -> str:
    """The question in words; the answer is a whole number from 0 to 100.

    Raises:
        GroundingError: the predicate has no rubric.
    """
    rubric = _usable_rubric(predicate)
    return "\n".join([*_shared_lines(rubric), *_own_lines(rubric, request.arguments)])


def read_score(answer: str) -> float | None:
    """The degree that an answer begins with (``" 70"`` is 0.7); None if it gives no score.

    A number that goes on with a decimal or a fraction of something other than 100 ("0.7", "8/10")
    is on another scale and no score.
    """
    match = _NUMBER.match(_OUT_OF_HIGHEST.sub(r"\1", answer, count=1))
    if match is None or int(match.group(1)) > HIGHEST_SCORE:
        return None
    return int(match.group(1)) / HIGHEST_SCORE


def _usable_rubric(predicate: GradedPredicate) -> Rubric:
    rubric = predicate.rubric
    if rubric is None or not rubric.anchors:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"{predicate.name} has no rubric, so a language model can't judge it; write one with "
            "a question and anchors 0, 50 and 100, or give the predicate a table",
        )
    return rubric


def _shared_lines(rubric: Rubric) -> list[str]:
    """What is the same for all requests of the predicate."""
    lines = [
        "You judge for a service robot. Give one score from 0 to 100.",
        f"The question: {_one_line(rubric.question)}",
        "What the scores mean:",
        *(_anchor_line(anchor) for anchor in sorted(rubric.anchors, key=lambda a: a.score)),
    ]
    if rubric.factors:
        lines.append(f"Consider: {'; '.join(_one_line(factor) for factor in rubric.factors)}.")
    lines.append("Answer with one whole number from 0 to 100 and nothing else.")
    return lines


def _own_lines(rubric: Rubric, arguments: Sequence[ArgumentContext]) -> list[str]:
    """What is to be judged: arguments of which the question doesn't say all, and the question."""
    lines = ["To be judged:"]
    lines.extend(
        f"- {_argument_line(argument)}"
        for argument in arguments
        if argument.attributes or _placeholder(argument) not in rubric.question
    )
    words = {_placeholder(argument): _plain(argument.words) for argument in arguments}
    # In one go: an argument's words may look like another one's placeholder.
    question = _PLACEHOLDER.sub(lambda m: words.get(m.group(0), m.group(0)), rubric.question)
    return [*lines, f"Question: {_one_line(question)}"]


def _placeholder(argument: ArgumentContext) -> str:
    return "{" + argument.parameter + "}"


def _anchor_line(anchor: Anchor) -> str:
    line = f"{anchor.score}: {_one_line(anchor.text)}"
    if anchor.examples:
        examples = "; ".join(", ".join(map(_one_line, example)) for example in anchor.examples)
        line += f" Examples: {examples}."
    return line


def _argument_line(argument: ArgumentContext) -> str:
    line = f"{argument.parameter}: {_plain(argument.words)}"
    if argument.attributes:
        said = ", ".join(f"{name} {_plain(str(value))}" for name, value in argument.attributes)
        line += f" ({said})"
    return line


def _plain(text: str) -> str:
    """Text from a scene or a task: on one line, and without a model's control tokens.

    Tokenizers read "<|im_end|>" or "[INST]" in a label as what ends the question.
    """
    return _one_line(text.translate(_NO_CONTROL))


def _one_line(text: str) -> str:
    return " ".join(text.split())
