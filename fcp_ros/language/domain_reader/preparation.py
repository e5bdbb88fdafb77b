# SPDX-License-Identifier: Apache-2.0
"""Preparation of an instruction: its words, its trees, its nouns.

What is known of a domain and a state is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.language.domain_reader.answers import name_language, refuse
from fcp_ros.language.domain_reader.framing import find_names, frame_instruction, is_of_domain
from fcp_ros.language.domain_reader.leftovers import Leftovers
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.english.tokens import TokenKind, tokenise
from fcp_ros.language.meanings import list_phrase_words
from fcp_ros.language.parsing.clauses.hedges import Asides
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.pattern_building import add_instruments, add_verbs, build_patterns
from fcp_ros.language.parsing.trees import Coordination, ElementName, Noun, Phrase, Reference, Words
from fcp_ros.language.reader import ReadingContext, find_excess
from fcp_ros.language.reading import Interpretation, Refusal
from fcp_ros.language.statement_table import StatementTable
from fcp_ros.language.syntax import parse_segments
from fcp_ros.language.syntax.tree import join_trees

_KEPT_STATES = 4
"""States whose nouns are remembered."""


@dataclass(frozen=True)
class Subject:
    """All that depends on a domain and a state only."""

    domain: Domain
    instance: Instance
    lexicon: Lexicon
    patterns: PatternTable
    places: PlaceChooser
    statements: StatementTable
    # the words of all phrases of each meaning, by its key
    phrase_words: Mapping[tuple[str, bool], frozenset[str]]


def _make_subject(domain: Domain, instance: Instance) -> Subject:
    patterns = build_patterns(domain)
    add_verbs(patterns)
    add_instruments(patterns)
    return Subject(
        domain,
        instance,
        Lexicon(domain, instance, patterns.vocabulary),
        patterns,
        PlaceChooser(domain, patterns),
        StatementTable(domain),
        list_phrase_words(domain),
    )


class SubjectMemory:
    """Memory of the last domains and states."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []

    def find_subject(self, context: ReadingContext) -> Subject:
        """Return what is known of a domain and a state."""
        for number, known in enumerate(self._subjects):
            if known.instance is context.instance and known.domain is context.domain:
                self._subjects.insert(0, self._subjects.pop(number))
                return known
        domain, instance = context.domain, context.instance
        same = next((known for known in self._subjects if known.domain is domain), None)
        if same is None:
            subject = _make_subject(domain, instance)
        else:
            lexicon = Lexicon(domain, instance, same.patterns.vocabulary)
            subject = replace(same, instance=instance, lexicon=lexicon)
        self._subjects = [subject, *self._subjects][:_KEPT_STATES]
        return subject


MOST_TOKENS = 150
"""Longer instructions are refused."""
_ROOM = "room"
"""Type of the place where who speaks is."""


@dataclass(frozen=True)
class PreparedInstruction:
    """An instruction that is ready to be read."""

    text: str
    asides: Asides  # the words that are left without frames and remarks
    nouns: NounParser  # the noun phrases at its tokens
    leftovers: Leftovers  # what a reading may leave out
    subject: Subject  # what is known of domain and state
    context: ReadingContext  # domain, state, speaker


class InstructionPreparer:
    """Prepares instructions."""

    def __init__(self) -> None:
        self._memory = SubjectMemory()

    def prepare(
        self, instruction: str, context: ReadingContext
    ) -> PreparedInstruction | Interpretation:
        """Prepare an instruction, or say why it isn't read."""
        if not instruction.strip():
            said = "The instruction is empty: say what shall be done."
            return refuse(instruction, Refusal.EMPTY, said)
        if find_excess(instruction):
            return refuse(instruction, Refusal.LENGTH, find_excess(instruction))
        tokens = tokenise(instruction)
        if len(tokens) > MOST_TOKENS:
            return refuse(
                instruction,
                Refusal.LENGTH,
                f"The instruction has {len(tokens)} words, more than {MOST_TOKENS}: "
                "say it in several shorter ones.",
            )
        if not any(t.kind in (TokenKind.WORD, TokenKind.QUOTED) for t in tokens):
            said = "The instruction has no words: say what shall be done."
            return refuse(instruction, Refusal.EMPTY, said)
        language = name_language(tokens)
        if language:
            shown = "another language" if language == "another" else language
            said = f"This seems to be {shown}; only English is read: say it in English."
            return refuse(instruction, Refusal.LANGUAGE, said)
        subject = self._memory.find_subject(context)
        framed = frame_instruction(tokens, subject.lexicon, subject.patterns)
        if framed.only_asks:
            said = "This is a question, and nothing is asked to be done: say what shall be done."
            return refuse(instruction, Refusal.QUESTION, said)
        return self._parse(instruction, framed.asides, context, subject)

    def _parse(
        self, instruction: str, asides: Asides, context: ReadingContext, subject: Subject
    ) -> PreparedInstruction:
        tokens = asides.tokens
        segments = parse_segments(tokens, find_names(tokens, subject.lexicon))
        tree = join_trees(segment.tree for segment in segments)
        nouns = NounParser(
            tokens,
            subject.lexicon,
            subject.patterns,
            lambda phrase, type_: _rate_phrase(phrase, type_, subject),
            context.check,
            tree,
        )
        leftovers = Leftovers(
            tree,
            lambda place: is_of_domain(tokens, place, subject.lexicon, subject.patterns),
            subject.phrase_words,
            frozenset(n for n, token in enumerate(tokens) if token.shown[:1].isupper()),
        )
        return PreparedInstruction(instruction, asides, nouns, leftovers, subject, context)


def _rate_phrase(phrase: Phrase, type_: str, subject: Subject) -> float:
    """Rate how well a phrase may fill a slot of a type."""
    if isinstance(phrase, Coordination):
        return min(_rate_phrase(part, type_, subject) for part in phrase.parts)
    head = phrase.head
    if isinstance(head, Words):
        return 0.0
    if head is Reference.HERE and subject.lexicon.has_type(_ROOM):
        return subject.places.rate_types(frozenset((_ROOM,)), type_)
    if isinstance(head, ElementName):
        instance = subject.instance
        own = instance.type_of(instance.id_of(head.name))
        return subject.places.rate_types(frozenset((own,)), type_)
    if isinstance(head, Noun):
        instance = subject.instance
        types = {instance.type_of(instance.id_of(name)) for name in head.members}
        if not types and head.type:
            types = {head.type}
        return subject.places.rate_types(frozenset(types), type_)
    return 1.0
