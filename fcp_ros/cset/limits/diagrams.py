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


def collect_values(instance: Instance, id_: int) -> dict[str, int]:
    """Collect the values of all functions at an element, or the legs of a tuple."""
    type_ = instance.type_of(id_)
    schema = instance.schema
    if schema.has_relation(type_):
        legs = instance.relation_table(type_).rows[id_]
        return {leg: e for (leg, _), e in zip(schema.relation(type_).legs, legs, strict=True)}
    return {f.name: instance.apply(f.name, id_) for f in schema.functions_of(type_)}


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
        first = (cone[square.first], square.by_first)
        _check_commutes(start, first, (cone[square.second], square.by_second))
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
        first = (square.by_first, cocone[square.first])
        _check_commutes(square.by_first.source, first, (square.by_second, cocone[square.second]))
    return end


def check_morphisms(*morphisms: Morphism) -> None:
    """Check that the morphisms of a diagram are natural.

    Raises:
        LimitError: one is not natural.
    """
    for number, morphism in enumerate(morphisms, start=1):
        require_natural(morphism, f"morphism {number} of the diagram is not natural")


def require_natural(morphism: Morphism, problem: str) -> Morphism:
    """Return a morphism if it is natural.

    Args:
        morphism: the morphism.
        problem: the beginning of the message if it is not.

    Raises:
        LimitError: it is not natural.
    """
    violations = morphism.violations()
    if violations:
        raise LimitError(f"{problem}: {'; '.join(violation.message for violation in violations)}")
    return morphism


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
        require_natural(leg, f"leg {number} is no morphism")


def _check_commutes(
    source: Instance, first: tuple[Morphism, Morphism], second: tuple[Morphism, Morphism]
) -> None:
    """Check that two compositions, each of two morphisms in order, are equal."""
    end = first[1].target
    for id_ in list_ids(source):
        one = first[1].mapping[first[0].mapping[id_]]
        other = second[1].mapping[second[0].mapping[id_]]
        if one != other:
            raise LimitError(
                f"the legs do not commute: {source.name_of(id_)!r} is sent to "
                f"{end.name_of(one)!r} one way, and to {end.name_of(other)!r} the other"
            )
