# SPDX-License-Identifier: Apache-2.0
"""The stages of a flat task's goal, read off its operators.

The one goal variable is moved by operators that change nothing else: first by a finish, then from
stage to stage (see encoding/encode.py). What is paid for there depends only on the last state of
the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fcp_ros.planning.flat.semantics import FlatState, is_applicable
from fcp_ros.planning.flat.task import FlatTask


@dataclass(frozen=True)
class GoalStages:
    """The operators on the goal variable.

    Attributes:
        task: the task.
        variable: the goal variable.
        last: the stage in which the goal is reached.
        moves: stage -> the operators that lead on from it; stage 0 is left by finishes.
    """

    task: FlatTask
    variable: int
    last: int
    moves: Mapping[int, tuple[int, ...]]

    def find_best_way(
        self, state: FlatState, price: Callable[[int], float]
    ) -> tuple[int, ...] | None:
        """Find the cheapest operators that lead from a state of the world to the goal.

        Args:
            state: a state in stage 0.
            price: of each operator; the prices of a way add up.

        Returns:
            The operators; None if the goal can't be reached without a step in the world.
        """
        ways: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
        at = list(state)
        for stage in sorted(self.moves):  # an operator leads to a later stage
            if stage not in ways:
                continue
            paid, way = ways[stage]
            at[self.variable] = stage
            for operator in self.moves[stage]:
                if not is_applicable(self.task, tuple(at), operator):
                    continue
                target, total = self.find_target(operator), paid + price(operator)
                if target not in ways or total < ways[target][0]:
                    ways[target] = (total, (*way, operator))
        return ways[self.last][1] if self.last in ways else None

    def find_target(self, operator: int) -> int:
        """Find the stage that an operator leads to."""
        return int(self.task.eff_val[self.task.eff_start[operator]])

    def find_conditions(self, operator: int) -> dict[int, int] | None:
        """Find what an operator asks of the world, as values of variables.

        Returns:
            variable -> value; None if it also excludes values, and more than one is left.
        """
        task = self.task
        found: dict[int, int] = {}
        for k in range(task.pre_start[operator], task.pre_start[operator + 1]):
            found[int(task.pre_var[k])] = int(task.pre_val[k])
        for k in range(task.not_start[operator], task.not_start[operator + 1]):
            variable, value = int(task.not_var[k]), int(task.not_val[k])
            if task.domain[variable] != 2:
                return None
            found[variable] = 1 - value
        found.pop(self.variable, None)
        return found


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
