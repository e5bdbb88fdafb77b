# SPDX-License-Identifier: Apache-2.0
"""Draft rules as values, and the effects and cost of an action with identified parameters.

They have PDDL's own names; predicates without arguments are still possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.model import Cost, CostTerm
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.normal_form import Conjunct, join_formulas, negate_formula
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.foundation.wording import FreeNames

SAME = "="
"""The static predicate of equal objects, for effects that compare their variables."""


@dataclass(frozen=True)
class DraftParameter:
    """A parameter of a rule: of some types, or one object (`constant`)."""

    name: str
    types: tuple[str, ...]
    constant: str | None = None


@dataclass(frozen=True)
class DraftEffect:
    """A further effect for all values of the variables; `delete` is part of `positive`."""

    variables: tuple[DraftParameter, ...]
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    add: tuple[Atom, ...] = ()
    delete: tuple[Atom, ...] = ()
    formulas: tuple[pddl.Formula, ...] = ()

    @property
    def is_unconditional(self) -> bool:
        """Return True if the effect always happens, once."""
        return not (self.variables or self.positive or self.negative or self.formulas)


@dataclass(frozen=True)
class DraftRule:
    """An action under one identification of its parameters; parameters are distinct objects."""

    action: str
    arguments: tuple[str, ...]
    # of the rule: the action's, objects that it names, existential variables
    parameters: tuple[DraftParameter, ...]
    positive: tuple[Atom, ...]
    # atoms that must not; variables that are not parameters fit anything
    negative: tuple[Atom, ...]
    add: tuple[Atom, ...]  # atoms that hold afterwards, none of them in `positive`
    delete: tuple[Atom, ...]  # atoms that don't, all of them in `positive`
    effects: tuple[DraftEffect, ...]
    cost: Cost
    formulas: tuple[pddl.Formula, ...] = ()  # further conditions, over the parameters and objects

    @property
    def is_idle(self) -> bool:
        """Return True if it changes nothing, such as driving from here to here."""
        return not (self.add or self.delete or self.effects)

    def atoms(self) -> tuple[Atom, ...]:
        """List all its atoms, as often as they occur."""
        found = [*self.positive, *self.negative, *self.add, *self.delete]
        formulas = [*self.formulas]
        for effect in self.effects:
            found += (*effect.positive, *effect.negative, *effect.add, *effect.delete)
            formulas += effect.formulas
        inside = (part for formula in formulas for part in pddl.subformulas(formula))
        return (*found, *(part for part in inside if isinstance(part, Atom)))


Substitution = Mapping[pddl.PddlTerm, Variable]


def substitute_terms(atoms: Iterable[Atom], mapping: Substitution) -> tuple[Atom, ...]:
    """Write atoms over the rule's parameters, each once; terms that are not mapped stay."""
    return tuple(
        dict.fromkeys(
            Atom(atom.predicate, tuple(mapping.get(term, term) for term in pddl.terms_of(atom)))
            for atom in atoms
        )
    )


def bind_terms(
    formula: pddl.Formula,
    mapping: Substitution,  # PDDL's terms -> the rule's parameters and variables
    distinct: Collection[Variable],  # the rule's parameters, which are different objects
) -> pddl.Formula:
    """Write a formula over a rule's parameters; other objects stay constants.

    Quantified variables have unique names, so none is captured.
    """
    if isinstance(formula, Atom):
        (bound,) = substitute_terms((formula,), mapping)
        return bound
    if isinstance(formula, pddl.Equality):
        left, right = (mapping.get(term, term) for term in (formula.left, formula.right))
        if left == right:
            return pddl.TRUE
        return pddl.FALSE if left in distinct and right in distinct else pddl.Equality(left, right)
    if isinstance(formula, pddl.Negation):
        return negate_formula(bind_terms(formula.body, mapping, distinct))
    if isinstance(formula, (pddl.Conjunction, pddl.Disjunction)):
        parts = (bind_terms(part, mapping, distinct) for part in formula.parts)
        return join_formulas(type(formula), parts)
    assert isinstance(formula, pddl.Quantified), "other formulas have been refused"
    body = bind_terms(formula.body, mapping, distinct)
    return body if body in (pddl.TRUE, pddl.FALSE) else replace(formula, body=body)


@dataclass(frozen=True)
class EffectDrafter:
    """Drafts the effects of one rule."""

    universe: Universe
    mapping: Substitution  # PDDL's terms -> the rule's parameters
    names: FreeNames  # gives variables names that no parameter has
    parameters: Sequence[DraftParameter]
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]

    def draft(self, effect: pddl.ActionEffect, condition: Conjunct) -> DraftEffect | None:
        """Draft the effect under one alternative of its condition; None if that never holds."""
        variables: dict[Variable, DraftParameter] = {}
        mapping = dict(self.mapping)
        for typed in (*effect.variables, *condition.variables):
            if not self.universe.candidates(typed):
                return None
            name = self.names.take(_strip_prefix(typed.name))
            variables[Variable(name)] = DraftParameter(name, typed.types)
            mapping[Variable(typed.name)] = Variable(name)
        decided = self._decide_equalities(condition, mapping, variables)
        if decided is None:
            return None
        mapping, same, differ = decided
        positive = (*substitute_terms(condition.positive, mapping), *same)
        negative = (*substitute_terms(condition.negative, mapping), *differ)
        if not set(positive).isdisjoint((*negative, *self.negative)):
            return None
        if not set(negative).isdisjoint(self.positive):
            return None
        parameters = set(self.mapping.values())
        formulas = tuple(bind_terms(formula, mapping, parameters) for formula in condition.rest)
        if pddl.FALSE in formulas:
            return None
        add = substitute_terms(effect.add, mapping)
        used = {
            term
            for atom in (*positive, *negative, *add, *substitute_terms(effect.delete, mapping))
            for term in pddl.terms_of(atom)
        }.union(term for formula in formulas for term in pddl.terms_in(formula))
        return DraftEffect(
            tuple(parameter for variable, parameter in variables.items() if variable in used),
            tuple(atom for atom in positive if atom not in self.positive),
            tuple(atom for atom in negative if atom not in self.negative),
            add,
            tuple(a for a in substitute_terms(effect.delete, mapping) if a not in add),
            tuple(formula for formula in formulas if formula != pddl.TRUE),
        )

    def _decide_equalities(
        self,
        condition: Conjunct,
        mapping: dict[pddl.PddlTerm, Variable],
        variables: Mapping[Variable, DraftParameter],
    ) -> tuple[dict[pddl.PddlTerm, Variable], list[Atom], list[Atom]] | None:
        """Replace equal terms, or leave them to the predicate SAME; None if they can't be equal."""
        # Variables of the effect point to the term that they equal. Parameters of the rule are
        # different objects and are never replaced.
        replaced: dict[Variable, Variable] = {}

        def follow(term: pddl.PddlTerm) -> Variable:
            found = mapping[term]
            while found in replaced:
                found = replaced[found]
            return found

        same: list[tuple[pddl.PddlTerm, pddl.PddlTerm]] = []
        for left, right in condition.equal:
            one, other = follow(left), follow(right)
            if one not in variables:
                one, other = other, one
            if one == other:
                continue
            if one not in variables:
                return None
            # A variable of a narrower type restricts the other term: SAME compares them in a state.
            if self._fits(other, variables, variables[one].types):
                replaced[one] = other
            else:
                same.append((left, right))
        differ = [(left, right) for left, right in condition.unequal]
        if any(follow(left) == follow(right) for left, right in differ):
            return None
        final = {term: follow(term) for term in mapping}
        return (
            final,
            [Atom(SAME, (final[left], final[right])) for left, right in same],
            [
                Atom(SAME, (final[left], final[right]))
                for left, right in differ
                if final[left] in variables or final[right] in variables
            ],
        )

    def _fits(
        self, term: Variable, variables: Mapping[Variable, DraftParameter], types: tuple[str, ...]
    ) -> bool:
        """Return True if every object that the term may be is of one of the types."""
        if term in variables:
            return self.universe.is_below(variables[term].types, types)
        (parameter,) = (p for p in self.parameters if p.name == term.name)
        return self.universe.is_below(parameter.types, types)


def _strip_prefix(name: str) -> str:
    """Return a name without the prefix and number that the normal form adds."""
    return name.split(".")[1] if "." in name else name


def compute_cost(
    action: pddl.PddlAction,
    mapping: Mapping[pddl.PddlTerm, Variable],
    universe: Universe,
    source: Source,
) -> Cost:
    """Compute the cost of an action; 0 if it adds nothing.

    Values that are not given count nothing: `metric` keeps the action from being done there.
    `universe`: has the values of functions and the spelling of objects. `source`: the domain file,
    for messages. Raises UnsupportedPddl for a negative cost.
    """
    base = Fraction(0)
    terms: list[CostTerm] = []
    for part in action.cost:
        if not isinstance(part, pddl.FunctionValue):
            _check_cost(part, action, source)
            base += part
            continue
        term = _build_cost_term(part, mapping, universe)
        for value in term.table.values():
            _check_cost(value, action, source)
        if not term.parameters:
            base += term.table.get((), 0)
        elif term.table:
            terms.append(term)
    return Cost(base, tuple(terms))


def _build_cost_term(
    part: pddl.FunctionValue, mapping: Mapping[pddl.PddlTerm, Variable], universe: Universe
) -> CostTerm:
    """Build a cost term from the values that fit the objects named by the action."""
    given = part.arguments
    places = [place for place, term in enumerate(given) if isinstance(term, Variable)]
    spelling = universe.problem.spelling
    table = {
        tuple(spelling[arguments[place]] for place in places): value
        for arguments, value in universe.problem.values.get(part.function, {}).items()
        if _fits(given, arguments)
    }
    return CostTerm(tuple(mapping[given[place]].name for place in places), table)


def _fits(given: Sequence[pddl.PddlTerm], arguments: Sequence[str]) -> bool:
    return all(
        not isinstance(term, Constant) or term.name == name
        for term, name in zip(given, arguments, strict=True)
    )


def _check_cost(value: Fraction, action: pddl.PddlAction, source: Source) -> None:
    if value < 0:
        raise source.refusal(
            action.at,
            f"a negative cost ({float(value):g}) in action {action.name}",
            "make costs 0 or more",
        )
