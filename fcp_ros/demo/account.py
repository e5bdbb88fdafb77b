# SPDX-License-Identifier: Apache-2.0
"""The demonstration on the console: what is played, and what came of it."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.report.console import render_result
from fcp_ros.report.demo_report import Episode
from fcp_ros.scene import Layer, SceneGraph


def print_scene(console: Console, name: str, graph: SceneGraph) -> None:
    """Says which scene is played on."""
    rooms = len(graph.in_layer(Layer.ROOM))
    things = len(graph.in_layer(Layer.OBJECT))
    console.print(
        f"scene [bold]{escape(name)}[/]: {rooms} rooms, {things} things, "
        f"{len(graph.relations)} relations"
    )


def print_episode(console: Console, episode: Episode) -> None:
    """Tells one episode: story, goal, plan, outcomes, what was learned, and the verdict."""
    console.print()
    console.print(Rule(f"[bold]{episode.number}. {escape(episode.title)}", align="left"))
    console.print(escape(episode.story))
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


def _print_outcomes(console: Console, episode: Episode) -> None:
    console.print("[bold]executed[/]")
    for outcome in episode.outcomes:
        good = outcome.outcome is OutcomeCode.SUCCEEDED
        console.print(
            f"  [{'green' if good else 'red'}]{outcome.outcome.name}[/] "
            f"{escape(outcome.step)} in {outcome.duration:.1f} s"
            + ("" if good else f": {escape(outcome.message)}")
        )
