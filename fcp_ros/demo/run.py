# SPDX-License-Identifier: Apache-2.0
"""Plays the demonstration: episodes on live nodes, told on the console and written as a report."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from fcp_ros.client import FcpClient
from fcp_ros.demo.account import print_episode, print_scene
from fcp_ros.demo.player import Player
from fcp_ros.demo.stack_process import StackProcess
from fcp_ros.demo.stories import Cast, Storyteller
from fcp_ros.domain import Domain, load_domain
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.report.demo_page import write_page
from fcp_ros.report.demo_report import DemoReport, Episode, write_json
from fcp_ros.scene import load_scene

TIME_SCALE = 40.0
"""Simulated seconds that pass in one real second: a plan of a minute is shown in seconds."""


@dataclass(frozen=True)
class DemoOptions:
    """What to play and where to write it.

    Attributes:
        scene: name or path of the scene.
        domain: name or path of the domain.
        out: folder of the report, the log and the demonstration's own calibration store.
        alpha: least acceptable membership of the goals, in [0, 1].
    """

    scene: str
    domain: str
    out: Path
    alpha: float


def run_demo(options: DemoOptions, console: Console) -> DemoReport:
    """Plays all episodes and writes ``demo.html`` and ``demo.json``.

    Raises:
        StoryError: the scene has too little in it.
        StackError: the nodes did not start.
        FcpError: a node did not answer.
        DomainError, SceneError: the files can't be used.
    """
    scene = find_scene(options.scene)
    domain = load_domain(find_domain(options.domain))
    graph = load_scene(scene)  # a bad file is answered at once, before any node starts
    print_scene(console, options.scene, graph)
    stage = _Stage(options, scene, domain, console)
    stage.play()
    report = DemoReport(
        title="What was asked, what was planned, what came of it",
        scene=options.scene,
        domain=f"{domain.name} {domain.version}",
        oracle=stage.oracle,
        environment=_environment(),
        created=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        episodes=tuple(stage.episodes),
    )
    write_page(report, options.out / "demo.html")
    write_json(report, options.out / "demo.json")
    return report


class _Stage:
    """The run of one demonstration: nodes are started, episodes played, nodes killed, twice."""

    def __init__(self, options: DemoOptions, scene: Path, domain: Domain, console: Console) -> None:
        self._options = options
        self._scene = scene
        self._domain = domain
        self._console = console
        self._domain_id = int(os.environ.get("ROS_DOMAIN_ID", 0)) or 1 + os.getpid() % 100
        self._store = (options.out / "demo_calibration.sqlite").resolve()
        self._cast: Cast | None = None
        self.episodes: list[Episode] = []
        self.oracle = ""

    def play(self) -> None:
        """Plays everything, on a calibration store that begins empty."""
        for file in (
            *self._store.parent.glob(self._store.name + "*"),
            self._options.out / "nodes.log",
        ):
            file.unlink(missing_ok=True)
        self._with_nodes("start all nodes", (), self._play_goals)
        self._with_nodes("start all nodes anew, on the scene as it was", (), self._choose_victim)
        assert self._cast is not None
        fault = f"pick(item={self._cast.best}): EXECUTION_FAILED"
        self._with_nodes(
            f"start all nodes anew; from now on: {fault}", (fault,), self._play_failure
        )
        self._with_nodes("kill all nodes (SIGKILL) and start them again", (), self._play_memory)

    def _play_goals(self, player: Player, teller: Storyteller) -> None:
        self._cast = cast = teller.cast(player.state())
        self._tell(player.play(teller.crisp(player.state(), cast)))
        self._tell(player.play(teller.vague(player.state(), cast)))
        self._tell(player.play(teller.missing(player.state(), cast)))
        self._tell(player.play(teller.unacceptable(player.state(), cast)))
        self._tell(player.play(teller.impossible(player.state(), cast)))
        self.oracle = player.oracle

    def _choose_victim(self, player: Player, teller: Storyteller) -> None:
        """Finds out what the planner would take now: that is what will fail."""
        assert self._cast is not None
        cast = teller.unserved(player.state(), self._cast)
        self._cast = replace(cast, best=player.choice(teller.failing(player.state(), cast)))

    def _play_failure(self, player: Player, teller: Storyteller) -> None:
        assert self._cast is not None
        self._tell(player.play(teller.failing(player.state(), self._cast)))

    def _play_memory(self, player: Player, teller: Storyteller) -> None:
        assert self._cast is not None
        self._tell(player.play(teller.remembering(player.state(), self._cast)))

    def _with_nodes(
        self, words: str, faults: tuple[str, ...], play: Callable[[Player, Storyteller], None]
    ) -> None:
        """Plays episodes on nodes that are started for them and killed afterwards."""
        process = StackProcess(self._parameters(faults), self._options.out, self._domain_id)
        with self._console.status(words), process:
            client = FcpClient(domain_id=self._domain_id)
            with client:
                self._console.print(f"\n[dim]{words}[/]")
                player = Player(client, self._domain)
                play(player, Storyteller(self._domain, player, self._options.alpha))

    def _parameters(self, faults: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        domain = str(find_domain(self._options.domain).resolve())
        return {
            "scene_graph": {"scene": _resolved(self._scene)},
            "grounder": {"domain": domain, "calibration_path": str(self._store), "cache_path": ""},
            "planner": {"domain": domain},
            "executive": {"domain": domain},
            "simulated_executor": {
                "domain": domain,
                "time_scale": TIME_SCALE,
                "faults": list(faults) or [""],
            },
        }

    def _tell(self, episode: Episode) -> None:
        self.episodes.append(episode)
        print_episode(self._console, episode)


def _resolved(scene: Path) -> str:
    """The absolute path; what follows a # (one scene of a file) stays as it is."""
    file, mark, part = str(scene).partition("#")
    return f"{Path(file).resolve()}{mark}{part}"


def _environment() -> tuple[tuple[str, str], ...]:
    versions = [
        ("Python", platform.python_version()),
        ("ROS 2", os.environ.get("ROS_DISTRO", "wheels")),
    ]
    for package in ("ros-rclpy", "torch", "transformers", "sentence-transformers"):
        try:
            versions.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return tuple(versions)
