# SPDX-License-Identifier: Apache-2.0
"""Goals without variables: quantifiers expanded over elements, what never changes worked out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fcp_ros.cset import Fact
from fcp_ros.planning.goal.wanted import Wanted
from fcp_ros.planning.model.memberships import GradedAtom


@dataclass(frozen=True, slots=True)
class Known:
    """A degree that is settled: it changes with no action."""

    degree: float


@dataclass(frozen=True, slots=True)
class Crisp:
    """A fact of a relation that some rule changes."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Graded:
    """A graded atom, yet to be judged."""

    atom: GradedAtom


@dataclass(frozen=True, slots=True)
class Both:
    """Composition of the parts with the t-norm."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """The largest degree of the parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """1 - x."""

    body: Formula


@dataclass(frozen=True, slots=True)
class Scaled:
    """1 - weight * (1 - x)."""

    weight: float
    body: Formula


@dataclass(frozen=True, slots=True)
class Bound:
    """The body for one choice of an existential variable."""

    variable: str
    element: str
    body: Formula


Formula = Known | Crisp | Graded | Both | Either | Negation | Scaled | Bound

FALSE = Known(0.0)
TRUE = Known(1.0)


def both(parts: Iterable[Formula]) -> Formula:
    """Conjunction, simplified."""
    kept: list[Formula] = []
    for part in parts:
        if part == FALSE:
            return FALSE
        if part != TRUE:
            kept.append(part)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Both(tuple(kept))


def either(parts: Iterable[Formula]) -> Formula:
    """Disjunction, simplified."""
    kept: list[Formula] = []
    for part in parts:
        if part == TRUE:
            return TRUE
        if part != FALSE:
            kept.append(part)
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Either(tuple(kept))


def negation(body: Formula) -> Formula:
    """Negation, simplified."""
    if isinstance(body, Known):
        return Known(1.0 - body.degree)
    return body.body if isinstance(body, Negation) else Negation(body)


def scaled(weight: float, body: Formula) -> Formula:
    """Weighting, simplified."""
    if isinstance(body, Known):
        return Known(1.0 - weight * (1.0 - body.degree))
    return Scaled(weight, body)


def bound(variable: str, element: str, body: Formula) -> Formula:
    """A choice; a false body stays false."""
    return FALSE if body == FALSE else Bound(variable, element, body)


def without_bindings(formula: Formula) -> Formula:
    """The same formula, without telling which choice it came from."""
    if isinstance(formula, Bound):
        return without_bindings(formula.body)
    if isinstance(formula, Both):
        return Both(tuple(map(without_bindings, formula.parts)))
    if isinstance(formula, Either):
        return Either(tuple(map(without_bindings, formula.parts)))
    if isinstance(formula, Negation):
        return Negation(without_bindings(formula.body))
    if isinstance(formula, Scaled):
        return Scaled(formula.weight, without_bindings(formula.body))
    return formula


def choices(formula: Formula) -> Iterator[Formula]:
    """The choices that a formula leaves at its top, each with the bindings that lead to it."""
    if isinstance(formula, Either):
        for part in formula.parts:
            yield from choices(part)
    elif isinstance(formula, Bound):
        for part in choices(formula.body):
            yield Bound(formula.variable, formula.element, part)
    else:
        yield formula


def graded_atoms(formula: Formula) -> dict[GradedAtom, None]:
    """All graded atoms, each once, in order."""
    found: dict[GradedAtom, None] = {}
    stack = [formula]
    while stack:
        current = stack.pop()
        if isinstance(current, Graded):
            found.setdefault(current.atom)
        elif isinstance(current, (Both, Either)):
            stack.extend(reversed(current.parts))
        elif isinstance(current, (Negation, Scaled, Bound)):
            stack.append(current.body)
    return found


def wanted_of(formula: Formula) -> Wanted:
    """All changing facts of a formula, by polarity."""
    positive: set[Fact] = set()
    negative: set[Fact] = set()
    stack = [(formula, True)]
    while stack:
        current, upright = stack.pop()
        if isinstance(current, Crisp):
            (positive if upright else negative).add(current.fact)
        elif isinstance(current, (Both, Either)):
            stack.extend((part, upright) for part in current.parts)
        elif isinstance(current, Negation):
            stack.append((current.body, not upright))
        elif isinstance(current, (Scaled, Bound)):
            stack.append((current.body, upright))
    return Wanted(frozenset(positive), frozenset(negative))
