# SPDX-License-Identifier: Apache-2.0
"""A grounder that dies, or hangs, under a waiting plan is noticed, and named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.client import FcpClient, plan_request
from fcp_ros.msg import PlanStatus
from fcp_ros.nodes.stack import NodeStack

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
def bereft(stack_options, tmp_path_factory):
    """Scene graph and planner, and a client."""
    options = stack_options(
        tmp_path_factory.mktemp("bereft"),
        {"task_planner": {"judge_timeout": 600.0, "grounder_wait": 60.0}},
        nodes=("scene_graph", "task_planner"),
        namespace=ROBOT,
    )
    with NodeStack(options) as stack, FcpClient(namespace=ROBOT) as client:
        stack.wait_active()
        client.wait_for("make_plan", timeout=60.0)
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
