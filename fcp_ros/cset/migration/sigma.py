# SPDX-License-Identifier: Apache-2.0
"""Sigma: instances pushed forward along a map of schemas, the left adjoint of Delta.

The left Kan extension along the functor (Mac Lane, *Categories for the Working Mathematician*,
X.3), computed by a chase: the result is presented by the elements and tuples of the instance, each
of the type that its own type goes to, and by what functions, legs and attributes say of them. So
elements are created where the target has functions that the source lacks, and elements become one
where the target has equations that the source lacks (`limits/presentation.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.limits.diagrams import LimitError
from fcp_ros.cset.limits.presentation import AttributeStatement, Presented, Term, present
from fcp_ros.cset.migration.images import MigrationError
from fcp_ros.cset.migration.schema_map import SchemaMap

BOUND = 10_000
"""The most elements that may be created, by default."""


@dataclass(frozen=True, eq=False)
class SigmaMigration:
    """An instance that was pushed forward.

    Attributes:
        map: the map of schemas.
        original: the instance that was pushed.
        instance: the result.
        images: the image of each element and tuple of the original.
    """

    map: SchemaMap
    original: Instance
    instance: Instance
    images: Mapping[int, int]
    _presented: Presented
    _generators: Mapping[int, str]

    def extend(
        self, target: Instance, images: Mapping[int, int], values: Mapping[str, object]
    ) -> Morphism:
        """Return the one morphism from the result that fits given images of the original.

        Args:
            target: its codomain.
            images: an id of the target for each element and tuple of the original.
            values: of variables.

        Raises:
            MigrationError: there is none.
        """
        named = {name: images[id_] for id_, name in self._generators.items()}
        try:
            return self._presented.universal(target, named, values)
        except LimitError as error:
            raise MigrationError(f"{self.instance!r} has no such morphism: {error}") from error


def sigma_migration(
    map_: SchemaMap,
    instance: Instance,
    bound: int = BOUND,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
) -> SigmaMigration:
    """Push an instance of the source of a map of schemas forward to an instance of its target.

    Args:
        map_: the map.
        instance: of its source.
        bound: the most elements that may be created.
        functional: the treatment of functional legs that would break; with `MERGE`, Sigma is the
            left adjoint among the instances that keep their functional legs.

    Raises:
        MigrationError: the instance has another schema; it would take more than `bound` elements;
            elements or values must become one, but cannot. The message names them.
    """
    if instance.schema != map_.source:
        raise MigrationError(
            f"the map starts in {map_.source.name!r}, but the instance is one of "
            f"{instance.schema.name!r}; give one of {map_.source.name!r}"
        )
    generators = _name_generators(instance)
    types = {name: map_.image(instance.type_of(id_)) for id_, name in generators.items()}
    try:
        presented = present(
            map_.target,
            types,
            _list_equations(map_, instance, generators),
            attributes=_list_attributes(map_, instance, generators),
            functional=functional,
            bound=bound,
        )
    except LimitError as error:
        raise MigrationError(
            f"{instance!r} cannot be pushed forward to {map_.target.name!r}: {error}"
        ) from error
    images = {id_: presented.generators[name] for id_, name in generators.items()}
    return SigmaMigration(map_, instance, presented.instance, images, presented, generators)


def sigma_of_morphism(
    map_: SchemaMap,
    morphism: Morphism,
    bound: int = BOUND,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
) -> Morphism:
    """Push a morphism forward; its ends are those that `sigma_migration` gives.

    Raises:
        MigrationError: as for `sigma_migration`.
    """
    source = sigma_migration(map_, morphism.source, bound, functional=functional)
    target = sigma_migration(map_, morphism.target, bound, functional=functional)
    images = {id_: target.images[image] for id_, image in morphism.mapping.items()}
    return source.extend(target.instance, images, morphism.values)


def _name_generators(instance: Instance) -> dict[int, str]:
    """Name each element and each tuple; elements keep their names."""
    names = FreeNames()
    found = {id_: names.take(instance.name_of(id_)) for id_ in instance.all_elements()}
    for relation in instance.schema.relations:
        for row in instance.elements(relation.name):
            found[row] = names.take(instance.name_of(row))
    return found


def _list_equations(
    map_: SchemaMap, instance: Instance, generators: Mapping[int, str]
) -> Iterator[tuple[Term, str]]:
    """List the equations that values of functions and elements in legs state."""
    for function in instance.schema.functions:
        path = map_.functions[function.name]
        for element in instance.elements(function.source):
            value = instance.apply(function.name, element)
            yield Term(generators[element], path), generators[value]
    for relation in instance.schema.relations:
        paths = [map_.relations[relation.name].legs[leg] for leg, _ in relation.legs]
        for row, legs in instance.tuples(relation.name).items():
            for path, element in zip(paths, legs, strict=True):
                yield Term(generators[row], path), generators[element]


def _list_attributes(
    map_: SchemaMap, instance: Instance, generators: Mapping[int, str]
) -> Iterator[AttributeStatement]:
    for id_, name in generators.items():
        for attribute in instance.schema.attributes_of(instance.type_of(id_)):
            image = map_.attributes[attribute.owner, attribute.name]
            value = instance.attribute(id_, attribute.name)
            if image is not None and value is not None:
                yield AttributeStatement(Term(name, image.path), image.name, value)
