# SPDX-License-Identifier: Apache-2.0
"""Rule plans: everything about a span ``L <- K -> R`` that does not depend on the match.

Applying a rule then takes time in the size of the rule and of what it touches, never in the size of
the state.
"""

from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset.conditions.extension import PatternCheck, compile_check
from fcp_ros.cset.instance.expressions import ValueExpression
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import AttributeValue, Schema


@dataclass(frozen=True, slots=True)
class NewElement:
    """An element of R that a rule creates.

    Attributes:
        id: in R.
        type: its type.
        name: in R; the element of the result has it, too, unless it is taken.
        functions: (function, its value in R).
    """

    id: int
    type: str
    name: str
    functions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Incidence:
    """What may refer to an element of some type.

    Attributes:
        legs: (relation, position, leg).
        functions: names.
    """

    legs: tuple[tuple[str, int, str], ...]
    functions: tuple[str, ...]


@dataclass(frozen=True)
class RulePlan:
    """A span, taken apart.

    Attributes:
        left: K -> L.
        right: K -> R.
        check: of the morphisms from L.
        deleted_elements: ids in L.
        deleted_tuples: (relation, id in L).
        glue: (id in K, in L, in R) of elements and tuples.
        new_elements: those of R that are not from K.
        new_tuples: (relation, id, legs) of R that are not from K.
        old_tuples: (relation, id, legs) of R that are from K.
        forgotten: (attribute, id in K) where L sets the attribute and K does not.
        assigned: (attribute, id in R, expression) where R sets it and K does not.
    """

    left: Morphism
    right: Morphism
    check: PatternCheck
    deleted_elements: tuple[int, ...]
    deleted_tuples: tuple[tuple[str, int], ...]
    glue: tuple[tuple[int, int, int], ...]
    new_elements: tuple[NewElement, ...]
    new_tuples: tuple[tuple[str, int, tuple[int, ...]], ...]
    old_tuples: tuple[tuple[str, int, tuple[int, ...]], ...]
    forgotten: tuple[tuple[str, int], ...]
    assigned: tuple[tuple[str, int, ValueExpression], ...]
    _incidences: dict[str, Incidence] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def left_is_monic(self) -> bool:
        """Whether nothing is cloned."""
        return self.left.is_monic

    @cached_property
    def right_is_monic(self) -> bool:
        """Whether nothing is merged."""
        return self.right.is_monic

    @cached_property
    def kept_tuples(self) -> tuple[tuple[str, int], ...]:
        """(relation, id in K) of the tuples of K."""
        return tuple((relation, row) for relation, row, _ in _tuples(self.left.source))

    @cached_property
    def glued_elements(self) -> tuple[tuple[int, int], ...]:
        """(id in K, in R) of the elements of K."""
        elements = self.left.source.all_elements()
        return tuple((element, self.right.mapping[element]) for element in elements)

    @cached_property
    def values_kept(self) -> tuple[tuple[str, int], ...]:
        """(attribute, id in K) where K sets the attribute, so that it stays as it is."""
        return tuple((a, id_) for id_, _, _ in self.glue for a in self.kept_at(id_))

    def kept_at(self, id_: int) -> dict[str, AttributeValue]:
        """The attributes that K sets at an element or tuple, and that are so kept."""
        return self.left.source.attributes(id_)

    def incidence(self, type_: str) -> Incidence:
        """What may refer to an element whose own type is `type_`."""
        found = self._incidences.get(type_)
        if found is None:
            found = self._incidences[type_] = _incidence(self.left.target.schema, type_)
        return found


def compile_span(left: Morphism, right: Morphism) -> RulePlan:
    """The plan of a span whose legs are natural."""
    pattern, result = left.target, right.target
    deleted, created = outside(left), outside(right)
    tuples_before, tuples_after = _tuples(pattern), _tuples(result)
    return RulePlan(
        left,
        right,
        compile_check(pattern),
        deleted_elements=tuple(e for e in pattern.all_elements() if e in deleted),
        deleted_tuples=tuple((name, row) for name, row, _ in tuples_before if row in deleted),
        glue=tuple((id_, left.mapping[id_], right.mapping[id_]) for id_ in left.mapping),
        new_elements=tuple(_new(result, e) for e in result.all_elements() if e in created),
        new_tuples=tuple(entry for entry in tuples_after if entry[1] in created),
        old_tuples=tuple(entry for entry in tuples_after if entry[1] not in created),
        forgotten=_forgotten(left),
        assigned=_assigned(right),
    )


def outside(leg: Morphism) -> frozenset[int]:
    """Ids of the elements and tuples of a leg's target that are no images."""
    everything = {*leg.target.all_elements(), *(row for _, row, _ in _tuples(leg.target))}
    return frozenset(everything - leg.image())


def _tuples(instance: Instance) -> list[tuple[str, int, tuple[int, ...]]]:
    return [
        (relation.name, row, legs)
        for relation in instance.schema.relations
        for row, legs in instance.tuples(relation.name).items()
    ]


def _new(result: Instance, element: int) -> NewElement:
    type_ = result.type_of(element)
    functions = result.schema.functions_of(type_)
    values = tuple((f.name, result.apply(f.name, element)) for f in functions)
    return NewElement(element, type_, result.name_of(element), values)


def _forgotten(left: Morphism) -> tuple[tuple[str, int], ...]:
    return tuple(
        (attribute, id_)
        for id_, image in left.mapping.items()
        for attribute in left.target.attributes(image).keys() - left.source.attributes(id_).keys()
    )


def _assigned(right: Morphism) -> tuple[tuple[str, int, ValueExpression], ...]:
    kept = {
        (attribute, image)
        for id_, image in right.mapping.items()
        for attribute in right.source.attributes(id_)
    }
    result = right.target
    return tuple(
        (attribute, id_, expression)
        for id_ in (*result.all_elements(), *(row for _, row, _ in _tuples(result)))
        for attribute, expression in result.attributes(id_).items()
        if (attribute, id_) not in kept
    )


def _incidence(schema: Schema, type_: str) -> Incidence:
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
