# SPDX-License-Identifier: Apache-2.0
"""``fcp up`` and ``fcp demo``: the commands that start nodes.

``up`` runs all nodes in one process, without ``ros2 launch``; ``make demo`` runs the
demonstration. Both import ROS 2 only when they are called.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import DEFAULT_DOMAIN, DEFAULT_SCENE, DomainOption, SceneOption
from fcp_ros.cli.terminal import (
    escape_text,
    explain_errors,
    explain_missing_ros,
    fail,
    open_console,
    show_progress,
)

up_app = typer.Typer(add_completion=False)
demo_app = typer.Typer(add_completion=False)


class DemoWorld(str, Enum):
    """The world that the demonstration plays in."""

    KINEMATIC = "kinematic"
    PHYSICS = "physics"


NODE_HELP = "Only these nodes (may be given several times); without it, all of them."


@up_app.command()
def up(
    domain: Annotated[
        str, typer.Option("--domain", "-d", help="Domain of all nodes: a YAML file or a name.")
    ] = "",
    scene: Annotated[
        str, typer.Option("--scene", "-s", help="Scene to begin with: a file or a name.")
    ] = "",
    namespace: Annotated[str, typer.Option(help="Namespace of all nodes.")] = "",
    params_file: Annotated[Path | None, typer.Option(help="ROS parameter file.")] = None,
    node: Annotated[list[str] | None, typer.Option("--node", "-n", help=NODE_HELP)] = None,
    use_sim_time: Annotated[bool, typer.Option(help="Take the time from /clock.")] = False,
    autostart: Annotated[
        bool, typer.Option(help="Let the nodes configure and activate themselves.")
    ] = True,
    log_level: Annotated[str, typer.Option(help="debug, info, warn, error or fatal.")] = "info",
) -> None:
    """Start the nodes with the same parameters as the launch files, until Ctrl-C."""
    with explain_missing_ros():
        from fcp_ros.nodes.stack import StackOptions, StartError, run_nodes
    console = open_console(stderr=True)
    options = StackOptions(
        namespace=namespace,
        params_file=params_file,
        domain=domain,
        scene=scene,
        use_sim_time=use_sim_time,
        autostart=autostart,
        log_level=log_level,
        nodes=tuple(node or StackOptions.nodes),
    )
    try:
        run_nodes(
            options, lambda nodes: console.print(f"[green]up[/] {', '.join(nodes)}; Ctrl-C ends")
        )
    except StartError as error:
        fail(str(error), FAILED)


@demo_app.command()
def demo(
    scene: SceneOption = DEFAULT_SCENE,
    domain: DomainOption = DEFAULT_DOMAIN,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for demo.html, demo.json and the nodes' log."),
    ] = Path("out"),
    alpha: Annotated[
        float, typer.Option(help="Least acceptable membership of the demonstration's goals.")
    ] = 0.5,
    world: Annotated[
        DemoWorld, typer.Option(help="physics: one sentence, with a film (MuJoCo; no nodes).")
    ] = DemoWorld.KINEMATIC,
    say: Annotated[
        str, typer.Option(help="The sentence that the film is about.")
    ] = "put the milk on the table",
    quick: Annotated[
        bool, typer.Option(help="Only the first episodes, with one start of the nodes.")
    ] = False,
) -> None:
    """Start all nodes and play the episodes on a scene; exits with 1 if one fails."""
    if world is DemoWorld.PHYSICS:
        _show_film(scene, domain, say, out)
        return
    with explain_missing_ros():
        from fcp_ros.client import FcpError
        from fcp_ros.demo.run import DemoOptions, StackError, run_demo
        from fcp_ros.demo.stories import StoryError
    console = open_console()
    with explain_errors():
        try:
            report = run_demo(DemoOptions(scene, domain, out, alpha, quick), console)
        except (StoryError, StackError, FcpError) as error:
            fail(str(error), FAILED)
    console.print(
        f"\nwrote [bold]{escape_text(str(out / 'demo.html'))}[/] and "
        f"{escape_text(str(out / 'demo.json'))}"
    )
    if not report.as_expected:
        fail("not every episode ended as expected: see above", FAILED)


def _show_film(scene: str, domain: str, say: str, out: Path) -> None:
    from fcp_ros.demo.film import make_film, make_report
    from fcp_ros.report.demo_report import render_page, write_json
    from fcp_ros.report.pages import write_page

    console = open_console()
    film = out / "film.webp"
    with explain_errors(), show_progress("Filming"):
        filmed = make_film(scene, domain, say, film)
    report = make_report(filmed, scene, domain)
    written = [write_page(render_page(report), out / "demo.html")]
    written.append(write_json(report, out / "demo.json"))
    if filmed.unfilmed:
        open_console(stderr=True).print(f"[yellow]No film:[/] {escape_text(filmed.unfilmed)}")
    else:
        written.append(film)
    episode = filmed.episode
    if episode.understood is not None:
        console.print(escape_text(episode.understood.message))
    for outcome in episode.outcomes:
        words = f"  {outcome.step}: {outcome.outcome.name.lower()} {outcome.message}"
        console.print(escape_text(words))
    names = ", ".join(f"[bold]{escape_text(str(path))}[/]" for path in written)
    console.print(f"\nwrote {names}")
    if not filmed.succeeded:
        fail("not every step succeeded: see above", FAILED)
