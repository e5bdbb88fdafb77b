# SPDX-License-Identifier: Apache-2.0
"""Places of one requirement, and the elements that may take them, judged in one batch a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    Exists,
    Expression,
    ExpressionError,
    conjoin,
    free_variables,
)
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.relaxation.requirements import (
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.substitution import (
    Opening,
    Substitute,
    list_candidates,
    make_change,
)
from fcp_ros.relaxation.weakening import Variant, list_best


@dataclass(frozen=True)
class RelaxationSetting:
    """The setting of the requirements of one goal."""

    domain: Domain
    instance: Instance
    tnorm: TNorm
    proofs: GoalProofs
    named: Mapping[str, int]  # element -> number of requirements that name it
    types: Mapping[str, str]
    # True if nothing is planned in another world: what is proven here holds everywhere
    alone: bool = True
    alpha: float = 0.0  # a change of a small part of the goal has to reach it by itself
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """A change that is no choice, with the reason as a clause with a full stop."""

    change: GoalChange
    reason: str


@dataclass(frozen=True)
class JudgedSubstitute:
    """A substitute with its degree."""

    candidate: Substitute
    degree: float


class PlaceFilling:
    """Fills the places of one requirement; `leave_out` is told the bound of what is too many."""

    def __init__(
        self,
        requirement: Requirement,
        setting: RelaxationSetting,
        leave_out: Callable[[float], None],
    ) -> None:
        self._requirement = requirement
        self._setting = setting
        self._leave_out = leave_out
        self._judged: dict[tuple[Opening, tuple[GoalChange, ...]], list[JudgedSubstitute]] = {}
        self.refused: list[RefusedChange] = []

    def express(self, variant: Variant, parts: Sequence[Expression]) -> Expression:
        """Quantify the variables that are left of some conjuncts."""
        body = conjoin(parts)
        names = free_variables(body)
        variables = tuple(
            v
            for v in variant.widen(self._requirement.variables)
            if v.name in names and v.name not in self._requirement.shared
        )
        return Exists(variables, body) if variables else body

    def is_sound(self, choice: RequirementChoice) -> bool:
        """Return True if a choice fits the domain."""
        assert choice.expression is not None
        setting = self._setting
        if any(name in setting.types for name in free_variables(choice.expression)):
            return True  # checked with the whole goal
        try:
            check_goal(choice.expression, setting.domain, setting.instance)
        except ExpressionError:
            return False
        return True

    def is_good_enough(self, degree: float) -> bool:
        """Return True if a change is good enough by itself, however small a part it changes."""
        return self._requirement.unit >= 1.0 or degree >= self._setting.alpha - EPSILON

    def _is_acceptable(self, place: Opening, degree: float) -> bool:
        """Return True if a substitute of a degree is a choice; what was named is wanted itself."""
        if not place.is_variable and degree < self._setting.alpha - EPSILON:
            return False
        return degree > EPSILON and self.is_good_enough(degree)

    def judge(self, place: Opening, variant: Variant) -> list[JudgedSubstitute]:
        """List the elements for a place, best first, without those that cannot be had."""
        key = (place, variant.changes)
        known = self._judged.get(key)
        if known is not None:
            return known
        setting = self._setting
        named = frozenset({*setting.named, place.name})
        found = list(list_candidates(place, setting.instance, named, setting.purpose))
        sound: list[tuple[Substitute, Expression]] = []
        for candidate in found:
            parts = self.fill_in(place, variant.parts, candidate)
            expression = self.express(variant, parts)
            if self.is_sound(RequirementChoice(expression)):
                sound.append((candidate, expression))
        never: frozenset[int] = frozenset()
        if setting.alone and not variant.changes:  # weaker forms come later, and few of them
            never = setting.proofs.find_unreachable([one for _, one in sound], setting.types)
        reached = [c for n, (c, _) in enumerate(sound) if n not in never]
        judge = setting.proofs.judge
        judge.judge(atom for candidate in reached for atom in candidate.asked)
        reached = [
            c.judge_by_least(lambda atom: judge.degree(*atom), setting.tnorm) for c in reached
        ]
        degrees = [c.find_degree(lambda atom: judge.degree(*atom), setting.tnorm) for c in reached]
        judged = [JudgedSubstitute(c, d) for c, d in zip(reached, degrees, strict=True)]
        judged.sort(key=lambda one: (-one.degree, one.candidate.element))
        for number in never:
            candidate = sound[number][0]
            self._refuse(place, candidate, 1.0, "it is out of reach for this.")
        for one in judged:
            if not self._is_acceptable(place, one.degree):
                how = "well enough" if one.degree > EPSILON else "at all"
                self._refuse(place, one.candidate, one.degree, f"it does not do {how}.")
        self._judged[key] = [one for one in judged if self._is_acceptable(place, one.degree)]
        return self._judged[key]

    def _refuse(self, place: Opening, candidate: Substitute, degree: float, reason: str) -> None:
        self.refused.append(RefusedChange(make_change(place, candidate, degree), reason))

    def list_shares(self, judged: Sequence[JudgedSubstitute]) -> list[float]:
        """List the degrees of the whole goal with each substitute alone."""
        return [1.0 - self._requirement.unit * (1.0 - one.degree) for one in judged]

    def fill_in(
        self, place: Opening, parts: Sequence[Expression], candidate: Substitute
    ) -> list[Expression]:
        """Put an element into a place of some conjuncts."""
        return place.fill(parts, candidate, self._requirement.unit)

    def make_change(self, place: Opening, judged: JudgedSubstitute) -> GoalChange:
        """Make the change that an element takes a place."""
        return make_change(place, judged.candidate, judged.degree, self._requirement.unit)

    def fill(self, variant: Variant, places: Sequence[Opening]) -> Iterator[RequirementChoice]:
        """Yield the ways to put elements into places, best first."""
        tnorm = self._setting.tnorm
        lists = [self.judge(place, variant) for place in places]
        shares = [self.list_shares(each) for each in lists]
        for indices in list_best(shares, tnorm, False, self._leave_out):
            chosen = [each[index] for each, index in zip(lists, indices, strict=True)]
            elements = [one.candidate.element for one in chosen]
            if len(set(elements)) < len(elements):
                continue
            parts: Sequence[Expression] = variant.parts
            changes = list(variant.changes)
            for place, one in zip(places, chosen, strict=True):
                parts = self.fill_in(place, parts, one.candidate)
                changes.append(self.make_change(place, one))
            expression = self.express(variant, parts)
            yield make_choice(expression, changes, tnorm, elements)
