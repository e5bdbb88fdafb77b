# SPDX-License-Identifier: Apache-2.0
"""Monitors of trajectory constraints: facts that remember what the states were.

Each constraint gets a fact that holds as long as the plan could end there with the constraint kept,
and, if that is not enough to go on from, facts for what was seen. A monitor says how they change
with a step, from the conditions of the constraint before and after it (Bonassi, Gerevini, Percassi
and Scala, On Planning with Qualitative State-Trajectory Constraints in PDDL3 by Compiling them
Away, ICAPS 2021). A step that would break for good what must be kept is forbidden instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import (
    Crisp,
    Formula,
    Graded,
    evaluate,
    make_both,
    make_complement,
)
from fcp_ros.planning.goal.ground_goal import GroundConstraint


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact of a constraint that becomes true or false where a condition holds before a step."""

    when: Formula
    fact: Fact
    holds: bool


@dataclass(frozen=True, slots=True)
class Ban:
    """A condition under which a step is forbidden."""

    when: Formula


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """A step, as far as a monitor is told of it.

    Attributes:
        before, after: give the conditions of the constraint before and after it, by their numbers,
            both as formulas over the state before it.
        raised, lowered: numbers of the conditions that it may make true, and false.
        earliest, latest: the times between which it ends (s); no smaller range is known.
    """

    before: Callable[[int], Formula]
    after: Callable[[int], Formula]
    raised: frozenset[int]
    lowered: frozenset[int]
    duration: float
    earliest: float = 0.0
    latest: float = math.inf

    @property
    def touches(self) -> bool:
        """True if it changes any fact that the conditions speak of."""
        return bool(self.raised or self.lowered)


ChangeFinder = Callable[[ObservedStep], Iterable[FactChange | Ban]]


def find_no_times(_duration: float) -> tuple[float, ...]:
    """Find no time that matters."""
    return ()


@dataclass(frozen=True, slots=True)
class ConstraintMonitor:
    """The facts of one constraint."""

    constraint: GroundConstraint
    initial: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    change: ChangeFinder
    # True if it has to be told of the steps that do not touch its conditions, too
    concerns_all: bool = False
    prunes: bool = False  # True if that is no need, but finds out sooner that a plan leads nowhere
    # gives the times (s) by which it matters that a step of some duration (s) ends
    latest: Callable[[float], tuple[float, ...]] = find_no_times
    earliest: tuple[float, ...] = ()  # the times (s) from which on it matters that a step ends
    exclusive: bool = False  # True if at most one of its facts holds at a time


def make_monitor(constraint: GroundConstraint, held: set[Fact]) -> ConstraintMonitor:
    """Make the monitor of a constraint without times."""
    now = [holds_initially(part, held) for part in constraint.parts]
    return _MAKERS[constraint.operator](constraint, now)


def _make_always_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    kept = constraint.fact

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        if 0 in step.lowered:
            yield _lose(constraint, make_complement(step.after(0)))

    return ConstraintMonitor(constraint, (kept,) if now[0] else (), (kept,), change)


def _make_sometime_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    kept = constraint.fact

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        if 0 in step.raised:
            yield FactChange(step.after(0), kept, True)

    return ConstraintMonitor(constraint, (kept,) if now[0] else (), (kept,), change)


def _make_once_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    kept, seen = constraint.fact, _name_seen(constraint)

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        yield FactChange(step.after(0), seen, True)
        again = make_both((step.after(0), make_complement(step.before(0)), Crisp(seen)))
        yield _lose(constraint, again)

    initial = (kept, seen) if now[0] else (kept,)
    return ConstraintMonitor(constraint, initial, (kept, seen), change)


def _make_after_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    kept = constraint.fact

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        # Where the first condition held before, the constraint was kept already.
        if 0 in step.raised:
            yield FactChange(step.after(0), kept, True)
        due = make_both((step.after(1), make_complement(step.after(0))))
        yield FactChange(due, kept, False)

    initial = (kept,) if now[0] or not now[1] else ()
    return ConstraintMonitor(constraint, initial, (kept,), change)


def _make_before_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    kept, seen = constraint.fact, _name_seen(constraint)

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        # What held before was seen, or has lost the constraint, already.
        if 0 in step.raised:
            yield FactChange(step.after(0), seen, True)
        if 1 in step.raised:
            yield _lose(constraint, make_both((step.after(1), make_complement(Crisp(seen)))))

    initial = (*(() if now[1] else (kept,)), *((seen,) if now[0] else ()))
    return ConstraintMonitor(constraint, initial, (kept, seen), change)


def _make_sequence_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> ConstraintMonitor:
    """Make the monitor of FIRST_THEN: a fact for each part that was reached, in order."""
    last = constraint.fact
    reached = [*(Fact(f"part {n} of {last.relation}", ()) for n in range(1, len(now))), last]
    at_once = len(list(itertools.takewhile(bool, now)))

    def change(step: ObservedStep) -> Iterator[FactChange]:
        for number, fact in enumerate(reached):
            for first in range(number + 1):
                earlier = [Crisp(reached[first - 1])] if first else []
                yield FactChange(
                    make_both([*earlier, *map(step.after, range(first, number + 1))]), fact, True
                )

    return ConstraintMonitor(constraint, tuple(reached[:at_once]), tuple(reached), change)


_MAKERS: Mapping[
    TrajectoryOperator, Callable[[GroundConstraint, Sequence[bool]], ConstraintMonitor]
] = {
    TrajectoryOperator.ALWAYS: _make_always_monitor,
    TrajectoryOperator.SOMETIME: _make_sometime_monitor,
    TrajectoryOperator.AT_MOST_ONCE: _make_once_monitor,
    TrajectoryOperator.AFTER: _make_after_monitor,
    TrajectoryOperator.BEFORE: _make_before_monitor,
    TrajectoryOperator.FIRST_THEN: _make_sequence_monitor,
}
"""The makers of monitors; each takes the conditions that hold initially, by their numbers."""


def _lose(constraint: GroundConstraint, when: Formula) -> FactChange | Ban:
    return Ban(when) if constraint.hard else FactChange(when, constraint.fact, False)


def _name_seen(constraint: GroundConstraint) -> Fact:
    return Fact(f"seen for {constraint.fact.relation}", ())


def holds_initially(formula: Formula, held: set[Fact]) -> bool:
    """Decide a formula over relations in the initial state."""

    def degree_of(leaf: Crisp | Graded) -> float:
        return float(isinstance(leaf, Crisp) and leaf.fact in held)

    return evaluate(formula, degree_of, min) >= 1.0
