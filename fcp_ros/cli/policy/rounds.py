# SPDX-License-Identifier: Apache-2.0
"""The rounds of a search for a policy, for people and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from rich.console import Console

from fcp_ros.abstraction.debugging.outcome import (
    Generalization,
    GeneralizationCallback,
    GeneralizationProgress,
    GeneralizationRound,
    ignore_generalization,
)
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.cli.terminal import escape_text, open_console

LINE_EVERY = 5.0
"""Seconds between two lines where standard error is not a terminal."""


@contextmanager
def show_rounds(quiet: bool) -> Iterator[GeneralizationCallback]:
    """Show progress on standard error: a live line, or a line now and then; nothing if quiet."""
    console = open_console(stderr=True)
    if quiet:
        yield ignore_generalization
        return
    began = monotonic()

    def describe(progress: GeneralizationProgress) -> str:
        elapsed = monotonic() - began
        return f"round {progress.round}, {elapsed:.0f} s: {escape_text(progress.doing)}"

    if console.is_terminal:
        with console.status("") as status:
            yield lambda progress: status.update(describe(progress))
        return
    last = began

    def print_line(progress: GeneralizationProgress) -> None:
        nonlocal last
        if monotonic() - last >= LINE_EVERY:
            last = monotonic()
            console.print(describe(progress), soft_wrap=True)

    yield print_line


class RoundReport:
    """Passes progress on, and what a proposer tries as work of the present round.

    Args:
        show: shows progress.
    """

    def __init__(self, show: GeneralizationCallback) -> None:
        self._show = show
        self._round = 1

    def show(self, progress: GeneralizationProgress) -> None:
        """Show progress."""
        self._round = progress.round
        self._show(progress)

    def tell(self, sentence: str) -> None:
        """Show what the proposer tries."""
        self._show(GeneralizationProgress(self._round, sentence))


def print_generalization(console: Console, found: Generalization) -> None:
    """Print the outcome, with the faults of each round."""
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
    """Return the outcome as plain data for JSON."""
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
