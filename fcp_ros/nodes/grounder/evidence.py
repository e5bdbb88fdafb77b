# SPDX-License-Identifier: Apache-2.0
"""Evidence of an outcome about the degrees that its step relied on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fcp_ros.domain.model import Domain
from fcp_ros.execution.credit import Credit, PlanMemory, Reliance, credit_step
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding import JudgementRequest
from fcp_ros.grounding.protocol.judgement import Membership
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_from_ros
from fcp_ros.nodes.runtime.request_checks import find_invalid_field

FAILURES = frozenset(
    {
        OutcomeCode.PLANNING_FAILED,
        OutcomeCode.EXECUTION_FAILED,
        OutcomeCode.POSTCONDITION_FAILED,
        OutcomeCode.TIMED_OUT,
    }
)
"""Outcomes of steps that were tried and failed."""

UNKNOWN_DEGREE = 0.5
"""Degree of a judgement whose message has no answer."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The evidence of an outcome about one judgement.

    Attributes:
        request: The question.
        membership: The answer; None if the message has none.
        credit: Observed quality and its weight.
        step: The step that showed it, in words for the audit.
    """

    request: JudgementRequest
    membership: Membership | None
    credit: Credit
    step: str


@dataclass(frozen=True, slots=True)
class _JudgedRequest:
    request: JudgementRequest
    membership: Membership | None

    @property
    def degree(self) -> float:
        return UNKNOWN_DEGREE if self.membership is None else self.membership.degree


class Teacher:
    """Turns outcomes into lessons: credits a step's own judgements, or those of earlier steps.

    Args:
        domain: Outcomes are about its actions.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._memory: PlanMemory[_JudgedRequest] = PlanMemory()

    def find_problem(self, message: ActionOutcome) -> str:
        """Return why an outcome can't be evidence at all; "" if it can."""
        step = message.step
        if problem := find_invalid_field(message):
            return problem
        if step.rule not in self._domain.rules:
            hint = suggest_name(step.rule, self._domain.rules)
            return f"the domain {self._domain.name} has no action {step.rule!r}; {hint}"
        for judgement in step.judgements:
            try:
                request_from_ros(judgement.query)
                if judgement.membership.source:
                    membership_from_ros(judgement.membership)
            except ConversionError as error:
                return str(error)
        return ""

    def derive_lessons(self, message: ActionOutcome) -> list[Lesson]:
        """Derive the lessons of an outcome that has no problem."""
        code = OutcomeCode(message.outcome.code)
        quality = determine_quality(code, message.quality if message.quality_measured else None)
        return self._assign_credit(message, code, quality)

    def _assign_credit(
        self, message: ActionOutcome, code: OutcomeCode, quality: float | None
    ) -> list[Lesson]:
        step, plan = message.step, bytes(message.plan_id.uuid)
        elements = frozenset(argument.value for argument in step.arguments) - set(step.agents)
        words = f"{step.rule}({', '.join(argument.value for argument in step.arguments)})"
        judged = self._read_judgements(step)
        if is_about_earlier_steps(code, has_judgements=bool(judged)):
            blamed = self._memory.blame(plan, elements)
            words += " found the world otherwise"
            return [Lesson(one.request, one.membership, credit, words) for one, credit in blamed]
        if quality is None:
            return []
        if code is OutcomeCode.SUCCEEDED and any(plan):
            reliances = [Reliance(one, one.degree, elements) for one in judged]
            self._memory.remember(plan, reliances)
        credits = credit_step([one.degree for one in judged], quality)
        return [
            Lesson(one.request, one.membership, credit, words)
            for one, credit in zip(judged, credits, strict=True)
        ]

    def _read_judgements(self, step: Any) -> list[_JudgedRequest]:
        found = []
        for judgement in step.judgements:
            request = request_from_ros(judgement.query)
            answered = bool(judgement.membership.source)
            membership = membership_from_ros(judgement.membership) if answered else None
            found.append(_JudgedRequest(request, membership))
        return found


def is_about_earlier_steps(code: OutcomeCode, *, has_judgements: bool) -> bool:
    """Return True if an outcome is evidence about earlier steps.

    A failed precondition means that the world is not as they left it, and that the step was never
    tried. A step that ended without its effect, and rests on no judgement of its own, must have
    been let down by earlier steps.
    """
    if code is OutcomeCode.PRECONDITION_FAILED:
        return True
    return code is OutcomeCode.POSTCONDITION_FAILED and not has_judgements


def determine_quality(code: OutcomeCode, measured: float | None) -> float | None:
    """Determine the quality in [0, 1] that an outcome shows; None if it shows nothing.

    A success counts as measured, or 1; a failure as measured, or 0. A step that was never tried
    (its precondition failed, its executor did not know it) or that was cancelled shows nothing
    about the quality of such a step.
    """
    if code is OutcomeCode.SUCCEEDED:
        return 1.0 if measured is None else measured
    if code in FAILURES:
        return 0.0 if measured is None else measured
    return None
