# SPDX-License-Identifier: Apache-2.0
"""``fcp language``: train on sentences of your choice, and look at weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.options import WeightsOption
from fcp_ros.cli.terminal import explain_errors, make_table, open_console, show_steps
from fcp_ros.language.datasheet import Datasheet
from fcp_ros.language.model_reader.plain_adapter import PACKAGED_FILE, load_adapter

app = typer.Typer(add_completion=False, no_args_is_help=True)

RowsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Files of rows; docs/language_models.md has their form."),
]
OwnOnlyOption = Annotated[
    bool, typer.Option("--own-only", help="Leave the package's own rows out.")
]


@app.callback()
def language() -> None:
    """Train on sentences of your choice, and look at weights."""


@app.command()
def train_writer(
    rows: RowsArgument = None,
    out: WeightsOption = Path("plain_adapter.safetensors"),
    own_only: OwnOnlyOption = False,
    base: Annotated[
        str, typer.Option(help="Small language model that is trained; `fcp models fetch` it first.")
    ] = "smollm2-135m",
    start: Annotated[
        Path | None, typer.Option(help="Weights to train further; without it from none.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps of 16 rows each.")] = 850,
    rate: Annotated[
        float, typer.Option(min=1e-6, max=0.1, help="Learning rate at its highest.")
    ] = 1.2e-3,
    seed: Annotated[int, typer.Option(help="Of all that is drawn at random.")] = 1,
) -> None:
    """Train a small language model to say plainly what is to be done (half an hour on two cores).

    A training that is stopped goes on where it was when it is started again.
    """
    # torch takes seconds to import.
    from fcp_ros.language.model_reader.adapter_training import AdapterOptions, train_adapter
    from fcp_ros.language.model_reader.heard_rows import PACKAGED_ROWS, read_heard_rows

    with explain_errors():
        data = read_heard_rows(_choose_rows(PACKAGED_ROWS, own_only, rows))
        further = None if start is None else load_adapter(start)[0]
        with show_steps() as report:
            options = AdapterOptions(steps=steps, rate=rate, seed=seed)
            datasheet = train_adapter(base, data, options, out, report, further)
    _tell(datasheet, f"wrote {out}: read with it by --reader-model {out}")


@app.command()
def show(file: Annotated[Path, typer.Argument(help="File of weights.")] = PACKAGED_FILE) -> None:
    """Show the datasheet of a writer's file of weights."""
    with explain_errors():
        adapter, datasheet = load_adapter(file)
    open_console().print(f"{adapter.base}, plain English")
    _tell(datasheet)


def _choose_rows(packaged: Path, own_only: bool, rows: list[Path] | None) -> list[Path]:
    return [*([] if own_only else [packaged]), *(rows or [])]


def _tell(datasheet: Datasheet, written: str = "") -> None:
    console = open_console()
    table = make_table("trained on, measured", "share right")
    for source in datasheet.sources:
        table.add_row(source, "")
    for name, value in datasheet.scores.items():
        table.add_row(name, f"{value:.2f}")
    console.print(table)
    if written:
        console.print(written, soft_wrap=True)
