# SPDX-License-Identifier: Apache-2.0
"""The settings and the objective of a search.

Sums of floats depend on their order in the last bits, and a tie between two paths would be broken
by nothing but that. So the kernels count each criterion on a `Grid`: scaled by a power of ten and
rounded. The numbers stay float64, whose whole numbers are exact up to 2^53. Costs that are whole
numbers (steps, units of cost) are taken as they are, without any tolerance: sums beyond 2^53 are
rounded, but never to a number below it. Decimal losses such as
0.05 lose nothing at all; others are off by at most half a unit per step, far below
`fcp_ros.fuzzy.EPSILON`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import EXACT, FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions

STEPS = 20_000
"""The sum of this many of the worst steps must be exact."""
FINEST = 11
"""Digits after the point at most."""
FRACTIONS = 2.0**20
"""Steps that together count less than one unit of a refined criterion, at most."""


class Criterion(Enum):
    """A number that a plan should have little of."""

    LOSS = "loss"
    """Composed loss of the steps, in the t-norm's scale."""
    COST = "cost"
    """Sum of the secondary costs: steps, duration or cost."""


@dataclass(frozen=True, slots=True)
class Objective:
    """The criteria of a plan in order, and their budgets."""

    order: tuple[Criterion, Criterion] = (Criterion.LOSS, Criterion.COST)
    composition: Composition = Composition.SUM
    loss_budget: float = math.inf  # plans with more loss than this are no solutions (the alpha-cut)
    cost_budget: float = math.inf  # plans that cost more than this are no solutions


@dataclass(frozen=True)
class Grid:
    """One criterion on its grid."""

    weight: Floats  # of each operator, whole numbers, float64[m]
    scale: float  # units per 1 of the criterion
    maximum: bool  # True if the largest weight counts instead of the sum
    budget: float  # the largest sum (or maximum) allowed, in units; may be infinite
    # units that one unit of a refined criterion has (see `refine`); 1 for others
    fractions: float = 1.0

    def from_units(self, units: float) -> float:
        """Units as a number of the criterion; steps in a refined one are left out."""
        if self.fractions > 1.0 and math.isfinite(units):
            units = self.fractions * math.floor(units / self.fractions)
        return units / self.scale

    def tells_apart(self, units: Floats) -> bool:
        """Return True if steps never made a whole unit on any path of a search.

        Args:
            units: of all labels. The paths to them are among them, so that one which had as many
                steps as a unit has fractions has come by one with half as many.
        """
        return self.fractions == 1.0 or bool((units % self.fractions < self.fractions / 2).all())


def refine(grid: Grid) -> Grid:
    """Count steps in fractions of a unit, so that they decide where the criterion does not.

    Where steps cost nothing, every estimate is 0 all over the place, and nothing leads anywhere; a
    fraction for each step does (Richter and Westphal, "The LAMA planner", 2010, section 5.1, where
    it is a whole unit and competes with the costs).

    Returns:
        The grid as it is unless it is of whole numbers that leave room for that.
    """
    worst = max(1.0, float(grid.weight.max(initial=0.0)))
    fractions = min(FRACTIONS, float(math.floor(EXACT / (STEPS * (worst + 1.0)))))
    if grid.scale != 1.0 or grid.maximum or fractions < STEPS:
        return grid
    weight = grid.weight * fractions + 1.0
    budget = (grid.budget + 1.0) * fractions - 1.0
    return Grid(weight, fractions, False, budget, fractions)


def build_grid(task: FlatTask, objective: Objective, criterion: Criterion) -> Grid:
    loss = criterion is Criterion.LOSS
    values = task.loss if loss else task.cost
    budget = objective.loss_budget if loss else objective.cost_budget
    if not loss and bool((values == np.rint(values)).all()):
        limit = float(math.floor(budget)) if math.isfinite(budget) else math.inf
        return Grid(values, 1.0, False, limit)
    worst = max(1e-6, float(values.max(initial=0.0)))
    digits = min(FINEST, math.floor(math.log10(EXACT / (STEPS * worst))))
    scale = 10.0**digits
    return Grid(
        np.rint(values * scale),
        scale,
        loss and objective.composition is Composition.MAXIMUM,
        float(math.floor((budget + EPSILON) * scale)) if math.isfinite(budget) else math.inf,
    )


def step_below(value: float) -> float:
    """Return the budget for values that are less than a given one by more than rounding.

    It differs from the value however large that is: 10^12 has no neighbour at a distance of 1e-9.
    """
    return min(value - 2 * EPSILON, math.nextafter(value, -math.inf))


class SearchOutcome(Enum):
    """The reason why a search returned."""

    OPTIMAL = "optimal"
    """The plan is proven to be the best by the objective."""
    FOUND = "found"
    """A plan was found; whether it is the best was not settled."""
    EXHAUSTED = "exhausted"
    """There is no plan within the objective's budgets: proven."""
    PAUSED = "paused"
    """The allowance was used up; the search can go on."""
    OUT_OF_MEMORY = "out_of_memory"
    """The search may not keep more labels; what was found so far stands."""


@dataclass(frozen=True, slots=True)
class FlatPlan:
    """A plan on a flat task."""

    operators: tuple[int, ...]
    loss: float
    cost: float

    def value(self, criterion: Criterion) -> float:
        return self.loss if criterion is Criterion.LOSS else self.cost

    def first(self, objective: Objective) -> float:
        """Its value in the criterion that decides."""
        return self.value(objective.order[0])

    def is_better(self, other: FlatPlan, objective: Objective) -> bool:
        """Return True if it has less of the first criterion in which the two plans differ.

        Of equal plans the one with fewer operators is better.
        """
        for criterion in objective.order:
            mine, theirs = self.value(criterion), other.value(criterion)
            if abs(mine - theirs) > EPSILON:
                return mine < theirs
        return len(self.operators) < len(other.operators)

    def is_within(self, objective: Objective) -> bool:
        """Return True if it keeps the budgets."""
        return (
            self.loss <= objective.loss_budget + EPSILON
            and self.cost <= objective.cost_budget + EPSILON
        )

    def tighten(self, objective: Objective) -> Objective:
        """Restrict an objective to plans that are better in the criterion that decides."""
        limit = step_below(self.first(objective))
        if objective.order[0] is Criterion.LOSS:
            return replace(objective, loss_budget=min(objective.loss_budget, limit))
        return replace(objective, cost_budget=min(objective.cost_budget, limit))


def make_plan(task: FlatTask, operators: tuple[int, ...], composition: Composition) -> FlatPlan:
    """Make a plan with the loss and cost that its operators have in a task, summed exactly."""
    losses = [float(task.loss[operator]) for operator in operators]
    maximum = composition is Composition.MAXIMUM
    return FlatPlan(
        operators,
        max(losses, default=0.0) if maximum else math.fsum(losses),
        math.fsum(float(task.cost[operator]) for operator in operators),
    )


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The state of a search."""

    outcome: SearchOutcome
    best: FlatPlan | None
    # lower bound of the first criterion of every plan not found yet (infinite if there is none
    # left)
    bound: float
    expanded: int
    generated: int  # successors made so far
    stored: int  # labels kept now


TAKEN, MADE, LAZY = 0, 1, 2
"""The moment when a state is evaluated: when a label of it is taken (and queued again if its key
got worse), when it is made, or when it is taken, but queued once with its parent's estimates. With
estimates that are dear and not admissible, nothing is queued again: most evaluations would only say
so."""
SEEN, LEXICOGRAPHIC, PARETO = 0, 1, 2
"""The labels of a state that a label dominates: all of them, those that are no better in the order
of the criteria, or those that are no better in either criterion."""
NEVER, BY_KEY, AT_ONCE = 0, 1, 2
"""The moment when a search stops with a plan: when no label is left, when no waiting label precedes
the plan, or as soon as there is a plan."""
LEAST_PRICE = 20
"""An evaluation in a small task takes as long as making this many successors."""
ACTIONS = 4
"""An evaluation takes one successor longer for each ACTIONS actions of the relaxation."""
ADMISSIBLE = frozenset({Heuristic.BLIND, Heuristic.MAX, Heuristic.LM_CUT})
"""Heuristics that are lower bounds."""


class SearchRole(Enum):
    """The purpose of a search in a portfolio."""

    PROOF = "proof"
    """The best plan, and the proof that it is."""
    BEAM = "beam"
    """A much better plan than the best one so far: costs that are paid late, and mostly not at all,
    leave a best-first search in the beginning of all plans."""
    KEEP = "keep"
    """A better plan by keeping one more preference at a time."""
    ANY = "any"
    """Any plan at all."""
    AGAIN = "again"
    """Any plan, from the start again in each turn, with successors in another order."""
    NONE = "none"
    """Expanding all states without estimates: the soonest proof that there is no plan."""


def choose_options(role: SearchRole, objective: Objective, options: SearchOptions) -> SearchOptions:
    """Choose algorithm and heuristics for a role.

    Args:
        objective: of the portfolio. A loss budget asks for a lower bound of the loss.
    """
    if role is SearchRole.PROOF:
        return _choose_proof_options(objective, options)
    if role in (SearchRole.ANY, SearchRole.KEEP):
        return replace(
            options,
            algorithm=Algorithm.LAZY_GREEDY,
            heuristic=Heuristic.LANDMARK_COUNT,
            tie_heuristic=Heuristic.FF,
        )
    if role is SearchRole.AGAIN:
        return replace(
            options,
            algorithm=Algorithm.LAZY_GREEDY,
            heuristic=Heuristic.FF,
            tie_heuristic=Heuristic.BLIND,
        )
    if role is SearchRole.NONE:
        return replace(
            options,
            algorithm=Algorithm.ASTAR,
            heuristic=Heuristic.BLIND,
            tie_heuristic=Heuristic.BLIND,
        )
    return replace(options, algorithm=Algorithm.BEAM, heuristic=Heuristic.FF)


def _choose_proof_options(objective: Objective, options: SearchOptions) -> SearchOptions:
    options = replace(options, algorithm=Algorithm.ASTAR)
    if options.heuristic not in ADMISSIBLE:
        options = replace(options, heuristic=Heuristic.LM_CUT)
    if objective.order[0] is Criterion.COST:
        options = replace(options, tie_heuristic=Heuristic.LM_CUT, tie_weight=1.0)
    return options


class Settings(NamedTuple):
    """The settings of a kernel; the criteria are first and second, in units of their grids.

    Attributes:
        first, second: weight of each operator in each criterion, float64[m].
        first_maximum, second_maximum: True if the largest weight counts instead of the sum.
        first_budget, second_budget: the most that a label may have; may be infinite.
        first_code, second_code: number of the heuristic; blind ones are not evaluated.
        first_weight, second_weight: factors of the heuristics in the key.
        first_admissible, second_admissible: True if they are lower bounds.
    """

    first: Floats
    second: Floats
    first_maximum: bool
    second_maximum: bool
    first_budget: float
    second_budget: float
    first_code: int
    second_code: int
    first_weight: float
    second_weight: float
    first_admissible: bool
    second_admissible: bool
    evaluation: int
    dominance: int  # SEEN, LEXICOGRAPHIC or PARETO
    stop: int  # NEVER, BY_KEY or AT_ONCE
    greedy: bool  # True if the key is the heuristic alone; the first criterion breaks ties
    width: int  # labels of each layer that a beam search expands; 0 in other searches
    fractions: float  # of a unit of the first criterion, for steps; see `objective.Grid`
    haste: float  # weight in the key of a beam search of each step to go, beyond that fraction
    # number of queues. In A* there is 1; in a beam search there are 2, for the layer at hand and
    # the next one. A greedy search has one for each heuristic, and with `helps` behind each of them
    # another one for the successors by helpful actions.
    queues: int
    # the heuristic that names helpful actions: 1, 2, or 0 for none. Outside greedy searches,
    # successors by other actions are not thought to be nearer to the goal.
    helps: int
    # of each resource: 1 more is never worse, -1 less is never worse, 0 it can never be short, 2
    # both matter; int32[R]
    direction: Ints
    counting: bool  # True if resources decide between labels
    price: int  # work of an evaluation, where making a successor is 1
    seed: int  # 0, or a number by which successors are made in another order


def derive_settings(
    objective: Objective,
    options: SearchOptions,
    first: Grid,
    second: Grid,
    direction: Ints,
    actions: int,
) -> Settings:
    """Derive the settings of one search, as long as resources do not count."""
    settings = _make_plain_settings(options, first, second, direction, actions)
    if options.algorithm is Algorithm.LAZY_GREEDY:
        return _make_greedy(settings, options)
    if options.algorithm is Algorithm.BEAM:
        return settings._replace(evaluation=MADE, stop=NEVER, width=1, queues=2)
    if options.algorithm not in (Algorithm.ASTAR, Algorithm.WEIGHTED_ASTAR):
        raise ValueError(f"{options.algorithm.value} is not a best-first search")
    weight = 1.0 if options.algorithm is Algorithm.ASTAR else max(1.0, float(options.weight))
    ff = HeuristicCode.FF
    helps = 2 if settings.second_code == ff else int(settings.first_code == ff)
    lazy = options.algorithm is not Algorithm.ASTAR and settings.first_code == ff
    return settings._replace(first_weight=weight, helps=helps, evaluation=LAZY if lazy else TAKEN)


def _make_plain_settings(
    options: SearchOptions, first: Grid, second: Grid, direction: Ints, actions: int
) -> Settings:
    """Make the settings of A* with weight 1."""
    return Settings(
        first=first.weight,
        second=second.weight,
        first_maximum=first.maximum,
        second_maximum=second.maximum,
        first_budget=first.budget,
        second_budget=second.budget,
        first_code=_choose_code(options.heuristic, first),
        second_code=_choose_code(options.tie_heuristic, second),
        first_weight=1.0,
        second_weight=float(options.tie_weight),
        first_admissible=_is_admissible(options.heuristic, first),
        second_admissible=_is_admissible(options.tie_heuristic, second),
        evaluation=TAKEN,
        dominance=_choose_dominance(first, second),
        stop=BY_KEY,
        greedy=False,
        width=0,
        fractions=first.fractions,
        haste=0.0,
        queues=1,
        helps=0,
        direction=direction,
        counting=False,
        price=LEAST_PRICE + actions // ACTIONS,
        seed=options.seed,
    )


def _choose_code(heuristic: Heuristic, criterion: Grid) -> int:
    """Choose the number of a heuristic for a criterion.

    If the largest weight counts, only the bottleneck bound says anything; if all weights are 0, the
    blind one says everything.
    """
    if heuristic is Heuristic.BLIND or not criterion.weight.any():
        return int(HeuristicCode.BLIND)
    return int(HeuristicCode.MAX if criterion.maximum else _to_code(heuristic))


def _is_admissible(heuristic: Heuristic, criterion: Grid) -> bool:
    return heuristic in ADMISSIBLE or criterion.maximum or not criterion.weight.any()


def _make_greedy(settings: Settings, options: SearchOptions) -> Settings:
    """Make settings greedy: one heuristic, or the landmark count in turns with the second one."""
    codes = [_to_code(options.heuristic), HeuristicCode.BLIND]
    if options.heuristic is Heuristic.LANDMARK_COUNT is not options.tie_heuristic:
        codes[1] = _to_code(options.tie_heuristic)
    helps = codes.index(HeuristicCode.FF) + 1 if HeuristicCode.FF in codes else 0
    unlimited = _is_unlimited(settings.first_budget, settings.first) and _is_unlimited(
        settings.second_budget, settings.second
    )
    return settings._replace(
        first_code=int(codes[0]),
        second_code=int(codes[1]),
        first_admissible=False,
        second_admissible=False,
        evaluation=LAZY,
        dominance=SEEN if unlimited else PARETO,
        stop=AT_ONCE,
        greedy=True,
        queues=(2 if helps else 1) * (1 if codes[1] is HeuristicCode.BLIND else 2),
        helps=helps,
    )


def _to_code(heuristic: Heuristic) -> HeuristicCode:
    return HeuristicCode(list(Heuristic).index(heuristic))


def _choose_dominance(first: Grid, second: Grid) -> int:
    """Choose the comparison of labels: the order of the criteria, unless the worse label can win.

    It can if a budget limits the second criterion (the better label may exceed it later), and if
    the first one is a maximum (what is still to come may make both equal). A budget of a maximum
    limits no label: operators beyond it are never applicable.
    """
    limited = not (second.maximum or _is_unlimited(second.budget, second.weight))
    return PARETO if first.maximum or limited else LEXICOGRAPHIC


def _is_unlimited(budget: float, weight: Floats) -> bool:
    """Return True if a budget decides between no labels: all of them have the same value."""
    return math.isinf(budget) or not weight.any()
