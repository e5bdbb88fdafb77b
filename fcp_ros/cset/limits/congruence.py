# SPDX-License-Identifier: Apache-2.0
"""Congruence closure: elements and tuples up to an equality that functions respect.

Nodes are elements or tuples that may turn out to be equal. Merging two classes of nodes merges
their values under every function, by union-find with a worklist (Downey, Sethi and Tarjan,
*Variations on the common subexpression problem*, 1980, here for functions of one argument).

Attribute values are unified: gluing turns a variable into what it is glued to. So the variables of
attributes are elements of their own, which a morphism may send to values, as in Patterson, Lynch
and Fairbanks, *Categorical Data Structures for Technical Computing* (2022). Operations are opaque:
two of them are equal if they are written alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.cset.instance.expressions import (
    ValueExpression,
    ValueOperation,
    ValueVariable,
    variables_of,
)
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.limits.common_types import find_greatest_common_subtype
from fcp_ros.cset.schema.schema import Schema, TypeName


class Clash(ValueError):
    """Two values that no substitution of variables makes equal."""


class Unifier:
    """The most general substitution that makes all pairs that were unified equal."""

    def __init__(self) -> None:
        self._bound: dict[str, ValueExpression] = {}
        self._ranks: dict[str, int] = {}

    def declare(self, value: ValueExpression) -> None:
        """Rank the variables of a value: of two that are unified, the earlier one stays."""
        for name in sorted(variables_of(value)):
            self._ranks.setdefault(name, len(self._ranks))

    def resolve(self, value: ValueExpression) -> ValueExpression:
        """Replace the variables of a value by what they are known to equal."""
        while isinstance(value, ValueVariable) and value.name in self._bound:
            value = self._bound[value.name]
        if isinstance(value, ValueOperation):
            return ValueOperation(value.operator, tuple(map(self.resolve, value.arguments)))
        return value

    def unify(self, first: ValueExpression, second: ValueExpression) -> None:
        """Make two values equal.

        Raises:
            Clash: they cannot be.
        """
        first, second = self.resolve(first), self.resolve(second)
        if first == second:
            return
        if isinstance(first, ValueVariable) and isinstance(second, ValueVariable):
            early, late = sorted((first, second), key=self._rank)
            self._bound[late.name] = early
        elif isinstance(first, ValueVariable):
            self._bind(first, second)
        elif isinstance(second, ValueVariable):
            self._bind(second, first)
        else:
            raise Clash(f"{first} is not {second}")

    def _bind(self, variable: ValueVariable, value: ValueExpression) -> None:
        if variable.name in variables_of(value):
            raise Clash(f"{variable} is not {value}, which contains it")
        self._bound[variable.name] = value

    def _rank(self, variable: ValueVariable) -> int:
        return self._ranks.get(variable.name, len(self._ranks))


def substitute(value: ValueExpression, values: Mapping[str, ValueExpression]) -> ValueExpression:
    """Replace variables of a value; those that are not among `values` stay."""
    if isinstance(value, ValueVariable):
        return values.get(value.name, value)
    if isinstance(value, ValueOperation):
        arguments = tuple(substitute(argument, values) for argument in value.arguments)
        return ValueOperation(value.operator, arguments)
    return value


def variables_in(instance: Instance) -> frozenset[str]:
    """Collect the names of the variables among the attribute values of an instance."""
    tables = {a.name: instance.attribute_table(a.name) for a in instance.schema.attributes}
    return frozenset().union(
        *(variables_of(value) for table in tables.values() for value in table.values())
    )


Inverse: TypeAlias = tuple[str, int]
"""The partial function from elements to the one tuple of a relation that has them in a leg."""
Field: TypeAlias = "str | Inverse"
"""A function, a leg, or the inverse of a leg."""
Types: TypeAlias = tuple[TypeName, ...]


@dataclass(frozen=True)
class AttributeClash:
    """Equal nodes whose values of an attribute cannot be equal.

    Attributes:
        node: one of their class.
        attribute: its name.
        reason: why.
    """

    node: int
    attribute: str
    reason: str


class Congruence:
    """Nodes in classes; every method takes any node of a class.

    A class has the smallest of its nodes as root. It has one type in the end: the greatest one that
    is below those of all its nodes; while that does not exist, it has several.
    """

    def __init__(self, schema: Schema) -> None:
        """Start without nodes."""
        self.schema = schema
        self.unifier = Unifier()
        self.classes = 0
        self.clashes: list[AttributeClash] = []
        self.narrowed: list[int] = []
        self._parents: list[int] = []
        self._types: list[Types] = []
        self._values: list[dict[Field, int]] = []
        self._attributes: list[dict[str, ValueExpression]] = []
        self._below: dict[tuple[Types, Types], Types] = {}

    def __len__(self) -> int:
        return len(self._parents)

    def add(self, type_: TypeName) -> int:
        """Add a node of a type, or of a relation, in a class of its own."""
        node = len(self._parents)
        self._parents.append(node)
        self._types.append((type_,))
        self._values.append({})
        self._attributes.append({})
        self.classes += 1
        return node

    def find(self, node: int) -> int:
        """Return the root of a node's class."""
        parents = self._parents
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def is_root(self, node: int) -> bool:
        """Return True if a node stands for its class."""
        return self._parents[node] == node

    def types(self, node: int) -> Types:
        """Return the type of a class, or its nodes' minimal types if none is below them all."""
        return self._types[self.find(node)]

    def value(self, node: int, field: Field) -> int | None:
        """Return a node of the class that a function sends the class to, None if unknown."""
        return self._values[self.find(node)].get(field)

    def attributes(self, node: int) -> Mapping[str, ValueExpression]:
        """Return the attributes of a class, not yet resolved."""
        return self._attributes[self.find(node)]

    def set_value(self, node: int, field: Field, value: int) -> None:
        """State the value of a function at a node; if it has one, the two are merged."""
        known = self._values[self.find(node)].setdefault(field, value)
        if known != value:
            self.merge(known, value)

    def set_attribute(self, node: int, name: str, value: ValueExpression) -> None:
        """State an attribute of a node; if it has a value, the two are unified."""
        self.unifier.declare(value)
        self._state_attribute(self.find(node), name, value)

    def narrow(self, node: int, type_: TypeName) -> None:
        """State that a node is of a further type."""
        root = self.find(node)
        before = self._types[root]
        self._set_types(root, (type_,))
        if self._types[root] != before:
            self.narrowed.append(root)

    def merge(self, first: int, second: int) -> None:
        """State that two nodes are equal, and derive all that follows."""
        pending = [(first, second)]
        while pending:
            keep, gone = sorted(map(self.find, pending.pop()))
            if keep == gone:
                continue
            self._parents[gone] = keep
            self.classes -= 1
            self._set_types(keep, self._types[gone])
            # The smaller table is moved into the larger one, which bounds the total work.
            few, many = sorted((self._values[keep], self._values[gone]), key=len)
            for field, value in few.items():
                known = many.setdefault(field, value)
                if known != value:
                    pending.append((known, value))
            self._values[keep], self._values[gone] = many, {}
            for name, expression in self._attributes[gone].items():
                self._state_attribute(keep, name, expression)
            self._attributes[gone] = {}

    def _set_types(self, root: int, more: Types) -> None:
        """Narrow the type of a class; note the class if neither side had the result before."""
        types = self._types[root]
        if types == more:
            return
        key = (types, more)
        if key not in self._below:
            self._below[key] = self._find_minimal({*types, *more})
        self._types[root] = below = self._below[key]
        if below not in key:
            self.narrowed.append(root)

    def _find_minimal(self, types: set[TypeName]) -> Types:
        meet = find_greatest_common_subtype(self.schema, types)
        if meet is not None:
            return (meet,)
        return tuple(sorted(t for t in types if self.schema.subtypes(t) & types == {t}))

    def _state_attribute(self, root: int, name: str, value: ValueExpression) -> None:
        known = self._attributes[root].setdefault(name, value)
        try:
            self.unifier.unify(known, value)
        except Clash as clash:
            self.clashes.append(AttributeClash(root, name, str(clash)))
