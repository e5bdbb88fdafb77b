# SPDX-License-Identifier: Apache-2.0
"""Progress of a request, the answer, and questions, for people at a terminal."""

from __future__ import annotations

import math
import select
import sys
import time

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.text import Text

from fcp_ros.cli.plan.interruption import Interruption
from fcp_ros.cli.plan.request import PlanOutput
from fcp_ros.cli.terminal import LiveLine, escape_text, make_table, open_console
from fcp_ros.foundation.wording import to_printable
from fcp_ros.fuzzy import EPSILON
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.planning import BestPlan, Progress
from fcp_ros.planning.model.request import ProgressCallback
from fcp_ros.relaxation.question import UserQuestion
from fcp_ros.report.console import render_result


def make_display(line: LiveLine) -> ProgressCallback:
    return lambda progress: line.show(describe_progress(progress), progress.elapsed)


def describe_progress(progress: Progress) -> str:
    parts = [f"{progress.phase.value} {progress.elapsed:.1f} s"]
    if progress.expansions:
        parts.append(f"{progress.expansions:,} expansions")
    best = progress.best
    parts.append("no plan yet" if best is None else f"best so far {_describe_plan(best)}")
    if progress.membership_bound < 1.0 - EPSILON:
        gap = "" if best is None else f" (gap {progress.membership_gap:.2f})"
        parts.append(f"membership at most {progress.membership_bound:.2f}{gap}")
    if progress.left_out_bound:
        gap = "" if best is None else f" (gap {best.left_out - progress.left_out_bound})"
        parts.append(f"at least {progress.left_out_bound} left out{gap}")
    if math.isfinite(progress.cost_bound) and progress.cost_bound > 0.0:
        gap = "" if best is None else f" (gap {progress.cost_gap:.0%})"
        parts.append(f"cost at least {progress.cost_bound:g}{gap}")
    return ", ".join(parts)


def _describe_plan(best: BestPlan) -> str:
    cost = "" if best.cost == best.steps else f", cost {best.cost:g}"
    cost += f", {best.left_out} parts left out" if best.left_out else ""
    steps = f"{best.steps} step{'' if best.steps == 1 else 's'}"
    return f"{steps}{cost}, membership {best.membership:.2f}"


READINGS_SHOWN = 3
"""Only the best readings are shown; the JSON has all of them."""
_COLOURS = {WordRole.UNREAD: "red", WordRole.FILLER: "dim"}


def render_interpretation(interpretation: Interpretation) -> RenderableType:
    """Render how an instruction was understood: words, goal and paraphrase of each reading.

    A clear reading stands alone, without its paraphrase, which the message is; otherwise the best
    few are shown, to choose from.
    """
    read = interpretation.status is ReadingStatus.READ
    colour = "green" if read else "yellow"
    headline = Text.from_markup(
        f"[bold {colour}]{interpretation.status.name}[/] "
        f"{escape(to_printable(interpretation.message))}"
    )
    parts: list[RenderableType] = [headline]
    for reading in interpretation.readings[: 1 if read else READINGS_SHOWN]:
        parts += [_render_reading(reading, interpretation.instruction, is_said=read), Text()]
    return Group(*parts)


def _render_reading(reading: Reading, instruction: str, *, is_said: bool) -> RenderableType:
    """Render a reading; its paraphrase is left out if that `is_said` already."""
    table = make_table("words", "taken for", "as", "degree")
    for use in reading.words:
        table.add_row(*_build_row(use, instruction))
    paraphrase = Text(to_printable(reading.paraphrase), style="bold")
    goal = Text.assemble(
        (f"goal: {to_printable(reading.goal)}", "cyan"),
        f"  (fits to {reading.degree:.2f}: {reading.level.name.lower()})",
    )
    return Group(*([table] if reading.words else []), *([] if is_said else [paraphrase]), goal)


def _build_row(use: WordUse, instruction: str) -> tuple[Text, ...]:
    colour = _COLOURS.get(use.role, "")
    cells = (
        instruction[use.start : use.end],
        use.meaning or ("not understood" if use.role is WordRole.UNREAD else ""),
        use.role.value,
        "" if use.role in (WordRole.FILLER, WordRole.UNREAD) else f"{use.degree:.2f}",
    )
    return tuple(Text(to_printable(cell), style=colour) for cell in cells)


def print_result(answer: PlanOutput, *, explain: bool) -> None:
    console = open_console()
    console.print(render_result(answer.result, explain=explain))
    for note in (*answer.result.policy_notes, *answer.notes):
        console.print(f"note: {escape_text(note)}", style="dim", soft_wrap=True)


# --- questions on the terminal, with a time limit. No answer counts as no


ANSWER_TIMEOUT = 60.0
"""Seconds until a question that nobody answers counts as answered with no."""
LOOK_EVERY = 0.1
"""Seconds between two looks for Ctrl-C while a question waits."""


class TerminalQuestions:
    """Asks on standard error, and reads the answer from standard input, if that is a terminal."""

    def __init__(
        self,
        line: LiveLine,
        interruption: Interruption,  # ends the wait for an answer
        timeout: float = ANSWER_TIMEOUT,  # seconds for the answer
    ) -> None:
        self._line = line
        self._interruption = interruption
        self._timeout = timeout

    def ask(self, question: UserQuestion) -> int | None:
        """Ask a question; return the index of the answer.

        Returns None without a terminal, without an answer in time, and after Ctrl-C.
        """
        if not sys.stdin.isatty():
            return None
        with self._line.pause():
            console = open_console(stderr=True)
            console.print(render_question(question))
            return self._await_choice(console, question)

    def _await_choice(self, console: Console, question: UserQuestion) -> int | None:
        until = time.monotonic() + self._timeout
        while (line := self._await_line(until)) is not None:
            choice = find_choice(line, question.choices)
            if choice is not None:
                return choice
            console.print(f"Answer with a number from 1 to {len(question.choices)}.")
        console.print("No answer.", style="yellow")
        return None

    def _await_line(self, until: float) -> str | None:
        """Read a line; None at the end of the input, when time is up, or after Ctrl-C."""
        while not self._interruption.cancelled and time.monotonic() < until:
            if select.select([sys.stdin], [], [], LOOK_EVERY)[0]:
                return sys.stdin.readline() or None
        return None


def render_question(question: UserQuestion) -> Text:
    text = Text(to_printable(question.text), style="bold")
    for number, choice in enumerate(question.choices, start=1):
        text.append(f"\n  {number}  {to_printable(choice)}", style="not bold")
    return text


def find_choice(line: str, choices: tuple[str, ...]) -> int | None:
    """Return the choice that a line stands for: its number, or the one that begins like it."""
    word = line.strip().casefold()
    if not word:
        return None
    if word.isdecimal():
        return int(word) - 1 if 1 <= int(word) <= len(choices) else None
    fitting = [n for n, choice in enumerate(choices) if choice.casefold().startswith(word)]
    return fitting[0] if len(fitting) == 1 else None
