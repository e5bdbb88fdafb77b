# SPDX-License-Identifier: Apache-2.0
"""Bindings of variables to elements under conditions, by backtracking over bitsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.abstraction.states.state import (
    OBJECT,
    ONLY,
    RelationalState,
    RelationForm,
    find_world,
    list_bits,
    list_forms,
)
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
from fcp_ros.domain.model import SAME, Parameter

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
        object.__setattr__(self, "forms", list_forms(self.schema))
        object.__setattr__(self, "world", find_world(self.schema))

    def is_world(self, type_: str) -> bool:
        """Return True for the type of the element `world`."""
        return self.world is not None and type_ == f"{ONLY}{self.world}"

    def name_concept(self, type_: str) -> str:
        return f"{OBJECT}{type_.removeprefix(ONLY)}" if type_.startswith(ONLY) else type_

    def may_share(self, first: str, second: str) -> bool:
        """Return True if an element may be of both types."""
        return not self.schema.subtypes(first).isdisjoint(self.schema.subtypes(second))

    def read_terms(self, atom: Atom) -> tuple[Term, ...]:
        """Return the arguments of an atom in the legs that count."""
        return tuple(atom.arguments[place] for place in self.forms[atom.predicate].positions)


def list_variables_of(terms: Sequence[Term], owner: str) -> tuple[str, ...]:
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


# --- bindings of variables to elements under conditions: backtracking over bitsets
#
# Each variable has a bitset of elements that are left for it. Giving one variable its element
# intersects the bitsets of its neighbours with a row of the relation between them. The variable
# with the fewest elements left comes first.


@dataclass(frozen=True, slots=True)
class _Edge:
    """A literal over two variables: the elements of `other` are in the row of this one's."""

    role: str
    inverse: bool
    other: int
    wanted: bool


class BindingSearch:
    """Finds the bindings of some variables. Safe to use from several threads.

    Raises UnsupportedRule for a condition that can't be followed on bitsets.
    """

    def __init__(
        self,
        variables: Sequence[Parameter],  # with their types; one for PDDL's `world` is left out
        positive: Sequence[Atom],
        # atoms that must not hold; other variables in them stand for anything
        negative: Sequence[Atom],
        formulas: Sequence[Expression],
        forms: SchemaForms,
        owner: str,
        distinct: bool,  # True if different variables are different elements
    ) -> None:
        kept = [variable for variable in variables if not forms.is_world(variable.type)]
        # of the variables, in the order of the bindings
        self.names = tuple([variable.name for variable in kept])
        self._concepts = tuple([forms.name_concept(variable.type) for variable in kept])
        self._slots = {name: slot for slot, name in enumerate(self.names)}
        self._flags: list[tuple[str, bool]] = []
        self._members: list[tuple[int, str, bool]] = []
        self._edges: list[list[_Edge]] = [[] for _ in kept]
        self._alone: list[list[Test]] = [[] for _ in kept]
        self._first: list[Test] = []  # about the state, whatever the binding
        self._tests: list[Test] = []
        self._forms = forms
        self._owner = owner
        self._others = tuple(
            tuple(
                other
                for other, theirs in enumerate(kept)
                if distinct and other != slot and forms.may_share(own.type, theirs.type)
            )
            for slot, own in enumerate(kept)
        )
        for atom in positive:
            self._add_literal(atom, True)
        for atom in negative:
            self._add_literal(atom, False)
        for formula in formulas:
            self._tests.append(compile_formula(formula, self._slots, len(kept), forms, owner))

    def add_test(self, test: Test) -> None:
        """Add a condition on complete bindings."""
        self._tests.append(test)

    def find(
        self,
        state: RelationalState,
        # bitset of the elements that a variable may have, by its name
        allowed: Mapping[str, int] | None = None,
        fixed: Mapping[int, int] | None = None,  # element of a variable, by its place
    ) -> Iterator[Values]:
        """Find the bindings, lazily and in a fixed order."""
        # The state must be the same whenever the next one is asked for.
        flags, concepts = state.flags, state.concepts
        for name, wanted in self._flags:
            if flags[name] is not wanted:
                return iter(())
        for test in self._first:
            if not test(state, ()):
                return iter(())
        domains: list[int | None] = [concepts[name] for name in self._concepts]
        for slot, name, wanted in self._members:
            bits = domains[slot]
            assert bits is not None, "no variable has its element yet"
            domains[slot] = bits & concepts[name] if wanted else bits & ~concepts[name]
        for name, bits in (allowed or {}).items():
            slot = self._slots[name]
            domains[slot] = (domains[slot] or 0) & bits
        for slot, element in (fixed or {}).items():
            domains[slot] = (domains[slot] or 0) & (1 << element)
        if not all(domains):
            return iter(())
        return self._extend(state, domains, [0] * len(domains))

    def _extend(
        self, state: RelationalState, domains: list[int | None], values: list[int]
    ) -> Iterator[Values]:
        """Complete a partial binding; the lists are changed."""
        while True:
            best, fewest = -1, 0
            for slot, bits in enumerate(domains):
                if bits is not None:
                    count = bits.bit_count()
                    if best < 0 or count < fewest:
                        best, fewest = slot, count
                        if count == 1:
                            break
            if best < 0:
                found = tuple(values)
                for test in self._tests:
                    if not test(state, found):
                        return
                yield found
                return
            choices = domains[best]
            assert choices, "empty domains end the branch"
            if fewest > 1:
                break
            if not self._assign(state, domains, values, best, choices.bit_length() - 1):
                return
        for element in list_bits(choices):
            inner, chosen = list(domains), list(values)
            if self._assign(state, inner, chosen, best, element):
                yield from self._extend(state, inner, chosen)

    def _assign(
        self,
        state: RelationalState,
        domains: list[int | None],
        values: list[int],
        slot: int,
        element: int,
    ) -> bool:
        """Give a variable its element; return False if nothing is left for another one."""
        values[slot] = element
        domains[slot] = None
        for test in self._alone[slot]:
            if not test(state, (element,)):
                return False
        for edge in self._edges[slot]:
            bits = domains[edge.other]
            if bits is not None:
                row = (state.inverses if edge.inverse else state.roles)[edge.role][element]
                bits = bits & row if edge.wanted else bits & ~row
                if not bits:
                    return False
                domains[edge.other] = bits
        for other in self._others[slot]:
            bits = domains[other]
            if bits is not None:
                bits &= ~(1 << element)
                if not bits:
                    return False
                domains[other] = bits
        return True

    # --- compiling literals

    def _add_literal(self, atom: Atom, wanted: bool) -> None:
        form = self._forms.forms[atom.predicate]
        names = list_variables_of(self._forms.read_terms(atom), self._owner)
        places = [self._slots.get(name, name) for name in names]
        known = [place for place in places if isinstance(place, int)]
        if len(known) < len(places):
            self._add_open(form.name, places, known, atom)
        elif not places:
            self._flags.append((form.name, wanted))
        elif len(places) == 1:
            self._members.append((known[0], form.name, wanted))
        elif len(places) == 2 and known[0] != known[1]:
            self._add_edge(form.name, known[0], known[1], wanted)
        elif len(set(known)) == 1:
            fact = make_fact_test(form, [0] * len(places))
            self._alone[known[0]].append(fact if wanted else _negate(fact))
        else:
            fact = make_fact_test(form, known)
            self._tests.append(fact if wanted else _negate(fact))
            if wanted:
                pairs = zip(form.names, _pairs(known), strict=True)
                for role, (source, target) in pairs:
                    if source != target:
                        self._add_edge(role, source, target, True)

    def _add_open(
        self, relation: str, places: Sequence[int | str], known: Sequence[int], atom: Atom
    ) -> None:
        """Add an absence whose other variables stand for anything."""
        if len(places) == 2 and len(known) == 1:
            is_source = isinstance(places[0], int)
            self._alone[known[0]].append(_make_vacancy_test(relation, is_source))
        else:
            test = _negate(make_pattern_test(self._forms.forms[atom.predicate], places))
            (self._tests if known else self._first).append(test)

    def _add_edge(self, role: str, source: int, target: int, wanted: bool) -> None:
        self._edges[source].append(_Edge(role, False, target, wanted))
        self._edges[target].append(_Edge(role, True, source, wanted))


def _pairs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((a, b) for at, a in enumerate(places) for b in places[at + 1 :])


def _negate(test: Test) -> Test:
    return lambda state, values: not test(state, values)


def _make_vacancy_test(role: str, is_source: bool) -> Test:
    """Make the test that an element is related to nothing, or nothing to it."""
    if is_source:
        return lambda state, values: not state.roles[role][values[0]]
    return lambda state, values: not state.inverses[role][values[0]]
