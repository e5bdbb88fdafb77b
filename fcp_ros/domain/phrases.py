# SPDX-License-Identifier: Apache-2.0
"""Phrases of a domain: words with slots, optional parts and alternatives.

    put {item} [down] (on|on top of) {support}

A phrase stands for the finitely many sequences of words and slots in `Phrase.variants`. Readers
compare them with an instruction, word by word; `split_words` splits both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

MAX_PHRASE = 300
"""Longest accepted phrase (characters)."""
MAX_VARIANTS = 512
"""Most sequences that one phrase may stand for."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*'?")
_TOKEN = re.compile(
    r"(?P<space>\s+)|\{(?P<slot>[^{}]*)\}|(?P<mark>[\[\]()|])|(?P<word>[^\W_]+(?:['\u2019\-][^\W_]+)*)"
)
_SLOT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CLOSING = {"[": "]", "(": ")"}


def split_words(text: str) -> list[str]:
    """Split a text into words: lower case, letters, digits and apostrophes; the rest separates."""
    return _WORD.findall(text.replace("\u2019", "'").lower())


@dataclass(frozen=True, slots=True)
class PhraseWord:
    """A word, in lower case."""

    text: str


@dataclass(frozen=True, slots=True)
class PhraseSlot:
    """A place for an element, a number or words, by the name of a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class PhraseOption:
    """Parts that may be left out."""

    parts: tuple[PhrasePart, ...]


@dataclass(frozen=True, slots=True)
class PhraseChoice:
    """Alternatives, of which one is said."""

    options: tuple[tuple[PhrasePart, ...], ...]


PhrasePart = PhraseWord | PhraseSlot | PhraseOption | PhraseChoice
FlatPart = PhraseWord | PhraseSlot
Variant = tuple[FlatPart, ...]
"""One way to say a phrase."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a domain."""

    text: str
    parts: tuple[PhrasePart, ...]  # its words, slots, options and choices
    variants: tuple[Variant, ...]  # all ways to say it, each once, the longest first
    line: int = field(default=0, compare=False)  # of the YAML file; 0 if it is from elsewhere

    @property
    def slots(self) -> frozenset[str]:
        """The names of all slots."""
        return frozenset(name for variant in self.variants for name in list_slots(variant))


class PhraseError(ValueError):
    """A phrase that can't be read."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(f"{message}: {fix}")
        self.message = message
        self.fix = fix  # what to do about it, a clause


def list_slots(variant: Iterable[FlatPart]) -> tuple[str, ...]:
    """List the slots of one way to say a phrase, from left to right."""
    return tuple(part.name for part in variant if isinstance(part, PhraseSlot))


def write_variant(variant: Iterable[FlatPart]) -> str:
    """Write one way to say a phrase, with its slots in braces."""
    return " ".join(
        f"{{{part.name}}}" if isinstance(part, PhraseSlot) else part.text for part in variant
    )


def parse_phrase(text: str, line: int = 0) -> Phrase:
    """Read a phrase.

    Raises PhraseError for a character that can't stand there, a bracket without its partner, a slot
    twice, no word at all, too long, or too many ways to say it.
    """
    if len(text) > MAX_PHRASE:
        raise PhraseError(f"a phrase of {len(text)} characters", f"use {MAX_PHRASE} at most")
    tokens = list(_split_tokens(text))
    parts, rest = _parse_sequence(tokens, 0, "")
    assert rest == len(tokens), "a sequence at the top ends with the text"
    if _count_variants(parts) > MAX_VARIANTS:
        message = f"there are more than {MAX_VARIANTS} ways to say this phrase"
        raise PhraseError(message, "write two phrases with fewer options")
    variants = tuple(sorted(dict.fromkeys(_expand(parts)), key=len, reverse=True))
    for variant in variants:
        _check_variant(variant)
    return Phrase(text, parts, variants, line)


def _check_variant(variant: Variant) -> None:
    slots = list_slots(variant)
    if len(slots) == len(variant):
        shown = f" once its options are left out (`{write_variant(variant)}`)" if variant else ""
        raise PhraseError(f"the phrase has no word{shown}", "add a word that is always said")
    for slot in slots:
        if slots.count(slot) > 1:
            raise PhraseError(f"the slot {{{slot}}} stands in it twice", "use a slot once")


def _split_tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position]
            if character in "{}":
                fix = "write a slot as {name}, with letters, digits and _"
            else:
                fix = "use words, {slots}, [optional words] and (one|another)"
            raise PhraseError(f"unexpected `{character}` at character {position + 1}", fix)
        kind = match.lastgroup or ""
        value = match[kind]
        if kind == "slot" and not _SLOT_NAME.match(value):
            fix = "use the name of a parameter: letters, digits and _"
            raise PhraseError(f"a slot can't be called {value!r}", fix)
        if kind == "word":
            yield from (("word", word) for word in split_words(value))
        elif kind != "space":
            yield kind, value
        position = match.end()


def _parse_sequence(
    tokens: list[tuple[str, str]], start: int, until: str
) -> tuple[tuple[PhrasePart, ...], int]:
    """Read parts up to `until`, `|` within a choice, or the end of the text."""
    parts: list[PhrasePart] = []
    position = start
    while position < len(tokens):
        kind, value = tokens[position]
        if kind == "word":
            parts.append(PhraseWord(value))
        elif kind == "slot":
            parts.append(PhraseSlot(value))
        elif value in _CLOSING:
            part, position = _parse_bracket(tokens, position)
            parts.append(part)
        elif value == until or (value == "|" and until):
            break
        else:
            fix = "write alternatives as (one|another)" if value == "|" else "remove it"
            raise PhraseError(f"unexpected `{value}`", fix)
        position += 1
    return tuple(parts), position


def _parse_bracket(
    tokens: list[tuple[str, str]], start: int
) -> tuple[PhraseOption | PhraseChoice, int]:
    """Read `[..]` or `(..|..)`, both of which may hold alternatives; return it and its end."""
    opening = tokens[start][1]
    closing = _CLOSING[opening]
    options: list[tuple[PhrasePart, ...]] = []
    position = start
    while True:
        parts, position = _parse_sequence(tokens, position + 1, closing)
        if position >= len(tokens):
            raise PhraseError(f"`{opening}` is never closed", f"add `{closing}`")
        if not parts:
            raise PhraseError("an empty alternative", "use [ ] for words that may be left out")
        options.append(parts)
        if tokens[position][1] == closing:
            break
    choice = PhraseChoice(tuple(options))
    if opening == "(":
        return choice, position
    inner: tuple[PhrasePart, ...] = options[0] if len(options) == 1 else (choice,)
    return PhraseOption(inner), position


def _count_variants(parts: tuple[PhrasePart, ...]) -> int:
    """Count the sequences, repeated ones too, without making them."""
    number = 1
    for part in parts:
        if isinstance(part, PhraseOption):
            number *= 1 + _count_variants(part.parts)
        elif isinstance(part, PhraseChoice):
            number *= sum(map(_count_variants, part.options))
    return number


def _expand(parts: tuple[PhrasePart, ...]) -> Iterator[Variant]:
    choices: list[list[Variant]] = []
    for part in parts:
        if isinstance(part, PhraseOption):
            choices.append([*_expand(part.parts), ()])
        elif isinstance(part, PhraseChoice):
            choices.append([variant for option in part.options for variant in _expand(option)])
        else:
            choices.append([(part,)])
    for chosen in product(*choices):
        yield tuple(part for variant in chosen for part in variant)
