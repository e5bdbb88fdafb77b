# SPDX-License-Identifier: Apache-2.0
"""Numbers, and the beginnings of noun phrases: articles and quantifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import Bound
from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.trees import Determiner, HalfOf, Quantity

MOST_NUMBER = 10_000
"""Larger numbers are not read."""
_BOUNDS = (
    (PhraseSet("(no|not) (fewer|less) than", "[a] minimum [of]", "upwards of"), Bound.AT_LEAST, 0),
    (PhraseSet("at least", "at the [very] least"), Bound.AT_LEAST, 0),
    (PhraseSet("more than"), Bound.AT_LEAST, 1),
    (PhraseSet("(no|not) more than", "[a] maximum [of]", "up to"), Bound.AT_MOST, 0),
    (PhraseSet("at most", "at the [very] most", "as many as"), Bound.AT_MOST, 0),
    (PhraseSet("(fewer|less) than"), Bound.AT_MOST, -1),
    (PhraseSet("exactly", "precisely", "just", "only"), Bound.EXACTLY, 0),
    (PhraseSet("not more and not less than", "neither more nor less than"), Bound.EXACTLY, 0),
)
"""Words before a number, its bound, and what they add to it."""
_BOUNDS_BEHIND = (
    (PhraseSet("or [even] more", "at [the] least", "at a minimum"), Bound.AT_LEAST),
    (PhraseSet("or (fewer|less)", "at [the] most", "[at a] maximum"), Bound.AT_MOST),
    (PhraseSet("and (no|not) more", "and only", "no more no less"), Bound.EXACTLY),
    (PhraseSet("(no|not) more and (no|not) (less|fewer)"), Bound.EXACTLY),
    (PhraseSet("no (less|fewer) and no more", "neither more nor (less|fewer)"), Bound.EXACTLY),
)
"""Words behind a number, or behind what is counted."""
_NO_MORE = ("no", "more", ",", "no", "less")
_NONE = PhraseSet("not a single", "not one", "not any", "no single")
"""Other words for "no"."""
MANY_CLOSED = PhraseSet(
    "as possible", "as you [possibly] can", "as you can manage", "as you are able to", "as can be"
)
"""Words behind "as many mugs"."""
_MOST_OF = PhraseSet(
    "the (largest|greatest|highest) [possible] number [possible]",
    "the maximum number",
    "the largest number you (can|are able to)",
)
_DEFINITE = gather_words("the this that these those my your his her our their its")
_EACH_AND_EVERY = PhraseSet("each and every", "any and all", "all and any", "every last")
_QUANTIFIERS: dict[str, tuple[Determiner, Quantity | None]] = {
    **dict.fromkeys(("all", "whichever", "whatever"), (Determiner.ALL, None)),
    **dict.fromkeys(("each", "every"), (Determiner.EACH, None)),
    **dict.fromkeys(("any", "either"), (Determiner.ANY, None)),
    **dict.fromkeys(("no", "none", "neither"), (Determiner.NO, None)),
    "both": (Determiner.BOTH, None),
    "some": (Determiner.A, None),
    "most": (Determiner.A, Quantity(share=HalfOf.MOST)),
    "half": (Determiner.A, Quantity(share=HalfOf.HALF)),
}
_DISTRIBUTIVE = gather_words("either neither each any whatever whichever")
"""Quantifiers that need "of" before "the"."""
_BEFORE_REST = PhraseSet("all [of] [the]", "the", "every", "any")


@dataclass(frozen=True, slots=True)
class NounOpening:
    """The beginning of a noun phrase.

    Attributes:
        determiner, number: how many are meant.
    """

    end: int  # after its last token
    determiner: Determiner
    number: Quantity | None = None
    other: bool = False  # "other", "another"
    only: bool = False
    quantity: tuple[int, ...] = ()  # places of the tokens that say how many; the rest are fillers
    definite: bool = False  # of things that are known ("two of the mugs")
    partitive: bool = False  # it ended with "of"
    many: bool = False  # "as many ... as possible" began.


def match_words(tokens: Sequence[Token], start: int, words: Sequence[str]) -> bool:
    """Return True if the tokens from `start` on are these words."""
    if len(tokens) - start < len(words) or (words and tokens[start].text != words[0]):
        return False
    return all(tokens[start + place].text == word for place, word in enumerate(words))


def _get(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if 0 <= place < len(tokens) else ""


# --- numbers


def read_number(tokens: Sequence[Token], start: int) -> tuple[int, int] | None:
    """Read a whole number: after its last token, and its value; None if there is none."""
    if start >= len(tokens):
        return None
    token, following = tokens[start], _get(tokens, start + 1)
    if token.kind is TokenKind.NUMBER:
        digits = token.text.replace(",", "")
        return (start + 1, int(digits)) if digits.isdigit() and len(digits) < 6 else None
    if token.kind is not TokenKind.WORD:
        return None
    if token.text in ("a", "one") and following == "single":
        return start + 2, 1
    if match_words(tokens, start, ("just", "the", "one")):
        return start + 3, 1
    if match_words(tokens, start, ("half", "a", "dozen")):
        return start + 3, 6
    if token.text == "a" and following in ("couple", "pair", "dozen", "hundred", "few"):
        of = _get(tokens, start + 2) == "of"
        return start + 2 + of, 2 if following == "few" else NUMBERS[following]
    value = NUMBERS.get(token.text)
    if value is None or token.text in ("couple", "pair"):
        return None
    unit = NUMBERS.get(following, 0)
    if value in range(20, 100, 10) and 0 < unit < 10:
        return start + 2, value + unit
    return start + 1, value


def is_number_read(tokens: Sequence[Token], start: int) -> bool:
    """Return True if a number is a whole one of a size that is read."""
    found = read_number(tokens, start)
    return found is not None and 0 < found[1] <= MOST_NUMBER


def read_count(tokens: Sequence[Token], start: int) -> tuple[int, Quantity] | None:
    """Read a number with its bound: "at least four"; None if there is none."""
    for phrases, bound, change in _BOUNDS:
        place = phrases.find_end(tokens, start)
        found = read_number(tokens, place) if place > start else None
        if found is not None and 0 <= found[1] + change <= MOST_NUMBER and found[1]:
            count = Quantity(bound, found[1] + change)
            return read_limit(tokens, found[0], count) or (found[0], count)
    ranged = _read_range(tokens, start)
    if ranged is not None:
        return ranged
    found = read_number(tokens, start)
    if found is None or found[1] > MOST_NUMBER:
        return None
    if not found[1]:
        return found[0], Quantity(Bound.AT_MOST, 0)
    count = Quantity(value=found[1])
    return read_limit(tokens, found[0], count) or (found[0], count)


def read_limit(
    tokens: Sequence[Token], start: int, number: Quantity
) -> tuple[int, Quantity] | None:
    """Read what limits a number behind it: "or more", "but no more than two"."""
    if number.share is not None:
        return None
    for comma in (False, True)[: 1 + (_get(tokens, start) == ",")]:
        place = start + comma
        if number.bound is Bound.AT_LEAST and number.most is None:
            for phrases, bound in _BOUNDS_BEHIND:
                closed = phrases.find_end(tokens, place)
                if match_words(tokens, place, _NO_MORE):
                    closed, bound = place + len(_NO_MORE), Bound.EXACTLY
                if closed > place and _get(tokens, closed) != "than":
                    after = closed + (comma and _get(tokens, closed) == ",")
                    return after, replace(number, bound=bound)
        joined = _get(tokens, place) in ("and", "but")
        if not joined and not comma:
            continue
        for words, bound, change in _BOUNDS:
            end = words.find_end(tokens, place + joined)
            found = read_number(tokens, end) if end > place + joined else None
            if found is None or {bound, number.bound} != {Bound.AT_LEAST, Bound.AT_MOST}:
                continue
            both = {bound: found[1] + change, number.bound: number.value}
            after = found[0] + (comma and _get(tokens, found[0]) == ",")
            return after, _make_range(both[Bound.AT_LEAST], both[Bound.AT_MOST])
    return None


def _make_range(least: int, most: int) -> Quantity:
    if least == most:
        return Quantity(Bound.EXACTLY, least)
    return Quantity(Bound.AT_LEAST, least, most=most)


def _read_range(tokens: Sequence[Token], start: int) -> tuple[int, Quantity] | None:
    """Read "one or two", "two to four", "between two and four"."""
    opened = _get(tokens, start) if _get(tokens, start) in ("between", "from", "either") else ""
    first = read_number(tokens, start + bool(opened))
    joints = {"between": ("and",), "from": ("to",), "either": ("or",), "": ("or", "to")}[opened]
    if first is None or not first[1] or _get(tokens, first[0]) not in joints:
        return None
    second = read_number(tokens, first[0] + 1)
    if second is None or not first[1] < second[1] <= MOST_NUMBER:
        return None
    return second[0], _make_range(first[1], second[1])


# --- openings


def read_openings(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield the ways in which a noun phrase may begin; the last one is the bare one."""
    if start >= len(tokens):
        return
    text = tokens[start].text
    yield from _read_rest(tokens, start)
    if text in _QUANTIFIERS:
        yield from _read_quantifier(tokens, start, text)
    none = _NONE.find_end(tokens, start)
    if none > start:
        yield NounOpening(none, Determiner.NO, quantity=tuple(range(start, none)))
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
        if text == "a" and _get(tokens, start + 1) == "different":
            yield NounOpening(start + 2, Determiner.A, other=True)
    elif text == "other":
        yield NounOpening(start + 1, Determiner.BARE, other=True)
    elif text in _DEFINITE:
        yield from _read_definite(tokens, start)
    yield NounOpening(start, Determiner.BARE)


def _read_many(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield "as many (of the)", "as many as possible (of the)", "all but two (of the)"."""
    many = NounOpening(start, Determiner.A, Quantity(Bound.MOST, 0, HalfOf.MANY))
    if _get(tokens, start) == "as" and _get(tokens, start + 1) in ("many", "much"):
        yield from _read_of(tokens, start, start + 2, replace(many, many=True))
        closed = MANY_CLOSED.find_end(tokens, start + 2)
        if closed > start + 2:
            yield from _read_of(tokens, start, closed, many)
    most = _MOST_OF.find_end(tokens, start)
    if most > start:
        yield from _read_of(tokens, start, most, many)
    if _get(tokens, start) == "all" and _get(tokens, start + 1) in ("but", "except"):
        found = read_number(tokens, start + 2 + (_get(tokens, start + 2) == "for"))
        if found is not None and found[1]:
            fewer = Quantity(Bound.EXACTLY, found[1], HalfOf.ALL_BUT)
            yield from _read_of(tokens, start, found[0], replace(many, number=fewer))


def _read_of(
    tokens: Sequence[Token], start: int, end: int, opening: NounOpening
) -> Iterator[NounOpening]:
    """Yield a number that ends at a token, and with "of the" behind it."""
    opening = replace(opening, end=end, quantity=tuple(range(start, end)))
    if _get(tokens, end) == "of":
        if _get(tokens, end + 1) in _DEFINITE:
            yield replace(opening, end=end + 2, definite=True)
        yield replace(opening, end=end + 1, definite=True, partitive=True)
    yield opening


def _read_quantifier(tokens: Sequence[Token], start: int, text: str) -> Iterator[NounOpening]:
    determiner, number = _QUANTIFIERS[text]
    every = _EACH_AND_EVERY.find_end(tokens, start)
    if every > start:
        yield NounOpening(every, Determiner.EACH, quantity=tuple(range(start, every)))
    end = start + 1
    if text in ("every", "each", "any") and _get(tokens, end) in ("single", "one", "last"):
        end += 1
    quantity = tuple(range(start, end))
    if text == "all":
        found = read_number(tokens, end)
        if found is not None:
            yield NounOpening(found[0], Determiner.ALL, quantity=(*quantity, end))
    if text in ("any", "some"):
        count = read_count(tokens, end)
        for opening in _read_counted(tokens, end, *count) if count is not None else ():
            yield replace(opening, quantity=(start, *opening.quantity))
    partitive = _get(tokens, end) == "of"
    after = end + partitive
    if (partitive or text not in _DISTRIBUTIVE) and _get(tokens, after) in _DEFINITE:
        opening = NounOpening(after + 1, determiner, number, quantity=quantity, definite=True)
        count = read_count(tokens, after + 1)
        if count is not None:
            yield replace(opening, end=count[0], quantity=(*quantity, after + 1))
        yield opening
    yield NounOpening(after, determiner, number, quantity=quantity, partitive=partitive)


def _read_counted(
    tokens: Sequence[Token], start: int, end: int, number: Quantity
) -> Iterator[NounOpening]:
    opening = NounOpening(end, Determiner.A, number, quantity=tuple(range(start, end)))
    if _get(tokens, end) in ("other", "more", "additional", "further"):
        quantity = (*opening.quantity, end)
        yield replace(opening, end=end + 1, other=True, quantity=quantity)
    inner = read_number(tokens, end + 2)
    if _get(tokens, end) == "of" and _get(tokens, end + 1) in _DEFINITE and inner is not None:
        yield replace(opening, end=inner[0])  # one of the two mugs
    yield from _read_of(tokens, start, end, opening)


def _read_definite(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    after = start + 1
    if _get(tokens, after) == "same" and (_get(tokens, start - 1),) in PREPOSITIONS:
        yield NounOpening(after + 1, Determiner.A, Quantity(), quantity=(after,))  # one for all
    elif _get(tokens, after) == "same":
        yield NounOpening(after + 1, Determiner.THE, quantity=(after,))
    elif _get(tokens, after) in ("whole", "entire"):
        yield NounOpening(after + 1, Determiner.THE)
    count = read_count(tokens, after)
    if count is not None:
        counted = tuple(range(after, count[0]))
        yield NounOpening(count[0], Determiner.THE, count[1], quantity=counted)
        if _get(tokens, count[0]) == "of":  # the two of them
            yield NounOpening(count[0] + 1, Determiner.THE, quantity=counted, partitive=True)
    yield NounOpening(after, Determiner.THE)


def _read_rest(tokens: Sequence[Token], start: int) -> Iterator[NounOpening]:
    """Yield "the rest of the", "the remaining", "the other", "all other"."""
    text, following = _get(tokens, start), _get(tokens, start + 1)
    rest = NounOpening(start + 2, Determiner.REST, quantity=(start + 1,))
    if text == "the" and following in ("rest", "remainder"):
        if _get(tokens, start + 2) == "of":
            yield replace(rest, end=start + 3 + (_get(tokens, start + 3) in _DEFINITE))
        yield rest
        return
    for length in (3, 2, 1):
        end = start + length
        if _BEFORE_REST.find_end(tokens[:end], start) != end:
            continue
        if _get(tokens, end) in ("remaining", "other", "leftover"):
            quantity = tuple(range(start, end + 1))
            yield replace(rest, end=end + 1, quantity=quantity, other=tokens[start].text == "the")
            count = read_count(tokens, end + 1)
            if count is not None and count[1].value > 1:  # "the other two cups"
                quantity = tuple(range(start, count[0]))
                yield replace(rest, end=count[0], number=count[1], quantity=quantity)
        elif _get(tokens, end) == "others":
            yield replace(rest, end=end, quantity=())
