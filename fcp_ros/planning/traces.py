# SPDX-License-Identifier: Apache-2.0
"""Traces of what a goal asks beside its condition: when a plan keeps, meets or breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal, infer_types
from fcp_ros.domain.expressions.trajectories import decide_constraint
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm, tnorm_by_name
from fcp_ros.planning.goal.formula import Crisp, Formula, Graded, evaluate
from fcp_ros.planning.goal.ground_goal import GroundConstraint, GroundGoal, ground_goal
from fcp_ros.planning.model.memberships import GradedAtom, compare
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import RequirementTrace
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.verification.stepping import Replay, StepRules, holds
from fcp_ros.planning.verification.verify import find_reached

LONGEST = 300
"""Steps of a plan that is traced; of a longer one nobody reads a picture."""
MOST = 100
"""Requirements that are traced, those first that are kept least."""


Traces = tuple[RequirementTrace, ...]


def trace_plan(domain: Domain, instance: Instance, goal: str, plan: Plan) -> Traces:
    """Trace the constraints and preferences of a goal along a plan."""
    checked = check_goal(parse_expression(goal), domain, instance, goal)
    types = infer_types(checked, domain)
    ground = ground_goal(checked, types, domain, instance, Watch(PlanningOptions()))
    replay = Replay(domain, StepRules(domain))
    amounts = {name: resource.initial for name, resource in domain.resources.items()}
    return trace_requirements(ground, replay, instance, plan, amounts)


def trace_requirements(
    goal: GroundGoal, replay: Replay, instance: Instance, plan: Plan, amounts: Mapping[str, float]
) -> Traces:
    """Trace the constraints and preferences of a ground goal along a plan; none of a long one."""
    if goal.is_plain or len(plan.steps) > LONGEST:
        return ()
    states = replay.run(instance, [(str(step), step) for step in plan.steps], amounts).states
    degrees: dict[GradedAtom, float] = {
        claim.atom: claim.membership.degree for claim in plan.goal_judgements
    }
    reached = find_reached(replay.domain, plan, range(len(plan.steps)))
    tracing = _Tracing(goal.constraints, states, reached, degrees, tnorm_by_name(plan.tnorm))
    hard = [
        RequirementTrace(one.fact.relation, "", False, tracing.trace(Crisp(one.fact)))
        for one in goal.constraints
        if one.hard
    ]
    preferred = sorted(goal.preferences, key=lambda one: tracing.value(one.body, len(states) - 1))
    return (
        *hard[:MOST],
        *(
            RequirementTrace(one.text, one.name, not one.is_part, tracing.trace(one.body))
            for one in preferred[: max(0, MOST - len(hard))]
        ),
    )


class _Tracing:
    """Values formulas in each of some states, by definition."""

    def __init__(
        self,
        # their facts are valued by the states up to each of them
        constraints: Sequence[GroundConstraint],
        states: Sequence[Instance],  # from the initial to the last one
        reached: Sequence[Fraction],  # the time (s, rounded) at which each of them is reached
        # of graded atoms, as of the last state; others count as 0
        degrees: Mapping[GradedAtom, float],
        tnorm: TNorm,
    ) -> None:
        self._states = states
        self._reached = reached
        self._degrees = degrees
        self._tnorm = tnorm
        self._kept: dict[Fact, tuple[bool, ...]] = {}
        for constraint in constraints:
            self._kept[constraint.fact] = tuple(self._decide(constraint))

    def _decide(self, constraint: GroundConstraint) -> Iterator[bool]:
        """Yield for each state: is the constraint kept by a plan that ends there?"""
        truths = [[value >= 1.0 for value in self.trace(part)] for part in constraint.parts]
        for end in range(1, len(self._states) + 1):
            before = [truth[:end] for truth in truths]
            reached = self._reached[:end]
            yield decide_constraint(constraint.operator, before, reached, constraint.times)

    def trace(self, formula: Formula) -> tuple[float, ...]:
        return tuple(self.value(formula, number) for number in range(len(self._states)))

    def value(self, formula: Formula, number: int) -> float:
        def degree_of(leaf: Crisp | Graded) -> float:
            if isinstance(leaf, Graded):
                return compare(leaf.atom, self._degrees.get(leaf.atom[:2], 0.0))
            kept = self._kept.get(leaf.fact)
            return float(holds(leaf.fact, self._states[number]) if kept is None else kept[number])

        return evaluate(formula, degree_of, self._tnorm.compose_all)
