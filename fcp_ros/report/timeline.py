# SPDX-License-Identifier: Apache-2.0
"""A plan over time: its steps as bars, below the membership after each step and alpha.

A plan of one robot has a row for each step, one of several robots a row for each of them. Further
below, constraints and preferences have a row each: filled while they would be kept if the
plan ended there, hatched while they would not, with a mark where that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from matplotlib import rc_context
from matplotlib.axes import Axes

from fcp_ros.foundation.wording import hide_controls
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import Plan
from fcp_ros.planning.model.result import RequirementTrace
from fcp_ros.report import figure as palette
from fcp_ros.report.figure import STYLE, new_figure, to_svg

ROWS = 16  # Constraints and preferences that are drawn
LONGEST_TEXT = 72  # Letters of the condition of one of them
LETTERS = 85  # Small letters that fit side by side over the whole width


def draw_timeline(plan: Plan, prefix: str, traces: Sequence[RequirementTrace] = ()) -> str:
    """Draw the expected schedule of a plan with its membership above it; "" without steps.

    Without a schedule, the steps of the plan follow one another. `prefix`: unique in the page.
    """
    if not plan.steps:
        return ""
    if plan.schedule is not None:
        starts: Sequence[float] = plan.schedule.starts
        ends: Sequence[float] = plan.schedule.ends
    else:
        ends = _add_up([step.duration for step in plan.steps])
        starts = [0.0, *ends[:-1]]
    robots = _list_robots(plan)
    heights = [2.0, 0.4 + (0.42 * len(robots) if robots else 0.21 * len(plan.steps))]
    shown = traces[:ROWS]
    if shown:
        heights.append(0.2 + 0.36 * len(shown))
    with rc_context(STYLE):
        figure = new_figure(6.2, sum(heights) - 0.1)
        parts = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
        _draw_membership(parts[0], plan, ends)
        if robots:
            _draw_robots(parts[1], plan, robots, starts, ends)
        else:
            _draw_bars(parts[1], plan, starts, ends)
        if shown:
            _draw_traces(parts[2], shown, ends)
        parts[-1].set_xlabel("expected time [s]")
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


def _list_robots(plan: Plan) -> Sequence[str]:
    """List the robots of a plan by name; empty if there is only one."""
    if plan.schedule is None:
        return ()
    robots = sorted({agent for agents in plan.schedule.agents for agent in agents})
    return robots if len(robots) > 1 else ()


def _draw_robots(
    axes: Axes, plan: Plan, robots: Sequence[str], starts: Sequence[float], ends: Sequence[float]
) -> None:
    """Draw a row for each robot; a step of two robots is in both of their rows."""
    assert plan.schedule is not None
    last = max(*ends, 1e-3) * 1.08
    for index, (step, start, end) in enumerate(zip(plan.steps, starts, ends, strict=True)):
        colour = palette.FURNITURE_EDGE if step.degree >= 1.0 else palette.MEMBERSHIP
        text = _describe_step(index, plan, end - start, last)
        for row in (robots.index(agent) for agent in plan.schedule.agents[index]):
            axes.barh(
                row, end - start, left=start, height=0.62, color=colour, edgecolor=palette.PAPER
            )
            axes.annotate(
                text,
                ((start + end) / 2, row),
                ha="center",
                va="center",
                fontsize=8,
                color=palette.PAPER,
            )
    axes.set_ylim(len(robots) - 0.5, -0.5)
    axes.set_yticks(range(len(robots)), [hide_controls(name) for name in robots])
    axes.set_xlim(0, last)
    _simplify_axes(axes)


def _describe_step(index: int, plan: Plan, duration: float, whole: float) -> str:
    """Say number, rule and degree of a step, or as much of it as its bar has room for."""
    step = plan.steps[index]
    number, named = f"{index + 1}", f"{index + 1} {step.rule}"
    texts = [named + (f"  {step.degree:.2f}" if step.degree < 1.0 else ""), named, number]
    room = LETTERS * duration / whole
    return next((text for text in texts if len(text) <= room), "")


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
    _simplify_axes(axes)


def _draw_traces(axes: Axes, traces: Sequence[RequirementTrace], ends: Sequence[float]) -> None:
    changes = [0.0, *accumulate(ends, max)]
    changes.append(changes[-1] * 1.06)
    for row, trace in enumerate(traces):
        axes.annotate(_describe_trace(trace), (0, row - 0.2), va="center", fontsize=8)
        for number, degree in enumerate(trace.degrees):
            axes.barh(
                row + 0.2,
                changes[number + 1] - changes[number],
                left=changes[number],
                height=0.3,
                color=palette.GOOD if degree > 0.0 else palette.PAPER,
                edgecolor=palette.PAPER if degree > 0.0 else palette.MUTED,
                hatch="" if degree > 0.0 else "////",
                linewidth=0.0,
            )
            before = trace.degrees[number - 1] if number else degree
            if (before > 0.0) is not (degree > 0.0):
                _mark_change(axes, changes[number], row + 0.2, degree > 0.0)
    axes.set_ylim(len(traces) - 0.5, -0.5)
    axes.set_yticks([])
    _simplify_axes(axes)


def _describe_trace(trace: RequirementTrace) -> str:
    name = f"{trace.name}: " if trace.name else ""
    text = f"{'prefer ' if trace.preferred else ''}{name}{trace.text}"
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"
    last = trace.degrees[-1]
    outcome = (
        ("given up" if trace.preferred else "left out")
        if last <= 0.0
        else "kept"
        if last >= 1.0
        else f"kept {last:.2f}"
    )
    return f"{text} ({outcome})"


def _mark_change(axes: Axes, time: float, height: float, kept: bool) -> None:
    """Mark the time from which a requirement is kept, or broken."""
    axes.annotate(
        "\N{HEAVY CHECK MARK}" if kept else "\N{HEAVY BALLOT X}",
        (time, height),
        ha="center",
        va="center",
        fontsize=9,
        color=palette.INK,
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": palette.PAPER, "linewidth": 0.8},
    )


def _simplify_axes(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color=palette.FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
