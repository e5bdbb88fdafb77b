# SPDX-License-Identifier: Apache-2.0
"""Sequences of operators on the whole task: do they work, what are they worth, what is superfluous.

Plain sets and no cleverness: what the search found in a local task is checked here once more before
anything else is done with it (the verifier then replays it on the C-set).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.forward.local_task import Resources


@dataclass(frozen=True, slots=True)
class Solution:
    """A sequence of operators that fulfils the goal.

    Attributes:
        operators: their numbers in the task.
        membership: composition of the degrees of the operators and of the goal.
        alternative: the best alternative that holds in the end.
        resources: what is left of each resource.
    """

    operators: tuple[int, ...]
    membership: float
    alternative: Alternative
    resources: Resources


class Replay:
    """Replays sequences of operators on the whole task.

    Arguments:
        task: the task.
        conditions: its negative conditions.
        degrees: degree of each operator that may be replayed.
        tnorm: how degrees compose.
        resources: what there is of each resource at first.
    """

    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        degrees: Sequence[float],
        tnorm: TNorm,
        resources: Resources,
    ) -> None:
        self._task = task
        self._conditions = conditions
        self._degrees = degrees
        self._tnorm = tnorm
        self._resources = resources

    def solution(
        self, operators: Sequence[int], alternatives: Sequence[Alternative]
    ) -> Solution | None:
        """What a sequence is worth; None if it does not work or fulfils no alternative.

        Arguments:
            operators: numbers in the task.
            alternatives: the goal's alternatives, best degree first.
        """
        state, resources = self._task.initial, self._resources
        for index in operators:
            step = self.successor(index, state, resources)
            if step is None:
                return None
            state, resources = step
        reached = next((a for a in alternatives if a.holds(state)), None)
        if reached is None:
            return None
        degrees = [self._degrees[index] for index in operators]
        membership = self._tnorm.compose_all([*degrees, reached.degree])
        return Solution(tuple(operators), membership, reached, resources)

    def tightened(self, solution: Solution, alternatives: Sequence[Alternative]) -> Solution:
        """Without steps that can be left out at no loss.

        Action elimination: each step in turn is left out together with all later ones that then
        can't be applied; where the goal is still fulfilled as well, they stay out.
        """
        position = 0
        while position < len(solution.operators):
            shorter = self._without(solution, position, alternatives)
            if shorter is None:
                position += 1
            else:
                solution = shorter
        return solution

    def _without(
        self, solution: Solution, position: int, alternatives: Sequence[Alternative]
    ) -> Solution | None:
        kept: list[int] = []
        state, resources = self._task.initial, self._resources
        for number, index in enumerate(solution.operators):
            step = None if number == position else self.successor(index, state, resources)
            if step is not None:
                kept.append(index)
                state, resources = step
            elif number < position:
                return None
        shorter = self.solution(kept, alternatives)
        if shorter is None or shorter.membership < solution.membership - EPSILON:
            return None
        return shorter

    def successor(
        self, index: int, state: frozenset[int], resources: Resources
    ) -> tuple[frozenset[int], Resources] | None:
        """State and resources after an operator; None if it is not applicable.

        Arguments:
            index: number of the operator in the task.
            state: facts that hold.
            resources: what there is of each resource.
        """
        operator = self._task.operators[index]
        absences = self._conditions.absences(index)
        if absences is None or not state.issuperset(operator.pre):
            return None
        if not all(absence.holds(state) for absence in absences):
            return None
        for block in self._conditions.blocks(index):
            if state.issuperset(block.rest) and not state.issuperset(block.completes):
                return None
        left = []
        for value, resource in zip(resources, self._task.resources, strict=True):
            use = operator.rule.uses.get(resource.name, 0.0)
            if use != 0.0:
                value -= use
                if not resource.minimum - EPSILON <= value <= resource.maximum + EPSILON:
                    return None
            left.append(value)
        return (state - frozenset(operator.delete)) | frozenset(operator.add), tuple(left)
