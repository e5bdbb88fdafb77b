# SPDX-License-Identifier: Apache-2.0
"""Instances that generators and equations present, and pushouts.

An instance is a functor from its schema to sets, a morphism a natural transformation (Patterson,
Lynch and Fairbanks, *Categorical Data Structures for Technical Computing*, 2022). Each is a finite
colimit of representables: generators of some types, with equations between what functions make of
them. So a pattern can be written by naming its elements; by the Yoneda lemma, its morphisms to a
state are the ways to choose elements there for which the equations hold.

A pushout glues two instances along a third, and is presented by the elements of both::

    K -----> R
    |        |
    D -----> H

Relations are sets: tuples that get equal legs become one. Rewriting doesn't build pushouts like
this (it changes the state in place); its tests compare it with them.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.schema import AttributeValue, Schema, TypeName
from fcp_ros.foundation.wording import FreeNames

Term: TypeAlias = str | tuple[str, ...]
"""A generator, or its name and the functions to apply to it, from left to right."""


class PresentationError(ValueError):
    """Generators and equations without an instance; the message says why."""


@dataclass(frozen=True)
class Presented:
    """A presented instance, and the id in it of each generator."""

    instance: Instance
    generators: Mapping[str, int]


@dataclass(frozen=True)
class Pushout:
    """The apex of a pushout, and the morphisms to it from the two instances that are glued."""

    apex: Instance
    first: Morphism
    second: Morphism


def present(
    schema: Schema,
    generators: Mapping[str, TypeName],
    equations: Iterable[tuple[Term, Term]] = (),
    tuples: Iterable[tuple[str, tuple[Term, ...]]] = (),
    # (term, attribute, value) that are set
    attributes: Iterable[tuple[Term, str, AttributeValue]] = (),
    *,
    bound: int = 1_000,  # the most elements that functions may add
) -> Presented:
    """Build the freest instance with some elements, in which some statements hold.

    Raises PresentationError if elements of unrelated types, or with different values, would be one,
    or functions add more elements than `bound` (a cycle of functions). Raises SchemaError,
    InstanceError: a statement does not fit the schema, or would break a functional leg.
    """
    classes = _Classes(schema, bound)
    nodes = {name: classes.add(type_, name) for name, type_ in generators.items()}

    def find(term: Term) -> int:
        name, *path = (term,) if isinstance(term, str) else term
        if name not in nodes:
            raise PresentationError(f"no generator is called {name!r}")
        return classes.follow(nodes[name], path)

    for one, other in equations:
        classes.merge(find(one), find(other))
    rows = [(relation, [find(term) for term in legs]) for relation, legs in tuples]
    for term, attribute, value in attributes:
        classes.set_attribute(find(term), attribute, value)
    builder, ids = classes.build()
    for relation, legs in rows:
        builder.relate(relation, *(ids[classes.find(leg)] for leg in legs))
    named = {name: ids[classes.find(node)] for name, node in nodes.items()}
    return Presented(builder.build(), named)


def pushout(first: Morphism, second: Morphism) -> Pushout:
    """Glue the targets of two morphisms along their common source; functional legs may break."""
    if not first.source.is_same(second.source):
        raise PresentationError("the two morphisms of a pushout must start at one instance")
    parts = (first.target, second.target)
    classes = _Classes(parts[0].schema, 0)
    nodes = [
        {id_: classes.add(part.type_of(id_), part.name_of(id_)) for id_ in part.all_elements()}
        for part in parts
    ]
    for part, own in zip(parts, nodes, strict=True):
        for id_, node in own.items():
            for function in part.schema.functions_of(part.type_of(id_)):
                classes.set_value(node, function.name, own[part.apply(function.name, id_)])
            for attribute, value in part.attributes(id_).items():
                classes.set_attribute(node, attribute, value)
    for id_ in first.source.all_elements():
        classes.merge(nodes[0][first.mapping[id_]], nodes[1][second.mapping[id_]])
    builder, ids = classes.build()
    mappings, values = [], dict[tuple[int, str], AttributeValue]()
    for part, own in zip(parts, nodes, strict=True):
        mapping = {id_: ids[classes.find(node)] for id_, node in own.items()}
        mapping |= _relate(builder, part, mapping, values)
        mappings.append(mapping)
    apex = builder.build(allow_conflicts=True)
    injections = [Morphism(part, apex, m) for part, m in zip(parts, mappings, strict=True)]
    return Pushout(apex, *injections)


def _relate(
    builder: InstanceBuilder,
    part: Instance,
    mapping: Mapping[int, int],
    values: dict[tuple[int, str], AttributeValue],
) -> dict[int, int]:
    """Add the tuples of a part, and the values of their attributes; return the id of each."""
    rows = {}
    for relation in part.list_filled():
        for row, legs in part.tuples(relation).items():
            rows[row] = builder.relate(relation, *(mapping[leg] for leg in legs))
            for attribute, value in part.attributes(row).items():
                if values.setdefault((rows[row], attribute), value) != value:
                    raise PresentationError(f"{part.name_of(row)} has two values of {attribute!r}")
                builder.set_attribute(rows[row], attribute, value)
    return rows


class _Classes:
    """Elements up to an equality that functions respect.

    Union-find with a worklist (Downey, Sethi and Tarjan, *Variations on the common subexpression
    problem*, 1980).
    """

    def __init__(self, schema: Schema, bound: int) -> None:
        self._schema = schema
        self._bound = bound
        self._parents: list[int] = []
        self._types: list[TypeName] = []
        self._names: list[str] = []
        self._values: list[dict[str, int]] = []
        self._attributes: list[dict[str, AttributeValue]] = []

    def add(self, type_: TypeName, name: str) -> int:
        """Add an element in a class of its own."""
        if not self._schema.has_type(type_):
            raise PresentationError(f"the schema {self._schema.name!r} has no type {type_!r}")
        self._parents.append(len(self._parents))
        self._types.append(type_)
        self._names.append(name)
        self._values.append({})
        self._attributes.append({})
        return len(self._parents) - 1

    def find(self, node: int) -> int:
        """Return the first element of a class."""
        while self._parents[node] != node:
            node = self._parents[node]
        return node

    def follow(self, node: int, path: Iterable[str]) -> int:
        """Follow functions, adding elements that are missing."""
        for step in path:
            node = self._apply(self.find(node), step)
        return self.find(node)

    def _apply(self, node: int, step: str) -> int:
        if step not in self._values[node]:
            functions = {f.name: f.target for f in self._schema.functions_of(self._types[node])}
            if step not in functions:
                raise PresentationError(f"{self._names[node]!r} has no function {step!r}")
            if self._bound <= 0:
                raise PresentationError("functions lead to ever more elements: raise the bound")
            self._bound -= 1
            self._values[node][step] = self.add(functions[step], f"{step}({self._names[node]})")
        return self._values[node][step]

    def set_value(self, node: int, function: str, value: int) -> None:
        """State where a function leads from a class."""
        known = self._values[self.find(node)].setdefault(function, value)
        self.merge(known, value)

    def set_attribute(self, node: int, name: str, value: AttributeValue) -> None:
        node = self.find(node)
        known = self._attributes[node].setdefault(name, value)
        if known != value:
            what = f"{name!r} of {self._names[node]!r}"
            raise PresentationError(f"{what} would be both {known!r} and {value!r}")

    def merge(self, first: int, second: int) -> None:
        """Make two elements one, and with them all that functions make of them."""
        pending = deque([(first, second)])
        while pending:
            keep, gone = sorted(map(self.find, pending.popleft()))
            if keep == gone:
                continue
            self._parents[gone] = keep
            self._types[keep] = self._find_lower(keep, gone)
            for function, value in self._values[gone].items():
                pending.append((self._values[keep].setdefault(function, value), value))
            for name, stated in self._attributes[gone].items():
                self.set_attribute(keep, name, stated)

    def _find_lower(self, keep: int, gone: int) -> TypeName:
        one, other = self._types[keep], self._types[gone]
        if self._schema.is_subtype(one, other):
            return one
        if self._schema.is_subtype(other, one):
            return other
        raise PresentationError(
            f"{self._names[keep]!r}, a {one}, and {self._names[gone]!r}, a {other}, can't be one"
        )

    def build(self) -> tuple[InstanceBuilder, dict[int, int]]:
        """Complete the functions, and build an element for each class; return their ids, too."""
        node = 0
        while node < len(self._parents):  # grows while functions are completed
            if self.find(node) == node:
                for function in self._schema.functions_of(self._types[node]):
                    self._apply(node, function.name)
            node += 1
        builder, names = InstanceBuilder(self._schema), FreeNames()
        roots = [node for node in range(len(self._parents)) if self.find(node) == node]
        ids = {n: builder.add(self._types[n], names.take(self._names[n])) for n in roots}
        for node in roots:
            for step, value in self._values[node].items():
                builder.set_function(step, ids[node], ids[self.find(value)])
            for name, stated in self._attributes[node].items():
                builder.set_attribute(ids[node], name, stated)
        return builder, ids
