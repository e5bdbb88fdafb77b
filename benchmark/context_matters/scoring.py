# SPDX-License-Identifier: Apache-2.0
"""The judgement about an answer: is it what the reference asks for, or its least relaxation?

The reference's goals are evaluated on the states of the plan's replay, by definition. Which of its
relaxations is the least that can be reached is found out by planning each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from benchmark.context_matters.references import AcceptedGoal, Reference
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal, infer_types
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, plan
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.relaxation.plan_instruction import InstructionResult

_TNORM = tnorm_by_name("goedel")
_PROBE = PlanningOptions(time_limit=20.0, allow_relaxation=False)
IMPOSSIBLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)


class Outcome(str, Enum):
    """The way in which an answer compares with its reference."""

    REACHED = "reached"
    RELAXED = "least relaxation"
    ASKED = "good question"
    REFUSED = "rightly refused"
    LENIENT = "lenient"
    TOO_FAR = "relaxed too far"
    NEEDLESS = "relaxed without need"
    SILENT = "relaxed silently"
    FORBIDDEN = "never acceptable"
    OTHER = "another goal"
    CLAIMED = "impossible, yet planned"
    NEEDLESS_QUESTION = "needless question"
    NO_PLAN = "no plan"
    NOT_READ = "not read"

    @property
    def right(self) -> bool:
        """True if a fair person is content."""
        return self in (Outcome.REACHED, Outcome.RELAXED, Outcome.ASKED, Outcome.REFUSED)


@dataclass(frozen=True, slots=True)
class Judgement:
    """An outcome, with the reason where it is not plain."""

    outcome: Outcome
    reason: str = ""


def judge_answer(
    answer: InstructionResult, reference: Reference, domain: Domain, states: Sequence[Instance]
) -> Judgement:
    """Compare an answer with its reference.

    Args:
        answer: to the sentence.
        reference: for the task and its scene.
        domain: the domain.
        states: of the replay of the answer's plan, the initial one first; only this one without
            a plan.
    """
    result = answer.result
    if answer.interpretation.best is None:
        return _judge_unread(result, reference)
    if result.plan is None:
        return _judge_refusal(result, reference)
    broken = [text for text in reference.never if holds(text, domain, states)]
    if broken:
        return Judgement(Outcome.FORBIDDEN, broken[0])
    if reference.impossible:
        return Judgement(Outcome.CLAIMED)
    if not result.plan.steps and not reference.holds_initially:
        return Judgement(Outcome.OTHER, "a plan without steps")
    return _judge_plan(result, reference, domain, states)


def _judge_unread(result: PlanningResult, reference: Reference) -> Judgement:
    if result.status is PlanStatus.NEEDS_CLARIFICATION:
        good = bool(reference.ambiguous)
        return Judgement(Outcome.ASKED if good else Outcome.NEEDLESS_QUESTION, result.message)
    # What no word of the domain can say is rightly refused as not understood.
    unsayable = reference.impossible and reference.whole is None
    return Judgement(Outcome.REFUSED if unsayable else Outcome.NOT_READ, result.message)


def _judge_refusal(result: PlanningResult, reference: Reference) -> Judgement:
    if result.status not in IMPOSSIBLE:
        return Judgement(Outcome.NO_PLAN, f"{result.status.name}: {result.message}")
    fair = reference.impossible or (not reference.feasible and reference.refusal != "poor")
    return Judgement(Outcome.REFUSED if fair else Outcome.NO_PLAN, result.message)


def _judge_plan(
    result: PlanningResult, reference: Reference, domain: Domain, states: Sequence[Instance]
) -> Judgement:
    """Judge a plan that does nothing that is forbidden."""
    told = bool(result.relaxations or result.given_up)
    whole = reference.whole
    if whole is not None and holds(whole.text, domain, states):
        if not result.relaxations:
            return Judgement(Outcome.REACHED)
        return Judgement(Outcome.NEEDLESS, result.relaxations[0].reason)
    reached = [goal for goal in reference.relaxations if holds(goal.text, domain, states)]
    if reached:
        best = find_best_rank(reference, domain, states[0], reached[0].rank)
        if reached[0].rank > best:
            return Judgement(Outcome.TOO_FAR, f"rank {reached[0].rank} in place of {best}")
        return Judgement(Outcome.RELAXED if told else Outcome.SILENT, reached[0].sentence)
    lenient = reference.lenient
    if lenient is not None and holds(lenient.text, domain, states):
        return Judgement(Outcome.LENIENT)
    return Judgement(Outcome.OTHER, result.goal)


def holds(text: str, domain: Domain, states: Sequence[Instance]) -> bool:
    """Evaluate a goal on the states of a plan."""
    goal = check(text, domain, states[0])
    types = infer_types(goal, domain)
    degree = evaluate(
        goal, states[-1], lambda *_: None, _TNORM, types=types, before=tuple(states[:-1])
    )
    return degree >= 1.0


def check(text: str, domain: Domain, initial: Instance) -> Expression:
    """Read a goal and resolve its names."""
    return check_goal(parse_expression(text), domain, initial, text)


def find_best_rank(reference: Reference, domain: Domain, initial: Instance, reached: int) -> int:
    """Return the least rank of the relaxations that can be reached, at most one that was.

    One of which the planner can't tell counts as reachable.
    """
    for goal in reference.relaxations:
        if goal.rank >= reached:
            break
        if can_reach(goal, domain, initial):
            return goal.rank
    return reached


def can_reach(goal: AcceptedGoal, domain: Domain, initial: Instance) -> bool:
    """Find out by planning whether a goal can be reached; True if it is not proven otherwise."""
    result = plan(PlanningRequest(domain, initial, check(goal.text, domain, initial), _PROBE))
    return result.status not in IMPOSSIBLE
