# SPDX-License-Identifier: Apache-2.0
"""PDDL files as values: the syntax tree, and terms in the place of its free variables.

Names are lower case. Terms are `Variable` (without its question mark) and `Constant` (an object).
Each node has its place in the file: `at` is an offset (-1: not from a file); `column` of atoms and
terms is the offset plus one. Places take no part in equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable

ROOT = "object"
"""The type of everything, and of objects without a type."""
JOINT = ".and."
"""Joins the names of types to the name of a type below them; names in files have no full stop."""
TOTAL_COST = "total-cost"
TOTAL_TIME = "total-time"

PddlTerm: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class Typed:
    """A variable or an object of any of some types."""

    name: str
    types: tuple[str, ...] = (ROOT,)
    at: int = field(default=-1, compare=False)


# --- numbers


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """The value of a function, such as `(distance ?from ?to)` or `(total-cost)`."""

    function: str
    arguments: tuple[PddlTerm, ...] = ()
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class ViolationCount:
    """`(is-violated p)`: how many preferences of that name do not hold (PDDL 3.0)."""

    preference: str
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class NumericOperation:
    """One of `+ - * /` on one number or more."""

    operator: str
    operands: tuple[Numeric, ...]
    at: int = field(default=-1, compare=False)


Numeric: TypeAlias = Fraction | FunctionValue | ViolationCount | NumericOperation


# --- conditions


@dataclass(frozen=True, slots=True)
class Equality:
    """Two terms that are the same object."""

    left: PddlTerm
    right: PddlTerm
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class NumericComparison:
    """A comparison of numbers by `<`, `<=`, `=`, `>=` or `>`."""

    operator: str
    left: Numeric
    right: Numeric
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """A condition that must not hold."""

    body: Formula
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of several conditions; without parts it is true."""

    parts: tuple[Formula, ...] = ()
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Any of several conditions; without parts it is false."""

    parts: tuple[Formula, ...] = ()
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Quantified:
    """`forall` (universal) or `exists` over variables."""

    universal: bool
    variables: tuple[Typed, ...]
    body: Formula
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class PreferenceFormula:
    """A condition that may be given up (PDDL 3.0); several may share a name, or have none."""

    name: str
    body: Formula
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class TrajectoryFormula:
    """A condition on the states that a plan goes through (PDDL 3.0)."""

    operator: str  # `always`, `sometime`, `within`,
    times: tuple[float, ...]
    parts: tuple[Formula, ...]
    at: int = field(default=-1, compare=False)


Formula: TypeAlias = (
    Atom
    | Equality
    | NumericComparison
    | Negation
    | Conjunction
    | Disjunction
    | Quantified
    | PreferenceFormula
    | TrajectoryFormula
)

TRUE = Conjunction()
FALSE = Disjunction()


# --- actions


@dataclass(frozen=True, slots=True)
class NumericChange:
    """An effect on a number: `increase`, `decrease`, `assign`, `scale-up` or `scale-down`."""

    operator: str
    target: FunctionValue
    amount: Numeric
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class ActionEffect:
    """Atoms added and deleted, and numbers changed, for all variables that fit a condition."""

    variables: tuple[Typed, ...] = ()
    condition: Formula = TRUE
    add: tuple[Atom, ...] = ()
    delete: tuple[Atom, ...] = ()
    numeric: tuple[NumericChange, ...] = ()


@dataclass(frozen=True, slots=True)
class PddlAction:
    """An action; `spelling` is its name as the file writes it."""

    name: str
    parameters: tuple[Typed, ...] = ()
    precondition: Formula = TRUE
    effects: tuple[ActionEffect, ...] = ()
    spelling: str = field(default="", compare=False)
    at: int = field(default=-1, compare=False)

    @property
    def cost(self) -> tuple[Fraction | FunctionValue, ...]:
        """The summands that the action adds to total-cost: numbers and functions."""
        # Only unconditional additions to total-cost are listed; `syntax_checks` refuses others.
        return tuple(
            part
            for effect in self.effects
            for change in effect.numeric
            for part in summands(change.amount)
            if isinstance(part, (Fraction, FunctionValue))
        )


@dataclass(frozen=True, slots=True)
class PddlAxiom:
    """A section `:derived`: the predicate holds of the parameters wherever the body does."""

    head: Atom
    parameters: tuple[Typed, ...]
    body: Formula
    at: int = field(default=-1, compare=False)


# --- files


@dataclass(frozen=True, slots=True)
class DomainText:
    """A domain file."""

    name: str
    # the direct parents of each declared type, ROOT only where there is no other; types that are
    # only named as parents are below ROOT, and ROOT itself is not listed
    types: Mapping[str, tuple[str, ...]]
    constants: tuple[Typed, ...]  # the objects of all problems
    predicates: Mapping[str, tuple[Typed, ...]]
    functions: Mapping[str, tuple[Typed, ...]]
    actions: tuple[PddlAction, ...]  # in the order of the file
    constraints: Formula = TRUE  # conditions on the states of each plan
    requirements: tuple[str, ...] = ()
    # the definitions of derived predicates, in the order of the file; several of one predicate are
    # alternatives
    axioms: tuple[PddlAxiom, ...] = ()
    # remarks on what is read, but may not be meant
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def derived(self) -> frozenset[str]:
        return frozenset(axiom.head.predicate for axiom in self.axioms)


@dataclass(frozen=True, slots=True)
class Metric:
    """The number that a plan minimises or maximises."""

    minimise: bool
    value: Numeric
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class ProblemText:
    """A problem file."""

    name: str
    domain: str
    objects: tuple[Typed, ...]  # all of them, the domain's constants included
    # predicate -> argument tuples that hold initially
    facts: Mapping[str, frozenset[tuple[str, ...]]]
    # function -> arguments -> initial value
    values: Mapping[str, Mapping[tuple[str, ...], Fraction]]
    goal: Formula  # the condition of the final state
    metric: Metric | None  # None if the file has none
    constraints: Formula  # conditions on the states of the plan
    spelling: Mapping[str, str]  # objects as the files spell them, by their lower-case names
    # those of the domain, and a type for each set of types that an object has
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    # remarks on what is read, but may not be meant
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def minimises_cost(self) -> bool:
        """Return True if total-cost is to be minimised; otherwise each action counts 1."""
        return self.metric is not None and self.metric.value == FunctionValue(TOTAL_COST)


# --- types


Parents: TypeAlias = Mapping[str, tuple[str, ...]]
"""The direct parents of each type; a type that is not listed is below ROOT."""


def list_types(types: Parents) -> tuple[str, ...]:
    """List all types, ROOT first, also those that are only named as parents."""
    above = (parent for parents in types.values() for parent in parents)
    return tuple(dict.fromkeys((ROOT, *above, *types)))


def list_ancestors(type_: str, parents: Parents) -> tuple[str, ...]:
    """List the type and all above it, ROOT last; a circle of types does no harm."""
    return tuple(_walk_up(type_, parents))


def _walk_up(type_: str, parents: Parents) -> Iterator[str]:
    found: set[str] = set()
    waiting = [type_]
    while waiting:
        current = waiting.pop()
        if current != ROOT and current not in found:
            found.add(current)
            yield current
            waiting.extend(reversed(parents.get(current, ())))
    yield ROOT


def is_below(types: Iterable[str], others: Iterable[str], parents: Parents) -> bool:
    """Return True if each of `types` is one of `others`, or below one."""
    wanted = frozenset(others)
    return all(any(above in wanted for above in _walk_up(type_, parents)) for type_ in types)


# --- walking


def children(formula: Formula) -> tuple[Formula, ...]:
    if isinstance(formula, (Conjunction, Disjunction, TrajectoryFormula)):
        return formula.parts
    if isinstance(formula, (Negation, Quantified, PreferenceFormula)):
        return (formula.body,)
    return ()


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """List the parts of nested conjunctions, in the order of the text."""
    if isinstance(formula, Conjunction):
        for part in formula.parts:
            yield from conjuncts(part)
    else:
        yield formula


def subformulas(formula: Formula) -> Iterator[Formula]:
    """List the formula and all its parts, in the order of the text."""
    stack = [formula]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def terms_in(formula: Formula) -> Iterator[PddlTerm]:
    """List the terms of a formula, as often as they occur."""
    for part in subformulas(formula):
        if isinstance(part, Atom):
            yield from terms_of(part)
        elif isinstance(part, Equality):
            yield part.left
            yield part.right
        elif isinstance(part, NumericComparison):
            for number in (part.left, part.right):
                yield from numeric_terms(number)


def numeric_terms(number: Numeric) -> Iterator[PddlTerm]:
    if isinstance(number, FunctionValue):
        yield from number.arguments
    elif isinstance(number, NumericOperation):
        for operand in number.operands:
            yield from numeric_terms(operand)


def counts_violations(number: Numeric) -> bool:
    if isinstance(number, NumericOperation):
        return any(map(counts_violations, number.operands))
    return isinstance(number, ViolationCount)


def list_preferences(domain: DomainText, problem: ProblemText) -> dict[str, None]:
    """List the names of the preferences of a task, each once; those without one are ""."""
    formulas = (
        problem.goal,
        domain.constraints,
        problem.constraints,
        *(action.precondition for action in domain.actions),
    )
    parts = (part for formula in formulas for part in subformulas(formula))
    return dict.fromkeys(part.name for part in parts if isinstance(part, PreferenceFormula))


def variable_names(formula: Formula) -> set[str]:
    """Collect the names of all variables of a formula, free or bound."""
    names = {term.name for term in terms_in(formula) if isinstance(term, Variable)}
    for part in subformulas(formula):
        if isinstance(part, Quantified):
            names.update(variable.name for variable in part.variables)
    return names


def change_parts(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Change the direct parts of a formula that are formulas; one without parts stays."""
    if isinstance(formula, (Conjunction, Disjunction, TrajectoryFormula)):
        return replace(formula, parts=tuple(map(change, formula.parts)))
    if isinstance(formula, (Negation, Quantified, PreferenceFormula)):
        return replace(formula, body=change(formula.body))
    return formula


def summands(number: Numeric) -> Iterator[Numeric]:
    if isinstance(number, NumericOperation) and number.operator == "+":
        for operand in number.operands:
            yield from summands(operand)
    else:
        yield number


def terms_of(atom: Atom) -> Iterator[PddlTerm]:
    return (term for term in atom.arguments if isinstance(term, (Variable, Constant)))


def place_of(node: Formula | Typed | NumericChange | Numeric | PddlTerm | Metric) -> int:
    """Return the offset of a node in its file; -1 if it is not from a file."""
    if isinstance(node, (Atom, Variable, Constant)):
        return node.column - 1
    return -1 if isinstance(node, Fraction) else node.at


def bind_free(formula: Formula, terms: Mapping[str, PddlTerm]) -> Formula:
    """Replace free variables; a new variable occurs nowhere in the formula."""
    if not terms:
        return formula
    if isinstance(formula, Atom):
        return bind_atom(formula, terms)
    if isinstance(formula, Equality):
        left, right = _bind(formula.left, terms), _bind(formula.right, terms)
        return replace(formula, left=left, right=right)
    if isinstance(formula, NumericComparison):
        return replace(
            formula,
            left=_bind_number(formula.left, terms),
            right=_bind_number(formula.right, terms),
        )
    if isinstance(formula, Quantified):
        terms = _without(terms, formula.variables)
    return change_parts(formula, lambda part: bind_free(part, terms))


def bind_atom(atom: Atom, terms: Mapping[str, PddlTerm]) -> Atom:
    return Atom(atom.predicate, tuple(_bind(term, terms) for term in terms_of(atom)), atom.column)


def bind_effect(effect: ActionEffect, terms: Mapping[str, PddlTerm]) -> ActionEffect:
    """Replace free variables of an effect."""
    terms = _without(terms, effect.variables)
    return ActionEffect(
        effect.variables,
        bind_free(effect.condition, terms),
        tuple(bind_atom(atom, terms) for atom in effect.add),
        tuple(bind_atom(atom, terms) for atom in effect.delete),
        tuple(replace(n, amount=_bind_number(n.amount, terms)) for n in effect.numeric),
    )


def _without(terms: Mapping[str, PddlTerm], variables: Iterable[Typed]) -> Mapping[str, PddlTerm]:
    bound = {variable.name for variable in variables}
    return {old: new for old, new in terms.items() if old not in bound}


def _bind(term: PddlTerm, terms: Mapping[str, PddlTerm]) -> PddlTerm:
    new = terms.get(term.name) if isinstance(term, Variable) else None
    return term if new is None else type(new)(new.name, term.column)


def _bind_number(number: Numeric, terms: Mapping[str, PddlTerm]) -> Numeric:
    if isinstance(number, FunctionValue):
        return replace(number, arguments=tuple(_bind(term, terms) for term in number.arguments))
    if isinstance(number, NumericOperation):
        operands = tuple(_bind_number(operand, terms) for operand in number.operands)
        return replace(number, operands=operands)
    return number
