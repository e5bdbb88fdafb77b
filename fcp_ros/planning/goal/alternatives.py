# SPDX-License-Identifier: Apache-2.0
"""Goal formula to alternatives: sets of facts, each with the degree of the goal where they hold.

The goal's degree in a state is the largest degree of the alternatives that hold in it. That is
exact for every t-norm, because t-norms are monotone: a conjunction of maxima is the maximum over
combinations. A negation is pushed inwards by the duals: 1 - T(a, b) = S(1 - a, 1 - b) with the
t-conorm S of T.

An alternative may have degree 0 (an executable plan of membership 0): its crisp conditions hold
all the same. Graded atoms need not be judged yet: the degree is a formula over them, and an
alternative is dropped only if another one is surely as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from fcp_ros.cset import Fact
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.goal.formula import (
    AtLeast,
    Both,
    Complement,
    Crisp,
    Either,
    Formula,
    Graded,
    Instantiation,
    Settled,
)
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.task.task import Task

# --- degrees as formulas over graded atoms
#
# Every node is monotone in its parts, and leaves are degrees or their complements. So with unknown
# leaves at 1 the value is an upper bound, with unknown leaves at 0 a lower one.


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


# --- from a formula to alternatives


MAX_ALTERNATIVES = 20_000
"""Goals with more alternatives than this, also in between, are refused with UNSUPPORTED."""

MAX_COMPARED = 300
"""Alternatives of one binding that are compared pairwise; dominated ones beyond that are kept: that
costs time but changes no answer."""

Binding = tuple[tuple[str, str], ...]
Combine = Callable[[DegreeFormula, DegreeFormula], DegreeFormula]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to fulfil a goal."""

    # degree of the goal where the alternative holds, over the graded atoms that were not judged
    # when it was made
    formula: DegreeFormula
    positive: frozenset[int] = frozenset()
    negative: frozenset[int] = frozenset()
    missing: frozenset[Fact] = frozenset()  # facts that must hold but that no action makes true
    binding: Binding = ()
    graded: tuple[GradedAtom, ...] = ()

    @property
    def degree(self) -> float:
        """The degree if all graded atoms were judged when it was made; else an upper bound."""
        return upper_bound(self.formula)

    def upper(self, known: KnownDegree) -> float:
        """Return an upper bound of its degree by what is known now."""
        return evaluate_degree(self.formula, known, 1.0)

    def value(self, degree_of: Callable[[GradedAtom], float]) -> float:
        return evaluate_degree(self.formula, degree_of, 1.0)

    def holds(self, state: frozenset[int]) -> bool:
        """Return True if the crisp part holds in a state."""
        return not self.missing and self.positive <= state and self.negative.isdisjoint(state)

    def covers(self, other: Alternative) -> bool:
        """Return True if it holds wherever the other does, surely with no lower degree."""
        return (
            self.positive <= other.positive
            and self.negative <= other.negative
            and self.missing <= other.missing
            and is_surely_at_least(self.formula, other.formula)
        )


def find_alternatives(
    formula: Formula, known: KnownDegree, tnorm: TNorm, task: Task, watch: Watch
) -> list[Alternative]:
    """Expand a goal to alternatives, best degree first; contradictory ones are dropped.

    Raises:
        Interrupted: cancelled, out of time, or more than MAX_ALTERNATIVES alternatives.
    """
    expansion = _Expansion(known, tnorm, task, watch)
    found = [a for a in expansion.expand(formula, True) if not _contradicts_itself(a, task)]
    complete = {a.binding for a in found if not a.missing}
    found = [a for a in _drop_dominated(found) if not (a.missing and a.binding in complete)]
    return sorted(found, key=lambda a: (-a.degree, a.binding))


class _Expansion:
    def __init__(self, known: KnownDegree, tnorm: TNorm, task: Task, watch: Watch) -> None:
        self._known = known
        self._compose: Combine = lambda a, b: compose(tnorm, a, b)
        self._compose_dually: Combine = lambda a, b: compose_dually(tnorm, a, b)
        self._task = task
        self._watch = watch

    def expand(self, formula: Formula, wanted: bool) -> list[Alternative]:
        if isinstance(formula, Settled):
            return _make_constant(formula.degree if wanted else 1.0 - formula.degree)
        if isinstance(formula, Crisp):
            return [self._make_literal(formula.fact, wanted)]
        if isinstance(formula, Graded):
            return [self._make_leaf(formula.atom, not wanted)]
        if isinstance(formula, AtLeast):
            return self.expand(formula.write_out(), wanted)
        if isinstance(formula, (Both, Either)):
            parts = (self.expand(part, wanted) for part in formula.parts)
            if isinstance(formula, Both):
                return (
                    self._combine_all(parts, self._compose) if wanted else self._combine_some(parts)
                )
            if not wanted:
                return self._combine_all(parts, take_least)
            return self._check_size([*chain.from_iterable(parts)])
        if isinstance(formula, Complement):
            return self.expand(formula.body, not wanted)
        inside = self.expand(formula.body, wanted)
        if isinstance(formula, Instantiation):
            choice = (formula.variable, formula.element)
            return [replace(a, binding=(choice, *a.binding)) for a in inside] if wanted else inside
        weight = formula.weight
        if not wanted:
            return [replace(a, formula=make_fraction(weight, a.formula)) for a in inside]
        with_it = [replace(a, formula=make_shortfall(weight, a.formula)) for a in inside]
        return _drop_dominated([*with_it, *_make_constant(1.0 - weight)])

    def _make_literal(self, fact: Fact, holds: bool) -> Alternative:
        number = self._task.fact_ids.get(fact)
        if number is None:  # it never holds
            return Alternative(1.0, missing=frozenset((fact,) if holds else ()))
        facts = frozenset((number,))
        return Alternative(1.0, facts) if holds else Alternative(1.0, negative=facts)

    def _make_leaf(self, atom: GradedAtom, complement: bool) -> Alternative:
        degree = self._known(atom)
        if degree is None:
            return Alternative(Degree(atom, complement), graded=(atom,))
        return Alternative(float(1.0 - degree if complement else degree), graded=(atom,))

    def _combine_all(
        self, parts: Iterable[list[Alternative]], combine: Combine
    ) -> list[Alternative]:
        result = [Alternative(1.0)]
        for part in parts:
            combined: list[Alternative] = []
            for one in result:
                self._watch.check()
                combined.extend(
                    joined for other in part if (joined := _join(one, other, combine)) is not None
                )
                self._check_size(combined)
            result = _drop_dominated(combined)
        return result

    def _combine_some(self, parts: Iterable[list[Alternative]]) -> list[Alternative]:
        """Combine alternatives of some of the parts in all ways, degrees by the t-conorm."""
        result: list[Alternative] = []
        for part in parts:
            self._watch.check()
            combined = [*result, *part]
            for one in result:
                combined.extend(
                    joined
                    for other in part
                    if (joined := _join(one, other, self._compose_dually)) is not None
                )
                self._check_size(combined)
            result = _drop_dominated(combined)
        return result

    def _check_size(self, found: list[Alternative]) -> list[Alternative]:
        self._watch.check()
        if len(found) > MAX_ALTERNATIVES:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"The goal can be fulfilled in more than {MAX_ALTERNATIVES} combinations of facts: "
                "ask for fewer things at once, or narrow the variables.",
            )
        return found


def _make_constant(degree: float) -> list[Alternative]:
    return [Alternative(float(degree))] if degree > 0.0 else []


def _join(one: Alternative, other: Alternative, combine: Combine) -> Alternative | None:
    if not one.positive.isdisjoint(other.negative) or not one.negative.isdisjoint(other.positive):
        return None
    return Alternative(
        combine(one.formula, other.formula),
        one.positive | other.positive,
        one.negative | other.negative,
        one.missing | other.missing,
        (*one.binding, *other.binding),
        tuple(dict.fromkeys((*one.graded, *other.graded))),
    )


def _drop_dominated(found: list[Alternative]) -> list[Alternative]:
    kept: dict[Binding, list[Alternative]] = {}
    for alternative in found:
        group = kept.setdefault(alternative.binding, [])
        if len(group) > MAX_COMPARED:
            group.append(alternative)
        elif not any(other.covers(alternative) for other in group):
            group[:] = [other for other in group if not alternative.covers(other)]
            group.append(alternative)
    return [alternative for group in kept.values() for alternative in group]


def _contradicts_itself(alternative: Alternative, task: Task) -> bool:
    """Return True if an alternative asks for two facts of one functional leg."""
    keys = [key for fact in alternative.positive for key in task.keys_of(fact)]
    return any(count > 1 and key not in task.broken for key, count in Counter(keys).items())
