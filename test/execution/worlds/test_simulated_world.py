# SPDX-License-Identifier: Apache-2.0
"""The simulated world: the planner's rules, with faults and chance."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import facts
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.simulated_world import (
    QualityModel,
    SimulatedWorld,
    parse_faults,
    parse_success,
)
from fcp_ros.planning.verification.stepping import StepRules


def test_a_plan_succeeds_with_its_effects_quality_and_durations(household, flat, fetch):
    world = SimulatedWorld(household, flat)
    results = [world.perform(step) for step in fetch]
    assert [r.outcome.code for r in results] == [OutcomeCode.SUCCEEDED] * 3
    assert all(r.delta and 0.8 <= r.outcome.quality <= 1.0 for r in results)
    assert [r.duration for r in results] == [5.0] * 3
    mug, router = (world.instance.id_of(name) for name in ("mug_1", "router_1"))
    assert world.instance.find_tuple("on", (mug, router)) is not None


def test_a_step_whose_conditions_do_not_hold_changes_nothing(household, flat, fetch):
    world = SimulatedWorld(household, flat)
    result = world.perform(fetch[1])
    assert result.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert "at(robot_1, kitchen)" in result.outcome.message
    assert world.instance == flat


def test_an_unknown_step_is_an_invalid_action(household, flat, step):
    result = SimulatedWorld(household, flat).perform(step("fly", "robot_1"))
    assert result.outcome.code is OutcomeCode.INVALID_ACTION


@pytest.mark.parametrize(
    "code", ["PLANNING_FAILED", "EXECUTION_FAILED", "POSTCONDITION_FAILED", "INVALID_ACTION"]
)
def test_an_injected_failure_happens_as_often_as_it_says(household, flat, fetch, code):
    world = SimulatedWorld(household, flat, faults=parse_faults([f"navigate: {code} x2"]))
    results = [world.perform(fetch[0]) for _ in range(3)]
    assert [r.outcome.code.name for r in results] == [code, code, "SUCCEEDED"]
    assert [bool(r.delta) for r in results] == [False, False, True]


def test_hanging_and_crashed_steps_never_end_but_only_one_answers(household, flat, fetch):
    world = SimulatedWorld(
        household, flat, faults=parse_faults(["navigate: hang x1", "navigate: crash x1"])
    )
    hanging = world.begin(fetch[0])
    assert (hanging.outcome, hanging.answers) == (None, True)
    crashed = world.begin(fetch[0])
    assert (crashed.outcome, crashed.answers) == (None, False)
    with pytest.raises(ValueError, match="never completes"):
        world.complete(crashed)
    assert world.instance == flat


def test_a_delay_takes_longer_and_succeeds(household, flat, fetch):
    world = SimulatedWorld(household, flat, faults=parse_faults(["navigate: delay 20"]))
    performance = world.begin(fetch[0])
    assert performance.duration == 25.0
    assert performance.outcome.succeeded


def test_a_cancelled_step_changes_nothing(household, flat, fetch):
    world = SimulatedWorld(household, flat)
    result = world.perform(fetch[0], cancelled=lambda: True)
    assert result.outcome.code is OutcomeCode.CANCELLED
    assert world.instance == flat


def test_a_world_that_changed_meanwhile_lets_the_step_fail(household, flat, fetch):
    world = SimulatedWorld(household, flat)
    world.perform(fetch[0])
    performance = world.begin(fetch[1])
    world.replace(flat)  # somebody took the robot back
    result = world.complete(performance)
    assert result.outcome.code is OutcomeCode.EXECUTION_FAILED
    assert "changed meanwhile" in result.outcome.message
    assert world.instance == flat


def test_chance_is_seeded_and_follows_the_probability(household, flat, fetch):
    success = parse_success(1.0, ["navigate: 0.3"])

    def outcomes(seed):
        world = SimulatedWorld(household, flat, success=success, seed=seed)
        return [world.begin(fetch[0]).outcome.code for _ in range(300)]

    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 60 <= outcomes(1).count(OutcomeCode.SUCCEEDED) <= 120


def test_qualities_stay_in_their_range(household, flat, fetch):
    world = SimulatedWorld(household, flat, quality=QualityModel(mean=0.9, spread=0.5))
    qualities = [world.begin(fetch[0]).outcome.quality for _ in range(100)]
    assert all(0.0 <= quality <= 1.0 for quality in qualities)
    assert len(set(qualities)) > 10


choices = st.lists(st.integers(0, 6), max_size=12)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(choices=choices, seed=st.integers(0, 5))
def test_whatever_fails_the_world_stays_one_that_the_rules_allow(
    household, flat, step, choices, seed
):
    """Twin: the same successes, applied one by one by the rules, give the same state."""
    menu = (
        step("navigate", "robot_1", "hall", "kitchen", "door_1"),
        step("navigate", "robot_1", "kitchen", "hall", "door_1"),
        step("pick", "robot_1", "mug_1", "table_1", "kitchen"),
        step("place", "robot_1", "mug_1", "router_1", "kitchen"),
        step("open", "robot_1", "fridge_1", "kitchen"),
        step("take_out", "robot_1", "milk_1", "fridge_1", "kitchen"),
        step("place", "robot_1", "milk_1", "router_1", "kitchen"),
    )
    world = SimulatedWorld(
        household,
        flat,
        faults=parse_faults(["pick: EXECUTION_FAILED x1", "open: POSTCONDITION_FAILED x1"]),
        success=parse_success(0.7, []),
        seed=seed,
    )
    rules, expected = StepRules(household), flat
    for choice in choices:
        before = world.instance
        result = world.perform(menu[choice])
        if result.outcome.succeeded:
            expected = rules.apply(menu[choice], expected).instance
        else:
            assert world.instance is before
        assert facts(world.instance) == facts(expected)
        assert not find_conflicts(world.instance)
