# SPDX-License-Identifier: Apache-2.0
"""Cones and cocones: what the legs must satisfy before there is a universal map.

Mac Lane, *Categories for the Working Mathematician*, sections III.3 (cocones) and III.4 (cones).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import Schema


class LimitError(ValueError):
    """A limit or colimit that no instance is, or maps that are no cone; the message says why."""


class PresentationError(LimitError):
    """Generators and equations that present no instance within the bound, or that make no sense."""


@dataclass(frozen=True, eq=False)
class Square:
    """Two legs that must agree after (in a cocone: before) a morphism each.

    Attributes:
        first: index of a leg.
        by_first: the morphism of the diagram that goes with it.
        second: index of a leg; it may be the same one.
        by_second: the morphism of the diagram that goes with it.
    """

    first: int
    by_first: Morphism
    second: int
    by_second: Morphism


def ids_of(instance: Instance) -> Iterator[int]:
    """Ids of all elements and of all tuples."""
    yield from instance.all_elements()
    for relation in instance.schema.relations:
        yield from instance.relation_table(relation.name).rows


def checked_cone(
    cone: Sequence[Morphism],
    ends: Sequence[Instance],
    squares: Iterable[Square],
    vertex: Instance | None,
) -> Instance:
    """Where the legs of a cone start.

    Args:
        cone: its legs.
        ends: where they must end, one for each.
        squares: what must commute.
        vertex: needed where there are no legs.

    Raises:
        LimitError: it is no cone.
    """
    start = _common([leg.source for leg in cone], vertex, len(cone) == len(ends), "start")
    _check_legs(cone, [leg.target for leg in cone], ends, "ends in")
    for square in squares:
        first, second = cone[square.first].mapping, cone[square.second].mapping
        for id_ in ids_of(start):
            one = square.by_first.mapping[first[id_]]
            other = square.by_second.mapping[second[id_]]
            _check_agreement(start, id_, square.by_first.target, one, other)
    return start


def checked_cocone(
    cocone: Sequence[Morphism],
    starts: Sequence[Instance],
    squares: Iterable[Square],
    vertex: Instance | None,
) -> Instance:
    """Where the legs of a cocone end.

    Args:
        cocone: its legs.
        starts: where they must start, one for each.
        squares: what must commute.
        vertex: needed where there are no legs.

    Raises:
        LimitError: it is no cocone.
    """
    end = _common([leg.target for leg in cocone], vertex, len(cocone) == len(starts), "end")
    _check_legs(cocone, [leg.source for leg in cocone], starts, "starts in")
    for square in squares:
        first, second = cocone[square.first].mapping, cocone[square.second].mapping
        source = square.by_first.source
        for id_ in ids_of(source):
            one = first[square.by_first.mapping[id_]]
            other = second[square.by_second.mapping[id_]]
            _check_agreement(source, id_, end, one, other)
    return end


def check_morphisms(*morphisms: Morphism) -> None:
    """Refuse to build a limit or colimit of what is no diagram of morphisms.

    Raises:
        LimitError: one is not natural.
    """
    for number, morphism in enumerate(morphisms, start=1):
        violations = morphism.violations()
        if violations:
            reasons = "; ".join(violation.message for violation in violations)
            raise LimitError(f"morphism {number} of the diagram is none: {reasons}")


def check_schemas(schema: Schema, instances: Sequence[Instance]) -> None:
    """Refuse instances of other schemas.

    Raises:
        LimitError: one has another schema than `schema`.
    """
    for number, instance in enumerate(instances, start=1):
        if instance.schema != schema:
            raise LimitError(
                f"instance {number} has schema {instance.schema.name!r}, not {schema.name!r}; "
                "all must have one schema"
            )


def _common(
    found: Sequence[Instance], vertex: Instance | None, complete: bool, verb: str
) -> Instance:
    if not complete:
        raise LimitError(f"{len(found)} legs were given; give one for each part of the diagram")
    if not found:
        if vertex is None:
            raise LimitError(f"a cone without legs does not say where it {verb}s; give `vertex`")
        return vertex
    first = found[0] if vertex is None else vertex
    for number, other in enumerate(found, start=1):
        if not other.is_same(first):
            raise LimitError(f"leg {number} does not {verb} at {first!r}, but at {other!r}")
    return first


def _check_legs(
    legs: Sequence[Morphism], found: Sequence[Instance], expected: Sequence[Instance], verb: str
) -> None:
    pairs = zip(legs, found, expected, strict=True)
    for number, (leg, instance, wanted) in enumerate(pairs, start=1):
        if not instance.is_same(wanted):
            raise LimitError(f"leg {number} {verb} {instance!r}, not in {wanted!r} of the diagram")
        violations = leg.violations()
        if violations:
            reasons = "; ".join(violation.message for violation in violations)
            raise LimitError(f"leg {number} is no morphism: {reasons}")


def _check_agreement(source: Instance, id_: int, end: Instance, one: int, other: int) -> None:
    if one != other:
        raise LimitError(
            f"the legs do not commute: {source.name_of(id_)!r} is sent to {end.name_of(one)!r} "
            f"one way, and to {end.name_of(other)!r} the other"
        )
