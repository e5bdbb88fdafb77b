# SPDX-License-Identifier: Apache-2.0
"""What was learnt from outcomes, as tables for the terminal."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from fcp_ros.grounding.calibration.summary import ContextSummary, ModelSummary, PredicateSummary

BLOCKS = "▁▂▃▄▅▆▇█"
STEP_WIDTH = 24
"""Characters of a step that are shown, so that a row fits into 100 columns."""
NOTICEABLE = 0.02
"""A map that moves no degree by more than this isn't drawn."""


def print_predicate(summary: PredicateSummary, console: Console) -> None:
    """One predicate: its contexts, then its models."""
    console.print(f"[bold]{escape(summary.predicate)}[/]")
    console.print(Padding(_contexts(summary.contexts), (0, 0, 0, 2)))
    for model in summary.models:
        for line in _model_lines(model):
            console.print(Padding(line, (0, 0, 0, 2)))
    console.print()


def _contexts(contexts: tuple[ContextSummary, ...]) -> Table:
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
            escape(one.words),
            str(one.outcomes),
            f"{one.weight:.1f}",
            _number(one.prior),
            _degree(one),
            f"{one.mean_quality:.2f}",
            datetime.datetime.fromtimestamp(one.last).strftime("%d %b %H:%M"),
            escape(_short(one.last_step)),
        )
    return table


def _degree(one: ContextSummary) -> str:
    """The degree, coloured by which way outcomes have moved it."""
    if one.degree is None or one.prior is None:
        return "-"
    if abs(one.degree - one.prior) < NOTICEABLE:
        return f"{one.degree:.2f}"
    return f"[{'green' if one.degree > one.prior else 'red'}]{one.degree:.2f}[/]"


def _short(step: str) -> str:
    return step if len(step) <= STEP_WIDTH else f"{step[: STEP_WIDTH - 1]}…"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _model_lines(model: ModelSummary) -> Iterator[str]:
    """The pooled map, how good the degrees were, and drift."""
    said = f"[dim]degrees of[/] {escape(model.model)} [dim]after {model.outcomes} outcomes, [/]"
    said += f"[dim]each worth {model.strength:.1f}[/]"
    yield said
    if max(abs(y - x) for x, y in model.points) > NOTICEABLE:
        curve = "".join(BLOCKS[min(int(y * len(BLOCKS)), len(BLOCKS) - 1)] for _, y in model.points)
        shown = "  ".join(f"{x:.1f} → {y:.2f}" for x, y in model.points[1:10:2])
        yield f"[dim]mean[/]  {curve}  {shown}"
    else:
        yield "[dim]are taken as they are[/]"
    found = model.reliability
    if found is not None:
        yield (
            f"[dim]Brier score[/] {found.before.brier:.3f} → {found.after.brier:.3f}   "
            f"[dim]calibration error[/] {found.before.ece:.3f} → {found.after.ece:.3f} "
            f"[dim](by chance {found.after.ece_by_chance:.3f})[/]"
        )
        if found.is_poor:
            yield f"[yellow]high calibration error[/]: {escape(str(found))}"
    if model.drift is not None:
        yield f"[yellow]drift[/]: {escape(str(model.drift))}"
