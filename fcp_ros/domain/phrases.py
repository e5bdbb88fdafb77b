# SPDX-License-Identifier: Apache-2.0
"""Words and phrases that people say about a domain's relations, actions and tasks.

    put {item} [down] (on|on top of) {support}

A phrase has optional parts and alternatives, and stands for the finitely many sequences of words
and slots in `Phrase.variants`. Readers compare them with an instruction, word by word;
`split_words` splits both. `phrase_goals` says which goal a phrase stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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


NUMBER = "number"
"""The type of a parameter of a task that takes a whole number."""

SPEAKER = "me"
"""A default of a slot: the element that speaks."""
ADDRESSEE = "you"
"""A default of a slot: the robot that is spoken to."""

Phrases = Mapping[str, tuple[Phrase, ...]]
"""The phrases of each relation, rule or graded predicate, by its name."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A remark beside a task that asks for more: "we'll have soup"."""

    phrases: tuple[Phrase, ...]  # said within or beside the phrases of the task
    parameters: Mapping[str, str]  # name -> type, besides those of the task
    # what is asked for in addition, over both kinds of parameters; empty for a remark that only
    # gives parameters of the task their values: "we are {n}"
    goal: str


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A task that has a name of its own in everyday language: "set the table for {n}"."""

    name: str
    phrases: tuple[Phrase, ...]  # ways to ask for it
    parameters: Mapping[str, str]  # name -> type: a type of the schema, "text", or "number"
    goal: str  # a text of the goal language with `{slot}`s for the parameters; `{2n}` is twice n
    description: str = ""
    # values of parameters that are not said: a number, words, or for an element a label (any such
    # element), SPEAKER or ADDRESSEE
    defaults: Mapping[str, str] = field(default_factory=dict)
    additions: tuple[Addition, ...] = ()  # remarks that ask for more
    # the goal for each of several things that are asked for at once, where that is another one; ""
    # where it is the same
    several: str = ""
    # the goal where the robot is asked to go elsewhere afterwards, where that is another one: it
    # doesn't take with it again what it has brought; ""
    left: str = ""

    def with_goal(self, other: str) -> TaskTemplate:
        """Return the task with another one of its goals; itself if it has no such goal."""
        return replace(self, goal=other, several="", left="") if other else self


@dataclass(frozen=True, slots=True)
class SetExtension:
    """More things that belong to a set if that is said: "a computer with accessories"."""

    # words before or behind the noun, or beside the clause; without slots
    phrases: tuple[Phrase, ...]
    members: tuple[str, ...]  # labels or types, normalised


@dataclass(frozen=True, slots=True)
class ThingSet:
    """Things that belong together, one of each kind: the parts of a computer, a place setting."""

    name: str
    words: tuple[str, ...]  # nouns for the whole, normalised
    # nouns for any of its parts, normalised; English has some for all sets ("parts")
    parts: tuple[str, ...]
    members: tuple[str, ...]  # labels or types, normalised: the kinds of its parts
    more: tuple[SetExtension, ...] = ()  # what else belongs to it if that is said


@dataclass(frozen=True, slots=True)
class DomainWords:
    """Everything that a domain says about language; all of it is optional."""

    # phrases for "it holds". Slots are legs; a leg that is not named may be anything.
    relations: Phrases = field(default_factory=dict)
    negated: Phrases = field(default_factory=dict)  # phrases for "it does not hold", by relation
    # by relation, what an instruction that it shall no longer hold asks for besides
    removed: Mapping[str, TaskTemplate] = field(default_factory=dict)
    rules: Phrases = field(default_factory=dict)  # phrases for "do it"; slots are parameters
    # phrases for "it fits well"; slots are parameters
    graded: Phrases = field(default_factory=dict)
    tasks: Mapping[str, TaskTemplate] = field(default_factory=dict)
    # nouns that stand for several labels or types, all normalised
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # things that belong together, by the name of the set
    sets: Mapping[str, ThingSet] = field(default_factory=dict)
    # words without a meaning here, as `" ".join(split_words(...))`
    ignorable: frozenset[str] = frozenset()
