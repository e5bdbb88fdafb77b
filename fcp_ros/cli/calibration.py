# SPDX-License-Identifier: Apache-2.0
"""``fcp calibration``: show what was learned from outcomes, undo it, and merge it."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from fcp_ros.cli.options import JsonOption, expand_options
from fcp_ros.cli.terminal import escape_text, explain_errors, fail, make_table, open_console
from fcp_ros.grounding import CalibrationStore, Calibrator, EvidenceOrigin, EvidenceWorld
from fcp_ros.grounding.calibration.store import (
    DEFAULT_PATH,
    find_stores,
    locate_store,
    merge_evidence,
)
from fcp_ros.grounding.calibration.summary import (
    ContextSummary,
    ModelSummary,
    PredicateSummary,
    describe_context,
    summarise,
)
from fcp_ros.report.plain_json import to_plain

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Show, undo or merge what was learned from outcomes.",
)

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--path", help="The store; the default is where the grounder node of --robot keeps it."
    ),
]
RobotOption = Annotated[
    str, typer.Option("--robot", help="Namespace of the robot whose outcomes they are.")
]
WorldOption = Annotated[
    EvidenceWorld, typer.Option("--world", help="Where the outcomes come from.")
]


@dataclass(frozen=True)
class StoreChoice:
    """The options that choose a store."""

    path: StoreOption = None
    robot: RobotOption = ""
    world: WorldOption = EvidenceWorld.REAL

    @property
    def origin(self) -> EvidenceOrigin:
        return EvidenceOrigin(self.robot.strip("/"), self.world)

    def read(self) -> closing[CalibrationStore]:
        return closing(CalibrationStore(self._find(), read_only=True))

    def open(self) -> closing[CalibrationStore]:
        return closing(_open_store(self._find()))

    def _find(self) -> Path:
        """Return the file of the store; leave the program if there is none."""
        file = self.path.expanduser() if self.path else locate_store(DEFAULT_PATH, self.origin)
        if not file.is_file():
            there = ", ".join(str(store) for store in find_stores())
            fail(
                f"there is no calibration store at {file}: nothing has been learned yet, or --path "
                "(or --robot and --world) differs from the grounder's parameter calibration_path; "
                + (f"there are {there}" if there else "there is none of another robot either")
            )
        return file


PredicateOption = Annotated[
    str, typer.Option("--predicate", "-p", help="Only this graded predicate's evidence.")
]

BLOCKS = "▁▂▃▄▅▆▇█"
STEP_WIDTH = 24
"""Characters of a step that are shown, so that a row fits in 100 columns."""
NOTICEABLE = 0.02
"""A map that moves no degree by more than this is not drawn."""


@app.command()
@expand_options
def show(
    *, choice: StoreChoice, predicate: PredicateOption = "", as_json: JsonOption = False
) -> None:
    """Show the evidence behind each calibrated degree, and what it makes of the degrees.

    Degrees are those of a grounder with default settings of strength, cap and forgetting.
    """
    with explain_errors(), choice.read() as store:
        found = summarise(Calibrator(store), predicate or None)
        evidence = store.entries(predicate or None) if as_json else ()
    if as_json:
        shown = {"predicates": to_plain(found), "evidence": to_plain(evidence)}
        typer.echo(json.dumps(shown, indent=1))
        return
    console = open_console()
    if not found:
        console.print(f"no outcomes in {escape_text(str(store.path))} yet", soft_wrap=True)
    for summary in found:
        print_predicate(summary, console)


@app.command()
@expand_options
def reset(
    *,
    choice: StoreChoice,
    predicate: PredicateOption = "",
    context: Annotated[
        str,
        typer.Option(
            "--context", help="Only this context (as shown by fcp calibration show --json)."
        ),
    ] = "",
) -> None:
    """Set evidence aside, so that the oracle's own degrees count again."""
    with explain_errors(), choice.open() as store:
        done = store.reset(predicate or None, context or None)
    open_console().print(
        f"set {done.count} outcomes aside (reset {done.id}); they are kept in the file, and "
        f"fcp calibration undo {done.id} lets them count again",
        soft_wrap=True,
    )


@app.command()
@expand_options
def undo(
    *,
    number: Annotated[
        int | None, typer.Argument(help="Of the reset; the last one that counts by default.")
    ] = None,
    choice: StoreChoice,
) -> None:
    """Let the outcomes of a reset count again."""
    with explain_errors(), choice.open() as store:
        if number is None:
            open_ = [reset.id for reset in store.resets() if not reset.undone]
            if not open_:
                fail(f"there is no reset to undo in {store.path}")
            number = open_[-1]
        count = store.undo_reset(number)
    open_console().print(f"{count} outcomes count again (reset {number} is undone)")


@app.command()
@expand_options
def resets(*, choice: StoreChoice, as_json: JsonOption = False) -> None:
    """List the resets, also those that were undone."""
    with explain_errors(), choice.read() as store:
        found = store.resets()
    if as_json:
        typer.echo(json.dumps(to_plain(found), indent=1))
        return
    console = open_console()
    if not found:
        console.print(f"no resets in {escape_text(str(store.path))}", soft_wrap=True)
        return
    table = make_table("reset", "when", "predicate", "context", "outcomes", "")
    for one in found:
        when = datetime.datetime.fromtimestamp(one.stamp).isoformat(" ", "minutes")
        context = describe_context(one.context_key) if one.context_key else "all"
        table.add_row(
            str(one.id),
            when,
            one.predicate or "all",
            escape_text(context),
            str(one.count),
            "undone" if one.undone else "",
        )
    console.print(table)


@app.command()
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Stores to copy from; they stay as is.")],
    into: Annotated[
        Path | None,
        typer.Option("--into", help="The store to copy into; the default is that of --robot."),
    ] = None,
    robot: RobotOption = "",
    world: WorldOption = EvidenceWorld.REAL,
    weight: Annotated[
        float,
        typer.Option(help="Weight of the copied outcomes, 0 to 1; less for those of a simulation."),
    ] = 1.0,
) -> None:
    """Copy outcomes into the store of a robot; those that it has already are left out.

    Nothing else ever mixes the outcomes of robots, or of simulations and the real world.
    """
    console = open_console()
    with explain_errors():
        origin = StoreChoice(None, robot, world).origin
        file = into.expanduser() if into else locate_store(DEFAULT_PATH, origin)
        # A named file keeps its origin, and one that is not there yet becomes that of the options.
        claimed = None if into is not None and file.exists() else origin
        with closing(_open_store(file, claimed)) as target:
            for path in sources:
                with StoreChoice(path, robot, world).read() as source:
                    count = merge_evidence(source, target, weight)
                    names = [one.read_origin() or "unknown origin" for one in (source, target)]
                console.print(
                    f"copied {count} outcomes of {names[0]} to the store of {names[1]}, "
                    f"{escape_text(str(target.path))}",
                    soft_wrap=True,
                )


def _open_store(file: Path, origin: EvidenceOrigin | None = None) -> CalibrationStore:
    """Open a store for a change; refuse a damaged one, which a robot would set aside to go on."""
    if file.exists():
        CalibrationStore(file, read_only=True).close()
    return CalibrationStore(file, origin)


# --- tables for the terminal


def print_predicate(summary: PredicateSummary, console: Console) -> None:
    """Print one predicate: its contexts, then its models."""
    console.print(f"[bold]{escape_text(summary.predicate)}[/]")
    console.print(Padding(_build_contexts_table(summary.contexts), (0, 0, 0, 2)))
    for model in summary.models:
        for line in _describe_model(model):
            console.print(Padding(line, (0, 0, 0, 2)))
    console.print()


def _build_contexts_table(contexts: tuple[ContextSummary, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("context", min_width=26)
    table.add_column("outcomes", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("prior", justify="right", min_width=5)
    table.add_column("degree", justify="right", min_width=6)
    table.add_column("mean", justify="right", min_width=4)
    table.add_column("last", no_wrap=True, min_width=12)
    table.add_column("last step", no_wrap=True)
    for one in contexts:
        table.add_row(
            escape_text(one.words),
            str(one.outcomes),
            f"{one.weight:.1f}",
            _format_number(one.prior),
            _format_degree(one),
            f"{one.mean_quality:.2f}",
            datetime.datetime.fromtimestamp(one.last).strftime("%d %b %H:%M"),
            escape_text(_shorten(one.last_step)),
        )
    return table


def _format_degree(one: ContextSummary) -> str:
    """Format the degree, coloured by the direction in which outcomes have moved it."""
    if one.degree is None or one.prior is None:
        return "-"
    if abs(one.degree - one.prior) < NOTICEABLE:
        return f"{one.degree:.2f}"
    return f"[{'green' if one.degree > one.prior else 'red'}]{one.degree:.2f}[/]"


def _shorten(step: str) -> str:
    return step if len(step) <= STEP_WIDTH else f"{step[: STEP_WIDTH - 1]}…"


def _format_number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _describe_model(model: ModelSummary) -> Iterator[str]:
    """Describe a model: its pooled map, the quality of its degrees, and drift."""
    headline = (
        f"[dim]degrees of[/] {escape_text(model.model)} [dim]after {model.outcomes} outcomes, [/]"
    )
    yield f"{headline}[dim]each worth {model.strength:.1f}[/]"
    if model.broken > NOTICEABLE:
        yield f"[dim]{model.broken:.0%} of the failures are those of things that never work[/]"
    if max(abs(y - x) for x, y in model.points) > NOTICEABLE:
        curve = "".join(BLOCKS[min(int(y * len(BLOCKS)), len(BLOCKS) - 1)] for _, y in model.points)
        shown = "  ".join(f"{x:.1f} → {y:.2f}" for x, y in model.points[1:10:2])
        yield f"[dim]mean[/]  {curve}  {shown}"
    else:
        yield "[dim]are used unchanged[/]"
    found = model.reliability
    if found is not None:
        yield (
            f"[dim]Brier score[/] {found.before.brier:.3f} → {found.after.brier:.3f}   "
            f"[dim]calibration error[/] {found.before.ece:.3f} → {found.after.ece:.3f} "
            f"[dim](by chance {found.after.ece_by_chance:.3f})[/]"
        )
        if found.is_poor:
            yield f"[yellow]high calibration error[/]: {escape_text(str(found))}"
    if model.drift is not None:
        yield f"[yellow]drift[/]: {escape_text(str(model.drift))}"
