# SPDX-License-Identifier: Apache-2.0
"""Each optimisation can be switched off, and the answer stays the same."""

from dataclasses import fields, replace

import pytest
from exhaustive_compiler import exhaustive_compilation
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import CRISP, DEGREES, SOFT, atom, worlds

from fcp_ros.domain import ExpressionError, check_goal, parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.request import Switches

NAMES = [field.name for field in fields(Switches)]
GRADED = [atom("g", [a]) for a in ("a1", "a2")]
GRADED += [atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")]


PROPERTY = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)


def drawn(world, crisp, soft, data, degrees):
    """A request: domain, instance, goal, options, memberships."""
    domain, instance = world
    text = f"{crisp} and ({soft})" if data.draw(st.booleans()) else crisp
    try:
        goal = check_goal(parse_expression(text), domain, instance, text)
    except ExpressionError:
        assume(False)
    source = degrees({name: data.draw(DEGREES) for name in GRADED})
    options = PlanningOptions(alpha=data.draw(st.sampled_from([0.0, 0.4, 0.85])))
    return domain, instance, goal, options, source


@pytest.mark.parametrize("name", NAMES)
@PROPERTY
@given(world=worlds(), crisp=CRISP, soft=SOFT, data=st.data())
def test_a_switch_changes_no_answer(degrees, name, world, crisp, soft, data):
    domain, instance, goal, options, source = drawn(world, crisp, soft, data, degrees)
    with_it = plan(PlanningRequest(domain, instance, goal, options, source))
    off = replace(options, switches=replace(Switches(), **{name: False}))
    without = plan(PlanningRequest(domain, instance, goal, off, source))
    assert with_it.status is without.status, (with_it.message, without.message)
    assert with_it.best_membership == pytest.approx(without.best_membership, abs=1e-8)


@PROPERTY
@given(world=worlds(), crisp=CRISP, soft=SOFT, data=st.data())
def test_what_is_irrelevant_changes_no_answer(degrees, world, crisp, soft, data):
    request = drawn(world, crisp, soft, data, degrees)
    relevant = plan(PlanningRequest(*request))
    with exhaustive_compilation():
        everything = plan(PlanningRequest(*request))
    assert relevant.status is everything.status, (relevant.message, everything.message)
    assert relevant.best_membership == pytest.approx(everything.best_membership, abs=1e-8)


def test_lazy_judging_asks_for_less(house, state, degrees):
    """Of many cups on many shelves only a few are asked about, and the choice is as good."""
    elements = {"kitchen": "room", "bot": "robot", "table": "support", "shelf": "support"}
    facts = ["at(bot, kitchen)", "in_room(table, kitchen)", "in_room(shelf, kitchen)"]
    given_degrees = {}
    for number in range(200):
        elements[f"cup_{number}"] = "cup mug"
        facts.append(f"on(cup_{number}, shelf)")
        given_degrees[f"serves_as(cup_{number}, drinking)"] = 1.0 if number % 9 == 0 else 0.7
    instance = state(house, elements, facts)
    text = 'on(?x, table) and serves_as(?x, "drinking")'
    goal = check_goal(parse_expression(text), house, instance, text)
    asked = {}
    for lazy in (True, False):
        source = degrees(given_degrees)
        options = PlanningOptions(switches=Switches(lazy=lazy))
        result = plan(PlanningRequest(house, instance, goal, options, source))
        assert result.status is PlanStatus.SOLVED_OPTIMALLY
        assert result.plan.membership == 1.0
        asked[lazy] = len(set(source.asked))
    assert asked[False] >= 600  # to serve, to be grasped, to stand
    assert asked[True] <= asked[False] // 10
