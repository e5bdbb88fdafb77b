# SPDX-License-Identifier: Apache-2.0
"""FF and LM-cut on the arrays of a relaxed task, plainly, with the tie rules of the kernels."""

from __future__ import annotations

import heapq
import itertools
import math

from fcp_ros.planning.heuristics.fact_queues import LEVELS


class ArrayTwin:
    """The actions of a relaxed task as Python values."""

    def __init__(self, relaxed):
        self.relaxed = relaxed
        pre, add = relaxed.pre.tolist(), relaxed.add.tolist()
        count = len(relaxed.operator)
        self.needs = [pre[relaxed.pre_start[a] : relaxed.pre_start[a + 1]] for a in range(count)]
        self.reaches = [add[relaxed.add_start[a] : relaxed.add_start[a + 1]] for a in range(count)]
        self.operator = relaxed.operator.tolist()
        self.goal = len(relaxed.consumer_start) - 2

    def start(self, state):
        """Facts that hold in a state, in the order in which the kernel meets them."""
        relaxed, found = self.relaxed, []
        for var, val in enumerate(state):
            found.append(int(relaxed.offset[var]) + int(val))
            for k in range(relaxed.other_start[var], relaxed.other_start[var + 1]):
                if relaxed.other_val[k] != val:
                    found.append(int(relaxed.offset[-1]) + k)
        return [*found, self.goal - 1]

    def usable(self, state):
        """The actions, without those that lead on from the first values to other values."""
        relaxed = self.relaxed
        barred = {int(relaxed.bridge[relaxed.offset[var] + val]) for var, val in enumerate(state)}
        return [a for a in range(len(self.operator)) if a not in barred]

    def ff(self, state):
        """(value, helpful operators) by hadd supporters, found in the order of the kernel."""
        usable = set(self.usable(state))
        cost = dict.fromkeys(self.start(state), 0.0)
        best = {}
        level, heap, waiting, put = list(cost), [], {}, itertools.count()
        dear = self.relaxed.unit * LEVELS
        missing = [len(needs) for needs in self.needs]
        total = [0.0] * len(missing)
        current = 0.0
        while level or heap:
            if level:
                fact = level.pop()
            else:
                entry = current, _, fact = heapq.heappop(heap)
                if waiting.get(fact) != entry:
                    continue
                del waiting[fact]
            for action in [a for a in range(len(missing)) if fact in self.needs[a]]:
                missing[action] -= 1
                total[action] += current
                if missing[action] or action not in usable:
                    continue
                value = total[action] + self.relaxed.weight[self.operator[action]]
                for reached in self.reaches[action]:
                    if value < cost.get(reached, math.inf):
                        cost[reached], best[reached] = value, action
                        if value == current and reached not in waiting:
                            level.append(reached)
                        else:
                            # of equal small values, the last one put in comes first
                            order = -next(put) if value < dear else reached
                            waiting[reached] = value, order, reached
                            heapq.heappush(heap, waiting[reached])
        if self.goal not in cost:
            return math.inf, set()
        facts, plan, helpful = {self.goal}, set(), set()
        pending = [self.goal]
        while pending:
            action = best[pending.pop()]
            plan.add(self.operator[action])
            needed = [need for need in self.needs[action] if need in best]
            if not needed:
                helpful.add(self.operator[action])
            pending.extend(set(needed) - facts)
            facts.update(needed)
        nobody = len(self.relaxed.weight) - 1
        return sum(self.relaxed.weight[o] for o in plan), helpful - {nobody}

    def hmax(self, state, weight):
        """Value of each fact that can be reached."""
        cost = dict.fromkeys(self.start(state), 0.0)
        changed = True
        while changed:
            changed = False
            for action in self.usable(state):
                needs = [cost.get(need, math.inf) for need in self.needs[action]]
                value = max(needs) + weight[self.operator[action]]
                for reached in self.reaches[action]:
                    if value < cost.get(reached, math.inf):
                        cost[reached] = value
                        changed = True
        return cost

    def lm_cut(self, state, rounding=1e-12):
        """LM-cut, with everything worked out again in each round."""
        weight = list(self.relaxed.weight)
        total, least_bound = 0.0, None
        while True:
            cost = self.hmax(state, weight)
            value = cost.get(self.goal, math.inf)
            least_bound = value if least_bound is None else least_bound
            if value in (0.0, math.inf):
                return max(total, least_bound)
            supporter = {
                action: max(self.needs[action], key=lambda need: cost[need])
                for action in self.usable(state)
                if all(need in cost for need in self.needs[action])
            }
            zone = self._zone(supporter, weight)
            cut = self._cut(state, supporter, zone)
            least = min(weight[operator] for operator in cut)
            total += least
            for operator in cut:
                rest = weight[operator] - least
                weight[operator] = rest if rest > rounding * least else 0.0

    def _zone(self, supporter, weight):
        zone = {self.goal}
        while True:
            more = {
                need
                for action, need in supporter.items()
                if weight[self.operator[action]] == 0.0 and zone & set(self.reaches[action])
            }
            if more <= zone:
                return zone
            zone |= more

    def _cut(self, state, supporter, zone):
        seen = set(self.start(state))
        cut = set()
        while True:
            size = len(seen)
            for action, need in supporter.items():
                if need in seen:
                    if zone & set(self.reaches[action]):
                        cut.add(self.operator[action])
                    else:
                        seen |= set(self.reaches[action])
            if len(seen) == size:
                return cut
