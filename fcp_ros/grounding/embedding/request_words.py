# SPDX-License-Identifier: Apache-2.0
"""What an embedding model reads of a request: words, and which example of the rubric they are."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import Rubric
from fcp_ros.grounding.embedding.words import plain
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest


def argument_words(request: JudgementRequest) -> tuple[str, ...]:
    """The words of each argument, in plain spelling."""
    return tuple(_described(argument) for argument in request.arguments)


def two_sides(words: Sequence[str], is_text: Sequence[bool]) -> tuple[str, str]:
    """The elements' words and the texts' words, each joined."""
    left = " and ".join(word for word, text in zip(words, is_text, strict=True) if not text)
    right = " and ".join(word for word, text in zip(words, is_text, strict=True) if text)
    return plain(left), plain(right)


def anchor_degree(rubric: Rubric | None, words: Sequence[str]) -> float | None:
    """The degree of the anchor that has these very words as an example; None: there is none."""
    for anchor in rubric.anchors if rubric is not None else ():
        if any(tuple(map(plain, example)) == tuple(words) for example in anchor.examples):
            return anchor.score / 100.0
    return None


def statement(words: Sequence[str]) -> str:
    """All arguments as one phrase: "a knife and a child"."""
    return " and ".join(f"a {plain(word)}" for word in words)


def _described(argument: ArgumentContext) -> str:
    """The argument's words, with what its declared attributes say in words before them.

    A text value ("glass") and the name of an attribute that is true ("dirty") are words; numbers
    and names say nothing to this model and are left out.
    """
    said = []
    for name, value in argument.attributes:
        if value is True:
            said.append(name)
        elif isinstance(value, str) and name != "name":
            said.append(value)
    return plain(" ".join([*said, argument.words]))
