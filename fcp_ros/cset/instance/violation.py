# SPDX-License-Identifier: Apache-2.0
"""Violations: reasons that make a morphism, a match or a rewrite illegal, as values."""

from dataclasses import dataclass
from enum import Enum


class ViolationKind(str, Enum):
    """The broken condition."""

    NATURALITY = "naturality"
    """A mapping does not commute with a function, a leg, a type or an attribute."""
    NOT_MONIC = "not_monic"
    """Two elements of the pattern are sent to one although the match must be monic."""
    IDENTIFICATION = "identification"
    """A deleted element of the pattern shares its image with another element of the pattern."""
    DANGLING = "dangling"
    """Something that stays refers to an element that would be deleted."""
    NEGATIVE_CONDITION = "negative_condition"
    """A negative application condition matches."""
    POSITIVE_CONDITION = "positive_condition"
    """A positive application condition does not match."""
    COMPARISON = "comparison"
    """A comparison of attribute values does not hold."""
    EXPRESSION = "expression"
    """An attribute expression has no value, or one that the attribute does not admit."""
    FUNCTIONAL = "functional"
    """Two tuples of a relation have the same element in a leg that is functional."""
    MERGE = "merge"
    """A rule merges elements whose types or attributes do not agree."""


@dataclass(frozen=True)
class Violation:
    """One broken condition."""

    kind: ViolationKind
    message: str
    # names of the elements concerned (a tuple of a relation is named like ``on(mug_1, table_1)``)
    elements: tuple[str, ...] = ()
    # the function, leg, attribute or condition concerned, if there is one
    symbol: str | None = None

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.message}"
