# SPDX-License-Identifier: Apache-2.0
"""The network between the executive and its executors is cut, and comes back.

Two network namespaces stand for two machines: processes do not see each other, and share no memory.
That takes root (or CAP_SYS_ADMIN); elsewhere the test is skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from child_output import wait_for_line

from fcp_ros.nodes.executive.parameters import GoalError

UDP_ONLY = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles"><profiles>
  <transport_descriptors><transport_descriptor>
    <transport_id>udp</transport_id><type>UDPv4</type>
  </transport_descriptor></transport_descriptors>
  <participant profile_name="udp" is_default_profile="true"><rtps>
    <userTransports><transport_id>udp</transport_id></userTransports>
    <useBuiltinTransports>false</useBuiltinTransports>
  </rtps></participant>
</profiles></dds>
"""
"""Fast DDS would go through memory that both namespaces share."""

ROBOT = """
import sys
from pathlib import Path
from fcp_ros.client import FcpClient, plan_request
from fcp_ros.nodes.stack import NodeStack, StackOptions

folder = sys.argv[1]
options = StackOptions(
    ("scene_graph", "task_planner", "executive"), scene="twin_house_furnished", log_level="error",
    overrides={
        "scene_graph": {"last_graph": f"{folder}/scene.sqlite"},
        "task_planner": {"grounder_wait": 0.0},
        "executive": {"executor_wait": 60.0, "grace_time": 2.0, "world": "simulated",
                      "outcome_journal": "", "name_store": ""},
    },
)
with NodeStack(options) as stack, FcpClient(server_timeout=60.0) as client:
    stack.wait_active()
    for place in ("living_room_1", "kitchen_1"):
        goal = client.send_achieve(plan_request(f"at(robot_1, {place})", alpha=0.5))
        while not goal.poll().done and not (goal.feedback and goal.feedback.progress > 0.0):
            pass
        print("begun", goal.feedback.message if goal.feedback else "", flush=True)
        answer = goal.result(120.0)
        print("ended", answer.error_code, answer.error_msg, flush=True)
        sys.stdin.readline()
"""

EXECUTOR = "from fcp_ros.nodes.executors.simulated_executor import main; raise SystemExit(main())"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def machines():
    """Two namespaces with a cable between them; the function that cuts or mends it."""
    names = [f"fcp{os.getpid()}{letter}" for letter in "ab"]
    made = []
    try:
        for name in names:
            ip("netns", "add", name)
            made.append(name)
        ip(
            "link",
            "add",
            names[0],
            "netns",
            names[0],
            "type",
            "veth",
            "peer",
            names[1],
            "netns",
            names[1],
        )
        for number, name in enumerate(names, 1):
            ip("-n", name, "addr", "add", f"10.213.7.{number}/24", "dev", name)
            for device in ("lo", name):
                ip("-n", name, "link", "set", device, "up", "multicast", "on")
            ip("-n", name, "route", "add", "239.0.0.0/8", "dev", name)
    except (OSError, subprocess.CalledProcessError) as error:
        for name in made:
            ip("netns", "del", name)
        pytest.skip(f"no network namespaces here: {error}")
    yield names
    for name in names:
        ip("netns", "del", name)


@pytest.fixture
def start(machines, tmp_path):
    """Starts Python on a machine: (number of the machine, code, arguments)."""
    profile = tmp_path / "udp.xml"
    profile.write_text(UDP_ONLY)
    environment = {
        **os.environ,
        "FASTRTPS_DEFAULT_PROFILES_FILE": str(profile),
        "FASTDDS_DEFAULT_PROFILES_FILE": str(profile),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
    }
    children = []

    def begin(machine, code, *arguments):
        apart = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
        command = ("ip", "netns", "exec", machines[machine], *apart, sys.executable, "-c", code)
        children.append(
            subprocess.Popen(
                [*command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
            )
        )
        return children[-1]

    yield begin
    for child in children:
        child.kill()
        child.wait(10.0)
        child.stdin.close()
        child.stdout.close()


@pytest.mark.thorough  # discovery over a cable takes its time, which a busy machine hasn't
def test_a_cut_network_is_a_lost_executor_and_its_return_is_noticed(machines, start, tmp_path):
    start(1, EXECUTOR, "--ros-args", "-p", "time_scale:=1.0")
    robot = start(0, ROBOT, str(tmp_path))
    wait_for_line(robot, "begun")
    ip("-n", machines[1], "link", "set", machines[1], "down")
    code, _, sentence = wait_for_line(robot, "ended").partition(" ")
    assert int(code) == GoalError.EXECUTOR_LOST, sentence
    assert "may still be acting" in sentence
    ip("-n", machines[1], "link", "set", machines[1], "up")
    ip("-n", machines[1], "route", "replace", "239.0.0.0/8", "dev", machines[1])
    robot.stdin.write("go on\n")
    robot.stdin.flush()
    wait_for_line(robot, "begun")
    code, _, sentence = wait_for_line(robot, "ended").partition(" ")
    assert int(code) == GoalError.NONE, sentence
