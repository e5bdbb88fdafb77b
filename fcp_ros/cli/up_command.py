# SPDX-License-Identifier: Apache-2.0
"""``fcp up``: all nodes in one process, for where there is no ``ros2 launch``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from fcp_ros.cli.errors import fail
from fcp_ros.cli.exit_codes import FAILED

NODE_HELP = "Only these nodes (may be given several times); without it, all of them."


def up(
    domain: Annotated[
        str, typer.Option("--domain", "-d", help="Domain of all nodes: a YAML file or a name.")
    ] = "",
    scene: Annotated[
        str, typer.Option("--scene", "-s", help="Scene to begin with: a file or a name.")
    ] = "",
    namespace: Annotated[str, typer.Option(help="Namespace of all nodes.")] = "",
    params_file: Annotated[
        Path | None,
        typer.Option(help="ROS parameter file."),
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option("--node", "-n", help=NODE_HELP),
    ] = None,
    use_sim_time: Annotated[bool, typer.Option(help="Take the time from /clock.")] = False,
    autostart: Annotated[
        bool, typer.Option(help="Let the nodes configure and activate themselves.")
    ] = True,
    log_level: Annotated[str, typer.Option(help="debug, info, warn, error or fatal.")] = "info",
) -> None:
    """Start the nodes with the same parameters as the launch files, until Ctrl-C."""
    try:
        from fcp_ros.nodes.combined import run_nodes
        from fcp_ros.nodes.stack import StackOptions, StartError
    except ImportError as error:
        fail(
            f"ROS 2 or this package's interfaces can't be imported ({error}): run "
            '"make setup" and then ". .venv/fcp_env.sh", or source your workspace'
        )
    console = Console(stderr=True, highlight=False)
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
