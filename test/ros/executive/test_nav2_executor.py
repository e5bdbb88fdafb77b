# SPDX-License-Identifier: Apache-2.0
"""`nav2_executor` on live nodes, with an action server that behaves like nav2's."""

from __future__ import annotations

import itertools
import time

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import TransformStamped

from fcp_ros.action import ExecuteStep
from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.nodes.conversions.plan import step_to_ros
from fcp_ros.nodes.conversions.scene import graph_to_ros
from fcp_ros.nodes.executors.action_executor import ActionExecutor, Translation
from fcp_ros.nodes.executors.nav2_executor import Nav2ExecutorNode
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

pytest.importorskip("nav2_msgs", reason="`make setup` has not built the tests' interfaces")
from like_nav2 import Drive, LikeNav2
from lone_nodes import lone_node
from nav2_msgs.action import NavigateToPose

KITCHEN = SceneNode("kitchen_1", Layer.ROOM, "kitchen", attributes={"stand_x": 1.5, "stand_y": 2.0})
HALL = SceneNode("hall_1", Layer.ROOM, "hall", pose=Pose.at(5.0, 5.0, 0.0))


def graph_of(*nodes, frame="map"):
    return SceneGraph({node.id: node for node in nodes}, frame_id=frame)


@pytest.fixture(scope="module")
def numbers():
    return itertools.count(1)


@pytest.fixture
def serve(probe, numbers, until):
    """Starts the node (with parameters) beside a server like nav2's; returns what asks it."""
    ends = []

    def start(graph=None, *, nav2=True, **parameters):
        namespace = f"driver_{next(numbers)}"
        scenes = probe.node.create_publisher(
            SceneGraphMessage, f"/{namespace}/scene_graph", state_qos()
        )
        scenes.publish(graph_to_ros(graph or graph_of(KITCHEN, HALL), Time()))
        server = LikeNav2(probe, f"/{namespace}/navigate_to_pose") if nav2 else None
        given = {"accept_timeout": 2.0, "stop_timeout": 1.0} | parameters
        running = lone_node(Nav2ExecutorNode, namespace, **given)
        node = running.__enter__()
        ends.append((running, server, scenes))
        ready = [f"missing: nav2's {node.parameters.text('nav2_action')}", ""][nav2]
        until(lambda: node.is_active and node.diagnose().message == ready, "the node")
        executor = node.resolve_service_name(node.parameters.text("executor"))
        return Asker(probe, until, node, server, executor)

    yield start
    for running, server, scenes in ends:
        if server is not None:
            server.released.set()
        running.__exit__(None, None, None)
        if server is not None:
            server.close()
        probe.node.destroy_publisher(scenes)


class Asker:
    """Sends steps to the executor and waits for their outcomes."""

    def __init__(self, probe, until, node, server, executor):
        self.node, self.server, self._until = node, server, until
        self._client = probe.action(ExecuteStep, executor)
        self.feedback = []
        self._meet()

    def _meet(self):
        """Ask for nothing until it is answered.

        The middleware may lose the first answers of a server that was only just found.
        """
        asked, answers = [], []

        def met():
            if not asked or time.monotonic() - asked[-1] > 5.0:
                asked.append(time.monotonic())
                sent = self._client.send_goal_async(ExecuteStep.Goal())
                sent.add_done_callback(lambda one: answers.append(one.result().get_result_async()))
            return any(one.done() for one in answers)

        self._until(met, "the executor's answers", 120.0)

    def send(self, to="kitchen_1", timeout=0.0):
        arguments = (("robot", "robot_1"), ("to", to))
        step = PlanStep("navigate", arguments, 1.0, 1.0, 10.0, "navigate")
        goal = ExecuteStep.Goal(step=step_to_ros(step))
        goal.timeout = Duration(sec=int(timeout), nanosec=int(timeout % 1 * 1e9))
        sent = self._client.send_goal_async(goal, lambda one: self.feedback.append(one.feedback))
        self._until(sent.done, "the executor")
        return sent.result()

    def end(self, handle):
        answer = handle.get_result_async()
        self._until(answer.done, "the outcome")
        result = answer.result().result
        code = OutcomeCode(result.outcome.code)
        succeeded = answer.result().status == GoalStatus.STATUS_SUCCEEDED
        assert succeeded is (code is OutcomeCode.SUCCEEDED)
        return code, result

    def do(self, **given):
        return self.end(self.send(**given))

    def driving(self):
        self._until(lambda: self.server.goals and self.feedback, "the drive")


def test_a_drive_ends_with_the_distance_as_its_quality(serve):
    asker = serve(reach=0.5)
    code, result = asker.do()
    assert code is OutcomeCode.SUCCEEDED
    assert result.quality_measured
    assert result.quality == pytest.approx(0.5)
    (goal,) = asker.server.goals
    assert goal.pose.header.frame_id == "map"
    assert (goal.pose.pose.position.x, goal.pose.pose.position.y) == (1.5, 2.0)
    assert goal.pose.pose.orientation.w == 1.0
    assert asker.feedback[0].message == "4.0 m to go, 1 recoveries"
    assert asker.feedback[-1].progress == 1.0
    asker.server.drive = Drive(told=False)
    code, result = asker.do()
    assert (code, result.quality_measured) == (OutcomeCode.SUCCEEDED, False)
    asker.server.drive = Drive(frame="odom")
    assert not asker.do()[1].quality_measured, "a pose in another frame measures nothing"


@pytest.mark.parametrize(
    ("drive", "code", "says"),
    [
        (Drive(code=208), OutcomeCode.PLANNING_FAILED, "error code 208. as the test wants it"),
        (Drive(code=105), OutcomeCode.EXECUTION_FAILED, "error code 105"),
        (Drive(aborts=True), OutcomeCode.EXECUTION_FAILED, "error code 0"),
        (Drive(aborts=True, told=False), OutcomeCode.NODE_INACTIVE, "where the robot is"),
    ],
)
def test_how_nav2_fails(drive, code, says, serve):
    asker = serve()
    asker.server.drive = drive
    found, result = asker.do()
    assert found is code
    assert says in result.outcome.message
    asker.server.drive = Drive()
    assert asker.do()[0] is OutcomeCode.SUCCEEDED, "the next step is performed"


def test_a_cancelled_drive_ends_when_nav2_has_stopped(serve, until):
    asker = serve()
    asker.server.drive = Drive(hangs=True)
    handle = asker.send()
    asker.driving()
    assert asker.do()[0] is OutcomeCode.BUSY
    handle.cancel_goal_async()
    code, result = asker.end(handle)
    assert code is OutcomeCode.CANCELLED
    assert "was cancelled" in result.outcome.message
    assert len(asker.server.goals) == 1


def test_a_drive_that_does_not_stop_is_said_to_be_moving(serve):
    asker = serve()
    asker.server.drive = Drive(hangs=True, stops=False)
    handle = asker.send()
    asker.driving()
    handle.cancel_goal_async()
    code, result = asker.end(handle)
    assert code is OutcomeCode.EXECUTION_FAILED
    assert "may still be moving" in result.outcome.message


def test_a_drive_that_takes_too_long_is_stopped(serve):
    asker = serve()
    asker.server.drive = Drive(hangs=True)
    code, _ = asker.do(timeout=0.1)
    assert code is OutcomeCode.TIMED_OUT


def test_nav2_that_refuses_or_is_not_there(serve):
    asker = serve(accept_timeout=60.0)
    asker.server.accepts = False
    code, result = asker.do()
    assert code is OutcomeCode.NODE_INACTIVE
    assert "rejected" in result.outcome.message
    alone = serve(nav2=False)
    code, result = alone.do()
    assert code is OutcomeCode.NODE_INACTIVE
    assert "navigate_to_pose has no server" in result.outcome.message


def test_nav2_that_vanishes_while_it_drives(serve, until):
    asker = serve()
    asker.server.drive = Drive(hangs=True)
    handle = asker.send()
    asker.driving()
    asker.server.close()
    code, result = asker.end(handle)
    assert code is OutcomeCode.EXECUTOR_LOST, result.outcome.message


def test_an_unknown_pose_is_refused(serve):
    asker = serve()
    for place, says in (("hall_1", "where a robot stands"), ("attic_1", "no such element")):
        code, result = asker.do(to=place)
        assert code is OutcomeCode.INVALID_ACTION
        assert says in result.outcome.message
    assert not asker.server.goals


def test_an_inactive_node_refuses_and_stops_driving(serve):
    asker = serve()
    asker.server.drive = Drive(hangs=True)
    handle = asker.send()
    asker.driving()
    asker.node.trigger_deactivate()
    assert asker.end(handle)[0] is OutcomeCode.NODE_INACTIVE
    code, result = asker.do()
    assert code is OutcomeCode.NODE_INACTIVE
    assert "lifecycle set" in result.outcome.message
    asker.node.trigger_activate()
    asker.server.drive = Drive()
    assert asker.do()[0] is OutcomeCode.SUCCEEDED


def test_poses_are_brought_into_the_frame_of_nav2(tf2, serve, probe, until):
    """The house's origin is at (10, 0) of the map, a quarter turn to the left."""
    from tf2_msgs.msg import TFMessage

    link = TransformStamped(child_frame_id="house")
    link.header.frame_id = "map"
    link.transform.translation.x = 10.0
    link.transform.rotation.z = link.transform.rotation.w = 0.5**0.5
    publisher = probe.node.create_publisher(TFMessage, "/tf_static", state_qos())
    publisher.publish(TFMessage(transforms=[link]))
    asker = serve(graph_of(KITCHEN, frame="house"))
    try:
        code, result = asker.do()
        assert code is OutcomeCode.SUCCEEDED, result.outcome.message
    finally:
        probe.node.destroy_publisher(publisher)
    pose = asker.server.goals[0].pose
    assert pose.header.frame_id == "map"
    assert (pose.pose.position.x, pose.pose.position.y) == pytest.approx((8.0, 1.5))
    assert pose.pose.orientation.z == pytest.approx(0.5**0.5)
    lost = serve(graph_of(KITCHEN, frame="moon"))
    code, result = lost.do()
    assert code is OutcomeCode.INVALID_ACTION
    assert "'moon'" in result.outcome.message


def test_the_executive_drives_with_nav2(serve, brain, plan_of):
    brain.set("executive", trust_executors=True)
    place = {"stand_x": 5, "stand_y": 1}
    graph = graph_of(SceneNode("living_room_1", Layer.ROOM, "living_room", attributes=place))
    asker = serve(graph, executor=brain.name("navigate"))
    state, result = brain.execute(plan_of("navigate robot_1 kitchen_1 living_room_1 door_1"))
    assert state is GoalState.SUCCEEDED, result
    (outcome,) = result.outcomes
    assert outcome.quality == pytest.approx(0.75)
    assert asker.server.goals[0].pose.pose.position.x == 5.0


def test_a_cancel_that_comes_while_the_goal_is_made_counts(probe, until):
    nav2 = LikeNav2(probe, "/early/navigate_to_pose")
    nav2.drive = Drive(hangs=True)

    def make_goal(run):
        until(lambda: run.goal.is_cancel_requested, "the cancel")
        return NavigateToPose.Goal()

    translation = Translation(make_goal, lambda *_: None, lambda _: (0.0, ""))
    executor = ActionExecutor(
        probe.node, "/early/navigate", NavigateToPose, "/early/navigate_to_pose", translation
    )
    until(lambda: executor.is_ready, "the server")
    asker = Asker(probe, until, None, nav2, "/early/navigate")
    handle = asker.send()
    handle.cancel_goal_async()
    assert asker.end(handle)[0] is OutcomeCode.CANCELLED
    executor.close()
    nav2.close()
