# SPDX-License-Identifier: Apache-2.0
"""Heuristics: landmarks never promise less than is possible, and absences are seen."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.forward_compile import compile_task
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.forward.bounds import AdditiveBound, WeakestLinkBound, remaining_membership
from fcp_ros.planning.forward.heuristic import INFINITY, FastForward, LandmarkCut
from fcp_ros.planning.forward.local_task import localise
from fcp_ros.planning.forward.relaxed import RelaxedTask
from fcp_ros.planning.model.watch import Watch


@pytest.fixture(scope="module")
def make_local(house):
    def make(instance, wanted, degree_of=lambda name: 1.0):
        watch = Watch(PlanningOptions())
        task = compile_task(house, instance, watch)
        ids = {str(fact): id_ for fact, id_ in task.fact_ids.items()}
        positive = frozenset(ids[fact] for fact in wanted if not fact.startswith("not "))
        negative = frozenset(ids[fact[4:]] for fact in wanted if fact.startswith("not "))
        degrees = [degree_of(str(operator)) for operator in task.operators]
        local = localise(
            task,
            Conditions(task),
            Alternative(1.0, positive, negative),
            degrees,
            (100.0,),
            watch,
        )
        return local, RelaxedTask(local, task)

    return make


def least_loss(local):
    """The twin: least sum of losses from each state that can be reached (Bellman-Ford)."""
    edges, states = [], [local.initial]
    seen = {local.initial}
    for state in states:
        for operator in local.operators:
            if operator.applicable(state):
                after = operator.apply(state)
                edges.append((state, after, 1.0 - operator.degree))
                if after not in seen:
                    seen.add(after)
                    states.append(after)
    loss = {state: 0.0 if local.fulfilled(state) else INFINITY for state in states}
    changed = True
    while changed:
        changed = False
        for before, after, cost in edges:
            if loss[after] + cost < loss[before] - 1e-12:
                loss[before] = loss[after] + cost
                changed = True
    return loss


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    wanted=st.lists(
        st.sampled_from(
            ["on(mug_1, shelf)", "on(book, tv)", "not closed(crate)", "on(milk, table)",
             "holding(bot, mug_2)", "not on(mug_1, table)"]
        ),
        min_size=1, max_size=2, unique=True,
    ),
    weights=st.lists(st.sampled_from([1.0, 0.9, 0.7, 0.5]), min_size=7, max_size=7),
)  # fmt: skip
def test_landmarks_are_admissible_everywhere(make_local, home, wanted, weights):
    local, relaxed = make_local(home, wanted, lambda name: weights[len(name) % 7])
    degrees = [operator.degree for operator in local.operators]
    cut = LandmarkCut(relaxed, [1.0 - degree for degree in degrees])
    forward = FastForward(relaxed, degrees)
    weakest = WeakestLinkBound(relaxed, degrees, TNORMS["goedel"])
    for number, (state, loss) in enumerate(least_loss(local).items()):
        if number % 5 == 0:
            assert cut.bound(state) <= loss + 1e-9
            assert forward.estimate(state).steps < INFINITY or loss == INFINITY
            assert (forward.estimate(state).steps == 0) == local.fulfilled(state)
            assert loss == INFINITY or (weakest.at(state) or 0.0) + 1e-9 >= 1.0 - loss


def test_landmarks_are_exact_where_nothing_interferes(make_local, home):
    degree = {"pick": 0.9, "place": 0.8}
    local, relaxed = make_local(
        home,
        ["on(mug_1, shelf)", "on(book, shelf)"],
        lambda name: degree.get(name.split("(")[0], 1.0),
    )
    losses = [1.0 - operator.degree for operator in local.operators]
    assert LandmarkCut(relaxed, losses).bound(local.initial) == pytest.approx(0.6)


def test_absences_count_as_steps(make_local, home):
    local, relaxed = make_local(home, ["on(milk, table)"])
    estimate = FastForward(relaxed, [o.degree for o in local.operators]).estimate(local.initial)
    assert estimate.steps == 3  # open, take out, place
    names = {str(local.operators[number].index) for number in estimate.helpful}
    assert len(names) == 1  # only opening is possible at once


def test_bounds_know_their_tnorms(make_local, home):
    local, relaxed = make_local(home, ["on(mug_1, shelf)"], lambda name: 0.9)
    degrees = [operator.degree for operator in local.operators]
    expected = {"lukasiewicz": 0.7, "product": 0.9**3, "goedel": 0.9}
    for name, value in expected.items():
        bound = remaining_membership(relaxed, degrees, TNORMS[name])
        assert isinstance(bound, WeakestLinkBound if name == "goedel" else AdditiveBound)
        assert bound.at(local.initial) == pytest.approx(value)
