# SPDX-License-Identifier: Apache-2.0
"""What steps do to states, and why some can't be done."""

from __future__ import annotations

import re

import pytest

from fcp_ros.cset import Fact, facts
from fcp_ros.execution.monitoring import Monitor, replay
from fcp_ros.execution.step_application import StepRules, UnknownStep


@pytest.fixture(scope="module")
def rules(household):
    return StepRules(household)


def test_a_plan_leads_where_it_says(rules, flat, fetch):
    state = flat
    for step in fetch:
        application = rules.apply(step, state)
        assert application.problems == ()
        state = application.instance
    changed = facts(state) ^ facts(flat)
    assert changed == {
        Fact("at", ("robot_1", "hall")),
        Fact("at", ("robot_1", "kitchen")),
        Fact("on", ("mug_1", "table_1")),
        Fact("on", ("mug_1", "router_1")),
    }


def test_the_change_is_what_the_rule_says(rules, flat, fetch):
    delta = rules.apply(fetch[0], flat).delta
    assert delta.added == (Fact("at", ("robot_1", "kitchen")),)
    assert delta.removed == (Fact("at", ("robot_1", "hall")),)
    added, removed = rules.effects(fetch[0])
    assert (added, removed) == (set(delta.added), set(delta.removed))


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        ("pick", ("robot_1", "mug_1", "table_1", "kitchen"), r"at\(robot_1, kitchen\) does not"),
        ("pick", ("robot_1", "mug_9", "table_1", "kitchen"), r"no element 'mug_9'"),
        ("pick", ("robot_1", "table_1", "table_1", "kitchen"), r"'table_1' is a 'table'.*'item'"),
        ("navigate", ("robot_1", "hall", "hall", "door_1"), r"connected\(hall, hall, door_1\)"),
        ("take_out", ("robot_1", "milk_1", "fridge_1", "kitchen"), r"at\(robot_1, kitchen\)"),
    ],
)
def test_a_step_that_cannot_be_done_says_why(rules, flat, step, rule, values, said):
    application = rules.apply(step(rule, *values), flat)
    assert application.instance is None
    assert not application.delta
    assert re.search(said, " ".join(application.problems)), application.problems


def test_a_negated_condition_is_named(rules, flat, step, fetch):
    kitchen = rules.apply(fetch[0], flat).instance
    application = rules.apply(step("take_out", "robot_1", "milk_1", "fridge_1", "kitchen"), kitchen)
    assert "closed(fridge_1)" in " ".join(application.problems)


def test_a_constraint_stops_a_step(rules, flat, step, fetch):
    state = rules.apply(fetch[0], flat).instance
    for made in (
        step("open", "robot_1", "fridge_1", "kitchen"),
        step("take_out", "robot_1", "milk_1", "fridge_1", "kitchen"),
    ):
        state = rules.apply(made, state).instance
    spill = rules.apply(step("place", "robot_1", "milk_1", "router_1", "kitchen"), state)
    assert spill.instance is None
    assert "no_liquid_over_electronics" in " ".join(spill.problems)
    assert rules.apply(step("place", "robot_1", "milk_1", "table_1", "kitchen"), state).instance


def test_steps_that_the_domain_does_not_have(rules, flat, step):
    with pytest.raises(UnknownStep, match="no rule 'fly'"):
        rules.apply(step("fly", "robot_1"), flat)
    with pytest.raises(UnknownStep, match="takes the parameters robot, item, support, room"):
        rules.apply(step("pick", "robot_1", "mug_1"), flat)


def test_the_monitor_looks_at_the_present_state(rules, flat, fetch):
    states = [flat]
    monitor = Monitor(rules, lambda: states[-1])
    assert monitor.unmet(fetch[0]) == ""
    assert "at(robot_1, kitchen) does not hold" in monitor.unmet(fetch[1])
    unseen = monitor.unseen(fetch[0])
    assert unseen == "at(robot_1, kitchen) does not hold. at(robot_1, hall) still holds."
    states.append(rules.apply(fetch[0], flat).instance)
    assert monitor.unmet(fetch[1]) == ""
    assert monitor.unseen(fetch[0]) == ""


def test_the_monitor_answers_for_unknown_steps_too(rules, flat, step):
    assert "no rule 'fly'" in Monitor(rules, lambda: flat).unmet(step("fly", "robot_1"))


def test_replaying_finds_the_first_step_that_does_not_hold(rules, flat, fetch, step):
    assert replay(rules, fetch, flat) == ""
    assert replay(rules, (), flat) == ""
    moved = rules.apply(fetch[0], flat).instance
    assert "step 1 of 3" in replay(rules, fetch, moved)
    again = (*fetch[:2], fetch[1])
    said = replay(rules, again, flat)
    assert "step 3 of 3" in said
    assert "on(mug_1, table_1) does not hold" in said
    assert "no action of the domain" in replay(rules, (step("fly"),), flat)
