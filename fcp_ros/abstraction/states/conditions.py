# SPDX-License-Identifier: Apache-2.0
"""Conditions that are tested when all variables have values: facts, absences, formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.abstraction.states.state import RelationalState, list_bits
from fcp_ros.abstraction.states.vocabulary import OBJECT, ONLY, RelationForm, find_world, list_forms
from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Term,
    Variable,
    to_text,
)
from fcp_ros.domain.model import SAME

Values = tuple[int, ...]
"""The elements that the variables stand for, in their order."""
Test = Callable[[RelationalState, Values], bool]
Slots = Mapping[str, int]
"""The place of each variable among the values."""


class UnsupportedRule(ValueError):
    """A rule that can't be followed on bitsets; the message says why."""


@dataclass(frozen=True)
class SchemaForms:
    """The relations and types of a schema without PDDL's `world`."""

    schema: Schema
    forms: Mapping[str, RelationForm] = field(init=False)
    world: str | None = field(init=False)  # name of the element that is left out, if there is one

    def __post_init__(self) -> None:
        """Work out the forms."""
        object.__setattr__(self, "forms", list_forms(self.schema))
        object.__setattr__(self, "world", find_world(self.schema))

    def is_world(self, type_: str) -> bool:
        """Return True for the type of the element `world`."""
        return self.world is not None and type_ == f"{ONLY}{self.world}"

    def name_concept(self, type_: str) -> str:
        """Return the concept of a type."""
        return f"{OBJECT}{type_.removeprefix(ONLY)}" if type_.startswith(ONLY) else type_

    def may_share(self, first: str, second: str) -> bool:
        """Return True if an element may be of both types."""
        return not self.schema.subtypes(first).isdisjoint(self.schema.subtypes(second))

    def read_terms(self, atom: Atom) -> tuple[Term, ...]:
        """Return the arguments of an atom in the legs that count."""
        return tuple(atom.arguments[place] for place in self.forms[atom.predicate].positions)


def list_variables_of(terms: Sequence[Term], owner: str) -> tuple[str, ...]:
    """Return the names of terms that are all variables."""
    names = tuple(term.name for term in terms if isinstance(term, Variable))
    if len(names) != len(terms):
        raise UnsupportedRule(f"{owner} names elements in a condition; only variables are read")
    return names


def make_fact_test(form: RelationForm, places: Sequence[int]) -> Test:
    """Make the test that a relation has the tuple of the values at some places."""
    name, arity = form.name, form.arity
    if arity == 0:
        return lambda state, values: state.flags[name]
    if arity == 1:
        (only,) = places
        return lambda state, values: bool(state.concepts[name] >> values[only] & 1)
    if arity == 2:
        source, target = places
        return lambda state, values: bool(state.roles[name][values[source]] >> values[target] & 1)
    chosen = tuple(places)
    return lambda state, values: tuple([values[p] for p in chosen]) in state.wide.get(name, ())


def make_pattern_test(form: RelationForm, places: Sequence[int | str]) -> Test:
    """Make the test that a relation has a tuple of a pattern.

    `places`: for each leg the place of a value, or a name: the same name is the same element,
    whichever it is.
    """
    fixed = [(leg, place) for leg, place in enumerate(places) if isinstance(place, int)]
    if len(fixed) == len(places):
        return make_fact_test(form, [place for _, place in fixed])
    first = {place: leg for leg, place in reversed(list(enumerate(places)))}
    equal = [(leg, first[p]) for leg, p in enumerate(places) if p in first and leg != first[p]]
    equal = [(leg, other) for leg, other in equal if isinstance(places[leg], str)]

    def test(state: RelationalState, values: Values) -> bool:
        return any(
            all(legs[leg] == values[place] for leg, place in fixed)
            and all(legs[leg] == legs[other] for leg, other in equal)
            for legs in state.list_tuples(form)
        )

    return test


def compile_formula(
    formula: Expression, slots: Slots, width: int, forms: SchemaForms, owner: str
) -> Test:
    """Make the test of a condition of a rule.

    `formula`: over relations; its free variables have slots. `slots`: of the variables in scope.
    Raises UnsupportedRule for weights, counts or names of elements in the formula.
    """
    if isinstance(formula, Atom):
        return _compile_atom(formula, slots, forms, owner)
    if isinstance(formula, Not):
        body = compile_formula(formula.body, slots, width, forms, owner)
        return lambda state, values: not body(state, values)
    if isinstance(formula, (And, Or)):
        parts = [compile_formula(part, slots, width, forms, owner) for part in formula.parts]
        if isinstance(formula, And):
            return lambda state, values: all(part(state, values) for part in parts)
        return lambda state, values: any(part(state, values) for part in parts)
    if isinstance(formula, (Exists, Forall)):
        return _compile_quantifier(formula, slots, width, forms, owner)
    raise UnsupportedRule(f"{owner}: {to_text(formula)} is no condition on facts alone")


def _compile_atom(atom: Atom, slots: Slots, forms: SchemaForms, owner: str) -> Test:
    if atom.predicate not in forms.forms:
        if atom.predicate != SAME:
            raise UnsupportedRule(f"{owner}: {atom.predicate!r} is no relation")
        first, second = (slots[name] for name in list_variables_of(atom.arguments, owner))
        return lambda state, values: values[first] == values[second]
    names = list_variables_of(forms.read_terms(atom), owner)
    return make_fact_test(forms.forms[atom.predicate], [slots[name] for name in names])


def _compile_quantifier(
    formula: Exists | Forall, slots: Slots, width: int, forms: SchemaForms, owner: str
) -> Test:
    inner = dict(slots)
    concepts: list[str] = []
    for variable in formula.variables:
        if not forms.is_world(variable.type):
            inner[variable.name] = width + len(concepts)
            concepts.append(forms.name_concept(variable.type))
    body = compile_formula(formula.body, inner, width + len(concepts), forms, owner)
    wanted = isinstance(formula, Exists)

    def decide(state: RelationalState, values: Values, depth: int) -> bool:
        """Return True if some choice makes the body true (for `forall`: false)."""
        if depth == len(concepts):
            return body(state, values) is wanted
        members = list_bits(state.concepts[concepts[depth]])
        return any(decide(state, (*values, element), depth + 1) for element in members)

    return lambda state, values: decide(state, values, 0) is wanted
