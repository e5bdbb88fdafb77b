# SPDX-License-Identifier: Apache-2.0
"""The progress of planning on standard error: a live line on a terminal, else a line now and then.

A dumb terminal (TERM=dumb) can't overwrite a line, and gets lines now and then, too.
A line has the phase, its time, the expansions, the best plan so far, and the bounds with the gap
that is left between them and the plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status

from fcp_ros.cli.terminal import open_console
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning import BestPlan, Progress

LINE_EVERY = 5.0
"""Seconds between two lines where there is no live line."""


class ProgressDisplay:
    """Shows progress: on a terminal as a live line, else as a line every few seconds.

    `console`: on standard error; None shows nothing. `status`: the live line; None where standard
    error is not a terminal, or a dumb one.
    """

    def __init__(self, console: Console | None, status: Status | None) -> None:
        self._console = console
        self._status = status
        self._next = LINE_EVERY

    def show(self, progress: Progress) -> None:
        """Show progress, unless it is too early."""
        if self._status is not None:
            self._status.update(describe_progress(progress))
        elif self._console is not None and progress.elapsed >= self._next:
            self._next = (progress.elapsed // LINE_EVERY + 1) * LINE_EVERY
            self._console.print(describe_progress(progress), markup=False)

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
def open_progress(quiet: bool) -> Iterator[ProgressDisplay]:
    """Open a display of progress on standard error; it shows nothing if `quiet`."""
    console = open_console(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield ProgressDisplay(None if quiet else console, None)
        return
    with console.status("") as status:
        yield ProgressDisplay(console, status)


def describe_progress(progress: Progress) -> str:
    """Describe the progress of a request in one line."""
    parts = [f"{progress.phase.value} {progress.elapsed:.1f} s"]
    if progress.expansions:
        parts.append(f"{progress.expansions:,} expansions")
    best = progress.best
    parts.append("no plan yet" if best is None else f"best so far {_describe_plan(best)}")
    if progress.membership_bound < 1.0 - EPSILON:
        gap = "" if best is None else f" (gap {progress.membership_gap:.2f})"
        parts.append(f"membership at most {progress.membership_bound:.2f}{gap}")
    if progress.left_out_bound:
        gap = "" if best is None else f" (gap {best.left_out - progress.left_out_bound})"
        parts.append(f"at least {progress.left_out_bound} left out{gap}")
    if math.isfinite(progress.cost_bound) and progress.cost_bound > 0.0:
        gap = "" if best is None else f" (gap {progress.cost_gap:.0%})"
        parts.append(f"cost at least {progress.cost_bound:g}{gap}")
    return ", ".join(parts)


def _describe_plan(best: BestPlan) -> str:
    cost = "" if best.cost == best.steps else f", cost {best.cost:g}"
    cost += f", {best.left_out} parts left out" if best.left_out else ""
    steps = f"{best.steps} step{'' if best.steps == 1 else 's'}"
    return f"{steps}{cost}, membership {best.membership:.2f}"
