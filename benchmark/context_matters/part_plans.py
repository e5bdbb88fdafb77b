# SPDX-License-Identifier: Apache-2.0
"""Plans for sentences that were read right: would a person accept them, by two judges?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from benchmark.context_matters.answers import Setting, grounder_of, replay_steps
from benchmark.context_matters.part_reading import SPEAKER, Judged, context_of
from benchmark.context_matters.plan_judges import (
    PlannedCase,
    list_absurdities,
    list_excused,
    list_needless,
)
from benchmark.context_matters.scoring import check
from benchmark.tables import Line, Verdict, share
from fcp_ros.domain import load_domain
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding import Grounder, make_grounder
from fcp_ros.grounding.options import GroundingOptions
from fcp_ros.language.confirmation import NO, YES
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation
from fcp_ros.package_files import find_domain
from fcp_ros.planning import PlanningRequest
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.relaxation.question import QuestionKind, UserQuestion

ACCEPTED_SHARE = 0.95
HOUSEHOLD = "household"


@dataclass(frozen=True)
class JudgedPlan:
    """A plan for a sentence, and what the judges have against it.

    Attributes:
        judged: the reading.
        result: of the planner.
        absurd: by common sense.
        needless: what the goal holds without.
        excused: what it holds without, too, and no way to it avoids.
        seconds: that planning took.
    """

    judged: Judged
    result: PlanningResult
    absurd: Sequence[str] = ()
    needless: Sequence[str] = ()
    excused: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """True if there is a plan, and neither judge has anything against it."""
        return self.result.plan is not None and not self.absurd and not self.needless


class KnownReader:
    """A reader of one sentence, which has been read."""

    name = "known"

    def __init__(self, answer: Interpretation) -> None:
        self._answer = answer

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Return the answer."""
        return self._answer


@cache
def open_grounder(name: str) -> Grounder:
    """Open the judge of a domain's graded predicates."""
    if name != HOUSEHOLD:
        return grounder_of(name)
    return make_grounder(load_domain(find_domain(name)), GroundingOptions())


def say_yes(question: UserQuestion) -> int | None:
    """Say that the only reading is meant; leave open if a relaxed plan is wanted."""
    is_only = question.kind is QuestionKind.READING and question.choices == (YES, NO)
    return question.choices.index(YES) if is_only else None


def judge_plans(readings: Sequence[Judged], setting: Setting) -> list[JudgedPlan]:
    """Plan each sentence that was read right, and judge the plan."""
    return [
        _judge_plan(one, one.answer, setting)
        for one in readings
        if one.right and one.answer is not None and one.answer.best is not None
    ]


def _judge_plan(judged: Judged, answer: Interpretation, setting: Setting) -> JudgedPlan:
    context = context_of(judged.meaning, setting.similarity)
    grounder = open_grounder(judged.meaning.domain)
    began = time.perf_counter()
    request = PlanningRequest(context.domain, context.instance, "", setting.options, grounder)
    reader = KnownReader(answer)
    result = plan_instruction(request, judged.sentence, reader, context, ask=say_yes).result
    seconds = time.perf_counter() - began
    if result.plan is None:
        return JudgedPlan(judged, result, seconds=seconds)
    domain, state = shift_elements(context.domain, context.instance, result.plan.shifts)
    states, problems = replay_steps(domain, state, result.plan.steps)
    if problems:
        return JudgedPlan(judged, result, problems, seconds=seconds)
    goal = check(result.goal or result.plan.goal, domain, state)
    judge = Judge(domain, state, grounder)

    def degree_of(predicate: str, arguments: tuple[str, ...]) -> float:
        judge.judge([(predicate, arguments)])
        return judge.degree(predicate, arguments)

    case = PlannedCase(
        judged.sentence,
        domain,
        goal,
        result.plan.steps,
        states,
        SPEAKER if state.has(SPEAKER) else "",
        degree_of,
        tnorm_by_name(result.plan.tnorm),
        infer_types(goal, domain),
    )
    needless, excused = list_needless(case), list_excused(case)
    return JudgedPlan(judged, result, list_absurdities(case), needless, excused, seconds)


def report_plans(readings: Sequence[Judged], setting: Setting) -> tuple[Line, Verdict, list[str]]:
    """Judge the plans for right readings: a line of figures, the share accepted, and the faults."""
    plans = judge_plans(readings, setting)
    if not plans:
        return Line("plans", "fcp_ros", {}), share("plans accepted", [], ACCEPTED_SHARE), []
    made = [one for one in plans if one.result.plan is not None]
    figures = {
        "right readings": len(plans),
        "planned": len(made),
        "absurd": sum(bool(one.absurd) for one in made),
        "needless": sum(bool(one.needless) for one in made),
        "accepted by an excuse": sum(one.accepted and bool(one.excused) for one in made),
        "asked first": sum(bool(one.result.confirmation) for one in made),
        "planning s, median": statistics.median(one.seconds for one in plans),
        "planning s, max": max(one.seconds for one in plans),
    }
    verdict = share("plans accepted", [one.accepted for one in plans], ACCEPTED_SHARE)
    notes = [_describe_plan(one) for one in plans if not one.accepted]
    return Line("plans", "fcp_ros", figures), verdict, notes


def _describe_plan(one: JudgedPlan) -> str:
    text = f"  {one.judged.meaning.name}: {one.judged.sentence} -> "
    if one.result.plan is None:
        return f"{text}{one.result.status.name}: {one.result.message[:200]}"
    reasons = [*(f"absurd: {why}" for why in one.absurd), *(f"needless: {w}" for w in one.needless)]
    steps = "; ".join(map(str, one.result.plan.steps))
    return f"{text}{'; '.join(reasons)} | {steps}"
