# SPDX-License-Identifier: Apache-2.0
"""``fcp ask``: plan for an instruction in words without ROS."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fcp_ros.cli.exit_codes import DONE, to_exit_code
from fcp_ros.cli.options import JudgeChoice, expand_options
from fcp_ros.cli.plan.interruption import Interruption, open_interruption
from fcp_ros.cli.plan.options import ReadingOptions, RequestOptions
from fcp_ros.cli.plan.output import (
    TerminalQuestions,
    make_display,
    print_result,
    render_interpretation,
    render_question,
)
from fcp_ros.cli.plan.request import Listener, PlanCommand, PlanOutput
from fcp_ros.cli.terminal import LiveLine, explain_errors, fail, open_console, say, show_line
from fcp_ros.foundation.garbage import skip_final_collection
from fcp_ros.language.reading import Interpretation
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart
from fcp_ros.planning.warm_up import compile_missing_kernels
from fcp_ros.relaxation.plan_instruction import refuse_interpretation
from fcp_ros.relaxation.question import TellCallback, find_reading_question
from fcp_ros.report.plain_json import to_plain

app = typer.Typer(add_completion=False)


@app.command()
@expand_options
def ask(
    *,
    instruction: Annotated[
        str, typer.Argument(help="What to do, in words: bring me something to drink from")
    ],
    reading: ReadingOptions,
    request: RequestOptions,
    judges: JudgeChoice,
) -> None:
    """Plan for what somebody says, and show how it was understood and what had to be given up.

    On a terminal it asks where the words are ambiguous, and before a relaxation below
    --confirm-below. Without one, the question is printed and the exit code is 20.
    """
    skip_final_collection()
    if request.has_pddl:
        fail("a PDDL domain has no words to read: give a YAML domain and a scene")
    asked = request.make_input(judges, spoken=reading.make_input(instruction))
    if not reading.reading_only:
        compile_missing_kernels(say)
    start = RequestStart.now()
    told: list[Interpretation] = []
    with open_interruption() as interruption, explain_errors():
        with show_line(quiet=request.as_json) as line:
            tell = _make_teller(told, None if request.as_json else line)
            questions = TerminalQuestions(line, interruption, reading.answer_timeout)
            listener = Listener(make_display(line), questions.ask, tell)
            command = PlanCommand(asked, start, interruption, listener)
            if reading.reading_only:
                code = _read_only(command, asked.options, interruption, request.as_json)
                raise typer.Exit(code)
            answer = command.answer()
        is_all_said = bool(told) and (
            answer.interpretation is None or answer.interpretation.best is None
        )
        _print_answer(answer, request, is_all_said)
        status = PlanStatus.CANCELLED if interruption.cancelled else answer.result.status
    raise typer.Exit(to_exit_code(status))


def _make_teller(told: list[Interpretation], line: LiveLine | None) -> TellCallback:
    """Make the callback that collects interpretations, and prints them while `line` is hidden.

    `line`: the progress; None prints nothing.
    """

    def tell(interpretation: Interpretation) -> None:
        told.append(interpretation)
        if line is not None:
            with line.pause():
                open_console().print(render_interpretation(interpretation))

    return tell


def _read_only(
    command: PlanCommand, options: PlanningOptions, interruption: Interruption, as_json: bool
) -> int:
    """Read the instruction, print its interpretation if that is asked as JSON; return the code."""
    try:
        interpretation = command.read()
    except Interrupted as reason:
        fail(reason.sentence, to_exit_code(reason.status))
    if as_json:
        typer.echo(json.dumps({"interpretation": to_plain(interpretation)}, indent=1))
    else:
        _print_question(interpretation)
    if interruption.cancelled:
        return to_exit_code(PlanStatus.CANCELLED)
    if interpretation.best is not None:
        return DONE
    return to_exit_code(refuse_interpretation(interpretation, options).status)


def _print_answer(answer: PlanOutput, request: RequestOptions, is_all_said: bool) -> None:
    """Print the answer on standard output.

    `is_all_said`: the interpretation, which was printed before, has the whole answer.
    """
    interpretation = answer.interpretation
    if request.as_json:
        plain = {"interpretation": to_plain(interpretation), **answer.to_plain()}
        typer.echo(json.dumps(plain, indent=1))
        return
    if interpretation is not None:
        _print_question(interpretation)
    if not is_all_said:
        print_result(answer, explain=request.explain)


def _print_question(interpretation: Interpretation) -> None:
    """Print the question that nobody has answered, if there is one."""
    question = find_reading_question(interpretation)
    if question is not None:
        open_console().print(render_question(question))
