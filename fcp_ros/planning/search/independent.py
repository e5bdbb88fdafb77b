# SPDX-License-Identifier: Apache-2.0
"""Preferences that have nothing to do with one another are decided one by one.

Variables that no operator and no stage of the goal connects are *components*. What a plan does in
one of them changes nothing in the others, and costs and losses add up, so the best plan is one best
plan for each component, one after the other. A search for all of them at once goes through the
product of their states; here it is their sum. (Factoring as in Brafman and Domshlak, Factored
planning: how, when, and when not, AAAI 2006, in its simplest case.)

    world:   A o--o--o      B o--o       C o--o--o--o        each searched by itself
             |              |            |
    goal:    stage 1        stage 3      stages 2 and 4      settled after the last step
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import (
    Assignment,
    Body,
    FlatBlock,
    FlatEffect,
    GoalStages,
    Needs,
    all_hold,
    none_holds,
    read_body,
)
from fcp_ros.planning.flat.task import FlatTask, has_axioms

MOST_STATES = 2_000
"""States of a component that are looked at, at most: 10 us each."""
GRAIN = 1e-9
"""Costs and losses are counted in multiples of this, so that equal sums are equal."""
DEAREST = 1e9
"""What costs or loses more counts as this much."""

Price = tuple[int, int]
"""Cost and loss, or the other way round; the first one decides."""
NOTHING: Price = (0, 0)
_State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SettledApart:
    """A plan made of plans for the components."""

    operators: tuple[int, ...]  # in the world; the goal is still to be settled
    is_best: bool


def settle_apart(
    task: FlatTask,
    stages: GoalStages,
    composition: Composition,
    cost_first: bool,
    check: Check,
) -> SettledApart | None:
    """Find the best plan of a task whose goal falls into components.

    Returns:
        the plan; None if there are no two components, if resources, windows or axioms connect what
        operators don't, or if a component has no plan that was found.
    """
    if (
        len(task.amount)
        or has_axioms(task)
        or (composition is Composition.MAXIMUM and bool(task.loss.any()))
    ):
        return None
    layers = _list_layers(stages)
    if layers is None:
        return None
    reader = _Reader(task, stages, cost_first)
    component_of = _join_variables(reader, layers, check)
    goals: dict[int, list[_Layer]] = {}
    for layer in layers:
        for variable in sorted(layer.variables)[:1]:
            goals.setdefault(component_of(variable), []).append(layer)
    if len(goals) < 2:
        return None
    operators: dict[int, list[int]] = {component: [] for component in goals}
    for number, variables in reader.variables.items():
        for variable in sorted(variables)[:1]:
            operators.get(component_of(variable), []).append(number)
    found: list[int] = []
    is_best = True
    for component, wanted in goals.items():
        search = _ComponentSearch(reader, operators[component], wanted, check)
        plan = search.run()
        if plan is None:
            return None
        found += plan
        is_best = is_best and search.is_exhaustive
    return SettledApart(tuple(found), is_best)


# --- the stages of the goal


@dataclass(frozen=True, slots=True)
class _Layer:
    """The moves from one stage to the next, of which a plan takes one."""

    moves: tuple[tuple[int, Needs], ...]
    variables: frozenset[int]


def _list_layers(stages: GoalStages) -> list[_Layer] | None:
    """List the layers of a goal whose stages are a chain; None for others."""
    layers, now = [], 0
    while now != stages.last:
        moves = stages.moves.get(now, ())
        targets = {stages.find_target(move) for move in moves}
        if len(targets) != 1:
            return None
        (now,) = targets
        needs = tuple((move, stages.find_needs(move)) for move in moves)
        variables = frozenset(variable for _, need in needs for variable in need.variables)
        layers.append(_Layer(needs, variables))
    return layers


# --- components


class _Reader:
    """The operators of the world as Python values."""

    def __init__(self, task: FlatTask, stages: GoalStages, cost_first: bool) -> None:
        self.initial: Sequence[int] = task.initial.tolist()
        self.world = {
            o: read_body(task, o) for o in range(len(task.loss)) if o not in stages.operators
        }
        self.variables = {o: body.variables - {stages.variable} for o, body in self.world.items()}
        order = (task.cost, task.loss) if cost_first else (task.loss, task.cost)
        self._prices = [np.rint(np.minimum(values, DEAREST) / GRAIN).tolist() for values in order]

    def price(self, operator: int) -> Price:
        return int(self._prices[0][operator]), int(self._prices[1][operator])


def _join_variables(
    reader: _Reader, layers: Iterable[_Layer], check: Check
) -> Callable[[int], int]:
    """Join the variables that an operator or a layer connects; return the finder of components."""
    parent = list(range(len(reader.initial)))

    def find(variable: int) -> int:
        while parent[variable] != variable:
            parent[variable] = variable = parent[parent[variable]]
        return variable

    def join(variables: Iterable[int]) -> None:
        first, *others = [*variables] or [0]
        for other in others:
            parent[find(other)] = find(first)

    for variables in reader.variables.values():
        check()
        join(variables)
    for layer in layers:
        join(layer.variables)
    return find


class _ComponentSearch:
    """Uniform-cost search in one component for the state from which the goal is cheapest."""

    def __init__(
        self,
        reader: _Reader,
        operators: Sequence[int],
        layers: Sequence[_Layer],
        check: Check,
    ) -> None:
        named = {variable for number in operators for variable in reader.variables[number]}
        named.update(variable for layer in layers for variable in layer.variables)
        place = {variable: at for at, variable in enumerate(sorted(named))}
        self._initial = tuple([reader.initial[variable] for variable in sorted(named)])
        self._operators = [
            (number, reader.price(number), _move(reader.world[number], place))
            for number in operators
        ]
        self._layers = [
            [
                (
                    reader.price(move),
                    tuple((place[variable], value) for variable, value in needs.equal.items()),
                    tuple((place[variable], value) for variable, value in sorted(needs.unequal)),
                )
                for move, needs in layer.moves
            ]
            for layer in layers
        ]
        # No state settles its layers for less.
        self._least = _add(*(min(price for price, _, _ in layer) for layer in self._layers))
        self._check = check
        self.is_exhaustive = False

    def run(self) -> list[int] | None:
        """Return the operators to the best state that was found; None if none settles the goal."""
        reached_by: dict[_State, tuple[_State, int] | None] = {self._initial: None}
        prices = {self._initial: NOTHING}
        queue = [(NOTHING, 0, self._initial)]
        best: tuple[Price, _State] | None = None
        closed: set[_State] = set()
        while queue:
            self._check()
            paid, _, state = heapq.heappop(queue)
            if state in closed:
                continue
            if best is not None and _add(paid, self._least) >= best[0]:
                break
            if len(closed) >= MOST_STATES:
                return _trace(best, reached_by)
            closed.add(state)
            settled = self._settle(state)
            if settled is not None and (best is None or _add(paid, settled) < best[0]):
                best = _add(paid, settled), state
            for number, price, body in self._operators:
                after = body.apply(state)
                if after is None or after in closed:
                    continue
                total = _add(paid, price)
                if after not in prices or total < prices[after]:
                    prices[after] = total
                    reached_by[after] = state, number
                    heapq.heappush(queue, (total, len(prices), after))
        self.is_exhaustive = True
        return _trace(best, reached_by)

    def _settle(self, state: _State) -> Price | None:
        """Return the price of settling the layers in a state; None if one can't be."""
        total = NOTHING
        for layer in self._layers:
            found = [
                price
                for price, equal, unequal in layer
                if all_hold(equal, state) and none_holds(unequal, state)
            ]
            if not found:
                return None
            total = _add(total, min(found))
        return total


def _move(body: Body, place: Mapping[int, int]) -> Body:
    """Move a body to the states of a component; a variable without a place is the goal."""

    def move(assignments: Iterable[Assignment]) -> tuple[Assignment, ...]:
        return tuple((place[name], value) for name, value in assignments if name in place)

    return Body(
        move(body.pre),
        move(body.unequal),
        tuple(
            FlatEffect(place[one.variable], one.value, move(one.equal), move(one.unequal))
            for one in body.effects
        ),
        tuple(FlatBlock(move(block.rest), move(block.done)) for block in body.blocks),
    )


def _add(*prices: Price) -> Price:
    return sum(price[0] for price in prices), sum(price[1] for price in prices)


def _trace(
    best: tuple[Price, _State] | None, reached_by: Mapping[_State, tuple[_State, int] | None]
) -> list[int] | None:
    if best is None:
        return None
    found: list[int] = []
    step = reached_by[best[1]]
    while step is not None:
        found.append(step[1])
        step = reached_by[step[0]]
    return found[::-1]
