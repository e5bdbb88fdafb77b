# SPDX-License-Identifier: Apache-2.0
"""When the steps of a plan run: a partial order with times."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """Start and end of every step, counted from the start of the plan, in seconds.

    Steps go by their position in the plan, from 0. Any times that keep `order`, the windows and the
    deadline would do; these are the earliest ones.

    Attributes:
        starts: earliest start of each step.
        ends: its end, when it starts at its earliest.
        latest_starts: the latest start of each step at which the plan can still be done by
            `makespan`; a step for which it equals the earliest one is critical.
        order: (before, after): the first has ended when the second starts. The transitive
            reduction, sorted; steps that it does not order may run at the same time.
        agents: who is busy with each step; no two steps of one agent overlap.
        makespan: end of the last step; 0 without steps.
    """

    starts: tuple[float, ...]
    ends: tuple[float, ...]
    latest_starts: tuple[float, ...]
    order: tuple[tuple[int, int], ...]
    agents: tuple[tuple[str, ...], ...]
    makespan: float
