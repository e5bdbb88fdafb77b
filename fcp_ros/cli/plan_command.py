# SPDX-License-Identifier: Apache-2.0
"""``fcp plan``: plan for a goal without ROS."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Annotated

import typer
from rich.console import Console

from fcp_ros.cli.errors import explained
from fcp_ros.cli.exit_codes import of_status
from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DEFAULT_ORACLE,
    DEFAULT_SCENE,
    CalibrationOption,
    DomainOption,
    JsonOption,
    ModelOption,
    OracleOption,
    SceneOption,
)
from fcp_ros.cli.session import open_grounder, open_session
from fcp_ros.fuzzy import TNORM_CHOICES
from fcp_ros.planning import PlanningOptions, Progress
from fcp_ros.relaxation import plan_goal
from fcp_ros.report import plain_result
from fcp_ros.report.console import render_result


def plan(
    goal: Annotated[
        str,
        typer.Option(
            "--goal",
            "-g",
            help=('What should hold, such as: on(?x, table_1) and serves_as(?x, "drinking")'),
        ),
    ],
    domain: DomainOption = DEFAULT_DOMAIN,
    scene: SceneOption = DEFAULT_SCENE,
    alpha: Annotated[
        float, typer.Option("--alpha", "-a", help="Least acceptable membership, from 0 to 1.")
    ] = 0.5,
    time_limit: Annotated[float, typer.Option(help="Seconds for the search.")] = 30.0,
    tnorm: Annotated[
        str, typer.Option(help=f"How degrees compose: {TNORM_CHOICES}.")
    ] = "lukasiewicz",
    relax: Annotated[
        bool, typer.Option("--relax/--no-relax", help="Relax a goal that can't be met as stated.")
    ] = True,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show candidates, where degrees come from, and timings."),
    ] = False,
    as_json: JsonOption = False,
    oracle: OracleOption = DEFAULT_ORACLE,
    model: ModelOption = "",
    calibration: CalibrationOption = None,
) -> None:
    """Plan for a goal. The exit code tells the planning status (see the README)."""
    errors = Console(stderr=True)
    with explained(), errors.status("reading the scene") as status:
        session = open_session(domain, scene)

        def show(progress: Progress) -> None:
            status.update(f"{progress.phase.value}: {progress.expansions} expansions")

        with closing(open_grounder(session.domain, oracle, model, calibration)) as grounder:
            result = plan_goal(
                session.domain,
                session.state.instance,
                goal,
                PlanningOptions(
                    alpha=alpha, time_limit=time_limit, tnorm=tnorm, allow_relaxation=relax
                ),
                grounder,
                progress=show,
            )
    if as_json:
        typer.echo(json.dumps(plain_result(result), indent=1))
    else:
        Console(highlight=False).print(render_result(result, explain=explain))
    raise typer.Exit(of_status(result.status))
