# SPDX-License-Identifier: Apache-2.0
"""Delta: instances pulled back along a map of schemas (Spivak, *Functorial data migration*, 2012).

Precomposition with the functor: the elements of a type are those of its image, the value of a
function is the one at the end of its path. Beyond that:

- *Types.* Two types without common ancestor may have one image; then an element of it becomes two.
  Types with a common ancestor stand for one element, which gets the least of those that fit.
- *Relations* are sets of tuples: elements with the same ends of all legs become one tuple. Their
  attributes must agree.
- *Functional legs and equations* of the source schema are checked on the result, besides what the
  map has proven.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.common_types import components
from fcp_ros.cset.migration.images import AttributeImage, MigrationError
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.schema.schema import AttributeValue, RelationName, TypeName


@dataclass(frozen=True, eq=False)
class DeltaMigration:
    """An instance that was pulled back.

    Attributes:
        map: the map of schemas.
        original: the instance that was pulled back.
        instance: the result.
        origins: for each id of the result the one of the original; of merged tuples, the first.
    """

    map: SchemaMap
    original: Instance
    instance: Instance
    origins: Mapping[int, int]

    def find_element(self, id_: int, type_: TypeName) -> int:
        """Find the element of the result that stands for one of the original.

        Args:
            id_: an element or tuple of the original.
            type_: its type in the result, or an ancestor of that.

        Raises:
            MigrationError: there is none of that type.
        """
        is_subtype = self.map.source.is_subtype
        for element in self._standing.get(id_, ()):
            if is_subtype(self.instance.type_of(element), type_):
                return element
        raise MigrationError(f"no {type_!r} stands for {self.original.name_of(id_)!r}")

    @cached_property
    def _standing(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for element in self.instance.all_elements():
            found.setdefault(self.origins[element], []).append(element)
        return found


def delta_migration(map_: SchemaMap, instance: Instance) -> DeltaMigration:
    """Pull an instance of the target of a map of schemas back to an instance of its source.

    Args:
        map_: the map.
        instance: of its target.

    Raises:
        MigrationError: the instance has another schema; an element would be of several types
            without a least one; merged tuples have different attributes; the result breaks a
            functional leg or an equation. The message names the elements.
    """
    if instance.schema != map_.target:
        raise MigrationError(
            f"the map ends in {map_.target.name!r}, but the instance is one of "
            f"{instance.schema.name!r}; give one of {map_.target.name!r}"
        )
    return _Delta(map_, instance).migrate()


def delta_of_morphism(map_: SchemaMap, morphism: Morphism) -> Morphism:
    """Pull a morphism back; its ends are those that `delta_migration` gives.

    Raises:
        MigrationError: as for `delta_migration`.
    """
    source = delta_migration(map_, morphism.source)
    target = delta_migration(map_, morphism.target)
    mapping = {
        element: target.find_element(
            morphism.mapping[source.origins[element]], source.instance.type_of(element)
        )
        for element in source.instance.all_elements()
    }
    mapping.update(pair_tuples(source.instance, target.instance, mapping))
    return Morphism(source.instance, target.instance, mapping, morphism.values)


def pair_tuples(
    source: Instance, target: Instance, elements: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Pair each tuple of the source with the tuple of the images of its elements.

    Raises:
        MigrationError: the target has no such tuple.
    """
    for relation in source.schema.relations:
        for row, legs in source.tuples(relation.name).items():
            found = target.find_tuple(relation.name, tuple([elements[leg] for leg in legs]))
            if found is None:
                raise MigrationError(f"the target has no image of {source.name_of(row)}")
            yield row, found


class _Delta:
    """Builds the instance that is pulled back."""

    def __init__(self, map_: SchemaMap, instance: Instance) -> None:
        self.map = map_
        self.original = instance
        self.builder = InstanceBuilder(map_.source)
        self.origins: dict[int, int] = {}
        self._at: dict[int, list[tuple[frozenset[TypeName], int]]] = {}
        self._types: dict[str, list[tuple[TypeName, frozenset[TypeName]]]] = {}

    def migrate(self) -> DeltaMigration:
        self._add_elements()
        self._set_functions()
        self._add_tuples()
        try:
            result = self.builder.build()
        except InstanceError as error:
            raise MigrationError(f"{self._describe()} is none of its instances: {error}") from error
        return DeltaMigration(self.map, self.original, result, self.origins)

    def _add_elements(self) -> None:
        names = FreeNames()
        for id_ in self._find_ids():
            types = self._find_types(id_)
            for type_, component in types:
                name = self.original.name_of(id_)
                free = names.take(name if len(types) == 1 else f"{type_}({name})")
                element = self.builder.add(type_, free)
                self.origins[element] = id_
                self._at.setdefault(id_, []).append((component, element))
                self._set_attributes(element, type_, id_)

    def _find_types(self, id_: int) -> list[tuple[TypeName, frozenset[TypeName]]]:
        """Find the types of the elements that one becomes, each with its ancestors among these."""
        own = self.original.type_of(id_)
        found = self._types.get(own)
        if found is None:
            source, target = self.map.source, self.map.target
            fitting = frozenset(t for t, i in self.map.types.items() if target.is_subtype(own, i))
            found = []
            for component in components(source, fitting):
                least = [t for t in component if component <= source.ancestors(t)]
                if not least:
                    lowest = sorted(t for t in component if source.subtypes(t) & component == {t})
                    raise MigrationError(
                        f"{self._describe()} has no type for {self.original.name_of(id_)!r}, which "
                        f"is a {own!r}: {' and '.join(map(repr, lowest))} fit, and none is least; "
                        f"give them a common subtype that goes to {own!r}, or send one elsewhere"
                    )
                found.append((least[0], component))
            order = list(source.types)
            found.sort(key=lambda entry: order.index(entry[0]))
            self._types[own] = found
        return found

    def _set_functions(self) -> None:
        for function in self.map.source.functions:
            path = self.map.functions[function.name]
            for element, id_ in list(self.origins.items()):
                if self.map.source.is_subtype(self.builder.type_of(element), function.source):
                    value = self._find_element(self._follow(id_, path), function.target)
                    self.builder.set_function(function.name, element, value)

    def _add_tuples(self) -> None:
        for relation in self.map.source.relations:
            image = self.map.relations[relation.name]
            for id_ in self.original.elements(image.target):
                legs = [
                    self._find_element(self._follow(id_, image.legs[leg]), type_)
                    for leg, type_ in relation.legs
                ]
                row = self.builder.relate(relation.name, *legs)
                if row in self.origins:
                    self._check_same_attributes(relation.name, self.origins[row], id_)
                else:
                    self.origins[row] = id_
                    self._set_attributes(row, relation.name, id_)

    def _set_attributes(self, element: int, type_: str, id_: int) -> None:
        for name, value in self._read_attributes(type_, id_):
            try:
                self.builder.set_attribute(element, name, value)
            except InstanceError as error:
                raise MigrationError(f"{self._describe()}: {error}") from error

    def _read_attributes(self, type_: str, id_: int) -> Iterator[tuple[str, AttributeValue]]:
        for attribute in self.map.source.attributes_of(type_):
            image: AttributeImage | None = self.map.attributes[attribute.owner, attribute.name]
            if image is not None:
                value = self.original.attribute(self._follow(id_, image.path), image.name)
                if value is not None:
                    yield attribute.name, value

    def _check_same_attributes(self, relation: RelationName, first: int, second: int) -> None:
        values = [dict(self._read_attributes(relation, id_)) for id_ in (first, second)]
        if values[0] != values[1]:
            names = " and ".join(map(self.original.name_of, (first, second)))
            raise MigrationError(
                f"{self._describe()} has one tuple of {relation!r} for {names}, whose attributes "
                f"differ: {values[0]} and {values[1]}; leave these behind (None in the map)"
            )

    def _find_element(self, id_: int, type_: TypeName) -> int:
        return next(element for types, element in self._at[id_] if type_ in types)

    def _follow(self, id_: int, path: Iterable[str]) -> int:
        for step in path:
            type_ = self.original.type_of(id_)
            if self.map.target.has_relation(type_):
                position = self.map.target.relation(type_).position(step)
                id_ = self.original.tuples(type_)[id_][position]
            else:
                id_ = self.original.apply(step, id_)
        return id_

    def _find_ids(self) -> Iterator[int]:
        """Find all elements, and the tuples that some type stands for."""
        yield from self.original.all_elements()
        images = set(self.map.types.values())
        for relation in self.map.target.relations:
            if relation.name in images:
                yield from self.original.elements(relation.name)

    def _describe(self) -> str:
        return f"{self.original!r}, pulled back to {self.map.source.name!r},"
