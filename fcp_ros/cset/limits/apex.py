# SPDX-License-Identifier: Apache-2.0
"""The apex of a limit: built from the tuples of elements, and of relation tuples, that it has."""

from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.limits.common_types import least_common_ancestors
from fcp_ros.cset.limits.errors import LimitError
from fcp_ros.cset.schema.schema import TypeName

Ids = tuple[int, ...]


class Apex:
    """A limit of `parts` under construction.

    An element of it stands for one element of each part, and has a type that is the least one above
    theirs; where the common ancestors fall apart, there is an element for each of their components.
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
        """Add what stands for each combination of elements.

        Raises:
            LimitError: one has common ancestors, but no least one.
        """
        for ids in combinations:
            for type_ in self._types_at(ids):
                element = self._builder.add(type_, self._names.take(self._name(ids)))
                self._over.setdefault(ids, []).append(element)
                self._types[element] = type_
                self._components[element] = ids
                self._set_attributes(element, type_, ids)

    def add_tuples(self, relation: str, combinations: Iterable[Ids]) -> None:
        """Add what stands for each combination of tuples of a relation."""
        tables = [part.relation_table(relation).rows for part in self.parts]
        types = [type_ for _, type_ in self.schema.relation(relation).legs]
        for ids in combinations:
            columns = zip(*(t[i] for t, i in zip(tables, ids, strict=True)), strict=True)
            legs = [self._at(key, type_) for key, type_ in zip(columns, types, strict=True)]
            row = self._builder.relate(relation, *legs)
            self._components[row] = ids
            self._set_attributes(row, relation, ids)

    def build(self) -> tuple[Instance, Mapping[int, Ids]]:
        """The instance, and what each of its ids stands for."""
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

    def _types_at(self, ids: Ids) -> tuple[TypeName, ...]:
        own = tuple([part.type_of(id_) for part, id_ in zip(self.parts, ids, strict=True)])
        found = self._ancestors.get(own)
        if found is None:
            try:
                found = least_common_ancestors(self.schema, own)
            except LimitError as error:
                raise LimitError(f"no limit: {self._name(ids)!r} has no type: {error}") from error
            self._ancestors[own] = found
        return found

    def _at(self, ids: Ids, type_: TypeName) -> int:
        """The element for a combination that is a `type_`, a common ancestor of its types."""
        found = self._over[ids]
        if len(found) == 1:
            return found[0]
        return next(e for e in found if self.schema.is_subtype(self._types[e], type_))

    def _name(self, ids: Ids) -> str:
        names = [part.name_of(id_) for part, id_ in zip(self.parts, ids, strict=True)]
        return names[0] if len(names) == 1 else f"({','.join(names)})"

    def _set_attributes(self, id_: int, type_: TypeName, ids: Ids) -> None:
        """Set what all components have set, and to the same value."""
        for attribute in self.schema.attributes_of(type_):
            tables = (part.attribute_table(attribute.name) for part in self.parts)
            first, *others = (t.get(i) for t, i in zip(tables, ids, strict=True))
            if first is not None and all(other == first for other in others):
                self._builder.set_attribute(id_, attribute.name, first)
