# SPDX-License-Identifier: Apache-2.0
"""Which judgements are worth asking for next: those of the plan at hand and of its rivals.

An operator's *siblings* are the operators that share an effect with it: other ways to reach the
same thing, among them all other choices for the goal's variables (every finish operator sets the
goal). A rival is a sibling that could still be better than the best judged plan; those that look
best are judged together with the plan at hand, in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask, Floats
from fcp_ros.planning.model.memberships import GradedAtom

FIRST_BATCH = 8
"""Rivals that are judged with the first plan; each round doubles the number ..."""
LARGEST_BATCH = 64
"""... up to this."""


def rivals_in_round(number: int) -> int:
    """How many rivals are judged together with the plan of a round (1 is the first)."""
    return min(LARGEST_BATCH, FIRST_BATCH << min(number - 1, 10))


class Siblings:
    """The operators that share an effect, looked up by operator.

    Arguments:
        task: the flat task; its losses are not read.
    """

    def __init__(self, task: FlatTask) -> None:
        self._task = task
        self._by_effect: dict[tuple[int, int], list[int]] = {}
        for operator in range(len(task.loss)):
            for effect in self._effects(operator):
                self._by_effect.setdefault(effect, []).append(operator)

    def of(self, operators: Iterable[int]) -> Iterator[int]:
        """All siblings of some operators, each once; the operators themselves are left out."""
        given = set(operators)
        seen = set(given)
        for operator in sorted(given):
            for effect in self._effects(operator):
                for sibling in self._by_effect[effect]:
                    if sibling not in seen:
                        seen.add(sibling)
                        yield sibling

    def _effects(self, operator: int) -> Iterator[tuple[int, int]]:
        task = self._task
        for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
            yield int(task.eff_var[effect]), int(task.eff_val[effect])


def rivals(
    siblings: Iterable[int],
    bounds: Floats,
    distances: Floats,
    best: float,
    unknown: Callable[[int], Sequence[GradedAtom]],
    count: int,
) -> Iterator[GradedAtom]:
    """The unknown atoms of the most promising siblings.

    Arguments:
        siblings: operators.
        bounds: least loss of a plan with each operator, float64[m].
        distances: least cost to reach each operator, float64[m]; decides among equals.
        best: loss of the best judged plan; siblings that can't be better are left out.
        unknown: the atoms of an operator that are not judged yet.
        count: that many siblings at most.
    """
    open_ = [o for o in siblings if bounds[o] < best - EPSILON and unknown(o)]
    open_.sort(key=lambda o: (bounds[o], distances[o], o))
    for operator in open_[:count]:
        yield from unknown(operator)
