# SPDX-License-Identifier: Apache-2.0
"""``fcp calibration``: what was learned from outcomes, and unlearning it."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fcp_ros.cli.errors import explained, fail
from fcp_ros.cli.options import JsonOption
from fcp_ros.grounding import CalibrationStore, Evidence
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
    """Show the evidence behind each calibrated degree."""
    with explained():
        store = _open(path)
        try:
            evidence = store.entries(predicate or None)
        finally:
            store.close()
    if as_json:
        typer.echo(json.dumps(to_plain(evidence), indent=1))
        return
    console = Console(highlight=False)
    if not evidence:
        console.print(f"no outcomes in {escape(str(path))} yet", soft_wrap=True)
        return
    console.print(_table(evidence))


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
        f"set {done.count} outcomes aside (reset {done.id}); they are kept in the file"
    )


def _open(path: Path) -> CalibrationStore:
    path = path.expanduser()
    if not path.is_file():
        fail(
            f"there is no calibration store at {path}: nothing was learned yet, or --path names "
            "another file than the grounder's parameter calibration_path"
        )
    return CalibrationStore(path)


def _table(evidence: tuple[Evidence, ...]) -> Table:
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for entry in evidence:
        groups[entry.predicate, entry.context_key].append(entry)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("predicate", "context", "outcomes", "mean quality", "last", "last step"):
        table.add_column(column)
    for (predicate, context), entries in groups.items():
        mean = sum(entry.quality for entry in entries) / len(entries)
        last = entries[-1]
        when = datetime.datetime.fromtimestamp(last.stamp).isoformat(" ", "seconds")
        table.add_row(
            predicate, escape(context), str(len(entries)), f"{mean:.2f}", when, escape(last.step)
        )
    return table
