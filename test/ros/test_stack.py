# SPDX-License-Identifier: Apache-2.0
"""Processes of nodes: all in one, one by one, started wrongly, and ended by signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from child_output import wait_for_line

from fcp_ros.client import FcpClient, FcpTimeout, is_solved
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.stack import NodeStack, StackOptions, StartError, run_nodes

ALONE = """
import sys
from fcp_ros.nodes.{module} import main
sys.exit(main())
"""


@pytest.fixture
def small(stack_options, tmp_path) -> StackOptions:
    return stack_options(tmp_path, nodes=("scene_graph",), namespace="small")


def test_run_nodes_until_stopped(small):
    stop, seen = threading.Event(), {}

    def ready(nodes):
        seen.update({name: node.is_active for name, node in nodes.items()})
        stop.set()

    run_nodes(small, ready, stop)
    assert seen == {"scene_graph": True}


def test_run_nodes_reports_what_does_not_start(small):
    stop = threading.Event()
    with pytest.raises(StartError, match="nowhere"):
        run_nodes(replace(small, scene="/nowhere.json"), lambda _nodes: stop.set(), stop)
    assert not stop.is_set()


@pytest.fixture
def never_started(monkeypatch):
    """Nodes whose timers for their start never ring."""
    monkeypatch.setattr(ManagedNode, "_autostart", lambda _node: None)


def test_waiting_for_a_node_that_stays_unconfigured_ends(small, never_started):
    """The error says which node is in which state, and how long it was waited for."""
    words = r"after \d+\.\d s: scene_graph \(unconfigured\)\.$"
    with NodeStack(small) as stack, pytest.raises(StartError, match=words):
        stack.wait_active(timeout=0.3)


def test_waiting_for_a_node_whose_thread_has_ended_says_so(small, never_started):
    with NodeStack(small) as stack:
        stack._threads._stopping.set()
        stack.nodes["scene_graph"].executor.create_task(lambda: None)
        with pytest.raises(StartError, match=r"Their threads have ended: scene_graph\."):
            stack.wait_active(timeout=2.0)


def test_a_start_that_rclpy_fails_is_said(small, monkeypatch):
    """rclpy may raise in a transition of its own; nobody waits for the node until the time-out."""

    def fail(_node):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(ManagedNode, "trigger_configure", fail)
    with NodeStack(small) as stack, pytest.raises(StartError, match="start: RuntimeError: on pur"):
        stack.wait_active()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": ("gardener",)}, "gardener"),
        ({"nodes": ()}, "none given"),
        ({"log_level": "loud"}, "loud"),
        ({"namespace": "not valid"}, "not valid"),
        ({"overrides": {"scene_graph": {"max_nodes": 0}}}, "max_nodes"),
        ({"overrides": {"scene_graph": {"max_nodes": "many"}}}, "max_nodes"),
    ],
)
def test_wrong_options_are_named(small, change, words):
    with pytest.raises(StartError, match=words):
        NodeStack(replace(small, **change)).start()


def test_missing_parameter_file(small, tmp_path):
    with pytest.raises(StartError, match=r"missing\.yaml"):
        NodeStack(replace(small, params_file=tmp_path / "missing.yaml")).start()
    (tmp_path / "broken.yaml").write_text("a: [")
    with pytest.raises(StartError):
        NodeStack(replace(small, params_file=tmp_path / "broken.yaml")).start()


def test_two_stacks_side_by_side(stack_options, tmp_path):
    """Two robots, each in its namespace, with scenes of their own."""
    one = stack_options(
        tmp_path,
        nodes=("scene_graph", "task_planner", "grounder"),
        namespace="one",
        scene="twin_house",
    )
    with NodeStack(one) as first, NodeStack(replace(one, namespace="two", scene="")) as second:
        first.wait_active()
        second.wait_active()
        with FcpClient(namespace="one") as a, FcpClient(namespace="two") as b:
            assert len(a.scene().nodes.ids) > 0
            assert b.scene() is None
            assert is_solved(a.plan("at(robot_1, living_room_1)"))
            assert b.plan("at(robot_1, living_room_1)").status.message.startswith("No scene")


def test_simulated_time_may_stand_still(live, tmp_path):
    """Without a /clock the nodes start, plan and execute all the same."""
    with live(tmp_path, namespace="simulated", use_sim_time=True) as (_, client):
        assert is_solved(client.plan("at(robot_1, living_room_1)"))
        achieved = client.achieve("on(mug_1, counter_1)", alpha=0.3, timeout=60.0)
        assert achieved.error_code == 0, achieved.error_msg


def test_a_signal_ends_the_process_of_all_nodes_cleanly():
    """SIGTERM here; SIGINT ends the node of the next test."""
    script = (
        "from fcp_ros.nodes.stack import run_nodes\n"
        "from fcp_ros.nodes.stack import StackOptions\n"
        "quiet = {'calibration_path': '', 'cache_path': '', 'warm_up': False}\n"
        "run_nodes(StackOptions(namespace='signalled', scene='twin_house', log_level='error',\n"
        "                       overrides={'grounder': quiet}),\n"
        "          ready_callback=lambda _nodes: print('ready', flush=True))\n"
        "print('ended', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for_line(process, "ready")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30.0)
    finally:
        process.kill()
        process.wait(30.0)
    assert process.returncode == 0, err
    assert "ended" in out.splitlines()
    assert "Traceback" not in err
    assert "Error" not in err


def test_a_node_has_a_process_of_its_own(probe, tmp_path):
    """Others are started by the same function, too, where tests kill them."""
    arguments = ["--ros-args", "-r", "__ns:=/alone", "-p", "autostart:=true"]
    for parameter in (f"calibration_path:={tmp_path}/c", f"cache_path:={tmp_path}/j"):
        arguments += ["-p", parameter]
    arguments += ["-p", "warm_up:=false"]
    process = subprocess.Popen(
        [sys.executable, "-c", ALONE.format(module="grounder.node"), *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    try:
        deadline = iter(range(200))
        try:
            while probe.state_of("alone/grounder") != "active":
                assert next(deadline, None) is not None, "never active"
        except FcpTimeout:
            process.send_signal(signal.SIGABRT)  # shows where its threads are
            pytest.fail(process.communicate(timeout=30.0)[1])
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30.0)
    finally:
        process.kill()
        process.wait(30.0)
    assert process.returncode == 0, err
    assert "Traceback" not in err


def test_a_wrong_parameter_ends_the_process_with_a_sentence():
    process = subprocess.run(
        [
            sys.executable,
            "-c",
            ALONE.format(module="planner.node"),
            "--ros-args",
            "-p",
            "alpha:=7.0",
        ],
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )
    assert process.returncode == 1
    assert "alpha" in process.stderr
    assert "Traceback" not in process.stderr


def test_idle_nodes_need_no_processor(stack, until):
    """The traps of rclpy (a pending coroutine, a self-triggering wait set) would show here."""
    worker = stack.nodes["grounder"].workers["grounder"]
    until(lambda: worker.load == 0, "the model")
    used = []
    for _ in range(5):
        processor, clock = time.process_time(), time.monotonic()
        until(lambda end=clock + 0.3: time.monotonic() > end, "a third of a second")
        used.append((time.process_time() - processor) / (time.monotonic() - clock))
    assert min(used) < 0.3, "share of one core"


def test_a_failing_callback_does_not_end_the_spinning(small, until):
    with NodeStack(small) as stack:
        stack.wait_active()
        node = stack.nodes["scene_graph"]
        calls = []

        def fail() -> None:
            calls.append(1)
            raise RuntimeError("on purpose")

        timer = node.create_timer(0.01, fail)
        until(lambda: len(calls) > 3, "callbacks after a failure")
        node.destroy_timer(timer)
