# SPDX-License-Identifier: Apache-2.0
"""Limits of instances: terminal instance, products, equalisers, pullbacks.

Mac Lane, *Categories for the Working Mathematician*, section III.4; pointwise, as in every category
of functors to sets (V.3). Beyond that:

- *Types.* A morphism may send an element to one of a subtype. So a pair of elements has, as its own
  type, the least common ancestor of theirs; a pair without common ancestor is not there
  (`find_least_common_ancestors` says what happens where several are minimal).
- *Relations* are sets of tuples, and limits of sets are sets: a tuple of a product is a tuple of
  tuples. Functional legs and path equations hold in a limit if they hold in its parts.
- *Attributes* are partial, and a morphism keeps those that its source sets. So an attribute of a
  pair is set where all components have the same value. A variable counts as a value like any other:
  the limits are universal for cones that bind no variable to different values on different legs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product as combinations
from typing import Any

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.common_types import find_least_common_ancestors
from fcp_ros.cset.limits.diagrams import (
    LimitError,
    Square,
    check_cone,
    check_morphisms,
    check_schemas,
    list_ids,
    require_natural,
)
from fcp_ros.cset.schema.schema import Schema, TypeName

Ids = tuple[int, ...]


class Apex:
    """A limit of `parts` under construction.

    An element of it stands for one element of each part, and has a type that is the least one above
    theirs; where the common ancestors are not connected, there is an element for each of their
    components.
    """

    def __init__(self, parts: Sequence[Instance]) -> None:
        """Start with nothing; add all elements, then all tuples, then build."""
        self.parts = parts
        self.schema = parts[0].schema
        self._builder = InstanceBuilder(self.schema)
        self._names = FreeNames()
        self._ancestors: dict[tuple[TypeName, ...], tuple[TypeName, ...]] = {}
        self._over: dict[Ids, list[int]] = {}
        self._types: dict[int, TypeName] = {}
        self._components: dict[int, Ids] = {}

    def add_elements(self, combinations: Iterable[Ids]) -> None:
        """Add the elements of the apex for each combination of elements.

        Raises:
            LimitError: one has common ancestors, but no least one.
        """
        for ids in combinations:
            for type_ in self._find_types(ids):
                element = self._builder.add(type_, self._names.take(self._name(ids)))
                self._over.setdefault(ids, []).append(element)
                self._types[element] = type_
                self._components[element] = ids
                self._set_attributes(element, type_, ids)

    def add_tuples(self, relation: str, combinations: Iterable[Ids]) -> None:
        """Add the tuples of the apex for each combination of tuples of a relation."""
        tables = [part.relation_table(relation).rows for part in self.parts]
        types = [type_ for _, type_ in self.schema.relation(relation).legs]
        for ids in combinations:
            columns = zip(*(t[i] for t, i in zip(tables, ids, strict=True)), strict=True)
            legs = [self._at(key, type_) for key, type_ in zip(columns, types, strict=True)]
            row = self._builder.relate(relation, *legs)
            self._components[row] = ids
            self._set_attributes(row, relation, ids)

    def build(self) -> tuple[Instance, Mapping[int, Ids]]:
        """Build the instance, and the map from each of its ids to its components."""
        for function in self.schema.functions:
            subtypes = self.schema.subtypes(function.source)
            values = [part.function_table(function.name).values for part in self.parts]
            for element, type_ in self._types.items():
                if type_ in subtypes:
                    ids = self._components[element]
                    key = tuple([v[i] for v, i in zip(values, ids, strict=True)])
                    value = self._at(key, function.target)
                    self._builder.set_function(function.name, element, value)
        return self._builder.build(allow_conflicts=True), self._components

    def _find_types(self, ids: Ids) -> tuple[TypeName, ...]:
        own = tuple([part.type_of(id_) for part, id_ in zip(self.parts, ids, strict=True)])
        found = self._ancestors.get(own)
        if found is None:
            try:
                found = find_least_common_ancestors(self.schema, own)
            except LimitError as error:
                raise LimitError(f"no limit: {self._name(ids)!r} has no type: {error}") from error
            self._ancestors[own] = found
        return found

    def _at(self, ids: Ids, type_: TypeName) -> int:
        """Return the element for a combination that is a `type_`, an ancestor of all its types."""
        found = self._over[ids]
        if len(found) == 1:
            return found[0]
        return next(e for e in found if self.schema.is_subtype(self._types[e], type_))

    def _name(self, ids: Ids) -> str:
        names = [part.name_of(id_) for part, id_ in zip(self.parts, ids, strict=True)]
        return names[0] if len(names) == 1 else f"({','.join(names)})"

    def _set_attributes(self, id_: int, type_: TypeName, ids: Ids) -> None:
        """Set the attributes that all components have, with the same value."""
        for attribute in self.schema.attributes_of(type_):
            tables = (part.attribute_table(attribute.name) for part in self.parts)
            first, *others = (t.get(i) for t, i in zip(tables, ids, strict=True))
            if first is not None and all(other == first for other in others):
                self._builder.set_attribute(id_, attribute.name, first)


@dataclass(frozen=True, eq=False)
class Limit:
    """A limit with its universal property.

    Attributes:
        apex: the instance.
        projections: from it to the parts of the diagram.
        squares: what commutes in every cone over the diagram.
    """

    apex: Instance
    projections: tuple[Morphism, ...]
    squares: tuple[Square, ...] = ()

    def universal(self, cone: Sequence[Morphism], vertex: Instance | None = None) -> Morphism:
        """Return the one morphism to the apex through which a cone factors.

        Args:
            cone: a leg for each projection, from one instance, commuting with the diagram.
            vertex: that instance; needed only where there are no projections.

        Raises:
            LimitError: it is no cone; the message says where it fails.
        """
        ends = [projection.target for projection in self.projections]
        source = check_cone(cone, ends, self.squares, vertex)
        if source.schema != self.apex.schema:
            raise LimitError(f"{source!r} and {self.apex!r} have different schemas")
        mapping = {}
        for id_ in list_ids(source):
            key = tuple([leg.mapping[id_] for leg in cone])
            mapping[id_] = self._over(key, source.type_of(id_))
        result = Morphism(source, self.apex, mapping, _agree_on_values(cone))
        return require_natural(result, "no universal map")

    def _over(self, key: Ids, type_: TypeName) -> int:
        """Find the element or tuple of the apex over `key` that one of type `type_` is sent to."""
        schema = self.apex.schema
        for candidate in self._elements_by_image.get(key, ()):
            if schema.is_subtype(self.apex.type_of(candidate), type_):
                return candidate
        raise LimitError(f"the limit has no {type_!r} over {key}")

    @cached_property
    def _elements_by_image(self) -> Mapping[Ids, Sequence[int]]:
        fibres: defaultdict[Ids, list[int]] = defaultdict(list)
        for id_ in list_ids(self.apex):
            fibres[tuple([leg.mapping[id_] for leg in self.projections])].append(id_)
        return fibres


def terminal(schema: Schema) -> Limit:
    """Build the instance to which every instance has exactly one morphism.

    It has one element for each connected component of the types, of the component's least type, and
    one tuple in each relation.

    Raises:
        LimitError: a component has no least type, or an attribute has more than one possible value
            (no element has the attributes of them all).
    """
    for attribute in schema.attributes:
        if len(attribute.values) != 1:
            raise LimitError(
                f"schema {schema.name!r} has no terminal instance: no element has every value of "
                f"attribute {attribute.name!r} of {attribute.owner!r}; leave out the attributes"
            )
    builder = InstanceBuilder(schema)
    point = {}
    for type_ in find_least_common_ancestors(schema, ()):
        element = builder.add(type_, f"the_{type_}")
        for attribute in schema.attributes_of(type_):
            builder.set_attribute(element, attribute.name, attribute.values[0])
        point.update(dict.fromkeys(schema.ancestors(type_), element))
    for type_, element in point.items():
        for function in schema.functions:
            if function.source == type_:
                builder.set_function(function.name, element, point[function.target])
    for relation in schema.relations:
        row = builder.relate(relation.name, *(point[type_] for _, type_ in relation.legs))
        for attribute in schema.attributes_of(relation.name):
            builder.set_attribute(row, attribute.name, attribute.values[0])
    return Limit(builder.build(), ())


def product(*instances: Instance, schema: Schema | None = None) -> Limit:
    """Build the product: pairs of elements, named ``(a,b)``, and pairs of tuples.

    Args:
        instances: its factors; without any it is the terminal instance.
        schema: needed only where there are no factors.

    Raises:
        LimitError: schemas differ, or a pair of elements has no least common ancestor.
    """
    if not instances:
        if schema is None:
            raise LimitError("the product of nothing is the terminal instance; give its schema")
        return terminal(schema)
    schema = instances[0].schema if schema is None else schema
    check_schemas(schema, instances)
    types = combinations(*(_list_types(instance) for instance in instances))
    apex = Apex(instances)
    for own in types:
        columns = (i.elements(t, subtypes=False) for i, t in zip(instances, own, strict=True))
        apex.add_elements(combinations(*columns))
    for relation in schema.relations:
        tables = (instance.relation_table(relation.name).rows for instance in instances)
        apex.add_tuples(relation.name, combinations(*tables))
    return _make_limit(apex)


def equaliser(first: Morphism, second: Morphism) -> Limit:
    """Build the part of the common source on which two morphisms agree, with its inclusion.

    Elements keep their names.

    Raises:
        LimitError: the two are no parallel morphisms.
    """
    check_morphisms(first, second)
    source = first.source
    if not (source.is_same(second.source) and first.target.is_same(second.target)):
        raise LimitError("the two morphisms are not parallel; give two with the same two ends")
    apex = Apex((source,))
    apex.add_elements(
        (element,)
        for element in source.all_elements()
        if first.mapping[element] == second.mapping[element]
    )
    for relation in source.schema.relations:
        rows = source.relation_table(relation.name).rows
        apex.add_tuples(
            relation.name,
            ((row,) for row in rows if first.mapping[row] == second.mapping[row]),
        )
    return _make_limit(apex, Square(0, first, 0, second))


def pullback(first: Morphism, second: Morphism) -> Limit:
    """Build the pairs of elements with one image, and the pairs of tuples with one image.

    They are joined by hashing on the image, so that it takes time in proportion to the sizes of the
    two sources and of the result.

    Returns:
        The limit, with projections to the sources of `first` and `second`.

    Raises:
        LimitError: the two do not end in one instance, or a pair of elements has no least common
            ancestor.
    """
    check_morphisms(first, second)
    if not first.target.is_same(second.target):
        raise LimitError(f"the morphisms end in {first.target!r} and {second.target!r}, not in one")
    apex = Apex((first.source, second.source))
    apex.add_elements(
        _join_images(first, first.source.all_elements(), second, second.source.all_elements())
    )
    for relation in first.source.schema.relations:
        ours = first.source.relation_table(relation.name).rows
        theirs = second.source.relation_table(relation.name).rows
        apex.add_tuples(relation.name, _join_images(first, ours, second, theirs))
    return _make_limit(apex, Square(0, first, 1, second))


def _make_limit(apex: Apex, *squares: Square) -> Limit:
    instance, components = apex.build()
    projections = (
        Morphism(instance, part, {id_: ids[index] for id_, ids in components.items()})
        for index, part in enumerate(apex.parts)
    )
    return Limit(instance, tuple(projections), squares)


def _agree_on_values(cone: Sequence[Morphism]) -> dict[str, Any]:
    """Collect the bindings of variables on which all legs agree."""
    names = dict.fromkeys(name for leg in cone for name in leg.values)
    bound = {name: [leg.values.get(name, ValueVariable(name)) for leg in cone] for name in names}
    return {
        name: values[0]
        for name, values in bound.items()
        if all(value == values[0] for value in values)
    }


def _join_images(
    first: Morphism, ours: Iterable[int], second: Morphism, theirs: Iterable[int]
) -> Iterable[Ids]:
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    for id_ in theirs:
        buckets[second.mapping[id_]].append(id_)
    for id_ in ours:
        for other in buckets.get(first.mapping[id_], ()):
            yield id_, other


def _list_types(instance: Instance) -> list[TypeName]:
    """List the types that elements have themselves, in schema order."""
    return [type_ for type_ in instance.schema.types if instance.elements(type_, subtypes=False)]
