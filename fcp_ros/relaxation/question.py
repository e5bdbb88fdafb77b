# SPDX-License-Identifier: Apache-2.0
"""Questions to the person who asked, and what follows from the answers.

There are two kinds: which reading of an instruction is meant, and whether a plan for a relaxed goal
shall be executed. No answer counts as no.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.language.confirmation import NO, YES
from fcp_ros.language.reading import Interpretation, ReadingStatus
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, choose_status
from fcp_ros.planning.model.watch import RequestStart

DECLINED = "The answer was no: say in other words what shall be done."
"""Message about an instruction of which no reading was meant."""


class QuestionKind(Enum):
    """The kinds of questions. The integer values are those of the ROS interface."""

    READING = 1
    """Which reading is meant: a choice for each of the first readings, and perhaps one for none."""
    CONFIRMATION = 2
    """Whether a plan for a relaxed goal shall be executed; the choices are yes and no."""


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """A question to the person who asked; an answer is an index of `choices`."""

    kind: QuestionKind
    text: str
    choices: tuple[str, ...]


AskCallback = Callable[[UserQuestion], int | None]
"""Asks a question; returns the index of the answer, None without one."""


def leave_open(_question: UserQuestion) -> None:
    """The ask callback of a caller that can't ask anybody: every question stays open."""


TellCallback = Callable[[Interpretation], None]
"""Told how an instruction was understood."""


def tell_nobody(_interpretation: Interpretation) -> None:
    """The tell callback of a caller that isn't interested."""


def find_reading_question(interpretation: Interpretation) -> UserQuestion | None:
    """Return the question to ask about an ambiguous instruction; None if there is none to ask."""
    choices = interpretation.choices[: len(interpretation.readings) + 1]
    if interpretation.status is not ReadingStatus.AMBIGUOUS or not choices:
        return None
    return UserQuestion(QuestionKind.READING, interpretation.question, choices)


def choose_reading(interpretation: Interpretation, choice: int) -> Interpretation:
    """Return an ambiguous interpretation after the answer; that of no reading leaves none."""
    readings = interpretation.readings
    if choice >= len(readings):
        return replace(
            interpretation,
            status=ReadingStatus.NOT_UNDERSTOOD,
            message=DECLINED,
            question="",
            choices=(),
        )
    chosen = readings[choice]
    rest = (*readings[:choice], *readings[choice + 1 :])
    return replace(
        interpretation,
        status=ReadingStatus.READ,
        message=f"Understood after asking: {chosen.paraphrase}",
        readings=(chosen, *rest),
        question="",
        choices=(),
    )


def find_confirmation(result: PlanningResult) -> UserQuestion | None:
    """Return the question to ask before a plan for a relaxed goal; None if there is none."""
    if result.status is not PlanStatus.NEEDS_CLARIFICATION or result.plan is None:
        return None
    return UserQuestion(QuestionKind.CONFIRMATION, result.confirmation, (YES, NO))


def find_question(
    result: PlanningResult, interpretation: Interpretation | None = None
) -> UserQuestion | None:
    """Return the question that a result leaves open, about the reading or the plan; or None."""
    if result.status is not PlanStatus.NEEDS_CLARIFICATION:
        return None
    confirmation = find_confirmation(result)
    if confirmation is not None or interpretation is None:
        return confirmation
    return find_reading_question(interpretation)


def confirm_result(result: PlanningResult, options: PlanningOptions) -> PlanningResult:
    """Return a result that had to be confirmed as it is after a yes."""
    assert result.plan is not None, "only a plan can be confirmed"
    # Not crisp: the degree of its relaxation is below 1.
    status = choose_status(result.optimal_in, options.optimise, is_crisp=False)
    reasons = " ".join(relaxation.reason for relaxation in result.relaxations)
    message = f"{reasons} Confirmed.".strip()
    return replace(result, status=status, message=message, confirmation="")


def decline_result(result: PlanningResult) -> PlanningResult:
    """Return a result that had to be confirmed as it is after a no: it has no plan."""
    text = f"{result.message} The answer was no: nothing is planned."
    return replace(result, message=text, plan=None, confirmation="")


def settle_reading(
    interpretation: Interpretation, start: RequestStart, ask: AskCallback
) -> tuple[Interpretation, RequestStart]:
    """Ask which reading is meant; return it, and the start, later by the time of the answer."""
    question = find_reading_question(interpretation)
    if question is None:
        return interpretation, start
    asked = time.monotonic()
    choice = ask(question)
    start = replace(start, time=start.time + time.monotonic() - asked)
    if choice is None:
        return interpretation, start
    return choose_reading(interpretation, choice), start


def settle_confirmation(
    result: PlanningResult, options: PlanningOptions, ask: AskCallback
) -> PlanningResult:
    """Ask for a confirmation if the result needs one; no answer leaves it open."""
    question = find_confirmation(result)
    if question is None:
        return result
    choice = ask(question)
    if choice is None:
        return result
    if question.choices[choice] == YES:
        return confirm_result(result, options)
    return decline_result(result)
