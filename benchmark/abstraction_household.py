# SPDX-License-Identifier: Apache-2.0
"""The part ``household`` of abstraction.py: every dirty cup into the dishwasher, in any house."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from abstraction_houses import House, draw_house, read_house_domain
from nodes_figures import Judged

from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.goal_atoms import list_goal_atoms
from fcp_ros.domain.model import Domain

LARGEST = 5000
"""Things in the largest houses."""
MOST_BUILDING, MOST_GOAL = 0.05, 0.05
"""Seconds for the state, and for the facts of the goal, of the largest house."""


def measure(quick: bool) -> Iterator[Judged]:
    """Measure houses as states."""
    domain = read_house_domain()
    yield from _measure_states(domain, draw_house(domain, LARGEST, 1))


def _measure_states(domain: Domain, house: House) -> Iterator[Judged]:
    goal = list_goal_atoms(house.goal, house.instance, domain)
    for what, limit, run in (
        (
            "facts of the goal",
            MOST_GOAL,
            lambda: list_goal_atoms(house.goal, house.instance, domain),
        ),
        ("state", MOST_BUILDING, lambda: build_state(domain, house.instance, goal)),
    ):
        seconds = _time_best(run)
        yield Judged(
            f"{what} of a house of {LARGEST} things",
            f"{1000 * seconds:.1f} ms",
            f"{1000 * limit:.0f} ms",
            seconds <= limit,
        )
    engine, state = RuleEngine(domain), build_state(domain, house.instance, goal)
    count = sum(1 for _ in engine.successors(state))
    seconds = _time_best(lambda: list(engine.successors(state))) / count
    yield Judged(f"a successor in it ({count})", f"{1e6 * seconds:.1f} us")


def _time_best(run: Callable[[], object], times: int = 5) -> float:
    """Return the least CPU time (s): other jobs may run on the machine."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return min(found)
