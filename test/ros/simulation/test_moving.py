# SPDX-License-Identifier: Apache-2.0
"""Plans in a simulator without a robot: steps move entities by SetEntityState, over DDS."""

from __future__ import annotations

import pytest

from fcp_ros.action import ExecuteStep
from fcp_ros.client import FcpClient
from fcp_ros.client.pending import GoalState, PendingGoal
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import PlanRequest
from fcp_ros.nodes.conversions.plan import step_to_ros
from fcp_ros.nodes.simulation.entities import ENTITY
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose

PICK = ("pick", "robot=robot_1 item=bowl_1 support=counter_1 room=kitchen_1")
PLACE = ("place", "robot=robot_1 item=bowl_1 support=counter_1 room=kitchen_1")
GO = ("navigate", "robot=robot_1 from=kitchen_1 to=living_room_1 passage=door_1")


@pytest.fixture
def act(simulate, follow, until, probe):
    """Starts a simulator, and an executor that moves its entities; returns what asks it."""

    def start(time_scale=1000.0, features=None):
        simulator = simulate(features)
        moving = {"simulated_executor": {"simulator": simulator.prefix, "time_scale": time_scale}}
        here = follow(
            simulator,
            nodes=("scene_graph", "simulated_executor"),
            overrides=moving,
            scene="twin_house_furnished",
            hold_reach=0.3,
        )
        until(lambda: ENTITY in here.graph().nodes["bowl_1"].attributes, "the bridge")
        return Acting(here, simulator, until, probe)

    return start


class Acting:
    """Sends steps to the executor."""

    def __init__(self, here, simulator, until, probe):
        self.here, self.simulator, self.until, self._probe = here, simulator, until, probe

    def send(self, rule, arguments):
        pairs = tuple(tuple(part.split("=")) for part in arguments.split())
        step = PlanStep(rule, pairs, 1.0, 1.0, 10.0, rule)
        client = self._probe.action(ExecuteStep, f"/{self.here.space}/{rule}")
        return PendingGoal(client, ExecuteStep.Goal(step=step_to_ros(step)), rule)

    def begin(self, *step):
        """Send a step, and wait until it is under way."""
        goal = self.send(*step)
        self.until(lambda: goal.feedback is not None, "the first progress")
        return goal

    def end(self, goal):
        self.until(lambda: goal.poll().done, "the end of the step", 60.0)
        outcome = goal.result(0.0).outcome
        return OutcomeCode(outcome.code), outcome.message

    def do(self, *step):
        return self.end(self.send(*step))

    def performing(self):
        return self.here.stack.nodes["simulated_executor"].diagnose().values["performing"]


def test_steps_move_the_entities_of_the_simulator(act):
    acting = act()
    world, here = acting.simulator.world, acting.here
    assert acting.do(*PICK)[0] is OutcomeCode.SUCCEEDED
    assert world.where("bowl_1") == world.where("robot_1")
    assert here.has("holding robot_1 bowl_1")
    assert acting.do(*GO)[0] is OutcomeCode.SUCCEEDED
    assert world.where("robot_1")[0] > 4.4
    assert world.where("bowl_1") == world.where("robot_1")
    place = ("place", "robot=robot_1 item=bowl_1 support=table_1 room=living_room_1")
    assert acting.do(*place)[0] is OutcomeCode.SUCCEEDED
    assert here.has("on bowl_1 table_1")
    assert world.where("bowl_1")[2] == pytest.approx(0.785, abs=0.011)
    acting.until(lambda: here.where("bowl_1") == world.where("bowl_1"), "the same place")


def test_what_does_not_stay_where_it_was_put_fails(act):
    acting = act()
    assert acting.do(*PICK)[0] is OutcomeCode.SUCCEEDED
    acting.simulator.world.slip = (0.0, 0.0, -0.5)
    code, message = acting.do(*PLACE)
    assert code is OutcomeCode.POSTCONDITION_FAILED
    assert message == "bowl_1 is 0.50 m from where it was put."


def test_while_the_simulator_is_paused_a_step_waits(act):
    acting = act(time_scale=4.0)
    goal = acting.begin(*PICK)
    acting.simulator.set_state("PAUSED")
    looks = acting.simulator.world.looks + 80  # 4 s: the step takes 2.5
    acting.until(lambda: acting.simulator.world.looks > looks, "some looks of the bridge")
    assert acting.performing()
    acting.simulator.set_state("PLAYING")
    assert acting.end(goal)[0] is OutcomeCode.SUCCEEDED


def test_a_step_in_a_paused_simulator_can_be_cancelled(act):
    acting = act()
    acting.simulator.set_state("PAUSED")
    goal = acting.send(*PICK)
    acting.until(acting.performing, "the step")
    goal.cancel()
    assert acting.end(goal)[0] is OutcomeCode.CANCELLED


def test_a_simulator_that_vanishes_mid_step_is_a_lost_executor(act):
    acting = act(time_scale=4.0)
    goal = acting.begin(*PICK)
    acting.simulator.vanish()
    code, message = acting.end(goal)
    assert code is OutcomeCode.EXECUTOR_LOST
    assert "simulator" in message
    code, message = acting.do(*PICK)
    assert code is OutcomeCode.NODE_INACTIVE
    assert "no simulator offers" in message
    acting.simulator.appear()
    acting.until(lambda: not acting.here.bridge.diagnose().message, "the simulator")
    assert acting.here.where("bowl_1") == (2.2, 0.4, 0.94)


def test_a_world_that_is_reset_mid_step_ends_it(act):
    """The thing in the hand is back at its place: it can't be put down."""
    acting = act(time_scale=4.0)
    assert acting.do(*PICK)[0] is OutcomeCode.SUCCEEDED
    goal = acting.begin(*PLACE)
    acting.simulator.world.reset()
    code, message = acting.end(goal)
    assert code is OutcomeCode.EXECUTION_FAILED
    assert "The world changed meanwhile: holding(robot_1, bowl_1) does not hold" in message
    assert acting.here.has("on bowl_1 counter_1")


def test_without_set_entity_state_nothing_is_moved(act):
    acting = act(features=("ENTITY_STATE_GETTING",))
    code, message = acting.do(*PICK)
    assert (code, message) == (
        OutcomeCode.NODE_INACTIVE,
        "The simulator has no SetEntityState.",
    )


@pytest.fixture
def whole(simulate, follow, until):
    """All nodes, a simulator, a bridge, and a client."""
    simulator = simulate()
    moving = {"simulated_executor": {"simulator": simulator.prefix, "time_scale": 20.0}}
    nodes = ("scene_graph", "grounder", "task_planner", "executive", "simulated_executor")
    here = follow(simulator, nodes=nodes, overrides=moving, hold_reach=0.3)
    until(lambda: here.has("on bowl_1 counter_1", "at robot_1 kitchen_1"), "the world")
    with FcpClient(namespace=here.space) as client:
        client.wait_for("achieve_goal")
        yield simulator, here, client


def test_a_plan_survives_what_happens_in_the_simulator(whole, until):
    """While it runs, the thing to fetch is renamed, another is spawned, and the goal is moved."""
    simulator, here, client = whole
    goal = client.send_achieve(PlanRequest(goal="on(bowl_1, table_1)"))
    until(lambda: here.has("holding robot_1 bowl_1"), "the bowl in the hand", 120.0)
    simulator.world.rename("bowl_1", "SM_Bowl_4")
    simulator.world.spawn("cup_7", "cup", Pose.at(2.0, 0.35, 0.95))
    simulator.world.set_pose("table_1", Pose.at(7.0, 1.5, 0.375))
    until(lambda: goal.poll().done, "the goal", 120.0)
    assert goal.poll() is GoalState.SUCCEEDED, goal.result(0.0)
    assert here.has("on bowl_1 table_1", "on cup_7 counter_1")
    x, y, _ = simulator.world.where("SM_Bowl_4")
    assert abs(x - 7.0) < 0.7
    assert abs(y - 1.5) < 0.4


def test_a_plan_is_made_again_after_a_reset(whole, until):
    simulator, here, client = whole
    goal = client.send_achieve(PlanRequest(goal="on(bowl_1, table_1)"))
    until(lambda: here.has("holding robot_1 bowl_1"), "the bowl in the hand", 120.0)
    simulator.world.reset()
    until(lambda: goal.poll().done, "the goal", 120.0)
    assert goal.poll() is GoalState.SUCCEEDED, goal.result(0.0)
    assert here.has("on bowl_1 table_1")
