# SPDX-License-Identifier: Apache-2.0
"""The degree of a goal's alternative: a formula over graded atoms, judged or not yet.

Every node is monotone in its parts, and leaves are degrees or their complements. So with unknown
leaves at 1 the value is an upper bound, with unknown leaves at 0 a lower one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.memberships import GradedAtom

KnownDegree = Callable[[GradedAtom], float | None]
"""Degree of a graded atom in [0, 1]; None until it is judged."""


@dataclass(frozen=True, slots=True)
class Degree:
    """The degree of a graded atom, or 1 minus it."""

    atom: GradedAtom
    complement: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """The parts composed by the t-norm."""

    tnorm: TNorm
    parts: tuple[DegreeFormula, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The parts composed by the t-conorm, the dual of the t-norm."""

    tnorm: TNorm
    parts: tuple[DegreeFormula, ...]


@dataclass(frozen=True, slots=True)
class LeastOf:
    """The smallest of the parts."""

    parts: tuple[DegreeFormula, ...]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """1 - weight * (1 - x)."""

    weight: float
    body: DegreeFormula


@dataclass(frozen=True, slots=True)
class Fraction:
    """weight * x."""

    weight: float
    body: DegreeFormula


DegreeFormula = float | Degree | AllOf | AnyOf | LeastOf | Shortfall | Fraction
"""A degree with leaves that may be unknown; a number stands for itself."""


def evaluate_degree(formula: DegreeFormula, known: KnownDegree, unknown: float) -> float:
    """Evaluate a formula, in [0, 1], with `unknown` for every leaf that is not known."""
    if isinstance(formula, (float, int)):
        return float(formula)
    if isinstance(formula, Degree):
        degree = known(formula.atom)
        if degree is None:
            return unknown
        return 1.0 - degree if formula.complement else degree
    if isinstance(formula, AllOf):
        return _compose(
            formula.tnorm, [evaluate_degree(part, known, unknown) for part in formula.parts]
        )
    if isinstance(formula, AnyOf):
        return _compose_dually(
            formula.tnorm, [evaluate_degree(part, known, unknown) for part in formula.parts]
        )
    if isinstance(formula, LeastOf):
        return min(evaluate_degree(part, known, unknown) for part in formula.parts)
    inside = evaluate_degree(formula.body, known, unknown)
    if isinstance(formula, Shortfall):
        return 1.0 - formula.weight * (1.0 - inside)
    return formula.weight * inside


def upper_bound(formula: DegreeFormula) -> float:
    """Return an upper bound of a formula over all values of its leaves."""
    return formula if isinstance(formula, float) else evaluate_degree(formula, _nothing_known, 1.0)


def lower_bound(formula: DegreeFormula) -> float:
    """Return a lower bound of a formula over all values of its leaves."""
    return formula if isinstance(formula, float) else evaluate_degree(formula, _nothing_known, 0.0)


def is_surely_at_least(one: DegreeFormula, other: DegreeFormula) -> bool:
    """Return True if `one` is at least `other` for all values of their leaves.

    Sound, not complete: the answer is False where no rule below applies.
    """
    if isinstance(one, float) and isinstance(other, float):
        return one >= other
    if one == other or lower_bound(one) >= upper_bound(other):
        return True
    if isinstance(one, Shortfall):
        if isinstance(other, Shortfall) and one.weight <= other.weight:
            return is_surely_at_least(one.body, other.body)
        return is_surely_at_least(one.body, other)
    if isinstance(other, Fraction):
        if isinstance(one, Fraction) and one.weight >= other.weight:
            return is_surely_at_least(one.body, other.body)
        return is_surely_at_least(one, other.body)
    if isinstance(other, (AllOf, LeastOf)):
        # A composition is at most any selection of its parts.
        if isinstance(one, type(other)):
            return not Counter(one.parts) - Counter(other.parts)
        return any(is_surely_at_least(one, part) for part in other.parts)
    if isinstance(one, AnyOf):
        if isinstance(other, AnyOf):
            return not Counter(other.parts) - Counter(one.parts)
        return any(is_surely_at_least(part, other) for part in one.parts)
    return False


# --- constructors: numbers are evaluated at once


def compose(tnorm: TNorm, one: DegreeFormula, other: DegreeFormula) -> DegreeFormula:
    """Compose two formulas by the t-norm."""
    if isinstance(one, float) and isinstance(other, float):
        return tnorm.compose(one, other)
    if one == 1.0:
        return other
    return one if other == 1.0 else AllOf(tnorm, (*_parts_of(AllOf, one), *_parts_of(AllOf, other)))


def compose_dually(tnorm: TNorm, one: DegreeFormula, other: DegreeFormula) -> DegreeFormula:
    """Compose two formulas by the t-conorm, the dual of the t-norm."""
    if isinstance(one, float) and isinstance(other, float):
        return _compose_dually(tnorm, [one, other])
    if one == 0.0:
        return other
    return one if other == 0.0 else AnyOf(tnorm, (*_parts_of(AnyOf, one), *_parts_of(AnyOf, other)))


def take_least(one: DegreeFormula, other: DegreeFormula) -> DegreeFormula:
    """Take the smaller of two formulas."""
    if isinstance(one, float) and isinstance(other, float):
        return min(one, other)
    if one == 1.0:
        return other
    return one if other == 1.0 else LeastOf((*_parts_of(LeastOf, one), *_parts_of(LeastOf, other)))


def make_shortfall(weight: float, body: DegreeFormula) -> DegreeFormula:
    """Make 1 - weight * (1 - x)."""
    if isinstance(body, float):
        return 1.0 - weight * (1.0 - body)
    return body if weight == 1.0 else Shortfall(weight, body)


def make_fraction(weight: float, body: DegreeFormula) -> DegreeFormula:
    """Make weight * x."""
    if isinstance(body, float):
        return weight * body
    return body if weight == 1.0 else Fraction(weight, body)


def _parts_of(
    kind: type[AllOf] | type[AnyOf] | type[LeastOf], formula: DegreeFormula
) -> Iterator[DegreeFormula]:
    if isinstance(formula, kind):
        yield from formula.parts
    else:
        yield formula


def _compose(tnorm: TNorm, values: list[float]) -> float:
    result = 1.0
    for value in values:
        result = tnorm.compose(result, value)
    return result


def _compose_dually(tnorm: TNorm, values: list[float]) -> float:
    return 1.0 - _compose(tnorm, [1.0 - value for value in values])


def _nothing_known(_atom: GradedAtom) -> None:
    return None
