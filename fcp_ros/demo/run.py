# SPDX-License-Identifier: Apache-2.0
"""Run demonstrations, with all nodes in a child process that can be killed and started again."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from fcp_ros.abstraction.policy.runner import read_policy_folder
from fcp_ros.alignment.ontology.claims import ClaimStanding
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignment, align_scene
from fcp_ros.alignment.simulator import DomainSimulator
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.client import FcpClient
from fcp_ros.cset import Instance
from fcp_ros.demo.player import Player
from fcp_ros.demo.spoken_stories import choose_wish, propose_wishes
from fcp_ros.demo.stories import (
    ITEM,
    SOLVED,
    Cast,
    Story,
    Storyteller,
    are_in_same_room,
    find_support,
    quote_name,
    say_name,
)
from fcp_ros.demo.two_robots import prepare_two
from fcp_ros.domain import Domain, load_domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.foundation.wording import join_words
from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.nodes.runtime.domain_parameter import list_executors
from fcp_ros.package_files import config_folder, find_domain, find_scene
from fcp_ros.planning import PlanningResult
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.report.console import render_result
from fcp_ros.report.demo_report import (
    DemoReport,
    Episode,
    UnderstoodInstruction,
    render_page,
    write_json,
)
from fcp_ros.report.pages import write_page
from fcp_ros.scene import Layer, SceneGraph, load_scene, read_scene, save_scene

READY = "up "  # The beginning of the line that ``fcp up`` prints once all nodes are active
ERROR = "error "  # The beginning of the line that ``fcp up`` prints when it fails

START_TIMEOUT = 120.0
STOP_TIMEOUT = 15.0
TAIL_LINES = 15


class StackError(RuntimeError):
    """The nodes did not start or stop; the message has the end of their log."""


class StackProcess:
    """``fcp up`` as a child process in a ROS domain; its folder has parameters and log."""

    def __init__(
        self, parameters: Mapping[str, Mapping[str, Any]], folder: Path, domain_id: int
    ) -> None:
        self._parameters_file = folder / "demo_params.yaml"
        self.log = folder / "nodes.log"
        folder.mkdir(parents=True, exist_ok=True)
        _write_parameters(parameters, self._parameters_file)
        self._environment = {**os.environ, "ROS_DOMAIN_ID": str(domain_id)}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> StackProcess:
        begin = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "fcp_ros.cli.main",
                    "up",
                    "--params-file",
                    str(self._parameters_file),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
            )
        try:
            self._wait_until_ready(begin)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()

    def kill(self) -> None:
        """Kill the nodes with SIGKILL, as a power cut would: nothing can be saved."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(STOP_TIMEOUT)

    def _wait_until_ready(self, begin: int) -> None:
        assert self._process is not None
        end = time.monotonic() + START_TIMEOUT
        while True:
            lines = self.log.read_bytes()[begin:].decode(errors="replace").splitlines()
            if any(line.startswith(READY) for line in lines):
                return
            if self._process.poll() is not None:
                raise StackError(self._add_log("The nodes ended instead of starting", lines))
            if time.monotonic() > end:
                raise StackError(
                    self._add_log(f"The nodes were not ready after {START_TIMEOUT:g} s", lines)
                )
            time.sleep(0.05)

    def _add_log(self, sentence: str, lines: list[str]) -> str:
        """Add the error that ``fcp up`` printed, or else the end of the log, to a sentence."""
        shown = [line for line in lines if line.startswith(ERROR)] or lines[-TAIL_LINES:]
        quoted = "\n".join(f"  {line}" for line in shown)
        return f"{sentence}; {self.log} has the whole log:\n{quoted}"


def _write_parameters(parameters: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    document = {
        f"/**/{node}": {"ros__parameters": dict(values)} for node, values in parameters.items()
    }
    path.write_text(dump_yaml(document), encoding="utf-8")


MOST_THINGS = 3  # Things that are brought: enough to see the policy repeat itself


def propose_tidying(teller: Storyteller, state: Instance, cast: Cast) -> list[Story]:
    """Propose goals, those with more things to bring before those with fewer."""
    chosen = {place: _choose_things(state, place) for place in (cast.stage, cast.aside)}
    return [
        _tell_tidying(teller, state, things[:count], place)
        for count in range(MOST_THINGS, 0, -1)
        for place, things in chosen.items()
        if len(things) >= count
    ]


def choose_tidying(
    stories: Sequence[Story], plan: Callable[[Story], PlanningResult]
) -> Story | None:
    """Choose the first goal whose plan, not executed, a policy makes; None without."""
    return next((story for story in stories if story.is_answered_by(plan(story))), None)


def _choose_things(state: Instance, place: str) -> list[str]:
    """List things that lie elsewhere, those of other rooms first."""
    items = sorted(map(state.name_of, state.elements(ITEM)))
    away = [name for name in items if find_support(state, name) not in ("", place)]
    return sorted(away, key=lambda name: are_in_same_room(state, find_support(state, name), place))


def _tell_tidying(teller: Storyteller, state: Instance, things: Sequence[str], place: str) -> Story:
    names = join_words([say_name(state, thing) for thing in things], "and")
    return Story(
        "6",
        "A general policy",
        f"Put {names} on {say_name(state, place)}. That is one of the tasks for which a general "
        "policy was written once: it looks at a few features of the state, and makes the plan for "
        "any number of things without a search.",
        " and ".join(f"on({quote_name(thing)}, {quote_name(place)})" for thing in things),
        teller.alpha,
        "a policy makes the plan, which is verified and executed",
        SOLVED,
        relax=False,
        by_policy=True,
    )


DOMAIN, PERCEIVED, TRUE = "household", "twin_house_perceived", "twin_house_furnished"
"""The domain, the house in other words, and the same house in the domain's words."""


def show_names(console: Console, width: int) -> None:
    """Align the house in other words with the domain, and print what was found."""
    console.print()
    console.print(Rule("[bold]Another perception, other names", align="left"), width=width)
    result = align_house()
    console.print(f"[dim]fcp align {PERCEIVED} --world {TRUE} --out names.yaml[/]")
    console.print(f"[green]{result.status.value}[/] {escape(result.message)}", soft_wrap=True)
    for kept in result.list_standing(ClaimStanding.KEPT):
        console.print(f"  {kept.kind.value} {escape(str(kept))}", soft_wrap=True)
    console.print(f"[dim]fcp plan --scene {PERCEIVED} --overrides names.yaml[/] needs no more.")


def align_house() -> SceneAlignment:
    """Align the house in other words with the domain; plans are tried in the house as it is."""
    domain = load_domain(find_domain(DOMAIN))
    true = load_scene_for(find_scene(TRUE), domain.schema, domain.mapping)
    world = DomainSimulator(domain, scene_to_instance(true, domain.schema, domain.mapping).instance)
    perceived = read_scene(find_scene(PERCEIVED))
    return align_scene(perceived, domain, world, EmbeddingLabelSimilarity())


TIME_SCALE = 40.0
"""Simulated seconds that pass in one real second: a plan of a minute is shown in seconds."""
TITLE_WIDTH = 100
"""Columns of a title line, also where output goes to a file and lines are not wrapped."""


@dataclass(frozen=True)
class DemoOptions:
    """The scene to play on, and the folder to write to."""

    scene: str  # name or path of the scene
    domain: str  # name or path of the domain
    out: Path  # folder of the report, the log and the demonstration's own calibration store
    alpha: float  # least acceptable membership of the goals, in [0, 1]
    quick: bool = False  # only the episodes before the nodes are killed for the first time


def run_demo(options: DemoOptions, console: Console) -> DemoReport:
    """Play all episodes and write ``demo.html`` and ``demo.json``.

    Raises StoryError (the scene has too little in it), StackError, FcpError, DomainError,
    SceneError.
    """
    scene = find_scene(options.scene)
    domain = load_domain(find_domain(options.domain))
    graph = load_scene(scene)  # a bad file ends the run before any node starts
    print_scene(console, options.scene, graph)
    compile_missing_kernels(console.print)  # nodes that compile for long would seem not to start
    show_names(console, min(console.width, TITLE_WIDTH))
    run = _DemoRun(options, scene, domain, console)
    run.play()
    report = DemoReport(
        title="Goals, plans and outcomes",
        scene=options.scene,
        domain=f"{domain.name} {domain.version}",
        oracle=run.oracle,
        environment=_list_versions(),
        created=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        episodes=tuple(run.episodes),
    )
    write_page(render_page(report), options.out / "demo.html")
    write_json(report, options.out / "demo.json")
    return report


class _DemoRun:
    """One run: nodes are started, play episodes, and are killed, five times over."""

    def __init__(self, options: DemoOptions, scene: Path, domain: Domain, console: Console) -> None:
        self._options = options
        self._scene = scene
        self._domain = domain
        self._console = console
        self._domain_id = int(os.environ.get("ROS_DOMAIN_ID", 0)) or 1 + os.getpid() % 100
        self._store = (options.out / "demo_calibration.sqlite").resolve()
        self._cast: Cast | None = None
        self._shared: tuple[SceneGraph, Story] | None = None  # with a second robot
        self.episodes: list[Episode] = []
        self.oracle = ""

    def play(self) -> None:
        """Play all episodes, with a calibration store that is initially empty."""
        for file in (
            *self._store.parent.glob(self._store.name + "*"),
            self._options.out / "nodes.log",
        ):
            file.unlink(missing_ok=True)
        self._run_nodes("start all nodes", self._play_goals)
        if self._options.quick:
            return
        self._run_nodes("start all nodes again, with the initial scene", self._look_ahead)
        assert self._cast is not None
        fault = f"pick(item={self._cast.best}): EXECUTION_FAILED"
        again = f"start all nodes again; from now on: {fault}"
        self._run_nodes(again, self._play_failure, faults=(fault,))
        policies = config_folder() / "policies"
        again = f"kill all nodes (SIGKILL) and start them again, with the policies in {policies}"
        self._run_nodes(again, self._play_rest, policies=policies)
        if self._shared is None:
            text = "The scene has no robot, or nothing to do for two robots in two rooms."
            self._console.print(text)
            return
        again = "start all nodes once more, in the initial scene with a second robot"
        self._run_nodes(again, self._play_together, with_two=True)

    def _play_goals(self, player: Player, teller: Storyteller) -> None:
        self._cast = cast = teller.choose_cast(player.fetch_state())
        self._record(player.play(teller.tell_crisp(player.fetch_state(), cast)))
        state = player.fetch_state()  # the first episode may have put something fit there
        self._record(player.play(teller.tell_vague(state, teller.choose_free_stage(state, cast))))
        wishes = propose_wishes(teller, player.fetch_state(), cast)
        self._record(player.play(choose_wish(wishes, player.plan_story)))
        self._record(player.play(teller.tell_unacceptable(player.fetch_state(), cast)))
        self._record(player.play(teller.tell_impossible(player.fetch_state(), cast)))
        self._record(player.play(teller.tell_preferred(player.fetch_state(), cast)))
        self.oracle = player.oracle

    def _look_ahead(self, player: Player, teller: Storyteller) -> None:
        """Find the item that the planner would take now, which will fail, and work for two."""
        assert self._cast is not None
        cast = teller.choose_free_stage(player.fetch_state(), self._cast)
        self._cast = replace(
            cast, best=player.choose_element(teller.tell_failing(player.fetch_state(), cast))
        )
        # Here, since the last episodes may have carried all things into one room.
        self._shared = prepare_two(
            player.fetch_graph(),
            player.fetch_state(),
            teller,
            lambda story: player.plan_story(story).status.solved,
        )

    def _play_failure(self, player: Player, teller: Storyteller) -> None:
        assert self._cast is not None
        self._record(player.play(teller.tell_failing(player.fetch_state(), self._cast)))

    def _play_rest(self, player: Player, teller: Storyteller) -> None:
        """Play what needs nothing but other nodes: memory, and a policy."""
        assert self._cast is not None
        self._record(player.play(teller.tell_remembering(player.fetch_state(), self._cast)))
        stories = propose_tidying(teller, player.fetch_state(), self._cast)
        story = choose_tidying(stories, player.plan_story)
        if story is None:
            self._console.print("No policy is for this domain and scene: nothing to show.")
        else:
            self._record(player.play(story))

    def _play_together(self, player: Player, _teller: Storyteller) -> None:
        assert self._shared is not None
        self._record(player.play(self._shared[1]))

    def _run_nodes(
        self,
        announcement: str,
        play: Callable[[Player, Storyteller], None],
        *,
        faults: tuple[str, ...] = (),
        policies: Path | None = None,
        with_two: bool = False,
    ) -> None:
        """Start the nodes, play episodes on them, and kill them."""
        parameters = self._make_parameters(faults, policies)
        if with_two and self._shared is not None:
            parameters = self._add_robot(parameters, self._shared[0])
        process = StackProcess(parameters, self._options.out, self._domain_id)
        known = () if policies is None else read_policy_folder(policies).policies
        with self._console.status(announcement), process:
            client = FcpClient(domain_id=self._domain_id)
            with client:
                self._console.print(f"\n[dim]{announcement}[/]")
                player = Player(client, self._domain, known)
                play(player, Storyteller(self._domain, player, self._options.alpha))

    def _make_parameters(
        self, faults: tuple[str, ...], policies: Path | None
    ) -> dict[str, dict[str, Any]]:
        domain = str(find_domain(self._options.domain).resolve())
        return {
            # Killed nodes would go on with the last graph: each start is with the initial scene.
            "scene_graph": {"scene": _resolve_scene(self._scene), "last_graph": ""},
            "grounder": {"domain": domain, "calibration_path": str(self._store), "cache_path": ""},
            "task_planner": {"domain": domain, "policies": str(policies or "")},
            "executive": {"domain": domain, "outcome_journal": "", "name_store": ""},
            "simulated_executor": {
                "domain": domain,
                "time_scale": TIME_SCALE,
                "faults": list(faults) or [""],
            },
        }

    def _add_robot(
        self, parameters: dict[str, dict[str, Any]], graph: SceneGraph
    ) -> dict[str, dict[str, Any]]:
        """Have the nodes start in a scene with two robots, whose executors serve both at once."""
        scene = (self._options.out / "two_robots.json").resolve()
        save_scene(graph, scene)
        shared = list(list_executors(self._domain))
        return {
            **parameters,
            "scene_graph": {**parameters["scene_graph"], "scene": str(scene)},
            "executive": {**parameters["executive"], "shared_executors": shared},
            "simulated_executor": {**parameters["simulated_executor"], "steps_at_once": 2},
        }

    def _record(self, episode: Episode) -> None:
        self.episodes.append(episode)
        print_episode(self._console, episode)


def _resolve_scene(scene: Path) -> str:
    """Make the path absolute; the part after # (one scene of a file) is kept."""
    file, mark, part = str(scene).partition("#")
    return f"{Path(file).resolve()}{mark}{part}"


def _list_versions() -> tuple[tuple[str, str], ...]:
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


def print_scene(console: Console, name: str, graph: SceneGraph) -> None:
    rooms = len(graph.in_layer(Layer.ROOM))
    things = len(graph.in_layer(Layer.OBJECT))
    console.print(
        f"scene [bold]{escape(name)}[/]: {rooms} rooms, {things} things, "
        f"{len(graph.relations)} relations"
    )


def print_episode(console: Console, episode: Episode) -> None:
    """Print one episode: story, goal, plan, outcomes, what was learned, and the verdict."""
    console.print()
    title = Rule(f"[bold]{episode.number}. {escape(episode.title)}", align="left")
    console.print(title, width=min(console.width, TITLE_WIDTH))
    console.print(escape(episode.story))
    if episode.understood is not None:
        _print_understanding(console, episode.understood, episode.goal)
    console.print(f"[bold]goal[/] {escape(episode.goal)}   alpha {episode.alpha:.2f}")
    console.print(render_result(episode.result, explain=True))
    if episode.outcomes:
        _print_outcomes(console, episode)
    for change in episode.calibration:
        if abs(change.after - change.before) >= 0.01:
            console.print(
                f"learned {change.predicate}({escape(change.context)}): "
                f"{change.before:.2f} -> {change.after:.2f} "
                f"({change.evidence_count} outcomes)"
            )
    mark = "[green]as expected[/]" if episode.as_expected else "[bold red]NOT as expected[/]"
    console.print(f"{mark} ({escape(episode.expectation)}): {escape(episode.verdict)}")


def _print_understanding(console: Console, understood: UnderstoodInstruction, goal: str) -> None:
    """Print what the robot says to a spoken wish, and what it took the words for."""
    if understood.paraphrase and understood.paraphrase != goal:
        fits = f"(fits to {understood.degree:.2f})"
        console.print(f"[bold]understood[/] {escape(understood.paraphrase)} [dim]{fits}[/]")
    if understood.status != "read":
        console.print(f"[yellow]{escape(understood.message)}[/]")
    meanings = [
        f"{word.text} = {word.role}{f' {word.meaning}' if word.meaning else ''}"
        for word in understood.words
        if word.role and word.role != "filler"
    ]
    if meanings:
        console.print(f"[dim]{escape('; '.join(meanings))}[/]")


def _print_outcomes(console: Console, episode: Episode) -> None:
    console.print("[bold]executed[/]")
    for outcome in episode.outcomes:
        good = outcome.outcome is OutcomeCode.SUCCEEDED
        console.print(
            f"  [{'green' if good else 'red'}]{outcome.outcome.name}[/] "
            f"{escape(outcome.step)} in {outcome.duration:.1f} s"
            + ("" if good else f": {escape(outcome.message)}")
        )
