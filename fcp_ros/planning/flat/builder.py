# SPDX-License-Identifier: Apache-2.0
"""Building a flat task from operators as values, with checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fcp_ros.planning.flat.axioms import FlatAxiom, pack_axioms
from fcp_ros.planning.flat.semantics import derive
from fcp_ros.planning.flat.task import FlatTask, Ints

Assignment = tuple[int, int]
"""A variable and one of its values."""


@dataclass(frozen=True, slots=True)
class FlatEffect:
    """variable := value, if all of `equal` hold and none of `unequal` does."""

    variable: int
    value: int
    equal: tuple[Assignment, ...] = ()
    unequal: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True)
class FlatBlock:
    """Not applicable if all of `rest` hold and not all of `done` do."""

    rest: tuple[Assignment, ...]
    done: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class FlatOperator:
    """An operator as a value; see `FlatTask` for the meaning of its parts."""

    pre: tuple[Assignment, ...] = ()
    unequal: tuple[Assignment, ...] = ()
    effects: tuple[FlatEffect, ...] = ()
    blocks: tuple[FlatBlock, ...] = ()
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


@dataclass
class FlatBuilder:
    """A task under construction.

    Attributes:
        clock: number of the resource that counts time, or -1.
        axioms: on variables with two values; their initial values are computed.
    """

    domain: Sequence[int]
    initial: Sequence[int]
    goal: Sequence[Assignment] = ()
    operators: list[FlatOperator] = field(default_factory=list)
    resources: Sequence[FlatResource] = ()
    clock: int = -1
    axioms: Sequence[FlatAxiom] = ()

    def build(self) -> FlatTask:
        """Build the task as arrays."""
        self._check()
        operators = self.operators
        effects = [effect for operator in operators for effect in operator.effects]
        blocks = [block for operator in operators for block in operator.blocks]
        conditions = [(*e.equal, *e.unequal) for e in effects]
        negative = [n for e in effects for n in (*(0 for _ in e.equal), *(1 for _ in e.unequal))]
        task = FlatTask(
            _ints(self.domain),
            _ints(self.initial),
            *_split(self.goal),
            *_table([o.pre for o in operators]),
            *_table([o.unequal for o in operators]),
            *_table([[(e.variable, e.value) for e in o.effects] for o in operators]),
            *_table(conditions),
            np.array(negative, np.uint8),
            _starts([len(o.blocks) for o in operators]),
            *_table([block.rest for block in blocks]),
            *_table([block.done for block in blocks]),
            np.array([o.loss for o in operators], np.float64),
            np.array([o.cost for o in operators], np.float64),
            np.array([o.use for o in operators], np.float64).reshape(
                len(operators), len(self.resources)
            ),
            np.array([r.amount for r in self.resources], np.float64),
            np.array([r.low for r in self.resources], np.float64),
            np.array([r.high for r in self.resources], np.float64),
            self.clock,
            np.array([o.opens for o in operators], np.float64),
            np.array([o.closes for o in operators], np.float64),
            pack_axioms(self.axioms, len(self.domain)),
        )
        return task._replace(initial=_ints(derive(task, list(self.initial))))

    def _check(self) -> None:
        self._within(enumerate(self.initial), "the initial state")
        if len(self.initial) != len(self.domain):
            raise ValueError(
                f"{len(self.domain)} variables have {len(self.initial)} initial values: "
                "give one for each"
            )
        self._within(self.goal, "the goal")
        if not -1 <= self.clock < len(self.resources):
            raise ValueError(f"the clock is resource {self.clock}: give -1 or one of the resources")
        for number, operator in enumerate(self.operators):
            where = f"operator {number}"
            self._within((*operator.pre, *operator.unequal), where)
            for effect in operator.effects:
                self._within(
                    ((effect.variable, effect.value), *effect.equal, *effect.unequal), where
                )
            for block in operator.blocks:
                self._within((*block.rest, *block.done), where)
                if not block.done:
                    raise ValueError(f"{where} has a block that completes nothing: leave it out")
            for name, value in (("loss", operator.loss), ("cost", operator.cost)):
                if not (math.isfinite(value) and value >= 0.0):
                    raise ValueError(f"{where} has {name} {value!r}: give a finite number >= 0")
            if len(operator.use) != len(self.resources):
                raise ValueError(
                    f"{where} uses {len(operator.use)} of {len(self.resources)} resources: "
                    "give a number for each"
                )

    def _within(self, assignments: Iterable[Assignment], where: str) -> None:
        for variable, value in assignments:
            if not 0 <= variable < len(self.domain):
                raise ValueError(f"{where} speaks of variable {variable}, which does not exist")
            if not 0 <= value < self.domain[variable]:
                raise ValueError(
                    f"{where} gives variable {variable} the value {value}; "
                    f"it has {self.domain[variable]}"
                )


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, np.int32)


def _split(assignments: Sequence[Assignment]) -> tuple[Ints, Ints]:
    return _ints([var for var, _ in assignments]), _ints([val for _, val in assignments])


def _starts(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))]).astype(np.int32)


def _table(rows: Sequence[Sequence[Assignment]]) -> tuple[Ints, Ints, Ints]:
    flat = [assignment for row in rows for assignment in row]
    return (_starts([len(row) for row in rows]), *_split(flat))
