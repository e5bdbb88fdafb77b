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
    """A condition that may take the place of an atom.

    Attributes:
        formula: the condition; its free variables are legs of the relation.
        degree: of the condition in place of the atom, in [0, 1].
        because: a clause for the person who asked; may be empty.
    """

    formula: Expression
    degree: float
    because: str = ""


@dataclass(frozen=True, slots=True)
class SubstituteRule:
    """Elements that may take the place of what was asked for.

    Attributes:
        by: the graded predicate (element, wanted: text) that judges a substitute.
        named: the degree, in [0, 1], to be composed with that one where an element was asked for by
            its own name; None: such an element has no substitute.
        purpose: the graded predicate (element, purpose: text) that judges a substitute for what
            somebody says that it is for; "" for none.
    """

    of: str
    by: str
    named: float | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class ShiftRule:
    """Elements that the rules may take for elements of another type.

    Attributes:
        degree: of that, in [0, 1]; the graded predicate decides if there is one.
        by: a graded predicate (element, wanted: text) of the element and the name of the type; ""
            for none.
        because: a clause for the person who asked; may be empty.
    """

    of: str
    to: str
    degree: float = 1.0
    by: str = ""
    because: str = ""


@dataclass(frozen=True)
class Relaxing:
    """All that a domain says about relaxing goals.

    Attributes:
        substitutes: rules for substitutes; the first that fits counts.
        fewer: True if a count may be missed, by the degree `k / n` for k of n.
        fewer_some: the degree of having some at all; the rest is by `k / n`.
        fewer_each: the degree for each one that is missing, composed, in place of that.
        fewer_least: the least degree of a count that is missed; None leaves that to alpha.
        broader: kind of thing -> the degree of any of that kind in place of one that was asked for:
            kinds whose members do for one another.
        drop: relation, or ANY -> the degree that is left without a condition on it.
        split: the degree of a condition that is reached on the way only; None: it may not be.
        shifts: rules for elements that are taken for another type.
        ask: rule that asks a person -> its degree; such rules serve relaxed goals only.
        hard: relations, labels and graded predicates that are never relaxed.
    """

    weaker: Mapping[str, tuple[WeakerForm, ...]] = field(default_factory=dict)
    substitutes: tuple[SubstituteRule, ...] = ()
    fewer: bool = False
    fewer_some: float = 0.0
    fewer_each: float | None = None
    fewer_least: float | None = None
    broader: Mapping[str, float] = field(default_factory=dict)
    drop: Mapping[str, float] = field(default_factory=dict)
    split: float | None = None
    shifts: tuple[ShiftRule, ...] = ()
    ask: Mapping[str, float] = field(default_factory=dict)
    hard: frozenset[str] = frozenset()

    @property
    def allows_nothing(self) -> bool:
        """True if no goal can be relaxed."""
        others = (self.weaker, self.substitutes, self.fewer, self.broader, self.drop, self.shifts)
        return not any((*others, self.ask)) and self.split is None
