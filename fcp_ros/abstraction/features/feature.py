# SPDX-License-Identifier: Apache-2.0
"""Features: numbers and truth values of a state, computed from its concepts and roles.

Booleans are 0 and 1. `text` is read back by `parser.parse_feature` as an equal feature.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from fcp_ros.abstraction.features.expressions import (
    ConceptExpression,
    DescriptionExpression,
    RoleExpression,
    collect_names,
    measure_complexity,
    write_name,
)


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
        """The feature as it is written."""
        return str(self)

    @property
    def complexity(self) -> int:
        """That of its parts (see `expressions`) and one more."""
        return 1 + sum(map(measure_complexity, self.parts))

    @property
    def names(self) -> frozenset[str]:
        """The names of the vocabulary that it uses."""
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
        """The concept."""
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
        """The concept."""
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
