# SPDX-License-Identifier: Apache-2.0
"""Diagrams of instances: their errors, and the checks of cones and cocones over and under them.

Mac Lane, *Categories for the Working Mathematician*, sections III.3 (cocones) and III.4 (cones).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import Schema


class LimitError(ValueError):
    """A limit or colimit that does not exist, or maps that are no cone; the message says why."""


class PresentationError(LimitError):
    """Generators and equations without an instance within the bound, or that are malformed."""


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


def list_ids(instance: Instance) -> Iterator[int]:
    """Yield the ids of all elements and of all tuples."""
    yield from instance.all_elements()
    for relation in instance.schema.relations:
        yield from instance.relation_table(relation.name).rows


def check_cone(
    cone: Sequence[Morphism],
    ends: Sequence[Instance],
    squares: Iterable[Square],
    vertex: Instance | None,
) -> Instance:
    """Check that legs are a cone, and return the instance where they start.

    Args:
        cone: its legs.
        ends: where they must end, one for each.
        squares: what must commute.
        vertex: needed where there are no legs.

    Raises:
        LimitError: it is no cone.
    """
    start = _find_vertex([leg.source for leg in cone], vertex, len(cone) == len(ends), "start")
    _check_legs(cone, [leg.target for leg in cone], ends, "ends in")
    for square in squares:
        first, second = cone[square.first].mapping, cone[square.second].mapping
        for id_ in list_ids(start):
            one = square.by_first.mapping[first[id_]]
            other = square.by_second.mapping[second[id_]]
            _check_agreement(start, id_, square.by_first.target, one, other)
    return start


def check_cocone(
    cocone: Sequence[Morphism],
    starts: Sequence[Instance],
    squares: Iterable[Square],
    vertex: Instance | None,
) -> Instance:
    """Check that legs are a cocone, and return the instance where they end.

    Args:
        cocone: its legs.
        starts: where they must start, one for each.
        squares: what must commute.
        vertex: needed where there are no legs.

    Raises:
        LimitError: it is no cocone.
    """
    end = _find_vertex([leg.target for leg in cocone], vertex, len(cocone) == len(starts), "end")
    _check_legs(cocone, [leg.source for leg in cocone], starts, "starts in")
    for square in squares:
        first, second = cocone[square.first].mapping, cocone[square.second].mapping
        source = square.by_first.source
        for id_ in list_ids(source):
            one = first[square.by_first.mapping[id_]]
            other = second[square.by_second.mapping[id_]]
            _check_agreement(source, id_, end, one, other)
    return end


def check_morphisms(*morphisms: Morphism) -> None:
    """Check that the morphisms of a diagram are natural.

    Raises:
        LimitError: one is not natural.
    """
    for number, morphism in enumerate(morphisms, start=1):
        violations = morphism.violations()
        if violations:
            reasons = "; ".join(violation.message for violation in violations)
            raise LimitError(f"morphism {number} of the diagram is not natural: {reasons}")


def check_schemas(schema: Schema, instances: Sequence[Instance]) -> None:
    """Check that instances have one schema.

    Raises:
        LimitError: one has another schema than `schema`.
    """
    for number, instance in enumerate(instances, start=1):
        if instance.schema != schema:
            raise LimitError(
                f"instance {number} has schema {instance.schema.name!r}, not {schema.name!r}; "
                "all must have one schema"
            )


def _find_vertex(
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
