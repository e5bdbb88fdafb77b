# SPDX-License-Identifier: Apache-2.0
"""What the searches of a portfolio are for, and how each of them searches."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.settings import ADMISSIBLE

BETTER_WEIGHT = 5.0
"""First weight of the anytime search."""


class Role(Enum):
    """What a search is for."""

    PROOF = "proof"
    """The best plan, and the proof that it is."""
    ANY = "any"
    """Any plan at all."""
    NONE = "none"
    """Going through all states without estimates: where there is no plan, that shows it soonest."""
    BETTER = "better"
    """A better plan than the best one so far."""


def options_of(role: Role, objective: Objective, options: SearchOptions) -> SearchOptions:
    """How a search of a role searches.

    Arguments:
        role: what it is for.
        objective: of the portfolio. A loss budget asks for a lower bound of the loss.
        options: of the portfolio: heuristics of the proof, weight of ties, seed.
    """
    if role is Role.PROOF:
        return _proving(objective, options)
    if role is Role.ANY:
        return replace(
            options,
            algorithm=Algorithm.LAZY_GREEDY,
            heuristic=Heuristic.LANDMARK_COUNT,
            tie_heuristic=Heuristic.FF,
        )
    if role is Role.NONE:
        return replace(
            options,
            algorithm=Algorithm.ASTAR,
            heuristic=Heuristic.BLIND,
            tie_heuristic=Heuristic.BLIND,
        )
    return replace(
        options, algorithm=Algorithm.ANYTIME_ASTAR, heuristic=Heuristic.FF, weight=BETTER_WEIGHT
    )


def _proving(objective: Objective, options: SearchOptions) -> SearchOptions:
    options = replace(options, algorithm=Algorithm.ASTAR)
    if options.heuristic not in ADMISSIBLE:
        options = replace(options, heuristic=Heuristic.LM_CUT)
    if objective.order[0] is Criterion.COST:
        options = replace(options, tie_heuristic=Heuristic.LM_CUT, tie_weight=1.0)
    return options
