# SPDX-License-Identifier: Apache-2.0
"""Goals without variables: quantifiers expanded over elements, static facts evaluated.

Every node has a degree in [0, 1]. The `make_` functions build simplified nodes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fcp_ros.cset import Fact
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted


@dataclass(frozen=True, slots=True)
class Settled:
    """A degree that no action changes."""

    degree: float


@dataclass(frozen=True, slots=True)
class Crisp:
    """A fact of a relation that some rule changes."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Graded:
    """A graded atom."""

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
class AtLeast:
    """The best composition of so many of the parts: at least two, and not all of them."""

    number: int
    parts: tuple[Formula, ...]

    def write_out(self) -> Formula:
        """Write it as a disjunction over sets of parts; Interrupted beyond MAX_SUBSETS of them."""
        if math.comb(len(self.parts), self.number) > MAX_SUBSETS:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"A count within another condition has more than {MAX_SUBSETS} cases: "
                "join it to the goal by `and`, or count fewer elements.",
            )
        return make_either(map(make_both, itertools.combinations(self.parts, self.number)))


@dataclass(frozen=True, slots=True)
class Complement:
    """1 - x."""

    body: Formula


@dataclass(frozen=True, slots=True)
class Scaled:
    """1 - weight * (1 - x)."""

    weight: float
    body: Formula


@dataclass(frozen=True, slots=True)
class Instantiation:
    """The body for one element in place of an existential variable."""

    variable: str
    element: str
    body: Formula


Formula = Settled | Crisp | Graded | Both | Either | AtLeast | Complement | Scaled | Instantiation

MAX_SUBSETS = 5_000
"""A count is written out for at most this many sets of its parts."""

FALSE = Settled(0.0)
TRUE = Settled(1.0)


@dataclass(frozen=True)
class Wanted:
    """Fluent facts that a goal speaks of, by polarity: where relevance begins."""

    positive: frozenset[Fact] = frozenset()  # the goal's degree may rise when they become true
    # the goal's degree may rise when they become false. A fact may be in both.
    negative: frozenset[Fact] = frozenset()


def make_both(parts: Iterable[Formula]) -> Formula:
    return _join(Both, TRUE, FALSE, parts)


def make_either(parts: Iterable[Formula]) -> Formula:
    return _join(Either, FALSE, TRUE, parts)


def _join(
    kind: type[Both | Either], neutral: Formula, deciding: Formula, parts: Iterable[Formula]
) -> Formula:
    kept: list[Formula] = []
    for part in parts:
        if part == deciding:
            return deciding
        if part != neutral:
            kept.append(part)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def make_at_least(number: int, parts: Iterable[Formula]) -> Formula:
    given = tuple(parts)
    kept = tuple(part for part in given if part not in (TRUE, FALSE))
    number -= sum(part == TRUE for part in given)
    if number <= 0:
        return TRUE
    if number > len(kept):
        return FALSE
    if number == 1:
        return make_either(kept)
    return make_both(kept) if number == len(kept) else AtLeast(number, kept)


def make_complement(body: Formula) -> Formula:
    """Make a complement; that of a complement is its body."""
    if isinstance(body, Settled):
        return Settled(1.0 - body.degree)
    return body.body if isinstance(body, Complement) else Complement(body)


def make_scaled(weight: float, body: Formula) -> Formula:
    if isinstance(body, Settled):
        return Settled(1.0 - weight * (1.0 - body.degree))
    return Scaled(weight, body)


def make_instantiation(variable: str, element: str, body: Formula) -> Formula:
    """Make an instantiation; a false body stays false."""
    return FALSE if body == FALSE else Instantiation(variable, element, body)


def children(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of; none of a leaf."""
    if isinstance(formula, (Settled, Crisp, Graded)):
        return ()
    return formula.parts if isinstance(formula, (Both, Either, AtLeast)) else (formula.body,)


def find_demand(formula: Formula, wanted: bool) -> tuple[int, tuple[Formula, ...], bool]:
    """Return how many of which parts have to be fulfilled so that a formula is, no leaf.

    Args:
        wanted: True to fulfil it, False to refute it; returned for the parts.
    """
    parts = children(formula)
    if isinstance(formula, Complement):
        return 1, parts, not wanted
    number = formula.number if isinstance(formula, AtLeast) else len(parts)
    if isinstance(formula, Either):
        number = 1
    return number if wanted else len(parts) - number + 1, parts, wanted


def walk(formula: Formula, skip: tuple[type, ...] = ()) -> Iterator[Formula]:
    """Yield a formula and all that is in it, in order; what is in one of a type in `skip` is not.

    The one of such a type is yielded itself.
    """
    stack = [formula]
    while stack:
        current = stack.pop()
        yield current
        if not isinstance(current, skip):
            stack.extend(reversed(children(current)))


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    parts = map(change, children(formula))
    if isinstance(formula, Both):
        return make_both(parts)
    if isinstance(formula, Either):
        return make_either(parts)
    if isinstance(formula, AtLeast):
        return make_at_least(formula.number, parts)
    if isinstance(formula, Complement):
        return make_complement(*parts)
    if isinstance(formula, Scaled):
        return make_scaled(formula.weight, *parts)
    if isinstance(formula, Instantiation):
        return make_instantiation(formula.variable, formula.element, *parts)
    return formula


def evaluate(
    formula: Formula,
    degree_of: Callable[[Crisp | Graded], float],
    compose_all: Callable[[Iterable[float]], float],
) -> float:
    if isinstance(formula, Settled):
        return formula.degree
    if isinstance(formula, (Crisp, Graded)):
        return degree_of(formula)
    values = [evaluate(part, degree_of, compose_all) for part in children(formula)]
    if isinstance(formula, Either):
        return max(values)
    if isinstance(formula, AtLeast):
        return compose_all(sorted(values, reverse=True)[: formula.number])
    if isinstance(formula, Complement):
        return 1.0 - values[0]
    if isinstance(formula, Scaled):
        return 1.0 - formula.weight * (1.0 - values[0])
    return compose_all(values) if isinstance(formula, Both) else values[0]


def drop_instantiations(formula: Formula) -> Formula:
    """Remove the record of which element each variable stands for."""
    if isinstance(formula, Instantiation):
        return drop_instantiations(formula.body)
    return rebuild(formula, drop_instantiations)


def split_choices(formula: Formula) -> Iterator[Formula]:
    """Yield the disjuncts at the top of a formula, each with the instantiations that lead to it."""
    if isinstance(formula, Either):
        for part in formula.parts:
            yield from split_choices(part)
    elif isinstance(formula, Instantiation):
        for part in split_choices(formula.body):
            yield Instantiation(formula.variable, formula.element, part)
    else:
        yield formula


def collect_graded_atoms(formula: Formula) -> dict[GradedAtom, None]:
    return {one.atom: None for one in walk(formula) if isinstance(one, Graded)}


def find_wanted(formula: Formula) -> Wanted:
    """Collect the fluent facts of a formula, by polarity."""
    positive: set[Fact] = set()
    negative: set[Fact] = set()
    stack = [(formula, True)]
    while stack:
        current, upright = stack.pop()
        if isinstance(current, Crisp):
            (positive if upright else negative).add(current.fact)
        upright ^= isinstance(current, Complement)
        stack.extend((part, upright) for part in children(current))
    return Wanted(frozenset(positive), frozenset(negative))
