# SPDX-License-Identifier: Apache-2.0
"""Substitutes: elements that take the place of what was asked for by a label or by its name.

The element is chosen in the goal itself: it takes the place of the variable, and the graded
predicate that judges it joins the goal. One for one: the number of a count goes down by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    Variable,
    Weighted,
    atoms,
    children,
    free_variables,
    substitute,
)
from fcp_ros.domain.model import IS_A, SAME, Domain, SubstituteRule
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.requirements import Form, GoalChange, Requirement
from fcp_ros.relaxation.weakening import weigh

DegreeOf = Callable[[GradedAtom], float]


@dataclass(frozen=True)
class Opening:
    """A place in a requirement that a substitute may take: a variable, or an element by name."""

    name: str
    is_variable: bool
    labels: tuple[str, ...]
    rule: SubstituteRule
    # True for a variable of which other requirements speak, too: it is kept
    is_shared: bool = False

    def fill(
        self, parts: Sequence[Expression], candidate: Substitute, weight: float = 1.0
    ) -> list[Expression]:
        """Put an element into the place, in the conjuncts of the requirement."""
        element = candidate.element
        atoms_of = [
            Atom(atom[0], (Constant(atom[1][0]), Text(atom[1][1]))) for atom in candidate.atoms
        ]
        judged: list[Expression] = [
            atom if weight >= 1.0 else Weighted(weight, atom) for atom in atoms_of
        ]
        if not self.is_variable:
            named = 1.0 if self.rule.named is None else self.rule.named
            same = Atom(SAME, (Constant(element), Constant(self.name)))
            moved = [rename_element(part, self.name, element) for part in parts]
            return [*moved, *judged, *weigh(weight * (1.0 - named), same)]
        if self.is_shared:
            same = Atom(SAME, (Variable(self.name), Constant(element)))
            return [same, *(part for part in parts if not self.is_label(part)), *judged]
        terms = {self.name: Constant(element)}
        kept = [substitute(part, terms) for part in parts if not self.is_label(part)]
        return [*kept, *judged]

    def is_label(self, part: Expression) -> bool:
        """Return True if a conjunct asks for a label of this place."""
        return (
            isinstance(part, Atom)
            and part.predicate == IS_A
            and isinstance(part.arguments[0], Variable)
            and part.arguments[0].name == self.name
        )


@dataclass(frozen=True)
class Substitute:
    """An element for a place."""

    element: str
    missing: tuple[str, ...]  # the labels that it does not have
    atoms: tuple[GradedAtom, ...]
    factor: float = 1.0  # a degree to be composed with theirs
    # the graded atom of its use for the purpose that was said; None if none was
    purpose: GradedAtom | None = None

    @property
    def asked(self) -> tuple[GradedAtom, ...]:
        """All graded atoms about it."""
        return self.atoms if self.purpose is None else (*self.atoms, self.purpose)

    def find_degree(self, degree_of: DegreeOf, tnorm: TNorm) -> float:
        """Compose the degrees of its judgements."""
        return tnorm.compose_all([self.factor, *map(degree_of, self.atoms)])

    def judge_by_least(self, degree_of: DegreeOf, tnorm: TNorm) -> Substitute:
        """Let the purpose judge the element where it does worse for that than for what is wanted.

        Both ask how well the element does, so that composing them would count one loss twice.
        """
        if self.purpose is None:
            return self
        plain = replace(self, purpose=None)
        other = replace(plain, atoms=(self.purpose,))
        return min(other, plain, key=lambda one: one.find_degree(degree_of, tnorm))


def list_places(requirement: Requirement, domain: Domain, instance: Instance) -> list[Opening]:
    """List the places of a requirement that a substitute may take."""
    if requirement.form is Form.HARD or not domain.relaxing.substitutes:
        return []
    hard = domain.relaxing.hard
    found = []
    for variable in requirement.variables:
        rule = _find_rule(domain, variable.type)
        labels = list_labels(variable.name, requirement.parts)
        if not labels and rule is not None and variable.type != rule.of:
            labels = (variable.type.replace("_", " "),)  # a type is a kind of thing, too
        if labels and rule is not None and hard.isdisjoint(labels):
            shared = variable.name in requirement.shared
            found.append(Opening(variable.name, True, labels, rule, shared))
    rigid = {a.predicate for part in requirement.parts for a in atoms(part)} & hard
    if not rigid and requirement.count is None:
        for name in _list_named(requirement.parts):
            element = instance.id_of(name)
            rule = _find_rule(domain, instance.type_of(element))
            if rule is not None and rule.named is not None:
                category = instance.attribute(element, CATEGORY)
                label = category if isinstance(category, str) else instance.type_of(element)
                found.append(Opening(name, False, (label.replace("_", " "),), rule))
    return found


def list_candidates(
    place: Opening, instance: Instance, named: frozenset[str], purpose: str = ""
) -> Iterator[Substitute]:
    """Yield the elements that may take a place; those that the goal names are wanted themselves."""
    for element in instance.elements(place.rule.of):
        name = instance.name_of(element)
        if name in named:
            continue
        if place.is_variable:
            missing = tuple(one for one in place.labels if not is_a(instance, element, one))
            factor = 1.0
        else:
            missing, factor = place.labels, place.rule.named or 0.0
        if missing:
            judged = tuple((place.rule.by, (name, label)) for label in missing)
            by_purpose = place.rule.purpose if purpose else ""
            use = (by_purpose, (name, purpose)) if by_purpose else None
            yield Substitute(name, missing, judged, factor, use)


def make_change(
    place: Opening, candidate: Substitute, degree: float, weight: float = 1.0
) -> GoalChange:
    """Make the change of putting an element into a place."""
    original = " and ".join(place.labels) if place.is_variable else place.name
    kind = RelaxationKind.SUBSTITUTION
    return GoalChange(kind, original, candidate.element, degree, "", weight)


def rename_element(expression: Expression, old: str, new: str) -> Expression:
    """Put another element in the place of one that is named."""
    if isinstance(expression, Atom):
        terms = tuple(
            Constant(new) if isinstance(t, Constant) and t.name == old else t
            for t in expression.arguments
        )
        return replace(expression, arguments=terms)
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        return replace(
            expression, parts=tuple(rename_element(part, old, new) for part in expression.parts)
        )
    if isinstance(expression, (Exists, Forall, Count)):
        return replace(expression, body=rename_element(expression.body, old, new))
    if isinstance(expression, Not):
        return Not(rename_element(expression.body, old, new))
    return expression


def exclude_elements(
    expression: Expression, elements: frozenset[str], instance: Instance, free: Mapping[str, str]
) -> Expression:
    """Keep variables from standing for elements that are used: none also counts as itself."""
    if isinstance(expression, (Exists, Count)):
        if isinstance(expression, Count) and expression.bound in (Bound.AT_MOST, Bound.MOST):
            return expression
        own = {v.name: v.type for v in expression.variables}
        body = exclude_elements(expression.body, elements, instance, {})
        return replace(expression, body=_add_exclusions(body, own, elements, instance))
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        parts = tuple(exclude_elements(p, elements, instance, {}) for p in expression.parts)
        expression = replace(expression, parts=parts)
    names = [name for name in free_variables(expression) if name in free]
    return _add_exclusions(expression, {n: free[n] for n in names}, elements, instance)


def _add_exclusions(
    body: Expression, types: Mapping[str, str], elements: frozenset[str], instance: Instance
) -> Expression:
    parts = body.parts if isinstance(body, And) else (body,)
    added: list[Expression] = []
    for name, type_ in types.items():
        labels = list_labels(name, parts)
        for element in sorted(elements):
            number = instance.id_of(element)
            fits = type_ in instance.schema.ancestors(instance.type_of(number))
            if fits and all(is_a(instance, number, label) for label in labels):
                added.append(Not(Atom(SAME, (Variable(name), Constant(element)))))
    return And((*parts, *added)) if added else body


def _find_rule(domain: Domain, type_: str) -> SubstituteRule | None:
    above = domain.schema.ancestors(type_)
    return next((rule for rule in domain.relaxing.substitutes if rule.of in above), None)


def list_labels(variable: str, parts: Iterable[Expression]) -> tuple[str, ...]:
    """List the labels that conjuncts ask of a variable."""
    found: dict[str, None] = {}
    for part in parts:
        if isinstance(part, Atom) and part.predicate == IS_A:
            subject, label = part.arguments
            if isinstance(subject, Variable) and subject.name == variable:
                found.setdefault(label.value if isinstance(label, Text) else label.name)
    return tuple(found)


def _list_named(parts: Iterable[Expression]) -> list[str]:
    found: dict[str, None] = {}

    def visit(expression: Expression) -> None:
        if isinstance(expression, Atom):
            for term in expression.arguments:
                if isinstance(term, Constant):
                    found.setdefault(term.name)
        elif not isinstance(expression, Not):
            for part in children(expression):
                visit(part)

    for part in parts:
        visit(part)
    return list(found)
