# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints attached to a task: its operators keep account of them.

The monitors (trajectory_monitors.py) say what changes with a step. Here the changes become
effects on the facts of the constraints, and what a plan must not do becomes conditions. The
conditions are those of the state *before* the operator, found by regression. Where it matters by
when a step ends, it becomes an operator for each window of time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    AtLeast,
    Crisp,
    Formula,
    Instantiation,
    Settled,
    find_demand,
    find_wanted,
    make_both,
    make_complement,
    make_either,
    rebuild,
)
from fcp_ros.planning.goal.ground_goal import GroundConstraint
from fcp_ros.planning.goal.trajectory_monitors import (
    ConstraintMonitor,
    FactChange,
    ObservedStep,
    make_monitor,
    make_timed_monitor,
)
from fcp_ros.planning.model.ground_step import compute_duration
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.task.task import (
    FactKey,
    GroundClause,
    GroundEffect,
    GroundOperator,
    Task,
    index_changes,
)

MAX_WINDOWS = 64
"""An operator is split into at most this many, by the times that matter to constraints."""
MAX_PRUNING = 8
"""Constraints with times that every operator is told of, though only some change them. Each makes a
condition of all operators; on a house of 1,000 things, 800 of them took more than a minute."""
MAX_EFFECTS = 500_000
"""Constraints that count from a trigger give operators at most this many effects in all."""


def attach_constraints(task: Task, constraints: Sequence[GroundConstraint], check: Check) -> Task:
    """Return a task whose operators keep account of trajectory constraints.

    Args:
        task: the task; no operator of it stands for several (see relevance/overwriting.py).
    """
    if not constraints:
        return task
    if task.axioms:
        _refuse_derived(task, constraints)
    timed = any(constraint.times for constraint in constraints)
    durations = _list_durations(task) if timed else [0.0] * len(task.operators)
    held = {task.facts[fact] for fact in task.initial}
    monitors = [
        make_timed_monitor(constraint, held, durations)
        if constraint.times
        else make_monitor(constraint, held)
        for constraint in constraints
    ]
    _refuse_waiting(task, monitors)
    attachment = _Attachment(task, monitors, check)
    found = [
        (number, variant)
        for number, operator in enumerate(task.operators)
        for variant in attachment.attach(operator, durations[number])
    ]
    return _rebuild(task, found, attachment.ids, monitors)


def _list_durations(task: Task) -> list[float]:
    return [
        compute_duration(operator.rule, operator.arguments, task.instance)
        for operator in task.operators
    ]


def _refuse_derived(task: Task, constraints: Sequence[GroundConstraint]) -> None:
    """Refuse constraints on derived facts: no operator says when those come to hold."""
    for constraint in constraints:
        for part in constraint.parts:
            wanted = find_wanted(part)
            for fact in sorted(wanted.positive | wanted.negative):
                if fact.relation in task.domain.derived:
                    raise Interrupted(
                        PlanStatus.UNSUPPORTED,
                        f"A constraint on the states of a plan speaks of {fact}, which is derived: "
                        "write the condition that it follows from instead.",
                    )


def _refuse_waiting(task: Task, monitors: Sequence[ConstraintMonitor]) -> None:
    """Refuse to count from a trigger where a plan may have to wait."""
    counting = [
        monitor.constraint
        for monitor in monitors
        if monitor.constraint.operator is TrajectoryOperator.ALWAYS_WITHIN
    ]
    if not counting:
        return
    name = counting[0].fact.relation
    effects = sum(len(m.facts) for m in monitors if m.exclusive) * len(task.operators)
    if effects > MAX_EFFECTS:
        raise Interrupted(
            PlanStatus.UNSUPPORTED,
            f"{name}: there are too many actions, and times that they can take: allow less time.",
        )
    waiting = sorted({o.rule.name for o in task.operators if o.rule.window.opens > 0.0})
    if waiting or any(monitor.earliest for monitor in monitors):
        cause = (
            f"for the window of {waiting[0]}" if waiting else "for the end of a `hold ... during`"
        )
        fix = "let it open at 0" if waiting else "write `hold ... after`"
        raise Interrupted(
            PlanStatus.UNSUPPORTED,
            f"{name}: time can't be counted from a trigger where a plan may wait {cause}: {fix}.",
        )


def _rebuild(
    task: Task,
    found: Sequence[tuple[int, GroundOperator]],
    ids: dict[Fact, int],
    monitors: Sequence[ConstraintMonitor],
) -> Task:
    operators = [operator for _, operator in found]
    adders, deleters = index_changes(operators, len(ids))
    new = [fact for monitor in monitors for fact in monitor.facts]
    initial = {ids[fact] for monitor in monitors for fact in monitor.initial}
    groups = [tuple(ids[f] for f in monitor.facts) for monitor in monitors if monitor.exclusive]
    return replace(
        task,
        facts=(*task.facts, *new),
        fact_ids=ids,
        initial=task.initial | initial,
        operators=operators,
        adders=adders,
        deleters=deleters,
        keys=(*task.keys, *(() for _ in new)),
        purposes=[task.purposes[n] for n, _ in found] if task.purposes else task.purposes,
        mutex_groups=(*task.mutex_groups, *groups),
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """The times (s) between which a step ends, and what follows from that."""

    earliest: float
    latest: float
    effects: tuple[GroundEffect, ...]
    bans: tuple[Case, ...]

    def covers(self, other: _Window) -> bool:
        """Return True if the other one allows nothing more."""
        same = self.effects == other.effects and self.bans == other.bans
        return same and self.earliest <= other.earliest and self.latest >= other.latest


class _Attachment:
    """Attaches monitors to the operators of a task."""

    def __init__(self, task: Task, monitors: Sequence[ConstraintMonitor], check: Check) -> None:
        new = (fact for monitor in monitors for fact in monitor.facts)
        self.ids = {**task.fact_ids, **{f: len(task.facts) + n for n, f in enumerate(new)}}
        self._task = task
        self._exclusive = ExclusiveFacts(task)
        self._check = check
        pruning = [monitor for monitor in monitors if monitor.prunes]
        self._everywhere = [monitor for monitor in monitors if monitor.concerns_all]
        self._everywhere += pruning if len(pruning) <= MAX_PRUNING else []
        self._speaks: dict[int, list[tuple[ConstraintMonitor, int, bool]]] = {}
        for monitor in monitors:
            for number, part in enumerate(monitor.constraint.parts):
                wanted = find_wanted(part)
                for facts, upright in ((wanted.positive, True), (wanted.negative, False)):
                    for fact in facts & self.ids.keys():
                        spoken = self._speaks.setdefault(self.ids[fact], [])
                        spoken.append((monitor, number, upright))

    def attach(self, operator: GroundOperator, duration: float) -> Iterator[GroundOperator]:
        """Yield the operators that an operator becomes; none if it always breaks a constraint."""
        self._check()
        concerned: dict[int, ConstraintMonitor] = {}
        raised: dict[int, set[int]] = {}
        lowered: dict[int, set[int]] = {}
        for fact, holds in _list_changed(operator):
            for monitor, number, upright in self._speaks.get(fact, ()):
                concerned[id(monitor)] = monitor
                side = raised if holds is upright else lowered
                side.setdefault(id(monitor), set()).add(number)
        concerned.update((id(monitor), monitor) for monitor in self._everywhere)
        if not concerned:
            yield operator
            return
        regression = OperatorRegression(operator, self._task, self.ids, self._exclusive)
        steps = []
        for key, monitor in concerned.items():
            parts = monitor.constraint.parts
            step = ObservedStep(
                cache(lambda number, parts=parts: regression.simplify(parts[number])),
                cache(lambda number, parts=parts: regression.regress(parts[number])),
                frozenset(raised.get(key, ())),
                frozenset(lowered.get(key, ())),
                duration,
            )
            steps.append((monitor, step))
        for window in self._find_windows(steps, duration):
            yield _restrict(operator, window, duration)

    def _find_windows(
        self, steps: Sequence[tuple[ConstraintMonitor, ObservedStep]], duration: float
    ) -> list[_Window]:
        """Find the windows of time in which a step does different things, the widest first."""
        latest = {math.inf, *(time for monitor, _ in steps for time in monitor.latest(duration))}
        earliest = {0.0, *(time for m, step in steps if step.touches for time in m.earliest)}
        found: list[_Window] = []
        for last in sorted(latest, reverse=True):
            for first in sorted(earliest):
                if max(first, duration) > last + EPSILON:
                    continue
                self._check()
                window = self._observe(steps, first, last)
                if window is not None and not any(other.covers(window) for other in found):
                    found.append(window)
                if len(found) > MAX_WINDOWS:
                    raise Interrupted(
                        PlanStatus.UNSUPPORTED,
                        f"Constraints with times make more than {MAX_WINDOWS} cases of one action: "
                        "use fewer different times.",
                    )
        return found

    def _observe(
        self, steps: Sequence[tuple[ConstraintMonitor, ObservedStep]], first: float, last: float
    ) -> _Window | None:
        effects: list[GroundEffect] = []
        bans: list[Case] = []
        for monitor, step in steps:
            for change in monitor.change(replace(step, earliest=first, latest=last)):
                cases = list_cases(change.when, self.ids)
                if isinstance(change, FactChange):
                    fact = self.ids[change.fact]
                    effects.extend(_make_effect(case, fact, change.holds) for case in cases)
                    continue
                if any(not present and not absent for present, absent in cases):
                    return None
                bans.extend(cases)
        return _Window(first, last, tuple(effects), tuple(dict.fromkeys(bans)))


def _restrict(operator: GroundOperator, window: _Window, duration: float) -> GroundOperator:
    pre, absent = dict.fromkeys(operator.pre), dict.fromkeys(operator.absent)
    clauses = list(operator.clauses)
    for present, missing in window.bans:
        if len(present) + len(missing) > 1:
            clauses.append(GroundClause(tuple(sorted(missing)), tuple(sorted(present))))
        pre.update(dict.fromkeys(missing if not present and len(missing) == 1 else ()))
        absent.update(dict.fromkeys(present if not missing and len(present) == 1 else ()))
    return replace(
        operator,
        pre=tuple(pre),
        absent=tuple(absent),
        effects=(*operator.effects, *window.effects),
        clauses=tuple(clauses),
        opens=max(0.0, window.earliest - duration),
        closes=window.latest,
    )


def _make_effect(case: Case, fact: int, holds: bool) -> GroundEffect:
    present, absent = (tuple(sorted(side)) for side in case)
    return GroundEffect(present, absent, (fact,) if holds else (), () if holds else (fact,))


def _list_changed(operator: GroundOperator) -> Iterator[tuple[int, bool]]:
    yield from ((fact, True) for fact in operator.add)
    yield from ((fact, False) for fact in operator.delete)
    for effect in operator.effects:
        yield from ((fact, True) for fact in effect.add)
        yield from ((fact, False) for fact in effect.delete)


# --- regression of a condition through an operator, and the cases in which a condition holds


MAX_CASES = 2_000
"""A condition that changes in more cases than this with one operator is refused."""

Case = tuple[frozenset[int], frozenset[int]]
"""Facts that hold, and facts that do not."""


class ExclusiveFacts:
    """The facts that can't hold beside a fact: those of its functional legs that are not broken."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._by_key: dict[FactKey, list[int]] = {}
        for fact in range(len(task.facts)):
            for key in task.keys_of(fact):
                if key not in task.broken:
                    self._by_key.setdefault(key, []).append(fact)

    def find_excluded(self, facts: Iterable[int]) -> frozenset[int]:
        """Find the facts that are false where all the given ones hold."""
        given = frozenset(facts)
        keys = {key for fact in given for key in self._task.keys_of(fact)}
        return frozenset(f for key in keys for f in self._by_key.get(key, ())) - given


class OperatorRegression:
    """The truth after an operator, as a formula over the state before it."""

    def __init__(
        self, operator: GroundOperator, task: Task, ids: dict[Fact, int], exclusive: ExclusiveFacts
    ) -> None:
        self._ids = ids
        self._facts = task.facts
        self._operator = operator
        self._needed = frozenset(operator.pre)
        self._denied = exclusive.find_excluded(operator.pre).union(operator.absent)
        self._ousted = exclusive.find_excluded(operator.add)

    def simplify(self, formula: Formula) -> Formula:
        return _replace_facts(formula, self._now)

    def regress(self, formula: Formula) -> Formula:
        """Return the formula that holds before the operator where the given one holds after it."""
        return _replace_facts(formula, self._then)

    def _now(self, fact: Fact) -> Formula:
        number = self._ids.get(fact, -1)
        if number < 0 or number in self._denied:
            return FALSE
        return TRUE if number in self._needed else Crisp(fact)

    def _then(self, fact: Fact) -> Formula:
        number, operator = self._ids.get(fact, -1), self._operator
        if number < 0:
            return FALSE
        if number in operator.add:
            return TRUE
        if number in self._ousted:
            return FALSE
        adds = make_either(self._meet(e) for e in operator.effects if number in e.add)
        if number in operator.delete:
            return adds
        deletes = make_either(self._meet(e) for e in operator.effects if number in e.delete)
        return make_either((adds, make_both((self._now(fact), make_complement(deletes)))))

    def _meet(self, effect: GroundEffect) -> Formula:
        return make_both(
            (
                *(self._now(self._facts[fact]) for fact in effect.pre),
                *(make_complement(self._now(self._facts[fact])) for fact in effect.absent),
            )
        )


def _replace_facts(formula: Formula, replacement: Callable[[Fact], Formula]) -> Formula:
    if isinstance(formula, Crisp):
        return replacement(formula.fact)
    if isinstance(formula, Instantiation):
        return _replace_facts(formula.body, replacement)
    return rebuild(formula, lambda part: _replace_facts(part, replacement))


def list_cases(formula: Formula, ids: dict[Fact, int]) -> list[Case]:
    """List cases of which one applies where a formula holds: its disjunctive normal form."""
    least: list[Case] = []
    shorter: list[Case] = []
    length = 0
    for case in sorted(dict.fromkeys(_expand(formula, True, ids)), key=_count_literals):
        if _count_literals(case) > length:  # of the same length none is wider than another
            shorter, length = least.copy(), _count_literals(case)
        if not any(one[0] <= case[0] and one[1] <= case[1] for one in shorter):
            least.append(case)
    return least


def _count_literals(case: Case) -> int:
    return len(case[0]) + len(case[1])


def _expand(formula: Formula, wanted: bool, ids: dict[Fact, int]) -> list[Case]:
    if isinstance(formula, Settled):
        return [(frozenset(), frozenset())] if (formula.degree >= 1.0) is wanted else []
    if isinstance(formula, Crisp):
        number = ids.get(formula.fact)
        if number is None:
            return [] if wanted else [(frozenset(), frozenset())]
        fact = frozenset((number,))
        return [(fact, frozenset()) if wanted else (frozenset(), fact)]
    if isinstance(formula, AtLeast):
        return _expand(formula.write_out(), wanted, ids)
    number, parts, wanted = find_demand(formula, wanted)
    if number < len(parts):
        return _limit([case for part in parts for case in _expand(part, wanted, ids)])
    cases: list[Case] = [(frozenset(), frozenset())]
    for part in parts:
        joined = (
            (one[0] | other[0], one[1] | other[1])
            for one in cases
            for other in _expand(part, wanted, ids)
        )
        cases = _limit([case for case in joined if case[0].isdisjoint(case[1])])
    return cases


def _limit(cases: list[Case]) -> list[Case]:
    cases = list(dict.fromkeys(cases))
    if len(cases) > MAX_CASES:
        raise Interrupted(
            PlanStatus.UNSUPPORTED,
            f"A trajectory constraint changes in more than {MAX_CASES} cases with one action: "
            "split its condition into several constraints.",
        )
    return cases
