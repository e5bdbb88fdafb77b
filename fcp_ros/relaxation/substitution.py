# SPDX-License-Identifier: Apache-2.0
"""Substitution: other elements in the places of a requirement, judged in batches.

The element is chosen in the goal itself: it takes the place of the variable, and the graded
predicate that judges it joins the goal. One for one: the number of a count goes down by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, is_a
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Initially,
    Not,
    Or,
    Preference,
    Text,
    TrajectoryConstraint,
    Variable,
    Weighted,
    atoms,
    children,
    conjoin,
    free_variables,
    rebuild,
    substitute,
)
from fcp_ros.domain.model import IS_A, SAME, Domain, SubstituteRule
from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.requirements import (
    Form,
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.weakening import Variant, list_best, weigh

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
    if isinstance(expression, (Initially, Weighted, Preference)):
        return expression
    return rebuild(expression, lambda part: rename_element(part, old, new))


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


@dataclass(frozen=True)
class RelaxationSetting:
    """The setting of the requirements of one goal."""

    domain: Domain
    instance: Instance
    tnorm: TNorm
    proofs: GoalProofs
    named: Mapping[str, int]  # element -> number of requirements that name it
    types: Mapping[str, str]
    # True if nothing is planned in another world: what is proven here holds everywhere
    alone: bool = True
    alpha: float = 0.0  # a change of a small part of the goal has to reach it by itself
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """A change that is no choice, with the reason as a clause with a full stop."""

    change: GoalChange
    reason: str


@dataclass(frozen=True)
class JudgedSubstitute:
    """A substitute with its degree."""

    candidate: Substitute
    degree: float


class PlaceFilling:
    """Fills the places of one requirement; `leave_out` is told the bound of what is too many."""

    def __init__(
        self,
        requirement: Requirement,
        setting: RelaxationSetting,
        leave_out: Callable[[float], None],
    ) -> None:
        self._requirement = requirement
        self._setting = setting
        self._leave_out = leave_out
        self._judged: dict[tuple[Opening, tuple[GoalChange, ...]], list[JudgedSubstitute]] = {}
        self.refused: list[RefusedChange] = []

    def express(self, variant: Variant, parts: Sequence[Expression]) -> Expression:
        """Quantify the variables that are left of some conjuncts."""
        body = conjoin(parts)
        names = free_variables(body)
        variables = tuple(
            v
            for v in variant.widen(self._requirement.variables)
            if v.name in names and v.name not in self._requirement.shared
        )
        return Exists(variables, body) if variables else body

    def is_sound(self, choice: RequirementChoice) -> bool:
        assert choice.expression is not None
        setting = self._setting
        if any(name in setting.types for name in free_variables(choice.expression)):
            return True  # checked with the whole goal
        try:
            check_goal(choice.expression, setting.domain, setting.instance)
        except ExpressionError:
            return False
        return True

    def is_good_enough(self, degree: float) -> bool:
        """Return True if a change is good enough by itself, however small a part it changes."""
        return self._requirement.unit >= 1.0 or degree >= self._setting.alpha - EPSILON

    def _is_acceptable(self, place: Opening, degree: float) -> bool:
        """Return True if a substitute of a degree is a choice; what was named is wanted itself."""
        if not place.is_variable and degree < self._setting.alpha - EPSILON:
            return False
        return degree > EPSILON and self.is_good_enough(degree)

    def judge(self, place: Opening, variant: Variant) -> list[JudgedSubstitute]:
        """List the elements for a place, best first, without those that cannot be had."""
        key = (place, variant.changes)
        known = self._judged.get(key)
        if known is not None:
            return known
        setting = self._setting
        named = frozenset({*setting.named, place.name})
        found = list(list_candidates(place, setting.instance, named, setting.purpose))
        sound: list[tuple[Substitute, Expression]] = []
        for candidate in found:
            parts = self.fill_in(place, variant.parts, candidate)
            expression = self.express(variant, parts)
            if self.is_sound(RequirementChoice(expression)):
                sound.append((candidate, expression))
        never: frozenset[int] = frozenset()
        if setting.alone and not variant.changes:  # weaker forms come later, and few of them
            never = setting.proofs.find_unreachable([one for _, one in sound], setting.types)
        reached = [c for n, (c, _) in enumerate(sound) if n not in never]
        judge = setting.proofs.judge
        judge.judge(atom for candidate in reached for atom in candidate.asked)
        reached = [
            c.judge_by_least(lambda atom: judge.degree(*atom), setting.tnorm) for c in reached
        ]
        degrees = [c.find_degree(lambda atom: judge.degree(*atom), setting.tnorm) for c in reached]
        judged = [JudgedSubstitute(c, d) for c, d in zip(reached, degrees, strict=True)]
        judged.sort(key=lambda one: (-one.degree, one.candidate.element))
        for number in never:
            candidate = sound[number][0]
            self._refuse(place, candidate, 1.0, "it is out of reach for this.")
        for one in judged:
            if not self._is_acceptable(place, one.degree):
                how = "well enough" if one.degree > EPSILON else "at all"
                self._refuse(place, one.candidate, one.degree, f"it does not do {how}.")
        self._judged[key] = [one for one in judged if self._is_acceptable(place, one.degree)]
        return self._judged[key]

    def _refuse(self, place: Opening, candidate: Substitute, degree: float, reason: str) -> None:
        self.refused.append(RefusedChange(make_change(place, candidate, degree), reason))

    def list_shares(self, judged: Sequence[JudgedSubstitute]) -> list[float]:
        """List the degrees of the whole goal with each substitute alone."""
        return [1.0 - self._requirement.unit * (1.0 - one.degree) for one in judged]

    def fill_in(
        self, place: Opening, parts: Sequence[Expression], candidate: Substitute
    ) -> list[Expression]:
        """Put an element into a place of some conjuncts."""
        return place.fill(parts, candidate, self._requirement.unit)

    def make_change(self, place: Opening, judged: JudgedSubstitute) -> GoalChange:
        """Make the change that an element takes a place."""
        return make_change(place, judged.candidate, judged.degree, self._requirement.unit)

    def fill(self, variant: Variant, places: Sequence[Opening]) -> Iterator[RequirementChoice]:
        """Yield the ways to put elements into places, best first."""
        tnorm = self._setting.tnorm
        lists = [self.judge(place, variant) for place in places]
        shares = [self.list_shares(each) for each in lists]
        for indices in list_best(shares, tnorm, False, self._leave_out):
            chosen = [each[index] for each, index in zip(lists, indices, strict=True)]
            elements = [one.candidate.element for one in chosen]
            if len(set(elements)) < len(elements):
                continue
            parts: Sequence[Expression] = variant.parts
            changes = list(variant.changes)
            for place, one in zip(places, chosen, strict=True):
                parts = self.fill_in(place, parts, one.candidate)
                changes.append(self.make_change(place, one))
            expression = self.express(variant, parts)
            yield make_choice(expression, changes, tnorm, elements)
