# SPDX-License-Identifier: Apache-2.0
"""The planner without a node that it needs: named, or waited for where its word is on its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.client import FcpClient, is_solved, plan_request
from fcp_ros.msg import Plan, PlanStatus, SceneStatus
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.nodes.conversions.scene import graph_to_ros
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.server_life import read_participant
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.package_files import find_scene
from fcp_ros.scene import load_scene

MUG_TO_COUNTER = "on(mug_1, counter_1)"


def test_missing_grounder_is_named(live, tmp_path):
    with live(
        tmp_path,
        {"task_planner": {"grounder_wait": 0.0}},
        nodes=("scene_graph", "task_planner"),
        namespace="alone",
    ) as (_, client):
        result = client.plan(MUG_TO_COUNTER)
        assert result.status.code == PlanStatus.NO_JUDGEMENT
        assert "start the node grounder" in result.status.message
        crisp = client.plan("at(robot_1, living_room_1)")
        assert is_solved(crisp), crisp.status.message


def test_missing_scene_is_named(live, tmp_path):
    with live(
        tmp_path, {"task_planner": {"scene_wait": 0.0}}, nodes=("task_planner",), namespace="blind"
    ) as (_, client):
        result = client.plan(MUG_TO_COUNTER)
        assert result.status.code == PlanStatus.INVALID_REQUEST
        assert "load_scene" in result.status.message
        assert "load_scene" in client.validate(Plan()).message


def test_the_first_word_of_a_keeper_is_waited_for(stack_options, tmp_path, probe, until):
    """Graph, discovery and status come one by one: the planner waits, and doesn't refuse (CI)."""
    options = stack_options(
        tmp_path,
        {"task_planner": {"grounder_wait": 0.0}},
        nodes=("task_planner",),
        namespace="early",
    )
    graphs = probe.node.create_publisher(SceneGraphMessage, "/early/scene_graph", state_qos())
    words = probe.node.create_publisher(SceneStatus, "/early/scene_status", state_qos())
    house = load_scene(find_scene("twin_house_furnished"))
    try:
        with NodeStack(options) as stack, FcpClient(namespace="early") as client:
            stack.wait_active()
            heard = (graphs.get_subscription_count, words.get_subscription_count)
            until(lambda: all(count() for count in heard), "the planner's subscriptions")
            graphs.publish(graph_to_ros(house, probe.node.get_clock().now().to_msg()))
            refused = client.plan("at(robot_1, living_room_1)", time_limit=2.0)
            assert refused.status.code == PlanStatus.SCENE_LOST
            assert "not yet said" in refused.status.message
            late = threading.Timer(0.5, lambda: words.publish(make_word(probe, graphs)))
            late.start()
            result = client.plan("at(robot_1, living_room_1)")
            late.join()
            assert is_solved(result), result.status.message
    finally:
        probe.node.destroy_publisher(graphs)
        probe.node.destroy_publisher(words)


def make_word(probe, graphs) -> SceneStatus:
    """The word of the node that has this publisher: it keeps the graph."""
    mine = probe.node.get_publishers_info_by_topic(graphs.topic_name)
    participant = list(read_participant(mine[0]))
    return SceneStatus(participant=participant, state=SceneStatus.LIVE)


# --- A grounder that dies, or hangs, under a waiting plan is noticed, and named


ROBOT = "bereft"

GROUNDER = """
import sys, threading, time
import rclpy
from fcp_ros.msg import GroundingInfo
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.server_life import LifeSign
from fcp_ros.srv import JudgePredicates

def judge(request, response):  # never answers
    print("asked", flush=True)
    time.sleep(1000.0)

rclpy.init()
node = rclpy.create_node("grounder", namespace=sys.argv[1])
node.create_publisher(GroundingInfo, "grounding_info", state_qos())
sign = LifeSign(node)
node.create_service(JudgePredicates, "judge", judge)
rclpy.spin(node)
"""
"""A grounder as slow as a model that is being loaded: whoever asks it waits."""


@pytest.fixture(scope="module")
def bereft(live, tmp_path_factory):
    """Scene graph and planner, and a client."""
    with live(
        tmp_path_factory.mktemp("bereft"),
        {"task_planner": {"judge_timeout": 600.0, "grounder_wait": 60.0}},
        nodes=("scene_graph", "task_planner"),
        namespace=ROBOT,
        offers=("make_plan",),
    ) as (stack, client):
        yield stack.nodes["task_planner"], client


@pytest.fixture
def grounder():
    """A grounder in a process of its own."""
    child = subprocess.Popen(
        [sys.executable, "-c", GROUNDER, f"/{ROBOT}"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    yield child
    child.send_signal(signal.SIGCONT)
    child.kill()
    child.wait(10.0)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_grounder_lost_under_a_waiting_plan_is_named(bereft, grounder, until, how):
    node, client = bereft
    request = plan_request("on(mug_1, counter_1)", alpha=0.5, time_limit=500.0)
    until(lambda: node._judge.is_there, "the grounder")
    heard = node._judge.life._processes
    until(lambda: len(heard) == 1 + (how == signal.SIGSTOP), "its sign of life")
    goal = client.send_plan(request)
    assert grounder.stdout.readline() == "asked\n"
    grounder.send_signal(how)
    result = goal.result(60.0).result
    assert result.status.code == PlanStatus.NO_JUDGEMENT
    assert f"/{ROBOT}/grounder has died, or is stopped" in result.status.message
    until(lambda: "has died" in node.diagnose().message, "the diagnosis")
    assert node.diagnose().level == DiagnosticStatus.WARN
    # Discovery lists it for 20 s more; the next plan does not wait for it either.
    again = client.send_plan(request).result(60.0).result
    assert again.status.code == PlanStatus.NO_JUDGEMENT
    assert "has died" in again.status.message
    # A plan that needs no degree is made all the same.
    holds = client.plan("in_room(counter_1, kitchen_1)", relax=False, time_limit=50.0)
    assert holds.status.code != PlanStatus.NO_JUDGEMENT
