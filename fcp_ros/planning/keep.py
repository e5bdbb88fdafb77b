# SPDX-License-Identifier: Apache-2.0
"""Does an earlier plan still hold? After a change of the scene, or after its first steps were done.

A plan holds if what is left of it, from some step on, can be done in the present state, reaches the
goal and passes the alpha-cut. All of it is worked out anew, as for a plan that was never seen.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.evaluate import evaluate
from fcp_ros.domain.expression import Exists, Expression
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm, reaches
from fcp_ros.planning.compile.ground_step import GroundStep, cost_of, duration_of, graded_atoms_of
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.verdict import Verdict
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.verification.replay import Replay


@dataclass(frozen=True)
class Kept:
    """An earlier plan that still holds.

    Attributes:
        plan: what is left of it, with degrees of the present state.
        done: how many of its steps are left out, because they are done or not needed any more.
        verdict: the verifier's, where the plan is unchanged to the last number.
    """

    plan: Plan
    done: int
    verdict: Verdict | None = None


def still_holding(
    previous: Plan,
    session: PlanningSession,
    instance: Instance,
    goal: Expression,
    judge: Judge,
    amounts: Mapping[str, float],
    tnorm: TNorm,
    alpha: float,
) -> Kept | None:
    """What is left of an earlier plan, as long as possible; None if it does not hold.

    Arguments:
        previous: the plan, for the same goal.
        session: what is kept of the domain.
        instance: the present state.
        goal: the checked goal.
        judge: knows degrees in the present state, and asks for them.
        amounts: resource -> what there is of it now.
        tnorm: how degrees compose.
        alpha: the alpha-cut.
    """
    replay = Replay(session.domain, session.spans, lambda: None)
    names = {name for step in previous.steps for _, name in step.arguments}
    names.update(name for _, name in previous.binding)
    if not all(instance.has(name) for name in names):
        return None
    for done in range(len(previous.steps) + 1):
        steps = previous.steps[done:]
        replayed = replay.run(instance, [(str(s), s) for s in steps], amounts)
        if not replayed.complete or replayed.problems:
            continue
        final = replayed.states[-1]
        plan = _valued(previous, steps, goal, final, instance, judge, tnorm, session.domain)
        if plan.goal_degree > 0.0 and reaches(plan.membership, alpha):
            plan = replace(plan, alpha=alpha, resources_after=dict(replayed.left))
            return Kept(plan if done else replace(plan, id=previous.id), done)
    return None


def cost_by(plan: Plan, domain: Domain, optimise: Optimise) -> float:
    """What a plan costs in the objective's second (or first) criterion."""
    if optimise is Optimise.MEMBERSHIP:
        return float(len(plan.steps))
    if optimise is Optimise.DURATION:
        return plan.duration
    elements = (tuple(element for _, element in step.arguments) for step in plan.steps)
    rules = (domain.rules[step.rule] for step in plan.steps)
    return sum(cost_of(rule, names) for rule, names in zip(rules, elements, strict=True))


def _valued(
    previous: Plan,
    steps: tuple[PlanStep, ...],
    goal: Expression,
    final: Instance,
    instance: Instance,
    judge: Judge,
    tnorm: TNorm,
    domain: Domain,
) -> Plan:
    """The steps as a plan of their own: each judged by itself, in the present state."""
    degrees: list[float] = []
    valued = []
    for step in steps:
        rule = domain.rules[step.rule]
        ground = GroundStep(rule, tuple(element for _, element in step.arguments))
        judgements = tuple(judge.judged(atom) for atom in graded_atoms_of(ground))
        degrees.append(tnorm.compose_all(j.membership.degree for j in judgements))
        valued.append(
            replace(
                step,
                degree=degrees[-1],
                membership_after=tnorm.compose_all(degrees),
                duration=duration_of(rule, ground.arguments, instance),
                judgements=judgements,
                chunk="",
            )
        )
    types = dict(infer_types(goal, domain))
    body = goal
    while isinstance(body, Exists):
        types.update((variable.name, variable.type) for variable in body.variables)
        body = body.body
    binding = {name: element for name, element in previous.binding if name in types}
    degree = evaluate(body, final, judge.degree, tnorm, types=types, binding=binding)
    atoms = [
        (j.request.predicate, tuple(a.text for a in j.request.arguments))
        for j in previous.goal_judgements
    ]
    return replace(
        previous,
        steps=tuple(valued),
        membership=tnorm.compose_all([*degrees, degree]),
        goal_degree=degree,
        goal_judgements=tuple(judge.judged(atom) for atom in atoms),
        tnorm=tnorm.name,
        id=str(uuid.uuid4()),
        schedule=None,
    )
