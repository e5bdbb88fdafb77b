# SPDX-License-Identifier: Apache-2.0
"""The spelling in which words are compared, and the words of requests and rubric examples."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import Rubric
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest


def to_plain(text: str) -> str:
    """Write text in lower case with single spaces for underscores and hyphens.

    Judgements, rubric examples and questions are compared in this spelling.
    """
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def to_singular(word: str) -> str:
    """Remove a plural s ("mugs" -> "mug"; "glass" stays); a rule of thumb."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def find_head_word(text: str) -> str:
    """Return the last word, the kind of thing in English: "coffee mugs" -> "mug"."""
    return to_singular(text.split()[-1]) if text.split() else ""


def read_arguments(request: JudgementRequest) -> tuple[str, ...]:
    """Return the words of each argument, in plain spelling."""
    return tuple(_describe(argument) for argument in request.arguments)


def split_sides(words: Sequence[str], is_text: Sequence[bool]) -> tuple[str, str]:
    """Join the elements' words (left) and the texts' words (right)."""
    left = " and ".join(word for word, text in zip(words, is_text, strict=True) if not text)
    right = " and ".join(word for word, text in zip(words, is_text, strict=True) if text)
    return to_plain(left), to_plain(right)


def find_anchor_degree(rubric: Rubric | None, words: Sequence[str]) -> float | None:
    """Find the degree of the anchor with exactly these words as an example, or None."""
    for anchor in rubric.anchors if rubric is not None else ():
        if any(tuple(map(to_plain, example)) == tuple(words) for example in anchor.examples):
            return anchor.score / 100.0
    return None


def join_statement(words: Sequence[str]) -> str:
    """Join all arguments to one phrase: "a knife and a child"."""
    return " and ".join(f"a {to_plain(word)}" for word in words)


def _describe(argument: ArgumentContext) -> str:
    """Join the argument's words, with those of its declared attributes before them.

    Text values ("glass") and names of true attributes ("dirty") count as words; numbers and
    element names mean nothing to this model and are left out.
    """
    words = []
    for name, value in argument.attributes:
        if value is True:
            words.append(name)
        elif isinstance(value, str) and name != "name":
            words.append(value)
    return to_plain(" ".join([*words, argument.words]))
