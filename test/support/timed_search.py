# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints with times by definition: judged forwards in ticks, plans by Dijkstra.

The twin of the compilation. Time is a whole number of ticks; a plan may wait at any time. A state
is known by what holds, the time, and what is known of each constraint; it knows nothing of windows.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from least_cost import settle
from pddl_interpreter import Interpreter

from fcp_ros.domain.pddl.syntax_tree import TrajectoryFormula

KEPT, BROKEN, OPEN = "kept", "broken", "open"
"""What is known of a constraint; the ticks since a trigger that waits for its answer are an int."""


def begin(constraint: TrajectoryFormula, truths: tuple[bool, ...]):
    """What is known in the initial state."""
    return reach(constraint, OPEN if constraint.operator == "within" else KEPT, truths, 0)


def pass_ticks(constraint: TrajectoryFormula, known, truths: tuple[bool, ...], now: int, ticks):
    """What is known when a state has lasted for some more ticks, and another one may follow."""
    if constraint.operator.startswith("hold"):
        begins = constraint.times[0]
        return BROKEN if now <= begins < now + ticks and not truths[0] else known
    return known + ticks if isinstance(known, int) else known


def reach(constraint: TrajectoryFormula, known, truths: tuple[bool, ...], now: int):
    """What is known once a state is reached."""
    if known == BROKEN or (known == KEPT and constraint.operator == "within"):
        return known
    if constraint.operator == "within":
        return KEPT if truths[0] and now <= constraint.times[0] else OPEN
    if constraint.operator == "always-within":
        trigger, answer = truths
        if isinstance(known, int) and known > constraint.times[0]:
            return BROKEN
        if answer:
            return KEPT
        return 0 if trigger and known == KEPT else known
    end = constraint.times[1] if len(constraint.times) > 1 else float("inf")
    return BROKEN if constraint.times[0] <= now < end and not truths[0] else known


def is_kept(constraint: TrajectoryFormula, known, truths: tuple[bool, ...], now: int) -> bool:
    """Whether it is kept if the plan ends now, and the last state lasts for ever."""
    return pass_ticks(constraint, known, truths, now, float("inf")) == KEPT


class TimedJudge:
    """Judges plans of one task.

    Args:
        twin: the task.
        wanted: its requirements; all constraints in them have times, in ticks.
        durations: action -> ticks.
    """

    def __init__(self, twin: Interpreter, wanted, durations: Mapping[str, int]) -> None:
        self.twin, self.wanted, self.durations = twin, wanted, durations
        self.trajectories = wanted.trajectories()
        self.cap = 1 + max((int(t) for c in self.trajectories for t in c.times), default=0)

    def truths(self, state):
        return [
            tuple(self.twin.holds(part, state, {}) for part in constraint.parts)
            for constraint in self.trajectories
        ]

    def start(self):
        state = self.twin.initial
        known = map(begin, self.trajectories, self.truths(state))
        return state, tuple(known), 0

    def wait(self, node, ticks: int):
        state, known, now = node
        passed = (
            pass_ticks(c, k, t, now, ticks)
            for c, k, t in zip(self.trajectories, known, self.truths(state), strict=True)
        )
        return state, tuple(passed), now + ticks

    def act(self, node, after, ticks: int):
        """The node that an action leads to."""
        _, known, now = self.wait(node, ticks)
        reached = (
            reach(c, k, t, now)
            for c, k, t in zip(self.trajectories, known, self.truths(after), strict=True)
        )
        return after, tuple(reached), now

    def forget(self, node):
        """Leave out differences that no longer matter."""
        state, known, now = node
        known = tuple(
            BROKEN if isinstance(k, int) and k > c.times[0] else k
            for c, k in zip(self.trajectories, known, strict=True)
        )
        return state, known, min(now, self.cap)

    def value(self, node, spent: Fraction) -> Fraction | None:
        """The metric of a plan that ends here; None if it may not."""
        state, known, now = node
        kept = {
            id(c): is_kept(c, k, t, now)
            for c, k, t in zip(self.trajectories, known, self.truths(state), strict=True)
        }
        if not self.twin.holds(self.wanted.goal, state, {}):
            return None
        if not all(kept[id(constraint)] for constraint in self.wanted.constraints):
            return None
        total = spent * self.wanted.cost_weight
        for preference in self.wanted.preferences:
            total += 0 if kept[id(preference.body)] else preference.price
        return total

    def find_best(self, limit: int) -> Fraction | None:
        """The least metric of all plans; None without any.

        Raises:
            TooManyStates: there are more than `limit`.
        """

        def follow(node):
            if node[2] < self.cap:
                yield 0, self.forget(self.wait(node, 1))
            for action, arguments, after in self.twin.transitions(node[0]):
                reached = self.act(node, after, self.durations[action])
                yield self.twin.cost(action, arguments), self.forget(reached)

        ways = settle(self.forget(self.start()), follow, limit, zero=Fraction(0))
        values = (self.value(node, spent) for spent, node in ways)
        return min((value for value in values if value is not None), default=None)

    def value_plan(self, steps, starts) -> Fraction | None:
        """The metric of a plan with the start of each step (ticks); None if it can't be done."""
        node, spent = self.start(), Fraction(0)
        for (action, arguments), start in zip(steps, starts, strict=True):
            after = self.twin.step(node[0], action, arguments)
            if after is None or start < node[2]:
                return None
            spent += self.twin.cost(action, arguments)
            node = self.act(self.wait(node, start - node[2]), after, self.durations[action])
        return self.value(node, spent)
