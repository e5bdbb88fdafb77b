# SPDX-License-Identifier: Apache-2.0
"""Numbers, and the beginnings of noun phrases: articles and quantifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import Bound
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import gather_phrases, gather_words
from fcp_ros.language.parsing.trees import Determiner, HalfOf, Quantity

MOST_NUMBER = 10_000
"""Larger numbers are not read."""
_BOUNDS: dict[tuple[str, ...], tuple[Bound, int]] = {
    ("at", "least"): (Bound.AT_LEAST, 0),
    ("at", "the", "least"): (Bound.AT_LEAST, 0),
    ("at", "the", "very", "least"): (Bound.AT_LEAST, 0),
    ("not", "fewer", "than"): (Bound.AT_LEAST, 0),
    ("minimum",): (Bound.AT_LEAST, 0),
    ("upwards", "of"): (Bound.AT_LEAST, 0),
    ("no", "fewer", "than"): (Bound.AT_LEAST, 0),
    ("no", "less", "than"): (Bound.AT_LEAST, 0),
    ("not", "less", "than"): (Bound.AT_LEAST, 0),
    ("a", "minimum", "of"): (Bound.AT_LEAST, 0),
    ("more", "than"): (Bound.AT_LEAST, 1),
    ("at", "most"): (Bound.AT_MOST, 0),
    ("at", "the", "most"): (Bound.AT_MOST, 0),
    ("at", "the", "very", "most"): (Bound.AT_MOST, 0),
    ("maximum",): (Bound.AT_MOST, 0),
    ("as", "many", "as"): (Bound.AT_MOST, 0),
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
    ("not", "more", "and", "not", "less", "than"): (Bound.EXACTLY, 0),
    ("neither", "more", "nor", "less", "than"): (Bound.EXACTLY, 0),
}
_BOUNDS_BEHIND = {
    ("or", "more"): Bound.AT_LEAST,
    ("or", "even", "more"): Bound.AT_LEAST,
    ("at", "least"): Bound.AT_LEAST,
    ("at", "a", "minimum"): Bound.AT_LEAST,
    ("at", "the", "least"): Bound.AT_LEAST,
    ("or", "fewer"): Bound.AT_MOST,
    ("or", "less"): Bound.AT_MOST,
    ("at", "most"): Bound.AT_MOST,
    ("at", "the", "most"): Bound.AT_MOST,
    ("at", "a", "maximum"): Bound.AT_MOST,
    ("maximum",): Bound.AT_MOST,
    ("and", "no", "more"): Bound.EXACTLY,
    ("and", "not", "more"): Bound.EXACTLY,
    ("and", "only"): Bound.EXACTLY,
    ("no", "more", "and", "no", "fewer"): Bound.EXACTLY,
    ("no", "more", "and", "no", "less"): Bound.EXACTLY,
    ("no", "more", "no", "less"): Bound.EXACTLY,
    ("no", "more", ",", "no", "less"): Bound.EXACTLY,
    ("not", "more", "and", "not", "less"): Bound.EXACTLY,
    ("no", "less", "and", "no", "more"): Bound.EXACTLY,
    ("no", "fewer", "and", "no", "more"): Bound.EXACTLY,
    ("neither", "more", "nor", "less"): Bound.EXACTLY,
    ("neither", "more", "nor", "fewer"): Bound.EXACTLY,
}
"""Words behind a number, or behind what is counted."""
_NONE = (("not", "a", "single"), ("not", "one"), ("not", "any"), ("no", "single"))
"""Other words for "no"."""
MANY_CLOSED = gather_phrases(
    "as possible",
    "as you possibly can",
    "as you can manage",
    "as you can",
    "as you are able to",
    "as can be",
)
"""Words behind "as many mugs"."""
_MOST_OF = gather_phrases(
    "the largest number possible",
    "the largest possible number",
    "the greatest possible number",
    "the highest possible number",
    "the maximum number",
    "the largest number",
    "the greatest number",
    "the largest number you are able to",
    "the largest number you can",
)
_DEFINITE = gather_words("the this that these those my your his her our their its")


@dataclass(frozen=True, slots=True)
class NounOpening:
    """The beginning of a noun phrase.

    Attributes:
        end: after its last token.
        determiner, number: how many are meant.
        other: "other", "another".
        only: and nothing else.
        quantity: places of the tokens that say how many; the rest are fillers.
        definite: of things that are known ("two of the mugs").
        partitive: it ended with "of".
        many: "as many ... as possible" began.
    """

    end: int
    determiner: Determiner
    number: Quantity | None = None
    other: bool = False
    only: bool = False
    quantity: tuple[int, ...] = ()
    definite: bool = False
    partitive: bool = False
    many: bool = False


def match_words(tokens: Sequence[Token], start: int, words: Sequence[str]) -> bool:
    """Return True if the tokens from `start` on are these words."""
    if len(tokens) - start < len(words) or (words and tokens[start].text != words[0]):
        return False
    return all(tokens[start + place].text == word for place, word in enumerate(words))


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
    for single in (("a", "single"), ("one", "single"), ("just", "the", "one")):
        if match_words(tokens, start, single):
            return start + len(single), 1
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
                count = Quantity(bound, found[1] + change)
                return read_limit(tokens, found[0], count) or (found[0], count)
    ranged = _read_range(tokens, start)
    if ranged is not None:
        return ranged
    found = read_number(tokens, start)
    if found is None or found[1] > MOST_NUMBER:
        return None
    if found[1]:
        behind = read_limit(tokens, found[0], Quantity(value=found[1]))
        if behind is not None:
            return behind
    bound = Bound.AT_LEAST if found[1] else Bound.AT_MOST
    return found[0], Quantity(bound, found[1])


def read_limit(
    tokens: Sequence[Token], start: int, number: Quantity
) -> tuple[int, Quantity] | None:
    """Read what limits a number behind it: "or more", "but no more than two"."""
    if number.share is not None:
        return None
    for comma in (0, 1):
        if comma and not (start < len(tokens) and tokens[start].text == ","):
            continue
        place = start + comma
        if number.bound is Bound.AT_LEAST and number.most is None:
            for words, bound in _BOUNDS_BEHIND.items():
                if match_words(tokens, place, (*words, "than")):
                    continue
                if match_words(tokens, place, words):
                    closed = place + len(words)
                    return closed + (comma and match_words(tokens, closed, (",",))), replace(
                        number, bound=bound
                    )
        if place < len(tokens) and tokens[place].text in ("and", "but"):
            place += 1
        elif not comma:
            continue
        for words, (bound, change) in _BOUNDS.items():
            if not match_words(tokens, place, words) or bound is Bound.EXACTLY:
                continue
            found = read_number(tokens, place + len(words))
            if found is None or {bound, number.bound} != {Bound.AT_LEAST, Bound.AT_MOST}:
                continue
            both = {bound: found[1] + change, number.bound: number.value}
            after = found[0] + (comma and match_words(tokens, found[0], (",",)))
            return after, _make_range(both[Bound.AT_LEAST], both[Bound.AT_MOST])
    return None


def _make_range(least: int, most: int) -> Quantity:
    if least == most:
        return Quantity(Bound.EXACTLY, least)
    return Quantity(Bound.AT_LEAST, least, most=most)


def _read_range(tokens: Sequence[Token], start: int) -> tuple[int, Quantity] | None:
    """Read "one or two", "two to four", "between two and four"."""
    if start >= len(tokens):
        return None
    opened = next((w for w in ("between", "from", "either") if tokens[start].text == w), "")
    first = read_number(tokens, start + bool(opened))
    if first is None or not first[1] or first[0] >= len(tokens):
        return None
    joints = {"between": ("and",), "from": ("to",), "either": ("or",), "": ("or", "to")}[opened]
    if tokens[first[0]].text not in joints:
        return None
    second = read_number(tokens, first[0] + 1)
    if second is None or not first[1] < second[1] <= MOST_NUMBER:
        return None
    return second[0], _make_range(first[1], second[1])


_EACH_AND_EVERY = gather_phrases("each and every", "any and all", "all and any", "every last")
_QUANTIFIERS: dict[str, tuple[Determiner, Quantity | None]] = {
    "all": (Determiner.ALL, None),
    "both": (Determiner.BOTH, None),
    "each": (Determiner.EACH, None),
    "every": (Determiner.EACH, None),
    "any": (Determiner.ANY, None),
    "either": (Determiner.ANY, None),
    "whichever": (Determiner.ALL, None),
    "whatever": (Determiner.ALL, None),
    "some": (Determiner.A, None),
    "no": (Determiner.NO, None),
    "none": (Determiner.NO, None),
    "neither": (Determiner.NO, None),
    "most": (Determiner.A, Quantity(share=HalfOf.MOST)),
    "half": (Determiner.A, Quantity(share=HalfOf.HALF)),
}


def read_openings(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield the ways in which a noun phrase may begin; the last one is the bare one."""
    if start >= len(tokens):
        return
    yield from _read_rest(tokens, start)
    text = tokens[start].text
    if text in _QUANTIFIERS:
        yield from _read_quantifier(tokens, start, text)
    for words in _NONE:
        if match_words(tokens, start, words):
            end = start + len(words)
            yield NounOpening(end, Determiner.NO, quantity=tuple(range(start, end)))
            break
    if text in ("as", "the", "all"):
        yield from _read_many(tokens, start)
    if text == "only":
        for opening in read_openings(tokens, start + 1):
            if opening.determiner in (Determiner.THE, Determiner.BARE) and not opening.only:
                quantity = (start, *opening.quantity)
                yield replace(opening, number=None, quantity=quantity, only=True)
    count = read_count(tokens, start)
    if count is not None:
        yield from _read_counted(tokens, start, *count)
    if text in ("a", "an", "another"):
        yield NounOpening(start + 1, Determiner.A, other=text == "another")
        if match_words(tokens, start, ("a", "different")):
            yield NounOpening(start + 2, Determiner.A, other=True)
    elif text == "other":
        yield NounOpening(start + 1, Determiner.BARE, other=True)
    elif text in _DEFINITE:
        yield from _read_definite(tokens, start)
    yield NounOpening(start, Determiner.BARE)


def _read_many(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield "as many (of the)", "as many as possible (of the)", "all but two (of the)"."""
    many = Quantity(Bound.MOST, 0, HalfOf.MANY)
    for words in gather_phrases("as many", "as much"):
        if match_words(tokens, start, words):
            yield from _read_of(tokens, start, start + 2, many, many=True)
            for closed in MANY_CLOSED:
                if match_words(tokens, start + 2, closed):
                    yield from _read_of(tokens, start, start + 2 + len(closed), many)
                    break
    for words in _MOST_OF:
        if match_words(tokens, start, words):
            yield from _read_of(tokens, start, start + len(words), many)
    for words in gather_phrases("all but", "all except", "all but for"):
        if match_words(tokens, start, words):
            found = read_number(tokens, start + len(words))
            if found is not None and found[1]:
                fewer = Quantity(Bound.EXACTLY, found[1], HalfOf.ALL_BUT)
                yield from _read_of(tokens, start, found[0], fewer)


def _read_of(
    tokens: Sequence[Token], start: int, end: int, number: Quantity, many: bool = False
) -> Iterator[NounOpening]:
    """Yield a number, and with "of the" behind it."""
    quantity = tuple(range(start, end))
    if end < len(tokens) and tokens[end].text == "of":
        after = end + 1
        definite = after < len(tokens) and tokens[after].text in _DEFINITE
        yield NounOpening(
            after + definite, Determiner.A, number, quantity=quantity, definite=True, many=many
        )
        if not definite:
            yield NounOpening(
                after, Determiner.A, number, quantity=quantity, partitive=True, many=many
            )
    yield NounOpening(end, Determiner.A, number, quantity=quantity, many=many)


def _read_quantifier(tokens: Sequence[Token], start: int, text: str) -> Iterator[NounOpening]:
    determiner, number = _QUANTIFIERS[text]
    for words in _EACH_AND_EVERY:
        if match_words(tokens, start, words):
            end = start + len(words)
            yield NounOpening(end, Determiner.EACH, quantity=tuple(range(start, end)))
    end, quantity = start + 1, [start]
    single = text in ("every", "each", "any") and end < len(tokens)
    if single and tokens[end].text in ("single", "one", "last"):
        quantity.append(end)
        end += 1
    if text == "all" and end < len(tokens):
        found = read_number(tokens, end)
        if found is not None:
            yield NounOpening(found[0], Determiner.ALL, None, quantity=(*quantity, end))
    if text in ("any", "some") and end < len(tokens):
        count = read_count(tokens, end)
        if count is not None:
            for opening in _read_counted(tokens, end, *count):
                yield replace(opening, quantity=(start, *opening.quantity))
    partitive = end < len(tokens) and tokens[end].text == "of"
    after = end + partitive
    whole = partitive or text not in ("either", "neither", "each", "any", "whatever", "whichever")
    if whole and after < len(tokens) and tokens[after].text in _DEFINITE:
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
        yield NounOpening(end + 1, Determiner.A, number, True, quantity=(*quantity, end))
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
        if single:
            yield NounOpening(after + 1, Determiner.A, Quantity(), quantity=(after,))
        else:
            yield NounOpening(after + 1, Determiner.THE)
    count = read_count(tokens, after)
    if count is not None:
        counted = tuple(range(after, count[0]))
        yield NounOpening(count[0], Determiner.THE, count[1], quantity=counted)
        if count[0] < len(tokens) and tokens[count[0]].text == "of":  # the two of them
            yield NounOpening(count[0] + 1, Determiner.THE, quantity=counted, partitive=True)
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
