# SPDX-License-Identifier: Apache-2.0
"""Processes of nodes: start them, measure time and memory, and what others use of the cores."""

from __future__ import annotations

import compileall
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import fcp_ros
from benchmark.processes import read_cpu_seconds, read_share
from fcp_ros.nodes.runtime.transports import list_loopback_variables

MODULES: Mapping[str, str] = {
    "scene_graph": "scene_graph.node",
    "grounder": "grounder.node",
    "task_planner": "planner.node",
    "executive": "executive.node",
    "simulated_executor": "executors.simulated_executor",
}
"""Node -> its module in `fcp_ros.nodes`."""

SCENE = "twin_house_furnished"
OTHERS = 0.1
"""Cores that other processes may use while a time on the wall counts."""


def compile_all() -> None:
    """Compile bytecode and kernels before anything starts, as an installation does.

    A new checkout compiles its kernels once, which takes minutes, and its bytecode, unless
    PYTHONDONTWRITEBYTECODE is set: then each start compiles again (0.2 to 0.7 s of CPU a node).
    """
    for folder in fcp_ros.__path__:
        compileall.compile_dir(folder, quiet=2)
    subprocess.run([sys.executable, "-m", "fcp_ros.planning.warm_up"], check=True)


@dataclass
class NodeProcess:
    """A process of nodes, and the time when it said that they are active."""

    name: str
    process: subprocess.Popen[str]
    wanted: int
    active_at: float | None = None
    ready: threading.Event = field(default_factory=threading.Event)

    def read(self) -> None:
        """Read its log to the end."""
        assert self.process.stderr is not None
        left = self.wanted
        for line in self.process.stderr:
            left -= bool(re.search(r"\]: active$", line.rstrip()))
            if left == 0 and self.active_at is None:
                self.active_at = time.monotonic()
                self.ready.set()

    @property
    def cpu(self) -> float:
        """CPU seconds so far, of user and kernel."""
        return read_cpu_seconds(self.process.pid)

    @property
    def memory(self) -> float:
        """Proportional set size (MB)."""
        return read_share(self.process.pid)


@contextmanager
def start(
    commands: Mapping[str, list[str]], wanted: int, domain: int
) -> Iterator[list[NodeProcess]]:
    """Start processes at once; end them afterwards.

    Args:
        commands: Name -> command line.
        wanted: Nodes in each process.
        domain: ROS domain.
    """
    environment = {
        **os.environ,
        **list_loopback_variables(),
        "ROS_DOMAIN_ID": str(domain),
    }
    started = []
    try:
        for name, command in commands.items():
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
            started.append(NodeProcess(name, process, wanted))
            threading.Thread(target=started[-1].read, daemon=True).start()
        yield started
    finally:
        for one in started:
            one.process.send_signal(signal.SIGINT)
        for one in started:
            try:
                one.process.wait(30.0)
            except subprocess.TimeoutExpired:
                one.process.kill()


def single_commands(folder: Path) -> dict[str, list[str]]:
    """Return the command of each node, with stores in `folder`."""
    parameters = {
        "scene_graph": [f"scene:={SCENE}"],
        "grounder": [
            f"calibration_path:={folder}/calibration.sqlite",
            f"cache_path:={folder}/judgements.sqlite",
            "world:=simulated",
        ],
        "executive": [
            "world:=simulated",
            f"outcome_journal:={folder}/outcomes.sqlite",
            f"name_store:={folder}/names.sqlite",
        ],
    }
    commands = {}
    for name, module in MODULES.items():
        body = f"from fcp_ros.nodes.{module} import main; raise SystemExit(main())"
        given = [word for one in parameters.get(name, []) for word in ("-p", one)]
        commands[name] = [sys.executable, "-c", body, "--ros-args", *given]
    return commands


@dataclass(frozen=True)
class Interval:
    """A stretch of time: seconds on the wall, and cores that others than we used."""

    seconds: float
    others: float

    @property
    def is_quiet(self) -> bool:
        """True if nothing else computed."""
        return self.others <= OTHERS


class Watch:
    """Measures how long something takes, and the use of the cores by others meanwhile."""

    def __init__(self, ours: Callable[[], float]) -> None:
        self._ours = ours
        self._before = (time.monotonic(), _busy_seconds(), ours())

    def stop(self) -> Interval:
        """Return the time since the construction."""
        began, busy, ours = self._before
        seconds = time.monotonic() - began
        others = (_busy_seconds() - busy) - (self._ours() - ours)
        return Interval(seconds, max(0.0, others / seconds))


def _busy_seconds() -> float:
    """Return the seconds that all cores have computed."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _wait, irq, soft, *_ = (int(item) for item in fields)
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def read_own_cpu() -> float:
    """Return the CPU seconds of this process so far."""
    times = os.times()
    return times.user + times.system
