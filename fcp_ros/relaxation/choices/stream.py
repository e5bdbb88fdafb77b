# SPDX-License-Identifier: Apache-2.0
"""The choices for one requirement, best first, made as far as they are asked for.

Substitutes are many, and judging one is expensive. So a set of places is one entry with the bound
that it has if every substitute is perfect. When that entry is the best one, its elements are
looked at: those that cannot be had are dropped, the others judged in one batch.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    Count,
    Exists,
    Expression,
    ExpressionError,
    TypedVariable,
    atoms,
    free_variables,
)
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.choices.combinations import list_best
from fcp_ros.relaxation.choices.conjunctions import join
from fcp_ros.relaxation.choices.giving_up import GivingUp
from fcp_ros.relaxation.choices.requirements import (
    AS_WANTED,
    Form,
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.choices.substitution import (
    Opening,
    Substitute,
    list_candidates,
    list_labels,
    list_places,
    make_change,
)
from fcp_ros.relaxation.choices.weakening import Variant, list_variants

MOST_PLACES = 2
"""Places of one requirement that substitutes take at once; of a count any number."""

_RANK = {
    kind: rank
    for rank, kind in enumerate(
        [
            RelaxationKind.SUBSTITUTION,
            RelaxationKind.FEWER,
            RelaxationKind.WEAKEN,
            RelaxationKind.BROADEN,
            RelaxationKind.SPLIT,
            RelaxationKind.DROP,
        ]
    )
}
"""Of choices with one degree, the ones that keep more of what was wanted come first."""


@dataclass(frozen=True)
class RelaxationSetting:
    """The setting of the requirements of one goal.

    Attributes:
        domain: says how goals may be relaxed.
        proofs: shows what cannot be had, and judges.
        types: the types of its free variables.
        alone: True if nothing is planned in another world: what is proven here holds everywhere.
        alpha: a change of a small part of the goal has to reach it by itself.
        purpose: for which somebody said that it is wanted; "" for none.
    """

    domain: Domain
    instance: Instance
    tnorm: TNorm
    proofs: GoalProofs
    named: Mapping[str, int]
    types: Mapping[str, str]
    alone: bool = True
    alpha: float = 0.0
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """A change that is no choice, with the reason as a clause with a full stop."""

    change: GoalChange
    reason: str


@dataclass(frozen=True)
class _Judged:
    candidate: Substitute
    degree: float


_Entry = RequirementChoice | Callable[[], Iterator[RequirementChoice]]


class ChoiceStream:
    """The choices for one requirement, the best first; number 0 is the requirement as wanted.

    Args:
        contradicted: True if another requirement excludes it by its wording: then the world is not
            to blame, and it can only be met at another time, or given up.
        follows: True for an order constraint: it has the substitutes of what it speaks of.

    Attributes:
        refused: what was looked at and is no choice.
        left_out: upper bound of the degree of choices that are not made, as they are too many.
    """

    def __init__(
        self,
        requirement: Requirement,
        setting: RelaxationSetting,
        contradicted: bool = False,
        follows: bool = False,
    ) -> None:
        self.requirement = requirement
        self._contradicted = contradicted
        self._follows = follows
        self._setting = setting
        self._domain = setting.domain
        self._giving_up = GivingUp(
            requirement,
            setting.domain,
            setting.instance,
            setting.tnorm,
            partial(self._express, Variant(())),
            self._leave_out,
        )
        self._instance = setting.instance
        self._found: list[RequirementChoice] = [AS_WANTED]
        self._heap: list[tuple[float, int, int, _Entry]] = []
        self._numbers = itertools.count()
        self._is_open = False
        self._judged: dict[tuple[Opening, tuple[GoalChange, ...]], list[_Judged]] = {}
        self.refused: list[RefusedChange] = []
        self.left_out = 0.0

    def find(self, number: int) -> RequirementChoice | None:
        """Return a choice by its number; None if there are not so many.

        Raises:
            Interrupted: a limit was reached.
        """
        while len(self._found) <= number:
            choice = self._find_next()
            if choice is None:
                return None
            self._found.append(choice)
        return self._found[number]

    @property
    def found(self) -> Sequence[RequirementChoice]:
        """The choices that were made so far."""
        return self._found

    def _find_next(self) -> RequirementChoice | None:
        if not self._is_open:
            self._is_open = True
            self._open()
        while self._heap:
            bound, _, _, entry = heapq.heappop(self._heap)
            if isinstance(entry, RequirementChoice):
                return entry
            self._continue(entry(), -bound)
        return None

    def _continue(self, choices: Iterator[RequirementChoice], most: float) -> None:
        """Take the next choice of an entry, and leave the rest of it for later."""
        for choice in choices:
            self._setting.proofs.check()
            if choice.degree <= EPSILON:
                return  # they fall
            if not self._is_sound(choice):
                continue
            self._push(choice.degree, choice)
            self._push(min(choice.degree, most), lambda: choices)
            return

    def _push(self, bound: float, entry: _Entry) -> None:
        kinds = (
            [change.kind for change in entry.changes]
            if isinstance(entry, RequirementChoice)
            else []
        )
        rank = max((_RANK[kind] for kind in kinds), default=0)
        heapq.heappush(self._heap, (-bound, rank, next(self._numbers), entry))

    def _is_sound(self, choice: RequirementChoice) -> bool:
        """Return True if a choice fits the domain."""
        assert choice.expression is not None
        free = self._setting.types
        if any(name in free for name in free_variables(choice.expression)):
            return True  # checked with the whole goal
        try:
            check_goal(choice.expression, self._domain, self._instance)
        except ExpressionError:
            return False
        return True

    # --- entries

    def _leave_out(self, degree: float) -> None:
        self.left_out = max(self.left_out, degree)

    def _open(self) -> None:
        requirement, relaxing = self.requirement, self._domain.relaxing
        if requirement.form is Form.HARD:
            return
        mentioned = {atom.predicate for part in requirement.parts for atom in atoms(part)}
        rigid = not relaxing.hard.isdisjoint(mentioned)
        listed = list_variants(
            requirement.parts,
            self._domain,
            self._instance,
            requirement.unit,
            self._setting.tnorm,
            self._leave_out,
        )
        variants = [
            variant
            for variant in listed
            if all(self._is_good_enough(change.degree) for change in variant.changes)
        ]
        places = [
            place
            for place in list_places(requirement, self._domain, self._instance)
            if place.is_variable
            or (self._setting.named.get(place.name, 0) <= 1 and not self._follows)
        ]  # whoever names an element twice means one and the same
        for variant in () if self._contradicted else variants:
            self._add_variant(variant, places, rigid)
        for choice in () if rigid else self._giving_up.list_choices():
            self._push(choice.degree, choice)

    def _is_good_enough(self, degree: float) -> bool:
        """Return True if a change is good enough by itself, however small a part it changes."""
        return self.requirement.unit >= 1.0 or degree >= self._setting.alpha - EPSILON

    def _is_acceptable(self, place: Opening, degree: float) -> bool:
        """Return True if a substitute of a degree is a choice; what was named is wanted itself."""
        if not place.is_variable and degree < self._setting.alpha - EPSILON:
            return False
        return degree > EPSILON and self._is_good_enough(degree)

    def _add_variant(self, variant: Variant, places: Sequence[Opening], rigid: bool) -> None:
        tnorm = self._setting.tnorm
        bound = variant.find_share(tnorm)
        wider = {name for name, _ in variant.wider}
        open_ = [place for place in places if place.name not in wider]
        if self.requirement.count is not None:
            counts = [place for place in open_ if place.is_variable]
            self._add_counts(variant, counts[0] if counts else None, bound, rigid)
            return
        absent = self._find_absent() - wider
        if variant.changes and not absent:
            expression = self._express(variant, variant.parts)
            self._push(bound, make_choice(expression, variant.changes, tnorm))
        for number in range(1, min(MOST_PLACES, len(open_)) + 1):
            for chosen in itertools.combinations(open_, number):
                if not absent <= {place.name for place in chosen}:
                    continue
                self._push(bound, partial(self._fill, variant, chosen))

    def _express(self, variant: Variant, parts: Sequence[Expression]) -> Expression:
        """Quantify the variables that are left of some conjuncts."""
        body = join(parts)
        names = free_variables(body)
        variables = tuple(
            v
            for v in variant.widen(self.requirement.variables)
            if v.name in names and v.name not in self.requirement.shared
        )
        return Exists(variables, body) if variables else body

    # --- substitutes

    def _judge(self, place: Opening, variant: Variant) -> list[_Judged]:
        """List the elements for a place, best first, without those that cannot be had."""
        key = (place, variant.changes)
        known = self._judged.get(key)
        if known is not None:
            return known
        setting = self._setting
        named = frozenset({*setting.named, place.name})
        found = list(list_candidates(place, self._instance, named, setting.purpose))
        sound: list[tuple[Substitute, Expression]] = []
        for candidate in found:
            parts = self._fill_in(place, variant.parts, candidate)
            expression = self._express(variant, parts)
            if self._is_sound(RequirementChoice(expression)):
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
        judged = [_Judged(c, d) for c, d in zip(reached, degrees, strict=True)]
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

    def _list_shares(self, judged: Sequence[_Judged]) -> list[float]:
        """List the degrees of the whole goal with each substitute alone."""
        return [1.0 - self.requirement.unit * (1.0 - one.degree) for one in judged]

    def _fill_in(
        self, place: Opening, parts: Sequence[Expression], candidate: Substitute
    ) -> list[Expression]:
        return place.fill(parts, candidate, self.requirement.unit)

    def _make_change(self, place: Opening, judged: _Judged) -> GoalChange:
        return make_change(place, judged.candidate, judged.degree, self.requirement.unit)

    def _fill(self, variant: Variant, places: Sequence[Opening]) -> Iterator[RequirementChoice]:
        """Yield the ways to put elements into places, best first."""
        tnorm = self._setting.tnorm
        lists = [self._judge(place, variant) for place in places]
        shares = [self._list_shares(each) for each in lists]
        for indices in list_best(shares, tnorm, False, self._leave_out):
            chosen = [each[index] for each, index in zip(lists, indices, strict=True)]
            elements = [one.candidate.element for one in chosen]
            if len(set(elements)) < len(elements):
                continue
            parts: Sequence[Expression] = variant.parts
            changes = list(variant.changes)
            for place, one in zip(places, chosen, strict=True):
                parts = self._fill_in(place, parts, one.candidate)
                changes.append(self._make_change(place, one))
            expression = self._express(variant, parts)
            yield make_choice(expression, changes, tnorm, elements)

    # --- counts

    def _add_counts(
        self, variant: Variant, place: Opening | None, bound: float, rigid: bool
    ) -> None:
        """Add entries for k substitutes and m that are missing, of a count of n."""
        count, tnorm = self.requirement.count, self._setting.tnorm
        assert count is not None
        least = 0 if variant.wider else self._count_lacking(count)
        if variant.changes and not least:
            whole = replace(
                count, variables=variant.widen(count.variables), body=join(variant.parts)
            )
            self._push(bound, make_choice(whole, variant.changes, tnorm))
        # Of the elements that there are, not of what was said: that may be ten thousand plates.
        there_are = self._count_elements(count)
        least = max(1, least, count.number - there_are)
        most_substitutes = 0 if place is None else min(count.number, there_are)
        for substitutes in range(most_substitutes + 1):
            self._setting.proofs.check()
            for missing in range(max(0, least - substitutes), count.number - substitutes + 1):
                if missing == count.number:
                    continue
                fewer = self._find_fewer(count, missing) if not rigid or not missing else None
                if fewer is None:
                    continue
                share = 1.0 - self.requirement.weight * (1.0 - fewer)
                most = tnorm.compose(bound, share)
                self._push(
                    most,
                    partial(self._replace, variant, place, substitutes, missing, fewer),
                )

    def _count_elements(self, count: Count) -> int:
        """Count the tuples of elements, of whatever types, that a count could be of."""
        return math.prod(len(self._instance.names()) for _ in count.variables)

    def _count_lacking(self, count: Count) -> int:
        """Count how many elements with the labels of a count are lacking."""
        if len(count.variables) != 1 or not self._setting.alone:
            return 0
        return max(0, count.number - self._count_fitting(count.variables[0]))

    def _find_absent(self) -> frozenset[str]:
        """Find the variables for which no element has the labels that are asked for."""
        if not self._setting.alone:
            return frozenset()
        variables = self.requirement.variables
        return frozenset(v.name for v in variables if not self._count_fitting(v))

    def list_lacking(self) -> Iterator[tuple[str, str, int]]:
        """Yield what is lacking for the requirement as wanted: label, type, number."""
        requirement = self.requirement
        number = 1 if requirement.count is None else requirement.count.number
        for variable in requirement.variables if requirement.form is not Form.HARD else ():
            labels = list_labels(variable.name, requirement.parts)
            lacking = number - self._count_fitting(variable)
            if lacking > 0:
                yield (labels or (variable.type.replace("_", " "),))[0], variable.type, lacking

    def _count_fitting(self, variable: TypedVariable) -> int:
        """Count the elements that have the type and the labels of a variable."""
        labels = list_labels(variable.name, self.requirement.parts)
        return sum(
            all(is_a(self._instance, element, label) for label in labels)
            for element in self._instance.elements(variable.type)
        )

    def _find_fewer(self, count: Count, missing: int) -> float | None:
        """Find the degree of a count that is missed; None if it must not be."""
        relaxing, tnorm = self._domain.relaxing, self._setting.tnorm
        if not missing:
            return 1.0
        if not relaxing.fewer:
            return None
        some = relaxing.fewer_some
        degree = some + (1.0 - some) * (count.number - missing) / count.number
        if relaxing.fewer_each is not None:
            degree = tnorm.compose_all([relaxing.fewer_each] * missing)
        return degree if degree >= self._find_least_count() - EPSILON else None

    def _find_least_count(self) -> float:
        """Find the least degree of a count that is missed, however small a part of the goal it is.

        One of several parts may stay below alpha, but not as far as the other parts would allow it:
        what is left of it has to reach alpha by the measure of alpha, alpha * alpha.
        """
        declared = self._domain.relaxing.fewer_least
        if declared is not None:
            return declared
        return 0.0 if self.requirement.weight >= 1.0 else self._setting.alpha**2

    def _replace(
        self,
        variant: Variant,
        place: Opening | None,
        substitutes: int,
        missing: int,
        fewer: float,
    ) -> Iterator[RequirementChoice]:
        """Yield the ways to meet a count with substitutes and with some missing, best first."""
        count, tnorm = self.requirement.count, self._setting.tnorm
        assert count is not None
        body = join(variant.parts)
        variables = variant.widen(count.variables)
        judged = self._judge(place, variant) if place is not None and substitutes else []
        lists = [self._list_shares(judged)] * substitutes
        for indices in list_best(lists, tnorm, True, self._leave_out):
            changes = list(variant.changes)
            parts: list[Expression] = []
            left = count.number - substitutes - missing
            if left:
                parts.append(replace(count, number=left, variables=variables, body=body))
            elements = []
            for index in indices:
                assert place is not None
                one = judged[index]
                elements.append(one.candidate.element)
                filled = self._fill_in(place, variant.parts, one.candidate)
                parts.append(self._express(variant, filled))
                changes.append(self._make_change(place, one))
            if missing:
                # Of the condition as wanted: otherwise a weaker form of it would count twice.
                whole = replace(count, number=count.number - substitutes)
                parts += self._giving_up.weigh(fewer, whole)
                changes.append(self._describe_fewer(count, missing, fewer))
            yield make_choice(join(parts), changes, tnorm, elements)

    def _describe_fewer(self, count: Count, missing: int, degree: float) -> GoalChange:
        left = count.number - missing
        return GoalChange(
            RelaxationKind.FEWER,
            self.requirement.text,
            f"{left} of {count.number}",
            degree,
            "",
            self.requirement.weight,
        )
