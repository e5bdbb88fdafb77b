# SPDX-License-Identifier: Apache-2.0
"""Words of an instruction, made easy for a parser that has read news: imperatives get a subject.

An imperative is often mistagged ("Place mug ..." as nouns), later ones more often. So a sentence is
cut where a further imperative begins, "you should" is put before each of them and "the" before a
bare object. Each word keeps its place in the instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.closed_classes import (
    ADVERBS,
    CONJUNCTIONS,
    DETERMINERS,
    DIRECTIONS,
    FUNCTION_WORDS,
    NUMBERS,
    PRONOUNS,
    SUBORDINATORS,
)
from fcp_ros.language.syntax.pipeline import InputWord

SENTENCE_ENDS = frozenset([".", ";", "!", "?"])
_INITIAL, _LATER, _SURE, _CERTAIN = 0.15, 0.4, 0.9, 0.02
"""How often a word must be a verb to begin an imperative: at the beginning of a sentence, behind a
conjunction, there without an object, and before what begins a noun phrase."""
_FINITE = BEING | gather_words("should must can has have will")
_COPULAS = BEING | gather_words("be been not look looks 's")
_ASKED = gather_words("i you we they he she it the")
_TELLING = gather_words("i we they he she")
_NOUN_FOR_CAN = "tin"
_SERIAL = frozenset(["go", "come"])
_SEPARABLE = gather_words("up on off down out away")
_MARKED = frozenset([*SENTENCE_ENDS, ",", ":"])


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an instruction that is parsed by itself."""

    words: tuple[InputWord, ...]
    imperative: bool  # it has an inserted "you should"
    sentence: int
    links: tuple[int, ...] = ()  # the tokens before it that join it to the piece before: "and then"
    dropped: tuple[int, ...] = ()  # tokens without a meaning of their own ("go and")
    end: str = ""  # the mark behind the sentence, if this is its last piece


def normalise(tokens: Sequence[Token], names: frozenset[int] = frozenset()) -> list[Piece]:
    """Cut the tokens of an instruction into pieces for the parser; `names` name known things."""
    pieces: list[Piece] = []
    begin = 0
    for sentence, end in enumerate(_list_sentence_ends(tokens)):
        mark = tokens[end].text if end < len(tokens) else ""
        pieces += _cut_sentence(tokens, begin, end, sentence, mark, names)
        begin = end + 1
    return pieces


def _list_sentence_ends(tokens: Sequence[Token]) -> Iterator[int]:
    for place, token in enumerate(tokens):
        if token.kind is TokenKind.MARK and token.text in SENTENCE_ENDS:
            yield place
    if tokens and tokens[-1].text not in SENTENCE_ENDS:
        yield len(tokens)


def _cut_sentence(
    tokens: Sequence[Token], begin: int, end: int, sentence: int, mark: str, names: frozenset[int]
) -> Iterator[Piece]:
    """Yield the pieces of one sentence: each with one imperative, or the whole of another kind."""
    if begin >= end:
        return
    starts = [
        place
        for place in range(begin, end)
        if _starts_imperative(tokens, begin, place, end)
        and not _only_names(tokens, place, end, names)
    ]
    cuts = [(_find_link(tokens, begin, place), place) for place in starts]
    bounds: list[tuple[int, int, int]] = []  # links from, words from, the verb or -1
    if not cuts or _says_something(tokens, begin, cuts[0][0]):
        bounds.append((begin, begin, -1))
    for link, verb in cuts:
        if not bounds:
            bounds.append((begin, begin, verb))
        elif _is_subordinate(tokens, bounds[-1][1], link):
            bounds[-1] = (*bounds[-1][:2], verb)  # "once it is open, take ..." is one piece
        else:
            bounds.append((link, _skip_links(tokens, link, verb), verb))
    for number, (link, start, verb) in enumerate(bounds):
        stop = bounds[number + 1][0] if number + 1 < len(bounds) else end
        dropped: list[int] = []
        words = list(_prepare(tokens, start, stop, verb, dropped))
        yield Piece(
            tuple(words),
            verb >= 0,
            sentence,
            tuple(range(link, start)),
            tuple(dropped),
            mark if number + 1 == len(bounds) else "",
        )


def _starts_imperative(tokens: Sequence[Token], begin: int, place: int, end: int) -> bool:
    """Return True for the verb of an imperative; for "do" of a negative one ("do not open")."""
    token = tokens[place]
    before = place - 1
    while before >= begin and _is_adverb(tokens[before].text) and tokens[before].text != "then":
        before -= 1
    initial = before < begin
    if token.kind is not TokenKind.WORD or _is_serial(tokens, place, end):
        return False
    so = tokens[before + 1].text == "so" and tokens[before].text not in _COPULAS  # "is so dirty"
    joined = tokens[before].text in CONJUNCTIONS or so
    if not initial and not joined:
        return _is_serial(tokens, place - 1, end)
    following = _get(tokens, place + 1, end)
    if token.text in FUNCTION_WORDS - DIRECTIONS:
        if token.text == "do":
            opened = initial or tokens[before].text == ","
            return following == "not" or (opened and following not in _ASKED)
        told = not initial and token.text == "have" and tokens[begin].text in _TELLING
        return token.text in ("be", "have") and following not in _ASKED and not told
    needed = _INITIAL if initial else _LATER
    if following in DETERMINERS or following in PRONOUNS or following in NUMBERS:
        needed = _CERTAIN
    elif following in _FINITE:
        return False
    elif _is_adjective(token.text):
        return False  # "dirty plates to the kitchen"
    elif not initial and (following in _MARKED or following in ("", "and", "or")):
        needed = _SURE
    return rate_verb(token.text) >= needed


def _only_names(tokens: Sequence[Token], place: int, end: int, names: frozenset[int]) -> bool:
    """Tell "mug back to the sink" and "mop cleaned" from "mop the floor" and "switch on"."""
    following = _get(tokens, place + 1, end)
    verbal = rate_verb(tokens[place].text) >= _LATER and not following.endswith("ed")
    if place not in names or verbal:
        return False
    noun = following in DETERMINERS or following in PRONOUNS or following in NUMBERS
    return not noun and place + 1 not in names


def _is_serial(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Return True for "go" and "come" before another verb: "go and get the mug"."""
    if place < 0 or tokens[place].text not in _SERIAL:
        return False
    following = place + 1 + (_get(tokens, place + 1, end) == "and")
    word = _get(tokens, following, end)
    return word not in FUNCTION_WORDS and rate_verb(word) >= _LATER


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4)


def rate_verb(word: str) -> float:
    """Rate how likely a word is the base form of a verb rather than a noun."""
    wordnet = find_wordnet()
    return wordnet.rate_verb(word) if wordnet else 0.0


def _is_adjective(word: str) -> bool:
    wordnet = find_wordnet()
    return wordnet is not None and wordnet.is_adjective(word)


def _find_link(tokens: Sequence[Token], begin: int, verb: int) -> int:
    """Return the first token of what joins an imperative to what stands before it."""
    place = verb
    if place - 1 > begin and tokens[place - 1].text == "and" and tokens[place - 2].text in _SERIAL:
        place -= 2
    elif place > begin and tokens[place - 1].text in _SERIAL:
        place -= 1
    while place > begin:
        word = tokens[place - 1].text
        if not (word in CONJUNCTIONS or _is_adverb(word)):
            break
        place -= 1
    return place


def _skip_links(tokens: Sequence[Token], link: int, verb: int) -> int:
    """Return the first token of a piece behind its conjunctions."""
    while link < verb and tokens[link].text in CONJUNCTIONS:
        link += 1
    return link


def _says_something(tokens: Sequence[Token], begin: int, end: int) -> bool:
    return any(
        not (_is_adverb(token.text) or token.text in _MARKED or token.kind is TokenKind.MARK)
        for token in tokens[begin:end]
    )


def _is_subordinate(tokens: Sequence[Token], begin: int, link: int) -> bool:
    """Return True if what stands before an imperative depends on it: "if it is open, close it"."""
    words = [token.text for token in tokens[begin:link]]
    while words and (_is_adverb(words[0]) or words[0] in ("and", "but", ",")):
        words = words[1:]
    return bool(words) and words[0] in SUBORDINATORS | {"by", "without", "instead"}


def _prepare(
    tokens: Sequence[Token],
    start: int,
    stop: int,
    verb: int,
    dropped: list[int],
) -> Iterator[InputWord]:
    """Yield the words of a piece, with a subject before its imperative."""
    place = start
    negated = verb >= 0 and tokens[verb].text == "do" and _get(tokens, verb + 1, stop) == "not"
    before = verb
    while before > start and tokens[before - 1].text in ("never", "always", "just", "also"):
        before -= 1
    first_serial = verb - 2 if verb >= 2 and tokens[verb - 1].text == "and" else verb - 1
    while place < stop:
        token = tokens[place]
        if verb >= 0 and place == before and not negated:
            for word in ("you", "should"):
                yield InputWord(word, token.start, token.start, -1)
        emphatic = place == verb and token.text == "do" and not negated
        if emphatic or _is_dropped(tokens, place, verb, first_serial):
            dropped.append(place)
        else:
            seen = _NOUN_FOR_CAN if _is_can(tokens, place, stop) else ""
            if place > start and tokens[place - 1].text == "to" and token.shown.istitle():
                seen = token.shown  # "give it to Robin" is no infinitive
            yield InputWord(token.text, token.start, token.end, place, token.shown, seen)
        if verb >= 0 and not negated and _needs_article(tokens, place, verb, stop):
            yield InputWord("the", token.end, token.end, -1)
        place += 1


def _is_dropped(tokens: Sequence[Token], place: int, verb: int, first_serial: int) -> bool:
    if verb < 0 or not first_serial <= place < verb or first_serial < 0:
        return False
    return tokens[first_serial].text in _SERIAL


def _needs_article(tokens: Sequence[Token], place: int, verb: int, stop: int) -> bool:
    """Return True before a bare object: behind "take", "pick up", "take the knife and"."""
    if place < verb or place + 1 >= stop:
        return False
    word, following = tokens[place].text, tokens[place + 1]
    joined = word == "and" or (word == "," and place > verb)
    if not (place == verb or joined or (place == verb + 1 and word in _SEPARABLE)):
        return False
    if following.kind is not TokenKind.WORD or following.text in FUNCTION_WORDS:
        return False
    if joined and (rate_verb(following.text) >= _LATER or not _is_noun(following.text)):
        return False
    return not _is_adverb(following.text) and not following.text.endswith("ing")


def _is_can(tokens: Sequence[Token], place: int, stop: int) -> bool:
    """Return True for "can" as a noun, which the parser takes for the verb: "in the trash can"."""
    if tokens[place].text != "can" or place == 0:
        return False
    following = _get(tokens, place + 1, stop)
    if following in PRONOUNS or following in ("be", "not") or tokens[place - 1].text in PRONOUNS:
        return False
    return rate_verb(following) < _LATER


def _is_noun(word: str) -> bool:
    wordnet = find_wordnet()
    return wordnet is not None and bool(wordnet.find_senses(word))


def _get(tokens: Sequence[Token], place: int, end: int) -> str:
    return tokens[place].text if 0 <= place < end else ""
