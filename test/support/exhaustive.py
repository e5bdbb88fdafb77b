# SPDX-License-Identifier: Apache-2.0
"""What tiny tasks cost, by looking at everything: real and delete-relaxed optima."""

from __future__ import annotations

import math
import operator as operators

from least_cost import settle

from fcp_ros.planning.flat.semantics import find_applicable, is_goal, successor


def optimal(task, state, weight, compose=operators.add):
    """Least composed weight of a plan from a state, resources aside; infinity without any."""

    def follow(at):
        for operator in find_applicable(task, at):
            yield float(weight[operator]), successor(task, at, operator)

    ways = settle(tuple(map(int, state)), follow, zero=0.0, add=compose)
    return next((value for value, at in ways if is_goal(task, at)), math.inf)


def relaxed_optimal(twin, state, weight):
    """h+: least sum of weights of a relaxed plan, by Dijkstra over sets of reached facts.

    An operator that is applied reaches everything that its effects may reach by then.
    """
    first = frozenset((var, int(val), True) for var, val in enumerate(state))
    if not twin.possible:
        return math.inf

    def holds(facts, wanted):
        known = dict.fromkeys(facts, 0.0)
        return all(twin.value(known, fact) == 0.0 for fact in wanted)

    def follow(facts):
        for operator in sorted({operator for operator, _, _ in twin.actions}):
            gained = {
                reached
                for own, needs, reached in twin.actions
                if own == operator and holds(facts, needs)
            }
            if not gained <= facts:
                yield float(weight[operator]), facts | gained

    ways = settle(first, follow, zero=0.0)
    return next((value for value, facts in ways if holds(facts, twin.goal)), math.inf)
