# SPDX-License-Identifier: Apache-2.0
"""The scene_graph node dies, hangs or is deactivated: nothing is sent, learned or planned then.

Live nodes; the one that keeps the scene is a process of its own.
"""

from __future__ import annotations

import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition

from fcp_ros.client import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ExecutionState, PlanStatus
from fcp_ros.nodes.executive.parameters import GoalError, PlanError

OTHERS = ("grounder", "task_planner", "executive", "simulated_executor")
ROBOT = "orphaned"
MUG_TO_COUNTER = "on(mug_1, counter_1)"
WAYS = ("killed", "stopped", "deactivated")


class Keeper:
    """The process of the scene_graph node; `sites` gets the site of all other nodes."""

    def __init__(self, spawn, folder) -> None:
        self.sites = []
        self._spawn = spawn
        self._file = folder / "scene.sqlite"
        self.process = None
        self._way = ""

    @property
    def _node(self) -> str:
        return f"/{ROBOT}/scene_graph"

    def start(self) -> None:
        """Start the node; after a crash it finds what the last one has left."""
        self.process = self._spawn(
            "scene_graph.node", ROBOT, scene="twin_house_furnished", last_graph=self._file
        )

    def lose(self, way: str) -> None:
        """Lose the node."""
        self._way = way
        if way == "killed":
            self.process.kill()
        elif way == "stopped":
            self.process.send_signal(signal.SIGSTOP)
        else:
            assert self.sites[0].probe.change_state(self._node, Transition.TRANSITION_DEACTIVATE)

    def bring_back(self) -> None:
        """Bring the node back."""
        way, self._way = self._way, ""
        if way == "killed":
            self.start()
        elif way == "stopped":
            self.process.send_signal(signal.SIGCONT)
        elif way == "deactivated":
            assert self.sites[0].probe.change_state(self._node, Transition.TRANSITION_ACTIVATE)


@pytest.fixture(scope="module")
def keeper(spawn_for_many, tmp_path_factory):
    """Starts and loses the scene_graph node."""
    made = Keeper(spawn_for_many, tmp_path_factory.mktemp("kept"))
    made.start()
    return made


@pytest.fixture(scope="module")
def orphans(make_sites, keeper, tmp_path_factory):
    """All nodes but the one that keeps the scene."""
    sites = make_sites()
    keeper.sites.append(
        sites.start(
            tmp_path_factory.mktemp("orphans"),
            nodes=OTHERS,
            robot=ROBOT,
            simulated_executor={"time_scale": 20.0},
        )
    )
    yield keeper.sites[0]
    sites.stop()


@pytest.fixture
def here(orphans, keeper):
    """The nodes, with a scene that is kept; a lost one is brought back at the end."""
    owner = orphans.executive._owner
    orphans.until(lambda: not owner.is_lost, "a scene that is kept", 60.0)
    orphans.until(lambda: not planner_is_blind(orphans), "the scene at the planner")
    orphans.reset()
    yield orphans
    keeper.bring_back()
    orphans.until(lambda: not owner.is_lost, "a scene that is kept", 60.0)


def planner_is_blind(site) -> bool:
    return site.stack.nodes["task_planner"]._owner.is_lost


def evidence(site) -> int:
    return int(site.stack.nodes["grounder"].diagnose().values["evidence"])


def notice(site) -> None:
    """Wait until the executive has noticed."""
    site.until(lambda: site.executive._owner.is_lost, "that the loss is noticed")


def test_a_goal_without_a_kept_scene_sends_and_learns_nothing(here, keeper):
    """However it was lost: the next test has all ways."""
    before = evidence(here)
    keeper.lose("killed")
    notice(here)
    state, answer = here.achieve(MUG_TO_COUNTER)
    assert (state, answer.error_code) == (GoalState.ABORTED, GoalError.SCENE_LOST)
    assert "scene_graph" in answer.error_msg
    assert not here.outcomes.messages
    assert evidence(here) == before
    here.until(lambda: planner_is_blind(here), "that the planner notices")
    planned = here.client.plan(MUG_TO_COUNTER, alpha=0.5)
    assert planned.status.code == PlanStatus.SCENE_LOST


@pytest.mark.parametrize("way", WAYS)
def test_execution_goes_on_when_the_scene_is_kept_again(here, keeper, way):
    before = evidence(here)
    goal = here.send_achieve(MUG_TO_COUNTER)
    # One that was only taken looks at the scene first, and would be refused: SCENE_LOST, unbegun.
    here.until(lambda: goal.feedback is not None and goal.feedback.progress > 0.0, "a step begun")
    keeper.lose(way)
    waiting = here.states.wait(lambda one: one.state == ExecutionState.SCENE_LOST)
    assert "stale" in waiting.message
    here.until(lambda: not here.performing(), "the end of the step under way")
    sent = len(here.outcomes.messages)
    here.until(lambda: here.executive._threads.is_busy, "the goal")
    assert not here.performing(), "nothing more is sent"
    keeper.bring_back()
    # A process that starts on a busy machine may take longer than an answer (31 s at load 18).
    here.until(lambda: not here.executive._owner.is_lost, "a scene that is kept", 60.0)
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert answer.replans == 0, "what was done meanwhile was not forgotten"
    codes = {OutcomeCode(one.outcome.code) for one in answer.outcomes}
    assert codes == {OutcomeCode.SUCCEEDED}
    assert len(answer.outcomes) > sent
    assert evidence(here) >= before
    relations = here.relations()
    assert ("on", ("mug_1", "counter_1")) in relations


def test_a_goal_that_is_kept_outlasts_a_lost_scene(here, keeper):
    goal = here.send_achieve("always on(mug_1, table_1)")
    here.until(lambda: here.executive._threads.count_resting, "that it is kept")
    keeper.lose("killed")
    notice(here)
    assert here.executive._threads.count_resting
    keeper.bring_back()
    here.until(lambda: not here.executive._owner.is_lost, "a scene that is kept", 60.0)
    here.until(lambda: not planner_is_blind(here), "the scene at the planner", 60.0)
    state, answer = here.achieve(MUG_TO_COUNTER)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    here.until(lambda: ("on", ("mug_1", "table_1")) in here.relations(), "the mug back", 60.0)
    assert not goal.poll().done
    goal.cancel()
    assert here.end_of(goal)[0] is GoalState.CANCELED


def test_a_scene_that_stays_away_ends_the_goal(here, keeper, plan_of):
    here.set("executive", scene_wait=1.0)
    goal = here.send_achieve(MUG_TO_COUNTER)
    # An executor that is busy may still be looking if there is a scene; progress comes after that.
    here.until(lambda: goal.feedback and goal.feedback.progress > 0.0, "a step at work")
    keeper.lose("killed")
    state, answer = here.end_of(goal)
    here.set("executive", scene_wait=60.0)
    assert (state, answer.error_code) == (GoalState.ABORTED, GoalError.SCENE_LOST)
    doubtful = [one for one in answer.outcomes if one.scene_lost]
    assert doubtful == [answer.outcomes[-1]], "the step under way ended by its executor's word"
    assert OutcomeCode(doubtful[0].outcome.code) is OutcomeCode.SUCCEEDED
    # The same for a plan that was made elsewhere.
    plan = plan_of("navigate robot_1 kitchen_1 living_room_1 door_1")
    state, answer = here.execute(plan)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.SCENE_LOST)


def test_a_respawned_scene_is_the_last_live_one(here, keeper):
    state, answer = here.achieve(MUG_TO_COUNTER)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    before, number = here.relations(), here.executive._scene.sequence
    keeper.lose("killed")
    notice(here)
    keeper.bring_back()
    here.until(lambda: not here.executive._owner.is_lost, "a scene that is kept", 60.0)
    here.until(lambda: here.executive._scene.sequence > number, "the restored scene")
    assert here.relations() == before
    state, answer = here.achieve(MUG_TO_COUNTER)
    assert (state, list(answer.outcomes)) == (GoalState.SUCCEEDED, []), answer.error_msg


def test_diagnostics_name_who_is_missing_and_how_old_the_scene_is(here, keeper, probe):
    inbox = probe.listen(DiagnosticArray, "/diagnostics")
    keeper.lose("killed")
    for node in ("executive", "task_planner", "simulated_executor"):
        name = here.name(node)
        found = inbox.wait(
            lambda one, name=name: (
                one.status[0].name == name and one.status[0].level == DiagnosticStatus.ERROR
            )
        )
        assert "stale" in found.status[0].message
        # "... has died", or, where discovery has dropped it by then, "no node publishes ...".
        assert f"/{ROBOT}/scene_graph" in found.status[0].message
        assert " s)" in found.status[0].message
    inbox.close()
