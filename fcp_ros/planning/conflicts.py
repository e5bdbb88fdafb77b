# SPDX-License-Identifier: Apache-2.0
"""A minimal conflict of a goal, and conditions that no sequence of actions can bring about.

All conditions are compiled into one task with everything that can matter. A condition is out of
reach if none of its alternatives has facts that all can be reached there and do not exclude one
another. That is a proof; a condition for which it fails may still have no plan.

The parts are split in halves, and one half is searched for what it adds to the other (QuickXplain:
Junker, Preferred Explanations and Relaxations for Over-Constrained Problems, AAAI 2004). Every step
is a planning problem of its own; only what is proven counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.resolution import open_goal
from fcp_ros.domain.expressions.structure import has_preferences, has_requirements
from fcp_ros.domain.expressions.syntax import (
    And,
    Count,
    Exists,
    Expression,
    TypedVariable,
    free_variables,
    list_conjuncts,
    to_text,
)
from fcp_ros.grounding.judgement import JudgementRequest, Membership
from fcp_ros.planning.answer.messages import NoPlanReason, explain_conflict, explain_unsolvable
from fcp_ros.planning.answer.solution import SolverResult
from fcp_ros.planning.encoding.encode import GoalSetting
from fcp_ros.planning.goal.alternatives import KnownDegree, find_alternatives
from fcp_ros.planning.goal.division import divide_formula, is_possible
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Crisp,
    Formula,
    Graded,
    Settled,
    drop_instantiations,
    find_demand,
    find_wanted,
    make_both,
)
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.goal.grounding import ConditionGrounding
from fcp_ros.planning.goal.symmetry import SymmetryClasses
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.request import Optimise, Phase
from fcp_ros.planning.model.result import Conflict, is_crisp
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.closure import TooManyOperators
from fcp_ros.planning.session import PhaseTimes, PlanningRequest, PlanningSession, RequestContext
from fcp_ros.planning.strategy import solve_request
from fcp_ros.planning.task.task import FactKey, Task

MOST = 20_000
"""Operators of the task; a larger one is not made, and nothing is shown."""


def find_unreachable(
    conditions: Sequence[Expression],
    types: Mapping[str, str],
    setting: GoalSetting,
    known: KnownDegree,
    watch: Watch,
) -> frozenset[int]:
    """Find conditions that are proven to be out of reach.

    Returns:
        The positions of those that no plan meets, even alone. Trajectory constraints and what is
        preferred are never among them.
    """
    return _Reach(types, setting, known, watch).find(conditions)


class _Reach:
    def __init__(
        self, types: Mapping[str, str], setting: GoalSetting, known: KnownDegree, watch: Watch
    ) -> None:
        self._types = types
        self._setting = setting
        self._known = known
        self._watch = watch
        self._grounding = ConditionGrounding(setting.compiler.domain, setting.instance, watch)

    def find(self, conditions: Sequence[Expression]) -> frozenset[int]:
        never: set[int] = set()
        needed: dict[int, list[tuple[int, list[str]]]] = {}
        pieces: dict[str, Formula] = {}
        for position, condition in enumerate(conditions):
            if has_requirements(condition):
                continue
            needed[position] = []
            for number, formulas in self._list_demands(condition):
                left = number - sum(one == TRUE for one in formulas)
                marks = []
                for one in formulas:
                    if left > 0 and one not in (TRUE, FALSE):
                        mark = str(len(pieces))
                        pieces[mark] = drop_instantiations(one)
                        marks.append(mark)
                if left > len(marks):
                    never.add(position)
                needed[position].append((left, marks))
        reached = self._find_reached(pieces)
        for position, demands in needed.items():
            if any(sum(mark in reached for mark in marks) < left for left, marks in demands):
                never.add(position)
        return frozenset(never)

    def _list_demands(self, condition: Expression) -> Iterator[tuple[int, list[Formula]]]:
        if isinstance(condition, And) and not free_variables(condition):
            for part in condition.parts:
                yield from self._list_demands(part)
        elif isinstance(condition, Count) and not free_variables(condition):
            yield from self._grounding.list_counts(condition, {})
        else:
            free = tuple(
                TypedVariable(name, self._types[name]) for name in free_variables(condition)
            )
            closed = Exists(free, condition) if free else condition
            yield 1, [self._grounding.ground(closed, {})]

    def _find_reached(self, pieces: Mapping[str, Formula]) -> frozenset[str]:
        if not pieces:
            return frozenset()
        setting, watch = self._setting, self._watch
        whole = make_both(pieces.values())
        try:
            task = setting.compiler.wide_task(setting.instance, find_wanted(whole), watch, MOST)
        except TooManyOperators:
            return frozenset(pieces)
        return frozenset(mark for mark, one in pieces.items() if self._may_hold(one, task))

    def _may_hold(self, formula: Formula, task: Task) -> bool:
        watch = self._watch
        if not is_possible(formula, task):
            return False
        if _choose_literals(formula, True, _Literals(), task) is not None:
            return True
        try:
            return divide_formula(
                formula,
                lambda part: find_alternatives(part, self._known, self._setting.tnorm, task, watch),
                task,
            ).leads_on
        except Interrupted:
            watch.check()
            return True  # too many alternatives to look at


@dataclass(frozen=True, slots=True)
class _Literals:
    """Facts that hold, facts that do not, and the functional legs that the former occupy."""

    positive: frozenset[int] = frozenset()
    negative: frozenset[int] = frozenset()
    occupied: frozenset[FactKey] = frozenset()


def _choose_literals(
    formula: Formula, wanted: bool, given: _Literals, task: Task
) -> _Literals | None:
    """Choose literals under which a formula may hold, or may not, beside some that are given.

    Of each disjunction the first part is taken that agrees with what was taken before; so None does
    not mean that there are none.
    """
    if isinstance(formula, Settled):
        return given if (formula.degree > 0.0 if wanted else formula.degree < 1.0) else None
    if isinstance(formula, Graded):
        return given
    if isinstance(formula, Crisp):
        return _add_literal(task.fact_ids.get(formula.fact), wanted, given, task)
    number, parts, wanted = find_demand(formula, wanted)
    for part in parts:
        if number == 0:
            break
        found = _choose_literals(part, wanted, given, task)
        if found is not None:
            given, number = found, number - 1
    return given if number == 0 else None


def _add_literal(fact: int | None, holds: bool, given: _Literals, task: Task) -> _Literals | None:
    if fact is None:
        return None if holds else given
    if not holds:
        return None if fact in given.positive else replace(given, negative=given.negative | {fact})
    if fact in given.positive:
        return given
    keys = frozenset(key for key in task.keys_of(fact) if key not in task.broken)
    if fact in given.negative or not keys.isdisjoint(given.occupied):
        return None
    return replace(given, positive=given.positive | {fact}, occupied=given.occupied | keys)


SHARE = 0.5
"""Of the time that is left, at most, for finding a conflict ..."""
LEAST = 1.0
"""... and no more seconds than this, or than the request has taken so far."""

Parts = tuple[Expression, ...]


def find_conflict(context: RequestContext, goal: Expression) -> Conflict | None:
    """Find a minimal conflict of a goal that is proven to have no plan; None if it has one part."""
    body, types = open_goal(goal, context.domain)
    parts = tuple(list_conjuncts(body))
    if len(parts) < 2:
        return None
    found, minimal, proofs = _find_parts(context, parts, types)
    texts = tuple(map(to_text, found))
    alone = proofs.explain(found[0]) if len(found) == 1 else None
    return Conflict(texts, minimal, explain_conflict(texts, minimal, alone))


def _find_never(
    context: RequestContext, parts: Sequence[Expression], types: Mapping[str, str]
) -> frozenset[int]:
    nothing_alike = SymmetryClasses.from_members(())
    compiler = context.session.compiler
    setting = GoalSetting(compiler, context.instance, nothing_alike, context.tnorm)
    with context.times(Phase.COMPILE):
        return find_unreachable(parts, types, setting, context.judge.find_degree, context.watch)


def _find_parts(
    context: RequestContext, parts: Parts, types: dict[str, str]
) -> tuple[Parts, bool, _Proofs]:
    seconds = min(SHARE * context.watch.time_left, max(LEAST, context.times.total))
    proofs = _Proofs(context, types, context.watch.elapsed + seconds)
    hard = tuple(part for part in parts if not has_preferences(part))
    with suppress(Interrupted), context.watch.look_aside(seconds, enough=True):
        never = _find_never(context, hard, types)
        if never:
            return (hard[min(never)],), True, proofs
    all_hard = len(hard) == len(parts)  # then it is proven already
    suspects = hard if hard and (all_hard or proofs.has_no_plan(hard)) else parts
    return find_minimal_subset(suspects, proofs.has_no_plan), not proofs.gave_up, proofs


def find_minimal_subset(parts: Parts, is_conflict: Callable[[Parts], bool]) -> Parts:
    """Find a minimal subset of some parts that is a conflict, as all of them together are.

    Args:
        is_conflict: decides a subset; True of any that contains one of which it is True. A False
            for one that could not be decided makes the answer larger than it need be.
    """

    def find(background: Parts, added: bool, suspects: Parts) -> Parts:
        if added and is_conflict(background):
            return ()
        if len(suspects) == 1:
            return suspects
        half = len(suspects) // 2
        first, second = suspects[:half], suspects[half:]
        in_second = find((*background, *first), True, second)
        in_first = find((*background, *in_second), bool(in_second), first)
        return (*in_first, *in_second)

    return find((), False, parts)


class GoalProofs:
    """Proofs about parts of the goals of one request."""

    def __init__(self, request: PlanningRequest, session: PlanningSession) -> None:
        # A condition that the request's source judges as 0 is out of reach.
        self._context = RequestContext.begin(request, session, request.watch(Phase.EXPLAIN))
        self.judge = self._context.judge

    @property
    def elapsed(self) -> float:
        """Seconds since the request began."""
        return self._context.watch.elapsed

    def check(self) -> None:
        """Raise `Interrupted` if a limit of the request is reached."""
        self._context.watch.check()

    def find_unreachable(
        self, conditions: Sequence[Expression], types: Mapping[str, str]
    ) -> frozenset[int]:
        """Find the positions of conditions that are proven to have no plan, even alone."""
        return _find_never(self._context, conditions, types)

    def find_conflict(
        self, parts: Sequence[Expression], types: Mapping[str, str]
    ) -> tuple[tuple[int, ...], bool]:
        """Find some of the parts, proven to have no plan together, that have none themselves.

        Returns:
            Their positions, and True if all of them are proven to be needed.
        """
        found, minimal, _ = _find_parts(self._context, tuple(parts), dict(types))
        return tuple(n for n, part in enumerate(parts) if part in found), minimal


class _Assumed:
    """Assumes all degrees to be 1, as they do not matter for the existence of a plan."""

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        return [Membership(1.0, 1.0, source="assumed")] * len(requests)


class _Proofs:
    """Proofs that parts of a goal have no plan, each attempted once.

    Args:
        end: seconds after the beginning of the request, for all proofs.
    """

    def __init__(self, context: RequestContext, types: dict[str, str], end: float) -> None:
        options = replace(
            context.options, alpha=0.0, policy=None, optimise=Optimise.MEMBERSHIP, explain=False
        )
        watch = context.watch
        judge = Judge(context.domain, context.instance, _Assumed(), watch.check)
        self._context = replace(context, options=options, judge=judge, times=PhaseTimes(watch))
        self._types = types
        self._end = end
        self._known: dict[Parts, SolverResult | None] = {}
        # True if some parts were neither planned for nor proven to have no plan
        self.gave_up = False

    def has_no_plan(self, parts: Parts) -> bool:
        """Return True if it is proven that no plan meets all these parts."""
        if parts not in self._known:
            self._known[parts] = self._solve(parts)
        result = self._known[parts]
        if result is not None and (result.impossible or result.best is not None):
            return result.impossible
        self.gave_up = True
        return False

    def explain(self, part: Expression) -> NoPlanReason | None:
        """Explain why a part has no plan; None if that was not proven in time."""
        if not self.has_no_plan((part,)):
            return None
        result = self._known[part,]
        assert result is not None
        return explain_unsolvable(result, part, self._types)

    def _solve(self, parts: Parts) -> SolverResult | None:
        context, watch = self._context, self._context.watch
        goal = parts[0] if len(parts) == 1 else And(parts)
        try:
            with watch.look_aside(self._end - watch.elapsed, enough=True):
                ground = ground_goal(
                    goal,
                    self._types,
                    context.domain,
                    context.instance,
                    watch,
                    in_parts=bool(context.options.budgets),
                )
                nothing_alike = SymmetryClasses.from_members(())
                crisp = is_crisp(context.domain, goal)
                return solve_request(context, ground, nothing_alike, None, crisp)[0]
        except (Interrupted, MemoryError):
            return None
