# SPDX-License-Identifier: Apache-2.0
"""The options of a search: algorithm, heuristic, weight, seed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Algorithm(str, Enum):
    """The search algorithms."""

    ASTAR = "astar"
    """Best-first by f = g + h; the first goal taken is optimal with an admissible heuristic."""
    WEIGHTED_ASTAR = "weighted_astar"
    """f = g + weight * h."""
    ANYTIME_ASTAR = "anytime_astar"
    """Weighted A* that goes on after each plan with a smaller weight, down to 1; prunes by the
    best plan found."""
    GREEDY = "greedy"
    """Best-first by h, evaluated when a state is made; helpful actions first."""
    LAZY_GREEDY = "lazy_greedy"
    """Best-first by h of the parent, evaluated when a state is taken; helpful actions first."""
    BIDIRECTIONAL = "bidirectional"
    """Forward memberships meet backward requirements."""
    PORTFOLIO = "portfolio"
    """Any plan first, then better ones, then the proof."""


class Heuristic(str, Enum):
    """The heuristics. Admissible: BLIND, MAX, LM_CUT.

    A greedy search by LANDMARK_COUNT takes turns with the tie heuristic, where that is another one.
    """

    BLIND = "blind"
    MAX = "max"
    ADD = "add"
    FF = "ff"
    LANDMARK_COUNT = "landmark_count"
    LM_CUT = "lm_cut"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search.

    Attributes:
        algorithm: the algorithm.
        heuristic: the heuristic of the first criterion.
        weight: of the heuristic, where the algorithm has one; at least 1.
        tie_heuristic: the heuristic of the second criterion, for ties in the first.
        tie_weight: of that heuristic. 1 with an admissible one makes ties optimal, too; more finds
            plans sooner.
        seed: decides between states that are equal in everything.
    """

    algorithm: Algorithm = Algorithm.PORTFOLIO
    heuristic: Heuristic = Heuristic.LM_CUT
    weight: float = 2.0
    tie_heuristic: Heuristic = Heuristic.FF
    tie_weight: float = 5.0
    seed: int = 0
