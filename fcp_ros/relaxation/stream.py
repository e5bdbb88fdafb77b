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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import Count, Expression, TypedVariable, atoms, conjoin
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.requirements import (
    AS_WANTED,
    Form,
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.substitution import (
    Opening,
    PlaceFilling,
    RefusedChange,
    RelaxationSetting,
    list_labels,
    list_places,
)
from fcp_ros.relaxation.weakening import GivingUp, Variant, list_best, list_variants

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


_Entry = RequirementChoice | Callable[[], Iterator[RequirementChoice]]


class ChoiceStream:
    """The choices for one requirement, the best first; number 0 is the requirement as wanted."""

    def __init__(
        self,
        requirement: Requirement,
        setting: RelaxationSetting,
        # True if another requirement excludes it by its wording: then the world is not to blame,
        # and it can only be met at another time, or given up
        contradicted: bool = False,
        # True for an order constraint: it has the substitutes of what it speaks of
        follows: bool = False,
    ) -> None:
        self.requirement = requirement
        self._contradicted = contradicted
        self._follows = follows
        self._setting = setting
        self._domain = setting.domain
        self._filling = PlaceFilling(requirement, setting, self._leave_out)
        self._giving_up = GivingUp(
            requirement,
            setting.domain,
            setting.instance,
            setting.tnorm,
            partial(self._filling.express, Variant(())),
            self._leave_out,
        )
        self._instance = setting.instance
        self._found: list[RequirementChoice] = [AS_WANTED]
        self._heap: list[tuple[float, int, int, _Entry]] = []
        self._numbers = itertools.count()
        self._is_open = False
        # upper bound of the degree of choices that are not made, as they are too many
        self.left_out = 0.0

    def find(self, number: int) -> RequirementChoice | None:
        """Return a choice by its number; None if there are not so many; may be `Interrupted`."""
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

    @property
    def refused(self) -> Sequence[RefusedChange]:
        """The changes that were looked at and are no choice."""
        return self._filling.refused

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
            if not self._filling.is_sound(choice):
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
            if all(self._filling.is_good_enough(change.degree) for change in variant.changes)
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
            expression = self._filling.express(variant, variant.parts)
            self._push(bound, make_choice(expression, variant.changes, tnorm))
        for number in range(1, min(MOST_PLACES, len(open_)) + 1):
            for chosen in itertools.combinations(open_, number):
                if not absent <= {place.name for place in chosen}:
                    continue
                self._push(bound, partial(self._filling.fill, variant, chosen))

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
                count, variables=variant.widen(count.variables), body=conjoin(variant.parts)
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
                    most, partial(self._replace, variant, place, substitutes, missing, fewer)
                )

    def _count_elements(self, count: Count) -> int:
        """Count the tuples of elements, of whatever types, that a count could be of."""
        return math.prod(len(self._instance.names()) for _ in count.variables)

    def _count_lacking(self, count: Count) -> int:
        if len(count.variables) != 1 or not self._setting.alone:
            return 0
        return max(0, count.number - self._count_fitting(count.variables[0]))

    def _find_absent(self) -> frozenset[str]:
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
        self, variant: Variant, place: Opening | None, substitutes: int, missing: int, fewer: float
    ) -> Iterator[RequirementChoice]:
        """Yield the ways to meet a count with substitutes and with some missing, best first."""
        count, tnorm = self.requirement.count, self._setting.tnorm
        assert count is not None
        body = conjoin(variant.parts)
        variables = variant.widen(count.variables)
        judged = self._filling.judge(place, variant) if place is not None and substitutes else []
        lists = [self._filling.list_shares(judged)] * substitutes
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
                filled = self._filling.fill_in(place, variant.parts, one.candidate)
                parts.append(self._filling.express(variant, filled))
                changes.append(self._filling.make_change(place, one))
            if missing:
                # Of the condition as wanted: otherwise a weaker form of it would count twice.
                whole = replace(count, number=count.number - substitutes)
                parts += self._giving_up.weigh(fewer, whole)
                changes.append(self._describe_fewer(count, missing, fewer))
            yield make_choice(conjoin(parts), changes, tnorm, elements)

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
