# SPDX-License-Identifier: Apache-2.0
"""The processes of a soak: nodes that can be killed, stopped and started again, clock and disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock

from benchmark.processes import read_resident
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.msg import ActionOutcome, SceneGraph, SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, delta_to_ros
from fcp_ros.nodes.runtime.transports import list_loopback_variables
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import load_scene
from fcp_ros.scene.formats.canonical import write_scene
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import SceneRelation

NAMESPACE = "soak"
SCENE = "twin_house_furnished"

EXECUTORS = "executors"
MODULES: Mapping[str, str] = {
    "scene_graph": "fcp_ros.nodes.scene_graph.node",
    "grounder": "fcp_ros.nodes.grounder.node",
    "task_planner": "fcp_ros.nodes.planner.node",
    "executive": "fcp_ros.nodes.executive.node",
}
"""Process -> the module with its `main`."""
PERFORMING = "benchmark.soak.executors"
SCENE_TOPICS = ("scene_graph", "scene_changes", "scene_status", "scene_graph_update")
"""Topics of the one scene, which the executors of each robot are to find."""

WAITS = {
    "min_step_timeout": 2.0,
    "grace_time": 1.0,
    "accept_timeout": 3.0,
    "executor_wait": 15.0,
    "settle_time": 1.5,
    "scene_wait": 30.0,
    "learn_wait": 0.5,
    "planner_timeout": 30.0,
}
"""Waits of the executive (s): as short as this machine allows under load."""

END_WAIT = 20.0
"""Seconds for a process to end by itself."""

DISK = 4 << 20
"""Bytes of the disk with the stores."""

CLOCK_PERIOD = 0.02
"""Seconds between two messages of the clock."""


@dataclass
class Process:
    """One process and those that it follows."""

    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    starts: int = 0
    deaths: dict[int, float] = field(default_factory=dict)  # pid -> time of its end

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                self.command, stdout=log, stderr=log, env=dict(self.environment)
            )
        self.started, self.starts = time.monotonic(), self.starts + 1

    def kill(self) -> None:
        """Kill it; no word of goodbye."""
        if self.running is not None:
            self.running.kill()
            self._bury()

    def signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if self.running is not None:
            self.running.send_signal(number)

    def look(self) -> bool:
        """Return True if it lives; one that has died by itself is buried."""
        if self.running is not None and self.running.poll() is not None:
            self._bury()
        return self.running is not None

    def end(self) -> None:
        """End it in order."""
        if self.running is None:
            return
        self.running.send_signal(signal.SIGCONT)
        self.running.send_signal(signal.SIGINT)
        try:
            self.running.wait(END_WAIT)
        except subprocess.TimeoutExpired:
            self.running.kill()
        self._bury()

    @property
    def is_ready(self) -> bool:
        """True once its node has said that it is active, at the first start."""
        return "]: active" in self.log.read_text(errors="replace")

    @property
    def memory(self) -> float:
        """Resident memory (MiB); 0 while it is dead."""
        if self.running is None:
            return 0.0
        with suppress(OSError, IndexError):
            return read_resident(self.running.pid)
        return 0.0

    def _bury(self) -> None:
        assert self.running is not None
        self.running.wait()
        self.deaths[self.running.pid] = time.monotonic()
        self.running = None


class SimulatedClock:
    """The clock of the nodes, faster than that of the world; it can stand and jump."""

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self._lock = threading.Lock()
        self._seconds = 1_000_000.0  # simulated, now
        self._passed = 0.0  # simulated seconds without the jumps
        self._stands = False

    def advance(self, seconds: float) -> Time | None:
        """Let real seconds pass; return the time, or None while the clock says nothing."""
        with self._lock:
            if self._stands:
                return None
            self._passed += self._scale * seconds
            self._seconds += self._scale * seconds
            return Time(sec=int(self._seconds), nanosec=int(self._seconds % 1.0 * 1e9))

    def jump(self, seconds: float) -> None:
        """Set it forward, or back."""
        with self._lock:
            self._seconds += seconds

    def stand(self, stands: bool) -> None:
        """Say nothing for a while, or go on."""
        with self._lock:
            self._stands = stands

    @property
    def hours(self) -> float:
        """The simulated hours that have passed; jumps do not count."""
        with self._lock:
            return self._passed / 3600.0


@dataclass(frozen=True)
class Heard:
    """An outcome, and when it was heard (s, of `time.monotonic`)."""

    at: float
    outcome: ActionOutcome


class World:
    """A node beside those under test: it drives the clock, moves things, and hears the outcomes."""

    def __init__(self, clock: SimulatedClock, domain: int) -> None:
        self.outcomes: list[Heard] = []
        self._clock = clock
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        node = rclpy.create_node("world", context=self._context, namespace=NAMESPACE)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        deep = QoSProfile(depth=1000)
        self._node: Any = node
        self._scene = SceneFollower()
        self._domain = load_domain(find_domain("household"))
        self._clocks = node.create_publisher(Clock, "/clock", 10)
        self._updates = node.create_publisher(SceneGraphUpdate, "scene_graph_update", deep)
        for kind, topic, receive, qos in (
            (SceneGraph, "scene_graph", self._scene.receive_graph, latched),
            (SceneGraphChange, "scene_changes", self._scene.receive_change, deep),
        ):
            node.create_subscription(kind, topic, receive, qos, raw=True)
        node.create_subscription(ActionOutcome, "outcomes", self._hear, deep)
        self._last = time.monotonic()
        node.create_timer(CLOCK_PERIOD, self._tick)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        while not self._stopping.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _tick(self) -> None:
        now = time.monotonic()
        stamp = self._clock.advance(now - self._last)
        self._last = now
        if stamp is not None:
            self._clocks.publish(Clock(clock=stamp))

    def _hear(self, outcome: ActionOutcome) -> None:
        self.outcomes.append(Heard(time.monotonic(), outcome))

    def publish(self, delta: SceneDelta, sequence: int = ANY_NUMBER) -> None:
        """Tell the scene graph that something has changed."""
        message: Any = delta_to_ros(delta, "map", self._node.get_clock().now().to_msg())
        message.sequence_number = sequence
        self._updates.publish(message)

    def find_support(self, item: str) -> str:
        """Return what an item stands on, as it is seen; "" if on nothing."""
        try:
            relations = self._scene.state(self._domain).graph.relations
        except NoSceneError:
            return ""
        pairs = (one.elements for one in relations if one.name == "on")
        return next((support for one, support in pairs if one == item), "")

    def move(self, item: str, support: str) -> bool:
        """Move an item as a person would; False if it stands nowhere."""
        before = self.find_support(item)
        if not before or before == support:
            return False
        delta = SceneDelta(
            sequence=ANY_NUMBER,
            added=(SceneRelation("on", (item, support)),),
            dropped=(SceneRelation("on", (item, before)),),
        )
        self.publish(delta)
        return True

    def contradict(self, item: str, support: str) -> None:
        """Say that an item stands there, too, and the same with a number that is long past."""
        delta = SceneDelta(sequence=ANY_NUMBER, added=(SceneRelation("on", (item, support)),))
        self.publish(delta)
        self.publish(delta, 1)

    def close(self) -> None:
        """End it."""
        self._stopping.set()
        self._thread.join(5.0)
        self._executor.shutdown(5.0)
        self._context.try_shutdown()


class Disk:
    """A small disk for the stores; None of its own where nothing may be mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)],
            check=False,
            capture_output=True,
        )
        self.is_small = mounted.returncode == 0

    def fill(self) -> None:
        """Fill it to the last byte."""
        with suppress(OSError), (self.folder / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def free(self) -> None:
        """Free it again."""
        (self.folder / "filler").unlink(missing_ok=True)

    @property
    def room(self) -> int:
        """Bytes that are free."""
        return shutil.disk_usage(self.folder).free

    def close(self) -> None:
        """Give it back; what is on it is copied into the folder beside it."""
        shutil.copytree(self.folder, self.folder.with_name("stores"))
        if self.is_small:
            subprocess.run(["umount", str(self.folder)], check=False)


def list_robots(count: int) -> list[str]:
    """Name the robots of the house, by their elements."""
    return [f"robot_{number + 1}" for number in range(count)]


def write_house(robots: list[str], folder: Path) -> str:
    """Write the scene with these robots; return its path, or its name if it has them all."""
    house = load_scene(str(find_scene(SCENE)))
    missing = [name for name in robots if name not in house.nodes]
    if not missing:
        return SCENE
    more = {name: replace(house.nodes["robot_1"], id=name) for name in missing}
    path = folder / "house.json"
    write_scene(replace(house, nodes={**house.nodes, **more}), path)
    return str(path)


def make_command(
    module: str, given: Mapping[str, object], namespace: str, renamed: Iterable[str] = ()
) -> list[str]:
    """Make the command of a node; `renamed`: topics of the namespace of all."""
    body = f"from {module} import main; raise SystemExit(main())"
    names = {"__ns": namespace, **{name: f"/{NAMESPACE}/{name}" for name in renamed}}
    words = [sys.executable, "-c", body, "--ros-args"]
    words += [word for pair in names.items() for word in ("-r", ":=".join(pair))]
    given = {"use_sim_time": True, **given}
    return words + [word for key, value in given.items() for word in ("-p", f"{key}:={value}")]


def list_executors(processes: Mapping[str, Process]) -> list[Process]:
    """List the processes of the robots' executors."""
    return [one for name, one in processes.items() if name.startswith(EXECUTORS)]


@contextmanager
def open_site(
    folder: Path,
    *,
    seed: int,
    scale: float,
    fault_share: float,
    domain: int,
    goals_at_once: int = 1,
) -> Iterator[tuple[dict[str, Process], Disk]]:
    """Start all processes, and end them afterwards.

    For several goals at once there are as many robots, each with executors of its own.
    """
    robots = list_robots(goals_at_once)
    disk = Disk(folder / "disk")
    environment = {
        **os.environ,
        **list_loopback_variables(),
        "ROS_DOMAIN_ID": str(domain),
        "ROS_LOG_DIR": str(folder / "log"),
    }
    stores = disk.folder
    parameters: dict[str, dict[str, object]] = {
        "scene_graph": {
            "scene": write_house(robots, folder),
            "last_graph": f"{folder}/scene.sqlite",
        },
        "grounder": {
            "calibration_path": f"{stores}/calibration.sqlite",
            "cache_path": f"{stores}/judgements.sqlite",
            "world": "simulated",
            "warm_up": False,
        },
        "executive": {
            "outcome_journal": f"{stores}/outcomes.sqlite",
            "name_store": f"{folder}/names.sqlite",
            "world": "simulated",
            **WAITS,
        },
    }
    performing = {
        "log": f"{folder}/attempts.jsonl",
        "seed": seed,
        "fault_share": fault_share,
        "time_scale": scale,
    }
    if len(robots) > 1:
        parameters["executive"] |= {"goals_at_once": goals_at_once, "robot_namespaces": robots}
    commands = {
        name: make_command(module, parameters.get(name, {}), f"/{NAMESPACE}")
        for name, module in MODULES.items()
    }
    for robot in robots:
        namespace = f"/{NAMESPACE}/{robot}" if len(robots) > 1 else f"/{NAMESPACE}"
        commands[f"{EXECUTORS}_{robot}"] = make_command(
            PERFORMING, performing, namespace, SCENE_TOPICS
        )
    processes = {
        name: Process(name, command, environment, folder / f"{name}.txt")
        for name, command in commands.items()
    }
    try:
        for process in processes.values():
            process.start()
        yield processes, disk
    finally:
        for process in processes.values():
            process.end()
        disk.close()
