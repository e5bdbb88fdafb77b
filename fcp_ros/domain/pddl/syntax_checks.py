# SPDX-License-Identifier: Apache-2.0
"""Checks of syntax trees: names are declared and fit, and unsupported features are refused.

Only features that are used matter, not the declared requirements.
Sections and effects without a place in the syntax tree are refused by their readers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.domain_file import check_object_types
from fcp_ros.domain.pddl.source_text import Source, describe_arity
from fcp_ros.domain.pddl.syntax_writer import write_formula, write_numeric
from fcp_ros.foundation.wording import suggest_name

Layer = tuple[str, ...]
"""Derived predicates, sorted."""


def find_layers(domain: pddl.DomainText, source: Source) -> tuple[Layer, ...]:
    """Find the strata of the derived predicates, the first ones first.

    Raises PddlError if a predicate depends on its own negation; the message names the cycle.
    """
    if not domain.axioms:
        return ()
    import networkx  # slow to import

    graph = networkx.DiGraph()
    graph.add_nodes_from(sorted(domain.derived))
    negative: dict[tuple[str, str], Atom] = {}
    for axiom in domain.axioms:
        for atom, holds in list_uses(axiom.body):
            if atom.predicate in domain.derived:
                graph.add_edge(atom.predicate, axiom.head.predicate)
                if not holds:
                    negative.setdefault((atom.predicate, axiom.head.predicate), atom)
    for (used, user), atom in negative.items():
        if networkx.has_path(graph, user, used):
            cycle = networkx.shortest_path(graph, user, used)
            raise source.error(atom.column - 1, *_explain_cycle(cycle))
    components = networkx.condensation(graph)
    level: dict[int, int] = {}
    found: list[list[str]] = []
    for component in networkx.topological_sort(components):
        above = (level[other] for other in components.predecessors(component))
        level[component] = place = max(above, default=-1) + 1
        if place == len(found):
            found.append([])
        found[place].extend(components.nodes[component]["members"])
    return tuple(tuple(sorted(layer)) for layer in found)


def _explain_cycle(cycle: list[str]) -> tuple[str, str]:
    """Explain that the last predicate of a path, each of the next, is negated by the first."""
    negated = f"{cycle[0]} on (not ({cycle[-1]} ...))"
    steps = [negated, *(f"{user} on {used}" for used, user in reversed(list(pairwise(cycle))))]
    message = f"a derived predicate depends on its own negation: {', '.join(steps)}"
    return message, "define one of them without the others"


def list_uses(formula: pddl.Formula, holds: bool = True) -> Iterator[tuple[Atom, bool]]:
    """List the atoms of a condition; False with those under an odd number of negations."""
    if isinstance(formula, Atom):
        yield formula, holds
    for part in pddl.children(formula):
        yield from list_uses(part, holds is not isinstance(formula, pddl.Negation))


def check_domain_names(domain: pddl.DomainText, source: Source) -> None:
    """Check that all names of a domain are declared, with that number and those types of arguments.

    Raises PddlError for the first mistake, with its line.
    """
    checker = _Checker(domain, source)
    check_object_types(source, domain.constants, domain.types)
    for signature in (*domain.predicates.values(), *domain.functions.values()):
        checker.check_types(signature)
    for axiom in domain.axioms:
        checker.check_axiom(axiom)
    for action in domain.actions:
        checker.check_action(action)
    checker.check(domain.constraints, {})


def check_problem_names(problem: pddl.ProblemText, domain: pddl.DomainText, source: Source) -> None:
    """Check the names in goal, constraints and metric of a problem.

    Raises PddlError for the first mistake, with its line.
    """
    checker = _Checker(domain, source, problem.objects)
    checker.check(problem.goal, {})
    checker.check(problem.constraints, {})
    if problem.metric is not None:
        checker.check_number(problem.metric.value, {})
        if pddl.counts_violations(problem.metric.value):
            names = pddl.list_preferences(domain, problem)
            _check_counted(problem.metric.value, names, source)


def _check_counted(number: pddl.Numeric, names: Collection[str], source: Source) -> None:
    if isinstance(number, pddl.NumericOperation):
        for operand in number.operands:
            _check_counted(operand, names, source)
    elif isinstance(number, pddl.ViolationCount) and number.preference not in names:
        message = f"the metric counts violations of {number.preference}, which is no preference"
        raise source.error(number.at, message, suggest_name(number.preference, filter(None, names)))


class _Checker:
    """Checks the names of one file."""

    def __init__(
        self, domain: pddl.DomainText, source: Source, objects: Iterable[pddl.Typed] = ()
    ) -> None:
        self._domain = domain
        self._source = source
        self._derived = domain.derived
        self._objects = {typed.name: typed for typed in (*domain.constants, *objects)}
        self._types = frozenset(pddl.list_types(domain.types))

    def check_types(self, typed: Iterable[pddl.Typed]) -> None:
        for one in typed:
            for type_ in one.types:
                if type_ not in self._types:
                    fix = suggest_name(type_, self._types)
                    raise self._source.error(one.at, f"unknown type {type_} of {one.name}", fix)

    def check_axiom(self, axiom: pddl.PddlAxiom) -> None:
        self.check_types(axiom.parameters)
        scope = {parameter.name: parameter for parameter in axiom.parameters}
        self._check_atom(axiom.head, scope)
        self.check(axiom.body, scope)

    def check_action(self, action: pddl.PddlAction) -> None:
        self.check_types(action.parameters)
        scope = {parameter.name: parameter for parameter in action.parameters}
        self.check(action.precondition, scope)
        for effect in action.effects:
            self.check_types(effect.variables)
            inner = {**scope, **{variable.name: variable for variable in effect.variables}}
            self.check(effect.condition, inner)
            for atom in (*effect.add, *effect.delete):
                self._check_atom(atom, inner)
                if atom.predicate in self._derived:
                    message = f"{action.name} changes {atom.predicate}, which is derived"
                    fix = "let it change the facts that the predicate follows from"
                    raise self._source.error(pddl.place_of(atom), message, fix)
            for change in effect.numeric:
                self.check_number(change.target, inner)
                self.check_number(change.amount, inner)

    def check(self, formula: pddl.Formula, scope: Mapping[str, pddl.Typed]) -> None:
        """Check a formula whose free variables `scope` binds."""
        if isinstance(formula, Atom):
            self._check_atom(formula, scope)
        elif isinstance(formula, pddl.Equality):
            self._check_terms((formula.left, formula.right), scope)
        elif isinstance(formula, pddl.NumericComparison):
            self.check_number(formula.left, scope)
            self.check_number(formula.right, scope)
        elif isinstance(formula, pddl.Quantified):
            self.check_types(formula.variables)
            scope = {**scope, **{variable.name: variable for variable in formula.variables}}
        for part in pddl.children(formula):
            self.check(part, scope)

    def check_number(self, number: pddl.Numeric, scope: Mapping[str, pddl.Typed]) -> None:
        """Check a number whose free variables `scope` binds."""
        if isinstance(number, pddl.NumericOperation):
            for operand in number.operands:
                self.check_number(operand, scope)
        elif isinstance(number, pddl.FunctionValue):
            self._check_function(number, scope)

    def _check_atom(self, atom: Atom, scope: Mapping[str, pddl.Typed]) -> None:
        known = self._domain.predicates
        at = pddl.place_of(atom)
        if atom.predicate not in known:
            message = f"unknown predicate {atom.predicate}"
            raise self._source.error(at, message, suggest_name(atom.predicate, known))
        legs = known[atom.predicate]
        if len(legs) != len(atom.arguments):
            message = describe_arity(atom.predicate, len(legs), len(atom.arguments))
            raise self._source.error(at, message, "give as many as it is declared with")
        terms = list(pddl.terms_of(atom))
        self._check_terms(terms, scope)
        for term, leg in zip(terms, legs, strict=True):
            given = scope if isinstance(term, Variable) else self._objects
            types = given[term.name].types
            if not pddl.is_below(types, leg.types, self._domain.types):
                message = (
                    f"{term.name} is of type {' or '.join(types)}, where {atom.predicate} takes "
                    f"{' or '.join(leg.types)}"
                )
                fix = "give it a type below that, or declare the predicate more widely"
                raise self._source.error(pddl.place_of(term), message, fix)

    def _check_function(self, value: pddl.FunctionValue, scope: Mapping[str, pddl.Typed]) -> None:
        # The first two need no declaration.
        known = {pddl.TOTAL_COST: (), pddl.TOTAL_TIME: (), **self._domain.functions}
        legs = known.get(value.function)
        if legs is None:
            fix = suggest_name(value.function, known)
            raise self._source.error(value.at, f"unknown function {value.function}", fix)
        if len(legs) != len(value.arguments):
            message = describe_arity(value.function, len(legs), len(value.arguments))
            raise self._source.error(value.at, message, "give as many as it is declared with")
        self._check_terms(value.arguments, scope)

    def _check_terms(self, terms: Iterable[pddl.PddlTerm], scope: Mapping[str, pddl.Typed]) -> None:
        for term in terms:
            if isinstance(term, Variable):
                if term.name not in scope:
                    fix = "declare it among the parameters, or bind it by a quantifier"
                    message = f"?{term.name} is bound by nothing"
                    raise self._source.error(pddl.place_of(term), message, fix)
            elif term.name not in self._objects:
                fix = f"declare it; {suggest_name(term.name, self._objects)}"
                raise self._source.error(pddl.place_of(term), f"unknown object {term.name}", fix)


# --- unsupported features

_NUMBERS = "keep only action costs: (increase (total-cost) ...)"


def check_domain_features(domain: pddl.DomainText, source: Source) -> None:
    """Refuse the first feature of a domain that is not supported.

    Raises UnsupportedPddl, which names the feature and says how to do without it.
    """
    _check_constraints(domain.constraints, source)
    for axiom in domain.axioms:
        wrong = next(filter(_is_preference, pddl.subformulas(axiom.body)), None)
        if wrong is not None:
            feature = f"a preference in the definition of {axiom.head.predicate}"
            raise source.refusal(pddl.place_of(wrong), feature, "write the condition alone")
        _check_formula(axiom.body, source)
    for action in domain.actions:
        _check_preferences(action, source)
        _check_formula(action.precondition, source)
        for effect in action.effects:
            _check_formula(effect.condition, source)
            for change in effect.numeric:
                _check_change(change, effect, action, source)


def check_problem_features(problem: pddl.ProblemText, source: Source) -> None:
    """Refuse the first feature of a problem that is not supported.

    Raises UnsupportedPddl as `check_domain_features` does.
    """
    _check_constraints(problem.constraints, source)
    check_places(problem.goal, source)
    _check_formula(problem.goal, source)


def refuse_axioms(domain: pddl.DomainText, source: Source, purpose: str) -> None:
    """Refuse derived predicates where only actions are understood.

    Raises UnsupportedPddl if the domain has some; `purpose` says for what they are refused.
    """
    if domain.axioms:
        fix = "let actions add and delete the predicate"
        raise source.refusal(domain.axioms[0].at, f"derived predicates {purpose}", fix)


def check_places(formula: pddl.Formula, source: Source) -> None:
    """Refuse preferences and constraints within conditions.

    Raises UnsupportedPddl for the first one, with its place.
    """
    if isinstance(formula, pddl.PreferenceFormula):
        inner = next(filter(_is_preference, pddl.subformulas(formula.body)), None)
        if inner is not None:
            fix = "take the inner one out"
            raise source.refusal(pddl.place_of(inner), "a preference within a preference", fix)
    for part in pddl.children(formula):
        universal = isinstance(formula, pddl.Quantified) and formula.universal
        if isinstance(formula, (pddl.Conjunction, pddl.PreferenceFormula)) or universal:
            check_places(part, source)
            continue
        inside = (pddl.PreferenceFormula, pddl.TrajectoryFormula)
        wrong = next((p for p in pddl.subformulas(part) if isinstance(p, inside)), None)
        if wrong is not None:
            kind = "preference" if isinstance(wrong, pddl.PreferenceFormula) else "constraint"
            fix = "join it to the others by `and`, at the top or within `forall`"
            raise source.refusal(pddl.place_of(wrong), f"a {kind} within another condition", fix)


def _check_preferences(action: pddl.PddlAction, source: Source) -> None:
    """Refuse preferences that are not joined to the precondition itself."""
    parts = pddl.conjuncts(action.precondition)
    others = (part.body if isinstance(part, pddl.PreferenceFormula) else part for part in parts)
    for formula in (*others, *(effect.condition for effect in action.effects)):
        wrong = next(filter(_is_preference, pddl.subformulas(formula)), None)
        if wrong is not None:
            feature = f"a preference within another condition of {action.name}"
            fix = "join it to the precondition by `and`"
            raise source.refusal(pddl.place_of(wrong), feature, fix)


def _is_preference(formula: pddl.Formula) -> bool:
    return isinstance(formula, pddl.PreferenceFormula)


def _check_constraints(constraints: pddl.Formula, source: Source) -> None:
    check_places(constraints, source)
    for part in pddl.subformulas(constraints):
        if isinstance(part, pddl.TrajectoryFormula) and part.times:
            message = f"({part.operator} ...) needs durations, and the actions here have none"
            fix = "give the actions durations in a YAML domain (docs/domain.md), or drop the times"
            raise source.error(part.at, message, fix)


def _check_formula(formula: pddl.Formula, source: Source) -> None:
    for part in pddl.subformulas(formula):
        if isinstance(part, pddl.NumericComparison):
            equal = part.operator == "="
            feature = (
                f"the numeric condition {write_formula(part)}" if equal else "a numeric comparison"
            )
            raise source.refusal(part.at, feature, _NUMBERS)


def _check_change(
    change: pddl.NumericChange, effect: pddl.ActionEffect, action: pddl.PddlAction, source: Source
) -> None:
    inside = f" in action {action.name}"
    target = change.target
    if change.operator != "increase" or target.arguments or target.function == pddl.TOTAL_TIME:
        feature = f"a numeric effect on {write_numeric(target)}{inside}"
        raise source.refusal(change.at, feature, _NUMBERS)
    if effect.variables or effect.condition != pddl.TRUE:
        where = "under `when`" if effect.condition != pddl.TRUE else "within `forall`"
        fix = "let the action cost the same in any state, or make several actions of it"
        raise source.refusal(change.at, f"a cost {where}{inside}", fix)
    if not _is_cost(pddl.summands(change.amount)):
        feature = f"the cost {write_numeric(change.amount)}{inside}"
        fix = "use numbers, functions of the initial state, and their sums"
        raise source.refusal(change.at, feature, fix)


def _is_cost(parts: Iterable[pddl.Numeric]) -> bool:
    """Return True if all parts are numbers, or functions that no action changes."""
    return all(
        isinstance(part, Fraction)
        or (
            isinstance(part, pddl.FunctionValue)
            and (part.arguments or part.function != pddl.TOTAL_COST)
        )
        for part in parts
    )
