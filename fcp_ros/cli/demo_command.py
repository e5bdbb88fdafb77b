# SPDX-License-Identifier: Apache-2.0
"""``fcp demo``: the demonstration on live nodes (what ``make demo`` runs)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from fcp_ros.cli.errors import explained, fail
from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.options import DEFAULT_DOMAIN, DEFAULT_SCENE, DomainOption, SceneOption


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
) -> None:
    """Start all nodes and play the episodes on a scene; exits with 1 if one goes wrong."""
    try:
        from fcp_ros.client import FcpError
        from fcp_ros.demo.run import DemoOptions, run_demo
        from fcp_ros.demo.stack_process import StackError
        from fcp_ros.demo.stories import StoryError
    except ImportError as error:
        fail(
            f"ROS 2 or this package's interfaces can't be imported ({error}): "
            'run "make demo", which sets them up'
        )
    console = Console(highlight=False, soft_wrap=True)
    with explained():
        try:
            report = run_demo(DemoOptions(scene, domain, out, alpha), console)
        except (StoryError, StackError, FcpError) as error:
            fail(str(error), FAILED)
    console.print(
        f"\nwrote [bold]{escape(str(out / 'demo.html'))}[/] and {escape(str(out / 'demo.json'))}"
    )
    if not report.as_expected:
        fail("not every episode came out as expected: see above", FAILED)
