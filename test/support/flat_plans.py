# SPDX-License-Identifier: Apache-2.0
"""All that matters of all plans of a small flat task, by its slow meaning."""

import math

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    applicable,
    initial_amounts,
    initial_state,
    is_goal,
    successor,
)
from fcp_ros.planning.search.objective import Criterion


class TooLarge(Exception):
    """More states than the test wants to look at."""


def trade_offs(task, composition, max_nodes=1500):
    """The (loss, cost) pairs of plans, without those that another one beats in both.

    Raises:
        TooLarge: more than `max_nodes` states with amounts.
    """
    start = (initial_state(task), initial_amounts(task))
    kept = {start: {(0.0, 0.0)}}
    waiting = [(start, (0.0, 0.0))]
    goals = set()
    while waiting:
        node, pair = waiting.pop(0)
        if pair not in kept[node]:
            continue
        state, amounts = node
        if is_goal(task, state):
            goals.add(pair)
            continue
        for operator in applicable(task, state):
            left = amounts_after(task, amounts, operator)
            if left is None:
                continue
            step = float(task.loss[operator])
            loss = max(pair[0], step) if composition is Composition.MAXIMUM else pair[0] + step
            new = (round(loss, 10), pair[1] + float(task.cost[operator]))
            after = (successor(task, state, operator), tuple(round(a, 9) for a in left))
            others = kept.setdefault(after, set())
            if any(a <= new[0] and b <= new[1] for a, b in others):
                continue
            others -= {o for o in others if new[0] <= o[0] and new[1] <= o[1]}
            others.add(new)
            waiting.append((after, new))
            if len(kept) > max_nodes:
                raise TooLarge
    return goals


def best(task, objective, max_nodes=1500):
    """The best (loss, cost) by an objective; None where no plan is within the budgets."""
    loss_first = objective.order[0] is Criterion.LOSS
    pairs = [
        pair
        for pair in trade_offs(task, objective.composition, max_nodes)
        if pair[0] <= objective.loss_budget + EPSILON and pair[1] <= objective.cost_budget + EPSILON
    ]
    return min(pairs, key=lambda pair: pair if loss_first else pair[::-1], default=None)


def replay(task, operators, composition):
    """Whether operators make a plan, and its loss and cost: (ok, loss, cost)."""
    state, amounts = initial_state(task), initial_amounts(task)
    losses, costs = [0.0], [0.0]
    for operator in operators:
        if operator not in applicable(task, state):
            return False, math.inf, math.inf
        amounts = amounts_after(task, amounts, operator)
        if amounts is None:
            return False, math.inf, math.inf
        state = successor(task, state, operator)
        losses.append(float(task.loss[operator]))
        costs.append(float(task.cost[operator]))
    loss = max(losses) if composition is Composition.MAXIMUM else math.fsum(losses)
    return is_goal(task, state), loss, math.fsum(costs)
