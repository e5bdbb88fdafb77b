# SPDX-License-Identifier: Apache-2.0
"""Preparation of an instruction, once for all its readers: its words, its trees, its nouns.

Frames around requests ("I would be grateful if ...") are taken off by their syntax. What is known
of a domain and a state is remembered.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity, TextSimilarity
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.weights_file import load_weights
from fcp_ros.language.domain_reader.answers import name_language, refuse
from fcp_ros.language.domain_reader.leftovers import Leftovers
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.english.function_words import ARTICLES, COMMON
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.states import OPENING_PARTS
from fcp_ros.language.english.tokens import Token, TokenKind, tokenise
from fcp_ros.language.meanings import list_phrase_words
from fcp_ros.language.parsing.clauses.hedges import ASIDE, Asides, set_aside
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.pattern_building import add_instruments, add_verbs, build_patterns
from fcp_ros.language.parsing.trees import Coordination, ElementName, Noun, Phrase, Reference, Words
from fcp_ros.language.reader import ReadingContext, find_excess
from fcp_ros.language.reading import Interpretation, Refusal, WordRole, WordUse
from fcp_ros.language.remarks.remark_model import RemarkModel
from fcp_ros.language.remarks.remark_model import load_weights as load_remark_weights
from fcp_ros.language.statement_table import StatementTable
from fcp_ros.language.syntax import (
    Force,
    Framed,
    Segment,
    find_requests,
    join_checks,
    join_conditions,
    parse_segments,
    write_inversions,
)
from fcp_ros.language.syntax.statements import SPEAKERS
from fcp_ros.language.syntax.tree import DETERMINERS, SUBJECTS, join_trees

_LOGGER = logging.getLogger(__name__)
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
    """Memory of the last domains and states, and of what was learned from people."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []
        self._model: DemandModel | None = None
        self._remarks: RemarkModel | None = None
        self._is_warned = False

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

    def find_remarks(self, similarity: LabelSimilarity | None) -> RemarkModel | None:
        """Return what was learned of remarks; None without a sentence encoder."""
        return None if self.find_model(similarity) is None else self._remarks

    def find_model(self, similarity: LabelSimilarity | None) -> DemandModel | None:
        """Return what was learned from people; None without a sentence encoder."""
        if not isinstance(similarity, TextSimilarity):
            return None
        try:
            if self._model is None:
                self._remarks = RemarkModel(load_remark_weights()[0], similarity.encode)
                self._model = DemandModel(load_weights()[0], similarity.encode)
            similarity.encode(["something"])
        except (InputError, NoSimilarity) as error:
            if not self._is_warned:
                _LOGGER.warning("nothing learned from people is used: %s", error)
            self._is_warned = True
            return None
        return self._model


_AMOUNTS = frozenset(["than", "within", "half", "least", "most"])
_CALLING = frozenset(["hey", "hi", "hello", "ok", "my", "dear", "good", "well"])
_BEFORE_CALLED = frozenset(["me", "us", "you", "it", "them", "please", "thanks", "now", "there"])
"""Words behind which, at the end of a sentence, who is spoken to may follow without a mark."""
_MOST_CALLED, _COMMON_SENSES = 3, 3
_PEOPLE = frozenset(["person", "human"])
_FINITE = frozenset(["VBZ", "VBP", "VBD"])
_ADDRESSED = frozenset(["you", "your", "u", "please"])
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

    tokens = write_inversions(_write_copulas(tokens, patterns))
    whole = _name_wholes(tokens, lexicon)
    if whole is not None:
        return _account(tokens, whole, frame_instruction(whole, lexicon, patterns))
    checked = join_checks(tokens)
    if checked is not None:
        return _account(tokens, checked, frame_instruction(checked, lexicon, patterns))
    framed = find_requests(parse_segments(tokens, find_names(tokens, lexicon)), concerns)
    joined = join_conditions(tokens, framed)
    if joined is not None:
        return _account(tokens, joined, frame_instruction(joined, lexicon, patterns))
    asked = [one for one in framed if one.force is not Force.REMARK]
    only_asks = bool(asked) and all(one.force is Force.QUESTION for one in asked)
    if not only_asks:
        framed = [_set_aside_question(one, concerns) for one in framed]
    kept, uses = _take_out(tokens, framed, frozenset(_list_called(tokens, concerns, lexicon)))
    formed = set_aside(kept)
    return FramedInstruction(Asides(formed.tokens, (*uses, *formed.uses)), only_asks)


def _set_aside_question(said: Framed, concerns: Callable[[Sequence[int]], bool]) -> Framed:
    """Take "Why is it always me?" beside a request for a remark: it speaks of nothing here."""
    words = [word for word in said.segment.tree.words if not word.is_inserted]
    if said.force is not Force.QUESTION or said.segment.piece.end != "?" or not words:
        return said
    tree, tokens = said.segment.tree, frozenset(word.token for word in words)
    subject = tree.find_child(tree.root.place, *SUBJECTS)
    own = subject is not None and subject.text in SPEAKERS
    wondering = words[0].tag.startswith("W") or own
    finite = any(word.tag in _FINITE for word in words)
    asking = any(word.tag in ("MD", "TO") or word.text in _ADDRESSED for word in words)
    if not wondering or not finite or asking or concerns(sorted(tokens)):
        return said
    return replace(said, force=Force.REMARK, aside=tokens, remarks=tokens)


def _account(
    tokens: Sequence[Token], joined: Sequence[Token], framed: FramedInstruction
) -> FramedInstruction:
    """Say which words were left out where a question and what follows from it were joined."""
    kept = {token.start for token in joined}
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


def _list_called(
    tokens: Sequence[Token], concerns: Callable[[Sequence[int]], bool], lexicon: Lexicon
) -> Iterator[int]:
    """Yield who is spoken to, between marks: "young man", "friend", by WordNet's kind "person"."""
    wordnet = find_wordnet()
    bounds = [-1, *(i for i, t in enumerate(tokens) if t.kind is TokenKind.MARK), len(tokens)]
    for before, end in pairwise(bounds):
        start = before + 1
        while start < end and tokens[start].text in _CALLING:
            start += 1
        if wordnet is None or start == end:
            continue
        noun = tokens[end - 1].text
        person = any(sense.is_person for sense in wordnet.find_senses(noun)[:_COMMON_SENSES])
        person = person and not _is_thing_here(tokens, end - 1, lexicon)  # "mug, bowl, ..."
        behind = end - start > 1 and tokens[end - 2].text in _BEFORE_CALLED
        if person and behind and noun not in COMMON | _SMALL and not concerns([end - 1]):
            yield end - 1  # "thanks love"
            continue
        if end - start >= _MOST_CALLED:
            continue
        others = range(start, end - 1)
        described = not any(tokens[place].text in COMMON | _SMALL for place in others)
        if noun == "robot" or (person and described and not concerns(others)):
            yield from range(before + 1, end)


def _is_thing_here(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    """Return True for a noun by which something of the scene is called that is no person."""
    heads = [m.head for m in lexicon.find_nouns(tokens, place) if not m.note]
    return any(isinstance(h, Noun) and h.members and h.type not in _PEOPLE for h in heads)


def _is_whole_here(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    heads = [match.head for match in lexicon.find_nouns(tokens, place) if not match.note]
    members = [name for head in heads if isinstance(head, Noun) for name in head.members]
    return bool(members) and not lexicon.has_room(members)


def _take_out(
    tokens: Sequence[Token], framed: Sequence[Framed], called: frozenset[int]
) -> tuple[list[Token], list[WordUse]]:
    """Return the tokens that are left, and the uses of those that are taken out."""
    meaning: dict[int, str] = dict.fromkeys(called, ASIDE)
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


MOST_TOKENS = 150
"""Longer instructions are refused."""
_ROOM = "room"
"""Type of the place where who speaks is."""


@dataclass(frozen=True)
class ParsedInstruction:
    """An instruction with its trees, and what is known of its words."""

    segments: Sequence[Segment]
    nouns: NounParser  # the noun phrases at its tokens
    patterns: PatternTable
    places: PlaceChooser
    model: DemandModel | None  # what was learned from people; None without a sentence encoder
    context: ReadingContext  # domain, state, speaker


@dataclass(frozen=True)
class PreparedInstruction:
    """An instruction that is ready to be read."""

    text: str
    asides: Asides  # the words that are left without frames and remarks
    parsed: ParsedInstruction
    leftovers: Leftovers  # what a reading may leave out
    subject: Subject  # what is known of domain and state


class InstructionPreparer:
    """Prepares instructions; the last one is remembered for the next reader that is asked."""

    def __init__(self) -> None:
        self._memory = SubjectMemory()
        self._last: tuple[str, ReadingContext, PreparedInstruction | Interpretation] | None = None

    def prepare(
        self, instruction: str, context: ReadingContext
    ) -> PreparedInstruction | Interpretation:
        """Prepare an instruction, or say why it isn't read."""
        last = self._last
        if last is not None and last[0] == instruction and last[1] is context:
            return last[2]
        found = self._prepare(instruction, context)
        self._last = (instruction, context, found)
        return found

    def _prepare(
        self, instruction: str, context: ReadingContext
    ) -> PreparedInstruction | Interpretation:
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
        model = self._memory.find_model(context.similarity)
        if model is not None:
            subject.lexicon.learn_names(model.names)
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
            self._memory.find_remarks(context.similarity),
            subject.phrase_words,
            frozenset(n for n, token in enumerate(tokens) if token.shown[:1].isupper()),
        )
        parsed = ParsedInstruction(
            segments, nouns, subject.patterns, subject.places, model, context
        )
        return PreparedInstruction(instruction, asides, parsed, leftovers, subject)


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
