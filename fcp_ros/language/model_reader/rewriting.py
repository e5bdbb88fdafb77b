# SPDX-License-Identifier: Apache-2.0
"""A language model says plainly what a person wants, and another reader reads that.

    what was said -> drafts in plain English, likeliest first (`plain_writers.py`)
                  -> each is read -> the first without a doubt, with the words accounted for

A small model writes plain English far better than goals, and what it writes has to pass the whole
reader behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from time import monotonic

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Atom, Expression, ExpressionError, Text, children
from fcp_ros.domain.model import IS_A
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import shorten_words, to_printable
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.turning_words import CONTRARY, RESTRICTIONS
from fcp_ros.language.model_reader.plain_writers import PlainWriter, load_plain_english
from fcp_ros.language.reader import InstructionReader, ReadingContext, find_excess
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

LONGEST_TEXT = 1_000
"""Longest plain text that is read (characters)."""
MOST_SECONDS = 60.0
"""Seconds that it may take where nobody sets a limit."""
_HEEDED = CONTRARY | RESTRICTIONS
"""Words that turn a meaning round: a plain text without any of them has lost it."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


class RewritingReader:
    """Reads what a language model makes of an instruction."""

    def __init__(
        self,
        name: str,
        writer: PlainWriter,
        reader: InstructionReader,  # reads the plain text
    ) -> None:
        self._name = name
        self._writer = writer
        self._reader = reader

    @property
    def name(self) -> str:
        """The kind of reader."""
        return self._name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; every failure is a status with a sentence, only `check` raises."""
        excess = find_excess(instruction)
        if excess:
            return self._answer(instruction, ReadingStatus.REFUSED, excess)
        seconds = max(0.1, min(MOST_SECONDS, context.until - monotonic()))
        try:
            drafts = self._writer.write(instruction, seconds, context.check)
        except GroundingError as error:
            return self._answer(instruction, ReadingStatus.FAILED, to_printable(error.sentence))
        answers = []
        for draft in drafts:
            answers.append(self._read_draft(instruction, draft, context))
            if draft == load_plain_english().nothing or _leaves_nothing_out(answers[-1]):
                break
        return _choose_draft(answers) or self._answer_nothing(instruction)

    def _read_draft(self, instruction: str, draft: str, context: ReadingContext) -> Interpretation:
        if not draft or draft == load_plain_english().nothing:
            return self._answer_nothing(instruction)
        if len(draft) > LONGEST_TEXT:  # a server that heeds no limit of tokens
            message = f"The language model wrote {len(draft)} characters, which are not read."
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        found = self._reader.read(draft, context)
        if found.status is ReadingStatus.AMBIGUOUS:
            return _ask_about_draft(instruction, draft, replace(found, reader=self._name))
        best = found.best
        if best is None:
            message = f'The language model takes this for "{shorten_words(draft)}". {found.message}'
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        invented = _find_invented(instruction, draft, best, context)
        if invented:
            what = f'something with "{invented}", which is neither said nor here'
            message = f"The language model takes this for {what}."
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        reading = replace(best, words=_account_for(instruction, draft, best, context))
        return replace(found, instruction=instruction, readings=(reading,), reader=self._name)

    def _answer_nothing(self, instruction: str) -> Interpretation:
        message = "The language model finds nothing in this that is to be done."
        return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)

    def _answer(self, instruction: str, status: ReadingStatus, message: str) -> Interpretation:
        return Interpretation(instruction, status, message, reader=self._name)


def _ask_about_draft(instruction: str, draft: str, found: Interpretation) -> Interpretation:
    """Ask what the draft leaves open, and say what it is: the words were the model's."""
    question = f'I take this for "{shorten_words(to_printable(draft))}" {found.question}'
    bare = tuple(replace(reading, words=()) for reading in found.readings)
    return replace(
        found, instruction=instruction, readings=bare, message=question, question=question
    )


def _leaves_nothing_out(answer: Interpretation) -> bool:
    """Return True for a reading without a doubt that leaves nothing out that was named."""
    return _is_plain(answer) and not _count_unread(answer)


def _choose_draft(answers: Sequence[Interpretation]) -> Interpretation | None:
    """Choose among the answers to drafts, likeliest first; None if there are none.

    Returns:
        The first without a doubt, of those that leave least out; else the first with a reading,
        else a question, else the first.
    """
    plain = sorted(filter(_is_plain, answers), key=_count_unread)
    read = (answer for answer in answers if answer.best is not None)
    asked = (answer for answer in answers if answer.status is ReadingStatus.AMBIGUOUS)
    return next(chain(plain, read, asked, answers), None)


def _is_plain(answer: Interpretation) -> bool:
    return answer.best is not None and answer.best.level is Confidence.PLAIN


def _count_unread(answer: Interpretation) -> int:
    return 0 if answer.best is None else len(answer.best.unread)


def _account_for(
    instruction: str, text: str, reading: Reading, context: ReadingContext
) -> tuple[WordUse, ...]:
    """Account for the words of an instruction by those of the plain text with the same stem.

    Words without a counterpart are taken for what people say besides, as a person confirms the
    goal. Unread are names of what is there, as a model may have left a demand out, and words that
    would turn the goal round if the plain text has none such.
    """
    is_kept = any(match[0].lower() in _HEEDED for match in _WORD.finditer(text))
    there = _list_stems_for_things(context.instance)
    read = {
        _find_stem(match[0].lower()): use
        for use in reading.words
        for match in _WORD.finditer(text[use.start : use.end])
    }
    uses = []
    for match in _WORD.finditer(instruction):
        word = match[0].lower()
        use = WordUse(*match.span(), WordRole.FILLER)
        counterpart = read.get(_find_stem(word))
        if word in _HEEDED and not is_kept:
            use = replace(use, role=WordRole.UNREAD)
        elif counterpart is not None:
            use = replace(use, role=counterpart.role, meaning=counterpart.meaning)
        elif _find_stem(word) in there:
            use = replace(use, role=WordRole.UNREAD)
        uses.append(use)
    return tuple(uses)


def _find_invented(instruction: str, draft: str, reading: Reading, context: ReadingContext) -> str:
    """Find a kind of thing in a draft that nobody spoke of, and of which there is none; or ""."""
    try:
        goal = check_goal(parse_expression(reading.goal), context.domain, context.instance)
    except ExpressionError:
        return ""
    said, drafted = (_list_stems(text) for text in (instruction, draft))
    instance = context.instance
    for kind in _list_kinds(goal):
        words = _list_stems(normalise_label(kind))
        own = words <= drafted and words.isdisjoint(said)
        if own and not any(is_a(instance, e, kind) for e in instance.all_elements()):
            return kind
    return ""


def _list_kinds(formula: Expression) -> Iterator[str]:
    """List the kinds of things in a goal: the types of variables, and labels."""
    yield from (variable.type for variable in getattr(formula, "variables", ()))
    if isinstance(formula, Atom) and formula.predicate == IS_A:
        yield from (term.value for term in formula.arguments if isinstance(term, Text))
    for part in children(formula):
        yield from _list_kinds(part)


def _list_stems(text: str) -> set[str]:
    return {_find_stem(match[0].lower()) for match in _WORD.finditer(text)}


def _list_stems_for_things(instance: Instance) -> frozenset[str]:
    """List the stems of the words for kinds of things of a scene: a "mug", which is a "cup"."""
    kinds = {
        kind
        for id_ in instance.all_elements()
        for kind in (str(instance.attribute(id_, "category") or ""), instance.type_of(id_))
    }
    return frozenset(_find_stem(word) for kind in kinds for word in normalise_label(kind).split())


def _find_stem(word: str) -> str:
    return next(iter(list_singulars(word)), word)
