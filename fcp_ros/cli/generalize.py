# SPDX-License-Identifier: Apache-2.0
"""``fcp generalize``: look for a policy that solves all tasks of a domain, from a few of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Console

from fcp_ros.abstraction.debugging.learning_process import LearningRequest, generalize_apart
from fcp_ros.abstraction.debugging.loop import (
    MOST_ROUNDS,
    Generalization,
    GeneralizationCallback,
    GeneralizationOptions,
    GeneralizationProgress,
    GeneralizationRound,
    generalize,
)
from fcp_ros.abstraction.policy.policy_file import save_policy, write_policy
from fcp_ros.abstraction.proposers.abstraction_text import FileProposer
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.proposers.learning import ReportCallback, SymbolicOptions, SymbolicProposer
from fcp_ros.abstraction.proposers.model_proposer import (
    LanguageModelProposer,
    ModelProposerOptions,
    write_transcript,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposer
from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.options import (
    EndpointOption,
    JsonOption,
    LanguageModelOption,
    make_generator,
)
from fcp_ros.cli.plan.interruption import open_interruption
from fcp_ros.cli.task_files import read_tasks
from fcp_ros.cli.terminal import (
    check_outputs,
    escape_text,
    explain_errors,
    fail,
    open_console,
    show_line,
)
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted


@contextmanager
def show_rounds(quiet: bool) -> Iterator[GeneralizationCallback]:
    """Show progress on standard error: a live line, or a line now and then; nothing if quiet."""
    began = monotonic()
    with show_line(quiet=quiet) as line:

        def show(progress: GeneralizationProgress) -> None:
            elapsed = monotonic() - began
            doing = escape_text(progress.doing)
            line.show(f"round {progress.round}, {elapsed:.0f} s: {doing}", elapsed)

        yield show


class RoundReport:
    """Passes progress on, and what a proposer tries as work of the present round."""

    def __init__(self, show: GeneralizationCallback) -> None:
        self._show = show
        self._round = 1

    def show(self, progress: GeneralizationProgress) -> None:
        self._round = progress.round
        self._show(progress)

    def tell(self, sentence: str) -> None:
        self._show(GeneralizationProgress(self._round, sentence))


def print_generalization(console: Console, found: Generalization) -> None:
    colour = "green" if found.policy is not None else "red"
    sentence = escape_text(found.sentence)
    console.print(
        f"[{colour}]{found.status.value}[/] {sentence} ({found.seconds:.2f} s)", soft_wrap=True
    )
    for number, one in enumerate(found.rounds, 1):
        console.print(f"round {number}: {_describe_round(one)}", soft_wrap=True)
        _print_errors(console, one.errors)
    if found.errors and not (found.rounds and found.rounds[-1].errors == found.errors):
        console.print("what shows it:")
        _print_errors(console, found.errors)


def to_plain_generalization(found: Generalization) -> dict[str, Any]:
    return {
        "status": found.status.value,
        "sentence": found.sentence,
        "seconds": round(found.seconds, 3),
        "rounds": [
            {
                "errors": [_to_plain_error(error) for error in one.errors],
                "states": one.states,
                "complete": one.is_complete,
                "seconds": round(one.seconds, 3),
            }
            for one in found.rounds
        ],
        "errors": [_to_plain_error(error) for error in found.errors],
    }


def _describe_round(one: GeneralizationRound) -> str:
    if one.proposal is None:
        return "[red]no abstraction[/]"
    verdict = "[red]faults[/]" if one.errors else "[green]passes all checks[/]"
    qnp = one.proposal.qnp
    features = _count(len(qnp.variables), "feature")
    size = f"{features}, {_count(len(qnp.actions), 'abstract action')}"
    walked = f", {_count(one.states, 'state')} walked through" if one.states else ""
    bounded = "" if one.is_complete else " (bounded: not all choices)"
    return f"{verdict}, {size}{walked}{bounded}, {one.seconds:.2f} s"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _print_errors(console: Console, errors: tuple[AbstractionError, ...]) -> None:
    for error in errors:
        head = f"[bold]{error.check.value}[/] {error.kind.value.lower().replace('_', ' ')}"
        console.print(f"  {head}: {escape_text(error.sentence)}", soft_wrap=True)
        for state in error.states:
            console.print(f"    state: {escape_text(state)}", soft_wrap=True)
        for action in error.actions:
            console.print(f"    action: {escape_text(action)}", soft_wrap=True)
        if blame := error.describe_blame():
            console.print(f"    {blame}", soft_wrap=True)


def _to_plain_error(error: AbstractionError) -> dict[str, Any]:
    return {
        "check": error.check.value,
        "kind": error.kind.value,
        "sentence": error.sentence,
        "instance": error.instance,
        "states": list(error.states),
        "actions": list(error.actions),
        "layer": None if error.layer is None else error.layer.value,
        "steps_left": error.steps_left,
    }


GENERATING, FEWEST_SPLIT = 2, 4
"""A language model is given 2 of 4 tasks or more, as in Cui et al., arXiv 2602.10485."""


class ProposerName(str, Enum):
    """The proposers."""

    SYMBOLIC = "symbolic"
    FILE = "file"
    LANGUAGE_MODEL = "language-model"


@dataclass(frozen=True)
class ProposerChoice:
    """The options that choose a proposer."""

    name: ProposerName | None  # of the proposer; None: the one that the other options are for
    file: Path | None
    model: str  # name or folder of a language model, or its name on the server
    endpoint: str  # URL of a model server
    transcript: Path | None  # file for what a language model was asked and answered
    time_limit: float  # for everything (s)

    @property
    def asks_model(self) -> bool:
        return bool(self.model or self.endpoint or self.transcript)

    @property
    def proposer(self) -> ProposerName:
        if self.name is not None:
            return self.name
        if self.file is not None:
            return ProposerName.FILE
        return ProposerName.LANGUAGE_MODEL if self.asks_model else ProposerName.SYMBOLIC

    def choose_generating(self, tasks: int) -> int:
        """Choose how many of some training tasks the proposer is given at first; 0: all."""
        splits = self.proposer is ProposerName.LANGUAGE_MODEL and tasks >= FEWEST_SPLIT
        return GENERATING if splits else 0


def make_proposer(choice: ProposerChoice, report: ReportCallback) -> AbstractionProposer:
    """Make the proposer; leaves the program if options are missing or do not fit it.

    `report`: told in a sentence what the symbolic proposer tries.
    """
    name = choice.proposer
    if (choice.file is not None) != (name is ProposerName.FILE):
        fail("--file FILE and --proposer file belong together")
    if choice.asks_model and name is not ProposerName.LANGUAGE_MODEL:
        fail("--model, --endpoint and --transcript are for --proposer language-model")
    if choice.file is not None:
        return FileProposer(choice.file)
    if name is ProposerName.SYMBOLIC:
        return SymbolicProposer(SymbolicOptions(seconds=choice.time_limit), report)
    options = ModelProposerOptions(seconds=choice.time_limit)
    return LanguageModelProposer(
        make_generator(choice.model, choice.endpoint, choice.time_limit), options
    )


def save_transcript(choice: ProposerChoice, proposer: AbstractionProposer) -> None:
    """Write what a language model was asked and answered, if the options say so."""
    if choice.transcript is not None and isinstance(proposer, LanguageModelProposer):
        text = write_transcript(proposer.name, proposer.exchanges)
        choice.transcript.write_text(text, encoding="utf-8")


app = typer.Typer(add_completion=False)

DEFAULTS = GeneralizationOptions()

DomainArgument = Annotated[
    str, typer.Argument(help="A PDDL domain; or a YAML domain, a file or one of this package's.")
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
TranscriptOption = Annotated[
    Path | None, typer.Option(help="Write what the language model was asked and answered here.")
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
            save_policy(found.policy, out)
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
            request = LearningRequest(tasks, abstraction, options)
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
