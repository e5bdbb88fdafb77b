# SPDX-License-Identifier: Apache-2.0
"""Unification of attribute values: what gluing elements makes of the variables that they hold.

A colimit glues values as it glues elements: a variable becomes what it is glued to. So instances
with variables are taken as Patterson, Lynch and Fairbanks, *Categorical Data Structures for
Technical Computing* (2022), take the variables of attributes: elements of their own, which a
morphism may send to values. Operations are opaque: two of them are equal where they are written
alike.
"""

from collections.abc import Mapping

from fcp_ros.cset.instance.expressions import Expression, Operation, Variable, variables_of
from fcp_ros.cset.instance.instance import Instance


class Clash(ValueError):
    """Two values that no substitution of variables makes equal."""


class Unifier:
    """The most general substitution that makes all pairs that were unified equal."""

    def __init__(self) -> None:
        self._bound: dict[str, Expression] = {}
        self._ranks: dict[str, int] = {}

    def declare(self, value: Expression) -> None:
        """Rank the variables of a value: of two that are unified, the earlier one stays."""
        for name in sorted(variables_of(value)):
            self._ranks.setdefault(name, len(self._ranks))

    def resolve(self, value: Expression) -> Expression:
        """The value with all that is known of its variables."""
        while isinstance(value, Variable) and value.name in self._bound:
            value = self._bound[value.name]
        if isinstance(value, Operation):
            return Operation(value.operator, tuple(map(self.resolve, value.arguments)))
        return value

    def unify(self, first: Expression, second: Expression) -> None:
        """Make two values equal.

        Raises:
            Clash: they cannot be.
        """
        first, second = self.resolve(first), self.resolve(second)
        if first == second:
            return
        if isinstance(first, Variable) and isinstance(second, Variable):
            early, late = sorted((first, second), key=self._rank)
            self._bound[late.name] = early
        elif isinstance(first, Variable):
            self._bind(first, second)
        elif isinstance(second, Variable):
            self._bind(second, first)
        else:
            raise Clash(f"{first} is not {second}")

    def _bind(self, variable: Variable, value: Expression) -> None:
        if variable.name in variables_of(value):
            raise Clash(f"{variable} is not {value}, which contains it")
        self._bound[variable.name] = value

    def _rank(self, variable: Variable) -> int:
        return self._ranks.get(variable.name, len(self._ranks))


def substitute(value: Expression, values: Mapping[str, Expression]) -> Expression:
    """The value with variables replaced; those that are not among `values` stay."""
    if isinstance(value, Variable):
        return values.get(value.name, value)
    if isinstance(value, Operation):
        arguments = tuple(substitute(argument, values) for argument in value.arguments)
        return Operation(value.operator, arguments)
    return value


def variables_in(instance: Instance) -> frozenset[str]:
    """Names of the variables among the attribute values of an instance."""
    tables = {a.name: instance.attribute_table(a.name) for a in instance.schema.attributes}
    return frozenset().union(
        *(variables_of(value) for table in tables.values() for value in table.values())
    )
