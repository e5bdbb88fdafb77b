# SPDX-License-Identifier: Apache-2.0
"""Heuristics on the delete relaxation: how many steps are left, and how much must still be lost.

`FastForward` estimates the number of steps (Hoffmann and Nebel, "The FF Planning System", 2001): a
relaxed plan along the cheapest supporters by hadd. It guides, and proves nothing.

`LandmarkCut` bounds the additive loss from below (Helmert and Domshlak, "Landmarks, Critical Paths
and Abstractions: What's the Difference Anyway?", 2009): every plan pays at least once for each
disjunctive landmark that it finds. `max_membership` is the bound for t-norms whose losses don't add
up: the best achiever of each atom, the worst of what it needs (hmax).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.forward.relaxed import RelaxedTask

INFINITY = float("inf")
LOSS_WEIGHT = 50.0
"""How many steps a detour may take in the relaxed plan to avoid a loss of 1."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What FF says about a state.

    Attributes:
        steps: steps of a relaxed plan; infinite where there is none.
        helpful: operators (numbers in the local task) of that plan that are possible at once.
    """

    steps: float
    helpful: frozenset[int]


DEAD_END = Estimate(INFINITY, frozenset())


class FastForward:
    """Relaxed plans.

    Arguments:
        relaxed: the relaxation.
        degrees: for each operator of the local task its degree in [0, 1].
    """

    def __init__(self, relaxed: RelaxedTask, degrees: Sequence[float]) -> None:
        self._relaxed = relaxed
        self._costs = [1.0 + LOSS_WEIGHT * (1.0 - degrees[o.operator]) for o in relaxed.operators]

    def estimate(self, state: int) -> Estimate:
        """Estimate the number of steps from a state of the local task to its goal."""
        relaxed = self._relaxed
        costs, supporters = self._explore(relaxed.atoms_of(state))
        if any(costs[atom] == INFINITY for atom in relaxed.goal):
            return DEAD_END
        chosen: set[int] = set()
        helpful: set[int] = set()
        seen: set[int] = set()
        stack = list(relaxed.goal)
        while stack:
            atom = stack.pop()
            supporter = supporters[atom]
            if atom in seen or supporter < 0:
                continue
            seen.add(atom)
            operator = relaxed.operators[supporter]
            chosen.add(operator.operator)
            stack.extend(operator.pre)
            if all(supporters[needed] < 0 for needed in operator.pre):
                helpful.add(operator.operator)
        return Estimate(float(len(chosen)), frozenset(helpful))

    def _explore(self, start: Sequence[int]) -> tuple[list[float], list[int]]:
        """hadd: for each atom its cost and the relaxed operator that achieves it (-1: none)."""
        relaxed = self._relaxed
        operators, consumers = relaxed.operators, relaxed.consumers
        costs = [INFINITY] * relaxed.size
        supporters = [-1] * relaxed.size
        totals = self._costs.copy()
        needed = relaxed.needed.copy()
        queue: list[tuple[float, int]] = []
        for atom in start:
            costs[atom] = 0.0
            queue.append((0.0, atom))
        for index in relaxed.unconditional:
            self._achieve(index, totals[index], costs, supporters, queue)
        heapq.heapify(queue)
        while queue:
            cost, atom = heapq.heappop(queue)
            if cost > costs[atom]:
                continue
            for index in consumers[atom]:
                totals[index] += cost
                needed[index] -= 1
                if not needed[index]:
                    total = totals[index]
                    for added in operators[index].add:
                        if total < costs[added]:
                            costs[added] = total
                            supporters[added] = index
                            heapq.heappush(queue, (total, added))
        return costs, supporters

    def _achieve(
        self,
        index: int,
        total: float,
        costs: list[float],
        supporters: list[int],
        queue: list[tuple[float, int]],
    ) -> None:
        for added in self._relaxed.operators[index].add:
            if total < costs[added]:
                costs[added] = total
                supporters[added] = index
                queue.append((total, added))


class LandmarkCut:
    """A lower bound of the sum of costs that any plan must pay.

    Arguments:
        relaxed: the relaxation.
        costs: for each operator of the local task its cost >= 0.
    """

    def __init__(self, relaxed: RelaxedTask, costs: Sequence[float]) -> None:
        self._relaxed = relaxed
        self._costs = [costs[operator.operator] for operator in relaxed.operators]
        self._free = not any(self._costs)

    def bound(self, state: int) -> float:
        """The bound at a state of the local task; infinite where the goal is out of reach."""
        if self._free:
            return 0.0
        start = self._relaxed.atoms_of(state)
        costs = self._costs.copy()
        total = 0.0
        while True:
            value, supporters, reached = self._hmax(start, costs)
            if value == INFINITY:
                return INFINITY
            if value <= 1e-12:
                return total
            cut = self._cut(start, costs, supporters, reached)
            if not cut:  # only rounding errors are left
                return total
            least = min(costs[index] for index in cut)
            total += least
            for index in cut:
                costs[index] -= least

    def _hmax(
        self, start: Sequence[int], costs: list[float]
    ) -> tuple[float, list[int], list[float]]:
        """hmax of the goal; for each operator the atom it waits for longest; hmax of each atom."""
        relaxed = self._relaxed
        operators, consumers = relaxed.operators, relaxed.consumers
        reached = [INFINITY] * relaxed.size
        supporters = [-1] * len(operators)
        needed = relaxed.needed.copy()
        # Most costs are 0: atoms of the current value wait on a stack, dearer ones in a heap.
        level = list(start)
        queue: list[tuple[float, int]] = []
        for atom in start:
            reached[atom] = 0.0
        for index in relaxed.unconditional:
            for added in operators[index].add:
                if costs[index] < reached[added]:
                    reached[added] = costs[index]
                    queue.append((costs[index], added))
        heapq.heapify(queue)
        value = 0.0
        while level or queue:
            if level:
                atom = level.pop()
            else:
                value, atom = heapq.heappop(queue)
            if value > reached[atom]:
                continue
            for index in consumers[atom]:
                needed[index] -= 1
                if not needed[index]:
                    # Atoms come in ascending order, so the last one is the most expensive.
                    supporters[index] = atom
                    total = value + costs[index]
                    for added in operators[index].add:
                        if total < reached[added]:
                            reached[added] = total
                            if total > value:
                                heapq.heappush(queue, (total, added))
                            else:
                                level.append(added)
        goal = max((reached[atom] for atom in relaxed.goal), default=0.0)
        return goal, supporters, reached

    def _cut(
        self,
        start: Sequence[int],
        costs: list[float],
        supporters: list[int],
        reached: list[float],
    ) -> list[int]:
        """Operators of which every plan uses one, all with a cost left: a landmark."""
        zone = self._goal_zone(costs, supporters, reached)
        operators, consumers = self._relaxed.operators, self._relaxed.consumers
        cut: list[int] = []
        seen = set(start)
        stack = list(start)
        for index in self._relaxed.unconditional:
            adds = operators[index].add
            if not zone.isdisjoint(adds):
                cut.append(index)
            else:
                stack.extend(added for added in adds if added not in seen)
                seen.update(adds)
        while stack:
            atom = stack.pop()
            for index in consumers[atom]:
                if supporters[index] == atom:
                    adds = operators[index].add
                    if not zone.isdisjoint(adds):
                        cut.append(index)
                    elif not seen.issuperset(adds):
                        stack.extend(added for added in adds if added not in seen)
                        seen.update(adds)
        return cut

    def _goal_zone(
        self, costs: list[float], supporters: list[int], reached: list[float]
    ) -> set[int]:
        """Atoms from which the most expensive atom of the goal costs nothing more."""
        target = max(self._relaxed.goal, key=lambda atom: reached[atom])
        zone = {target}
        stack = [target]
        while stack:
            for index in self._relaxed.adders[stack.pop()]:
                supporter = supporters[index]
                if costs[index] <= 1e-12 and supporter >= 0 and supporter not in zone:
                    zone.add(supporter)
                    stack.append(supporter)
        return zone


def max_membership(
    relaxed: RelaxedTask, degrees: Sequence[float], tnorm: TNorm, state: int
) -> float | None:
    """hmax: an upper bound of the composed degrees of any plan; None where there is no plan.

    Arguments:
        relaxed: the relaxation.
        degrees: for each operator of the local task its degree in [0, 1].
        tnorm: how degrees compose.
        state: a state of the local task.
    """
    operators, consumers = relaxed.operators, relaxed.consumers
    best = [-1.0] * relaxed.size
    needed = relaxed.needed.copy()
    queue: list[tuple[float, int]] = []
    for atom in relaxed.atoms_of(state):
        best[atom] = 1.0
        queue.append((-1.0, atom))
    for index in relaxed.unconditional:
        for added in operators[index].add:
            if degrees[operators[index].operator] > best[added]:
                best[added] = degrees[operators[index].operator]
                queue.append((-best[added], added))
    heapq.heapify(queue)
    while queue:
        negative, atom = heapq.heappop(queue)
        if -negative < best[atom]:
            continue
        for index in consumers[atom]:
            needed[index] -= 1
            if not needed[index]:
                degree = tnorm.compose(-negative, degrees[operators[index].operator])
                for added in operators[index].add:
                    if degree > best[added]:
                        best[added] = degree
                        heapq.heappush(queue, (-degree, added))
    worst = min((best[atom] for atom in relaxed.goal), default=1.0)
    return None if worst < 0.0 else worst
