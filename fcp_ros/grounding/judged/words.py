# SPDX-License-Identifier: Apache-2.0
"""The spelling in which words are compared, and the words of requests and rubric examples."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate
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


def find_sides(
    predicate: GradedPredicate, columns: tuple[str, str], words: Sequence[str]
) -> tuple[str, str] | None:
    """Split arguments into the two sides of judgements; None if there are more than two.

    By name if the parameters are named like the columns of the judgements, in any order; else
    elements on the left and texts on the right, or, with two elements or two texts, in order.
    """
    names = [parameter.name for parameter in predicate.parameters]
    if sorted(names) == sorted(columns):
        left, right = (words[names.index(column)] for column in columns)
        return left, right
    is_text = [parameter.is_text for parameter in predicate.parameters]
    if any(is_text) and not all(is_text):
        return split_sides(words, is_text)
    return (words[0], words[1]) if len(words) == 2 else None


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
