# SPDX-License-Identifier: Apache-2.0
"""PDDL3 by definition: trajectories are judged forwards, state by state; plans by Dijkstra.

The twin of the compilation: it knows nothing of regression, of operators for preferences or of the
goal language. Requirements are closed formulas: (operator, parts), or a condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from least_cost import settle
from pddl_interpreter import Interpreter

from fcp_ros.domain.pddl.syntax_tree import Formula, TrajectoryFormula

SEQUENCE = "first-then"
"""No operator of PDDL3: one part after the other."""

START = {
    "always": True,
    "sometime": False,
    "at-most-once": (False, 0),
    "sometime-after": False,
    "sometime-before": (False, True),
    "first-then": 0,
}
"""What is known of a constraint before the initial state."""


@dataclass(frozen=True)
class Preferred:
    """A preference without variables: giving it up costs `price`."""

    name: str
    body: Formula
    price: Fraction


@dataclass(frozen=True)
class Requirements:
    """What a plan is judged by, besides the costs of its actions times `cost_weight`."""

    goal: Formula
    constraints: tuple[TrajectoryFormula, ...]
    preferences: tuple[Preferred, ...]
    cost_weight: Fraction

    def trajectories(self) -> list[TrajectoryFormula]:
        bodies = [p.body for p in self.preferences]
        return [f for f in (*self.constraints, *bodies) if isinstance(f, TrajectoryFormula)]


def advance(constraint: TrajectoryFormula, known, truths: tuple[bool, ...]):
    """What is known of a constraint after one more state, in which its parts are so true."""
    if constraint.operator == "always":
        return known and truths[0]
    if constraint.operator == "sometime":
        return known or truths[0]
    if constraint.operator == "at-most-once":
        before, runs = known
        return truths[0], min(2, runs + (truths[0] and not before))
    if constraint.operator == "sometime-after":
        return not truths[1] and (known or truths[0])  # True: still owed
    if constraint.operator == SEQUENCE:
        while known < len(truths) and truths[known]:
            known += 1
        return known
    seen, kept = known
    return seen or truths[1], kept and (seen or not truths[0])


def is_kept(constraint: TrajectoryFormula, known) -> bool:
    if constraint.operator == "at-most-once":
        return known[1] <= 1
    if constraint.operator == "sometime-after":
        return not known
    if constraint.operator == SEQUENCE:
        return known == len(constraint.parts)
    if constraint.operator == "sometime-before":
        return known[1]
    return known


class Judge:
    """Judges plans of one task."""

    def __init__(self, twin: Interpreter, wanted: Requirements) -> None:
        self.twin, self.wanted = twin, wanted
        self.trajectories = wanted.trajectories()

    def begin(self):
        return self.advance(tuple(START[c.operator] for c in self.trajectories), self.twin.initial)

    def advance(self, known, state):
        return tuple(
            advance(c, k, tuple(self.twin.holds(part, state, {}) for part in c.parts))
            for c, k in zip(self.trajectories, known, strict=True)
        )

    def value(self, known, state, spent: Fraction) -> Fraction | None:
        """The metric of a plan that ends here; None if it may not."""
        of = dict(zip(map(id, self.trajectories), known, strict=True))
        if not self.twin.holds(self.wanted.goal, state, {}):
            return None
        if not all(is_kept(c, of[id(c)]) for c in self.wanted.constraints):
            return None
        total = spent * self.wanted.cost_weight
        for preference in self.wanted.preferences:
            body = preference.body
            if isinstance(body, TrajectoryFormula):
                kept = is_kept(body, of[id(body)])
            else:
                kept = self.twin.holds(body, state, {})
            total += 0 if kept else preference.price
        return total

    def value_plan(self, steps, *, costs: bool = True) -> Fraction | None:
        """The metric of a plan, or the part of it without actions; None if it can't be done."""
        state, known, spent = self.twin.initial, self.begin(), Fraction(0)
        for action, arguments in steps:
            state = self.twin.step(state, action, arguments)
            if state is None:
                return None
            spent += self.twin.cost(action, arguments)
            known = self.advance(known, state)
        return self.value(known, state, spent if costs else Fraction(0))

    def find_best(self, limit: int, *, steps: bool = False) -> Fraction | None:
        """The least metric of all plans, or the fewest steps; None without any.

        Raises:
            TooManyStates: more than `limit` states, with what is known of the constraints.
        """

        def follow(node):
            for action, arguments, after in self.twin.transitions(node[0]):
                weight = 1 if steps else self.twin.cost(action, arguments)
                yield weight, (after, self.advance(node[1], after))

        ways = settle((self.twin.initial, self.begin()), follow, limit, zero=Fraction(0))
        values = ((spent, self.value(known, state, spent)) for spent, (state, known) in ways)
        if steps:
            return next((spent for spent, value in values if value is not None), None)
        return min((value for _, value in values if value is not None), default=None)
