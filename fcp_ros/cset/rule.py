# SPDX-License-Identifier: Apache-2.0
"""Rules: spans ``L <- K -> R``. L is what must be there, K what stays, R what is there afterwards.

Elements and tuples of L outside the image of K are deleted, those of R outside it are created.
An attribute that L sets and K does not is forgotten; one that R sets and K does not is assigned.

The plan of a rule holds everything that does not depend on the match, so that applying it takes
time in the size of the rule and of what it touches, never in the size of the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset.application_conditions import (
    ApplicationCondition,
    PatternCheck,
    compile_check,
)
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.schema import AttributeValue, Schema


@dataclass(frozen=True, slots=True)
class NewElement:
    """An element of R that a rule creates."""

    id: int
    type: str
    name: str  # in R; the element of the result has it, too, unless it is taken
    functions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Incidence:
    """The legs and functions that may refer to an element of some type."""

    legs: tuple[tuple[str, int, str], ...]
    functions: tuple[str, ...]


@dataclass(frozen=True)
class RulePlan:
    """A span in the form in which it is applied."""

    left: Morphism
    right: Morphism
    check: PatternCheck  # of the morphisms from L
    deleted_elements: tuple[int, ...]
    deleted_tuples: tuple[tuple[str, int], ...]  # (relation, id in L)
    glue: tuple[tuple[int, int, int], ...]  # (id in K, in L, in R) of elements and tuples
    new_elements: tuple[NewElement, ...]  # those of R that are not from K
    # (relation, id, legs) of R that are not from K
    new_tuples: tuple[tuple[str, int, tuple[int, ...]], ...]
    # (attribute, id in K) where L sets the attribute and K does not
    forgotten: tuple[tuple[str, int], ...]
    # (attribute, id in R, value) where R sets it and K does not
    assigned: tuple[tuple[str, int, AttributeValue], ...]
    _incidences: dict[str, Incidence] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def values_kept(self) -> tuple[tuple[str, int], ...]:
        """(attribute, id in K) where K sets the attribute, so that it is preserved."""
        return tuple((a, id_) for id_, _, _ in self.glue for a in self.left.source.attributes(id_))

    def incidence(self, type_: str) -> Incidence:
        """Return the legs and functions that may refer to elements of the type `type_` itself."""
        found = self._incidences.get(type_)
        if found is None:
            found = self._incidences[type_] = _find_incidence(self.left.target.schema, type_)
        return found


def compile_span(left: Morphism, right: Morphism) -> RulePlan:
    """Compile a span whose legs are natural."""
    pattern, result = left.target, right.target
    deleted, created = outside(left), outside(right)
    return RulePlan(
        left,
        right,
        compile_check(pattern),
        deleted_elements=tuple(e for e in pattern.all_elements() if e in deleted),
        deleted_tuples=tuple(
            (name, row) for name, row, _ in _list_tuples(pattern) if row in deleted
        ),
        glue=tuple((id_, left.mapping[id_], right.mapping[id_]) for id_ in left.mapping),
        new_elements=tuple(
            _make_new_element(result, e) for e in result.all_elements() if e in created
        ),
        new_tuples=tuple(entry for entry in _list_tuples(result) if entry[1] in created),
        forgotten=_find_forgotten(left),
        assigned=_find_assigned(right),
    )


def outside(leg: Morphism) -> frozenset[int]:
    """Find the ids of the elements and tuples of a leg's target that are not images."""
    everything = {*leg.target.all_elements(), *(row for _, row, _ in _list_tuples(leg.target))}
    return frozenset(everything - leg.image())


def _list_tuples(instance: Instance) -> list[tuple[str, int, tuple[int, ...]]]:
    return [
        (relation, row, legs)
        for relation in instance.list_filled()
        for row, legs in instance.tuples(relation).items()
    ]


def _make_new_element(result: Instance, element: int) -> NewElement:
    type_ = result.type_of(element)
    functions = result.schema.functions_of(type_)
    values = tuple((f.name, result.apply(f.name, element)) for f in functions)
    return NewElement(element, type_, result.name_of(element), values)


def _find_forgotten(left: Morphism) -> tuple[tuple[str, int], ...]:
    return tuple(
        (attribute, id_)
        for id_, image in left.mapping.items()
        for attribute in left.target.attributes(image).keys() - left.source.attributes(id_).keys()
    )


def _find_assigned(right: Morphism) -> tuple[tuple[str, int, AttributeValue], ...]:
    kept = {
        (attribute, image)
        for id_, image in right.mapping.items()
        for attribute in right.source.attributes(id_)
    }
    result = right.target
    return tuple(
        (attribute, id_, value)
        for id_ in (*result.all_elements(), *(row for _, row, _ in _list_tuples(result)))
        for attribute, value in result.attributes(id_).items()
        if (attribute, id_) not in kept
    )


def _find_incidence(schema: Schema, type_: str) -> Incidence:
    above = schema.ancestors(type_)
    return Incidence(
        tuple(
            (relation.name, position, leg)
            for relation in schema.relations
            for position, (leg, leg_type) in enumerate(relation.legs)
            if leg_type in above
        ),
        tuple(function.name for function in schema.functions if function.target in above),
    )


def find_problems(
    left: Morphism, right: Morphism, conditions: Sequence[ApplicationCondition]
) -> list[str]:
    """Find everything that keeps a span from being a rule; empty if it is one."""
    if not left.source.is_same(right.source):
        return ["both legs must start at the same instance K"]
    for side, leg in (("left", left), ("right", right)):
        reasons = list(_check_leg(side, leg))
        if reasons:
            return reasons
    return [
        *_check_monic(left, right),
        *_check_static("deletes", left),
        *_check_static("creates", right),
        *(problem for one in conditions for problem in _check_condition(one, left.target)),
    ]


def _check_leg(side: str, leg: Morphism) -> Iterator[str]:
    violations = leg.violations()
    if violations:
        reasons = "; ".join(violation.message for violation in violations)
        yield f"the {side} leg is no morphism: {reasons}"
        return
    for element in leg.source.all_elements():
        before, after = leg.source.type_of(element), leg.target.type_of(leg.mapping[element])
        if before != after:
            yield (
                f"the {side} leg changes the type of {leg.source.name_of(element)!r} from "
                f"{before!r} to {after!r}; a rule must keep the types of what it preserves"
            )


def _check_monic(left: Morphism, right: Morphism) -> Iterator[str]:
    for group in left.collisions():
        yield (
            f"the left leg is not monic: {', '.join(group)} of K are one in L. Then what remains "
            "after deletion is not determined (the pushout complement is not unique); give K one "
            "element for each that is preserved"
        )
    for group in right.collisions():
        yield (
            f"the right leg is not monic: {', '.join(group)} of K are one in R. A rule does not "
            "merge what it preserves: delete one of them, and what refers to it"
        )


def _check_static(side: str, leg: Morphism) -> Iterator[str]:
    """Find static tuples that a rule touches though all their elements stay."""
    beyond = outside(leg)
    for name in leg.target.list_filled():
        if not leg.target.schema.relation(name).static:
            continue
        for row, legs in leg.target.tuples(name).items():
            if row in beyond and beyond.isdisjoint(legs):
                yield (
                    f"it {side} {leg.target.name_of(row)}, but {name!r} is static; "
                    "declare it without static if actions change it"
                )


# --- conditions


def _check_condition(
    condition: ApplicationCondition, start: Instance, *, within: str = "L"
) -> Iterator[str]:
    what = f"condition {condition.name!r}"
    violations = condition.inclusion.violations()
    if not condition.inclusion.source.is_same(start):
        yield f"{what} must start at {within}"
        return
    if violations:
        yield f"{what} is no morphism: {violations[0].message}"
        return
    for inner in condition.nested:
        yield from _check_condition(inner, condition.pattern, within=f"the pattern of {what}")


class RuleError(ValueError):
    """A span that is not a rule; the message says why."""


@dataclass(frozen=True)
class Rule:
    """A rewriting rule.

    Raises RuleError if the legs do not start at one K, are not natural or monic, or change types; a
    condition does not start at L; or a static relation would change.
    """

    name: str
    left: Morphism  # K -> L
    right: Morphism  # K -> R
    conditions: tuple[ApplicationCondition, ...] = ()
    monic: bool = True  # whether matches must be

    def __post_init__(self) -> None:
        problems = find_problems(self.left, self.right, self.conditions)
        if problems:
            raise RuleError(f"rule {self.name!r}: " + "; ".join(problems))

    @property
    def L(self) -> Instance:
        """The left side: the pattern."""
        return self.left.target

    @property
    def K(self) -> Instance:
        """The glue: what is preserved."""
        return self.left.source

    @property
    def R(self) -> Instance:
        """The right side: what replaces the pattern."""
        return self.right.target

    @cached_property
    def deleted(self) -> frozenset[int]:
        """Ids in L of the elements and tuples that the rule deletes."""
        return outside(self.left)

    @cached_property
    def created(self) -> frozenset[int]:
        """Ids in R of the elements and tuples that the rule creates."""
        return outside(self.right)

    @cached_property
    def plan(self) -> RulePlan:
        """The compiled span, the same for all matches."""
        return compile_span(self.left, self.right)

    def inverse(self) -> Rule:
        """Return the rule in the other direction, without conditions."""
        name = f"{self.name} (inverse)"
        return Rule(name, self.right, self.left, (), self.monic)
