# SPDX-License-Identifier: Apache-2.0
"""From an instruction in words to a result: read it, ask if it is unclear, plan, relax."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact
from fcp_ros.domain.derived_facts import add_facts
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    ExpressionError,
    Not,
    Or,
    conjoin,
    list_conjuncts,
    to_text,
)
from fcp_ros.foundation.wording import describe_unknown_name
from fcp_ros.language.confirmation import NO, YES, ask_person, confirm_doubtful
from fcp_ros.language.paraphrase import paraphrase_goal
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import CONFIRM_BELOW, Phase, PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.session import PlanningRequest
from fcp_ros.relaxation.dangers import ask_about_danger
from fcp_ros.relaxation.intent import complete_goal
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.presuppositions import find_presupposed, find_unseen_condition
from fcp_ros.relaxation.question import (
    AskCallback,
    TellCallback,
    leave_open,
    settle_confirmation,
    settle_reading,
    tell_nobody,
)

READING_AGAIN = 2.0
"""Seconds, at most, in which words are read again whose goal is known."""

_STATUS = {
    ReadingStatus.AMBIGUOUS: PlanStatus.NEEDS_CLARIFICATION,
    ReadingStatus.NOT_UNDERSTOOD: PlanStatus.INVALID_REQUEST,
    ReadingStatus.REFUSED: PlanStatus.INVALID_REQUEST,
    ReadingStatus.FAILED: PlanStatus.INTERNAL_ERROR,
}


@dataclass(frozen=True, slots=True)
class InstructionResult:
    """The answer to an instruction: how it was understood, and what is planned."""

    interpretation: Interpretation
    result: PlanningResult


def plan_instruction(
    # its goal: as which the instruction was read before, and confirmed where that was needed; it is
    # planned by the rules for words. "" reads it. Where its options leave `confirm_below` open, a
    # relaxation below CONFIRM_BELOW is asked about.
    request: PlanningRequest,
    instruction: str,  # in words, such as "bring me something to drink from"
    reader: InstructionReader,
    context: ReadingContext,  # domain, state, speaker
    *,
    # asked which reading is meant, and to confirm a relaxed goal (`options.confirm_below`). The
    # time until an answer does not count.
    ask: AskCallback = leave_open,
    # told how the instruction was understood, before anything is asked or planned
    tell: TellCallback = tell_nobody,
) -> InstructionResult:
    """Plan what somebody said.

    Returns:
        The interpretation and the result. Nothing is planned unless one reading is clearly best, or
        was chosen.
    """
    start, options, goal = request.start or RequestStart.now(), request.options, str(request.goal)
    if options.confirm_below is None:
        options = replace(options, confirm_below=CONFIRM_BELOW)
    request = replace(request, options=options, start=start)
    watch = request.watch(Phase.PARSE)
    read = _read_within_limits(instruction, reader, context, options, watch, goal)
    if isinstance(read, InstructionResult):
        return read
    if goal:
        interpretation = recall_reading(read, goal)
    else:
        tell(read)
        interpretation, start = settle_reading(read, start, ask)
    best = interpretation.best
    if best is None:
        return InstructionResult(interpretation, refuse_interpretation(interpretation, options))
    meant = complete_goal(instruction, best, context.domain, context.instance)
    request = replace(request, goal=meant.goal, start=start)
    checked = _check_reading(meant.goal, context)
    # What words take for granted that nobody has seen either way
    granted = (
        () if checked is None else find_presupposed(checked, context.instance, context.is_unseen)
    )
    if granted:
        state = add_facts(request.domain, request.instance, granted)
        request = replace(request, instance=state)
    result = plan_goal(request, meant.purpose)
    if checked is not None:
        result = ask_about_danger(result, request, checked, context.speaker)
    if granted:
        result = replace(result, message=f"{result.message} {_tell_granted(granted, context)}")
    return InstructionResult(interpretation, settle_confirmation(result, options, ask))


def _check_reading(goal: str, context: ReadingContext) -> Expression | None:
    """Check a goal; None if something is wrong with it, which whoever plans it will say."""
    try:
        return check_goal(parse_expression(goal), context.domain, context.instance, goal)
    except ExpressionError:
        return None


def _tell_granted(facts: Sequence[Fact], context: ReadingContext) -> str:
    """Say what is taken for granted: one sentence."""
    atoms = [Atom(fact.relation, tuple(map(Constant, fact.arguments))) for fact in facts]
    told = paraphrase_goal(conjoin(atoms), context.domain, context.instance)
    return f"Taken for granted, since nobody has seen it either way: {told}"


def recall_reading(interpretation: Interpretation, goal: str) -> Interpretation:
    """Recall the reading that was settled before; the words read again say what they are for."""
    alike = (one for one in interpretation.readings if one.goal == goal)
    first = next(alike, next(iter(interpretation.readings), Reading(goal, 1.0, goal)))
    reading = first if first.goal == goal else replace(first, goal=goal, paraphrase=goal)
    status = ReadingStatus.READ
    return replace(interpretation, status=status, readings=(reading,), question="", choices=())


def _read_within_limits(
    instruction: str,
    reader: InstructionReader,
    context: ReadingContext,
    options: PlanningOptions,
    watch: Watch,
    goal: str,
) -> Interpretation | InstructionResult:
    """Read an instruction; return the whole answer if a limit ends that, or makes no sense.

    Where the goal is known, no second reader is worth waiting for, and no reading is needed.
    """
    problems = " ".join(find_problems(options))
    if problems:
        status, result = ReadingStatus.REFUSED, PlanningResult(PlanStatus.INVALID_REQUEST, problems)
    else:
        most = time.monotonic() - watch.start.time + READING_AGAIN if goal else math.inf
        until = watch.start.time + min(options.time_limit, most)
        try:
            context = replace(context, check=watch.check, until=until)
            return read_instruction(instruction, reader, context)
        except Interrupted as reason:
            status = ReadingStatus.FAILED
            result = PlanningResult(reason.status, reason.sentence, alpha=options.alpha)
    unread = Interpretation(instruction, status, result.message, reader=reader.name)
    return unread if goal else InstructionResult(unread, result)


def read_instruction(
    instruction: str, reader: InstructionReader, context: ReadingContext
) -> Interpretation:
    """Read an instruction, if those who speak and are spoken to exist.

    All ways in lead through here: a reading that is not plain comes back as a question.

    Raises:
        Interrupted: by `context.check`, if that raises it.
    """
    for role, name in (("speaker", context.speaker), ("robot", context.robot)):
        if name and not context.instance.has(name):
            known = context.instance.names()
            problem = f"There is {describe_unknown_name(role, name, known, 'the scene')}."
            return Interpretation(instruction, ReadingStatus.REFUSED, problem, reader=reader.name)
    read = confirm_doubtful(reader.read(instruction, context))
    return read if read.best is None else _ask_unseen(read, read.best, context)


def _ask_unseen(read: Interpretation, best: Reading, context: ReadingContext) -> Interpretation:
    """Ask for the condition of a reading, if nobody has seen whether it holds.

    Unknown is not false: "if the TV is on, bring me the book" would be done by doing nothing.
    """
    checked = _check_reading(best.goal, context)
    found = None if checked is None else find_unseen_condition(checked, context.is_unseen)
    if checked is None or found is None:
        return read
    others = [part for part in list_conjuncts(checked) if part != found.part]
    nothing = Or((found.condition, Not(found.condition)))  # always so: a goal must have parts
    goals = [to_text(conjoin([*others, one])) for one in (found.asked, nothing)]
    told = paraphrase_goal(found.condition, context.domain, context.instance).rstrip(".")
    question = f"Nobody has seen whether {told[0].lower()}{told[1:]}: is it so?"
    return ask_person(read, question, tuple(replace(best, goal=goal) for goal in goals), (YES, NO))


def refuse_interpretation(
    interpretation: Interpretation, options: PlanningOptions
) -> PlanningResult:
    """Return the result for an instruction that has no reading to plan for."""
    message = interpretation.question or interpretation.message
    return PlanningResult(_STATUS[interpretation.status], message, alpha=options.alpha)
