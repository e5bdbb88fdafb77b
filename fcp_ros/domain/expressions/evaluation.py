# SPDX-License-Identifier: Apache-2.0
"""The degree of an expression in a state, by definition: slow, obvious, the planner's twin.

Degrees (docs/design.md): relations, `is_a` and `same` are 0 or 1; graded predicates are judged;
`and` and `forall` compose with the t-norm, `or` and `exists` take the largest, `not` is 1 - x, and
a weight w makes 1 - w * (1 - x). Free variables are existential over the whole expression. Two
variables may stand for the same element.

Trajectory constraints are read off the states that a plan goes through, as Gerevini and Long define
them (Plan Constraints and Preferences in PDDL3, 2005, section 4): true or false.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.structure import split_choice
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Term,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    free_variables,
    substitute,
)
from fcp_ros.domain.expressions.trajectories import decide_constraint
from fcp_ros.domain.model import IS_A, SAME
from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.fuzzy import reaches
from fcp_ros.fuzzy.tnorm import TNorm

DegreeOf = Callable[[str, tuple[str, ...]], float | None]
"""Degree in [0, 1] of a graded predicate of element names and texts; None if it is not known."""

CATEGORY = "category"
"""The attribute that holds the label given by perception, where the schema has it."""


def is_a(instance: Instance, element: int, label: str) -> bool:
    """Decide whether an element goes by a label.

    `label`: such as "mug", "dining table", or the name of a type. Returns True if the label
    (normalised as scene labels are) is the element's category, the last words of its category
    ("table" for a dining table), its type, or an ancestor of its type.
    """
    wanted = normalise_label(label)
    category = instance.attribute(element, CATEGORY)
    if isinstance(category, str) and wanted in label_forms(category):
        return True
    types = instance.schema.ancestors(instance.type_of(element))
    return any(wanted == normalise_label(type_) for type_ in types)


def evaluate(
    expression: Expression,  # from `check_goal`
    instance: Instance,
    # the degree of a graded predicate. An atom for which it returns None counts as 0 where a higher
    # degree helps, and as 1 under a negation.
    degree_of: DegreeOf,
    tnorm: TNorm,
    *,
    # free variable -> type, from `infer_types`; a variable without a type ranges over all elements
    types: Mapping[str, str] | None = None,
    # free variable -> element name, for those that are fixed
    binding: Mapping[str, str] | None = None,
    # the states that led to it, in order, for constraints on them; the first is the initial one
    before: Sequence[Instance] = (),
    # the time (s, rounded by `round_time`) at which each of these states is reached, and `instance`
    # last; only constraints with times need it
    reached: Sequence[Fraction] = (),
) -> float:
    """Compute the degree of a checked goal in a state, or a lower bound if degrees are unknown.

    Returns a degree in [0, 1]; 0 if no element fits a free variable.
    """
    fixed = dict(binding or {})
    names = [name for name in free_variables(expression) if name not in fixed]
    ranges = [
        [instance.name_of(e) for e in instance.elements(types[name])]
        if types is not None and name in types
        else list(instance.names())
        for name in names
    ]
    evaluator = _Evaluator((*before, instance), degree_of, tnorm, reached)
    return max(
        (
            evaluator.judge(expression, {**fixed, **dict(zip(names, chosen, strict=True))})
            for chosen in itertools.product(*ranges)
        ),
        default=0.0,
    )


def holds(
    formula: Expression,
    instance: Instance,  # the state; only its elements matter if `holds_fact` is given
    binding: Mapping[str, str],  # parameters of the rule and other free variables -> element name
    # decides facts; those of the instance hold by default
    holds_fact: Callable[[Fact], bool] | None = None,
) -> bool:
    """Decide a condition of a rule: an expression over relations."""
    decide = holds_fact or (lambda fact: _occurs(fact, instance))

    def check(current: Expression, bound: Mapping[str, str]) -> bool:
        if isinstance(current, Atom):
            return decide(_build_fact(current, bound))
        if isinstance(current, Not):
            return not check(current.body, bound)
        if isinstance(current, (And, Or)):
            combine = all if isinstance(current, And) else any
            return combine(check(part, bound) for part in current.parts)
        if isinstance(current, (Exists, Forall)):
            combine = all if isinstance(current, Forall) else any
            return combine(
                check(current.body, inner)
                for inner in _list_bindings(current.variables, bound, instance)
            )
        raise TypeError("conditions of rules have no weights")

    return check(formula, binding)


def find_unmet(formula: Expression, instance: Instance, binding: Mapping[str, str]) -> Expression:
    """Find a part of a condition that fails, as small as a conjunction or `forall` allows.

    `formula`: a condition of a rule that does not hold. `binding`: the rule's parameters -> element
    name. Returns the part, with elements in place of variables.
    """
    if isinstance(formula, And):
        failing = (part for part in formula.parts if not holds(part, instance, binding))
        return find_unmet(next(failing), instance, binding)
    if isinstance(formula, (Exists, Forall)):
        inner = list(_list_bindings(formula.variables, binding, instance))
        failing_at = [bound for bound in inner if not holds(formula.body, instance, bound)]
        if failing_at and (isinstance(formula, Forall) or len(inner) == 1):
            return find_unmet(formula.body, instance, failing_at[0])
    return substitute(formula, {name: Constant(element) for name, element in binding.items()})


def _build_fact(atom: Atom, binding: Mapping[str, str]) -> Fact:
    return Fact(atom.predicate, tuple(name_of(term, binding) for term in atom.arguments))


def _occurs(fact: Fact, instance: Instance) -> bool:
    ids = tuple(instance.id_of(name) for name in fact.arguments)
    return instance.find_tuple(fact.relation, ids) is not None


def _list_bindings(
    variables: Sequence[TypedVariable], binding: Mapping[str, str], instance: Instance
) -> Iterator[dict[str, str]]:
    """Extend the binding by each choice of elements for the variables."""
    ranges = [
        [instance.name_of(element) for element in instance.elements(variable.type)]
        for variable in variables
    ]
    names = [variable.name for variable in variables]
    for chosen in itertools.product(*ranges):
        yield {**binding, **dict(zip(names, chosen, strict=True))}


class _Evaluator:
    """Evaluates expressions in the last of some states."""

    def __init__(
        self,
        states: Sequence[Instance],
        degree_of: DegreeOf,
        tnorm: TNorm,
        reached: Sequence[Fraction] = (),
    ) -> None:
        self._states = states
        self._reached = reached
        self._instance = states[-1]
        self._degree_of = degree_of
        self._tnorm = tnorm

    def judge(
        self, expression: Expression, binding: Mapping[str, str], unknown: float = 0.0
    ) -> float:
        """Compute the degree with `unknown` for every atom whose degree is not known."""
        # All connectives but `not` are monotone, so 0 gives a lower bound and 1 an upper one.
        if isinstance(expression, Atom):
            return self._judge_atom(expression, binding, unknown)
        if isinstance(expression, Not):
            return 1.0 - self.judge(expression.body, binding, 1.0 - unknown)
        if isinstance(expression, And):
            parts = (self.judge(part, binding, unknown) for part in expression.parts)
            return self._tnorm.compose_all(parts)
        if isinstance(expression, Or):
            return max(self.judge(part, binding, unknown) for part in expression.parts)
        if isinstance(expression, Exists):
            return max(self._judge_all(expression, binding, unknown), default=0.0)
        if isinstance(expression, (Forall, Preference, Weighted)) and _weighs_nothing(expression):
            return 1.0
        if isinstance(expression, Forall):
            return self._tnorm.compose_all(self._judge_all(expression, binding, unknown))
        if isinstance(expression, Count):
            return self._judge_count(expression, binding, unknown)
        if isinstance(expression, Initially):
            first = _Evaluator(self._states[:1], self._degree_of, self._tnorm)
            return first.judge(expression.body, binding, unknown)
        if isinstance(expression, TrajectoryConstraint):
            return float(self._is_kept(expression, binding))
        return 1.0 - expression.weight * (1.0 - self.judge(expression.body, binding, unknown))

    def _judge_all(
        self, expression: Exists | Forall | Count, binding: Mapping[str, str], unknown: float
    ) -> list[float]:
        """Compute the degree of the body for each choice of elements for the variables."""
        bindings = _list_bindings(expression.variables, binding, self._instance)
        return [self.judge(expression.body, inner, unknown) for inner in bindings]

    def _judge_count(self, count: Count, binding: Mapping[str, str], unknown: float) -> float:
        if count.bound is Bound.MOST:
            return self._judge_most(count, binding, unknown)
        found = sorted(self._judge_all(count, binding, unknown), reverse=True)
        few = sorted(
            (1.0 - x for x in self._judge_all(count, binding, 1.0 - unknown)), reverse=True
        )
        parts = []
        if count.bound is not Bound.AT_MOST:
            parts.append(self._compose_best(found, count.number))
        if count.bound is not Bound.AT_LEAST:
            parts.append(self._compose_best(few, len(few) - count.number))
        return self._tnorm.compose_all(parts)

    def _judge_most(self, count: Count, binding: Mapping[str, str], unknown: float) -> float:
        """Compose 1 - (1 - degree) / k over the k elements that are chosen."""
        choosing, preferred = split_choice(count.body, self._instance.schema)
        chosen = [
            inner
            for inner in _list_bindings(count.variables, binding, self._instance)
            if all(self.judge(part, inner) >= 1.0 for part in choosing)
        ]
        if preferred is None:
            return 1.0
        degrees = [self.judge(preferred, inner, unknown) for inner in chosen]
        return self._tnorm.compose_all(1.0 - (1.0 - degree) / len(chosen) for degree in degrees)

    def _compose_best(self, degrees: Sequence[float], number: int) -> float:
        """Compose the best degrees, so many; 0 if there are fewer."""
        if number > len(degrees):
            return 0.0
        return self._tnorm.compose_all(degrees[: max(0, number)])

    def _is_kept(self, constraint: TrajectoryConstraint, binding: Mapping[str, str]) -> bool:
        """Decide a constraint on the states; a condition holds in a state with degree 1."""
        initial = self._states[0]
        moments = [
            _Evaluator((initial, state), self._degree_of, self._tnorm) for state in self._states
        ]
        truths = [
            [moment.judge(part, binding) >= 1.0 for moment in moments] for part in constraint.parts
        ]
        if constraint.times and len(self._reached) != len(self._states):
            raise ValueError(f"{constraint.operator.value} needs the time of each state: give it")
        return decide_constraint(constraint.operator, truths, self._reached, constraint.times)

    def _judge_atom(self, atom: Atom, binding: Mapping[str, str], unknown: float) -> float:
        arguments = tuple(name_of(term, binding) for term in atom.arguments)
        instance = self._instance
        if atom.predicate == IS_A:
            return float(is_a(instance, instance.id_of(arguments[0]), arguments[1]))
        if instance.schema.has_relation(atom.predicate):
            return float(_occurs(Fact(atom.predicate, arguments), instance))
        if atom.predicate == SAME:  # a PDDL file may have a predicate of that name
            return float(arguments[0] == arguments[1])
        degree = self._degree_of(atom.predicate, arguments)
        if degree is None or atom.least is None:
            return unknown if degree is None else degree
        return float(reaches(degree, atom.least))


def _weighs_nothing(expression: Expression) -> bool:
    """Return True for a preference that only costs something, for each element, too."""
    if isinstance(expression, Forall):
        return _weighs_nothing(expression.body)
    return isinstance(expression, (Preference, Weighted)) and expression.weight == 0.0


def name_of(term: Term, binding: Mapping[str, str]) -> str:
    """Return the element or the words that a term stands for."""
    if isinstance(term, Variable):
        return binding[term.name]
    return term.name if isinstance(term, Constant) else term.value
