# SPDX-License-Identifier: Apache-2.0
"""Concepts (sets of objects) and roles (relations between two objects) of description logic.

An expression is a value; `str` gives its text, which `parser` reads back as an equal value.
Intersections and chains of several parts are nested to the left: `and(C, D, E)` is
`and(and(C, D), E)`.

Complexity counts names and constructors. What says no more than a name does is free: `top`,
`inverse`, and the negation of a name. What is still to do counts as one name, because nearly every
policy speaks of it: the role `difference(goal.R, R)` and the concept `and(goal.C, not(C))`.

Booleans are 0 and 1. `text` is read back by `parser.parse_feature` as an equal feature.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from fcp_ros.abstraction.states.state import GOAL

TOP = "top"
"""The word for the concept of all objects."""
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """The objects of a type, with a property, in a unary relation, or the constant of that name."""

    name: str

    def __str__(self) -> str:
        return write_name(self.name)


@dataclass(frozen=True, slots=True)
class Top:
    """All objects of the state."""

    def __str__(self) -> str:
        return TOP


@dataclass(frozen=True, slots=True)
class NotConcept:
    """All other objects."""

    concept: ConceptExpression

    def __str__(self) -> str:
        return f"not({self.concept})"


@dataclass(frozen=True, slots=True)
class AndConcept:
    """The objects in both concepts."""

    left: ConceptExpression
    right: ConceptExpression

    def __str__(self) -> str:
        left = str(self.left)
        opening = left[:-1] if isinstance(self.left, AndConcept) else f"and({left}"
        return f"{opening}, {self.right})"


@dataclass(frozen=True, slots=True)
class SomeConcept:
    """The objects with at least one successor in a concept."""

    role: RoleExpression
    concept: ConceptExpression

    def __str__(self) -> str:
        return f"some({self.role}, {self.concept})"


@dataclass(frozen=True, slots=True)
class AllConcept:
    """The objects all of whose successors are in a concept, or that have none."""

    role: RoleExpression
    concept: ConceptExpression

    def __str__(self) -> str:
        return f"all({self.role}, {self.concept})"


@dataclass(frozen=True, slots=True)
class SameConcept:
    """The objects whose successors in both roles are the same set.

    An object without any successor in either role is among them: where the goal asks nothing of a
    car that is nowhere, it is where it should be. One that is somewhere, while the goal asks
    nothing of it, is not: `and(some(goal.at, top), not(same(at, goal.at)))` are those still to be
    moved, as are `some(difference(goal.at, at), top)` where each has one place.
    """

    left: RoleExpression
    right: RoleExpression

    def __str__(self) -> str:
        return f"same({self.left}, {self.right})"


@dataclass(frozen=True, slots=True)
class NamedRole:
    """The pairs of a binary relation, a function, or two legs of a wider relation."""

    name: str

    def __str__(self) -> str:
        return write_name(self.name)


@dataclass(frozen=True, slots=True)
class InverseRole:
    """The pairs in the opposite order."""

    role: RoleExpression

    def __str__(self) -> str:
        return f"inverse({self.role})"


@dataclass(frozen=True, slots=True)
class ClosureRole:
    """The transitive closure: pairs connected by one step or more."""

    role: RoleExpression

    def __str__(self) -> str:
        return f"closure({self.role})"


@dataclass(frozen=True, slots=True)
class RestrictRole:
    """The pairs whose second object is in a concept."""

    role: RoleExpression
    concept: ConceptExpression

    def __str__(self) -> str:
        return f"restrict({self.role}, {self.concept})"


@dataclass(frozen=True, slots=True)
class AndRole:
    """The pairs in both roles."""

    left: RoleExpression
    right: RoleExpression

    def __str__(self) -> str:
        left = str(self.left)
        opening = left[:-1] if isinstance(self.left, AndRole) else f"and({left}"
        return f"{opening}, {self.right})"


@dataclass(frozen=True, slots=True)
class ChainRole:
    """The pairs connected by a step in the first role, then one in the second."""

    left: RoleExpression
    right: RoleExpression

    def __str__(self) -> str:
        left = str(self.left)
        opening = left[:-1] if isinstance(self.left, ChainRole) else f"chain({left}"
        return f"{opening}, {self.right})"


@dataclass(frozen=True, slots=True)
class DifferenceRole:
    """The pairs in the first role that are not in the second."""

    left: RoleExpression
    right: RoleExpression

    def __str__(self) -> str:
        return f"difference({self.left}, {self.right})"


ConceptExpression: TypeAlias = (
    NamedConcept | Top | NotConcept | AndConcept | SomeConcept | AllConcept | SameConcept
)
RoleExpression: TypeAlias = (
    NamedRole | InverseRole | ClosureRole | RestrictRole | AndRole | ChainRole | DifferenceRole
)
DescriptionExpression: TypeAlias = ConceptExpression | RoleExpression


def write_name(name: str) -> str:
    """Write a name, in double quotes if it would be read as something else."""
    plain = _PLAIN_NAME.fullmatch(name) and name != TOP
    return name if plain else json.dumps(name, ensure_ascii=False)


def list_parts(expression: DescriptionExpression) -> tuple[DescriptionExpression, ...]:
    """Return the concepts and roles that an expression is directly made of."""
    if isinstance(expression, NamedConcept | NamedRole | Top):
        return ()
    if isinstance(expression, NotConcept):
        return (expression.concept,)
    if isinstance(expression, InverseRole | ClosureRole):
        return (expression.role,)
    if isinstance(expression, SomeConcept | AllConcept | RestrictRole):
        return (expression.role, expression.concept)
    return (expression.left, expression.right)


def collect_names(expression: DescriptionExpression) -> frozenset[str]:
    if isinstance(expression, NamedConcept | NamedRole):
        return frozenset([expression.name])
    return frozenset[str]().union(*map(collect_names, list_parts(expression)))


def measure_complexity(expression: DescriptionExpression) -> int:
    """Count names and constructors, except those that are free (see the module's docstring)."""
    if isinstance(expression, Top):
        return 0
    if isinstance(expression, NamedConcept | NamedRole) or _is_still_to_do(expression):
        return 1
    if isinstance(expression, InverseRole):
        return measure_complexity(expression.role)
    if isinstance(expression, NotConcept) and isinstance(expression.concept, NamedConcept):
        return 1
    return 1 + sum(map(measure_complexity, list_parts(expression)))


def _is_still_to_do(expression: DescriptionExpression) -> bool:
    """Return True for `difference(goal.R, R)` and `and(goal.C, not(C))`."""
    if isinstance(expression, DifferenceRole):
        wanted, present = expression.left, expression.right
        return (
            isinstance(wanted, NamedRole)
            and isinstance(present, NamedRole)
            and wanted.name == GOAL + present.name
        )
    if isinstance(expression, AndConcept):
        asked, missing = expression.left, expression.right
        return (
            isinstance(asked, NamedConcept)
            and isinstance(missing, NotConcept)
            and isinstance(missing.concept, NamedConcept)
            and asked.name == GOAL + missing.concept.name
        )
    return False


# --- features: numbers and truth values of a state, computed from its concepts and roles


class Feature(ABC):
    """A number, or a truth value, of each state."""

    __slots__ = ()
    is_boolean: ClassVar[bool]  # True if its values are 0 and 1 for false and true

    @property
    @abstractmethod
    def parts(self) -> tuple[DescriptionExpression, ...]:
        """The concepts and roles that it is directly made of."""

    @property
    def text(self) -> str:
        return str(self)

    @property
    def complexity(self) -> int:
        """That of its parts (see `expressions`) and one more."""
        return 1 + sum(map(measure_complexity, self.parts))

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*map(collect_names, self.parts))


@dataclass(frozen=True, slots=True)
class FlagFeature(Feature):
    """A relation without legs: true or false."""

    name: str
    is_boolean: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"flag({write_name(self.name)})"

    @property
    def parts(self) -> tuple[DescriptionExpression, ...]:
        """None."""
        return ()

    @property
    def names(self) -> frozenset[str]:
        """The flag's."""
        return frozenset([self.name])


@dataclass(frozen=True, slots=True)
class AnyFeature(Feature):
    """True if a concept has an object."""

    concept: ConceptExpression
    is_boolean: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"any({self.concept})"

    @property
    def parts(self) -> tuple[DescriptionExpression, ...]:
        return (self.concept,)


@dataclass(frozen=True, slots=True)
class CountFeature(Feature):
    """The number of objects in a concept."""

    concept: ConceptExpression
    is_boolean: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"count({self.concept})"

    @property
    def parts(self) -> tuple[DescriptionExpression, ...]:
        return (self.concept,)


@dataclass(frozen=True, slots=True)
class DistanceFeature(Feature):
    """The least number of steps in a role from an object of one concept to one of another.

    It is 0 where the concepts share an object. Where no object of `target` can be reached, also
    because one of the concepts is empty, it is the number of all objects of the state, which is
    more than any shortest path has steps.
    """

    source: ConceptExpression
    role: RoleExpression
    target: ConceptExpression
    is_boolean: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"distance({self.source}, {self.role}, {self.target})"

    @property
    def parts(self) -> tuple[DescriptionExpression, ...]:
        """The two concepts and the role."""
        return (self.source, self.role, self.target)
