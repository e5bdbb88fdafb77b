# SPDX-License-Identifier: Apache-2.0
"""Goal to ground goal: a formula for the last state, and what is asked beside it.

Conditions, constraints, preferences and counts have no variables any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.structure import has_requirements, split_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Preference,
    TrajectoryConstraint,
    TypedVariable,
    free_variables,
    substitute,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Both,
    Crisp,
    Formula,
    Wanted,
    find_wanted,
    make_both,
)
from fcp_ros.planning.goal.grounding import HELD_BY_FIRST, ConditionGrounding, Environment
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch


@dataclass(frozen=True, slots=True)
class GroundConstraint:
    """A trajectory constraint without variables."""

    operator: TrajectoryOperator
    parts: tuple[Formula, ...]
    fact: Fact
    hard: bool
    times: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class GroundPreference:
    """A preference without variables."""

    name: str
    weight: float  # giving it up scales the membership by 1 - weight * (1 - degree of the body)
    cost: Fraction
    body: Formula
    text: str
    required: bool = False
    # True for a part of the goal that may be left out for a budget. As long as it is kept, it
    # counts as a condition does; leaving it out costs the plan that part.
    is_part: bool = False
    steps: int = 0  # what giving it up costs where steps are counted


@dataclass(frozen=True, slots=True)
class GroundCount:
    """At least `number` of some conditions hold."""

    number: int
    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class GroundGoal:
    """A goal without variables."""

    formula: Formula  # the condition on the last state; facts of constraints may occur in it
    counts: tuple[GroundCount, ...] = ()
    preferences: tuple[GroundPreference, ...] = ()
    constraints: tuple[GroundConstraint, ...] = ()

    @property
    def parts(self) -> int:
        """The number of its parts that may be left out; 0 unless there are at least two."""
        return sum(preference.is_part for preference in self.preferences)

    @property
    def is_plain(self) -> bool:
        """True if the formula says it all."""
        return not (self.counts or self.preferences or self.constraints)

    def require(self, number: int) -> GroundGoal:
        """Return the goal with a preference that must not be given up.

        It counts as before otherwise: plans for both goals can be compared.
        """
        chosen = self.preferences[number]
        parts = chosen.body.parts if isinstance(chosen.body, Both) else (chosen.body,)
        facts = {part.fact for part in parts if isinstance(part, Crisp)}
        before, after = self.preferences[:number], self.preferences[number + 1 :]
        return replace(
            self,
            preferences=(*before, replace(chosen, required=True), *after),
            constraints=tuple(replace(c, hard=c.hard or c.fact in facts) for c in self.constraints),
        )

    def find_wanted(self) -> Wanted:
        """Find the facts that matter.

        Constraints matter both ways: an operator that breaks a condition has to be seen to do so.
        """
        found = find_wanted(self.formula)
        positive, negative = set(found.positive), set(found.negative)
        for part in self._list_others():
            others = find_wanted(part)
            positive |= others.positive
            negative |= others.negative
        own = {constraint.fact for constraint in self.constraints}
        for constraint in self.constraints:
            for part in constraint.parts:
                speaks = find_wanted(part)
                positive |= speaks.positive | speaks.negative
                negative |= speaks.positive | speaks.negative
        return Wanted(frozenset(positive - own), frozenset(negative - own))

    def _list_others(self) -> Iterator[Formula]:
        for count in self.counts:
            yield from count.parts
        for preference in self.preferences:
            yield preference.body


MAX_PREFERENCES = 20_000
"""Goals with more preferences, after static simplification, are refused with UNSUPPORTED."""


def ground_goal(
    goal: Expression,
    types: Mapping[str, str],
    domain: Domain,
    instance: Instance,
    watch: Watch,
    *,
    in_parts: bool = False,
) -> GroundGoal:
    """Ground a goal: replace variables by elements and evaluate static facts."""
    conditions = ConditionGrounding(domain, instance, watch)
    if in_parts:
        parts = split_goal(goal, types, instance)
        ground = _GoalGrounding(conditions, types).ground(parts.hard, parts.optional)
        if ground.parts > 1:
            return ground
    return _GoalGrounding(conditions, types).ground((goal,))


class _GoalGrounding:
    def __init__(self, conditions: ConditionGrounding, types: Mapping[str, str]) -> None:
        self._conditions = conditions
        self._types = types
        self._formulas: list[Formula] = []
        self._counts: list[GroundCount] = []
        self._preferences: list[GroundPreference] = []
        self._constraints: dict[tuple[object, ...], GroundConstraint] = {}

    def ground(self, goal: Iterable[Expression], optional: Iterable[Expression] = ()) -> GroundGoal:
        for part in optional:
            self._prefer(Preference(1.0, Fraction(0), part), {}, is_part=True)
        rest = tuple(one for conjunct in goal for one in self._take(conjunct, {}))
        if rest:
            condition = rest[0] if len(rest) == 1 else And(rest)
            free = tuple(
                TypedVariable(name, self._types[name]) for name in free_variables(condition)
            )
            body = Exists(free, condition) if free else condition
            self._formulas.insert(0, self._conditions.ground(body, {}))
        return GroundGoal(
            make_both(self._formulas),
            tuple(self._counts),
            tuple(self._preferences),
            tuple(self._constraints.values()),
        )

    def _take(self, goal: Expression, environment: Environment) -> Iterator[Expression]:
        """Ground the requirements of a goal; yield the conditions that are left."""
        if isinstance(goal, And):
            for part in goal.parts:
                yield from self._take(part, environment)
        elif isinstance(goal, Forall) and has_requirements(goal.body):
            for inner in self._conditions.bind_all(goal.variables, environment, goal.body):
                yield from self._take(goal.body, inner)
        elif isinstance(goal, TrajectoryConstraint):
            self._formulas.append(self._constrain(goal, environment, hard=True))
        elif isinstance(goal, Preference) and _binds_all(goal, environment):
            self._prefer(goal, environment)
        elif isinstance(goal, Count) and _binds_all(goal, environment):
            self._count(goal, environment)
        else:
            yield _bind(goal, environment)

    def _prefer(
        self, preference: Preference, environment: Environment, is_part: bool = False
    ) -> None:
        body = self._ground_body(preference.body, environment)
        if body != TRUE:
            text = to_text(_bind(preference.body, environment))
            if len(self._preferences) == MAX_PREFERENCES:
                raise Interrupted(
                    PlanStatus.UNSUPPORTED,
                    f"The goal has more than {MAX_PREFERENCES} preferences: narrow the variables "
                    f"of a `forall` around them with {self._conditions.narrowing}.",
                )
            self._preferences.append(
                GroundPreference(
                    preference.name, preference.weight, preference.cost, body, text, is_part=is_part
                )
            )

    def _ground_body(self, body: Expression, environment: Environment) -> Formula:
        if isinstance(body, And):
            return make_both(self._ground_body(part, environment) for part in body.parts)
        if isinstance(body, Forall) and has_requirements(body.body):
            inner = self._conditions.bind_all(body.variables, environment, body.body)
            return make_both(self._ground_body(body.body, each) for each in inner)
        if isinstance(body, TrajectoryConstraint):
            return self._constrain(body, environment, hard=False)
        return self._conditions.ground(body, environment)

    def _count(self, count: Count, environment: Environment) -> None:
        if count.bound is Bound.MOST:
            chosen, body = self._conditions.choose(count, environment)
            for inner in chosen:
                self._prefer(Preference(1.0 / len(chosen), Fraction(0), body), inner)
            return
        for number, parts in self._conditions.list_counts(count, environment):
            left = number - sum(part == TRUE for part in parts)
            open_ = tuple(part for part in parts if part not in (TRUE, FALSE))
            if left > len(open_):
                self._formulas.append(FALSE)
            elif left == len(open_):
                self._formulas.extend(open_)
            elif left > 0:
                self._counts.append(GroundCount(left, open_))

    def _constrain(
        self, constraint: TrajectoryConstraint, environment: Environment, hard: bool
    ) -> Formula:
        """Ground a constraint; return what has to hold in the last state."""
        parts = tuple(self._conditions.ground(part, environment) for part in constraint.parts)
        settled = _settle(constraint.operator, parts)
        if settled is not None:
            return settled
        key = (constraint.operator, parts, constraint.times)
        known = self._constraints.get(key)
        if known is None:
            name = to_text(_bind(constraint, environment))
            fact = Fact(name, ())
            self._constraints[key] = GroundConstraint(
                constraint.operator, parts, fact, hard, constraint.times
            )
        elif hard and not known.hard:
            self._constraints[key] = replace(known, hard=True)
        return Crisp(self._constraints[key].fact)


def _binds_all(expression: Expression, environment: Environment) -> bool:
    return environment.keys() >= set(free_variables(expression))


def _bind(expression: Expression, environment: Environment) -> Expression:
    return substitute(expression, {name: Constant(to) for name, to in environment.items()})


def _settle(operator: TrajectoryOperator, parts: tuple[Formula, ...]) -> Formula | None:
    """Decide a constraint by parts that never change; None if that is not possible."""
    first, last = parts[0], parts[-1]
    if operator in HELD_BY_FIRST:  # there is always a state that counts
        return first if first in (TRUE, FALSE) else None
    if operator is TrajectoryOperator.AT_MOST_ONCE:
        return TRUE if first in (TRUE, FALSE) else None
    if operator is TrajectoryOperator.FIRST_THEN:
        return FALSE if FALSE in parts else TRUE if set(parts) == {TRUE} else None
    answered = operator in (TrajectoryOperator.AFTER, TrajectoryOperator.ALWAYS_WITHIN)
    if last == FALSE or (answered and first == TRUE):
        return TRUE
    return None
