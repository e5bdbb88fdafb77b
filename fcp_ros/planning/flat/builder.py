# SPDX-License-Identifier: Apache-2.0
"""Build a flat task, with the stages of its goal.

The one goal variable is moved by operators that change nothing else: first by a finish, then from
stage to stage (see encoding/encode.py). What is paid for there depends only on the last state of
the world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from fcp_ros.planning.flat.semantics import (
    Amounts,
    FlatState,
    amounts_after,
    derive,
    initial_amounts,
    initial_state,
    is_applicable,
    is_goal,
)
from fcp_ros.planning.flat.task import (
    FlatAxiom,
    FlatTask,
    Ints,
    has_axioms,
    pack_axioms,
    read_row,
)

Situation = tuple[FlatState, Amounts]
"""The values of all variables, and the amounts of all resources."""

Assignment = tuple[int, int]
"""A variable and one of its values."""


@dataclass(frozen=True, slots=True)
class FlatEffect:
    """variable := value, if all of `equal` hold and none of `unequal` does."""

    variable: int
    value: int
    equal: tuple[Assignment, ...] = ()
    unequal: tuple[Assignment, ...] = ()

    @property
    def is_conditional(self) -> bool:
        """True if it does not always happen."""
        return bool(self.equal or self.unequal)


@dataclass(frozen=True, slots=True)
class FlatBlock:
    """Not applicable if all of `rest` hold and not all of `done` do."""

    rest: tuple[Assignment, ...]
    done: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """Conditions and effects of an operator; see `FlatTask` for the meaning of its parts."""

    pre: tuple[Assignment, ...] = ()
    unequal: tuple[Assignment, ...] = ()
    effects: tuple[FlatEffect, ...] = ()
    blocks: tuple[FlatBlock, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        """True if it leaves every state as it is."""
        return all((effect.variable, effect.value) in self.pre for effect in self.effects)

    @property
    def is_conditional(self) -> bool:
        return any(effect.is_conditional for effect in self.effects)

    @property
    def variables(self) -> set[int]:
        parts = [self.pre, self.unequal]
        for effect in self.effects:
            parts += [((effect.variable, effect.value),), effect.equal, effect.unequal]
        for block in self.blocks:
            parts += [block.rest, block.done]
        return {variable for part in parts for variable, _ in part}

    def is_applicable(self, state: FlatState) -> bool:
        for variable, value in self.pre:
            if state[variable] != value:
                return False
        for variable, value in self.unequal:
            if state[variable] == value:
                return False
        for block in self.blocks:
            if all_hold(block.rest, state) and not all_hold(block.done, state):
                return False
        return True

    def change(self, state: FlatState) -> FlatState:
        """Return the state after the effects, axioms aside."""
        after = list(state)
        for effect in self.effects:
            if not effect.is_conditional or (
                all_hold(effect.equal, state) and none_holds(effect.unequal, state)
            ):
                after[effect.variable] = effect.value
        return tuple(after)


@dataclass(frozen=True, slots=True)
class FlatOperator(Body):
    """An operator as a value; see `FlatTask` for the meaning of its parts."""

    loss: float = 0.0
    cost: float = 1.0
    use: tuple[float, ...] = ()
    opens: float = 0.0
    closes: float = math.inf


@dataclass(frozen=True, slots=True)
class FlatResource:
    """The initial amount of a resource, and its bounds."""

    amount: float
    low: float = -math.inf
    high: float = math.inf


def all_hold(assignments: Iterable[Assignment], state: Sequence[int]) -> bool:
    return all(state[variable] == value for variable, value in assignments)


def none_holds(assignments: Iterable[Assignment], state: Sequence[int]) -> bool:
    return all(state[variable] != value for variable, value in assignments)


def read_body(task: FlatTask, operator: int) -> Body:
    """Read the conditions and effects of an operator."""
    effects = []
    written = read_row(task.eff_start, task.eff_var, task.eff_val, operator)
    for number, (variable, value) in enumerate(written, int(task.eff_start[operator])):
        conditions = read_row(task.cond_start, task.cond_var, task.cond_val, number)
        if not conditions:
            effects.append(FlatEffect(variable, value))
            continue
        negative = task.cond_neg[task.cond_start[number] : task.cond_start[number + 1]].tolist()
        marked = [*zip(conditions, negative, strict=True)]
        equal = tuple(pair for pair, sign in marked if not sign)
        unequal = tuple(pair for pair, sign in marked if sign)
        effects.append(FlatEffect(variable, value, equal, unequal))
    return Body(
        read_row(task.pre_start, task.pre_var, task.pre_val, operator),
        read_row(task.not_start, task.not_var, task.not_val, operator),
        tuple(effects),
        tuple(
            FlatBlock(
                read_row(task.rest_start, task.rest_var, task.rest_val, block),
                read_row(task.done_start, task.done_var, task.done_val, block),
            )
            for block in range(task.block_start[operator], task.block_start[operator + 1])
        ),
    )


class Stepper:
    """Applies operators of one task; each is read once."""

    def __init__(self, task: FlatTask) -> None:
        self.task = task
        self.start: Situation = (initial_state(task), initial_amounts(task))
        self._bodies: dict[int, Body] = {}

    def read(self, operator: int) -> Body:
        body = self._bodies.get(operator)
        if body is None:
            body = self._bodies[operator] = read_body(self.task, operator)
        return body

    def is_applicable(self, now: Situation, operator: int) -> bool:
        state, amounts = now
        allowed = not amounts or amounts_after(self.task, amounts, operator) is not None
        return allowed and self.read(operator).is_applicable(state)

    def apply(self, now: Situation, operator: int) -> Situation | None:
        """Return what an operator leads to; None if it is not applicable."""
        (state, amounts), body = now, self.read(operator)
        if not body.is_applicable(state):
            return None
        left = amounts_after(self.task, amounts, operator) if amounts else amounts
        if left is None:
            return None
        after = body.change(state)
        return derive(self.task, after) if has_axioms(self.task) else after, left

    def run(self, operators: Iterable[int]) -> Situation:
        """Return what operators, each applicable after the other, lead to from the beginning."""
        now = self.start
        for operator in operators:
            after = self.apply(now, operator)
            assert after is not None, "the plan works"
            now = after
        return now

    def is_plan(self, operators: Iterable[int]) -> bool:
        """Return True if operators lead from the beginning to the goal."""
        now = self.start
        for operator in operators:
            after = self.apply(now, operator)
            if after is None:
                return False
            now = after
        return is_goal(self.task, now[0])


@dataclass
class FlatBuilder:
    """A task under construction."""

    domain: Sequence[int]
    initial: Sequence[int]
    goal: Sequence[Assignment] = ()
    operators: list[FlatOperator] = field(default_factory=list)
    resources: Sequence[FlatResource] = ()
    clock: int = -1  # number of the resource that counts time, or -1
    # on variables with two values; their initial values are computed
    axioms: Sequence[FlatAxiom] = ()

    def build(self) -> FlatTask:
        """Write the task as arrays, with what follows from its initial state."""
        task = self.write()
        return task._replace(initial=np.array(derive(task, self.initial), np.int32))

    def write(self) -> FlatTask:
        """Write the task as arrays; its initial state is the one given, derived values included."""
        operators, resources = self.operators, self.resources
        effects = [effect for operator in operators for effect in operator.effects]
        blocks = [block for operator in operators for block in operator.blocks]
        conditions: list[tuple[Assignment, ...]] = [()] * len(effects)
        negative: list[int] = []
        if any(operator.is_conditional for operator in operators):
            conditions = [(*e.equal, *e.unequal) for e in effects]
            negative = [n for e in effects for n in [0] * len(e.equal) + [1] * len(e.unequal)]
        return FlatTask(
            np.array(self.domain, np.int32),
            np.array(self.initial, np.int32),
            *_pairs(self.goal),
            *_table([o.pre for o in operators]),
            *_table([o.unequal for o in operators]),
            _starts([len(o.effects) for o in operators]),
            *_pairs([(effect.variable, effect.value) for effect in effects]),
            *_table(conditions),
            np.array(negative, np.uint8),
            _starts([len(o.blocks) for o in operators]),
            *_table([block.rest for block in blocks]),
            *_table([block.done for block in blocks]),
            np.array([o.loss for o in operators], np.float64),
            np.array([o.cost for o in operators], np.float64),
            np.array([o.use for o in operators], np.float64).reshape(
                len(operators), len(resources)
            ),
            np.array([r.amount for r in resources], np.float64),
            np.array([r.low for r in resources], np.float64),
            np.array([r.high for r in resources], np.float64),
            self.clock,
            np.array([o.opens for o in operators], np.float64),
            np.array([o.closes for o in operators], np.float64),
            pack_axioms(self.axioms, len(self.domain)),
        )


def _starts(lengths: Sequence[int]) -> Ints:
    starts = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(np.array(lengths, np.int32), out=starts[1:])
    return starts


def _pairs(assignments: Iterable[Assignment]) -> tuple[Ints, Ints]:
    both = np.array(list(chain.from_iterable(assignments)), np.int32).reshape(-1, 2)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


def _table(rows: Sequence[Sequence[Assignment]]) -> tuple[Ints, Ints, Ints]:
    return (_starts(list(map(len, rows))), *_pairs(chain.from_iterable(rows)))


@dataclass(frozen=True, slots=True)
class Needs:
    """A condition on the world."""

    equal: Mapping[int, int]
    unequal: frozenset[tuple[int, int]]

    @property
    def variables(self) -> set[int]:
        return {*self.equal, *(variable for variable, _ in self.unequal)}

    def excludes(self, other: Needs) -> bool:
        """Return True if the two can't be met at once."""
        return (
            any(other.equal.get(variable, value) != value for variable, value in self.equal.items())
            or not self.unequal.isdisjoint(other.equal.items())
            or not other.unequal.isdisjoint(self.equal.items())
        )


@dataclass(frozen=True)
class GoalStages:
    """The operators on the goal variable."""

    task: FlatTask
    variable: int
    last: int
    # stage -> the operators that lead on from it; stage 0 is left by finishes
    moves: Mapping[int, tuple[int, ...]]
    _needs: dict[int, Needs] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def operators(self) -> frozenset[int]:
        return frozenset(operator for moves in self.moves.values() for operator in moves)

    def find_best_way(
        self, state: Sequence[int], price: Callable[[int], tuple[float, float]]
    ) -> tuple[int, ...] | None:
        """Find the cheapest operators that lead from a state of the world to the goal."""
        ways: dict[int, tuple[tuple[float, float], int]] = {0: ((0.0, 0.0), -1)}
        at = list(state)
        for stage in sorted(self.moves):  # an operator leads to a later stage
            if stage not in ways:
                continue
            paid, _ = ways[stage]
            at[self.variable] = stage
            for operator in self.moves[stage]:
                if not is_applicable(self.task, at, operator):
                    continue
                target, (first, second) = self.find_target(operator), price(operator)
                total = (paid[0] + first, paid[1] + second)
                if target not in ways or total < ways[target][0]:
                    ways[target] = (total, operator)
        if self.last not in ways:
            return None
        found: list[int] = []
        stage = self.last
        while stage:
            found.append(ways[stage][1])
            stage = self._sources[found[-1]]
        return tuple(reversed(found))

    @cached_property
    def _sources(self) -> Mapping[int, int]:
        """The stage that each operator leads from."""
        return {operator: stage for stage, moves in self.moves.items() for operator in moves}

    def find_target(self, operator: int) -> int:
        return int(self.task.eff_val[self.task.eff_start[operator]])

    def find_needs(self, operator: int) -> Needs:
        """Find what an operator asks of the world."""
        if operator not in self._needs:
            self._needs[operator] = self._read_needs(operator)
        return self._needs[operator]

    def _read_needs(self, operator: int) -> Needs:
        task = self.task
        equal = dict(read_row(task.pre_start, task.pre_var, task.pre_val, operator))
        equal.pop(self.variable, None)
        unequal = read_row(task.not_start, task.not_var, task.not_val, operator)
        return Needs(equal, frozenset(unequal))


def find_goal_stages(task: FlatTask) -> GoalStages | None:
    """Find the stages of a task's goal; None if it has no more than a finish."""
    if len(task.goal_var) != 1 or int(task.goal_val[0]) <= 1:
        return None
    variable, last = int(task.goal_var[0]), int(task.goal_val[0])
    effects = np.flatnonzero(task.eff_var == variable)
    operators = np.searchsorted(task.eff_start, effects, side="right") - 1
    moves: dict[int, list[int]] = {}
    for operator in operators.tolist():
        first, end = task.pre_start[operator], task.pre_start[operator + 1]
        values = task.pre_val[first:end][task.pre_var[first:end] == variable]
        alone = task.eff_start[operator + 1] - task.eff_start[operator] == 1
        if len(values) != 1 or not alone:
            return None
        moves.setdefault(int(values[0]), []).append(operator)
    return GoalStages(task, variable, last, {stage: tuple(of) for stage, of in moves.items()})
