# SPDX-License-Identifier: Apache-2.0
"""Numbers, and the beginnings of noun phrases: articles and quantifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Bound
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.trees import Determiner, HalfOf, Quantity

MOST_NUMBER = 10_000
"""Larger numbers are not read."""
_BOUNDS: dict[tuple[str, ...], tuple[Bound, int]] = {
    ("at", "least"): (Bound.AT_LEAST, 0),
    ("no", "fewer", "than"): (Bound.AT_LEAST, 0),
    ("no", "less", "than"): (Bound.AT_LEAST, 0),
    ("not", "less", "than"): (Bound.AT_LEAST, 0),
    ("a", "minimum", "of"): (Bound.AT_LEAST, 0),
    ("more", "than"): (Bound.AT_LEAST, 1),
    ("at", "most"): (Bound.AT_MOST, 0),
    ("no", "more", "than"): (Bound.AT_MOST, 0),
    ("not", "more", "than"): (Bound.AT_MOST, 0),
    ("up", "to"): (Bound.AT_MOST, 0),
    ("a", "maximum", "of"): (Bound.AT_MOST, 0),
    ("fewer", "than"): (Bound.AT_MOST, -1),
    ("less", "than"): (Bound.AT_MOST, -1),
    ("exactly",): (Bound.EXACTLY, 0),
    ("precisely",): (Bound.EXACTLY, 0),
    ("just",): (Bound.EXACTLY, 0),
    ("only",): (Bound.EXACTLY, 0),
}
_BOUNDS_BEHIND = {
    ("or", "more"): Bound.AT_LEAST,
    ("or", "fewer"): Bound.AT_MOST,
    ("or", "less"): Bound.AT_MOST,
}
_DEFINITE = gather_words("the this that these those my your his her our their its")


@dataclass(frozen=True, slots=True)
class NounOpening:
    """The beginning of a noun phrase.

    Attributes:
        end: after its last token.
        determiner, number: how many are meant.
        other: "other", "another".
        quantity: places of the tokens that say how many; the rest are fillers.
        definite: of things that are known ("two of the mugs").
        partitive: it ended with "of".
        many: "as many ... as possible" began.
    """

    end: int
    determiner: Determiner
    number: Quantity | None = None
    other: bool = False
    quantity: tuple[int, ...] = ()
    definite: bool = False
    partitive: bool = False
    many: bool = False


def match_words(tokens: Sequence[Token], start: int, words: Sequence[str]) -> bool:
    """Return True if the tokens from `start` on are these words."""
    return len(tokens) - start >= len(words) and all(
        token.text == word for token, word in zip(tokens[start:], words, strict=False)
    )


def read_number(tokens: Sequence[Token], start: int) -> tuple[int, int] | None:
    """Read a whole number: after its last token, and its value; None if there is none."""
    if start >= len(tokens):
        return None
    token = tokens[start]
    if token.kind is TokenKind.NUMBER:
        digits = token.text.replace(",", "")
        return (start + 1, int(digits)) if digits.isdigit() and len(digits) < 6 else None
    if token.kind is not TokenKind.WORD:
        return None
    if match_words(tokens, start, ("half", "a", "dozen")):
        return start + 3, 6
    if token.text == "a" and start + 1 < len(tokens):
        following = tokens[start + 1].text
        if following in ("couple", "pair", "dozen", "hundred"):
            return _skip_of(tokens, start + 2), NUMBERS[following]
        if following == "few":
            return _skip_of(tokens, start + 2), 2
    value = NUMBERS.get(token.text)
    if value is None or token.text in ("couple", "pair"):
        return None
    if value >= 20 and value % 10 == 0 and start + 1 < len(tokens) and value < 100:
        unit = NUMBERS.get(tokens[start + 1].text, 0)
        if 0 < unit < 10:
            return start + 2, value + unit
    return start + 1, value


def is_number_read(tokens: Sequence[Token], start: int) -> bool:
    """Return True if a number is a whole one of a size that is read."""
    found = read_number(tokens, start)
    return found is not None and 0 < found[1] <= MOST_NUMBER


def _skip_of(tokens: Sequence[Token], start: int) -> int:
    return start + 1 if start < len(tokens) and tokens[start].text == "of" else start


def read_count(tokens: Sequence[Token], start: int) -> tuple[int, Quantity] | None:
    """Read a number with its bound: "at least four"; None if there is none."""
    for words, (bound, change) in _BOUNDS.items():
        if match_words(tokens, start, words):
            found = read_number(tokens, start + len(words))
            if found is not None and 0 <= found[1] + change <= MOST_NUMBER and found[1]:
                return found[0], Quantity(bound, found[1] + change)
    found = read_number(tokens, start)
    if found is None or found[1] > MOST_NUMBER:
        return None
    for words, bound in _BOUNDS_BEHIND.items():
        if match_words(tokens, found[0], words) and found[1]:
            return found[0] + len(words), Quantity(bound, found[1])
    bound = Bound.AT_LEAST if found[1] else Bound.AT_MOST
    return found[0], Quantity(bound, found[1])


def read_openings(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield the ways in which a noun phrase may begin; the last one is the bare one."""
    if start >= len(tokens):
        return
    yield from _read_rest(tokens, start)
    text = tokens[start].text
    if text in ("all", "both", "each", "every", "any", "some", "no", "none", "most", "half"):
        yield from _read_quantifier(tokens, start, text)
    if match_words(tokens, start, ("as", "many")):
        yield NounOpening(
            start + 2,
            Determiner.A,
            Quantity(Bound.MOST, 0, HalfOf.MANY),
            quantity=(start, start + 1),
            many=True,
        )
    if text == "only" and start + 1 < len(tokens):
        for opening in read_openings(tokens, start + 1):
            if opening.determiner in (Determiner.THE, Determiner.BARE):
                yield NounOpening(
                    opening.end, Determiner.ONLY, None, quantity=(start, *opening.quantity)
                )
    count = read_count(tokens, start)
    if count is not None:
        yield from _read_counted(tokens, start, *count)
    if text in ("a", "an", "another"):
        yield NounOpening(start + 1, Determiner.A, other=text == "another")
    elif text == "other":
        yield NounOpening(start + 1, Determiner.BARE, other=True)
    elif text in _DEFINITE:
        yield from _read_definite(tokens, start)
    yield NounOpening(start, Determiner.BARE)


def _read_quantifier(tokens: Sequence[Token], start: int, text: str) -> Iterator[NounOpening]:
    determiner, number = {
        "all": (Determiner.ALL, None),
        "both": (Determiner.BOTH, None),
        "each": (Determiner.EACH, None),
        "every": (Determiner.EACH, None),
        "any": (Determiner.ANY, None),
        "some": (Determiner.A, None),
        "no": (Determiner.NO, None),
        "none": (Determiner.NO, None),
        "most": (Determiner.A, Quantity(share=HalfOf.MOST)),
        "half": (Determiner.A, Quantity(share=HalfOf.HALF)),
    }[text]
    end, quantity = start + 1, [start]
    if text == "every" and end < len(tokens) and tokens[end].text in ("single", "one"):
        quantity.append(end)
        end += 1
    if text == "all" and end < len(tokens):
        found = read_number(tokens, end)
        if found is not None:
            yield NounOpening(found[0], Determiner.ALL, None, quantity=(*quantity, end))
    if text in ("any", "some") and end < len(tokens):
        count = read_count(tokens, end)
        if count is not None:
            yield NounOpening(count[0], Determiner.A, count[1], quantity=(start, end))
    partitive = end < len(tokens) and tokens[end].text == "of"
    after = end + partitive
    if after < len(tokens) and tokens[after].text in _DEFINITE:
        count = read_count(tokens, after + 1)
        if count is not None:
            yield NounOpening(
                count[0], determiner, number, quantity=(*quantity, after + 1), definite=True
            )
        yield NounOpening(after + 1, determiner, number, quantity=tuple(quantity), definite=True)
    yield NounOpening(after, determiner, number, quantity=tuple(quantity), partitive=partitive)


def _read_counted(
    tokens: Sequence[Token], start: int, end: int, number: Quantity
) -> Iterator[NounOpening]:
    quantity = tuple(range(start, end))
    other = end < len(tokens) and tokens[end].text in ("other", "more", "additional", "further")
    if other:
        yield NounOpening(end + 1, Determiner.A, number, True, (*quantity, end))
    if end < len(tokens) and tokens[end].text == "of":
        after = end + 1
        if after < len(tokens) and tokens[after].text in _DEFINITE:
            inner = read_number(tokens, after + 1)
            if inner is not None:  # one of the two mugs
                yield NounOpening(inner[0], Determiner.A, number, quantity=quantity)
            yield NounOpening(after + 1, Determiner.A, number, quantity=quantity, definite=True)
        yield NounOpening(
            after, Determiner.A, number, quantity=quantity, definite=True, partitive=True
        )
    yield NounOpening(end, Determiner.A, number, quantity=quantity)


def _read_definite(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    after = start + 1
    if after < len(tokens) and tokens[after].text in ("same", "whole", "entire"):
        single = tokens[after].text == "same"  # one for all, whichever
        yield NounOpening(after + 1, Determiner.A if single else Determiner.THE)
    count = read_count(tokens, after)
    if count is not None:
        yield NounOpening(
            count[0], Determiner.THE, count[1], quantity=tuple(range(after, count[0]))
        )
    yield NounOpening(after, Determiner.THE)


def _read_rest(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield "the rest of the", "the remaining", "the other", "all other"."""
    for whole in (("the", "rest"), ("the", "remainder")):
        if match_words(tokens, start, whole):
            end = start + 2
            quantity = (start + 1,)
            if end < len(tokens) and tokens[end].text == "of":
                after = end + 1
                if after < len(tokens) and tokens[after].text in _DEFINITE:
                    after += 1
                yield NounOpening(after, Determiner.REST, quantity=quantity)
            yield NounOpening(end, Determiner.REST, quantity=quantity)
            return
    for words in (("all", "the"), ("all", "of", "the"), ("the",), ("all",), ("every",), ("any",)):
        end = start + len(words)
        if match_words(tokens, start, words) and end < len(tokens):
            if tokens[end].text in ("remaining", "other", "leftover"):
                yield NounOpening(end + 1, Determiner.REST, quantity=tuple(range(start, end + 1)))
            elif tokens[end].text == "others":
                yield NounOpening(end, Determiner.REST, quantity=())
