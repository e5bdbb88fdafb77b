# SPDX-License-Identifier: Apache-2.0
"""``fcp calibration``: what was learned from outcomes, and unlearning it."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fcp_ros.cli.calibration_tables import print_predicate
from fcp_ros.cli.errors import explained, fail
from fcp_ros.cli.options import JsonOption
from fcp_ros.grounding import CalibrationStore, Calibrator
from fcp_ros.grounding.calibration.summary import summarise, words_of
from fcp_ros.report import to_plain

app = typer.Typer(no_args_is_help=True, help="What was learned from outcomes.")

DEFAULT_STORE = Path("~/.local/state/fcp_ros/calibration.sqlite")

StoreOption = Annotated[
    Path,
    typer.Option(
        "--path", help="The store; the default is the one that the grounder node writes to."
    ),
]
PredicateOption = Annotated[
    str, typer.Option("--predicate", "-p", help="Only this graded predicate's evidence.")
]


@app.command()
def show(
    path: StoreOption = DEFAULT_STORE,
    predicate: PredicateOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show the evidence behind each calibrated degree, and what it makes of the degrees.

    Degrees are those of a grounder with default settings of strength, cap and forgetting.
    """
    with explained():
        store = _open(path)
        try:
            found = summarise(Calibrator(store), predicate or None)
            evidence = store.entries(predicate or None) if as_json else ()
        finally:
            store.close()
    if as_json:
        shown = {"predicates": to_plain(found), "evidence": to_plain(evidence)}
        typer.echo(json.dumps(shown, indent=1))
        return
    console = Console(highlight=False)
    if not found:
        console.print(f"no outcomes in {escape(str(path))} yet", soft_wrap=True)
    for summary in found:
        print_predicate(summary, console)


@app.command()
def reset(
    path: StoreOption = DEFAULT_STORE,
    predicate: PredicateOption = "",
    context: Annotated[
        str,
        typer.Option(
            "--context", help="Only this context (as shown by fcp calibration show --json)."
        ),
    ] = "",
) -> None:
    """Set evidence aside, so that the oracle's own degrees count again."""
    with explained():
        store = _open(path)
        try:
            done = store.reset(predicate or None, context or None)
        finally:
            store.close()
    Console(highlight=False).print(
        f"set {done.count} outcomes aside (reset {done.id}); they are kept in the file, and "
        f"fcp calibration undo {done.id} lets them count again",
        soft_wrap=True,
    )


@app.command()
def undo(
    number: Annotated[
        int | None, typer.Argument(help="Of the reset; the last one that counts by default.")
    ] = None,
    path: StoreOption = DEFAULT_STORE,
) -> None:
    """Let the outcomes of a reset count again."""
    with explained():
        store = _open(path)
        try:
            if number is None:
                open_ = [reset.id for reset in store.resets() if not reset.undone]
                if not open_:
                    fail(f"there is no reset to undo in {path}")
                number = open_[-1]
            count = store.undo_reset(number)
        finally:
            store.close()
    Console(highlight=False).print(f"{count} outcomes count again (reset {number} is undone)")


@app.command()
def resets(path: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """List the resets, also those that were undone."""
    with explained():
        store = _open(path)
        try:
            found = store.resets()
        finally:
            store.close()
    if as_json:
        typer.echo(json.dumps(to_plain(found), indent=1))
        return
    console = Console(highlight=False)
    if not found:
        console.print(f"no resets in {escape(str(path))}", soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("reset", "when", "predicate", "context", "outcomes", ""):
        table.add_column(column)
    for one in found:
        when = datetime.datetime.fromtimestamp(one.stamp).isoformat(" ", "minutes")
        context = words_of(one.context_key) if one.context_key else "all"
        table.add_row(
            str(one.id),
            when,
            one.predicate or "all",
            escape(context),
            str(one.count),
            "undone" if one.undone else "",
        )
    console.print(table)


def _open(path: Path) -> CalibrationStore:
    path = path.expanduser()
    if not path.is_file():
        fail(
            f"there is no calibration store at {path}: nothing was learned yet, or --path names "
            "another file than the grounder's parameter calibration_path"
        )
    return CalibrationStore(path)
