# SPDX-License-Identifier: Apache-2.0
"""The degree of an expression in a state, by definition: slow, obvious, and the planner's twin.

Degrees (DESIGN section 4): relations and `is_a` are 0 or 1; graded predicates are judged; `and` and
`forall` compose with the t-norm, `or` and `exists` take the largest, `not` is 1 - x, and a weight w
makes 1 - w * (1 - x). Free variables are existential over the whole expression. Two variables may
stand for the same element.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.is_a import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Term,
    TypedVariable,
    Variable,
    free_variables,
)
from fcp_ros.domain.model import IS_A
from fcp_ros.fuzzy.tnorm import Goedel, TNorm

DegreeOf = Callable[[str, tuple[str, ...]], float | None]
"""Degree in [0, 1] of a graded predicate of element names and texts; None if it is not known."""


def evaluate(
    expression: Expression,
    instance: Instance,
    degree_of: DegreeOf,
    tnorm: TNorm,
    *,
    types: Mapping[str, str] | None = None,
    binding: Mapping[str, str] | None = None,
) -> float:
    """The degree of a checked goal in a state, or a lower bound if some degrees are not known.

    Arguments:
        expression: from `check_goal`.
        instance: the state.
        degree_of: the degree of a graded predicate. An atom for which it returns None counts for
            nothing: it is 0 where a higher degree helps, and 1 under a negation.
        tnorm: composes conjunctions.
        types: free variable -> type, from `infer_types`; a variable that is not in it ranges over
            all elements.
        binding: free variable -> element name, for those that are fixed.

    Returns:
        a degree in [0, 1]; 0 where a free variable has nothing to range over.
    """
    fixed = dict(binding or {})
    names = [name for name in free_variables(expression) if name not in fixed]
    ranges = [
        [instance.name_of(e) for e in instance.elements(types[name])]
        if types is not None and name in types
        else list(instance.names())
        for name in names
    ]
    evaluator = _Evaluator(instance, degree_of, tnorm)
    return max(
        (
            evaluator.degree(expression, {**fixed, **dict(zip(names, chosen, strict=True))})
            for chosen in itertools.product(*ranges)
        ),
        default=0.0,
    )


def holds(formula: Expression, instance: Instance, binding: Mapping[str, str]) -> bool:
    """Decide a condition of a rule: an expression over relations.

    Args:
        formula: the condition.
        instance: the state.
        binding: the rule's parameters, and what else is free -> element name.
    """
    return evaluate(formula, instance, _refuse_graded, Goedel(), binding=binding) > 0.0


def _refuse_graded(predicate: str, _: tuple[str, ...]) -> float:
    raise ValueError(f"{predicate} is graded; conditions of rules speak of relations")


class _Evaluator:
    def __init__(self, instance: Instance, degree_of: DegreeOf, tnorm: TNorm) -> None:
        self._instance = instance
        self._degree_of = degree_of
        self._tnorm = tnorm

    def degree(
        self, expression: Expression, binding: Mapping[str, str], unknown: float = 0.0
    ) -> float:
        """The degree with `unknown` for every atom whose degree is not known.

        All connectives but `not` are monotone, so 0 gives a lower bound and 1 an upper one.
        """
        if isinstance(expression, Atom):
            return self._atom(expression, binding, unknown)
        if isinstance(expression, Not):
            return 1.0 - self.degree(expression.body, binding, 1.0 - unknown)
        if isinstance(expression, And):
            parts = (self.degree(part, binding, unknown) for part in expression.parts)
            return self._tnorm.compose_all(parts)
        if isinstance(expression, Or):
            return max(self.degree(part, binding, unknown) for part in expression.parts)
        if isinstance(expression, Exists):
            inner = self._bindings(expression.variables, binding)
            return max((self.degree(expression.body, b, unknown) for b in inner), default=0.0)
        if isinstance(expression, Forall):
            inner = self._bindings(expression.variables, binding)
            return self._tnorm.compose_all(self.degree(expression.body, b, unknown) for b in inner)
        return 1.0 - expression.weight * (1.0 - self.degree(expression.body, binding, unknown))

    def _bindings(
        self, variables: Sequence[TypedVariable], binding: Mapping[str, str]
    ) -> Iterator[dict[str, str]]:
        ranges = [
            [self._instance.name_of(e) for e in self._instance.elements(variable.type)]
            for variable in variables
        ]
        names = [variable.name for variable in variables]
        for chosen in itertools.product(*ranges):
            yield {**binding, **dict(zip(names, chosen, strict=True))}

    def _atom(self, atom: Atom, binding: Mapping[str, str], unknown: float) -> float:
        arguments = tuple(_value(term, binding) for term in atom.arguments)
        instance = self._instance
        if atom.predicate == IS_A:
            return float(is_a(instance, instance.id_of(arguments[0]), arguments[1]))
        if instance.schema.has_relation(atom.predicate):
            ids = tuple(instance.id_of(name) for name in arguments)
            return float(instance.find_tuple(atom.predicate, ids) is not None)
        degree = self._degree_of(atom.predicate, arguments)
        return unknown if degree is None else degree


def _value(term: Term, binding: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        return binding[term.name]
    return term.name if isinstance(term, Constant) else term.value
