# SPDX-License-Identifier: Apache-2.0
"""Goals without variables: a formula for the last state, and what is asked beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import Both, Crisp, Formula, Wanted, find_wanted


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
