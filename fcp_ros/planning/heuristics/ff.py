# SPDX-License-Identifier: Apache-2.0
"""The FF heuristic: the weight of a relaxed plan, and the helpful actions that it begins with.

Each fact is reached by the action that reaches it first by hadd (Keyder and Geffner, "Heuristics
for planning with action costs revisited", 2008); the operators found backwards from the goal are a
relaxed plan (Hoffmann and Nebel, "The FF planning system", 2001). Not admissible.
"""

from __future__ import annotations

from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.exploration import ADDITION, HIGHEST, explore, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace


@kernel
def ff(relaxed: RelaxedTask, work: Workspace, state: Ints) -> float:
    """Sum up the weights of the operators of a relaxed plan, each once.

    Sets `work.helpful` to 1 for the operators of that plan whose needs hold in the state (blocks
    aside), to 0 for all others. The plan's operators and facts carry the mark `work.generation[0]`
    in `operator_mark` and `fact_mark`.

    Returns:
        The sum; infinity if there is no relaxed plan.
    """
    work.helpful[:] = 0
    count = seed(relaxed, work, state)
    goal_value = explore(relaxed, work, relaxed.weight, count, ADDITION, True)
    if goal_value > HIGHEST:
        return goal_value
    return _extract_plan(relaxed, work)


@part
def _extract_plan(relaxed: RelaxedTask, work: Workspace) -> float:
    """Follow the best actions back from the goal, after `explore`; return their weight."""
    best, stack, fact_mark, operator_mark = (
        work.best,
        work.stack,
        work.fact_mark,
        work.operator_mark,
    )
    none = len(relaxed.weight) - 1
    work.generation[0] += 1
    now = work.generation[0]
    # Bridges and the goal action belong to operator `none`: marked as counted, they weigh nothing.
    operator_mark[none] = now
    stack[0] = len(best) - 1
    size = 1
    total = 0.0
    while size > 0:
        size -= 1
        action = best[stack[size]]
        at_once = True
        for k in range(relaxed.pre_start[action], relaxed.pre_start[action + 1]):
            need = relaxed.pre[k]
            if best[need] >= 0:
                at_once = False
                if fact_mark[need] != now:
                    fact_mark[need] = now
                    stack[size] = need
                    size += 1
        operator = relaxed.operator[action]
        if operator_mark[operator] != now:
            operator_mark[operator] = now
            total += relaxed.weight[operator]
        if at_once and operator != none:
            work.helpful[operator] = 1
    return total
