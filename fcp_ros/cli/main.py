# SPDX-License-Identifier: Apache-2.0
"""The program ``fcp``: a list of commands, each imported when it is run.

Importing them all takes seconds, and ``fcp --help`` needs none of them.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

SUMMARIES = {
    "plan": "Plan for a goal, or for a PDDL domain and problem (--domain d.pddl --scene p.pddl).",
    "validate": "Check a domain, a scene against a domain, or a plan on a scene by replaying it.",
    "judge": "Judge to which degree a graded predicate holds of things in words or in a scene.",
    "up": "Start the nodes with the same parameters as the launch files, until Ctrl-C.",
    "demo": "Start all nodes and play the episodes on a scene; exits with 1 if one fails.",
    "scene": "Look at scenes, draw, convert and compare them.",
    "calibration": "Show or undo what was learned from outcomes.",
    "grounding": "Train and measure the heads of the embedding oracle.",
}
"""The commands and the lines that ``fcp --help`` shows; each begins that command's own help."""


class LazyGroup(TyperGroup):
    """A command group that imports a command only when it is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command that the arguments name, and import it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, get_command(import_command(name)) if name else command, rest


def import_command(name: str) -> typer.Typer:
    """Import one of the commands of `SUMMARIES`."""
    if name == "plan":
        from fcp_ros.cli import plan

        return plan.app
    if name == "scene":
        from fcp_ros.cli.scene import command as scene

        return scene.app
    if name in ("up", "demo"):
        from fcp_ros.cli import live

        return live.up_app if name == "up" else live.demo_app
    if name == "validate":
        from fcp_ros.cli import validate

        return validate.app
    if name == "judge":
        from fcp_ros.cli import judge

        return judge.app
    if name == "calibration":
        from fcp_ros.cli import calibration

        return calibration.app
    from fcp_ros.cli import grounding

    return grounding.app


def _placeholder() -> None:
    """Stand for a command that has not been imported."""


app = typer.Typer(
    name="fcp",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Graded task planning: scene graph and vague goal in, verified plan out.",
)
for _name, _summary in SUMMARIES.items():
    app.command(_name, help=_summary)(_placeholder)

if __name__ == "__main__":
    app()
