# SPDX-License-Identifier: Apache-2.0
"""``fcp replay``: plan and calibrate again what was recorded, and show what is different."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fcp_ros.binding.label_types import with_type_overrides
from fcp_ros.cli.calibration import WorldOption, print_predicate
from fcp_ros.cli.exit_codes import DIFFERENT, DONE
from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DomainOption,
    JsonOption,
    JudgeChoice,
    TypeOption,
    expand_options,
)
from fcp_ros.cli.terminal import (
    escape_text,
    explain_errors,
    explain_missing_ros,
    open_console,
    say,
)
from fcp_ros.domain import Domain, load_domain
from fcp_ros.grounding import (
    CalibrationOptions,
    CalibrationStore,
    EvidenceWorld,
    Grounder,
    make_grounder,
)
from fcp_ros.grounding.calibration.store import merge_evidence
from fcp_ros.grounding.calibration.summary import summarise
from fcp_ros.package_files import find_domain
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.report.plain_json import to_plain

app = typer.Typer(add_completion=False)


@app.command()
@expand_options
def replay(
    *,
    bag: Annotated[
        Path, typer.Argument(help="Folder of a rosbag2 recording, or one of its files.")
    ],
    domain: DomainOption = DEFAULT_DOMAIN,
    types: TypeOption = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", help="Of the nodes; without it, the only one recorded."),
    ] = None,
    world: WorldOption = EvidenceWorld.REAL,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Longest time for each plan, in seconds.")
    ] = 60.0,
    judges: JudgeChoice,
    as_json: JsonOption = False,
) -> None:
    """Plan and calibrate again what was recorded, and show what is different.

    The exit code is 1 if something is. Each plan is made again on the scene that it was made on,
    with the evidence of the outcomes before it, and that of --calibration, to which nothing is
    written. docs/recordings.md says what to record.
    """
    with explain_missing_ros():
        from fcp_ros.nodes.replay import RecordingReplay, open_recording
    with explain_errors():
        known = load_domain(find_domain(domain))
        known = replace(
            known, mapping=with_type_overrides(known.mapping, known.schema, types or ())
        )
        with (
            open_recording(bag, namespace) as recording,
            closing(_open_grounder(known, judges)) as grounder,
        ):
            compile_missing_kernels(say)
            options = PlanningOptions(time_limit=time_limit)
            console = open_console(stderr=True)
            with console.status("reading") as status:
                report = RecordingReplay(known, grounder, world, options).run(
                    recording, lambda goal: status.update(f"planning: {escape_text(goal)}")
                )
            summaries = summarise(grounder.calibrator)
    if as_json:
        plain = {**to_plain(report), "predicates": to_plain(summaries)}
        typer.echo(json.dumps(plain, indent=1))
    else:
        console = open_console()
        for line in _describe(report):
            console.print(line, soft_wrap=True)
        for summary in summaries:
            print_predicate(summary, console)
    raise typer.Exit(DONE if report.is_same else DIFFERENT)


def _open_grounder(domain: Domain, judges: JudgeChoice) -> Grounder:
    """Open a grounder that learns in memory, from the evidence of the chosen store on."""
    options = replace(judges.to_options(), calibration=CalibrationOptions())
    grounder = make_grounder(domain, options)
    if judges.calibration is not None:
        with closing(CalibrationStore(judges.calibration, read_only=True)) as store:
            merge_evidence(store, grounder.calibration)
    return grounder


# --- text; the report's class is imported with ROS


def _describe(report: Any) -> Iterator[str]:
    for plan in report.plans:
        when = datetime.datetime.fromtimestamp(plan.stamp).strftime("%d %b %H:%M:%S")
        yield f"[dim]{when}[/] [bold]{escape_text(plan.goal)}[/]: {_describe_plan(plan)}"
        for change in plan.degree_changes:
            yield f"  {escape_text(change.atom)}: {change.recorded:.3f} → {change.now:.3f}"
        for line in plan.step_changes:
            yield f"  {escape_text(line)}"
    for note in report.notes:
        yield f"[yellow]note[/]: {escape_text(note)}"
    same = sum(plan.is_same for plan in report.plans)
    yield (
        f"{same} of {len(report.plans)} plans are the same. {report.outcomes} outcomes: evidence "
        f"about {report.evidence} judgements" + _describe_simulated(report.simulated)
    )


def _describe_plan(plan: Any) -> str:
    if plan.problem:
        return f"[red]{escape_text(plan.status or 'not compared')}[/] {escape_text(plan.problem)}"
    if plan.is_same:
        return f"the same {plan.steps} steps, membership {plan.recorded_membership:.2f}"
    steps = "other steps" if plan.step_changes else "the same steps"
    return f"[yellow]{steps}[/], membership {plan.recorded_membership:.3f} → {plan.membership:.3f}"


def _describe_simulated(count: int) -> str:
    if not count:
        return "."
    return f"; {count} of simulated executors are none in the real world (--world simulated)."
