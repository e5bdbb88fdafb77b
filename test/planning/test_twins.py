# SPDX-License-Identifier: Apache-2.0
"""The planner against slow obvious twins: every state that DPO rewriting can reach.

Random domains from `random_worlds`, against `rewriting_twin`.
"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import DEGREES, SOFT, atom, worlds
from rewriting_twin import Twin, wandered

from fcp_ros.domain import ExpressionError, check_goal, parse_expression
from fcp_ros.fuzzy import TNORMS, reaches
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan

ALPHAS = st.sampled_from([0.0, 0.4, 0.85])


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(world=worlds(), soft=SOFT, data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_optimum_equals_exhaustive_enumeration(degrees, tnorm, world, soft, data, rng):
    domain, instance = world
    names = [atom("g", [a]) for a in ("a1", "a2")]
    names += [atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")]
    source = degrees({name: data.draw(DEGREES) for name in names})
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(0, 7)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append(f"({soft})")
    text = " and ".join(parts)
    try:
        goal = check_goal(parse_expression(text), domain, instance, text)
    except ExpressionError:
        assume(False)
    compare(domain, instance, goal, source, tnorm, data.draw(ALPHAS))


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_optimum_in_small_houses(degrees, house, state, tnorm, data, rng):
    domain = house
    if data.draw(st.booleans()):
        rules = {name: replace(rule, uses={}) for name, rule in house.rules.items()}
        domain = replace(house, rules=rules, resources={})
    else:
        battery = replace(house.resources["battery"], initial=data.draw(st.integers(3, 9)))
        domain = replace(house, resources={"battery": battery})
    places = ["table", "shelf", "tray"]
    elements = {
        "kitchen": "room",
        "hall": "room",
        "bot": "robot",
        "door": "door",
        "tv": "electronics",
        "table": "support",
        "shelf": "support",
        "tray": "tray",
        "mug": "cup",
        "milk": "liquid",
    }
    known = [
        "at(bot, kitchen)",
        "connected(kitchen, hall, door)",
        "connected(hall, kitchen, door)",
        "in_room(door, kitchen)",
        "in_room(tray, kitchen)",
        "in_room(table, kitchen)",
        "in_room(shelf, hall)",
        "in_room(tv, hall)",
        f"on(tray, {data.draw(st.sampled_from(places[:2]))})",
        f"on(mug, {data.draw(st.sampled_from(places))})",
        f"on(milk, {data.draw(st.sampled_from(places))})",
    ]
    if data.draw(st.booleans()):
        known.append("closed(door)")
    instance = state(domain, elements, known)
    items = ["mug", "milk", "tray"]
    source = degrees(
        {f"can_grasp(bot, {i})": data.draw(DEGREES) for i in items}
        | {f"stable({s}, {i})": data.draw(DEGREES) for s in [*places, "tv"] for i in items}
        | {f"serves_as({i}, drinking)": data.draw(DEGREES) for i in items}
    )
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(2, 14)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append('on(?x, {}) and serves_as(?x, "drinking")'.format(rng.choice([*places, "tv"])))
    text = " and ".join(parts)
    goal = check_goal(parse_expression(text), domain, instance, text)
    compare(domain, instance, goal, source, tnorm, data.draw(ALPHAS))


def compare(domain, instance, goal, source, tnorm, alpha):
    """The planner's answer against the twin's."""
    twin = Twin(domain, instance, goal, source, TNORMS[tnorm])
    twin.run(instance)
    assume(twin.complete)
    result = plan(
        PlanningRequest(
            domain,
            instance,
            goal,
            PlanningOptions(alpha=alpha, tnorm=tnorm, indifference=0.0),
            source,
        )
    )
    if twin.best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
    else:
        expected = (
            PlanStatus.SOLVED_OPTIMALLY
            if reaches(twin.best, alpha)
            else PlanStatus.UNSOLVABLE_AT_ALPHA
        )
        assert result.status is expected, result.message
        assert result.best_membership == pytest.approx(twin.best, abs=1e-8)
