# SPDX-License-Identifier: Apache-2.0
"""Output and errors for people: consoles, one sentence for an error, files that may be written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import hide_controls, to_printable
from fcp_ros.package_files import find_domain, find_scene

UNWRAPPED = 10_000
"""Columns of a file or pipe: lines stay whole, so that scripts can read them."""


def open_console(*, stderr: bool = False) -> Console:
    """Open a console that wraps lines only on a terminal, or at COLUMNS if that is set."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console = Console(stderr=stderr, highlight=False, width=UNWRAPPED)
    return console


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Show a spinner on standard error while the block runs, if that is a terminal."""
    with open_console(stderr=True).status(what):
        yield


LINE_EVERY = 5.0
"""Seconds between two lines of progress where there is no live line."""


class LiveLine:
    """Shows progress: on a terminal as a live line, else as a line every few seconds.

    `console`: on standard error; None shows nothing. `status`: the live line; None where standard
    error is not a terminal, or a dumb one.
    """

    def __init__(self, console: Console | None, status: Status | None) -> None:
        self._console = console
        self._status = status
        self._next = LINE_EVERY

    def show(self, text: str, elapsed: float) -> None:
        """Show what is done `elapsed` s after the beginning, unless it is too early."""
        if self._status is not None:
            self._status.update(text)
        elif self._console is not None and elapsed >= self._next:
            self._next = (elapsed // LINE_EVERY + 1) * LINE_EVERY
            self._console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the live line while the block prints or asks something."""
        if self._status is None:
            yield
            return
        self._status.stop()
        try:
            yield
        finally:
            self._status.start()


@contextmanager
def show_line(*, quiet: bool) -> Iterator[LiveLine]:
    """Open a live line on standard error; it shows nothing if `quiet`."""
    console = open_console(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield LiveLine(None if quiet else console, None)
        return
    with console.status("") as status:
        yield LiveLine(console, status)


@contextmanager
def explain_errors() -> Iterator[None]:
    """Turn errors caused by bad input into a message and exit code 2."""
    try:
        yield
    except (InputError, OSError) as error:
        fail(str(error))


@contextmanager
def explain_missing_ros() -> Iterator[None]:
    """Turn an import without ROS, or without this package's interfaces, into a message."""
    try:
        yield
    except ImportError as error:
        fail(
            f"ROS 2 or this package's interfaces can't be imported ({error}): run "
            '"make setup" and then ". .venv/fcp_env.sh", or source your workspace'
        )


@contextmanager
def show_steps() -> Iterator[Callable[[str, int, int], None]]:
    """Show the steps of a training in one bar, which starts again for each kind of step.

    The function is told what is being done, how much of it is done, and how much there is.
    """
    from rich import progress as bars  # slow to import

    columns = (bars.MofNCompleteColumn(), bars.TimeElapsedColumn(), bars.TimeRemainingColumn())
    description = bars.TextColumn("{task.description}")
    with bars.Progress(
        description, bars.BarColumn(), *columns, console=open_console(stderr=True)
    ) as shown:
        task, present = shown.add_task("reading", total=None), -1

        def report(what: str, done: int, every: int) -> None:
            nonlocal present
            if every != present:
                shown.reset(task)
                present = every
            shown.update(task, description=what, completed=done, total=every)

        yield report


def say(sentence: str) -> None:
    open_console(stderr=True).print(hide_controls(sentence), markup=False, soft_wrap=True)


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """Print `message` on standard error and leave with `code`. Always raises typer.Exit."""
    open_console(stderr=True).print(f"[bold red]error[/] {escape_lines(message)}", soft_wrap=True)
    raise typer.Exit(code)


def escape_text(text: str) -> str:
    """Make text from a file safe to print: without markup and terminal control codes."""
    return escape(to_printable(text))


def escape_lines(text: str) -> str:
    """Make a message of several lines safe to print, as `escape_text` does a name."""
    return escape(hide_controls(text))


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None]) -> None:
    """Leave with a message if a file to be written is read as well.

    `inputs`: files to read: paths, or names of domains and scenes as options take them. Raises
    typer.Exit if a file is in both.
    """
    read = {path.resolve() for one in inputs if one for path in _list_meanings(one)}
    for output in outputs:
        if output is not None and output.expanduser().resolve() in read:
            fail(f"{output} would be overwritten, but it is read: give another place")


def _list_meanings(name_or_path: Path | str) -> list[Path]:
    """List the files that an option may mean; ``#id`` at its end names an entry of the file."""
    if isinstance(name_or_path, Path):
        return [name_or_path.expanduser()]
    name = name_or_path.partition("#")[0]
    return [find_domain(name), find_scene(name)]


def make_table(*titles: str, **column: Any) -> Table:
    """Make an empty table without lines; `column`: options of its columns."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        table.add_column(title, **(column or {"overflow": "fold"}))
    return table
