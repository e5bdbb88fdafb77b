# SPDX-License-Identifier: Apache-2.0
"""A picture of what calibration learnt: reliability before and after, goals at the first try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from benchmark.calibration_physics.goals import ROWS, Attempt, find_interval
from benchmark.calibration_physics.learning import BINS, Comparison
from fcp_ros.report import figure as palette
from fcp_ros.report.figure import STYLE, new_figure, to_svg

LEAST = 10  # Outcomes of a bin that is drawn


def draw_calibration(
    learnt: Mapping[str, Sequence[Comparison]], attempts: Sequence[Attempt]
) -> str:
    """Draw an SVG picture: a panel a predicate, and one of the goals."""
    with rc_context(STYLE):
        figure = new_figure(3.1 * (len(learnt) + 1), 3.2)
        panels = figure.subplots(1, len(learnt) + 1)
        for axes, (name, comparisons) in zip(panels, learnt.items(), strict=False):
            _draw_reliability(axes, name, comparisons)
        _draw_goals(panels[-1], attempts)
        label = "Degrees and frequencies before and after calibration, and goals at the first try"
        drawn = to_svg(figure, label, "calibration")
    # On its own in a page of documents it has no background; they may be dark.
    return drawn.replace("<svg ", f'<svg style="background:{palette.PAPER}" ', 1)


def _draw_reliability(axes: Axes, name: str, comparisons: Sequence[Comparison]) -> None:
    axes.plot([0, 1], [0, 1], color=palette.FAINT, linewidth=1, zorder=0)
    first, last = comparisons[0], comparisons[-1]
    for one, colour in ((first, palette.ALPHA), (last, palette.MEMBERSHIP)):
        bins = np.minimum((one.degrees * BINS).astype(int), BINS - 1)
        points = [
            (one.degrees[mine].mean(), one.outcomes[mine].mean(), mine.sum())
            for mine in (bins == number for number in range(BINS))
            if mine.sum() >= LEAST
        ]
        x, y, count = (list(column) for column in zip(*points, strict=True))
        text = f"{one.seen:,} outcomes seen: ECE {one.error:.3f}"
        size = [20 + 200 * n / len(one.degrees) for n in count]
        axes.scatter(x, y, s=size, color=colour, alpha=0.75, label=text, linewidths=0)
    axes.set_title(name, fontsize=10, loc="left")
    axes.set_xlabel("degree")
    axes.set_ylabel("held-out frequency")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.05, 1.3)
    axes.set_yticks(np.linspace(0, 1, 6))
    legend = axes.legend(loc="upper left", fontsize=8, frameon=False)
    for handle in legend.legend_handles:
        handle.set_sizes([30])  # type: ignore[union-attr]
    _simplify(axes)


def _draw_goals(axes: Axes, attempts: Sequence[Attempt]) -> None:
    colours = (palette.MUTED, palette.ALPHA, palette.MEMBERSHIP)
    for place, (row, colour) in enumerate(zip(ROWS, colours, strict=True)):
        mine = [one.succeeded for one in attempts if one.row == row]
        share = sum(mine) / max(1, len(mine))
        low, high = find_interval(sum(mine), len(mine))
        axes.bar(place, share, width=0.6, color=colour)
        axes.plot([place, place], [low, high], color=palette.INK, linewidth=1.2)
        axes.annotate(f"{100 * share:.0f} %", (place, high + 0.02), ha="center")
    axes.set_title("goals at the first try", fontsize=10, loc="left")
    axes.set_xticks(range(len(ROWS)), [f"degrees\n{row}" for row in ROWS])
    axes.set_ylim(0, 1.15)
    axes.set_yticks(np.linspace(0, 1, 6))
    _simplify(axes)


def _simplify(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
