# SPDX-License-Identifier: Apache-2.0
"""Goals that mean the same for the things there are: written out over the elements of a state.

Quantifiers become conjunctions and disjunctions, what no action can change is decided, and so is
what was initially so. Two goals with the same outcome are equal here; the reverse need not hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import product

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Text,
    TrajectoryConstraint,
    Variable,
    Weighted,
)
from fcp_ros.domain.model import IS_A, SAME
from fcp_ros.language.domain_reader.terms.places import PresentState

MOST_STEPS = 6_000
"""Larger goals are not written out."""

Form = Hashable
_TRUE, _FALSE = ("and", frozenset[Form]()), ("or", frozenset[Form]())


class TooLarge(Exception):
    """A goal that is too large to be written out."""


class GoalForms:
    """A writer of goals over the elements of a state."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._state = PresentState(instance)
        self._steps = 0

    def write(self, goal: Expression | None) -> Form | None:
        """Return the form of a checked goal; None if it is too large."""
        self._steps = 0
        if goal is None:
            return None
        try:
            return self._expand(goal, {}, True)
        except TooLarge:
            return None

    def _expand(self, formula: Expression, binding: Mapping[str, str], positive: bool) -> Form:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooLarge
        if isinstance(formula, Atom):
            return self._expand_atom(formula, binding, positive)
        if isinstance(formula, Not):
            return self._expand(formula.body, binding, not positive)
        if isinstance(formula, (And, Or)):
            parts = [self._expand(part, binding, positive) for part in formula.parts]
            return _join(parts, isinstance(formula, And) is positive)
        if isinstance(formula, (Exists, Forall)):
            bodies = [self._expand(formula.body, b, positive) for b in self._bind(formula, binding)]
            return _join(bodies, isinstance(formula, Forall) is positive)
        if isinstance(formula, Initially):
            return _TRUE if self._state.holds(formula.body, binding) is positive else _FALSE
        if isinstance(formula, Count):
            counted = Counter(
                self._expand(formula.body, b, True) for b in self._bind(formula, binding)
            )
            counted.pop(_FALSE, None)
            kind = (formula.bound.value, formula.number)
            return ("count", kind, frozenset(counted.items()), positive)
        if isinstance(formula, TrajectoryConstraint):
            inner = tuple(self._expand(part, binding, True) for part in formula.parts)
            return (formula.operator.value, inner, formula.times, positive)
        assert isinstance(formula, (Preference, Weighted))
        return ("prefer", formula.weight, self._expand(formula.body, binding, True), positive)

    def _bind(
        self, formula: Exists | Forall | Count, binding: Mapping[str, str]
    ) -> list[dict[str, str]]:
        instance = self._instance
        ranges = [
            [instance.name_of(id_) for id_ in instance.elements(variable.type)]
            for variable in formula.variables
        ]
        names = [variable.name for variable in formula.variables]
        return [{**binding, **dict(zip(names, chosen, strict=True))} for chosen in product(*ranges)]

    def _expand_atom(self, atom: Atom, binding: Mapping[str, str], positive: bool) -> Form:
        names = tuple(
            binding.get(term.name, f"?{term.name}")
            if isinstance(term, Variable)
            else (term.name if isinstance(term, Constant) else term.value)
            for term in atom.arguments
        )
        instance = self._instance
        if atom.predicate == SAME:
            return _TRUE if (names[0] == names[1]) is positive else _FALSE
        if atom.predicate == IS_A and instance.has(names[0]):
            so = is_a(instance, instance.id_of(names[0]), names[1])
            return _TRUE if so is positive else _FALSE
        if instance.schema.has_relation(atom.predicate):
            relation = instance.schema.relation(atom.predicate)
            known = [n for n in names if instance.has(n)]
            if len(known) == len(names):
                ids = [instance.id_of(name) for name in names]
                fit = all(
                    instance.schema.is_subtype(instance.type_of(id_), type_)
                    for id_, (_, type_) in zip(ids, relation.legs, strict=True)
                )
                if not fit or relation.static:
                    so = fit and instance.find_tuple(atom.predicate, tuple(ids)) is not None
                    return _TRUE if so is positive else _FALSE
        texts = tuple(t.value for t in atom.arguments if isinstance(t, Text))
        return ("atom", atom.predicate, names, texts, positive)


def _join(parts: list[Form], conjunction: bool) -> Form:
    """Join forms; what changes nothing is left out, nested ones are flattened."""
    name = "and" if conjunction else "or"
    neutral, absorbing = (_TRUE, _FALSE) if conjunction else (_FALSE, _TRUE)
    found: set[Form] = set()
    for part in parts:
        if part == absorbing:
            return absorbing
        if part == neutral:
            continue
        if isinstance(part, tuple) and part[0] == name and isinstance(part[1], frozenset):
            found |= part[1]
        else:
            found.add(part)
    if len(found) == 1:
        return found.pop()
    return (name, frozenset(found))
