# SPDX-License-Identifier: Apache-2.0
"""The stages of a flat task's goal, read off its operators.

The one goal variable is moved by operators that change nothing else: first by a finish, then from
stage to stage (see encoding/encode.py). What is paid for there depends only on the last state of
the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fcp_ros.planning.flat.semantics import is_applicable
from fcp_ros.planning.flat.task import FlatTask, read_row


@dataclass(frozen=True, slots=True)
class Needs:
    """A condition on the world."""

    equal: Mapping[int, int]
    unequal: frozenset[tuple[int, int]]

    @property
    def variables(self) -> set[int]:
        """The variables that it is about."""
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
        """All operators on the goal variable."""
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
        """Find the stage that an operator leads to."""
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
