# SPDX-License-Identifier: Apache-2.0
"""What an objective and options mean to the kernel: plain numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.grid import Grid
from fcp_ros.planning.search.objective import Objective

TAKEN, MADE, LAZY = 0, 1, 2
"""When a state is evaluated: when a label of it is taken (and put back where it turns out to be
worse than thought), when it is made, or when it is taken, once it counted with its parent's
values. With estimates that are dear and no lower bounds, nothing is put back: most of them would
only tell that."""
SEEN, LEXICOGRAPHIC, PARETO = 0, 1, 2
"""When a label makes another one of the same state useless: always, when it is no worse by the
order of the criteria, or when it is no worse in both."""
NEVER, BY_KEY, AT_ONCE = 0, 1, 2
"""When a search stops with a plan: when nothing is left, when no label that waits comes before it,
or as soon as it has one."""
LEAST_PRICE = 20
"""An evaluation in a small task takes as long as so many successors."""
ACTIONS = 4
"""For so many actions of the relaxation an evaluation takes as much longer as a successor does."""


class Settings(NamedTuple):
    """The settings of a kernel; the criteria are first and second, in units of their grids.

    Attributes:
        first, second: weight of each operator in each criterion, float64[m].
        first_maximum, second_maximum: whether the largest counts instead of the sum.
        first_budget, second_budget: what labels may not exceed; may be infinite.
        first_kind, second_kind: number of the heuristic; blind ones are not evaluated.
        first_weight, second_weight: factors of the heuristics in the key.
        first_admissible, second_admissible: whether they are lower bounds.
        evaluation: TAKEN, MADE or LAZY.
        dominance: SEEN, LEXICOGRAPHIC or PARETO.
        stop: NEVER, BY_KEY or AT_ONCE.
        greedy: whether the key is the heuristic alone; the first criterion breaks ties.
        queues: number of queues. In A* there is 1; a greedy search has one for each heuristic, and
            with `helps` behind each of them another one for what helpful actions lead to.
        helps: the heuristic that names helpful actions: 1, 2, or 0 for none. Outside greedy
            searches, what other actions lead to is not thought to be nearer to the goal.
        direction: of each resource: 1 more is never worse, -1 less is never worse, 0 it can't ever
            be short, 2 both matter; int32[R].
        counting: whether resources decide between labels.
        price: an evaluation is so much work, where a successor is 1.
        seed: 0, or a number by which successors are made in another order.
    """

    first: Floats
    second: Floats
    first_maximum: bool
    second_maximum: bool
    first_budget: float
    second_budget: float
    first_kind: int
    second_kind: int
    first_weight: float
    second_weight: float
    first_admissible: bool
    second_admissible: bool
    evaluation: int
    dominance: int
    stop: int
    greedy: bool
    queues: int
    helps: int
    direction: Ints
    counting: bool
    price: int
    seed: int


ADMISSIBLE = frozenset({Heuristic.BLIND, Heuristic.MAX, Heuristic.LM_CUT})
"""Heuristics that are lower bounds."""


def kind_of(heuristic: Heuristic, criterion: Grid) -> int:
    """The number of a heuristic for a criterion.

    Where the largest counts, only the bottleneck bound says anything; where all weights are 0, the
    blind one says everything.
    """
    if heuristic is Heuristic.BLIND or not criterion.weight.any():
        return int(Kind.BLIND)
    return int(Kind.MAX if criterion.maximum else _kind(heuristic))


def settings_of(
    objective: Objective,
    options: SearchOptions,
    first: Grid,
    second: Grid,
    direction: Ints,
    actions: int,
) -> Settings:
    """The settings of one search, as long as resources don't count.

    Arguments:
        objective: what is optimised.
        options: how to search.
        first, second: the criteria in the objective's order.
        direction: of the resources.
        actions: number of actions of the relaxation.

    Raises:
        ValueError: the algorithm is not one of this kernel.
    """
    settings = Settings(
        first=first.weight,
        second=second.weight,
        first_maximum=first.maximum,
        second_maximum=second.maximum,
        first_budget=first.budget,
        second_budget=second.budget,
        first_kind=kind_of(options.heuristic, first),
        second_kind=kind_of(options.tie_heuristic, second),
        first_weight=1.0,
        second_weight=float(options.tie_weight),
        first_admissible=_admissible(options.heuristic, first),
        second_admissible=_admissible(options.tie_heuristic, second),
        evaluation=TAKEN,
        dominance=_dominance(first, second),
        stop=BY_KEY,
        greedy=False,
        queues=1,
        helps=0,
        direction=direction,
        counting=False,
        price=LEAST_PRICE + actions // ACTIONS,
        seed=options.seed,
    )
    if options.algorithm in (Algorithm.GREEDY, Algorithm.LAZY_GREEDY):
        return _greedy(settings, options)
    if options.algorithm not in (
        Algorithm.ASTAR,
        Algorithm.WEIGHTED_ASTAR,
        Algorithm.ANYTIME_ASTAR,
    ):
        raise ValueError(f"{options.algorithm.value} is not a best-first search")
    weight = 1.0 if options.algorithm is Algorithm.ASTAR else max(1.0, float(options.weight))
    helps = 2 if settings.second_kind == Kind.FF else int(settings.first_kind == Kind.FF)
    dear = settings.first_kind in (Kind.ADD, Kind.FF)
    lazy = options.algorithm is not Algorithm.ASTAR and dear
    return settings._replace(first_weight=weight, helps=helps, evaluation=LAZY if lazy else TAKEN)


def _admissible(heuristic: Heuristic, criterion: Grid) -> bool:
    return heuristic in ADMISSIBLE or criterion.maximum or not criterion.weight.any()


def _greedy(settings: Settings, options: SearchOptions) -> Settings:
    """A greedy search looks at one heuristic; the landmark count takes turns with the second."""
    kinds = [_kind(options.heuristic), Kind.BLIND]
    if options.heuristic is Heuristic.LANDMARK_COUNT is not options.tie_heuristic:
        kinds[1] = _kind(options.tie_heuristic)
    helps = kinds.index(Kind.FF) + 1 if Kind.FF in kinds else 0
    unlimited = math.isinf(settings.first_budget) and math.isinf(settings.second_budget)
    return settings._replace(
        first_kind=int(kinds[0]),
        second_kind=int(kinds[1]),
        first_admissible=False,
        second_admissible=False,
        evaluation=MADE if options.algorithm is Algorithm.GREEDY else LAZY,
        dominance=SEEN if unlimited else PARETO,
        stop=AT_ONCE,
        greedy=True,
        queues=(2 if helps else 1) * (1 if kinds[1] is Kind.BLIND else 2),
        helps=helps,
    )


def _kind(heuristic: Heuristic) -> Kind:
    return Kind(list(Heuristic).index(heuristic))


def _dominance(first: Grid, second: Grid) -> int:
    """The order of the criteria decides between labels, unless the worse one can still win.

    That is where a budget limits the second criterion (the better label may exceed it later), and
    where the first one is a maximum (what is still to come may make both equal). A budget of a
    maximum limits no label: operators beyond it can't be used at all.
    """
    limited = math.isfinite(second.budget) and not second.maximum
    return PARETO if first.maximum or limited else LEXICOGRAPHIC
