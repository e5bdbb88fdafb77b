# SPDX-License-Identifier: Apache-2.0
"""Budgets: how much of something a plan may use.

What can be budgeted are the resources of the domain, and three things that every domain has: the
cost of the steps, their time and their number. A resource of one of these names goes first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.domain.model import Domain
from fcp_ros.foundation.wording import join_words, suggest_name
from fcp_ros.planning.model.ground_step import compute_cost
from fcp_ros.planning.model.plan import PlanStep

COST = "cost"
"""The sum of the costs of the steps; preferences that are given up are not counted."""
TIME = "time"
"""Seconds until the last step ends: the same as a deadline."""
STEPS = "steps"
"""The number of steps."""
COUNTED = (COST, TIME, STEPS)
"""What can be budgeted in every domain."""


def find_unknown_budgets(budgets: Mapping[str, float], domain: Domain) -> tuple[str, ...]:
    """Return one sentence for each budget of something that a domain does not have."""
    known = (*domain.resources, *COUNTED)
    return tuple(
        f"There is no budget of {name!r}: {suggest_name(name, known)} "
        f"(what can be budgeted: {', '.join(dict.fromkeys(known))})."
        for name in budgets
        if name not in known
    )


def is_counted(name: str, domain: Domain) -> bool:
    """Return True if a budget is of cost, time or steps, and not of a resource of the domain."""
    return name in COUNTED and name not in domain.resources


def find_latest_end(budgets: Mapping[str, float], deadline: float, domain: Domain) -> float:
    """Return the seconds that a plan may take: the deadline or the budget, whichever is less."""
    return (
        min(deadline, budgets[TIME]) if is_counted(TIME, domain) and TIME in budgets else deadline
    )


def describe_budgets(budgets: Mapping[str, float]) -> str:
    """Describe budgets: "battery 20 and steps 5"."""
    return join_words([f"{name} {amount:g}" for name, amount in sorted(budgets.items())])


def measure_uses(
    steps: Sequence[PlanStep], end: float, names: Iterable[str], domain: Domain
) -> dict[str, float]:
    """Measure how much some steps use, done in their order.

    Of a resource, as much is used as its level falls below the initial one at its lowest: what a
    step gives back can be used again.
    """
    found = {}
    for name in names:
        if not is_counted(name, domain):
            uses = (domain.rules[step.rule].uses.get(name, 0.0) for step in steps)
            found[name] = max(itertools.accumulate(uses, initial=0.0))
        elif name == TIME:
            found[name] = end
        elif name == STEPS:
            found[name] = float(len(steps))
        else:
            costs = (compute_cost(domain.rules[step.rule], step.elements) for step in steps)
            found[name] = float(sum(costs))
    return found
