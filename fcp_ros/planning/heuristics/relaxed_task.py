# SPDX-License-Identifier: Apache-2.0
"""The delete relaxation of a flat task: nothing that was reached is ever lost.

Facts are numbered `offset[variable] + value` ("the variable has had the value"), then come
"variable had another value" for each value that some condition excludes, one "variable had another
value than at first" for each such variable, `truth`, which always holds, and `goal`.

An action needs facts and reaches facts. One operator has an action for each set of conditions of
its effects; all actions of an operator share its weight. Actions of the number `free` belong to no
operator and weigh nothing: they lead from values to the facts about other values, and from what the
goal asks for to `goal` (the last action). Blocks are ignored. So every plan of the task is a plan
of the relaxation.

A variable with d values of which k are excluded by some conditions would need d * k effects;
through the fact in the middle they are d + k. `bridge` is what keeps that exact: the action that
leads on from the value that a variable has at first must not be used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints, Marks
from fcp_ros.planning.heuristics.relaxed_build import build, transpose
from fcp_ros.planning.heuristics.shelves import LEVELS, Shelf

EXACT = 2.0**53
"""Whole numbers up to this one are exact in float64."""


class RelaxedTask(NamedTuple):
    """n variables, m operators, f facts, a actions; kernels take it as one argument.

    Attributes:
        offset: first fact of each variable, int32[n + 1].
        other_start, other_val: for each variable the values that conditions exclude, int32[n + 1]
            and flat. The fact "another value than other_val[k]" has the number offset[n] + k.
        bridge: for each fact of a value the action that leads to facts about other values, or -1.

        pre_start, pre: facts that each action needs, never none; int32[a + 1] and flat. Their
            order matters only to LM-cut, which follows the first of the dearest ones.
        add_start, add: facts that each action reaches.
        operator: operator of each action, int32[a]; m for those of none.
        action_start: first action of each operator, int32[m + 2].
        consumer_start, consumer: actions that need a fact, ascending.
        achiever_start, achiever: actions that reach a fact, ascending.

        weight: of each operator, float64[m + 1], the last one is 0.
        least: least weight of an operator that reaches something the goal asks for.
        unit: the number that all weights are multiples of, or 0 where they are not whole numbers.
        bottleneck: 1 if weights compose to their maximum, 0 if to their sum.
    """

    offset: Ints
    other_start: Ints
    other_val: Ints
    bridge: Ints

    pre_start: Ints
    pre: Ints
    add_start: Ints
    add: Ints
    operator: Ints
    action_start: Ints
    consumer_start: Ints
    consumer: Ints
    achiever_start: Ints
    achiever: Ints

    weight: Floats
    least: float
    unit: float
    bottleneck: int


class Workspace(NamedTuple):
    """Scratch arrays for one relaxed task; nobody but the kernels writes here.

    Attributes:
        value: what each fact costs, float64[f].
        total: what the needs of each action cost, float64[a].
        missing: facts that each action still waits for, int32[a].
        best: action that reached a fact first, or -1; int32[f].
        supporter: dearest need of each action (LM-cut), int32[a].
        level: facts whose value is the current one, int32[f].
        shelf, shelved: facts with higher values, by value; see `shelves.py`.
        heap, place: facts with values too high for that, and where they are, int32[f].
        stack: facts to be looked at, int32[f].
        candidate: actions that may belong to a landmark, int32[the number of all reached facts].
        cut: operators of a landmark, int32[m + 1].
        left: weight of each operator that is left over (LM-cut), float64[m + 1].
        fact_mark, operator_mark: marks with numbers of a generation, int64[f] and int64[m + 1].
        generation: the last number given out, int64[1].
        helpful: 1 for operators that begin the relaxed plan (FF), uint8[m].
    """

    value: Floats
    total: Floats
    missing: Ints
    best: Ints
    supporter: Ints
    level: Ints
    shelf: Shelf
    shelved: Marks
    heap: Ints
    place: Ints
    stack: Ints
    candidate: Ints
    cut: Ints
    left: Floats
    fact_mark: Marks
    operator_mark: Marks
    generation: Marks
    helpful: Flags


def relax(
    task: FlatTask, weight: Floats, composition: Composition = Composition.SUM
) -> RelaxedTask:
    """The delete relaxation of a task.

    Arguments:
        task: the task.
        weight: of each operator, float64[m], finite and >= 0: `task.loss`, `task.cost` or what it
            takes from a resource.
        composition: how weights compose along a plan.

    Raises:
        ValueError: a weight is negative, infinite or NaN, or there is not one for each operator.
    """
    operators = len(task.loss)
    _check(weight, operators)
    parts = build(task)
    actions, needs, adds = parts.made.tolist()
    pre_start, pre = parts.pre_start[: actions + 1].copy(), parts.pre[:needs].copy()
    add_start, add = parts.add_start[: actions + 1].copy(), parts.add[:adds].copy()
    operator = parts.operator[:actions].copy()
    goal = int(add[-1])
    relaxed = RelaxedTask(
        parts.offset,
        parts.other_start,
        parts.other_val,
        parts.bridge,
        pre_start,
        pre,
        add_start,
        add,
        operator,
        np.searchsorted(operator, np.arange(operators + 2)).astype(np.int32),
        *transpose(pre_start, pre, goal + 1),
        *transpose(add_start, add, goal + 1),
        np.zeros(operators + 1),
        0.0,
        0.0,
        int(composition is Composition.MAXIMUM),
    )
    return reweigh(relaxed, weight)


def reweigh(relaxed: RelaxedTask, weight: Floats) -> RelaxedTask:
    """The same relaxation with other weights; everything else is shared.

    Raises:
        ValueError: a weight is negative, infinite or NaN, or there is not one for each operator.
    """
    _check(weight, len(relaxed.weight) - 1)
    own = np.append(weight, 0.0)
    return relaxed._replace(weight=own, least=_least(relaxed, own), unit=_unit(own))


def workspace(relaxed: RelaxedTask) -> Workspace:
    """Scratch arrays for a relaxed task; it stays good when the task is weighed again."""
    facts, actions = facts_of(relaxed), len(relaxed.operator)
    operators = len(relaxed.weight)
    return Workspace(
        np.zeros(facts),
        np.zeros(actions),
        np.zeros(actions, np.int32),
        np.zeros(facts, np.int32),
        np.zeros(actions, np.int32),
        np.zeros(facts, np.int32),
        np.zeros((LEVELS, (facts + 63) // 64), np.uint64),
        np.zeros(3, np.int64),
        np.zeros(facts, np.int32),
        np.full(facts, -1, np.int32),
        np.zeros(facts, np.int32),
        np.zeros(len(relaxed.add), np.int32),
        np.zeros(operators, np.int32),
        np.zeros(operators),
        np.zeros(facts, np.int64),
        np.zeros(operators, np.int64),
        np.zeros(1, np.int64),
        np.zeros(operators - 1, np.uint8),
    )


def facts_of(relaxed: RelaxedTask) -> int:
    """Number of facts; the last two are `truth` and `goal`."""
    return len(relaxed.consumer_start) - 1


def _check(weight: Floats, operators: int) -> None:
    if len(weight) != operators:
        raise ValueError(f"{operators} operators have {len(weight)} weights: give one for each")
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
    if len(wrong):
        raise ValueError(
            f"operator {wrong[0]} has weight {weight[wrong[0]]!r}: give a finite number >= 0"
        )


def _least(relaxed: RelaxedTask, weight: Floats) -> float:
    """Weights of the operators that reach what the goal asks for: the least one."""
    needs = relaxed.pre[relaxed.pre_start[-2] :]
    actions = [
        relaxed.achiever[relaxed.achiever_start[fact] : relaxed.achiever_start[fact + 1]]
        for fact in needs
    ]
    reaching = relaxed.operator[np.concatenate(actions)]
    return float(weight[reaching].min()) if len(reaching) else 0.0


def _unit(weight: Floats) -> float:
    """The greatest common divisor of whole numbers that float64 holds exactly; 0 without one."""
    if not (weight == np.floor(weight)).all() or weight.max() > EXACT:
        return 0.0
    return float(np.gcd.reduce(weight.astype(np.int64)))
