# SPDX-License-Identifier: Apache-2.0
"""The spelling in which words are compared, and the words of requests and rubric examples."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest

Places = tuple[int, ...]


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


def read_all_arguments(requests: Sequence[JudgementRequest]) -> list[tuple[str, ...]]:
    """Return the words of each argument of each request; each distinct text is read once."""
    plain: dict[str, str] = {}
    rows = []
    for request in requests:
        words = []
        for argument in request.arguments:
            if argument.attributes:
                words.append(_describe(argument))
                continue
            text = argument.category or argument.text
            found = plain.get(text)
            if found is None:
                found = plain[text] = to_plain(text)
            words.append(found)
        rows.append(tuple(words))
    return rows


def split_sides(words: Sequence[str], is_text: Sequence[bool]) -> tuple[str, str]:
    """Join the elements' words (left) and the texts' words (right)."""
    left = " and ".join(word for word, text in zip(words, is_text, strict=True) if not text)
    right = " and ".join(word for word, text in zip(words, is_text, strict=True) if text)
    return to_plain(left), to_plain(right)


def find_side_places(
    predicate: GradedPredicate, columns: tuple[str, str]
) -> tuple[Places, Places] | None:
    """Find the places of the arguments on the two sides of judgements; None if there are more.

    By name if the parameters are named like the columns of the judgements, in any order; else
    elements on the left and texts on the right, or, with two elements or two texts, in order.
    """
    names = [parameter.name for parameter in predicate.parameters]
    if sorted(names) == sorted(columns):
        left, right = (names.index(column) for column in columns)
        return (left,), (right,)
    is_text = [parameter.is_text for parameter in predicate.parameters]
    if any(is_text) and not all(is_text):
        return (
            tuple(place for place, text in enumerate(is_text) if not text),
            tuple(place for place, text in enumerate(is_text) if text),
        )
    return ((0,), (1,)) if len(names) == 2 else None


def take_sides(
    rows: Sequence[Sequence[str]], places: tuple[Places, Places]
) -> list[tuple[str, str]]:
    """Take the two sides of rows of arguments, in plain spelling.

    Args:
        rows: the words of all arguments, in plain spelling.
        places: of the arguments on each side.
    """
    left, right = places
    if len(left) == len(right) == 1:
        (a,), (b,) = left, right
        return [(row[a], row[b]) for row in rows]
    return [
        (" and ".join([row[a] for a in left]), " and ".join([row[b] for b in right]))
        for row in rows
    ]


def join_statement(words: Sequence[str]) -> str:
    """Join all arguments to one phrase: "a knife and a child"."""
    return " and ".join(f"a {to_plain(word)}" for word in words)


def _describe(argument: ArgumentContext) -> str:
    """Join the argument's words, with those of its declared attributes before them.

    Text values ("glass") and names of true attributes ("dirty") count as words; numbers and
    element names are not part of what people judged, and are left out.
    """
    words = []
    for name, value in argument.attributes:
        if value is True:
            words.append(name)
        elif isinstance(value, str) and name != "name":
            words.append(value)
    return to_plain(" ".join([*words, argument.words]))
