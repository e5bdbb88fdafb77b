# SPDX-License-Identifier: Apache-2.0
"""Formula -> alternatives: sets of facts, each with the degree that the goal has where they hold.

The goal's degree in a state is the largest degree of the alternatives that hold in it. That is
exact for every t-norm, because t-norms are monotone: a conjunction of maxima is the maximum over
combinations. A negation is pushed inwards by the duals: 1 - T(a, b) = S(1 - a, 1 - b) with the
t-conorm S of T.

An alternative may have the degree 0 (an executable plan that is worth nothing): what is asked
crisply holds all the same. Graded atoms need not be judged yet: what an alternative is worth is
then a formula (`goal_worth`), and it is left out only where another one is surely as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.goal.degree_formula import (
    Degree,
    KnownDegree,
    Worth,
    all_of,
    any_of,
    highest,
    least_of,
    share,
    shortfall,
    surely_at_least,
    worth_of,
)
from fcp_ros.planning.goal.formula import (
    Both,
    Bound,
    Crisp,
    Either,
    Formula,
    Graded,
    Known,
    Negation,
    Scaled,
)
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.task.task import Task

MAX_ALTERNATIVES = 20_000
"""More alternatives than this, also in between, are refused with UNSUPPORTED."""

MAX_COMPARED = 300
"""Alternatives with the same binding that are compared each with each; dominated ones are harmless
but useless, so beyond that they are kept."""

Binding = tuple[tuple[str, str], ...]
Combine = Callable[[Worth, Worth], Worth]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to fulfil the goal.

    Attributes:
        worth: degree of the goal where the alternative holds: a number in [0, 1], or a formula over
            graded atoms that were not judged when it was made.
        positive: facts that must hold.
        negative: facts that must not hold.
        missing: facts that must hold and that no action ever makes true.
        binding: (variable, element) for the choices that it rests on.
        graded: the graded atoms that its degree rests on.
    """

    worth: Worth
    positive: frozenset[int] = frozenset()
    negative: frozenset[int] = frozenset()
    missing: frozenset[Fact] = frozenset()
    binding: Binding = ()
    graded: tuple[GradedAtom, ...] = ()

    @property
    def degree(self) -> float:
        """The degree, where all graded atoms were known when it was made; else an upper bound."""
        return highest(self.worth)

    def upper(self, known: KnownDegree) -> float:
        """The highest degree that it may have by what is known now."""
        return worth_of(self.worth, known, 1.0)

    def value(self, degree_of: Callable[[GradedAtom], float]) -> float:
        """Its degree."""
        return worth_of(self.worth, degree_of, 1.0)

    def holds(self, state: frozenset[int]) -> bool:
        """Whether the crisp part holds in a state."""
        return not self.missing and self.positive <= state and self.negative.isdisjoint(state)

    def covers(self, other: Alternative) -> bool:
        """Whether it holds wherever the other does, surely with no lower degree."""
        return (
            self.positive <= other.positive
            and self.negative <= other.negative
            and self.missing <= other.missing
            and surely_at_least(self.worth, other.worth)
        )


def goal_alternatives(
    formula: Formula, known: KnownDegree, tnorm: TNorm, task: Task, watch: Watch
) -> list[Alternative]:
    """The alternatives of a goal, best degree first; those that contradict themselves are dropped.

    Arguments:
        formula: the goal.
        known: degrees of the graded atoms, as far as they are judged.
        tnorm: how degrees compose.
        task: tells which facts are ever reached, and which exclude each other.
        watch: checked all the time.

    Raises:
        Interrupted: cancelled, out of time, or more than MAX_ALTERNATIVES alternatives.
    """
    expansion = _Expansion(known, tnorm, task, watch)
    found = [a for a in expansion.fulfil(formula) if not _excluded(a, task)]
    complete = {a.binding for a in found if not a.missing}
    found = [a for a in _undominated(found) if not (a.missing and a.binding in complete)]
    return sorted(found, key=lambda a: (-a.degree, a.binding))


class _Expansion:
    def __init__(self, known: KnownDegree, tnorm: TNorm, task: Task, watch: Watch) -> None:
        self._known = known
        self._t: Combine = lambda a, b: all_of(tnorm, a, b)
        self._s: Combine = lambda a, b: any_of(tnorm, a, b)
        self._task = task
        self._watch = watch

    def fulfil(self, formula: Formula) -> list[Alternative]:
        """Ways in which the formula has a degree."""
        if isinstance(formula, Known):
            return _constant(formula.degree)
        if isinstance(formula, Crisp):
            fact = self._task.fact_ids.get(formula.fact)
            if fact is None:
                return [Alternative(1.0, missing=frozenset((formula.fact,)))]
            return [Alternative(1.0, positive=frozenset((fact,)))]
        if isinstance(formula, Graded):
            return [self._judged(formula.atom, False)]
        if isinstance(formula, Both):
            return self._product(map(self.fulfil, formula.parts), self._t)
        if isinstance(formula, Either):
            return self._limited([a for part in formula.parts for a in self.fulfil(part)])
        if isinstance(formula, Negation):
            return self.refute(formula.body)
        if isinstance(formula, Bound):
            choice = (formula.variable, formula.element)
            inside = self.fulfil(formula.body)
            return [replace(a, binding=(choice, *a.binding)) for a in inside]
        weight = formula.weight
        with_it = [replace(a, worth=shortfall(weight, a.worth)) for a in self.fulfil(formula.body)]
        return _undominated([*with_it, *_constant(1.0 - weight)])

    def refute(self, formula: Formula) -> list[Alternative]:
        """Ways in which the formula's negation has a degree."""
        if isinstance(formula, Known):
            return _constant(1.0 - formula.degree)
        if isinstance(formula, Crisp):
            fact = self._task.fact_ids.get(formula.fact)
            if fact is None:
                return _constant(1.0)
            return [Alternative(1.0, negative=frozenset((fact,)))]
        if isinstance(formula, Graded):
            return [self._judged(formula.atom, True)]
        if isinstance(formula, Both):
            return self._any_of(map(self.refute, formula.parts))
        if isinstance(formula, Either):
            return self._product(map(self.refute, formula.parts), least_of)
        if isinstance(formula, Negation):
            return self.fulfil(formula.body)
        if isinstance(formula, Scaled):
            inside = self.refute(formula.body)
            return [replace(a, worth=share(formula.weight, a.worth)) for a in inside]
        return self.refute(formula.body)

    def _judged(self, atom: GradedAtom, complement: bool) -> Alternative:
        degree = self._known(atom)
        if degree is None:
            return Alternative(Degree(atom, complement), graded=(atom,))
        return Alternative(float(1.0 - degree if complement else degree), graded=(atom,))

    def _product(self, parts: Iterable[list[Alternative]], combine: Combine) -> list[Alternative]:
        """Every combination of one alternative of each part."""
        result = [Alternative(1.0)]
        for part in parts:
            combined: list[Alternative] = []
            for one in result:
                self._watch.check()
                combined.extend(
                    joined for other in part if (joined := _join(one, other, combine)) is not None
                )
                self._limited(combined)
            result = _undominated(combined)
        return result

    def _any_of(self, parts: Iterable[list[Alternative]]) -> list[Alternative]:
        """Every combination of alternatives of some of the parts: their degrees add up by S."""
        result: list[Alternative] = []
        for part in parts:
            self._watch.check()
            combined = [*result, *part]
            for one in result:
                combined.extend(
                    joined for other in part if (joined := _join(one, other, self._s)) is not None
                )
                self._limited(combined)
            result = _undominated(combined)
        return result

    def _limited(self, found: list[Alternative]) -> list[Alternative]:
        self._watch.check()
        if len(found) > MAX_ALTERNATIVES:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"The goal can be fulfilled in more than {MAX_ALTERNATIVES} combinations of facts: "
                "ask for fewer things at once, or narrow the variables.",
            )
        return found


def _constant(degree: float) -> list[Alternative]:
    return [Alternative(float(degree))] if degree > 0.0 else []


def _join(one: Alternative, other: Alternative, combine: Combine) -> Alternative | None:
    """Both at once; None where they contradict each other."""
    if not one.positive.isdisjoint(other.negative) or not one.negative.isdisjoint(other.positive):
        return None
    return Alternative(
        combine(one.worth, other.worth),
        one.positive | other.positive,
        one.negative | other.negative,
        one.missing | other.missing,
        (*one.binding, *other.binding),
        tuple(dict.fromkeys((*one.graded, *other.graded))),
    )


def _undominated(found: list[Alternative]) -> list[Alternative]:
    """Without those that another one with the same binding covers."""
    kept: dict[Binding, list[Alternative]] = {}
    for alternative in found:
        group = kept.setdefault(alternative.binding, [])
        if len(group) > MAX_COMPARED:
            group.append(alternative)
        elif not any(other.covers(alternative) for other in group):
            group[:] = [other for other in group if not alternative.covers(other)]
            group.append(alternative)
    return [alternative for group in kept.values() for alternative in group]


def _excluded(alternative: Alternative, task: Task) -> bool:
    """Whether it asks for two facts of one functional leg."""
    keys = [key for fact in alternative.positive for key in task.keys_of(fact)]
    return any(count > 1 and key not in task.broken for key, count in Counter(keys).items())
