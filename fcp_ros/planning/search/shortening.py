# SPDX-License-Identifier: Apache-2.0
"""How a proven plan of least loss is shortened: searches of bounded effort, until one finds it.

First without any estimate, which takes no time and settles small tasks for good. Then by the
landmarks ahead, which are counted faster than a relaxation is looked at, and last by FF. In tasks
with hundreds of steps both find much better orders than the greedy search that came first; what
makes a plan long there is the order in which it serves its goals, so looking at a few neighbouring
steps at a time was found to help less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions

BLINDLY = 2000
"""States to expand without an estimate."""
EACH = 20
"""States to expand for each step of the plan when landmarks are counted."""
EACH_BY_FF = 40
"""States to expand or evaluate for each step of the plan by FF."""
WEIGHT = 5.0
"""Weight of the heuristics."""
LESS_WEIGHT = 3.0
"""Weight of FF once it has found a shorter plan: from the start again, as in LAMA."""


@dataclass(frozen=True, slots=True)
class Shortening:
    """One search for a plan that costs less.

    Attributes:
        options: how it searches.
        effort: states that it may expand or evaluate.
        then: the searches that follow once it has found a plan; else the next one does.
    """

    options: SearchOptions
    effort: int
    then: tuple[Shortening, ...] = ()


def shortenings(
    options: SearchOptions, steps: int, spent: int, share: float
) -> tuple[Shortening, ...]:
    """The searches, in order.

    Arguments:
        options: the seed is taken from these.
        steps: of the plan.
        spent: states that were expanded or evaluated until it was found and proven.
        share: 1, or less in tasks where each state takes long.
    """
    blind = replace(
        options,
        algorithm=Algorithm.ASTAR,
        heuristic=Heuristic.BLIND,
        tie_heuristic=Heuristic.BLIND,
        tie_weight=1.0,
    )
    weighted = replace(blind, algorithm=Algorithm.WEIGHTED_ASTAR, weight=WEIGHT)
    by_ff = replace(weighted, heuristic=Heuristic.FF)
    effort = int(share * EACH_BY_FF * steps) + spent
    again = Shortening(replace(by_ff, weight=LESS_WEIGHT), effort)
    return (
        Shortening(blind, int(share * BLINDLY)),
        Shortening(
            replace(weighted, heuristic=Heuristic.LANDMARK_COUNT), int(share * EACH * steps)
        ),
        Shortening(by_ff, effort, (again,)),
    )
