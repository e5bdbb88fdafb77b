# SPDX-License-Identifier: Apache-2.0
"""Rule plans: everything about a span ``L <- K -> R`` that does not depend on the match.

Applying a rule then takes time in the size of the rule and of what it touches, never in the size of
the state.
"""

from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset.extension import PatternCheck, compile_check
from fcp_ros.cset.instance.expressions import ValueExpression
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import Schema


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
    # (relation, id, legs) of R that are from K
    old_tuples: tuple[tuple[str, int, tuple[int, ...]], ...]
    # (attribute, id in K) where L sets the attribute and K does not
    forgotten: tuple[tuple[str, int], ...]
    # (attribute, id in R, expression) where R sets it and K does not
    assigned: tuple[tuple[str, int, ValueExpression], ...]
    _incidences: dict[str, Incidence] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def right_is_monic(self) -> bool:
        """True if the rule merges nothing."""
        return self.right.is_monic

    @cached_property
    def glued_elements(self) -> tuple[tuple[int, int], ...]:
        """(id in K, in R) of the elements of K."""
        elements = self.left.source.all_elements()
        return tuple((element, self.right.mapping[element]) for element in elements)

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
    tuples_before, tuples_after = _list_tuples(pattern), _list_tuples(result)
    return RulePlan(
        left,
        right,
        compile_check(pattern),
        deleted_elements=tuple(e for e in pattern.all_elements() if e in deleted),
        deleted_tuples=tuple((name, row) for name, row, _ in tuples_before if row in deleted),
        glue=tuple((id_, left.mapping[id_], right.mapping[id_]) for id_ in left.mapping),
        new_elements=tuple(
            _make_new_element(result, e) for e in result.all_elements() if e in created
        ),
        new_tuples=tuple(entry for entry in tuples_after if entry[1] in created),
        old_tuples=tuple(entry for entry in tuples_after if entry[1] not in created),
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


def _find_assigned(right: Morphism) -> tuple[tuple[str, int, ValueExpression], ...]:
    kept = {
        (attribute, image)
        for id_, image in right.mapping.items()
        for attribute in right.source.attributes(id_)
    }
    result = right.target
    return tuple(
        (attribute, id_, expression)
        for id_ in (*result.all_elements(), *(row for _, row, _ in _list_tuples(result)))
        for attribute, expression in result.attributes(id_).items()
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
