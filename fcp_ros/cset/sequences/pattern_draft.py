# SPDX-License-Identifier: Apache-2.0
"""Drafts: patterns under construction, by keys that several drafts share.

The parts of a composite rule (its left side, its right side, the patterns of its conditions, the
states in between) have most of their elements in common. They are drafted over the same keys, so
that the morphisms between them are the ones that keep keys.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.expressions import Expression
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import Schema

Key = int
Place = tuple[Key, str]
"""An attribute of an element or tuple."""
Legs = tuple[Key, ...]


@dataclass
class PatternDraft:
    """An instance under construction; unlike an instance, it may be changed.

    Attributes:
        schema: of the instance.
        types: the type of each element.
        names: the name of each element.
        functions: values by (function, element).
        tuples: (relation, legs) of each tuple.
        values: of attributes.
    """

    schema: Schema
    types: dict[Key, str] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    functions: dict[tuple[str, Key], Key] = field(default_factory=dict)
    tuples: dict[Key, tuple[str, Legs]] = field(default_factory=dict)
    values: dict[Place, Expression] = field(default_factory=dict)

    def copy(self) -> "PatternDraft":
        """A draft with the same content and keys."""
        parts = (self.types, self.names, self.functions, self.tuples, self.values)
        return PatternDraft(self.schema, *(dict(part) for part in parts))  # type: ignore[arg-type]

    def find(self, relation: str, legs: Legs) -> Key | None:
        """The tuple with these legs."""
        wanted = (relation, legs)
        return next((key for key, content in self.tuples.items() if content == wanted), None)

    def with_key(self, relation: str, position: int, element: Key) -> Iterator[Key]:
        """The tuples that have an element in a leg."""
        for key, (name, legs) in self.tuples.items():
            if name == relation and legs[position] == element:
                yield key

    def values_of(self, key: Key) -> dict[str, Expression]:
        """The attributes of an element or tuple that are set."""
        return {name: value for (holder, name), value in self.values.items() if holder == key}

    def add_all(self, other: "PatternDraft", keys: Iterable[Key]) -> None:
        """Add elements and tuples of another draft, without their attributes."""
        for key in keys:
            if key in other.tuples:
                self.tuples[key] = other.tuples[key]
            else:
                self.types[key], self.names[key] = other.types[key], other.names[key]
                for (function, element), value in other.functions.items():
                    if element == key:
                        self.functions[function, key] = value

    def remove(self, key: Key) -> None:
        """Remove an element or a tuple, with its functions and attributes."""
        for place in [place for place in self.values if place[0] == key]:
            del self.values[place]
        if self.tuples.pop(key, None) is None:
            del self.types[key], self.names[key]
            for argument in [argument for argument in self.functions if argument[1] == key]:
                del self.functions[argument]

    def build(self, *, strict: bool = False) -> "Built":
        """The instance.

        Args:
            strict: whether to refuse what breaks functional legs or path equations.

        Raises:
            InstanceError: the draft is none.
        """
        builder = InstanceBuilder(self.schema)
        ids = {key: builder.add(type_, self.names[key]) for key, type_ in self.types.items()}
        for (function, element), value in self.functions.items():
            builder.set_function(function, ids[element], ids[value])
        for key, (relation, legs) in self.tuples.items():
            ids[key] = builder.relate(relation, *(ids[leg] for leg in legs))
        for (holder, name), expression in self.values.items():
            builder.set_attribute(ids[holder], name, expression)  # type: ignore[arg-type]
        return Built(builder.build(allow_conflicts=not strict), ids)


@dataclass(frozen=True)
class Built:
    """The instance that a draft became.

    Attributes:
        instance: the instance.
        ids: its ids by the keys of the draft.
    """

    instance: Instance
    ids: Mapping[Key, int]

    def to(self, other: "Built") -> Morphism:
        """The morphism that keeps keys."""
        mapping = {id_: other.ids[key] for key, id_ in self.ids.items()}
        return Morphism(self.instance, other.instance, mapping)
