# SPDX-License-Identifier: Apache-2.0
"""The program ``fcp``: its commands, each from the file that holds it."""

from __future__ import annotations

import typer

from fcp_ros.cli import calibration_command, grounding_command, scene_command
from fcp_ros.cli.demo_command import demo
from fcp_ros.cli.judge_command import judge
from fcp_ros.cli.plan_command import plan
from fcp_ros.cli.up_command import up
from fcp_ros.cli.validate_command import validate

app = typer.Typer(
    name="fcp",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Graded task planning: scene graph and vague goal in, verified plan out.",
)
app.command()(plan)
app.command()(validate)
app.command()(judge)
app.command()(up)
app.command()(demo)
app.add_typer(scene_command.app, name="scene")
app.add_typer(calibration_command.app, name="calibration")
app.add_typer(grounding_command.app, name="grounding")

if __name__ == "__main__":
    app()
