# SPDX-License-Identifier: Apache-2.0
"""docs/on_your_robot.md with its own files: from a robot with nav2 to the first spoken goal."""

from __future__ import annotations

import re

import pytest

from fcp_ros.client import FcpClient, GoalState, PendingGoal, plan_request
from fcp_ros.nodes.stack import NodeStack

pytest.importorskip("nav2_msgs", reason="`make setup` has not built the tests' interfaces")
from like_nav2 import Drive, LikeNav2
from lone_nodes import lone_node

from fcp_ros.nodes.executors.nav2_executor import Nav2ExecutorNode

NODES = ("scene_graph", "grounder", "task_planner", "executive")
SAID = "go to the living room"


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "on_your_robot.md").read_text(encoding="utf-8")


def block(page, kind):
    return re.search(rf"```{kind}\n(.*?)```", page, flags=re.DOTALL)[1]


@pytest.fixture
def robot(page, stack_options, probe, tmp_path, until):
    """The nodes of the page, started as it says; nav2, and a client."""
    scene, parameters = tmp_path / "my_house.json", tmp_path / "my_params.yaml"
    scene.write_text(block(page, "json"))
    parameters.write_text(block(page, "yaml"))
    nav2 = LikeNav2(probe, "/navigate_to_pose")
    arguments = ("--ros-args", "-r", "__ns:=/robot", "--params-file", str(parameters))
    options = stack_options(
        tmp_path,
        {"executive": {"trust_executors": True}},
        namespace="robot",
        nodes=NODES,
        params_file=parameters,
        scene=str(scene),
    )
    with lone_node(Nav2ExecutorNode, None, *arguments) as driver, NodeStack(options) as stack:
        stack.wait_active()
        until(lambda: driver.is_active and not driver.diagnose().message, "nav2_executor")
        with FcpClient(namespace="robot") as client:
            client.wait_for(timeout=30.0)
            yield client, nav2
    nav2.close()


def send(client) -> PendingGoal:
    request = plan_request("", instruction=SAID, alpha=0.5)
    return client.send_achieve(request, max_replans=0)


def test_the_first_spoken_goal(robot, page, until):
    assert f"instruction: {SAID}," in page
    client, nav2 = robot
    nav2.drive = Drive(hangs=True)
    goal = send(client)
    until(lambda: nav2.goals, "the drive")
    client.goals.stop(client.goals.fetch().goals)
    goal.result(30.0)
    assert goal.poll() is GoalState.CANCELED
    nav2.drive = Drive()
    goal = send(client)
    result = goal.result(30.0)
    assert goal.poll() is GoalState.SUCCEEDED, result
    pose = nav2.goals[-1].pose
    assert (pose.header.frame_id, pose.pose.position.x, pose.pose.position.y) == ("map", 5.4, 1.0)
    goal = send(client)
    goal.result(30.0)
    assert goal.poll() is GoalState.SUCCEEDED
    assert len(nav2.goals) == 2, "it is there already: the scene graph says so"


def test_the_managers_nodes_are_ours(page, repository):
    names = set(re.search(r"node_names: \[(.*?)\]", page)[1].split(", "))
    assert names == {*NODES, "nav2_executor"}
    found = (repository / "config" / "diagnostics.yaml").read_text()
    assert all(f'"{name}"' in found for name in names)
