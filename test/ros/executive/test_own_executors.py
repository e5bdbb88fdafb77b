# SPDX-License-Identifier: Apache-2.0
"""Two robots with executors of their own, in processes of their own; those of one are killed."""

from __future__ import annotations

import signal

import pytest

from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import Plan
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.stack import StartError

SCENE_TOPICS = ("scene_graph", "scene_changes", "scene_status", "scene_graph_update")
TASK = "on(apple_1, table_1) and on(book_1, table_1)"
"""The apple is in the room of the first robot, the book in that of the second."""


@pytest.fixture
def fleet(make_sites, add_second_robot, tmp_path):
    """An executive of two robots, without their executors; the second is in the living room."""
    sites = make_sites()
    site = sites.start(
        tmp_path,
        nodes=("scene_graph", "grounder", "task_planner", "executive"),
        executive={
            "robot_namespaces": ["robot_1=first", "robot_2"],
            "executor_wait": 60.0,
            "min_step_timeout": 120.0,
        },
    )
    yield add_second_robot(site)
    sites.stop()


@pytest.fixture
def start_robot(fleet, spawn):
    """Starts the executors of a robot: (namespace, how many times as fast, code before)."""

    def start(namespace, speed, before=""):
        renamed = {one: fleet.name(one) for one in SCENE_TOPICS}
        below = fleet.name(namespace).lstrip("/")
        return spawn(
            "executors.simulated_executor", below, before, renamed=renamed, time_scale=speed
        )

    return start


def list_missing(site):
    return str(site.executive.diagnose().values["missing"])


def name_step(step):
    return step.rule, [argument.value for argument in step.arguments]


def list_outcomes(site):
    return [
        (message.step.arguments[0].value, OutcomeCode(message.outcome.code))
        for message in site.outcomes.messages
    ]


HELD = """
from pathlib import Path
from fcp_ros.nodes.executors.simulated_executor import SimulatedExecutorNode as Node
wait = Node._wait
def hold(self, duration, goal, token):
    while not Path({gate!r}).exists():
        if token.wait(0.02):
            return True
    return wait(self, duration, goal, token)
Node._wait = hold
"""
"""Code by which all steps of an executor take until a file is there."""


@pytest.fixture
def loss(fleet, start_robot, until, tmp_path):
    """A goal for both robots, and the first one's executors are killed at its step.

    The second one is at its step until the file is there: (goal, plans before that, file).
    """
    gate = tmp_path / "gate"
    first = start_robot("first", 0.1)
    start_robot("robot_2", 50.0, HELD.format(gate=str(gate)))
    until(
        lambda: not {"first/pick", "robot_2/pick"} & set(list_missing(fleet).split(", ")),
        "both robots",
        60.0,
    )
    plans = fleet.probe.listen(Plan, fleet.name("plan_in_execution"), latched=True)
    goal = fleet.send_achieve(TASK)
    until(lambda: any(len(m.running) == 2 for m in fleet.states.messages), "both at work", 60.0)
    until(lambda: plans.messages, "the plan")
    first.send_signal(signal.SIGKILL)
    yield goal, plans.messages, gate
    plans.close()


def test_steps_are_handed_on_while_the_other_robot_is_still_at_its_step(
    fleet, loss, start_robot, until
):
    goal, plans, gate = loss
    until(lambda: len(plans) > 1, "a plan for the other robot", 60.0)
    old, new = plans
    assert not gate.exists(), "its step can't have ended"
    lost = [("robot_1", OutcomeCode.EXECUTOR_LOST)]
    until(lambda: list_outcomes(fleet) == lost, "the outcome of the lost step")
    assert {agent for step in new.steps for agent in step.agents} == {"robot_2"}
    held = new.steps[0]
    assert name_step(held) in [name_step(step) for step in old.steps]
    assert any(step.arguments[1].value == "apple_1" for step in new.steps)
    until(lambda: fleet.states.messages[-1].plan_id == new.id, "the state of the new plan")
    assert list(fleet.states.messages[-1].running) == [0]

    gate.touch()
    state, result = fleet.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans == 1
    # Topics are not ordered with one another, nor with the goal's result.
    until(lambda: len(fleet.outcomes.messages) == len(new.steps) + 1, "the outcome of each step")
    _, of_held, *others = fleet.outcomes.messages
    assert (of_held.plan_id, name_step(of_held.step)) == (old.id, name_step(held)), "as it was sent"
    done = [(m.plan_id, m.step_index, OutcomeCode(m.outcome.code)) for m in others]
    assert done == [(new.id, at, OutcomeCode.SUCCEEDED) for at in range(1, len(new.steps))]
    assert {("on", ("apple_1", "table_1")), ("on", ("book_1", "table_1"))} <= fleet.relations()
    assert any("left out: robot_1 (" in m.message for m in fleet.states.messages)

    state, result = fleet.achieve("at(robot_1, living_room_1)")
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NO_EXECUTOR)
    assert "left out: robot_1 (" in result.error_msg

    start_robot("first", 50.0)

    def goes() -> bool:  # from when the executive has found its executors again
        return fleet.achieve("at(robot_1, living_room_1)")[0] is GoalState.SUCCEEDED

    until(goes, "the first robot again", 60.0)


def test_a_goal_is_cancelled_while_its_steps_are_handed_on(fleet, loss, until):
    goal, _, _ = loss
    until(lambda: list_outcomes(fleet), "the loss")
    goal.cancel()
    state, result = fleet.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    both = [("robot_1", OutcomeCode.EXECUTOR_LOST), ("robot_2", OutcomeCode.CANCELLED)]
    until(lambda: list_outcomes(fleet) == both, "the outcomes of both")


def test_robots_that_are_unclear_are_refused_at_the_start(make_sites, tmp_path):
    sites = make_sites()
    try:
        with pytest.raises(StartError, match="robot_namespaces: robot_1 is named twice"):
            sites.start(
                tmp_path,
                nodes=("executive",),
                executive={"robot_namespaces": ["robot_1=a", "robot_1=b"]},
            )
    finally:
        sites.stop()
