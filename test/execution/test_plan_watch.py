# SPDX-License-Identifier: Apache-2.0
"""Which changes of the world matter to a plan, and what they mean for it."""

from __future__ import annotations

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.execution.monitoring import replay
from fcp_ros.execution.plan_watch import PlanWatch
from fcp_ros.execution.step_application import StepRules


@pytest.fixture(scope="module")
def rules(household):
    return StepRules(household)


@pytest.fixture
def watch(rules, fetch):
    return PlanWatch(rules, fetch)


def without(instance, relation, *names):
    builder = InstanceBuilder.of(instance)
    builder.unrelate(relation, *map(builder.id_of, names))
    return builder.build()


def test_only_elements_of_the_rest_matter(watch):
    assert watch.affected(0, {"mug_1", "fridge_1", "hall"}) == ("hall", "mug_1")
    assert watch.affected(1, {"mug_1", "fridge_1", "hall"}) == ("mug_1",)
    assert watch.affected(2, {"table_1", "fridge_1"}) == ()
    assert watch.affected(2, frozenset()) == ()
    assert watch.affected(2, None) == ("robot_1", "mug_1", "router_1", "kitchen")


def test_a_world_as_it_was_is_no_problem(watch, rules, flat, fetch):
    state = flat
    for index, step in enumerate(fetch):
        assert watch.problem(index, state) == "", "before the step"
        state = rules.apply(step, state).instance
        assert watch.problem(index, state) == "", "after the step"


def test_what_will_be_missing_is_said_steps_before(watch, flat, fetch, rules):
    gone = without(flat, "on", "mug_1", "table_1")
    words = watch.problem(0, gone)
    assert words.startswith("step 2 of 3, pick(")
    assert "on(mug_1, table_1) does not hold" in words
    arrived = rules.apply(fetch[0], gone).instance
    assert watch.problem(0, arrived) == words, "at the end of the first step as well"


def test_the_step_that_is_being_done_is_not_judged(watch, flat):
    """On its way the robot is nowhere for a while, or in a room between."""
    assert watch.problem(0, without(flat, "at", "robot_1", "hall")) == ""


def test_what_does_not_matter_could_not_have_changed_the_answer(watch, rules, flat, fetch):
    """The claim behind `affected`, tried out: facts about other elements alone change nothing."""
    others = {"fridge_1", "milk_1", "mug_2"}
    state = without(without(flat, "closed", "fridge_1"), "inside", "milk_1", "fridge_1")
    assert watch.affected(0, others) == ()
    assert watch.problem(0, state) == watch.problem(0, flat) == ""
    assert replay(rules, fetch, state) == replay(rules, fetch, flat) == ""
