# SPDX-License-Identifier: Apache-2.0
"""The hand-over of an assembled plan: it is scheduled, verified and remembered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.structure import counts_from_trigger, has_constraints
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import Window
from fcp_ros.planning.answer.messages import mention_fallback
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.optimality import choose_status, is_crisp
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.result import Measure, PlanningResult, PlanStatus, Verdict
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.schedule.network import Inconsistency
from fcp_ros.planning.schedule.schedule import schedule_steps
from fcp_ros.planning.stepping.replay import Replay, Replayed
from fcp_ros.planning.verification.verify import PlanMeeting, verify

REPLAYS = 2
"""A plan is scheduled and replayed, in two orders if steps overlap. Its first steps take longer
than others, because their rules are prepared."""


def measure_step(steps: Sequence[GroundStep], context: RequestContext) -> float:
    """Measure the time (s) that a hand-over takes for each step, by replaying the first ones."""
    if not steps:
        return 0.0
    began = time.monotonic()
    replay_steps(steps, context)
    return REPLAYS * (time.monotonic() - began) / len(steps)


def replay_steps(steps: Sequence[GroundStep], context: RequestContext) -> Replayed:
    """Replay the steps of a plan from the initial state of a request, by rewriting."""
    sketches = (
        PlanStep(
            step.rule.name,
            tuple(zip(step.rule.parameter_names, step.arguments, strict=True)),
            1.0,
            1.0,
            0.0,
            step.rule.executor,
        )
        for step in steps
    )
    replay = Replay(context.domain, context.session.rules, context.watch.check)
    return replay.run(context.instance, [(str(one), one) for one in sketches], context.amounts)


@dataclass(frozen=True)
class Handover:
    """Hands over the plans of one request."""

    context: RequestContext
    goal: Expression
    in_parts: bool = False

    @property
    def is_crisp(self) -> bool:
        """True if every plan for the goal has membership 1."""
        return is_crisp(self.context.domain, self.goal)

    def verify(self, plan: Plan, meeting: PlanMeeting | None = None) -> Verdict:
        """Have the verifier check a plan against the answers that this request was given.

        The source itself is not asked again: a degree that has moved since the search would spoil
        a plan that was right for the answers that it records.
        """
        context = self.context
        return verify(
            context.domain,
            context.instance,
            plan,
            self.goal,
            context.judge.memory,
            alpha=plan.alpha,
            resources=context.amounts,
            deadline=context.options.deadline,
            budgets=context.options.budgets,
            meeting=meeting,
            rules=context.session.rules,
            check=context.watch.check_conclusion,
        )

    def hand_over(
        self,
        plan: Plan,
        optimal_in: tuple[Measure, ...],
        message: Callable[[Plan], str],
        meeting: PlanMeeting | None = None,
        verdict: Verdict | None = None,
        windows: Sequence[Window] = (),
    ) -> PlanningResult:
        """Schedule a plan and return it if the verifier agrees, or the reason against it."""
        context = self.context
        schedule = plan.schedule or schedule_steps(
            context.limited_domain,
            context.instance,
            plan.steps,
            levels=context.amounts,
            deadline=context.options.deadline,
            # A step may need what follows from the facts of several others.
            in_order=has_constraints(self.goal) or bool(context.domain.strata),
            windows=windows,
            check=context.watch.check_conclusion,
        )
        if isinstance(schedule, Inconsistency):
            return PlanningResult(
                PlanStatus.UNSOLVABLE_INCOMPLETELY,
                f"A plan of {len(plan.steps)} steps was found, but no times for it: "
                f"{schedule.message}",
            )
        if counts_from_trigger(self.goal):  # no step may be later than planned
            schedule = replace(schedule, latest_starts=schedule.starts)
        plan = replace(plan, schedule=schedule)
        verdict = verdict or self.verify(plan, meeting)
        if not verdict.ok:
            refused = "The verifier refused the plan: " + " ".join(verdict.problems)
            return PlanningResult(PlanStatus.INTERNAL_ERROR, refused, verification=verdict)
        context.session.remember(plan)
        return PlanningResult(
            choose_status(optimal_in, context.options.optimise, self.is_crisp, self.in_parts),
            f"{message(plan)} {mention_fallback(plan)}".rstrip(),
            plan=plan,
            verification=verdict,
            optimal_in=optimal_in,
        )
