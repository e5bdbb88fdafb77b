# SPDX-License-Identifier: Apache-2.0
"""Conjunctions taken apart and put together, also those within an `exists`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.structure import is_settled
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Count,
    Exists,
    Expression,
    Forall,
    Or,
    Text,
    TrajectoryConstraint,
    Variable,
    conjoin,
    list_conjuncts,
    list_variables,
    rebuild,
    rename_free,
    walk,
)
from fcp_ros.domain.model import IS_A


def merge_nested(expression: Expression, schema: Schema) -> Expression:
    """Make one `exists` of several, each of which says no more than a kind before the next one.

    Such as `exists ?x: can (exists ?b: bin (in(?x, ?b) and ..))`: each conjunct can then be given
    up by itself. The meaning stays.
    """
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        return rebuild(expression, lambda part: merge_nested(part, schema))
    if not isinstance(expression, Exists):
        return expression
    body = merge_nested(expression.body, schema)
    parts = tuple(list_conjuncts(body))
    inner = [part for part in parts if isinstance(part, Exists)]
    outside = [part for part in parts if not isinstance(part, Exists)]
    if len(inner) != 1 or not all(is_settled(part, schema) for part in outside):
        return replace(expression, body=body)
    said = {name for part in outside for name in list_names(part)}
    if any(variable.name in said for variable in inner[0].variables):
        return replace(expression, body=body)
    variables = (*expression.variables, *inner[0].variables)
    return Exists(variables, conjoin([*outside, *list_conjuncts(inner[0].body)]))


@dataclass(frozen=True)
class OpenedExists:
    """An `exists` whose conditions are relaxed one by one; `names`: its variables -> free ones."""

    original: Exists
    names: Mapping[str, str]

    @property
    def body(self) -> Expression:
        """The conditions about the free variables, with a kind for each that has no label."""
        parts = tuple(list_conjuncts(self.original.body))
        labelled = {p.arguments[0] for p in parts if isinstance(p, Atom) and p.predicate == IS_A}
        kinds = [
            Atom(IS_A, (Variable(self.names[v.name]), Text(v.type.replace("_", " "))))
            for v in self.original.variables
            if Variable(v.name) not in labelled
        ]
        return conjoin([*kinds, rename_free(conjoin(parts), self.names)])


def open_exists(
    part: Exists, taken: Iterable[str], others: Iterable[Expression] = ()
) -> OpenedExists:
    """Choose free variables for those of an `exists`.

    Args:
        taken: names that other free variables have.
        others: the other conjuncts of the goal: what they call their own is taken, too.
    """
    own = {variable.name for variable in part.variables}
    used = {*taken, *(name for one in others for name in list_names(one))}
    used |= set(list_names(part.body)) - own
    names: dict[str, str] = {}
    for variable in part.variables:
        numbered = (f"{variable.name}_{number}" for number in itertools.count(2))
        free = (name for name in itertools.chain([variable.name], numbered) if name not in used)
        names[variable.name] = next(free)
        used.add(names[variable.name])
    return OpenedExists(part, names)


def list_names(expression: Expression) -> Iterator[str]:
    """Yield the names of all variables, free or bound."""
    for part in walk(expression):
        if isinstance(part, Atom):
            yield from list_variables(part)
        elif isinstance(part, (Exists, Forall, Count)):
            yield from (variable.name for variable in part.variables)
