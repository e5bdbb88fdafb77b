# SPDX-License-Identifier: Apache-2.0
"""Questions on the terminal, with a time limit. No answer counts as no."""

from __future__ import annotations

import select
import sys
import time

from rich.console import Console
from rich.text import Text

from fcp_ros.cli.plan.interruption import Interruption
from fcp_ros.cli.plan.output import ProgressDisplay
from fcp_ros.cli.terminal import open_console
from fcp_ros.foundation.wording import to_printable
from fcp_ros.relaxation.question import UserQuestion

ANSWER_TIMEOUT = 60.0
"""Seconds until a question that nobody answers counts as answered with no."""
LOOK_EVERY = 0.1
"""Seconds between two looks for Ctrl-C while a question waits."""


class TerminalQuestions:
    """Asks on standard error, and reads the answer from standard input, if that is a terminal."""

    def __init__(
        self,
        display: ProgressDisplay,
        interruption: Interruption,  # ends the wait for an answer
        timeout: float = ANSWER_TIMEOUT,  # seconds for the answer
    ) -> None:
        self._display = display
        self._interruption = interruption
        self._timeout = timeout

    def ask(self, question: UserQuestion) -> int | None:
        """Ask a question; return the index of the answer.

        Returns None without a terminal, without an answer in time, and after Ctrl-C.
        """
        if not sys.stdin.isatty():
            return None
        with self._display.pause():
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
    """Render a question with its numbered choices."""
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
