# SPDX-License-Identifier: Apache-2.0
"""Preferences and counts as stages that a plan goes through after its last step.

Written out, they would make a goal with very many alternatives. Instead, each is settled by an
operator of its own, one after the other, when the world no longer changes: a preference is either
collected where its condition holds, or given up at its price (Keyder and Geffner, Soft Goals Can Be
Compiled Away, JAIR 36, 2009); a count goes through its conditions and counts them. The fixed order
leaves no choice but that, so that a proof need not consider permutations. Preferences that rule one
another out are settled together (see rivals.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.goal.alternatives import Alternative, find_alternatives
from fcp_ros.planning.goal.degree_formula import DegreeFormula, KnownDegree, compose, make_shortfall
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.rivals import Choice, Places, group_rivals
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.task import Task

NOTHING = Alternative(1.0)
"""The condition of giving up."""
BEGIN = 1
"""The first stage after the world: the goal's formula is fulfilled, if it is not divided."""


@dataclass(frozen=True, slots=True)
class StageMove:
    """An operator from one stage to a later one."""

    source: int
    target: int
    alternative: Alternative  # its condition on the state, and the degree that it contributes
    cost: Fraction = Fraction(0)
    kept: int = -1  # number of the preference that it keeps; -1 for none
    body: DegreeFormula = 1.0
    given_up: tuple[int, ...] = ()  # numbers of the preferences that it gives up
    left_out: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Stages:
    """The stages of a goal."""

    moves: tuple[StageMove, ...] = ()
    last: int = BEGIN
    targets: tuple[int, ...] = ()
    fulfilled: int = BEGIN


def make_stages(
    goal: GroundGoal,
    finishes: Sequence[Alternative],
    known: KnownDegree,
    tnorm: TNorm,
    task: Task,
    watch: Watch,
    now: int = BEGIN,
) -> Stages:
    """Make the stages of what a goal asks beside its formula."""
    moves: list[StageMove] = []
    for count in goal.counts:
        choices = [find_alternatives(part, known, tnorm, task, watch) for part in count.parts]
        last = now + count_inner_stages(count.number, len(choices)) + 1
        moves.extend(make_count_moves(count.number, choices, now, last, now + 1))
        now = last
    ways = []
    for preference in goal.preferences:
        watch.check()
        ways.append(find_alternatives(preference.body, known, tnorm, task, watch))
    if not ways:
        return Stages(tuple(moves), now)
    places = Places(chain(finishes, *ways), task, watch.check)
    ways = [places.drop_excluded(found, finishes) for found in ways]
    watch.check()
    rivals = [
        Choice((preference.weight, float(preference.cost), preference.steps), found)
        for preference, found in zip(goal.preferences, ways, strict=True)
    ]
    for group in group_rivals(rivals, places, watch.check):
        watch.check()
        moves.extend(_settle(goal, group, ways, tnorm, now))
        now += 1
    return Stages(tuple(moves), now)


def _settle(
    goal: GroundGoal,
    group: Sequence[int],
    ways: Sequence[Sequence[Alternative]],
    tnorm: TNorm,
    now: int,
) -> Iterator[StageMove]:
    for kept in (*group, -1):
        given_up = tuple(number for number in group if number != kept)
        lost = [goal.preferences[number] for number in given_up]
        if any(preference.required for preference in lost):
            continue
        parts = [preference for preference in lost if preference.is_part]
        degree = tnorm.compose_all(
            1.0 - preference.weight for preference in lost if not preference.is_part
        )
        cost = sum((preference.cost for preference in lost), Fraction(0))
        steps = sum(preference.steps for preference in lost)
        for alternative in ways[kept] if kept >= 0 else (NOTHING,):
            if alternative.missing:
                continue
            body = alternative.formula
            weight = goal.preferences[kept].weight if kept >= 0 else 0.0
            formula = compose(tnorm, make_shortfall(weight, body), degree)
            condition = replace(alternative, formula=formula, binding=())
            yield StageMove(now, now + 1, condition, cost, kept, body, given_up, len(parts), steps)


def count_inner_stages(wanted: int, total: int) -> int:
    """Count the stages of a count that are neither its first nor its last one."""
    return sum(len(_list_counted(gone, wanted, total)) for gone in range(1, total))


def make_count_moves(
    wanted: int, choices: Sequence[Sequence[Alternative]], source: int, target: int, free: int
) -> Iterator[StageMove]:
    """Yield the moves that count how many of some conditions hold.

    A stage stands for the number of conditions gone through and the number that were counted. After
    the last condition only the wanted number leads on.
    """
    total = len(choices)
    between = [(gone, n) for gone in range(1, total) for n in _list_counted(gone, wanted, total)]
    stages = {each: free + number for number, each in enumerate(between)}
    stages |= {(0, 0): source, (total, wanted): target}
    for (gone, counted), stage in stages.items():
        if (gone + 1, counted) in stages:
            yield StageMove(stage, stages[gone + 1, counted], NOTHING)
        if (gone + 1, counted + 1) in stages:
            for alternative in choices[gone]:
                if not alternative.missing:
                    condition = replace(alternative, binding=())
                    yield StageMove(stage, stages[gone + 1, counted + 1], condition)


def _list_counted(gone: int, wanted: int, total: int) -> range:
    return range(max(0, wanted - total + gone), min(gone, wanted) + 1)
