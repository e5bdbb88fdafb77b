# SPDX-License-Identifier: Apache-2.0
"""The ways in which a domain allows goals to be relaxed, and what must never be.

Degrees say how content somebody remains: 1 for no loss at all, 0 for not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.domain.expressions.syntax import Expression

ANY = "any"
"""The key of `drop` for relations that are not listed."""


@dataclass(frozen=True, slots=True)
class WeakerForm:
    """A condition that may take the place of an atom."""

    formula: Expression  # the condition; its free variables are legs of the relation
    degree: float  # of the condition in place of the atom, in [0, 1]
    because: str = ""  # a clause for the person who asked; may be empty


@dataclass(frozen=True, slots=True)
class SubstituteRule:
    """Elements that may take the place of what was asked for."""

    of: str
    by: str  # the graded predicate (element, wanted: text) that judges a substitute
    # the degree, in [0, 1], to be composed with that one where an element was asked for by its own
    # name; None: such an element has no substitute
    named: float | None = None
    # the graded predicate (element, purpose: text) that judges a substitute for what somebody says
    # that it is for; "" for none
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class ShiftRule:
    """Elements that the rules may take for elements of another type."""

    of: str
    to: str
    degree: float = 1.0  # of that, in [0, 1]; the graded predicate decides if there is one
    # a graded predicate (element, wanted: text) of the element and the name of the type; "" for
    # none
    by: str = ""
    because: str = ""  # a clause for the person who asked; may be empty


@dataclass(frozen=True)
class Relaxing:
    """All that a domain says about relaxing goals."""

    weaker: Mapping[str, tuple[WeakerForm, ...]] = field(default_factory=dict)
    # rules for substitutes; the first that fits counts
    substitutes: tuple[SubstituteRule, ...] = ()
    fewer: bool = False  # True if a count may be missed, by the degree `k / n` for k of n
    fewer_some: float = 0.0  # the degree of having some at all; the rest is by `k / n`
    # the degree for each one that is missing, composed, in place of that
    fewer_each: float | None = None
    # the least degree of a count that is missed; None leaves that to alpha
    fewer_least: float | None = None
    # kind of thing -> the degree of any of that kind in place of one that was asked for: kinds
    # whose members do for one another
    broader: Mapping[str, float] = field(default_factory=dict)
    # relation, or ANY -> the degree that is left without a condition on it
    drop: Mapping[str, float] = field(default_factory=dict)
    # the degree of a condition that is reached on the way only; None: it may not be
    split: float | None = None
    shifts: tuple[ShiftRule, ...] = ()  # rules for elements that are taken for another type
    # rule that asks a person -> its degree; such rules serve relaxed goals only
    ask: Mapping[str, float] = field(default_factory=dict)
    # relations, labels and graded predicates that are never relaxed
    hard: frozenset[str] = frozenset()

    @property
    def allows_nothing(self) -> bool:
        """True if no goal can be relaxed."""
        others = (self.weaker, self.substitutes, self.fewer, self.broader, self.drop, self.shifts)
        return not any((*others, self.ask)) and self.split is None
