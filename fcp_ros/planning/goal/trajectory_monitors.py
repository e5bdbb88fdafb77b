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
from fcp_ros.domain.expressions.trajectories import RESOLUTION, TrajectoryOperator
from fcp_ros.planning.goal.formula import (
    TRUE,
    Crisp,
    Formula,
    Graded,
    evaluate,
    make_both,
    make_complement,
)
from fcp_ros.planning.goal.ground_goal import GroundConstraint
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted


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


# --- monitors of trajectory constraints with times
#
# Time is no part of a state: the search keeps the least time at which a state is reached, since a
# plan may always wait. So a monitor only says by when, or from when on, a step has to end for a
# change (`latest`, `earliest`), and the step becomes an operator for each such window (see
# attachment.py). Constraints that count from a trigger (ALWAYS_WITHIN) instead remember how long it
# waits, by a fact for each sum of durations that can come up; so no step may wait beside them.
#
# Times are compared when rounded (`trajectories.RESOLUTION`): "before 5 s" is "by 4.999999 s".


MAX_WAITS = 500
"""A constraint that counts from a trigger distinguishes at most this many times."""


def make_timed_monitor(
    constraint: GroundConstraint, held: set[Fact], durations: Iterable[float]
) -> ConstraintMonitor:
    if constraint.operator is TrajectoryOperator.WITHIN:
        return _make_within(constraint, held)
    if constraint.operator is TrajectoryOperator.ALWAYS_WITHIN:
        return _make_always_within(constraint, held, durations)
    return _make_hold(constraint, held)


def _make_within(constraint: GroundConstraint, held: set[Fact]) -> ConstraintMonitor:
    """Make the monitor of WITHIN: its fact is that the condition was seen in time."""
    kept, limit = constraint.fact, float(constraint.times[0])
    if holds_initially(constraint.parts[0], held):
        return ConstraintMonitor(constraint, (kept,), (kept,), lambda _: ())

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        if step.latest <= limit:
            if step.touches:
                yield FactChange(step.after(0), kept, True)
        elif constraint.hard:  # it is too late to see it
            yield Ban(make_complement(Crisp(kept)))

    return ConstraintMonitor(
        constraint, (), (kept,), change, prunes=constraint.hard, latest=lambda _: (limit,)
    )


def _make_hold(constraint: GroundConstraint, held: set[Fact]) -> ConstraintMonitor:
    """Make the monitor of HOLD_AFTER and HOLD_DURING.

    Until the constraint begins, its fact `kept` follows the condition. From then on it is only
    lost: the state that lasts when the constraint begins has to keep it, and so has each one that
    is reached until it ends. A step that ends later may break the condition.
    """
    (condition,), kept = constraint.parts, constraint.fact
    begin = constraint.times[0]
    end = float(constraint.times[1]) if len(constraint.times) > 1 else math.inf

    def find_latest(duration: float) -> tuple[float, ...]:
        # The state before a step that takes no time is reached at the same time and counts as well.
        last = begin if _count(duration) else begin - RESOLUTION
        return (float(last),) if begin > 0 else ()

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        if begin > 0 and step.latest <= find_latest(step.duration)[0]:
            if step.touches:
                yield FactChange(step.after(0), kept, True)
                yield FactChange(make_complement(step.after(0)), kept, False)
            return
        if constraint.hard:
            yield Ban(make_complement(Crisp(kept)))
        if step.touches and step.earliest < end:
            fails = make_complement(step.after(0))
            yield Ban(fails) if constraint.hard else FactChange(fails, kept, False)

    return ConstraintMonitor(
        constraint,
        (kept,) if holds_initially(condition, held) else (),
        (kept,),
        change,
        prunes=constraint.hard,
        latest=find_latest,
        earliest=(end,) if end < math.inf else (),
    )


def _make_always_within(
    constraint: GroundConstraint, held: set[Fact], durations: Iterable[float]
) -> ConstraintMonitor:
    """Make the monitor of ALWAYS_WITHIN: a fact for each time (us) that a trigger can wait.

    Without any of these facts, and without `kept`, the constraint is broken for good.
    """
    kept = constraint.fact
    limit = int(constraint.times[0] / RESOLUTION)
    waits = _list_sums(durations, limit)
    waiting = {wait: Fact(f"{wait} us for {kept.relation}", ()) for wait in waits}
    answered, triggered = (holds_initially(part, held) for part in constraint.parts)

    def pass_time(step: ObservedStep, wait: int, unanswered: Formula) -> Iterator[FactChange | Ban]:
        """Let a trigger wait for a step that does not answer it."""
        now, later = Crisp(waiting[wait]), wait + _count(step.duration)
        if later == wait:
            return
        still = make_both((now, unanswered))
        if later in waiting:
            yield FactChange(still, waiting[wait], False)
            yield FactChange(still, waiting[later], True)
        else:
            yield Ban(still) if constraint.hard else FactChange(still, waiting[wait], False)

    def change(step: ObservedStep) -> Iterator[FactChange | Ban]:
        if not step.touches:
            for wait in waits:
                yield from pass_time(step, wait, TRUE)
            return
        answers, triggers = step.after(0), step.after(1)
        fails = make_complement(answers)
        for wait in waits:
            if wait + _count(step.duration) > limit:
                yield from pass_time(step, wait, TRUE)
                continue
            answered_now = make_both((Crisp(waiting[wait]), answers))
            yield FactChange(answered_now, waiting[wait], False)
            yield FactChange(answered_now, kept, True)
            yield from pass_time(step, wait, fails)
        begins = make_both((Crisp(kept), triggers, fails))
        yield FactChange(begins, kept, False)
        yield FactChange(begins, waiting[0], True)

    return ConstraintMonitor(
        constraint,
        (waiting[0],) if triggered and not answered else (kept,),
        (kept, *waiting.values()),
        change,
        concerns_all=True,
        exclusive=True,
    )


def _count(duration: float) -> int:
    return round(duration / float(RESOLUTION))


def _list_sums(durations: Iterable[float], limit: int) -> list[int]:
    """List the sums of durations up to a limit, in microseconds, from 0 on."""
    steps = sorted({_count(duration) for duration in durations} - {0})
    found, pending = {0}, [0]
    while pending:
        total = pending.pop()
        for step in steps:
            if total + step > limit:
                break
            if total + step not in found:
                found.add(total + step)
                pending.append(total + step)
        if len(found) > MAX_WAITS:
            seconds = f"{limit * float(RESOLUTION):g} s"
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"Actions can take more than {MAX_WAITS} different times within {seconds}, too "
                "many to count from a trigger: allow less time, or give the actions durations that "
                "are multiples of one unit.",
            )
    return sorted(found)
