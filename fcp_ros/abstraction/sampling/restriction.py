# SPDX-License-Identifier: Apache-2.0
"""A state restricted to some of its elements, and the choice of the elements to keep.

The state spaces of training tasks are often too large, those of a few of their elements are not:
two cars and the places that they have to do with. What holds of these is what held before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.goal_atoms import GoalAtoms
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import list_constants
from fcp_ros.domain.expressions.syntax import And, Atom, Constant
from fcp_ros.domain.model import make_crisp
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, plan

PLANNING_TIME = 3.0  # seconds for the plan of a few goal facts
PLANS = 2  # with the same goal facts, with other draws of the planner: later ones are seldom others


def restrict_state(state: RelationalState, names: Sequence[str]) -> RelationalState:
    """Return the state on some of its elements; facts about others are gone, also of the goal.

    `names`: of the elements, in the order that they shall have.
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


class PlannedElements:
    """The elements of plans for goal facts of a task; for the same facts few plans are made."""

    def __init__(self, task: TrainingTask) -> None:
        self.task = task
        self._constants = frozenset(list_constants(task.domain.schema))
        self._found: dict[GoalAtoms, list[frozenset[str] | None]] = {}

    def find(
        self, facts: GoalAtoms, random_source: random.Random, check: Callable[[], None]
    ) -> frozenset[str] | None:
        """Find elements with which some goal facts can be reached from the initial state.

        `facts`: at least one. Returns the elements of a plan for these facts, of the facts
        themselves, and those named by rules; None if no plan was found.
        """
        known = self._found.setdefault(facts, [])
        if len(known) == PLANS:
            return random_source.choice(known)
        check()
        found = find_goal_plan(self.task, facts, PLANNING_TIME, random_source.randrange(2**31))
        check()
        known.append(None)
        if found.plan is not None:
            elements = {name for fact in facts for name in fact.arguments}
            elements.update(name for step in found.plan.steps for _, name in step.arguments)
            known[-1] = self._constants | elements
        return known[-1]


def find_goal_plan(
    task: TrainingTask, goal: GoalAtoms, seconds: float, seed: int
) -> PlanningResult:
    """Look for a plan that reaches facts of a task; degrees, which policies ignore, don't count.

    `goal`: at least one fact.
    """
    atoms = tuple(
        Atom(fact.relation, tuple(Constant(name) for name in fact.arguments)) for fact in goal
    )
    return plan(
        PlanningRequest(
            make_crisp(task.domain),
            task.instance,
            And(atoms) if len(atoms) > 1 else atoms[0],
            PlanningOptions(time_limit=seconds, seed=seed),
            explain_conflict=False,
        ),
    )


def choose_facts(goal: GoalAtoms, count: int, random_source: random.Random) -> GoalAtoms:
    """Choose facts; half of the time those that share an element, if there are some."""
    shuffled = random_source.sample(goal, len(goal))
    if random_source.random() < 0.5:
        first = set(shuffled[0].arguments)
        shuffled[1:] = sorted(shuffled[1:], key=lambda fact: first.isdisjoint(fact.arguments))
    return tuple(fact for fact in goal if fact in shuffled[:count])
