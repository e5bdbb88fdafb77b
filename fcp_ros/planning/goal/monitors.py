# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints compiled into a task: facts that remember what the states were.

Each constraint gets a fact that holds as long as the plan could end there with the constraint kept,
and, if that is not enough to go on from, facts for what was seen. Operators that change the truth
of a condition get effects on these facts; the conditions of the effects are those of the state
*before* the operator, found by regression (Bonassi, Gerevini, Percassi and Scala, On Planning with
Qualitative State-Trajectory Constraints in PDDL3 by Compiling them Away, ICAPS 2021). An operator
that would break for good what must be kept is forbidden instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import (
    Both,
    Complement,
    Crisp,
    Either,
    Formula,
    Settled,
    find_wanted,
    make_both,
    make_complement,
)
from fcp_ros.planning.goal.regression import Case, OperatorRegression, list_cases
from fcp_ros.planning.goal.requirements import GroundConstraint
from fcp_ros.planning.task.task import GroundClause, GroundEffect, GroundOperator, Task


@dataclass(frozen=True, slots=True)
class _Change:
    """A fact of a constraint that becomes true or false where a condition holds before a step."""

    when: Formula
    fact: Fact
    holds: bool


@dataclass(frozen=True, slots=True)
class _Monitor:
    """The facts of one constraint.

    Attributes:
        constraint: the constraint.
        initial: its facts that hold initially.
        facts: all its facts.
        change: gives the changes by an operator, from its conditions before and after the operator.
    """

    constraint: GroundConstraint
    initial: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    change: Callable[[Sequence[Formula], Sequence[Formula]], Iterable[_Change]]


def attach_constraints(
    task: Task, constraints: Sequence[GroundConstraint], check: Callable[[], None]
) -> Task:
    """Return a task whose operators keep account of trajectory constraints.

    Args:
        task: the task; no operator of it stands for several (see relevance/overwriting.py).
        constraints: the constraints.
        check: called often; may raise to stop.

    Raises:
        Interrupted: a condition is too complicated.
    """
    if not constraints:
        return task
    held = {task.facts[fact] for fact in task.initial}
    monitors = [_make_monitor(constraint, held) for constraint in constraints]
    new = [fact for monitor in monitors for fact in monitor.facts]
    ids = {**task.fact_ids, **{fact: len(task.facts) + n for n, fact in enumerate(new)}}
    speaks: dict[int, list[_Monitor]] = {}
    for monitor in monitors:
        for fact in _list_facts(monitor.constraint.parts):
            if fact in ids:
                speaks.setdefault(ids[fact], []).append(monitor)
    operators: list[GroundOperator | None] = []
    for operator in task.operators:
        check()
        operators.append(_attach(operator, speaks, task, ids, check))
    kept = [n for n, operator in enumerate(operators) if operator is not None]
    return _rebuild(task, [o for o in operators if o is not None], kept, new, ids, monitors)


def _rebuild(
    task: Task,
    operators: Sequence[GroundOperator],
    kept: Sequence[int],
    new: Sequence[Fact],
    ids: dict[Fact, int],
    monitors: Sequence[_Monitor],
) -> Task:
    adders: list[list[int]] = [[] for _ in ids]
    deleters: list[list[int]] = [[] for _ in ids]
    for number, operator in enumerate(operators):
        for fact in {*operator.add, *(f for e in operator.effects for f in e.add)}:
            adders[fact].append(number)
        for fact in {*operator.delete, *(f for e in operator.effects for f in e.delete)}:
            deleters[fact].append(number)
    initial = {ids[fact] for monitor in monitors for fact in monitor.initial}
    return replace(
        task,
        facts=(*task.facts, *new),
        fact_ids=ids,
        initial=task.initial | initial,
        operators=operators,
        adders=adders,
        deleters=deleters,
        keys=(*task.keys, *(() for _ in new)),
        purposes=[task.purposes[n] for n in kept] if task.purposes else task.purposes,
    )


def _attach(
    operator: GroundOperator,
    speaks: dict[int, list[_Monitor]],
    task: Task,
    ids: dict[Fact, int],
    check: Callable[[], None],
) -> GroundOperator | None:
    """Give an operator its effects on constraints; None if it always breaks one for good."""
    touched = {
        id(monitor): monitor for fact in _list_changed(operator) for monitor in speaks.get(fact, ())
    }
    if not touched:
        return operator
    regression = OperatorRegression(operator, task, ids)
    effects: list[GroundEffect] = list(operator.effects)
    clauses: list[GroundClause] = list(operator.clauses)
    for monitor in touched.values():
        check()
        before = [regression.simplify(part) for part in monitor.constraint.parts]
        after = [regression.regress(part) for part in monitor.constraint.parts]
        for change in monitor.change(before, after):
            cases = list_cases(change.when, ids)
            if change.fact != monitor.constraint.fact or not _is_final(monitor.constraint):
                effects.extend(_make_effect(case, ids[change.fact], change.holds) for case in cases)
                continue
            if any(not present and not absent for present, absent in cases):
                return None
            clauses.extend(
                GroundClause(tuple(sorted(absent)), tuple(sorted(present)))
                for present, absent in cases
            )
    return replace(operator, effects=tuple(effects), clauses=tuple(clauses))


def _make_effect(case: Case, fact: int, holds: bool) -> GroundEffect:
    present, absent = (tuple(sorted(side)) for side in case)
    return GroundEffect(present, absent, (fact,) if holds else (), () if holds else (fact,))


def _is_final(constraint: GroundConstraint) -> bool:
    """Return True if a plan must not break the constraint, and could not mend it."""
    lasting = (
        TrajectoryOperator.ALWAYS,
        TrajectoryOperator.AT_MOST_ONCE,
        TrajectoryOperator.BEFORE,
    )
    return constraint.hard and constraint.operator in lasting


# --- constraints


def _make_monitor(constraint: GroundConstraint, held: set[Fact]) -> _Monitor:
    """Make the facts and changes of a constraint, given the facts that hold initially."""
    kept, operator = constraint.fact, constraint.operator
    now = [_holds(part, held) for part in constraint.parts]
    seen = Fact(f"seen for {kept.relation}", ())

    def make(
        initial: Iterable[Fact],
        facts: Iterable[Fact],
        change: Callable[[Sequence[Formula], Sequence[Formula]], Iterable[_Change]],
    ) -> _Monitor:
        return _Monitor(constraint, tuple(initial), tuple(facts), change)

    if operator is TrajectoryOperator.ALWAYS:
        return make(
            [kept] if now[0] else [],
            [kept],
            lambda before, after: [_Change(make_complement(after[0]), kept, False)],
        )
    if operator is TrajectoryOperator.SOMETIME:
        return make(
            [kept] if now[0] else [],
            [kept],
            lambda before, after: [_Change(after[0], kept, True)],
        )
    if operator is TrajectoryOperator.AT_MOST_ONCE:
        return make(
            [kept, seen] if now[0] else [kept],
            [kept, seen],
            lambda before, after: [
                _Change(after[0], seen, True),
                _Change(
                    make_both((after[0], make_complement(before[0]), Crisp(seen))), kept, False
                ),
            ],
        )
    if operator is TrajectoryOperator.AFTER:
        return make(
            [kept] if now[0] or not now[1] else [],
            [kept],
            lambda before, after: [
                _Change(after[0], kept, True),
                _Change(make_both((after[1], make_complement(after[0]))), kept, False),
            ],
        )
    if operator is TrajectoryOperator.BEFORE:
        return make(
            [*([] if now[1] else [kept]), *([seen] if now[0] else [])],
            [kept, seen],
            lambda before, after: [
                _Change(after[0], seen, True),
                _Change(make_both((after[1], make_complement(Crisp(seen)))), kept, False),
            ],
        )
    return _make_sequence_monitor(constraint, now)


def _make_sequence_monitor(constraint: GroundConstraint, now: Sequence[bool]) -> _Monitor:
    """Make the monitor of FIRST_THEN: a fact for each part that was reached, in order."""
    last = constraint.fact
    reached = [
        *(Fact(f"part {n} of {last.relation}", ()) for n in range(1, len(now))),
        last,
    ]
    at_once = len(list(itertools.takewhile(bool, now)))

    def change(_before: Sequence[Formula], after: Sequence[Formula]) -> Iterator[_Change]:
        for number, fact in enumerate(reached):
            for first in range(number + 1):
                earlier = [Crisp(reached[first - 1])] if first else []
                yield _Change(make_both([*earlier, *after[first : number + 1]]), fact, True)

    return _Monitor(constraint, tuple(reached[:at_once]), tuple(reached), change)


def _holds(formula: Formula, held: set[Fact]) -> bool:
    """Decide a formula over relations in a state."""
    if isinstance(formula, Settled):
        return formula.degree >= 1.0
    if isinstance(formula, Crisp):
        return formula.fact in held
    if isinstance(formula, (Both, Either)):
        combine = all if isinstance(formula, Both) else any
        return combine(_holds(part, held) for part in formula.parts)
    body = _holds(formula.body, held)  # type: ignore[union-attr]
    return not body if isinstance(formula, Complement) else body


def _list_facts(formulas: Iterable[Formula]) -> set[Fact]:
    found: set[Fact] = set()
    for formula in formulas:
        wanted = find_wanted(formula)
        found |= wanted.positive | wanted.negative
    return found


def _list_changed(operator: GroundOperator) -> Iterator[int]:
    """Yield the facts that an operator may change."""
    yield from operator.add
    yield from operator.delete
    for effect in operator.effects:
        yield from effect.add
        yield from effect.delete
