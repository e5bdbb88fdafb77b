# SPDX-License-Identifier: Apache-2.0
"""Noun phrases and clauses as values: what was said, before it is looked up in a state.

And the words of a sentence that a reading has used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from typing import TypeVar, cast

from fcp_ros.domain.expressions.syntax import Bound
from fcp_ros.language.meanings import Meaning
from fcp_ros.language.reading import WordUse

THEME, PLACE, PERSON = "the thing", "the place", "the person"
"""Slots of what English says in general; no names of the goal language, so they can't be caught."""


Part = TypeVar("Part")


class Determiner(Enum):
    """The part of a noun phrase that says which things are meant."""

    THE = "the"
    A = "a"
    BARE = ""
    ALL = "all"
    EACH = "each"
    BOTH = "both"
    NO = "no"
    ANY = "any"
    REST = "the rest of"


class HalfOf(Enum):
    """Numbers that depend on how many things there are."""

    MOST = "most"
    HALF = "half"
    MANY = "as many as possible"
    ALL_BUT = "all but"
    """All but a number."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of things.

    Attributes:
        bound, value: at least, at most or exactly how many.
    """

    bound: Bound = Bound.AT_LEAST
    value: int = 1
    share: HalfOf | None = None  # a part of those that there are, instead; all but `value` of them
    most: int | None = None  # the most of a range ("one or two"), beside `value`, the least


@dataclass(frozen=True, slots=True)
class Noun:
    """A kind of thing."""

    said: str
    labels: tuple[str, ...]  # labels or types that it stands for, for `is_a`
    type: str  # a type of the schema that all of them have; empty if it is not known
    members: tuple[str, ...]  # the elements of the state that it names


class Reference(Enum):
    """Heads of noun phrases without a noun."""

    IT = "it"
    THEM = "them"
    THING = "thing"
    """Something, everything, nothing: anything that fits."""
    ONE = "one"
    """One, ones, others: of the kind that was mentioned."""
    SPEAKER = "me"
    ADDRESSEE = "you"
    THERE = "there"
    HERE = "here"


@dataclass(frozen=True, slots=True)
class ElementName:
    """The name of an element."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """Free words, such as a purpose."""

    text: str


@dataclass(frozen=True, slots=True)
class Listed:
    """Things that are named one by one, of which some are meant: "one of the mug and the bowl"."""

    parts: tuple[NounPhrase, ...]


Head = Noun | Reference | ElementName | Words | Listed


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase.

    Attributes:
        start, end: the first and after the last token.
    """

    start: int
    end: int
    head: Head
    determiner: Determiner = Determiner.BARE
    number: Quantity | None = None
    plural: bool = False
    # what is said of it: adjectives, places, relative clauses
    qualities: tuple[Predication, ...] = ()
    excluded: tuple[Phrase, ...] = ()  # what is not meant ("except ...")
    other: bool = False  # "other", "another": not one that was mentioned
    only: bool = False
    attributes: tuple[str, ...] = ()  # values of attributes ("red"), as they were said
    # of a set, the kinds of its parts; `number` of each of them are meant
    kinds: tuple[Noun, ...] = ()
    set_name: str = ""  # the set of the domain that it is about
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0


@dataclass(frozen=True, slots=True)
class Coordination:
    """Several noun phrases that are joined by "and" or "or"; also groups of them."""

    parts: tuple[Phrase, ...]
    alternative: bool
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0


Phrase = NounPhrase | Coordination
_PHRASES = (NounPhrase, Coordination)
Argument = NounPhrase | Coordination | int


@dataclass(frozen=True, slots=True)
class Predication:
    """Something that is said of things."""

    meaning: Meaning | None  # the condition; None for a place, whose relation depends on the things
    arguments: Mapping[str, Argument]
    # the slot that the thing fills that this is said of; empty if it is in `arguments`
    subject: str = ""
    # of a place, the one that stands for it; `arguments` has "place" (and "theme")
    preposition: str = ""
    negated: bool = False
    source: bool = False  # where the thing is initially ("from the shelf")
    attributive: bool = False
    # remarks of a task that were said, with their arguments in `arguments`
    additions: tuple[Meaning, ...] = ()
    degree: float = 1.0  # how well the words fit
    uses: tuple[WordUse, ...] = ()  # the words, without those of the arguments


class Act(Enum):
    """The way in which a clause asks for its predication."""

    ACHIEVE = "achieve"
    HOLD = "hold"
    """Take something into the hand: often only a means to what comes next."""
    GO = "go"
    BRING = "bring"
    KEEP = "keep"
    """It is so and stays so."""
    STAY = "stay"
    """Something stays where it is ("don't move it")."""
    RETURN = "return"
    """Something goes back to where it was."""
    NEVER = "never"
    REMARK = "remark"
    """It is so already; nothing is asked."""
    TOPIC = "topic"
    """A thing is named of which the next clause speaks."""
    STATE = "state"
    """It shall be so; with a negation it shall not be so at the end."""


class Link(Enum):
    """The order of a clause among the others."""

    AND = "and"
    THEN = "then"
    EARLIER = "earlier"
    """Before the clause that was said before it."""
    FIRST = "first"


class TimeKind(Enum):
    """The relation of something to a time."""

    WITHIN = "within"
    """At some time until then."""
    AFTER = "after"
    """From then on."""
    DURING = "during"
    """All the time until then."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """A time of something."""

    kind: TimeKind  # how it is so then
    seconds: Fraction
    wished: bool = False  # only if possible


class ProvisoKind(Enum):
    """The relation of a clause to a condition on the way."""

    UNTIL = "until"
    """It is so at no time before the condition has been so."""
    WHILE = "while"
    """It is so in every state in which the condition is so."""
    WHENEVER = "whenever"
    """It is so after the condition each time."""


@dataclass(frozen=True, slots=True)
class Proviso:
    """A condition on the way under which a clause speaks."""

    kind: ProvisoKind
    clause: SpokenClause
    uses: tuple[WordUse, ...] = ()  # those of its first words
    ahead: bool = False
    # it is waited for ("when the door is closed"), and nobody is asked to bring it about
    awaited: bool = False


@dataclass(frozen=True, slots=True)
class SpokenClause:
    """A clause."""

    act: Act
    # what for; several share their subject ("open and clean")
    predications: tuple[Predication, ...]
    negated: bool = False
    preferred: bool = False
    time: TimeLimit | None = None  # when it shall be so
    once: bool = False  # at most once ("don't go there more than once")
    sometime: bool = False  # at some time on the way ("at some point")
    order: Link | None = None  # its place in time, if words behind it say so ("last", "first")
    permitted: bool = False  # it may be so, but only under a proviso
    provisos: tuple[Proviso, ...] = ()  # conditions on the way ("while the door is open")
    condition: tuple[Predication, ...] = ()  # only if this was so initially
    excluded: tuple[Phrase, ...] = ()  # what is left out ("except the mugs")
    awaited: bool = False  # it is waited for, and not asked for ("when the door is closed")
    verb: str = ""  # the verb that a next clause may leave out
    leaving: bool = False  # the robot is sent elsewhere afterwards
    after_each: bool = False  # after each thing that the clause before it is about
    uses: tuple[WordUse, ...] = ()  # the words, without those of the predications
    degree: float = 1.0  # how well the words fit


@dataclass(frozen=True, slots=True)
class Sentence:
    """Clauses in the order in which they were said, and their order in time."""

    # the clauses; those of which a text consists, over all its sentences
    clauses: tuple[SpokenClause, ...] = ()
    links: tuple[Link, ...] = ()  # how each one goes on from the one before it
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0  # how well the words fit
    unread: tuple[int, ...] = field(default=())  # places of tokens that were skipped


def list_heads(phrase: Phrase) -> Iterator[NounPhrase]:
    """Yield the phrases with one head, also those of groups."""
    if isinstance(phrase, NounPhrase):
        yield phrase
        return
    for part in phrase.parts:
        yield from list_heads(part)


def is_several(argument: Argument | None) -> bool:
    """Return True for what "them" means."""
    several = isinstance(argument, NounPhrase) and argument.plural
    return several or isinstance(argument, Coordination)


def refer_to(argument: Argument | None, place: int = 0) -> NounPhrase:
    """Return "it", or "them", for what was said.

    Args:
        place: the token where that stands.
    """
    several = is_several(argument)
    head = Reference.THEM if several else Reference.IT
    return NounPhrase(place, place, head, Determiner.THE, None, several)


def leave_out_quality(tree: Part, quality: Predication) -> Part:
    """Return a tree without what is said of a thing in it."""
    if isinstance(tree, tuple):
        return cast("Part", tuple(leave_out_quality(p, quality) for p in tree if p != quality))
    if isinstance(tree, Mapping):
        return cast("Part", {k: leave_out_quality(one, quality) for k, one in tree.items()})
    if not isinstance(tree, (Sentence, SpokenClause, Proviso, Predication, *_PHRASES)):
        return tree
    changed = {
        one.name: leave_out_quality(getattr(tree, one.name), quality) for one in fields(tree)
    }
    return cast("Part", replace(tree, **changed))


def collect_uses(sentence: Sentence) -> list[WordUse]:
    """Collect the uses of all words of a sentence."""
    found = list(sentence.uses)
    for clause in sentence.clauses:
        found += _collect_clause(clause)
    return found


def _collect_clause(clause: SpokenClause) -> Iterator[WordUse]:
    yield from clause.uses
    for said in (*clause.predications, *clause.condition):
        yield from _collect_predication(said)
    for proviso in clause.provisos:
        yield from proviso.uses
        yield from _collect_clause(proviso.clause)


def _collect_predication(said: Predication) -> Iterator[WordUse]:
    yield from said.uses
    for argument in said.arguments.values():
        if isinstance(argument, (NounPhrase, Coordination)):
            yield from collect_phrase_uses(argument)


def collect_phrase_uses(phrase: Phrase) -> Iterator[WordUse]:
    """Collect the uses of a phrase, with those of all that is said of it."""
    yield from phrase.uses
    if isinstance(phrase, Coordination):
        for part in phrase.parts:
            yield from collect_phrase_uses(part)
        return
    for said in phrase.qualities:
        yield from _collect_predication(said)
    for excluded in phrase.excluded:
        yield from collect_phrase_uses(excluded)


def list_phrase_uses(phrase: Phrase) -> tuple[WordUse, ...]:
    """List the uses of the words of a noun phrase."""
    if isinstance(phrase, Coordination):
        return tuple(use for part in phrase.parts for use in list_phrase_uses(part)) + phrase.uses
    return phrase.uses


def list_argument_uses(said: Predication) -> tuple[WordUse, ...]:
    """List the uses of the words of what fills the slots of a predication."""
    phrases = (one for one in said.arguments.values() if not isinstance(one, int))
    return tuple(use for phrase in phrases for use in list_phrase_uses(phrase))
