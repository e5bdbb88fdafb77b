# SPDX-License-Identifier: Apache-2.0
"""A state restricted to some of its elements, and the choice of the elements to keep.

The state spaces of training tasks are often too large, those of a few of their elements are not:
two cars and the places that they have to do with. What holds of these is what held before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence

from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.goal_atoms import GoalAtoms
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import list_constants
from fcp_ros.domain.expressions.syntax import And, Atom, Constant
from fcp_ros.domain.model import make_crisp
from fcp_ros.planning import PlanningOptions, PlanningResult, plan
from fcp_ros.planning.model.memberships import NoMemberships

PLANNING_TIME = 3.0  # seconds for the plan of a few goal facts


def restrict_state(state: RelationalState, names: Sequence[str]) -> RelationalState:
    """Return the state on some of its elements; facts about others are gone, also of the goal.

    Args:
        state: the state.
        names: of the elements, in the order that they shall have.
    """
    names = tuple(names)
    old = [state.positions[name] for name in names]
    new_of = {bit: place for place, bit in enumerate(old)}
    restricted = RelationalState(state.vocabulary, names)
    for flag, value in state.flags.items():
        restricted.set_flag(flag, value)
    for concept, bits in state.concepts.items():
        for place, bit in enumerate(old):
            if bits >> bit & 1:
                restricted.set_member(concept, place, True)
    for role, rows in state.roles.items():
        for place, bit in enumerate(old):
            row = rows[bit]
            for target, other in new_of.items():
                if row >> target & 1:
                    restricted.set_pair(role, place, other, True)
    for relation, tuples in state.wide.items():
        restricted.wide[relation] = {
            tuple(new_of[bit] for bit in legs)
            for legs in tuples
            if all(bit in new_of for bit in legs)
        }
    return restricted


def restrict_goal(goal: GoalAtoms, state: RelationalState, kept: frozenset[str]) -> GoalAtoms:
    """Return the goal facts whose elements are all kept; `world` of PDDL is no element."""
    return tuple(
        fact
        for fact in goal
        if all(name in kept or name not in state.positions for name in fact.arguments)
    )


def choose_elements(
    task: TrainingTask,
    state: RelationalState,
    goals: int,
    extra: Collection[str],
    random_source: random.Random,
    check: Callable[[], None],
) -> frozenset[str] | None:
    """Choose elements with which some of the goal facts can be reached.

    Args:
        task: the task.
        state: its initial state.
        goals: number of goal facts.
        extra: elements to keep besides.
        random_source: draws.
        check: called often; may raise to stop.

    Returns:
        The elements of a plan for these facts, of the facts themselves, those named by rules and
        the extra ones; None if no plan was found.
    """
    facts = _choose_facts(task.goal, goals, random_source)
    check()
    found = find_goal_plan(task, facts, PLANNING_TIME, random_source.randrange(2**31))
    check()
    if found.plan is None:
        return None
    kept = {name for fact in facts for name in fact.arguments}
    kept.update(name for step in found.plan.steps for _, name in step.arguments)
    kept.update(list_constants(task.domain.schema))
    kept &= state.positions.keys()
    kept.update(extra)
    return frozenset(kept)


def find_goal_plan(
    task: TrainingTask, goal: GoalAtoms, seconds: float, seed: int
) -> PlanningResult:
    """Look for a plan that reaches facts of a task; degrees, which policies ignore, don't count.

    Args:
        task: the task.
        goal: at least one fact.
        seconds: of the planner.
        seed: of its draws.
    """
    atoms = tuple(
        Atom(fact.relation, tuple(Constant(name) for name in fact.arguments)) for fact in goal
    )
    return plan(
        make_crisp(task.domain),
        task.instance,
        And(atoms) if len(atoms) > 1 else atoms[0],
        PlanningOptions(time_limit=seconds, seed=seed),
        NoMemberships(),
        explain_conflict=False,
    )


def _choose_facts(goal: GoalAtoms, count: int, random_source: random.Random) -> GoalAtoms:
    """Choose facts; half of the time those that share an element, if there are some."""
    shuffled = random_source.sample(goal, len(goal))
    if random_source.random() < 0.5:
        first = set(shuffled[0].arguments)
        shuffled[1:] = sorted(shuffled[1:], key=lambda fact: first.isdisjoint(fact.arguments))
    return tuple(fact for fact in goal if fact in shuffled[:count])
