# SPDX-License-Identifier: Apache-2.0
"""Heuristics by one entry: blind, hmax and LM-cut.

Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference anyway?",
2009. Each round finds a set of operators of which every plan uses one, adds the least weight among
them to the bound and subtracts it from all of them, until the goal costs nothing by hmax. The
weight of an operator is shared by all its actions, so operators with conditional effects are not
paid twice.

Of needs of equal value, the first one in the order of the needs is the supporter. Values only fall,
so after a round only what fell is computed again; the result is exactly that of a new exploration.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints, Marks
from fcp_ros.planning.heuristics.exploration import BOTTLENECK, MAXIMUM, explore, ff, seed
from fcp_ros.planning.heuristics.fact_queues import heap_put, heap_take
from fcp_ros.planning.heuristics.landmarks import (
    count_landmarks,
    count_words,
    find_landmarks,
    track_landmarks,
)
from fcp_ros.planning.heuristics.relaxed_task import (
    RelaxedTask,
    Workspace,
    make_workspace,
    relax,
    reweigh,
)

ROUNDING = 1e-12
"""A remaining weight below this fraction of the amount subtracted is rounding error: set to 0."""


@kernel
def lm_cut(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Compute a lower bound of the weight of any plan from a state.

    Never less than hmax, and infinite exactly where hmax is. Every round uses up the weight of at
    least one operator, so there are at most m rounds.
    """
    value, left = work.value, work.left
    for operator in range(len(left)):
        left[operator] = relaxed.weight[operator]
    dearest = explore(relaxed, work, left, seed(relaxed, work, state), MAXIMUM, False)
    if dearest == np.inf or dearest == 0.0:
        return dearest
    _choose_supporters(relaxed, work)
    bound = 0.0
    # Invariant: `value` is hmax by the weights `left`; `bound` + hmax <= the weight of any plan.
    # The operators of a cut are all that lead into the goal zone, so every plan pays one of them;
    # taking the least weight from all keeps the bound admissible.
    while value[-1] > 0.0:
        candidates = _mark_goal_zone(relaxed, work)
        size = _find_cut(relaxed, work, candidates)
        least = np.inf
        for k in range(size):
            least = min(least, left[work.cut[k]])
        bound += least
        for k in range(size):
            rest = left[work.cut[k]] - least
            left[work.cut[k]] = rest if rest > ROUNDING * least else 0.0
        _lower_values(relaxed, work, size)
    return max(bound, dearest)


@kernel
def _find_dearest(pre: Ints, first: int, end: int, value: Floats) -> int:
    """Find the fact of the highest value among pre[first:end], the first one of several."""
    dearest = pre[first]
    for k in range(first + 1, end):
        if value[pre[k]] > value[dearest]:
            dearest = pre[k]
    return int(dearest)


@part
def _choose_supporters(relaxed: RelaxedTask, work: Workspace) -> None:
    """Set `supporter` to the dearest need of each action that was reached, to -1 for the others."""
    start, pre = relaxed.pre_start, relaxed.pre
    supporter, missing, value = work.supporter, work.missing, work.value
    for action in range(len(missing)):
        if missing[action] == 0:
            supporter[action] = _find_dearest(pre, start[action], start[action + 1], value)
        else:
            supporter[action] = -1


@part
def _mark_goal_zone(relaxed: RelaxedTask, work: Workspace) -> int:
    """Mark the facts from which the goal costs nothing more, with a new generation.

    Returns:
        The number k such that `work.candidate[:k]` are the actions of positive weight that lead
        there.
    """
    start, achiever, operator = relaxed.achiever_start, relaxed.achiever, relaxed.operator
    supporter, left, mark, stack = work.supporter, work.left, work.fact_mark, work.stack
    work.generation[0] += 1
    zone = work.generation[0]
    stack[0] = len(mark) - 1
    mark[stack[0]] = zone
    size, found = 1, 0
    while size > 0:
        size -= 1
        fact = stack[size]
        for k in range(start[fact], start[fact + 1]):
            action = achiever[k]
            source = supporter[action]
            if source < 0 or mark[source] == zone:
                continue
            if left[operator[action]] == 0.0:
                mark[source] = zone
                stack[size] = source
                size += 1
            elif found == 0 or work.candidate[found - 1] != action:
                work.candidate[found] = action
                found += 1
    return found


@part
def _find_cut(relaxed: RelaxedTask, work: Workspace, candidates: int) -> int:
    """Find the operators that lead into the goal zone from facts reached outside it: a landmark.

    Facts cheaper than the goal are reached outside, because no fact of the zone is cheaper than the
    goal. Only dearer supporters have to be examined.

    Returns:
        The number k >= 1 such that `work.cut[:k]` are those operators.
    """
    supporter, value, mark = work.supporter, work.value, work.fact_mark
    zone = work.generation[0]
    unclear = 0
    for k in range(candidates):
        source = supporter[work.candidate[k]]
        if value[source] >= value[-1] and mark[source] < zone:
            mark[source] = zone + 1
            work.stack[unclear] = source
            unclear += 1
    if unclear > 0:
        _mark_outside(relaxed, work, unclear)
    work.generation[0] = zone + 2
    size = 0
    for k in range(candidates):
        source = supporter[work.candidate[k]]
        operator = relaxed.operator[work.candidate[k]]
        outside = mark[source] == zone + 2 or value[source] < value[-1]
        if outside and work.operator_mark[operator] != zone:
            work.operator_mark[operator] = zone
            work.cut[size] = operator
            size += 1
    return size


@part
def _mark_outside(relaxed: RelaxedTask, work: Workspace, unclear: int) -> None:
    """Mark those of the facts work.stack[:unclear] that are reached outside the goal zone.

    With z = `generation[0]`, marks mean: z in the zone, z + 1 unclear, z + 2 reached outside. The
    walk goes back from the unclear facts until all are clear or none is left, then forward again
    from the facts that became clear.
    """
    start, achiever = relaxed.achiever_start, relaxed.achiever
    supporter, value, mark, stack = work.supporter, work.value, work.fact_mark, work.stack
    zone = work.generation[0]
    outside, clear, head = zone + 2, 0, 0
    while head < unclear:
        fact = stack[head]
        head += 1
        for k in range(start[fact], start[fact + 1]):
            source = supporter[achiever[k]]
            if source < 0 or not (value[source] < value[-1] or mark[source] == outside):
                continue
            if not _enters(relaxed.add_start, relaxed.add, mark, achiever[k], zone):
                mark[fact] = outside
                work.level[clear] = fact
                clear += 1
                break
        if mark[fact] == outside:
            continue
        for k in range(start[fact], start[fact + 1]):
            source = supporter[achiever[k]]
            if source >= 0 and mark[source] < zone and value[source] >= value[-1]:
                mark[source] = zone + 1
                stack[unclear] = source
                unclear += 1
    _spread(relaxed, work, clear, unclear - clear)


@part
def _spread(relaxed: RelaxedTask, work: Workspace, clear: int, unclear: int) -> None:
    """Mark the unclear facts that are reached from the facts work.level[:clear]."""
    start, consumer = relaxed.consumer_start, relaxed.consumer
    supporter, mark, level = work.supporter, work.fact_mark, work.level
    zone = work.generation[0]
    while clear > 0 and unclear > 0:
        clear -= 1
        fact = level[clear]
        for k in range(start[fact], start[fact + 1]):
            action = consumer[k]
            if supporter[action] != fact:
                continue
            if _enters(relaxed.add_start, relaxed.add, mark, action, zone):
                continue
            for j in range(relaxed.add_start[action], relaxed.add_start[action + 1]):
                gained = relaxed.add[j]
                if mark[gained] == zone + 1:
                    mark[gained] = zone + 2
                    level[clear] = gained
                    clear += 1
                    unclear -= 1


@kernel
def _enters(add_start: Ints, add: Ints, mark: Marks, action: int, zone: int) -> bool:
    """Return True if an action reaches a fact with the mark of the goal zone."""
    at, end = add_start[action], add_start[action + 1]
    while at < end and mark[add[at]] != zone:
        at += 1
    return bool(at < end)


@part
def _lower_values(relaxed: RelaxedTask, work: Workspace, cut: int) -> None:
    """Lower `value`, `total` and `supporter` after the operators `work.cut[:cut]` got cheaper."""
    pre_start, pre, operator = relaxed.pre_start, relaxed.pre, relaxed.operator
    add_start, add = relaxed.add_start, relaxed.add
    consumer_start, consumer = relaxed.consumer_start, relaxed.consumer
    value, total, supporter, left = work.value, work.total, work.supporter, work.left
    heap, place = work.heap, work.place
    size = 0
    for k in range(cut):
        cheaper = work.cut[k]
        for action in range(relaxed.action_start[cheaper], relaxed.action_start[cheaper + 1]):
            if supporter[action] >= 0:
                first, end = add_start[action], add_start[action + 1]
                reached = total[action] + left[cheaper]
                size = _lower_facts(add, first, end, reached, value, heap, place, size)
    # Facts leave the heap by ascending value, and values only fall, so each fact is final when it
    # is taken. An action changes only if its dearest need fell.
    while size > 0:
        fact = heap_take(heap, place, value, size)
        size -= 1
        for k in range(consumer_start[fact], consumer_start[fact + 1]):
            action = consumer[k]
            if supporter[action] != fact or total[action] <= value[fact]:
                continue
            dearest = _find_dearest(pre, pre_start[action], pre_start[action + 1], value)
            supporter[action] = dearest
            if value[dearest] < total[action]:
                total[action] = value[dearest]
                first, end = add_start[action], add_start[action + 1]
                reached = total[action] + left[operator[action]]
                size = _lower_facts(add, first, end, reached, value, heap, place, size)


@kernel
def _lower_facts(
    add: Ints,
    first: int,
    end: int,
    reached: float,
    value: Floats,
    heap: Ints,
    place: Ints,
    size: int,
) -> int:
    """Lower the values of the facts add[first:end]; return the new size of the heap."""
    for j in range(first, end):
        gained = add[j]
        if reached < value[gained]:
            value[gained] = reached
            size = heap_put(heap, place, value, size, gained)
    return size


class HeuristicCode(IntEnum):
    """The heuristics as numbers for kernels, in the order of `model.request.Heuristic`."""

    BLIND = 0
    MAX = 1
    FF = 2
    LANDMARK_COUNT = 3
    LM_CUT = 4


@kernel
def evaluate(code: int, relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Compute the value of a heuristic in a state.

    If weights compose to their maximum, LM-cut is the bottleneck hmax; FF, which is no bound
    anyway, still adds up. The landmark count depends on the path to a state (see
    `landmarks.count_landmarks`); without the path it is blind.

    Returns:
        The estimate, in the unit of the weights; infinity at a dead end.
    """
    if code == HeuristicCode.MAX:
        return hmax(relaxed, work, state, True)
    if code == HeuristicCode.FF:
        return ff(relaxed, work, state)
    if code == HeuristicCode.LM_CUT:
        if relaxed.bottleneck:
            return hmax(relaxed, work, state, True)
        return lm_cut(relaxed, work, state)
    return blind(relaxed, state)


@kernel
def blind(relaxed: RelaxedTask, state: Ints) -> float:
    """Return 0 at the goal, elsewhere the least weight that a last step can have; admissible."""
    var = 0
    last = len(relaxed.operator) - 1
    for k in range(relaxed.pre_start[last], relaxed.pre_start[last + 1]):
        fact = relaxed.pre[k]
        if fact >= relaxed.offset[-1]:
            continue
        if fact < relaxed.offset[var]:
            var = 0
        while relaxed.offset[var + 1] <= fact:
            var += 1
        if relaxed.offset[var] + state[var] != fact:
            return relaxed.least
    return 0.0


@kernel
def hmax(relaxed: RelaxedTask, work: Workspace, state: Ints, stop: bool) -> float:
    """Compute hmax, the cost of the dearest fact of the goal (Bonet and Geffner, 2001).

    Admissible. With the bottleneck composition it is a lower bound of the worst loss of a step.

    Args:
        stop: stop at the goal; if False, `work.value` holds the value of every fact afterwards.

    Returns:
        A lower bound of the weight of any plan; infinity if there is no plan.
    """
    mode = BOTTLENECK if relaxed.bottleneck else MAXIMUM
    return explore(relaxed, work, relaxed.weight, seed(relaxed, work, state), mode, stop)


# --- the heuristics for Python callers: estimates of one state at a time


State = Sequence[int] | Ints
"""The value of each variable."""


class Estimator:
    """One heuristic over one task; not for several threads at once."""

    def __init__(
        self,
        task: FlatTask,
        code: HeuristicCode,
        weight: Floats,  # of each operator, float64[m], finite and >= 0
        composition: Composition = Composition.SUM,
    ) -> None:
        self._code = code
        self._relaxed = relax(task, weight, composition)
        self._work = make_workspace(self._relaxed)

    def reweigh(self, weight: Floats) -> None:
        """Continue with other weights."""
        self._relaxed = reweigh(self._relaxed, weight)

    def estimate(self, state: State) -> float:
        """Estimate the weight still to come at a state; infinity at a dead end."""
        values = np.asarray(state, np.int32)
        if self._code is HeuristicCode.LANDMARK_COUNT:
            return self._count_landmarks(values)
        return float(evaluate(int(self._code), self._relaxed, self._work, values))

    def find_helpful(self, state: State) -> tuple[int, ...]:
        """Find the operators that a relaxed plan by FF begins with; none if there is no plan."""
        ff(self._relaxed, self._work, np.asarray(state, np.int32))
        return tuple(np.flatnonzero(self._work.helpful).tolist())

    def compute_fact_bounds(self, state: State) -> Floats:
        """Bound by hmax the weight until each variable has had each value.

        Returns:
            A lower bound for each value of each variable, variables in order; infinity if the value
            is out of reach.
        """
        self._explore(state)
        values: Floats = self._work.value[: self._relaxed.offset[-1]].copy()
        return values

    def compute_operator_bounds(self, state: State) -> Floats:
        """Bound by hmax the weight until each operator has been applied, its own included.

        The degree of this loss bounds the degree of any plan that ends with the operator.

        Returns:
            A lower bound for each operator, float64[m]; infinity if it is never applicable, or
            never changes anything.
        """
        self._explore(state)
        relaxed, work = self._relaxed, self._work
        own = relaxed.weight[relaxed.operator]
        needs = np.where(work.missing == 0, work.total, np.inf)
        reached = np.maximum(needs, own) if relaxed.bottleneck else needs + own
        found = np.full(len(relaxed.weight), np.inf)
        np.minimum.at(found, relaxed.operator, reached)
        return found[:-1]

    def _explore(self, state: State) -> None:
        hmax(self._relaxed, self._work, np.asarray(state, np.int32), False)

    def _count_landmarks(self, values: Ints) -> float:
        """Count the landmarks from this very state: the path to it is not known here."""
        if hmax(self._relaxed, self._work, values, True) == np.inf:
            return float(np.inf)
        landmarks = find_landmarks(self._relaxed, values)
        row = np.zeros(count_words(landmarks), np.uint64)
        track_landmarks(landmarks, row, values, row)
        return float(count_landmarks(landmarks, np.ones(len(landmarks.var)), row, values))
