# SPDX-License-Identifier: Apache-2.0
"""The program ``fcp``: a table of commands, each imported when it is run.

Importing them all takes seconds, and ``fcp --help`` needs none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from fcp_ros.foundation.garbage import collect_garbage_seldom


@dataclass(frozen=True)
class Command:
    """A command that is imported when it is run."""

    summary: str  # The line that ``fcp --help`` shows; it begins the command's own help
    module: str
    app: str = "app"


COMMANDS = {
    "plan": Command(
        "Plan for a goal, or for a PDDL domain and problem (--domain d.pddl --scene p.pddl).",
        "fcp_ros.cli.plan.command",
    ),
    "ask": Command(
        "Plan for what somebody says, and show how it was understood and what had to be given up.",
        "fcp_ros.cli.plan.ask",
    ),
    "cook": Command(
        "Rewrite a recipe so that it can be cooked without what is missing or ruled out.",
        "fcp_ros.cli.cook",
    ),
    "validate": Command(
        "Check a domain, a scene against a domain, or a plan on a scene by replaying it.",
        "fcp_ros.cli.validate",
    ),
    "align": Command(
        "Find out which names mean the same, of two domains or of a scene and a domain.",
        "fcp_ros.cli.align",
    ),
    "generalize": Command(
        "Look for a policy that solves all tasks of a domain, and check it on a few of them.",
        "fcp_ros.cli.generalize",
    ),
    "policy": Command("Look at general policies (fcp generalize).", "fcp_ros.cli.policy"),
    "judge": Command(
        "Judge to which degree a graded predicate holds of things in words or in a scene.",
        "fcp_ros.cli.judge",
    ),
    "up": Command(
        "Start the nodes with the same parameters as the launch files, until Ctrl-C.",
        "fcp_ros.cli.live",
        "up_app",
    ),
    "demo": Command(
        "Start all nodes and play the episodes on a scene; exits with 1 if one fails.",
        "fcp_ros.cli.live",
        "demo_app",
    ),
    "goals": Command(
        "List the goals of a running executive, stop them, or pause it between two steps.",
        "fcp_ros.cli.goals",
    ),
    "person": Command(
        "Show which step the robot asks a person to do, and say how it ended.",
        "fcp_ros.cli.person",
    ),
    "scene": Command("Look at scenes, draw, convert and compare them.", "fcp_ros.cli.scene"),
    "world": Command(
        "Make a world with physics of a scene: a file for MuJoCo's viewer, or a picture.",
        "fcp_ros.cli.world",
    ),
    "calibration": Command(
        "Show, undo or merge what was learned from outcomes.", "fcp_ros.cli.calibration"
    ),
    "models": Command("Fetch, check and remove models by name.", "fcp_ros.cli.models"),
    "grounding": Command(
        "Train and measure heads on the vectors or hidden states of a model.",
        "fcp_ros.cli.heads",
    ),
    "language": Command(
        "Train on sentences of your choice, and look at weights.",
        "fcp_ros.cli.language",
    ),
}
"""The commands, in the order of ``fcp --help``."""


class LazyGroup(TyperGroup):
    """A command group that imports a command only when it is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if not name:
            return name, command, rest
        # The collector would traverse again and again what was imported: a fifth of a start.
        with collect_garbage_seldom():
            return name, get_command(import_command(name)), rest


def import_command(name: str) -> typer.Typer:
    command = COMMANDS[name]
    app: typer.Typer = getattr(import_module(command.module), command.app)
    return app


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
for _name, _command in COMMANDS.items():
    app.command(_name, help=_command.summary)(_placeholder)

if __name__ == "__main__":
    app()
