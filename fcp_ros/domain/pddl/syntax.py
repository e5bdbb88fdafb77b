# SPDX-License-Identifier: Apache-2.0
"""What PDDL files say, as values, before anything is worked out.

Names are lower case. Terms are `Variable` (without its question mark) and `Constant` (an object).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable

ROOT = "object"
"""The type of everything, and of whatever has no type."""

PddlTerm: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class Typed:
    """A variable or an object of any of some types."""

    name: str
    types: tuple[str, ...] = (ROOT,)


@dataclass(frozen=True, slots=True)
class Equality:
    left: PddlTerm
    right: PddlTerm


@dataclass(frozen=True, slots=True)
class Negation:
    body: Formula


@dataclass(frozen=True, slots=True)
class All:
    """A conjunction; without parts it is true."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """A disjunction; without parts it is false."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Quantified:
    """`forall` (universal) or `exists` over variables."""

    universal: bool
    variables: tuple[Typed, ...]
    body: Formula


Formula: TypeAlias = Atom | Equality | Negation | All | Any | Quantified

TRUE = All()
FALSE = Any()


@dataclass(frozen=True, slots=True)
class ActionEffect:
    """What is added and deleted for all variables for which the condition holds."""

    variables: tuple[Typed, ...]
    condition: Formula
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of an action's parameters and objects, as part of the action's cost."""

    function: str
    arguments: tuple[PddlTerm, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """An action; `cost` is what it adds to total-cost: numbers and functions, to be summed up."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Formula
    effects: tuple[ActionEffect, ...]
    cost: tuple[float | FunctionValue, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainText:
    """A domain file. `types` gives the parent of each type; ROOT has none and is not listed."""

    name: str
    types: Mapping[str, str]
    constants: tuple[Typed, ...]
    predicates: Mapping[str, tuple[Typed, ...]]
    functions: Mapping[str, int]
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class ProblemText:
    """A problem file.

    Attributes:
        name: of the problem.
        domain: the name of the domain that it is for.
        objects: all of them, the domain's constants included.
        facts: predicate -> argument tuples that hold at first.
        values: function -> arguments -> value at first.
        minimises_cost: whether total-cost is to be minimised; otherwise each action counts 1.
        spelling: objects as the files spell them, by their lower-case names.
    """

    name: str
    domain: str
    objects: tuple[Typed, ...]
    facts: Mapping[str, frozenset[tuple[str, ...]]]
    values: Mapping[str, Mapping[tuple[str, ...], float]]
    minimises_cost: bool
    spelling: Mapping[str, str]
