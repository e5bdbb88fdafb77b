# SPDX-License-Identifier: Apache-2.0
"""Throughput of the scene_graph node: the real node, in a process on a core of its own.

A publisher on another core sends updates of a house of 6,000 elements at a fixed rate: full ones
with 1 % of the elements moved, full ones with sensor noise on every element, full ones with every
element moved, and deltas of 10 elements. Each run counts the changes that come back on
``scene_changes`` (every accepted update is one), and how long after their update they do; the
node's share of its core, and its memory.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message

from benchmark.processes import read_cpu_seconds, read_resident
from benchmark.scene.scenes import ITEM, ChangingScene
from benchmark.tables import Verdict, in_milliseconds
from fcp_ros.msg import SceneGraph, SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import SceneUpdate, update_to_ros
from fcp_ros.nodes.runtime.qos import event_qos, state_qos
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Pose, SceneNode

ROOMS = 30
"""Rooms with tables and things on them: 6,000 elements."""
QUICK_SECONDS = 20.0
VARIANTS = 16
"""Different full updates that are sent in turn."""
START_WAIT, LAST_WAIT = 60.0, 10.0
"""Time limits (s) of the node's start, and of the last changes."""
LEAST = 0.95
"""Share of the updates that is to be accepted."""
SETTLED = 0.2
"""Share of a run before memory is measured for the first time."""
NODE = "from fcp_ros.nodes.scene_graph.node import main; raise SystemExit(main())"


@dataclass(frozen=True)
class Load:
    """The updates of one run.

    Attributes:
        name: for the table.
        rate: updates a second.
        is_full: full updates, or deltas of the nodes that moved.
        moved: how many elements each update moves.
        by: how far, on each axis (m, standard deviation). The node takes less than 1 cm as noise.
        is_judged: True if the node is to keep up.
    """

    name: str
    rate: float
    is_full: bool
    moved: int
    by: float
    is_judged: bool = True


@dataclass
class Outcome:
    """The observations of one run; times in s, memory in MiB."""

    seconds: float = 0.0
    sent: int = 0
    latencies: list[float] = field(default_factory=list)
    wholes: int = 0
    cpu: float = 0.0
    memory: list[float] = field(default_factory=list)


def measure(quick: bool = False, minutes: float = 1.0) -> list[Verdict]:
    """Measure each load separately."""
    seconds = QUICK_SECONDS if quick else 60.0 * minutes
    nodes = list(ChangingScene(ROOMS).nodes.values())
    loads = (
        Load("full, 1 % moved", 10.0, True, len(nodes) // 100, 0.05),
        Load("full, all with noise", 10.0, True, len(nodes), 0.002),
        Load("full, all moved", 10.0, True, len(nodes), 0.05, is_judged=False),
        Load("deltas of 10", 200.0, False, 10, 0.05),
    )
    return [figure for load in loads for figure in _figures_of(load, run(load, nodes, seconds))]


def _figures_of(load: Load, outcome: Outcome) -> Iterator[Verdict]:
    got = len(outcome.latencies)
    rate = got / outcome.seconds
    goal = f"at least {LEAST:.0%} of {load.rate:g}" if load.is_judged else ""
    met = rate >= LEAST * load.rate if load.is_judged else None
    yield Verdict(f"{load.name}: accepted a second", f"{rate:.1f}", goal, met)
    lost = f"{load.name}: lost, or left out for a newer one, of {outcome.sent}"
    yield Verdict(lost, str(outcome.sent - got))
    p50, p99 = np.percentile(outcome.latencies or [np.inf], (50, 99))
    late = f"p50 {in_milliseconds(p50)}, p99 {in_milliseconds(p99)}"
    yield Verdict(f"{load.name}: until scene_changes", late)
    each = in_milliseconds(outcome.cpu * outcome.seconds / max(got, 1))
    share = f"{100 * outcome.cpu:.0f} % of a core, {each} each"
    yield Verdict(f"{load.name}: computing time", share)
    yield Verdict(f"{load.name}: whole graphs a second", f"{outcome.wholes / outcome.seconds:.1f}")
    late_memory = outcome.memory[int(SETTLED * len(outcome.memory)) :] or [float("nan")]
    growth = f"{late_memory[0]:.0f} to {late_memory[-1]:.0f} MiB, at most {max(late_memory):.0f}"
    yield Verdict(f"{load.name}: memory in {outcome.seconds:.0f} s", growth)


# --- what is sent -------------------------------------------------------------------------------


def updates(load: Load, nodes: list[SceneNode]) -> Callable[[int, Time], bytes]:
    """Return a function that makes update n from bytes written before, to keep the rate."""
    rng = random.Random(1)
    things = [number for number, node in enumerate(nodes) if node.size == ITEM]
    written = []
    present = list(nodes)
    for _ in range(VARIANTS if load.is_full else 500):
        chosen = things if load.moved >= len(nodes) else rng.sample(things, load.moved)
        for number in chosen:
            x, y, z = nodes[number].pose.position  # type: ignore[union-attr]
            pose = Pose.at(x + rng.gauss(0.0, load.by), y + rng.gauss(0.0, load.by), z)
            present[number] = replace(nodes[number], pose=pose)
        said = present if load.is_full else [present[number] for number in chosen]
        update = SceneUpdate(Time(), "map", load.is_full, SceneDelta(0, tuple(said)), "benchmark")
        written.append(serialize_message(update_to_ros(update)))

    def make(number: int, stamp: Time) -> bytes:
        """Set the sequence number and the time, which have fixed places in the message."""
        data = bytearray(written[number % len(written)])
        data[4:12] = np.array([stamp.sec, stamp.nanosec], dtype="<u4").tobytes()
        data[28:36] = np.array([number], dtype="<i8").tobytes()
        return bytes(data)

    return make


# --- a run --------------------------------------------------------------------------------------


def run(load: Load, nodes: list[SceneNode], seconds: float) -> Outcome:
    """Send for some seconds to a node that was just started."""
    make = updates(load, nodes)
    domain = 1 + os.getpid() % 100
    cores = sorted(os.sched_getaffinity(0))
    with _node(cores[0], domain) as process, _peer(domain) as peer:
        os.sched_setaffinity(0, {cores[-1]})
        try:
            return _measure(load, nodes, make, seconds, process.pid, peer)
        finally:
            os.sched_setaffinity(0, cores)


def _measure(
    load: Load,
    nodes: list[SceneNode],
    make: Callable[[int, Time], bytes],
    seconds: float,
    pid: int,
    peer: _Peer,
) -> Outcome:
    first = SceneUpdate(Time(sec=1), "map", True, SceneDelta(1, tuple(nodes)), "benchmark")
    peer.send(serialize_message(update_to_ros(first)), Time(sec=1))
    peer.wait_for(1, START_WAIT)
    outcome = Outcome()
    peer.arrived.clear()
    peer.wholes = 0
    began, cpu = time.monotonic(), read_cpu_seconds(pid)
    looked = began
    while (now := time.monotonic()) < began + seconds:
        due = began + outcome.sent / load.rate
        if now < due:
            time.sleep(min(due - now, 0.05))
            continue
        outcome.sent += 1
        stamp = Time(sec=2 + outcome.sent // 1000, nanosec=outcome.sent % 1000)
        peer.send(make(outcome.sent + 1, stamp), stamp)
        if now - looked > seconds / 100:
            looked = now
            outcome.memory.append(read_resident(pid))
    outcome.seconds = time.monotonic() - began
    outcome.cpu = (read_cpu_seconds(pid) - cpu) / outcome.seconds
    outcome.wholes = peer.wholes
    peer.wait_for(outcome.sent, LAST_WAIT)
    outcome.latencies = [
        at - peer.sent[stamp] for stamp, at in peer.arrived.items() if stamp in peer.sent
    ]
    return outcome


class _Peer:
    """A client that sends updates and receives changes."""

    def __init__(self, node: Any) -> None:
        self.sent: dict[tuple[int, int], float] = {}
        self.arrived: dict[tuple[int, int], float] = {}
        self.wholes = 0
        qos: QoSProfile = event_qos()
        self.publisher = node.create_publisher(SceneGraphUpdate, "scene_graph_update", qos)
        node.create_subscription(SceneGraphChange, "scene_changes", self._change, qos, raw=True)
        node.create_subscription(SceneGraph, "scene_graph", self._whole, state_qos(), raw=True)

    def send(self, data: bytes, stamp: Time) -> None:
        """Publish an update."""
        self.sent[stamp.sec, stamp.nanosec] = time.monotonic()
        self.publisher.publish(data)

    def wait_for(self, count: int, seconds: float) -> bool:
        """Wait until this many changes have come."""
        end = time.monotonic() + seconds
        while len(self.arrived) < count and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.arrived) >= count

    def _change(self, data: bytes) -> None:
        now = time.monotonic()
        # The time comes first, behind the encapsulation: reading everything would slow the sender.
        seconds, nanoseconds = struct.unpack_from("<iI", data, 4)
        self.arrived[seconds, nanoseconds] = now

    def _whole(self, _data: bytes) -> None:
        self.wholes += 1


@contextmanager
def _node(core: int, domain: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the scene_graph node, pinned to one core."""
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    process = subprocess.Popen(
        [sys.executable, "-c", NODE, "--ros-args", "--log-level", "error"],
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def _peer(domain: int) -> Iterator[_Peer]:
    """Yield the client, once the node listens."""
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    node = rclpy.create_node("benchmark", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    peer = _Peer(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        end = time.monotonic() + START_WAIT
        while not (
            peer.publisher.get_subscription_count() and node.count_publishers("scene_changes")
        ):
            if time.monotonic() > end:
                raise TimeoutError(f"the node did not start within {START_WAIT:g} s")
            time.sleep(0.05)
        time.sleep(1.0)  # active, and known to each other
        yield peer
    finally:
        executor.shutdown(5.0)
        context.try_shutdown()
        thread.join(5.0)
