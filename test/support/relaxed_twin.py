# SPDX-License-Identifier: Apache-2.0
"""The delete relaxation of a flat task, slowly and obviously: what heuristic kernels must equal.

Facts are `(variable, value, holds)`; `(v, x, False)` says that v has had another value than x.
"""

from __future__ import annotations

import math

from fcp_ros.planning.flat.task import count_operators


class RelaxedTwin:
    """Actions `(operator, needed facts, reached fact)`: one for each effect that can last."""

    def __init__(self, task):
        self.task = task
        self.goal = {
            (int(v), int(x), True) for v, x in zip(task.goal_var, task.goal_val, strict=True)
        }
        self.possible = not _contradict(self.goal)
        self.actions = []
        for operator in range(count_operators(task)):
            effects = range(task.eff_start[operator], task.eff_start[operator + 1])
            for effect in effects:
                needs = self._needs(operator, effect)
                if not _contradict(needs) and not self._overwritten(effect, effects):
                    reached = (int(task.eff_var[effect]), int(task.eff_val[effect]), True)
                    self.actions.append((operator, _without_implied(needs), reached))

    def _needs(self, operator, effect):
        task = self.task
        found = {
            self._fact(task.pre_var[k], task.pre_val[k], True)
            for k in range(task.pre_start[operator], task.pre_start[operator + 1])
        }
        found |= {
            self._fact(task.not_var[k], task.not_val[k], False)
            for k in range(task.not_start[operator], task.not_start[operator + 1])
        }
        return found | {
            self._fact(task.cond_var[k], task.cond_val[k], not task.cond_neg[k])
            for k in range(task.cond_start[effect], task.cond_start[effect + 1])
        }

    def _fact(self, var, val, holds):
        if not holds and self.task.domain[var] == 2:
            return int(var), 1 - int(val), True
        return int(var), int(val), bool(holds)

    def _overwritten(self, effect, effects):
        task = self.task
        return any(
            later > effect
            and task.eff_var[later] == task.eff_var[effect]
            and task.cond_start[later] == task.cond_start[later + 1]
            for later in effects
        )

    def value(self, values, fact):
        """The value of a fact, given those of variables' values."""
        var, val, holds = fact
        if holds:
            return values.get(fact, math.inf)
        others = (
            values.get((var, x, True), math.inf) for x in range(self.task.domain[var]) if x != val
        )
        return min(others, default=math.inf)

    def values(self, state, weight, compose=max, bottleneck=False):
        """Values of the facts that can be reached, by sweeps until nothing changes."""
        values = {(var, int(val), True): 0.0 for var, val in enumerate(state)}
        changed = True
        while changed:
            changed = False
            for operator, needs, reached in self.actions:
                total = compose([self.value(values, fact) for fact in needs] + [0.0])
                own = float(weight[operator])
                total = max(total, own) if bottleneck else total + own
                if total < self.value(values, reached) - 1e-12:
                    values[reached] = total
                    changed = True
        return values

    def goal_value(self, state, weight, compose=max, bottleneck=False):
        """hmax or hadd (compose=sum) of a state."""
        if not self.possible:
            return math.inf
        values = self.values(state, weight, compose, bottleneck)
        return compose([self.value(values, fact) for fact in self.goal] + [0.0])


def _contradict(facts):
    return any(
        v == w and (x != y if holds else x == y)
        for v, x, _ in [fact for fact in facts if fact[2]]
        for w, y, holds in facts
    )


def _without_implied(facts):
    """A variable that has one value does not have another one: nothing to be paid for twice."""
    valued = {v for v, _, holds in facts if holds}
    return {(v, x, holds) for v, x, holds in facts if holds or v not in valued}
