# SPDX-License-Identifier: Apache-2.0
"""Requirements of backward labels are those of the definition (docs/design.md)."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Goedel, Hamacher, Lukasiewicz, Product
from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.search.bidirectional import BackwardSide
from fcp_ros.planning.search.half_plans import UNIT, Resources, Scale
from fcp_ros.planning.search.partial_states import read_operators
from fcp_ros.planning.search.settings import Objective

TNORMS = (Lukasiewicz(), Product(), Goedel(), Hamacher(), Hamacher(2.0))


def find_least_requirement(required_after, tnorm):
    """The least membership needed at a state, given what is needed after each of its steps.

    The minimum: a plan takes the cheapest continuation. Without a step it is infinite.
    """
    return min((tnorm.least_requirement(*step) for step in required_after), default=math.inf)


def by_definition(task, degrees, alpha, tnorm):
    """The requirement of every state: the least fixed point of `find_least_requirement`."""
    states = list(product(*(range(size) for size in task.domain.tolist())))
    required = {s: alpha if semantics.is_goal(task, s) else math.inf for s in states}
    steps = {
        s: [
            (semantics.successor(task, s, o), degrees[o])
            for o in semantics.find_applicable(task, s)
        ]
        for s in states
    }
    for _ in states:
        for state in states:
            after = [(required[successor], degree) for successor, degree in steps[state]]
            required[state] = min(required[state], find_least_requirement(after, tnorm))
    return required


def all_backward(task, objective):
    """A backward side in which every label with a feasible requirement was expanded."""
    scale = Scale(task, objective)
    side = BackwardSide(task, read_operators(task), scale, Resources(task))
    expanded = []

    def add(label):
        if side.keep(label):
            side.frontier.add(label, 0.0)

    if side.goal is not None:
        add(side.goal)
    while (label := side.frontier.least()) is not None:
        expanded.append(label)
        for new in side.expand(label, lambda loss, _cost: scale.room(loss) >= 0, lambda: None):
            add(new)
        side.frontier.finish(label)
    return side, expanded


def with_degrees(task, tnorm):
    """Degrees 1 - loss, and the task with the losses that the t-norm gives them."""
    degrees = [1.0 - float(loss) for loss in task.loss]
    loss = task.loss.copy()
    for operator, degree in enumerate(degrees):
        loss[operator] = tnorm.loss(degree)
    return degrees, task._replace(loss=loss)


@settings(max_examples=80)
@given(
    task=flat_tasks(resources=False, windows=False, max_variables=3, max_operators=6),
    tnorm=st.sampled_from(TNORMS),
    alpha=st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0]),
)
def test_requirements_are_those_of_the_definition(task, tnorm, alpha):
    degrees, task = with_degrees(task, tnorm)
    objective = Objective(composition=tnorm.composition, loss_budget=tnorm.loss_budget(alpha))
    side, expanded = all_backward(task, objective)
    for state, required in by_definition(task, degrees, alpha, tnorm).items():
        here = [tnorm.degree_of(label.room * UNIT) for label in side.find_matching(state)]
        if required <= 1.0 + EPSILON:
            assert min(here) == pytest.approx(required, abs=1e-8)
        else:
            assert here == []
    for label in expanded:
        assert label.room >= 0


def chain(losses):
    """One variable that goes up step by step, each step with its loss."""
    steps = [
        FlatOperator(((0, place),), (), (FlatEffect(0, place + 1),), loss=loss)
        for place, loss in enumerate(losses)
    ]
    return FlatBuilder([len(losses) + 1], [0], ((0, len(losses)),), steps).build()


def test_an_infeasible_requirement_is_never_expanded():
    # 0.5 is to be reached: before the last three steps of 0.8 a membership of 1.1 is required,
    # which is not clipped to 1.
    tnorm = Lukasiewicz()
    objective = Objective(loss_budget=tnorm.loss_budget(0.5))
    assert Scale(chain([0.2] * 3), objective).room(round(0.6 / UNIT)) < 0
    _, expanded = all_backward(chain([0.2] * 5), objective)
    assert [len(label.steps()) for label in expanded] == [0, 1, 2]
    found = [tnorm.degree_of(label.room * UNIT) for label in expanded]
    assert found == pytest.approx([0.5, 0.7, 0.9])
