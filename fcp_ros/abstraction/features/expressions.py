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
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from fcp_ros.abstraction.states.state import GOAL

TOP = "top"
"""The word for the concept of all objects."""
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")


class _Construct:
    """A concept, role or feature that is written as a word with its parts in parentheses."""

    __slots__: tuple[str, ...] = ()
    word: ClassVar[str]
    is_nested: ClassVar[bool] = False  # True if `word(word(a, b), c)` is written `word(a, b, c)`

    @property
    def parts(self) -> tuple[DescriptionExpression, ...]:
        """The concepts and roles that it is directly made of."""
        return tuple([getattr(self, name) for name in self.__slots__])

    def __str__(self) -> str:
        texts = [str(part) for part in self.parts]
        if self.is_nested and type(self.parts[0]) is type(self):
            texts[0] = texts[0][len(self.word) + 1 : -1]
        return f"{self.word}({', '.join(texts)})"


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
class NotConcept(_Construct):
    """All other objects."""

    word: ClassVar[str] = "not"
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class AndConcept(_Construct):
    """The objects in both concepts."""

    word: ClassVar[str] = "and"
    is_nested: ClassVar[bool] = True
    left: ConceptExpression
    right: ConceptExpression


@dataclass(frozen=True, slots=True)
class SomeConcept(_Construct):
    """The objects with at least one successor in a concept."""

    word: ClassVar[str] = "some"
    role: RoleExpression
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class AllConcept(_Construct):
    """The objects all of whose successors are in a concept, or that have none."""

    word: ClassVar[str] = "all"
    role: RoleExpression
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class SameConcept(_Construct):
    """The objects whose successors in both roles are the same set.

    An object without any successor in either role is among them: where the goal asks nothing of a
    car that is nowhere, it is where it should be. One that is somewhere, while the goal asks
    nothing of it, is not: `and(some(goal.at, top), not(same(at, goal.at)))` are those still to be
    moved, as are `some(difference(goal.at, at), top)` where each has one place.
    """

    word: ClassVar[str] = "same"
    left: RoleExpression
    right: RoleExpression


@dataclass(frozen=True, slots=True)
class NamedRole:
    """The pairs of a binary relation, a function, or two legs of a wider relation."""

    name: str

    def __str__(self) -> str:
        return write_name(self.name)


@dataclass(frozen=True, slots=True)
class InverseRole(_Construct):
    """The pairs in the opposite order."""

    word: ClassVar[str] = "inverse"
    role: RoleExpression


@dataclass(frozen=True, slots=True)
class ClosureRole(_Construct):
    """The transitive closure: pairs connected by one step or more."""

    word: ClassVar[str] = "closure"
    role: RoleExpression


@dataclass(frozen=True, slots=True)
class RestrictRole(_Construct):
    """The pairs whose second object is in a concept."""

    word: ClassVar[str] = "restrict"
    role: RoleExpression
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class AndRole(_Construct):
    """The pairs in both roles."""

    word: ClassVar[str] = "and"
    is_nested: ClassVar[bool] = True
    left: RoleExpression
    right: RoleExpression


@dataclass(frozen=True, slots=True)
class ChainRole(_Construct):
    """The pairs connected by a step in the first role, then one in the second."""

    word: ClassVar[str] = "chain"
    is_nested: ClassVar[bool] = True
    left: RoleExpression
    right: RoleExpression


@dataclass(frozen=True, slots=True)
class DifferenceRole(_Construct):
    """The pairs in the first role that are not in the second."""

    word: ClassVar[str] = "difference"
    left: RoleExpression
    right: RoleExpression


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
    return expression.parts if isinstance(expression, _Construct) else ()


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


class Feature(_Construct):
    """A number, or a truth value, of each state."""

    __slots__ = ()
    is_boolean: ClassVar[bool]  # True if its values are 0 and 1 for false and true

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

    word: ClassVar[str] = "flag"
    is_boolean: ClassVar[bool] = True
    name: str

    def __str__(self) -> str:
        return f"{self.word}({write_name(self.name)})"

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

    word: ClassVar[str] = "any"
    is_boolean: ClassVar[bool] = True
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class CountFeature(Feature):
    """The number of objects in a concept."""

    word: ClassVar[str] = "count"
    is_boolean: ClassVar[bool] = False
    concept: ConceptExpression


@dataclass(frozen=True, slots=True)
class DistanceFeature(Feature):
    """The least number of steps in a role from an object of one concept to one of another.

    It is 0 where the concepts share an object. Where no object of `target` can be reached, also
    because one of the concepts is empty, it is the number of all objects of the state, which is
    more than any shortest path has steps.
    """

    word: ClassVar[str] = "distance"
    is_boolean: ClassVar[bool] = False
    source: ConceptExpression
    role: RoleExpression
    target: ConceptExpression
