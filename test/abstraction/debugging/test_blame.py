# SPDX-License-Identifier: Apache-2.0
"""A fault names the layer to blame and the steps left to the goal."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from carried_parcels import ABSTRACTION

from fcp_ros.abstraction.debugging.abstraction_check import MOST_STATES, BlameSearch, CheckedTask
from fcp_ros.abstraction.debugging.loop import GeneralizationOptions, generalize
from fcp_ros.abstraction.policy.refining import has_effect
from fcp_ros.abstraction.proposers.abstraction_text import parse_abstraction
from fcp_ros.abstraction.proposers.exploration import SampledSpace, explore
from fcp_ros.abstraction.proposers.faults import (
    OUT_OF_REACH,
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask
from fcp_ros.abstraction.qnp.solver import solve_qnp
from fcp_ros.abstraction.states.building import list_goal_atoms
from fcp_ros.domain.pddl.task_reader import parse_pddl

Training = tuple[TrainingTask, ...]
FEATURES, INITIAL, GOAL, ACTIONS, POLICY, REFINEMENT = AbstractionLayer
LEFT = "some(difference(goal.in, in), top)"
HEAVY_ONLY = (
    ABSTRACTION.replace(f"left: count({LEFT})", f"left: count(and(heavy, {LEFT}))")
    .replace("initial: [not holding]", "initial: []")
    .replace(f"some(inverse(in), {LEFT})", "some(inverse(in), heavy)")
    .replace(f"take(p: {LEFT})", "take(p: heavy)")
)


class OneProposal:
    """Proposes one abstraction."""

    name = "test"

    def __init__(self, proposal: AbstractionProposal) -> None:
        self._proposal = proposal

    def propose(self, *_: object) -> AbstractionProposal:
        """The abstraction."""
        return self._proposal


def find_faults(proposal: AbstractionProposal, training: Training) -> tuple[AbstractionError, ...]:
    options = GeneralizationOptions(rounds=1)
    return generalize(training, OneProposal(proposal), options).errors


def ignore() -> None:
    """Never stop."""


def explore_from(task: CheckedTask) -> SampledSpace:
    space = explore(task.engine, task.state, task.goal.holds, (), 100_000, ignore)
    assert space is not None
    return space


SEEDED = {
    "a goal that looks at another feature than it should": (
        ABSTRACTION.replace("goal: [left = 0]", "goal: [holding]").replace(
            "initial: [not holding]", "initial: [not holding, left > 0]"
        ),
        "one", LLGRC := AbstractionCheck.LLGRC, GOAL, 2,
    ),
    "features that don't see all that is to be done": (HEAVY_ONLY, "two", LLGRC, FEATURES, 4),
    "an initial condition that does not hold": (
        ABSTRACTION.replace("initial: [not holding]", "initial: [holding]"),
        "one", AbstractionCheck.HLISC, INITIAL, 4,
    ),
    "an effect that no steps have": (
        ABSTRACTION.replace("[not holding, left decreases]", "[left decreases]"),
        "one", AbstractionCheck.HLPRC, ACTIONS, 2,
    ),
    "a program that misses the steps that there are": (
        ABSTRACTION.replace("; leave()", "; take()"),
        "one", AbstractionCheck.HLPRC, REFINEMENT, 2,
    ),
    "abstract actions that lead nowhere": (
        ABSTRACTION.replace("effects: [holding]", "effects: []"),
        "one", AbstractionCheck.ASC, ACTIONS, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEDED)
def test_the_layer_with_the_seeded_fault_is_blamed(name: str, training: Training) -> None:
    text, task, check, layer, left = SEEDED[name]
    assert text != ABSTRACTION
    chosen = tuple(one for one in training if one.name.endswith(task))
    found = find_faults(parse_abstraction(text, name, chosen), chosen)
    blamed = [(one.layer, one.steps_left) for one in found if one.check is check]
    assert blamed[:1] == [(layer, left)], found


def test_a_policy_of_the_proposer_is_blamed_where_it_says_nothing(training: Training) -> None:
    right = parse_abstraction(ABSTRACTION, "right", training)
    solved = dict(solve_qnp(right.qnp).policy)
    carrying = next(state for state, actions in solved.items() if actions == ("bring",))
    del solved[carrying]
    (fault,) = find_faults(replace(right, policy=solved), training[:1])
    assert (fault.kind, fault.layer) == (AbstractionFault.NO_RULE, POLICY)
    assert fault.steps_left == 2  # to room c, and leave the parcel there
    assert (
        fault.describe_blame() == "to blame: the policy; 2 steps are left to the goal of the task"
    )


def test_steps_and_layers_agree_with_all_that_can_be_reached(training: Training) -> None:
    """The twin explores the whole space and looks at each state of it."""
    right = parse_abstraction(ABSTRACTION, "right", training)
    draw, layers = random.Random(3), set()
    for one in training[:2]:
        task = CheckedTask(one, right)
        states = explore_from(task).states
        for state in draw.sample(states, min(12, len(states))):
            task.state = state.copy()
            space = explore_from(task)
            blame = BlameSearch(task, ignore, 100_000)
            here = task.refiner.evaluate(state)
            assert blame.blame(POLICY).steps_left == space.distances[0]
            alike = any(
                reached and task.abstract(task.refiner.evaluate(after)) == task.abstract(here)
                for after, reached in zip(space.states, space.goal, strict=True)
            )
            assert blame.blame_goal().layer is (FEATURES if alike else GOAL)
            for action in right.qnp.actions:
                # Beyond goal states the space of the twin ends, that of the search does not.
                every = explore(task.engine, state, lambda _: False, (), 100_000, ignore)
                assert every is not None
                changes = tuple(action.effects.get(name) for name in right.qnp.variables)
                can = any(
                    has_effect(changes, here, task.refiner.evaluate(after))
                    for after in every.states[1:]
                )
                layer = blame.blame_refinement((action.name,)).layer
                assert layer is (REFINEMENT if can else ACTIONS)
                layers.add(layer)
    assert layers == {REFINEMENT, ACTIONS}


def test_what_the_bound_leaves_open_is_not_decided(training: Training) -> None:
    task = CheckedTask(training[1], parse_abstraction(ABSTRACTION, "right", training))
    assert BlameSearch(task, ignore).blame_goal().steps_left == explore_from(task).distances[0]
    few = BlameSearch(task, ignore, most_states=3)
    for blame in (few.blame_goal(), few.blame_refinement(("bring",))):
        assert (blame.layer, blame.steps_left) == (None, None)
    assert MOST_STATES > 3


EATING = """(define (domain eating) (:requirements :strips) (:predicates (raw) (eaten) (cooked))
  (:action eat :parameters () :precondition (raw) :effect (and (eaten) (not (raw))))
  (:action cook :parameters () :precondition (raw) :effect (and (cooked) (not (raw)))))"""
LOST = """
features: {raw: "flag(raw)"}
initial: [raw]
goal: [not raw]
actions: {use: {when: [raw], effects: [not raw], programs: ["eat()", "cook()"]}}
"""


def test_where_the_goal_is_out_of_reach_nothing_there_is_blamed() -> None:
    problem = "(define (problem p) (:domain eating) (:init (raw)) (:goal (cooked)))"
    read = parse_pddl(EATING, problem)
    goal = list_goal_atoms(read.goal, read.instance, read.domain)
    training = (TrainingTask("p", read.domain, read.instance, goal),)
    (fault,) = find_faults(parse_abstraction(LOST, "lost", training), training)
    assert fault.check is AbstractionCheck.LLGRC
    assert (fault.layer, fault.steps_left) == (None, OUT_OF_REACH)
    assert fault.describe_blame() == "no steps lead from there to the goal of the task"
