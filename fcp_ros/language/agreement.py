# SPDX-License-Identifier: Apache-2.0
"""Two readers of one instruction: what they agree about is plain, what they don't is asked about.

The first one knows English's logic; the second one knows how people say things. It has no say
where it doesn't understand each word.

What neither reads goes to a language model, where there is one. Its reading never counts by itself:
it is in doubt, so that a person confirms it. What the first reader reads is its own, even in doubt:
of 17 such readings that were right a small model took 5 for something else, and put 2 of 5 wrong
ones right (docs/language_models.md). A model that fails, or takes too long, leaves the answer of
the first reader.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError, list_conjuncts
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import join_words, shorten_words, to_printable
from fcp_ros.language.confidence import LEARNED, Confidence
from fcp_ros.language.domain_reader.equal_goals import GoalForms
from fcp_ros.language.reader import MODEL_SECONDS, InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus

NONE_OF_THEM = "neither"
"""The choice of neither of two readings."""


class PairedReader:
    """Asks two readers.

    Args:
        second: its readings are compared with those of the first one.
        last: asked where the second one doesn't understand each word. It doubts what the first one
            read; where both read nothing, what it reads is asked about.
    """

    def __init__(
        self,
        first: InstructionReader,
        second: InstructionReader,
        last: InstructionReader | None = None,
    ) -> None:
        self._first = first
        self._second = second
        self._last = last

    @property
    def name(self) -> str:
        """The kind of the first reader."""
        return self._first.name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction (see `InstructionReader`)."""
        answer = self._first.read(instruction, context)
        if answer.best is None and answer.status is not ReadingStatus.NOT_UNDERSTOOD:
            return answer
        second = self._second.read(instruction, context)
        found = weigh_answers(answer, second, context)
        if self._last is None or (_is_whole(found) and _is_whole(second)):
            return found
        if found.best is None and found.status is not ReadingStatus.NOT_UNDERSTOOD:
            return found
        offered = self._last.read(instruction, context)
        if found.best is not None and not _is_whole(offered):
            return found
        if _is_whole(found):  # "keep food off the couch" was once all food on it (issue 29)
            doubt = offered.readings[0]
            told = doubt.degree >= LEARNED.alone and not _asks_less(doubt, found.readings[0])
            return ask_if_different(found, doubt, context) if told else found
        return found if offered.best is None else make_doubtful(offered)


def weigh_answers(
    first: Interpretation, second: Interpretation, context: ReadingContext
) -> Interpretation:
    """Weigh the answers of the two readers; the first one has a reading, or understood nothing."""
    rival = second.readings[0] if second.readings else None
    if rival is None:
        return first
    best = first.best
    if best is None or best.unread:
        return _answer_alone(first, second, rival)
    if rival.unread:
        return first
    same = have_same_meaning(best.goal, rival.goal, context.domain, context.instance)
    plain = best.level is Confidence.PLAIN
    if not plain and same and rival.degree >= LEARNED.agreeing:
        agreed = replace(best, degree=Confidence.PLAIN.least)
        return replace(first, readings=(agreed, *first.readings[1:]))
    return first if same else ask_if_different(first, rival, context)


def ask_if_different(
    first: Interpretation, rival: Reading, context: ReadingContext
) -> Interpretation:
    """Ask which is meant if another reader's reading, sure enough, isn't the best one."""
    best = first.best
    if best is None or rival.degree < LEARNED.doubting:
        return first
    if have_same_meaning(best.goal, rival.goal, context.domain, context.instance):
        return first
    return ask_between(first, (rival, best))


def _answer_alone(first: Interpretation, second: Interpretation, rival: Reading) -> Interpretation:
    """Answer with what only the second reader understood: a question, unless it is sure."""
    if second.best is None or rival.unread or rival.degree < Confidence.LIKELY.least:
        if second.status is ReadingStatus.AMBIGUOUS:
            return second
        if first.best is not None or second.best is not None:
            return first if first.best is not None else second
        partial = first.readings[0] if first.readings else None
        fuller = partial is None or len(rival.unread) <= len(partial.unread)
        return second if fuller else first
    if rival.degree >= LEARNED.alone:
        return second
    return make_doubtful(second)


def _asks_less(one: Reading, other: Reading) -> bool:
    """Return True if a reading is a part of another one, which may have understood more."""
    try:
        parts = [set(list_conjuncts(parse_expression(r.goal))) for r in (one, other)]
    except ExpressionError:
        return False
    return parts[0] < parts[1]


def _is_whole(answer: Interpretation) -> bool:
    """Return True if an answer has a reading that lacks no words."""
    return answer.best is not None and not answer.best.unread


def make_doubtful(answer: Interpretation) -> Interpretation:
    """Make the best reading of an answer one that is asked about."""
    first, *others = answer.readings
    doubtful = replace(first, degree=min(first.degree, Confidence.LIKELY.degree))
    return replace(answer, readings=(doubtful, *others))


def ask_between(interpretation: Interpretation, readings: tuple[Reading, ...]) -> Interpretation:
    """Ask which of several readings is meant, or none of them."""
    said = [reading.paraphrase.rstrip(".") for reading in readings]
    choices = said if len(set(said)) == len(said) else [reading.goal for reading in readings]
    question = f"Which is meant: {join_words(choices, 'or')}?"
    question = shorten_words(to_printable(question))
    return replace(
        interpretation,
        status=ReadingStatus.AMBIGUOUS,
        message=question,
        readings=readings,
        question=question,
        choices=(*choices, NONE_OF_THEM),
    )


def have_same_meaning(one: str, other: str, domain: Domain, instance: Instance) -> bool:
    """Return True if two goals are the same for the things there are, as far as that is shown."""
    writer = GoalForms(instance)
    try:
        forms = [
            writer.write(check_goal(parse_expression(goal), domain, instance, goal))
            for goal in (one, other)
        ]
    except ExpressionError:
        return False
    return None not in forms and forms[0] == forms[1]


SHARE_OF_TIME = 0.5
"""Share of the time left to a request that it may take: the rest is for planning."""


class CascadeReader:
    """Asks a second reader about what the first one can't read."""

    def __init__(
        self,
        first: InstructionReader,
        # makes the reader behind it, when that is needed for the first time
        make_second: Callable[[], InstructionReader],
        seconds: float = MODEL_SECONDS,  # that the second reader may take for one instruction
    ) -> None:
        self._first = first
        self._make_second = make_second
        self._seconds = seconds
        self._lock = threading.Lock()
        self._second: InstructionReader | None = None

    @property
    def name(self) -> str:
        """The kind of the first reader."""
        return self._first.name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; ask the second reader if the first one doesn't understand it."""
        answer = self._first.read(instruction, context)
        if not needs_help(answer):
            return answer
        seconds = min(self._seconds, SHARE_OF_TIME * (context.until - monotonic()))
        if seconds <= 0.0:
            return answer
        try:
            second = self._get_second()
        except InputError as error:
            return _note_failure(answer, str(error))
        other = second.read(instruction, replace(context, until=monotonic() + seconds))
        if other.status is ReadingStatus.FAILED:
            return _note_failure(answer, other.message)
        return choose_answer(answer, other)

    def _get_second(self) -> InstructionReader:
        with self._lock:
            if self._second is None:
                self._second = self._make_second()
            return self._second


def needs_help(answer: Interpretation) -> bool:
    """Return True for an answer without a reading.

    A question of the first reader is one for the person, and what is refused is refused.
    """
    return answer.status in (ReadingStatus.NOT_UNDERSTOOD, ReadingStatus.FAILED)


def choose_answer(first: Interpretation, second: Interpretation) -> Interpretation:
    """Choose between the answers of two readers, of which the first has no reading.

    Returns:
        The second reader's reading as one in doubt, which is asked about (`confirmation.py`); its
        question; or the first answer if the second has nothing to say.
    """
    if second.status is ReadingStatus.AMBIGUOUS:
        return second
    if second.best is not None:
        return make_doubtful(second)
    return second if second.readings and not first.readings else first


def _note_failure(answer: Interpretation, reason: str) -> Interpretation:
    """Return the first reader's answer, and why the second has none."""
    said = shorten_words(to_printable(reason.strip().rstrip(".")))
    note = f"The language model could not help: {said}."
    return replace(answer, message=f"{answer.message} {note}".strip())
