# SPDX-License-Identifier: Apache-2.0
"""The delete relaxation of a flat task: nothing that was reached is ever lost.

Facts are numbered `offset[variable] + value` ("the variable has had the value"). Then come
"variable had another value" for each value that some condition excludes, one "variable had another
value than initially" for each such variable, "the axiom did not fire" for each axiom of which that
is asked, `truth`, which always holds, and `goal`.

An action needs facts and reaches facts. One operator has an action for each set of conditions of
its effects; all actions of an operator share its weight. Actions with the operator number m belong
to no operator and weigh nothing: they are axioms, or lead from values to the facts about other
values, and from the facts of the goal to `goal` (the last action). Blocks are ignored. So every
plan of the task is a plan of the relaxation.

A variable with d values of which k are excluded by some conditions would need d * k effects;
through the fact in the middle they are d + k. `bridge` keeps that exact: the action that leads on
from the value that a variable has initially must not be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.task import EXACT, Flags, FlatTask, Floats, Ints, Marks
from fcp_ros.planning.heuristics.fact_queues import Buckets, make_buckets
from fcp_ros.planning.heuristics.relaxed_build import build_parts, transpose


class RelaxedTask(NamedTuple):
    """n variables, m operators, f facts, a actions; kernels take it as one argument.

    Attributes:
        other_start, other_val: for each variable the values that conditions exclude, ascending,
            int32[n + 1] and flat. The fact "another value than other_val[k]" has the number
            offset[n] + k.

        pre_start, pre: facts that each action needs, at least one; int32[a + 1] and flat. Their
            order matters only to LM-cut, which follows the first of the dearest ones.
        operator: operator of each action, ascending, int32[a]; m for those of none.
        action_start: first action of each operator, int32[m + 2].
        consumer_start, consumer: actions that need a fact, ascending.
        achiever_start, achiever: actions that reach a fact, ascending.

        weight: of each operator, float64[m + 1]; the last one is 0.
        least: least weight of an operator that reaches a fact of the goal.
        unit: the greatest common divisor of all weights, or 0 if they are not whole numbers.
        bottleneck: 1 if weights compose to their maximum, 0 if to their sum.
    """

    offset: Ints  # first fact of each variable, int32[n + 1]
    other_start: Ints
    other_val: Ints
    # for each fact of a value the action that leads to facts about other values, or -1;
    # int32[offset[n]]
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
    """Scratch arrays for one relaxed task; only kernels write here, one thread at a time.

    Attributes:
        buckets, span: facts with higher values; see `fact_queues.py`.
        heap, place: facts with values too high for that, and their positions (-1: not in the
            heap), int32[f].
        fact_mark, operator_mark: marks by numbers of generations, int64[f] and int64[m + 1].
    """

    value: Floats  # cost of each fact, float64[f]
    total: Floats  # cost of the needs of each action, float64[a]
    missing: Ints  # number of needs that each action still waits for, int32[a]
    best: Ints  # action that reached a fact first, or -1; int32[f]
    supporter: Ints  # dearest need of each action (LM-cut), or -1; int32[a]
    level: Ints  # facts whose value is the current one, a stack, int32[f]
    buckets: Buckets
    span: Marks
    heap: Ints
    place: Ints
    stack: Ints  # facts still to be examined, int32[f]
    candidate: Ints  # actions that may belong to a landmark, int32[the number of all reached facts]
    cut: Ints  # operators of a landmark, int32[m + 1]
    left: Floats  # remaining weight of each operator (LM-cut), float64[m + 1]
    fact_mark: Marks
    operator_mark: Marks
    generation: Marks  # the last number given out, int64[1]; it only grows, so marks need no reset
    helpful: Flags  # 1 for operators that begin the relaxed plan (FF), uint8[m]


def relax(
    task: FlatTask, weight: Floats, composition: Composition = Composition.SUM
) -> RelaxedTask:
    """Build the delete relaxation of a task.

    Args:
        weight: of each operator, float64[m], finite and >= 0: `task.loss`, `task.cost` or its use
            of a resource.
    """
    operators = len(task.loss)
    _check(weight, operators)
    parts = build_parts(task)
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
    """Give a relaxation other weights; everything else is shared."""
    _check(weight, len(relaxed.weight) - 1)
    own = np.append(weight, 0.0)
    return relaxed._replace(weight=own, least=_find_least(relaxed, own), unit=_find_unit(own))


def replace_goal(relaxed: RelaxedTask, goal: Mapping[int, int]) -> RelaxedTask:
    """Give a relaxation another goal (not empty); all but the index of needs is shared."""
    needs = np.array([relaxed.offset[var] + val for var, val in goal.items()], np.int32)
    pre_start = relaxed.pre_start.copy()
    pre = np.concatenate([relaxed.pre[: pre_start[-2]], needs])
    pre_start[-1] = len(pre)
    consumer_start, consumer = transpose(pre_start, pre, count_facts(relaxed))
    aimed = relaxed._replace(
        pre_start=pre_start, pre=pre, consumer_start=consumer_start, consumer=consumer
    )
    return aimed._replace(least=_find_least(aimed, aimed.weight))


def make_workspace(relaxed: RelaxedTask) -> Workspace:
    """Make scratch arrays for a relaxed task; they stay valid when the task gets other weights."""
    facts, actions = count_facts(relaxed), len(relaxed.operator)
    operators = len(relaxed.weight)
    return Workspace(
        np.zeros(facts),
        np.zeros(actions),
        np.zeros(actions, np.int32),
        np.zeros(facts, np.int32),
        np.zeros(actions, np.int32),
        np.zeros(facts, np.int32),
        make_buckets(facts),
        np.zeros(2, np.int64),
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


def count_facts(relaxed: RelaxedTask) -> int:
    """Count the facts; the last two are `truth` and `goal`."""
    return len(relaxed.consumer_start) - 1


def _check(weight: Floats, operators: int) -> None:
    if len(weight) != operators:
        raise ValueError(f"{operators} operators have {len(weight)} weights: give one for each")
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
    if len(wrong):
        raise ValueError(
            f"operator {wrong[0]} has weight {weight[wrong[0]]!r}: give a finite number >= 0"
        )


def _find_least(relaxed: RelaxedTask, weight: Floats) -> float:
    """Find the least weight of an operator that reaches a fact of the goal."""
    needs = relaxed.pre[relaxed.pre_start[-2] :]
    actions = [
        relaxed.achiever[relaxed.achiever_start[fact] : relaxed.achiever_start[fact + 1]]
        for fact in needs
    ]
    reaching = relaxed.operator[np.concatenate(actions)]
    return float(weight[reaching].min()) if len(reaching) else 0.0


def _find_unit(weight: Floats) -> float:
    """Find the greatest common divisor of weights that are exact whole numbers; 0 for others."""
    if not (weight == np.floor(weight)).all() or weight.max() > EXACT:
        return 0.0
    return float(np.gcd.reduce(weight.astype(np.int64)))
