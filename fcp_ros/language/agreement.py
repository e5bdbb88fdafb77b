# SPDX-License-Identifier: Apache-2.0
"""Two readers of one instruction: what they agree about is plain, what they don't is asked about.

The first one knows English's logic; the second one knows how people say things. It has no say
where it doesn't understand each word.
"""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError, list_conjuncts
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.wording import join_words
from fcp_ros.language.confidence import LEARNED, Confidence
from fcp_ros.language.confirmation import ask_person
from fcp_ros.language.domain_reader.equal_goals import GoalForms
from fcp_ros.language.domain_reader.idle_demands import asks_idly
from fcp_ros.language.reader import InstructionReader, ReadingContext
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
        if found.best is None:
            return found if offered.best is None else make_doubtful(offered)
        if not _is_whole(offered):
            return found
        if found.best.unread:
            return make_doubtful(offered)
        doubt = offered.readings[0]  # "keep food off the couch" was once all food on it (issue 29)
        contradicts = _contradicts(doubt, found.best, context)
        return ask_between(found, (doubt, found.best)) if contradicts else found


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
    if not have_same_meaning(best.goal, rival.goal, context.domain, context.instance):
        doubted = rival.degree >= LEARNED.doubting and not _is_idle(rival, best, context)
        return ask_between(first, (rival, best)) if doubted else first
    if best.level is not Confidence.PLAIN and rival.degree >= LEARNED.agreeing:
        agreed = replace(best, degree=Confidence.PLAIN.least)
        return replace(first, readings=(agreed, *first.readings[1:]))
    return first


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


def _contradicts(doubt: Reading, best: Reading, context: ReadingContext) -> bool:
    """Return True if a reading is sure and says something else, not only less."""
    if doubt.degree < LEARNED.alone or _asks_less(doubt, best) or _is_idle(doubt, best, context):
        return False
    return not have_same_meaning(best.goal, doubt.goal, context.domain, context.instance)


def _is_idle(one: Reading, other: Reading, context: ReadingContext) -> bool:
    """Return True if a reading only adds what is so already to another one, which is plain."""
    if other.level is not Confidence.PLAIN:
        return False
    try:
        return asks_idly(one.goal, other.goal, context.domain, context.instance)
    except ExpressionError:
        return False


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
    return ask_person(interpretation, question, readings, (*choices, NONE_OF_THEM))


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
