# SPDX-License-Identifier: Apache-2.0
"""The process of a server is dead as soon as it is, and not when it is only busy."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fcp_ros.action import MakePlan
from fcp_ros.nodes.runtime.action_call import ServerMonitor, ServerWatch
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer
from fcp_ros.nodes.runtime.server_life import (
    SILENT_AFTER,
    TOPIC,
    LifeSign,
    ProcessIdentity,
    ProcessState,
    ServerLife,
    read_participant,
)

BUSY = 4.0
"""Seconds for which a server holds Python's lock."""

SERVER = """
import ctypes, sys, threading
import rclpy
from rclpy.action import ActionServer
from fcp_ros.action import MakePlan
from fcp_ros.nodes.runtime.server_life import LifeSign

rclpy.init()
node = rclpy.create_node("server_" + sys.argv[1])
ActionServer(node, MakePlan, sys.argv[1], lambda goal: MakePlan.Result())
sign = LifeSign(node)
threading.Thread(target=rclpy.spin, args=(node,), daemon=True).start()
for seconds in sys.stdin:  # PyDLL keeps the lock during the call
    ctypes.PyDLL(None).usleep(int(float(seconds) * 1e6))
"""

CONTAINER = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
"""A process sees, and shows, no others' ids: as in a container."""


def have_containers() -> bool:
    """Return True if this user may make PID namespaces."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run((*CONTAINER, "true"), capture_output=True, check=False).returncode == 0


@pytest.fixture(params=["here", "in a container"])
def spawn(request):
    """Starts a server in a process of its own, here or in a container: (action)."""
    inside = request.param != "here"
    if inside and not have_containers():
        pytest.skip("no unshare, or no right to use it")
    children = []

    def start(action: str):
        command = (*(CONTAINER if inside else ()), sys.executable, "-c", SERVER, action)
        child = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, env=os.environ)
        child.inside = inside
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait(10.0)


@pytest.fixture
def watch(probe):
    """Watches an action's server: the list of what it was, dead (True) or not."""
    monitor = ServerMonitor(probe.node)
    lives = []

    def begin(action: str):
        life = ServerLife(probe.node, action)
        changes = [life.is_dead]

        def note():
            changes.append(not changes[-1])
            monitor.watch(action, ServerWatch(lambda: life.is_dead, not changes[-1], note))

        monitor.watch(action, ServerWatch(lambda: life.is_dead, True, note))
        lives.append(life)
        return life, changes

    yield begin
    monitor.close()
    for life in lives:
        life.close()


def wait_until_known(life, until):
    """Until the process is known, and its beat is heard if that is all there is."""

    def is_known():
        processes = list(life._processes.values())
        return processes and getattr(processes[-1], "_limit", SILENT_AFTER) == SILENT_AFTER

    until(is_known, "the server's process", 30.0)


def test_a_killed_server_is_dead_before_discovery_says_so(spawn, watch, until, probe):
    action = f"killed_{time.monotonic_ns()}"
    life, changes = watch(action)
    server = spawn(action)
    wait_until_known(life, until)

    def is_listed() -> bool:
        return probe.node.count_services(f"{action}/_action/send_goal") > 0

    until(is_listed, "the server at the probe")
    server.send_signal(signal.SIGKILL)
    until(lambda: changes == [False, True], "the death")
    assert is_listed(), "discovery, which lists it for 20 s, was not waited for"
    spawn(action)
    until(lambda: changes == [False, True, False], "a successor", 30.0)


def test_a_busy_server_is_alive_or_comes_back(spawn, watch, until):
    """Here the kernel knows; a container falls silent, and is alive again when it is heard."""
    action = f"busy_{time.monotonic_ns()}"
    life, changes = watch(action)
    server = spawn(action)
    wait_until_known(life, until)
    server.stdin.write(f"{BUSY}\n")
    server.stdin.flush()
    end = time.monotonic() + BUSY + 2.0
    until(lambda: time.monotonic() > end, "the end of its work")
    assert changes == ([False, True, False] if server.inside else [False])


def test_a_server_that_does_nothing_stays_alive(spawn, watch, until):
    action = f"idle_{time.monotonic_ns()}"
    life, changes = watch(action)
    spawn(action)
    wait_until_known(life, until)
    end = time.monotonic() + 4.0 * SILENT_AFTER
    until(lambda: time.monotonic() > end, "some time without work")
    assert changes == [False]


@pytest.mark.parametrize("gives_sign", [True, False])
def test_a_server_in_the_same_process_does_not_die(probe, watch, until, gives_sign):
    action = f"neighbour_{gives_sign}"
    server = SafeActionServer(probe.node, MakePlan, action, lambda _goal: MakePlan.Result())
    sign = LifeSign(probe.node) if gives_sign else None
    life, changes = watch(action)
    if gives_sign:
        until(lambda: life._processes, "the server's process")
    end = time.monotonic() + 2.5 * SILENT_AFTER
    until(lambda: time.monotonic() > end, "some time")
    assert changes == [False]
    if sign is not None:
        sign.close()
    server.destroy()


def test_the_kernel_tells_processes_apart():
    own = ProcessIdentity.find_own()
    assert own.is_visible()
    assert own.read_state() is ProcessState.ALIVE
    earlier = replace(own, start=own.start - 1)
    assert earlier.read_state() is ProcessState.ENDED, "an earlier process of the same id"
    assert not replace(own, machine="another").is_visible()
    assert not replace(own, machine="").is_visible()


def test_a_process_that_nobody_waits_for_has_ended():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    own = ProcessIdentity.find_own()
    fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
    there = ProcessIdentity(own.machine, child.pid, int(fields[19]))
    assert there.is_visible()
    child.kill()
    while there.read_state() is not ProcessState.ENDED:  # the test's own time limit ends it
        time.sleep(0.01)
    assert Path(f"/proc/{child.pid}").exists(), "it is a zombie"
    child.wait(10.0)
    assert there.read_state() is ProcessState.ENDED


def test_one_that_died_before_anybody_looked_shows_it_by_its_silence(spawn, until, probe):
    """Its successor was one of "2 nodes" for as long as nobody looked often (soak)."""
    action = f"unseen_{time.monotonic_ns()}"
    life = ServerLife(probe.node, action)
    try:
        servers = [spawn(action)]
        until(lambda: life.look().alive and life._processes, "the first server", 30.0)
        topic = f"{probe.node.get_namespace().rstrip('/')}/server_{action}/{TOPIC}"

        def list_named() -> set[bytes]:  # the name of a node comes after its publishers
            listed = probe.node.get_publishers_info_by_topic(topic)
            return {read_participant(o) for o in listed if o.node_name == f"server_{action}"}

        for _ in range(2):
            before = list_named()
            servers[-1].kill()
            servers.append(spawn(action))
            until(lambda known=before: list_named() - known, "the next server", 30.0)
        # Discovery would list the dead for 20 s.
        until(lambda: len(life.look().alive) == 1, "the one that lives", 15.0)
    finally:
        life.close()
