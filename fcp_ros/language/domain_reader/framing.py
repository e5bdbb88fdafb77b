# SPDX-License-Identifier: Apache-2.0
"""Instructions without the frames around their requests, by their syntax."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.language.english.function_words import ARTICLES, COMMON
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.wholes import OPENING_PARTS
from fcp_ros.language.parsing.clauses.hedges import ASIDE, Asides, set_aside
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.trees import Noun
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax import (
    Force,
    Framed,
    find_requests,
    parse_segments,
)
from fcp_ros.language.syntax.closed_classes import DETERMINERS

_AMOUNTS = frozenset(["than", "within", "half", "least", "most"])
_PEOPLE = frozenset(["person", "human"])
_CLOSING = (",", ".", ";", "!", "?", "and")
_SMALL = frozenset(["back", "on", "off", "up", "down", "away"])
"""Words of phrases that say nothing by themselves."""


@dataclass(frozen=True, slots=True)
class FramedInstruction:
    """An instruction without what asks for nothing."""

    asides: Asides  # the words that are left, and the uses of the others
    only_asks: bool  # it consists of questions of fact


def frame_instruction(
    tokens: Sequence[Token], lexicon: Lexicon, patterns: PatternTable
) -> FramedInstruction:
    """Set the frames of requests aside ("I was wondering whether you could ...").

    Raises:
        InputError: spaCy isn't installed.
    """

    def concerns(places: Sequence[int]) -> bool:
        return any(is_of_domain(tokens, place, lexicon, patterns) for place in places)

    tokens = _write_inversions(_write_copulas(tokens, patterns))
    whole = _name_wholes(tokens, lexicon)
    if whole is not None:
        return _frame_whole(tokens, whole, frame_instruction(whole, lexicon, patterns))
    framed = find_requests(parse_segments(tokens, find_names(tokens, lexicon)), concerns)
    asked = [one for one in framed if one.force is not Force.REMARK]
    only_asks = bool(asked) and all(one.force is Force.QUESTION for one in asked)
    kept, uses = _take_out(tokens, framed)
    formed = set_aside(kept)
    return FramedInstruction(Asides(formed.tokens, (*uses, *formed.uses)), only_asks)


def _frame_whole(
    tokens: Sequence[Token], left: Sequence[Token], framed: FramedInstruction
) -> FramedInstruction:
    """Say which words were left out where a whole was named for its part."""
    kept = {token.start for token in left}
    uses = [
        WordUse(token.start, token.end, WordRole.FILLER)
        for token in tokens
        if token.start not in kept and token.end > token.start
    ]
    asides = framed.asides
    return replace(framed, asides=Asides(asides.tokens, (*uses, *asides.uses)))


def _write_copulas(tokens: Sequence[Token], patterns: PatternTable) -> list[Token]:
    """Write "the door's open" as "the door is open", where no noun follows."""
    wordnet, found = find_wordnet(), list(tokens)
    for place, token in enumerate(tokens[:-1]):
        following = tokens[place + 1]
        if token.text != "'s" or following.kind is not TokenKind.WORD:
            continue
        closed = place + 2 == len(tokens) or tokens[place + 2].kind is TokenKind.MARK
        state = following.text in patterns.states and closed
        nameless = wordnet is not None and not wordnet.find_senses(following.text)
        if state or nameless:
            found[place] = replace(token, text="is")
    return found


def _write_inversions(tokens: Sequence[Token]) -> list[Token]:
    """Write "should the fridge be open, close it" as "if the fridge is open, close it"."""
    found = list(tokens)
    for start, token in enumerate(tokens):
        if token.text != "should" or not (start == 0 or tokens[start - 1].text in _CLOSING):
            continue
        marks = (i for i in range(start, len(tokens)) if tokens[i].kind is TokenKind.MARK)
        end = next(marks, len(tokens))
        being = next((i for i in range(start + 2, end) if tokens[i].text == "be"), -1)
        if being < 0 or end + 1 >= len(tokens) or tokens[end].text != ",":
            continue  # "should it be open?" asks
        found[start] = replace(token, text="if")
        found[being] = replace(tokens[being], text="is")
    return found


def _name_wholes(tokens: Sequence[Token], lexicon: Lexicon) -> list[Token] | None:
    """Write "the door of the fridge" as "the fridge", which opens by it; None without such words.

    A lid that is a thing of its own here may be what is meant, and rooms aren't opened.
    """
    for place, token in enumerate(tokens):
        if token.text not in OPENING_PARTS:
            continue
        if token.text != "door" and _is_thing_here(tokens, place, lexicon):
            continue
        owned = place >= 2 and tokens[place - 1].text == "'s"
        if owned and _is_whole_here(tokens, place - 2, lexicon):
            return [*tokens[: place - 1], *tokens[place + 1 :]]
        start = place + 2
        if start > len(tokens) or tokens[start - 1].text != "of":
            continue
        if start < len(tokens) and tokens[start].text in DETERMINERS:
            start += 1
        if start < len(tokens) and _is_whole_here(tokens, start, lexicon):
            before = place - (place > 0 and tokens[place - 1].text in ARTICLES)
            return [*tokens[:before], *tokens[place + 2 :]]
    return None


def find_names(tokens: Sequence[Token], lexicon: Lexicon) -> frozenset[int]:
    """Find the tokens that name things of the domain."""
    found: set[int] = set()
    for place, token in enumerate(tokens):
        if token.kind is not TokenKind.WORD or token.text in COMMON | _SMALL:
            continue
        for match in lexicon.find_nouns(tokens, place):
            if not match.note:
                found.update(range(place, match.end))
    return frozenset(found)


def is_of_domain(
    tokens: Sequence[Token], place: int, lexicon: Lexicon, patterns: PatternTable
) -> bool:
    """Return True for a number, and for a word that names a thing or a state of the domain."""
    token = tokens[place]
    if token.kind in (TokenKind.QUOTED, TokenKind.NUMBER):
        return True
    if NUMBERS.get(token.text, 0) > 1 or token.text in _AMOUNTS:
        return True
    if token.kind is not TokenKind.WORD or token.text in COMMON | _SMALL:
        return False
    if token.text in patterns.states or token.text in patterns.remark_words:
        return True
    named = any(not match.note for match in lexicon.find_nouns(tokens, place))
    return named or bool(lexicon.find_attribute(token.text))


def _is_thing_here(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    """Return True for a noun by which something of the scene is called that is no person."""
    heads = [m.head for m in lexicon.find_nouns(tokens, place) if not m.note]
    return any(isinstance(h, Noun) and h.members and h.type not in _PEOPLE for h in heads)


def _is_whole_here(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    heads = [match.head for match in lexicon.find_nouns(tokens, place) if not match.note]
    members = [name for head in heads if isinstance(head, Noun) for name in head.members]
    return bool(members) and not lexicon.has_room(members)


def _take_out(
    tokens: Sequence[Token], framed: Sequence[Framed]
) -> tuple[list[Token], list[WordUse]]:
    """Return the tokens that are left, and the uses of those that are taken out."""
    meaning: dict[int, str] = {}
    base_forms: dict[int, str] = {}
    forbidden: set[int] = set()
    for one in framed:
        meaning.update(dict.fromkeys((*one.aside, *one.segment.piece.dropped), ""))
        meaning.update(dict.fromkeys(one.remarks, ASIDE))
        if one.force is Force.REMARK:
            meaning.update(dict.fromkeys(one.segment.piece.links, ""))
        base_forms.update(one.base_forms)
        if one.forbidden:
            forbidden.add(one.segment.tree.words[one.verb].token)
    kept: list[Token] = []
    uses: list[WordUse] = []
    for place, token in enumerate(tokens):
        if place in meaning:
            said = meaning[place]
            goes_on = uses and place - 1 in meaning and uses[-1].meaning == said
            start = uses.pop().start if goes_on else token.start
            uses.append(WordUse(start, token.end, WordRole.FILLER, said))
            continue
        comma = token.text == ","
        if comma and place - 1 in meaning and (not kept or kept[-1].kind is TokenKind.MARK):
            continue
        if token.kind is TokenKind.MARK and kept and kept[-1].text == "," and place - 1 in meaning:
            kept.pop()
        if place in forbidden:
            kept += _write_negation(token)
        if place in base_forms:
            token = replace(token, text=base_forms[place])
        kept.append(token)
    return kept, uses


def _write_negation(token: Token) -> Iterator[Token]:
    for word in ("do", "not"):
        yield Token(word, token.start, token.start, TokenKind.WORD, "")
