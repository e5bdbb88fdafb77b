# SPDX-License-Identifier: Apache-2.0
"""The hand-over of a plan: written in the domain's words, scheduled, verified and remembered."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.structure import counts_from_trigger, has_constraints
from fcp_ros.domain.expressions.syntax import Constant, Expression, atoms
from fcp_ros.domain.model import ActionRule, Window
from fcp_ros.fuzzy import EPSILON, reaches
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.answer.messages import mention_fallback
from fcp_ros.planning.answer.solution import Solution
from fcp_ros.planning.model.ground_step import GroundStep, compute_duration, list_graded_atoms
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.result import (
    Measure,
    PlanningResult,
    PlanStatus,
    Verdict,
    choose_status,
    is_crisp,
)
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.schedule import Inconsistency, schedule_steps
from fcp_ros.planning.session import RequestContext
from fcp_ros.planning.verification.stepping import Replay, Replayed
from fcp_ros.planning.verification.verify import compose_running, verify
from fcp_ros.planning.work_sharing import share_work


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

    def verify(self, plan: Plan) -> Verdict:
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
            rules=context.session.rules,
            check=context.watch.check_conclusion,
        )

    def hand_over(
        self,
        plan: Plan,
        optimal_in: tuple[Measure, ...],
        message: Callable[[Plan], str],
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
        verdict = verdict or self.verify(plan)
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

    def share_work(self, result: PlanningResult) -> PlanningResult:
        """Deal the work of a plan out among agents, if it ends sooner then; see work_sharing."""
        context, plan = self.context, result.plan
        options = context.options
        if plan is None or plan.schedule is None or options.budgets or has_constraints(self.goal):
            return result
        if any(step.chunk for step in plan.steps):
            return result  # a chunk is judged as a whole
        try:
            shared = self._deal_out(plan)
        except (Interrupted, GroundingError):
            return result  # no time, or nobody to judge: the plan at hand will do
        least = max(options.cut().alpha, plan.membership - options.indifference)
        if shared is None or not reaches(shared.membership, least):
            return result
        kept = plan.membership <= shared.membership
        optimal_in = result.optimal_in if kept else ()
        proven = tuple(one for one in optimal_in if one is Measure.MEMBERSHIP)
        found = self.hand_over(shared, proven, lambda _: result.message)
        before = plan.schedule.makespan
        if found.plan is None or found.plan.end >= before - EPSILON:
            context.session.remember(plan)
            return result
        sentence = f"Dealt out among agents, it ends after {found.plan.end:g} s, not {before:g} s."
        return replace(found, message=f"{result.message} {sentence}")

    def _deal_out(self, plan: Plan) -> Plan | None:
        """Make the plan with its work dealt out; None without one."""
        context = self.context
        named = {t.name for a in atoms(self.goal) for t in a.arguments if isinstance(t, Constant)}
        rules = context.domain.rules
        steps = share_work(
            context.domain,
            context.instance,
            [GroundStep(rules[step.rule], step.elements) for step in plan.steps],
            stay=named | {element for _, element in plan.binding},
            absent=context.options.absent,
            check=context.watch.check_conclusion,
        )
        if steps is None:
            return None
        drafts = [StepDraft(one.rule, one.arguments, list_graded_atoms(one)) for one in steps]
        made = make_plan(plan.goal, drafts, context, plan.alpha)
        degrees = (*(step.degree for step in made.steps), plan.goal_degree)
        return replace(
            made,
            membership=context.tnorm.compose_all(degrees),
            goal_degree=plan.goal_degree,
            goal_judgements=plan.goal_judgements,
            binding=plan.binding,
            shifts=plan.shifts,
        )


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step without degree and duration."""

    rule: ActionRule
    arguments: tuple[str, ...]
    graded: tuple[GradedAtom, ...]
    chunk: str = ""


def assemble(
    solution: Solution,
    goal: str,
    context: RequestContext,
    alpha: float,
    left_out: tuple[str, ...] = (),
) -> Plan:
    """Assemble the plan of a solution; the degrees that it rests on are known."""
    find, decoded = context.judge.find_degree, solution.decoded
    parts = zip(decoded.steps, solution.graded, solution.labels, strict=True)
    drafts = (StepDraft(s.rule, s.arguments, tuple(atoms), label) for s, atoms, label in parts)
    asked = dict.fromkeys(atom for part in decoded.goal_parts for atom in part.graded)
    return replace(
        make_plan(goal, drafts, context, alpha),
        membership=solution.membership,
        goal_degree=context.tnorm.compose_all(part.upper(find) for part in decoded.goal_parts),
        goal_judgements=tuple(map(context.judge.judge_atom, asked)),
        binding=decoded.binding,
        left_out=left_out,
    )


def make_plan(
    goal: str, drafts: Iterable[StepDraft], context: RequestContext, alpha: float
) -> Plan:
    """Make the plan of some steps, for a goal of degree 1."""
    drafts, left = list(drafts), context.amounts
    for draft in drafts:
        for name, use in draft.rule.uses.items():
            left[name] -= use
    steps = value_steps(drafts, context)
    return Plan(
        goal=goal,
        steps=steps,
        membership=context.tnorm.compose_all(step.degree for step in steps),
        goal_degree=1.0,
        goal_judgements=(),
        binding=(),
        alpha=alpha,
        tnorm=context.tnorm.name,
        id=str(uuid.uuid4()),
        resources_after=left,
        budgets=context.options.budgets,
    )


def value_steps(drafts: Iterable[StepDraft], context: RequestContext) -> tuple[PlanStep, ...]:
    """Give steps their degrees and durations, in the initial state of the request."""
    tnorm, drafts = context.tnorm, list(drafts)
    judged = [tuple(map(context.judge.judge_atom, draft.graded)) for draft in drafts]
    degrees = [tnorm.compose_all(j.membership.degree for j in js) for js in judged]
    return tuple(
        PlanStep(
            draft.rule.name,
            tuple(zip(draft.rule.parameter_names, draft.arguments, strict=True)),
            degree,
            after,
            compute_duration(draft.rule, draft.arguments, context.instance),
            draft.rule.executor,
            judgements,
            draft.chunk,
        )
        for draft, judgements, degree, after in zip(
            drafts, judged, degrees, compose_running(degrees, tnorm), strict=True
        )
    )
