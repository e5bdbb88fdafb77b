# SPDX-License-Identifier: Apache-2.0
"""``fcp generalize``: look for a policy that solves all tasks of a domain, from a few of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.abstraction.debugging.learning_process import LearningRequest, generalize_apart
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.debugging.outcome import (
    MOST_ROUNDS,
    Generalization,
    GeneralizationOptions,
)
from fcp_ros.abstraction.policy.policy_file import write_policy
from fcp_ros.abstraction.proposers.written.model_proposer import LanguageModelProposer
from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.options import EndpointOption, JsonOption
from fcp_ros.cli.output_files import check_outputs
from fcp_ros.cli.plan.interruption import open_interruption
from fcp_ros.cli.policy.proposers import (
    ProposerChoice,
    ProposerName,
    make_proposer,
    save_transcript,
)
from fcp_ros.cli.policy.rounds import (
    RoundReport,
    print_generalization,
    show_rounds,
    to_plain_generalization,
)
from fcp_ros.cli.policy.training import read_tasks
from fcp_ros.cli.terminal import escape_text, explain_errors, open_console
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

app = typer.Typer(add_completion=False)

DEFAULTS = GeneralizationOptions()

DomainArgument = Annotated[
    str,
    typer.Argument(help="A PDDL domain; or a YAML domain, a file or one of this package's."),
]
TrainingArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TRAIN...",
        help="Tasks to learn from and to check on: PDDL problems, or scenes with --goal.",
    ),
]
GoalOption = Annotated[
    str, typer.Option("--goal", "-g", help="The goal in all scenes, a formula of the domain.")
]
ProposerOption = Annotated[
    ProposerName | None,
    typer.Option(
        help="Who proposes the abstraction: `symbolic` learns it from the tasks (default), "
        "or a file (--file), or a language model (--model or --endpoint)."
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--file", help="YAML with features, initial, goal and actions to be checked; or a policy."
    ),
]
LanguageModelOption = Annotated[
    str,
    typer.Option(
        help="Language model: a name of `fcp models list`, or a folder (Hugging Face format, "
        "safetensors); for --endpoint its name on the server."
    ),
]
TranscriptOption = Annotated[
    Path | None,
    typer.Option(help="Write what the language model was asked and answered here."),
]
GenerateOption = Annotated[
    int | None,
    typer.Option(
        "--generate-on",
        min=0,
        help="The proposer is given this many tasks, the first ones; the others are for debugging. "
        "0: all. Default: 2 for a language model if there are 4 or more, otherwise all.",
    ),
]
RoundsOption = Annotated[
    int, typer.Option(min=1, max=MOST_ROUNDS, help="Proposals that are checked at most.")
]
TimeLimitOption = Annotated[
    float, typer.Option("--time-limit", "-t", min=0.01, help="Seconds for everything.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the policy here (YAML).")
]


@app.command("generalize")
def run_generalize(
    domain: DomainArgument,
    training: TrainingArgument,
    goal: GoalOption = "",
    proposer: ProposerOption = None,
    file: FileOption = None,
    model: LanguageModelOption = "",
    endpoint: EndpointOption = "",
    transcript: TranscriptOption = None,
    generate_on: GenerateOption = None,
    rounds: RoundsOption = DEFAULTS.rounds,
    time_limit: TimeLimitOption = DEFAULTS.time_limit,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for a policy that solves all tasks of a domain, and check it on a few of them."""
    check_outputs((out, transcript), (domain, *training, file))
    choice = ProposerChoice(proposer, file, model, endpoint, transcript, time_limit)
    if generate_on is None:
        generate_on = choice.choose_generating(len(training))
    options = GeneralizationOptions(rounds=rounds, generating=generate_on, time_limit=time_limit)
    with explain_errors():
        found = _generalize(domain, training, goal, choice, options, quiet=as_json)
        if found.policy is not None and out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(write_policy(found.policy), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(to_plain_generalization(found), indent=1))
    else:
        _print_outcome(found, out)
    raise typer.Exit(to_exit_code(found.status))


def _generalize(
    domain: str,
    training: list[str],
    goal: str,
    choice: ProposerChoice,
    options: GeneralizationOptions,
    *,
    quiet: bool,
) -> Generalization:
    tasks = read_tasks(domain, training, goal)
    with open_interruption() as interruption, show_rounds(quiet) as show:
        check = _make_check(interruption.is_cancelled)
        report = RoundReport(show)
        proposer = make_proposer(choice, report.tell)
        if not isinstance(proposer, LanguageModelProposer):
            abstraction = "" if choice.file is None else str(choice.file)
            request = LearningRequest(tasks, abstraction, options, niceness=0)
            return generalize_apart(request, report.show, check)
        try:
            return generalize(tasks, proposer, options, report.show, check)
        finally:
            save_transcript(choice, proposer)


def _make_check(is_cancelled: Callable[[], bool]) -> Callable[[], None]:
    def check() -> None:
        if is_cancelled():
            raise Interrupted(PlanStatus.CANCELLED, "cancelled")

    return check


def _print_outcome(found: Generalization, out: Path | None) -> None:
    console = open_console()
    print_generalization(console, found)
    if found.policy is None:
        return
    if out is not None:
        console.print(f"written to {escape_text(str(out))}", soft_wrap=True)
    else:
        typer.echo(write_policy(found.policy), nl=False)
