# SPDX-License-Identifier: Apache-2.0
"""The executive pauses between two steps, goes on, and does single steps, with live nodes."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.client import GoalState
from fcp_ros.msg import ExecutionState, ExecutiveGoal


@pytest.fixture
def control(here):
    """The control of the goals; nothing is paused afterwards."""
    yield here.client.goals
    here.client.goals.stop(here.client.goals.fetch().goals)
    here.client.goals.resume()


def test_a_pause_lets_the_present_step_end_and_no_other_begin(here, control, to_and_fro):
    goal = here.send_execute(to_and_fro(40.0))  # a step takes 0.4 s
    here.until(here.performing, "the first step")
    assert control.pause().success
    here.states.wait(lambda m: m.paused and "goes on to its end" in m.message)
    assert here.codes(1)
    state = here.states.wait(lambda m: m.state == ExecutionState.PAUSED)
    assert state.step_index == 0
    assert here.performing() == ""
    assert control.fetch().goals[0].status == ExecutiveGoal.PAUSED
    assert control.fetch().paused
    rest = control.remaining_plan()
    assert (rest.success, list(rest.positions), len(rest.steps)) == (True, [1], 1)
    assert here.executive.diagnose().values["paused"]
    assert control.resume().success
    assert here.end_of(goal)[0] is GoalState.SUCCEEDED
    assert not control.remaining_plan().success


def test_steps_are_done_one_by_one(here, control, to_and_fro):
    control.pause()
    assert "Paused" in here.states.wait(lambda m: m.paused).message  # without a goal, too
    goal = here.send_execute(to_and_fro())
    here.states.wait(lambda m: m.state == ExecutionState.PAUSED)
    assert not here.outcomes.messages
    control.step()
    assert here.codes(1)
    here.until(lambda: list(control.remaining_plan().positions) == [1], "the second step's turn")
    here.states.wait(lambda m: m.state == ExecutionState.PAUSED and m.step_index == 0)
    assert not goal.poll().done
    control.step()
    assert here.end_of(goal)[0] is GoalState.SUCCEEDED


def test_an_unknown_operation_is_refused(here, control):
    answer = control._control(7)
    assert not answer.success
    assert answer.message == "operation is 7: it must be from 1 to 3."


def test_the_command_lists_pauses_and_stops_goals(here, control, to_and_fro, slow):
    def run(*words: str) -> str:
        given = ["goals", "--namespace", here.stack.options.namespace, *words]
        result = CliRunner().invoke(app, given, env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.output

    assert "No goals." in run()
    plan = to_and_fro(slow)
    goal = here.send_execute(plan)
    here.until(here.performing, "the first step")
    listed = run()
    assert "executing" in listed
    assert plan.goal in listed
    assert "Paused: no further step begins" in run("--pause")
    assert "2. navigate(robot_1, living_room_1" in run("--remaining")
    assert '"status": "executing"' in run("--json")
    assert "Asked to stop" in run("--stop-all")
    assert here.end_of(goal)[0] is GoalState.CANCELED
    assert "Steps may begin again" in run("--resume")
    result = CliRunner().invoke(
        app, ["goals", "--namespace", here.stack.options.namespace, "--stop", "ab"]
    )
    assert result.exit_code == 1
    assert "no goal has an id that begins with ab" in result.output
