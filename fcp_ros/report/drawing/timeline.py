# SPDX-License-Identifier: Apache-2.0
"""A plan over time: its steps as bars, below the membership after each step and alpha."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes

from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import Plan
from fcp_ros.report.drawing import figure as palette
from fcp_ros.report.drawing.figure import STYLE, new_figure, to_svg


def draw_timeline(plan: Plan, prefix: str) -> str:
    """Draw the expected schedule of a plan with its membership above it.

    Without a schedule, the steps of the plan follow one another.

    Args:
        plan: a plan with at least one step.
        prefix: unique in the page (see ``to_svg``).

    Returns:
        One ``<svg>`` element; an empty string for a plan without steps.
    """
    if not plan.steps:
        return ""
    if plan.schedule is not None:
        starts: Sequence[float] = plan.schedule.starts
        ends: Sequence[float] = plan.schedule.ends
    else:
        ends = _add_up([step.duration for step in plan.steps])
        starts = [0.0, *ends[:-1]]
    with rc_context(STYLE):
        figure = new_figure(6.2, 2.3 + 0.21 * len(plan.steps))
        above, below = figure.subplots(
            2, 1, sharex=True, height_ratios=[2.0, 0.4 + 0.21 * len(plan.steps)]
        )
        _draw_membership(above, plan, ends)
        _draw_bars(below, plan, starts, ends)
        return to_svg(figure, "Steps of the plan over time, with its membership", prefix)


def _add_up(durations: Sequence[float]) -> list[float]:
    ends, now = [], 0.0
    for duration in durations:
        now += max(duration, 1e-3)
        ends.append(now)
    return ends


def _draw_membership(axes: Axes, plan: Plan, ends: Sequence[float]) -> None:
    last = max(ends) * 1.06  # the goal's own degree counts after the last step
    times = [0.0, *sorted(ends), last]
    values = [1.0, *_compute_memberships(plan, ends), plan.membership]
    axes.fill_between(times, 0, values, step="post", color=palette.MEMBERSHIP, alpha=0.10)
    axes.step(times, values, where="post", color=palette.MEMBERSHIP, linewidth=2)
    axes.plot([last], [plan.membership], "o", color=palette.MEMBERSHIP, markersize=5)
    axes.annotate(
        f"plan with goal {plan.membership:.2f}",
        (last, plan.membership),
        xytext=(-6, 7),
        textcoords="offset points",
        ha="right",
        color=palette.MEMBERSHIP,
        fontweight="bold",
    )
    axes.axhline(plan.alpha, color=palette.ALPHA, linewidth=1.2, linestyle=(0, (5, 3)))
    axes.annotate(
        f"alpha {plan.alpha:.2f}",
        (0, plan.alpha),
        xytext=(4, -10),
        textcoords="offset points",
        color=palette.ALPHA,
    )
    axes.set_ylim(0, 1.08)
    axes.set_ylabel("membership")
    _simplify_axes(axes)


def _compute_memberships(plan: Plan, ends: Sequence[float]) -> list[float]:
    """Compute the membership after each end of a step, in the order of time."""
    tnorm = tnorm_by_name(plan.tnorm)
    done = sorted(range(len(ends)), key=lambda index: ends[index])
    degrees = [plan.steps[index].degree for index in done]
    return [tnorm.compose_all(degrees[: number + 1]) for number in range(len(degrees))]


def _draw_bars(axes: Axes, plan: Plan, starts: Sequence[float], ends: Sequence[float]) -> None:
    for row, (step, start, end) in enumerate(zip(plan.steps, starts, ends, strict=True)):
        colour = palette.FURNITURE_EDGE if step.degree >= 1.0 else palette.MEMBERSHIP
        axes.barh(row, end - start, left=start, height=0.62, color=colour)
        text = f"{row + 1} {step.rule}" + (f"  {step.degree:.2f}" if step.degree < 1.0 else "")
        left_half = start < max(ends) / 2
        axes.annotate(
            text,
            (end if left_half else start, row),
            xytext=(5 if left_half else -5, 0),
            textcoords="offset points",
            ha="left" if left_half else "right",
            va="center",
            fontsize=8,
        )
    axes.invert_yaxis()
    axes.set_yticks([])
    axes.set_xlim(0, max(*ends, 1e-3) * 1.08)
    axes.set_xlabel("expected time [s]")
    _simplify_axes(axes)


def _simplify_axes(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color=palette.FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
