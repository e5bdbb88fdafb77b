# SPDX-License-Identifier: Apache-2.0
"""The reader: an instruction through tokens, trees and terms to goals with degrees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.parser import MAX_LENGTH, parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError, to_text
from fcp_ros.foundation.wording import join_words, shorten_words, to_printable
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import may_be_offered
from fcp_ros.language.domain_reader.answers import (
    LEAST_DEGREE,
    MOST_SHOWN,
    READER,
    ReadingCandidate,
    answer,
    answer_unread,
    list_words,
    refuse,
    stands_alone,
)
from fcp_ros.language.domain_reader.composition import Composer, Unplaced
from fcp_ros.language.domain_reader.contradictions import find_self_relation
from fcp_ros.language.domain_reader.feasible import find_unreachable, holds_too_much
from fcp_ros.language.domain_reader.graded_goals import decide_sets, drop_idle_guides
from fcp_ros.language.domain_reader.idle_demands import (
    places_idly,
    releases_nothing,
    removes_nothing,
)
from fcp_ros.language.domain_reader.ordering import GoalJoiner
from fcp_ros.language.domain_reader.preparation import (
    InstructionPreparer,
    PreparedInstruction,
    Subject,
)
from fcp_ros.language.domain_reader.removal import put_somewhere
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.domain_reader.terms.referents import Ambiguity
from fcp_ros.language.domain_reader.terms.resolution import TermResolver
from fcp_ros.language.domain_reader.terms.spoken_scene import NotSpokenOf, Unresolved
from fcp_ros.language.english.function_words import ENGLISH, FILLERS
from fcp_ros.language.english.number_words import CLOCK_TIME
from fcp_ros.language.english.tokens import QUOTATION_MARKS, Token, TokenKind
from fcp_ros.language.english.wordnet_nouns import MISSING, is_installed
from fcp_ros.language.paraphrase import paraphrase_goal
from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.meanings import match_word
from fcp_ros.language.parsing.noun_phrases.quantities import MOST_NUMBER, is_number_read
from fcp_ros.language.parsing.sentence_parser import SentenceParser
from fcp_ros.language.parsing.trees import (
    Act,
    Predication,
    Sentence,
    collect_phrase_uses,
    collect_uses,
    leave_out_quality,
)
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import (
    Interpretation,
    Reading,
    ReadingStatus,
    Refusal,
    WordRole,
    WordUse,
)
from fcp_ros.language.syntax import require_pipeline
from fcp_ros.language.syntax.closed_classes import DETERMINERS, PREPOSITIONS, PRONOUNS
from fcp_ros.language.syntax.statements import SPEAKERS

MOST_CHOICES = 5
"""Elements that are offered where a phrase could be several."""
ABOUT_AS_WELL = 0.85
"""Share of the best degree at which another element may be meant as well."""
LEAST_SHOWN = 0.02
"""Worse readings are shown only if there is no better one."""
_NO_GOAL = "these words together make no sense for the things and actions that are known here"
"""Fault of a reading that is no goal of the domain."""


@dataclass(frozen=True)
class _Draft:
    """A goal that is not checked yet, and where it is from."""

    goal: str
    degree: float
    sentence: Sentence
    ambiguity: Ambiguity | None = None
    choice: str = ""
    unread: tuple[WordUse, ...] = ()  # words of a description that can't be expressed


@dataclass(frozen=True, slots=True)
class _Fault:
    """The reason why a tree has no goal."""

    message: str
    refusal: Refusal | None  # why none of these words has one
    whole: bool  # all words are in the tree
    not_spoken_of: bool  # it is asked what a word such as "it" means


class DomainReader:
    """Reads instructions by the words of a domain and the syntax of English; deterministic.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """

    def __init__(self) -> None:
        require_pipeline()
        self._preparer = InstructionPreparer()
        self._is_told = False

    @property
    def name(self) -> str:
        """The kind of reader."""
        return READER

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction (see `InstructionReader`)."""
        prepared = self._preparer.prepare(instruction, context)
        if isinstance(prepared, Interpretation):
            return prepared
        return self._read_prepared(prepared)

    # --- reading

    def _read_prepared(self, prepared: PreparedInstruction) -> Interpretation:
        instruction, context, subject = prepared.text, prepared.context, prepared.subject
        tokens, leftovers = prepared.asides.tokens, prepared.leftovers
        excused = (leftovers.excuse(sentence) for sentence in _parse(prepared))
        sentences = sorted(excused, key=lambda sentence: -sentence.degree)
        drafts: dict[str, _Draft] = {}
        faults: list[_Fault] = []
        for asking in (False, True):
            if any(draft.degree >= LEAST_DEGREE for draft in drafts.values()):
                break  # what "it" means is asked about only if nothing else can be meant
            if asking and not any(fault.not_spoken_of for fault in faults):
                break
            for sentence in sentences:
                for draft in self._list_drafts(sentence, context, subject, faults, asking):
                    known = drafts.get(draft.goal)
                    if known is None or known.degree < draft.degree:
                        drafts[draft.goal] = draft
        found = [_doubt_idle(draft, tokens, context) for draft in drafts.values()]
        ranked = sorted(found, key=lambda draft: -draft.degree)
        candidates = _check_drafts(prepared, ranked, faults)
        refused = _find_refusal(prepared, candidates, faults)
        if refused is not None:
            return refused
        if not candidates:
            return self._note_missing(_answer_nothing(instruction, tokens, faults, subject))
        return self._note_missing(answer(instruction, candidates, context.domain, context.instance))

    def _note_missing(self, found: Interpretation) -> Interpretation:
        """Say once, with what was not understood, that WordNet is missing."""
        if found.status is not ReadingStatus.NOT_UNDERSTOOD or self._is_told or is_installed():
            return found
        self._is_told = True
        return replace(found, message=f"{found.message} {MISSING}")

    def _list_drafts(
        self,
        sentence: Sentence,
        context: ReadingContext,
        subject: Subject,
        faults: list[_Fault],
        asking: bool,
    ) -> Iterator[_Draft]:
        """Yield the goals of a tree: one, or one for each element that may be meant."""
        try:
            goal, degree, ambiguities = _compose(sentence, context, subject, {}, asking)
        except Unplaced as error:
            faults.append(_make_fault(error, sentence))
            yield from self._list_without(sentence, error.quality, context, subject, faults)
            return
        except (Unresolved, ValueError, LookupError) as error:
            faults.append(_make_fault(error, sentence))
            return
        if not ambiguities:
            yield _Draft(goal, degree, sentence)
            return
        first = ambiguities[0]
        found: list[_Draft] = []
        for name in first.candidates[:MOST_CHOICES]:
            try:
                chosen = {first.place: name}
                goal, degree, _ = _compose(sentence, context, subject, chosen, asking)
            except (Unresolved, ValueError, LookupError) as error:
                faults.append(_make_fault(error, sentence))
                continue
            found.append(_Draft(goal, degree, sentence, first, name))
        if len(first.candidates) <= MOST_CHOICES:
            found = _drop_idle(found, context)
        best = max((draft.degree for draft in found), default=0.0)
        for draft in found:  # what fits about as well as the best is asked about
            alike = draft.degree >= ABOUT_AS_WELL * best
            yield replace(draft, degree=best) if alike else draft

    def _list_without(
        self,
        sentence: Sentence,
        quality: Predication,
        context: ReadingContext,
        subject: Subject,
        faults: list[_Fault],
    ) -> Iterator[_Draft]:
        """Yield in doubt the goals of a tree without "(the drawer) under the microwave"."""
        rest = leave_out_quality(sentence, quality)
        phrases = [one for one in quality.arguments.values() if not isinstance(one, int)]
        said = [*quality.uses, *(use for one in phrases for use in collect_phrase_uses(one))]
        unread = tuple(replace(use, role=WordRole.UNREAD, meaning="") for use in said)
        for draft in self._list_drafts(rest, context, subject, faults, asking=False):
            degree = draft.degree * Confidence.DOUBTFUL.degree
            yield replace(draft, degree=degree, unread=(*draft.unread, *unread))


def _parse(prepared: PreparedInstruction) -> list[Sentence]:
    """Find what an instruction may say, best first."""
    nouns, context = prepared.nouns, prepared.context
    clauses, ignorable = ClauseParser(nouns), context.domain.words.ignorable
    patterns = prepared.subject.patterns
    return SentenceParser(nouns, clauses, patterns, ignorable, context.check).parse()


def _drop_idle(found: list[_Draft], context: ReadingContext) -> list[_Draft]:
    """Drop choices by which something is taken from where it isn't, unless all are so."""
    state = PresentState(context.instance)
    left = [draft for draft in found if not removes_nothing(draft.goal, state)]
    plain = all(draft.degree >= Confidence.PLAIN.least for draft in left)
    return left if left and plain else found


def _doubt_idle(draft: _Draft, tokens: Sequence[Token], context: ReadingContext) -> _Draft:
    """Rate a reading lower that puts some of several things where they are, or releases nothing."""
    if draft.degree < Confidence.PLAIN.least or draft.ambiguity is not None:
        return draft
    goal, sentence, state = draft.goal, draft.sentence, PresentState(context.instance)
    idle = places_idly(goal, sentence, tokens, state) or releases_nothing(goal, sentence, state)
    if not idle:
        return draft
    return replace(draft, degree=Confidence.DOUBTFUL.degree)


def _check_drafts(
    prepared: PreparedInstruction, ranked: Sequence[_Draft], faults: list[_Fault]
) -> list[ReadingCandidate]:
    """Make readings of the goals that fit the domain: as many as are shown."""
    subject = prepared.subject
    found: list[ReadingCandidate] = []
    domain, instance = subject.domain, subject.instance
    for draft in ranked:
        if len(found) == MOST_SHOWN or (found and draft.degree < LEAST_SHOWN):
            break
        try:
            parsed = parse_expression(draft.goal)
            check_goal(parsed, domain, instance, draft.goal)
        except ExpressionError as error:
            faults.append(_make_fault(error, draft.sentence))
            continue
        uses = [*draft.unread, *collect_uses(draft.sentence)]
        words = list_words(prepared.asides, uses, draft.sentence.unread)
        paraphrase = paraphrase_goal(parsed, domain, instance, subject.statements)
        keeps = _asks_to_keep(draft.sentence)
        reading = Reading(draft.goal, min(draft.degree, 1.0), paraphrase, words, keeps)
        orphaned = prepared.leftovers.lacks_verb(draft.sentence)
        known = draft.sentence.unread or draft.ambiguity or subject.lexicon.has_attributes
        vague = bool(reading.unread) and not known and may_be_offered(prepared.text, reading)
        vague = not orphaned and (vague or (bool(draft.unread) and not draft.sentence.unread))
        found.append(ReadingCandidate(reading, draft.ambiguity, draft.choice, vague, orphaned))
    return found


def _asks_to_keep(sentence: Sentence) -> bool:
    acts = {clause.act for clause in sentence.clauses} - {Act.REMARK, Act.TOPIC}
    return acts == {Act.KEEP}


def _find_refusal(
    prepared: PreparedInstruction,
    candidates: Sequence[ReadingCandidate],
    faults: Sequence[_Fault],
) -> Interpretation | None:
    """Find the reason not to obey that what was said has; None if all of it was read otherwise.

    A tree that lacks words gives none: these may say what it is about.
    """
    instruction, tokens = prepared.text, prepared.asides.tokens
    best = candidates[0].reading if candidates else None
    if best is not None and not best.unread and best.degree >= LEAST_DEGREE:
        return None
    fault = next((fault for fault in faults if fault.refusal is not None and fault.whole), None)
    if fault is not None and fault.refusal is not None:
        return refuse(instruction, fault.refusal, _explain(fault))
    social = prepared.leftovers.find_social()
    if social and not (best is not None and may_be_offered(instruction, best)):
        said = f'No action that is known here can "{social}": say what else shall be done.'
        if best is not None and stands_alone(instruction, best):
            said += f" The rest would be: {best.paraphrase}"
        return refuse(instruction, Refusal.UNABLE, said)
    for asked in re.split(r"[.!?;](?=\s)", instruction):
        clock = CLOCK_TIME.search(asked)
        if clock is not None and not SPEAKERS & {*re.findall(r"\w+", asked.lower())}:
            when = to_printable(clock[0])
            said = f'Nothing is kept for a time of day ("{when}"): say it when it shall be done.'
            return refuse(instruction, Refusal.TIME, said)
    for place, token in enumerate(tokens):
        if token.kind is TokenKind.NUMBER and not is_number_read(tokens, place):
            number = shorten_words(token.shown)
            said = f"The number {number} is not read: give a whole one from 1 to {MOST_NUMBER}."
            return refuse(instruction, Refusal.AMOUNT, said)
    return None


def _answer_nothing(
    instruction: str, tokens: Sequence[Token], faults: Sequence[_Fault], subject: Subject
) -> Interpretation:
    """Say why there is no reading."""
    if faults:
        return answer_unread(instruction, _explain(faults[0]))
    unknown = [
        _quote(token)
        for place, token in enumerate(tokens)
        if token.kind is TokenKind.SYMBOL
        or (
            token.kind is TokenKind.WORD
            and token.text not in FILLERS | ENGLISH
            and not subject.lexicon.find_nouns(tokens, place)
            and not any(match_word(token.text, word) for word in subject.patterns.vocabulary)
        )
    ]
    unknown = list(dict.fromkeys(unknown))
    if unknown:
        words = join_words(unknown[:8])
        return answer_unread(
            instruction, shorten_words(f"Not understood: {words}. Say it in other words.")
        )
    act = _find_act(tokens, subject)
    if act:
        said = f'No action that is known here can "{act}" what was named'
        return answer_unread(instruction, f"{said}: say what else shall be done.")
    return answer_unread(
        instruction,
        "This names nothing to do: say what shall be done, such as to put something somewhere.",
    )


def _find_act(tokens: Sequence[Token], subject: Subject) -> str:
    """Return the verb of an instruction that has a known noun as well; else "".

    What stands before a determiner at the beginning is one, also where it may be a noun ("water
    the plants").
    """
    acts, has_noun = [], False
    for place, token in enumerate(tokens):
        if place == 0 and _begins_demand(tokens):
            acts.append(token.text)
        elif subject.lexicon.find_nouns(tokens, place):
            has_noun = True
        elif token.kind is TokenKind.WORD and token.text in subject.patterns.imperatives:
            acts.append(token.text)
    return acts[0] if acts and has_noun else ""


def _begins_demand(tokens: Sequence[Token]) -> bool:
    open_class = tokens[0].text not in DETERMINERS | PREPOSITIONS | PRONOUNS
    return open_class and len(tokens) > 1 and tokens[1].text in DETERMINERS


def _explain(fault: _Fault) -> str:
    said = to_printable(shorten_words(fault.message))
    if fault.refusal is Refusal.UNABLE:
        return f"No action here brings this about: {said}."
    return f"It is not clear how to do this: {said}. Say it in other words."


def _quote(token: Token) -> str:
    if token.shown in QUOTATION_MARKS:
        return "a quotation mark that has no partner"
    return f'"{to_printable(token.shown)}"'


def _compose(
    sentence: Sentence,
    context: ReadingContext,
    subject: Subject,
    choices: dict[tuple[int, int], str],
    asking: bool,
) -> tuple[str, float, list[Ambiguity]]:
    """Make the goal of a tree: its text, its degree, and the phrases that could be several."""
    resolver = TermResolver(context, subject.lexicon, subject.places, choices, asking)
    composer = Composer(resolver)
    joiner = GoalJoiner(context.domain, composer, resolver.state)
    goal = drop_idle_guides(joiner.join_sentence(sentence), context.domain)
    if find_self_relation(goal) is not None:
        raise Unresolved("something to be done with a thing and itself")
    goal = decide_sets(goal, context.domain)
    goal = put_somewhere(goal, context.domain, PresentState(context.instance))
    unmet = find_unreachable(goal, context.domain, context.instance)
    if unmet is not None:
        said = paraphrase_goal(unmet, context.domain, context.instance, subject.statements)
        raise Unresolved(said, Refusal.UNABLE)
    text = to_text(goal)
    if len(text) > MAX_LENGTH:
        raise Unresolved("so many things in one goal", Refusal.AMOUNT)
    degree = sentence.degree * composer.degree * joiner.degree
    if holds_too_much(goal, context.domain):
        degree *= Confidence.LIKELY.degree
    return text, degree, resolver.ambiguities


def _make_fault(error: Exception, sentence: Sentence) -> _Fault:
    """Say why there is no goal; only `Unresolved` speaks of words, all others of formulas."""
    whole = not sentence.unread
    if isinstance(error, Unresolved):
        unspoken = isinstance(error, NotSpokenOf)
        return _Fault(str(error).rstrip("."), error.refusal, whole, unspoken)
    return _Fault(_NO_GOAL, None, whole, False)
