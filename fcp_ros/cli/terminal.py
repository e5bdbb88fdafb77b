# SPDX-License-Identifier: Apache-2.0
"""Output and errors for people: consoles, one sentence for an error, files that may be written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
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


@contextmanager
def explain_errors() -> Iterator[None]:
    """Turn errors caused by bad input into a message and exit code 2."""
    try:
        yield
    except (InputError, OSError) as error:
        fail(str(error))


def say(sentence: str) -> None:
    """Print a sentence on standard error."""
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
