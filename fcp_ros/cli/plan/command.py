# SPDX-License-Identifier: Apache-2.0
"""``fcp plan``: plan for a goal without ROS."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.options import JudgeChoice, expand_options
from fcp_ros.cli.plan.interruption import open_interruption
from fcp_ros.cli.plan.options import AdvancedOptions, RequestOptions
from fcp_ros.cli.plan.output import TerminalQuestions, make_display, print_result
from fcp_ros.cli.plan.request import Listener, PlanCommand, PlanOutput
from fcp_ros.cli.terminal import check_outputs, explain_errors, fail, open_console, say, show_line
from fcp_ros.foundation.garbage import collect_garbage_seldom, skip_final_collection
from fcp_ros.planning import Explanation, PlanStatus
from fcp_ros.planning.model.watch import RequestStart
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.report.behaviour_tree import to_behaviour_tree

app = typer.Typer(add_completion=False)


@app.command()
@expand_options
def plan(
    *,
    goal: Annotated[
        str,
        typer.Option(
            "--goal",
            "-g",
            help=(
                'What should hold, such as: on(?x, table_1) and serves_as(?x, "drinking"). '
                "A PDDL problem has its own."
            ),
        ),
    ] = "",
    request: RequestOptions,
    advanced: AdvancedOptions,
    why: Annotated[
        list[str] | None,
        typer.Option("--why", help="Explain why this element was or was not considered."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the plan to this file, in the format of the IPC."),
    ] = None,
    behaviour_tree: Annotated[
        Path | None,
        typer.Option(
            "--behaviour-tree",
            help="Write the plan to this file, as a tree of BehaviorTree.CPP 4 (XML).",
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the answer to this file, as an HTML page.")
    ] = None,
    judges: JudgeChoice,
) -> None:
    """Plan for a goal, or for a PDDL domain and problem (--domain d.pddl --scene p.pddl).

    The exit code is the planning status (see the README). Ctrl-C ends planning with the best plan
    so far.
    """
    skip_final_collection()
    if not (goal or request.has_pddl):
        fail("no goal: say what should hold with --goal")
    more = {**advanced.read_values(), "explain": request.explain or bool(why)}
    asked = request.make_input(judges, goal=goal, more=more)
    check_outputs(
        (out, behaviour_tree, page),
        (asked.domain, asked.scene, asked.overrides, judges.calibration),
    )
    compile_missing_kernels(say)
    start = RequestStart.now()
    with collect_garbage_seldom(), open_interruption() as interruption:
        with explain_errors():
            with show_line(quiet=request.as_json) as line:
                ask = TerminalQuestions(line, interruption).ask
                listener = Listener(make_display(line), ask)
                answer = PlanCommand(asked, start, interruption, listener).answer()
            _write_plan(answer, out, behaviour_tree)
            if page is not None:
                answer.write_page(asked, page)
        _print_answer(answer, request, why or ())
        status = PlanStatus.CANCELLED if interruption.cancelled else answer.result.status
    raise typer.Exit(to_exit_code(status))


def _write_plan(answer: PlanOutput, out: Path | None, behaviour_tree: Path | None) -> None:
    plan = answer.result.plan
    if plan is None:
        return
    texts: dict[Path, str] = {}
    if out is not None:
        texts[out] = answer.to_ipc_plan()
    if behaviour_tree is not None:
        texts[behaviour_tree] = to_behaviour_tree(plan)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _print_answer(answer: PlanOutput, request: RequestOptions, why: Iterable[str]) -> None:
    """Print the answer on standard output, with an explanation for each element of `why`."""
    if request.as_json:
        typer.echo(json.dumps(answer.to_plain(), indent=1))
        return
    print_result(answer, explain=request.explain)
    for element in why:
        explanation = answer.result.explanation or Explanation()
        open_console().print(explanation.explain_element(element), markup=False)
