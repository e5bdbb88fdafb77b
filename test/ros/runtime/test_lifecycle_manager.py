# SPDX-License-Identifier: Apache-2.0
"""All nodes brought up and down together as nav2's lifecycle manager does it."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest
from lifecycle_manager import LifecycleManager
from rclpy.parameter import Parameter

from fcp_ros.client import FcpClient
from fcp_ros.msg import PlanStatus
from fcp_ros.nodes.scene_graph.node import SceneGraphNode
from fcp_ros.nodes.stack import USUAL_NODES, NodeStack

GOAL = "on(mug_1, counter_1)"
SERVICE_TIMEOUT = 60.0
"""Seconds for an answer; nav2's default is 5 s, which a busy machine may take for one node."""
BOND_TIMEOUT = 60.0 if find_spec("bond") else 0.0
"""No bonds where the tests' interfaces are not built, as a user without nav2 sets it."""
NUMBERS = itertools.count(1)
pytestmark = pytest.mark.timeout(300)  # all nodes, several times: 36 s where nothing else runs


@pytest.fixture
def namespace():
    return f"managed_{next(NUMBERS)}"


@pytest.fixture
def manage(probe, namespace):
    """Make the manager of some nodes; it is closed afterwards."""
    made = []

    def make(names, service_timeout=SERVICE_TIMEOUT, bond_timeout=BOND_TIMEOUT):
        for name in names:
            probe.state_of(f"/{namespace}/{name}")  # it knows its clients: no answer gets lost
        made.append(LifecycleManager(probe.node, namespace, names, service_timeout, bond_timeout))
        return made[-1]

    yield make
    for one in made:
        one.close()


def find_states(manager):
    return [manager.find_state(name) for name in manager.names]


def test_it_brings_all_nodes_up_and_down(stack_options, tmp_path, namespace, manage):
    options = stack_options(tmp_path, namespace=namespace, autostart=False)
    with NodeStack(options), FcpClient(namespace=namespace) as client:
        manager = manage(USUAL_NODES)
        assert set(find_states(manager)) == {"unconfigured"}
        assert manager.start_up(), manager.problem
        assert set(find_states(manager)) == {"active"}
        client.wait_for(timeout=30.0)
        assert client.plan(GOAL).status.code == PlanStatus.SOLVED_OPTIMALLY
        assert manager.pause(), manager.problem
        assert set(find_states(manager)) == {"inactive"}
        assert client.plan(GOAL).status.code == PlanStatus.NODE_INACTIVE
        assert manager.resume(), manager.problem
        assert client.plan(GOAL).status.code == PlanStatus.SOLVED_OPTIMALLY
        assert manager.find_broken() == []
        assert manager.reset(), manager.problem
        assert set(find_states(manager)) == {"unconfigured"}
        assert manager.start_up(), f"again: {manager.problem}"
        manager.shut_down()
        assert set(find_states(manager)) == {"finalized"}


def test_after_a_failure_it_resets_and_starts_again(stack_options, tmp_path, namespace, manage):
    names = ("scene_graph", "task_planner", "simulated_executor")
    wrong = {"task_planner": {"domain": "/no/such/domain.yaml"}}
    options = stack_options(tmp_path, wrong, namespace=namespace, nodes=names, autostart=False)
    with NodeStack(options) as stack:
        manager = manage(names)
        assert not manager.start_up()
        assert manager.problem == "task_planner did not get inactive: refused"
        assert find_states(manager) == ["inactive", "unconfigured", "unconfigured"]
        assert "/no/such/domain.yaml" in stack.nodes["task_planner"].fault
        stack.nodes["task_planner"].set_parameters([Parameter("domain", value="household")])
        # A hard reset asks every node for every transition down, also those that can't be made.
        assert manager.reset(hard=True)
        assert set(find_states(manager)) == {"unconfigured"}
        assert manager.start_up(), manager.problem
        assert set(find_states(manager)) == {"active"}


def test_a_node_that_configures_for_too_long_is_reset_later(
    stack_options, tmp_path, namespace, manage, monkeypatch, until
):
    """The manager gives up; the node ends its transition all the same, and can be brought down."""
    may_go_on = threading.Event()
    configure = SceneGraphNode.configure

    def configure_slowly(node):
        assert may_go_on.wait(SERVICE_TIMEOUT)
        configure(node)

    monkeypatch.setattr(SceneGraphNode, "configure", configure_slowly)
    names = ("simulated_executor", "scene_graph")
    options = stack_options(tmp_path, namespace=namespace, nodes=names, autostart=False)
    with NodeStack(options):
        hasty, manager = manage(names, service_timeout=0.5), manage(names)
        try:
            assert not hasty.start_up()
        finally:
            may_go_on.set()
        assert hasty.problem.endswith("no answer")
        until(lambda: manager.find_state("scene_graph") in ("inactive", "unconfigured"), "the node")
        assert manager.reset(hard=True)
        assert manager.start_up(), manager.problem
        assert set(find_states(manager)) == {"active"}


@pytest.fixture
def start_executor(namespace):
    """Start an executor in a process of its own; all are killed afterwards."""
    started = []

    def start():
        body = (
            "from fcp_ros.nodes.executors.simulated_executor import main; raise SystemExit(main())"
        )
        given = ["-r", f"__ns:=/{namespace}", "-p", "autostart:=false", "-p", "bond_period:=0.2"]
        started.append(subprocess.Popen([sys.executable, "-c", body, "--ros-args", *given]))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.wait()


@pytest.mark.skipif(not BOND_TIMEOUT, reason="`make setup` has not built the tests' interfaces")
def test_a_node_that_dies_is_noticed_by_its_bond_and_all_come_back(
    stack_options, tmp_path, namespace, manage, until, start_executor
):
    names = ("scene_graph", "simulated_executor")
    options = stack_options(tmp_path, namespace=namespace, nodes=names[:1], autostart=False)
    executor = start_executor()
    with NodeStack(options):
        manager = manage(names)
        assert manager.start_up(), manager.problem
        assert manager.find_broken() == []
        os.kill(executor.pid, signal.SIGKILL)
        executor.wait()
        manager.bonds["simulated_executor"].timeout = 1.0  # no longer than a test has to wait
        until(lambda: "simulated_executor" in manager.find_broken(), "the broken bond")
        manager.service_timeout = 1.0  # of a node that is gone
        assert manager.reset(hard=True)
        assert manager.find_state("scene_graph") == "unconfigured"
        manager.service_timeout = SERVICE_TIMEOUT
        start_executor()
        again = manage(names)
        assert again.start_up(), again.problem
        assert set(find_states(again)) == {"active"}
