# SPDX-License-Identifier: Apache-2.0
"""The rules of a domain on states of bitsets: applicable bindings, steps, and steps taken back.

The twin is `planning.verification.stepping.StepRules`, which rewrites instances; the tests
compare the two. As there, resources, times and degrees don't count: a verifier looks at them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fcp_ros.abstraction.states.joining import (
    BindingSearch,
    SchemaForms,
    Test,
    UnsupportedRule,
    Values,
    list_variables_of,
)
from fcp_ros.abstraction.states.state import RelationalState, RelationForm
from fcp_ros.cset import Relation
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import ActionRule, Constraint, Domain, Effect, Parameter

Tuple = tuple[RelationForm, tuple[int, ...]]
"""A relation and elements in the legs that count."""


class StateChange(NamedTuple):
    """One tuple that came or went."""

    form: RelationForm
    legs: tuple[int, ...]
    added: bool  # True if it came
    versions: tuple[int, ...]  # of the relation's names before


Undo = Sequence[StateChange]
"""What a step has changed, in order."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A tuple whose elements are values of variables."""

    form: RelationForm
    places: tuple[int, ...]

    def fill(self, values: Values) -> Tuple:
        return self.form, tuple([values[place] for place in self.places])


class _CompiledEffect:
    """A conditional effect: once for every match of its conditions."""

    def __init__(self, rule: ActionRule, effect: Effect, forms: SchemaForms) -> None:
        variables = (*rule.parameters, *effect.variables)
        owner = f"an effect of {rule.name}"
        self.search = BindingSearch(
            variables, effect.positive(), effect.negative(), effect.formulas, forms, owner, False
        )
        self.add = compile_atoms(effect.add, self.search.names, forms, owner)
        self.delete = compile_atoms(effect.delete, self.search.names, forms, owner)


class RuleChanges:
    """The changes by one rule. `names`: of the values of a binding, in order."""

    def __init__(self, rule: ActionRule, names: Sequence[str], forms: SchemaForms) -> None:
        # A tuple that is deleted and added stays, as one that is required and added.
        kept = [atom for atom in rule.positive() if atom not in rule.delete]
        self._add = compile_atoms(rule.add, names, forms, rule.name)
        self._delete = compile_atoms(rule.delete, names, forms, rule.name)
        effects = rule.effects
        new = [a for a in rule.add if a not in kept and (effects or a not in rule.delete)]
        gone = [atom for atom in rule.delete if atom not in rule.add]
        self._changes = [
            (pattern.form, pattern.places, value)
            for atoms, value in ((gone, False), (new, True))
            for pattern in compile_atoms(atoms, names, forms, rule.name)
        ]
        self._effects = [_CompiledEffect(rule, effect, forms) for effect in effects]

    def apply(self, state: RelationalState, binding: Values) -> Undo:
        """Change a state; additions win over deletions."""
        undo: list[StateChange] = []
        if self._effects:
            added, deleted = self._collect(state, binding)
            for form, legs in deleted:
                if (form, legs) not in added:
                    make_change(state, form, legs, False, undo)
            for form, legs in added:
                make_change(state, form, legs, True, undo)
            return undo
        for form, places, value in self._changes:
            make_change(state, form, tuple([binding[place] for place in places]), value, undo)
        return undo

    def list_changes(self, binding: Values) -> list[tuple[RelationForm, Values, bool]] | None:
        """List tuples that come or go, unless they are there or gone; None if effects decide."""
        if self._effects:
            return None
        return [
            (form, tuple([binding[place] for place in places]), value)
            for form, places, value in self._changes
        ]

    def _collect(
        self, state: RelationalState, binding: Values
    ) -> tuple[dict[Tuple, None], dict[Tuple, None]]:
        added = dict.fromkeys(pattern.fill(binding) for pattern in self._add)
        deleted = dict.fromkeys(pattern.fill(binding) for pattern in self._delete)
        fixed = dict(enumerate(binding))
        for effect in self._effects:
            for values in effect.search.find(state, fixed=fixed):
                added.update(dict.fromkeys(pattern.fill(values) for pattern in effect.add))
                deleted.update(dict.fromkeys(pattern.fill(values) for pattern in effect.delete))
        return added, deleted


def compile_atoms(
    atoms: Iterable[Atom], names: Sequence[str], forms: SchemaForms, owner: str
) -> tuple[_Pattern, ...]:
    """Return atoms as tuples of values. `names`: of the variables, in the order of the values."""
    slots = {name: slot for slot, name in enumerate(names)}
    found = []
    for atom in atoms:
        variables = list_variables_of(forms.read_terms(atom), owner)
        places = tuple([slots[name] for name in variables])
        found.append(_Pattern(forms.forms[atom.predicate], places))
    return tuple(found)


def make_change(
    state: RelationalState,
    form: RelationForm,
    legs: tuple[int, ...],
    value: bool,
    undo: list[StateChange],
) -> None:
    """Let a tuple come or go, and note it if that changes anything."""
    current, names = state.versions, form.names
    # One name is the rule, and a list of one costs as much as the change itself.
    versions = (current[names[0]],) if len(names) == 1 else tuple([current[name] for name in names])
    if state.set_tuple(form, legs, value):
        undo.append(StateChange(form, legs, value, versions))


def take_back(state: RelationalState, undo: Undo) -> None:
    """Take changes back, the last first; the versions are those of before, too."""
    current = state.versions
    for form, legs, added, versions in reversed(undo):
        state.set_tuple(form, legs, not added)
        if len(versions) == 1:
            current[form.names[0]] = versions[0]
        else:
            current.update(zip(form.names, versions, strict=True))


_WORLD = -1
"""The place of a functional leg `world`: all tuples have the same key."""


class ResultCheck:
    """The conditions on what one rule leads to."""

    def __init__(
        self, rule: ActionRule, names: Sequence[str], domain: Domain, forms: SchemaForms
    ) -> None:
        self._forms = forms
        self._keys: dict[str, set[int]] = {}
        self.before: list[Test] = []  # tests of a binding in the state before
        for atom, place in _list_open_keys(rule, forms):
            test = _make_key_test(rule, atom, place, names, forms)
            if test is None:
                self._keys.setdefault(atom.predicate, set()).add(place)
            else:
                self.before.append(test)
        added = {atom.predicate for atom in rule.add}
        added.update(atom.predicate for effect in rule.effects for atom in effect.add)
        self._constraints = [
            _CompiledConstraint(constraint, forms)
            for constraint in domain.constraints
            if any(atom.predicate in added for atom in constraint.never)
        ]
        self.is_needed = bool(self._keys or self._constraints)  # False if these decide alone

    def accepts(self, state: RelationalState, changes: Undo) -> bool:
        """Decide about a step that has been done."""
        added = [change for change in changes if change.added]
        for change in added:
            for place in self._keys.get(change.form.name, ()):
                if _has_two(state, change.form, change.legs, place):
                    return False
        return not any(
            constraint.is_violated(state, change.form.name, change.legs)
            for constraint in self._constraints
            for change in added
        )


class _CompiledConstraint:
    def __init__(self, constraint: Constraint, forms: SchemaForms) -> None:
        variables = [Parameter(variable.name, variable.type) for variable in constraint.variables]
        never, name = constraint.never, constraint.name
        self._search = BindingSearch(variables, never, (), (), forms, name, True)
        self._atoms: list[tuple[str, tuple[int, ...]]] = []
        for atom in constraint.never:
            names = [term.name for term in forms.read_terms(atom) if isinstance(term, Variable)]
            places = tuple([self._search.names.index(name) for name in names])
            self._atoms.append((atom.predicate, places))

    def is_violated(self, state: RelationalState, relation: str, legs: Sequence[int]) -> bool:
        """Return True if the pattern matches with this tuple."""
        for name, places in self._atoms:
            if name == relation:
                fixed = dict(zip(places, legs, strict=True))
                # Two variables of one place can't have two elements.
                is_one = all(fixed[p] == leg for p, leg in zip(places, legs, strict=True))
                if is_one and any(True for _ in self._search.find(state, fixed=fixed)):
                    return True
        return False


def _list_open_keys(rule: ActionRule, forms: SchemaForms) -> Iterator[tuple[Atom, int]]:
    """List the additions by a rule that may violate a functional leg, with its place."""
    effects = [atom for effect in rule.effects for atom in effect.add]
    for atoms, is_safe in ((rule.add, True), (effects, False)):
        for atom in atoms:
            relation = forms.schema.relation(atom.predicate)
            form = forms.forms[atom.predicate]
            for leg in relation.functional:
                position = relation.position(leg)
                if not (is_safe and _excludes_second(rule, atom, relation, position)):
                    world = position not in form.positions
                    yield atom, _WORLD if world else form.positions.index(position)


def _make_key_test(
    rule: ActionRule, atom: Atom, place: int, names: Sequence[str], forms: SchemaForms
) -> Test | None:
    """Make the test that the key of an added tuple, of which the rule deletes none, has no other.

    Returns:
        the test; None for relations with more legs, and rules with other changes of the relation.
    """
    form = forms.forms[atom.predicate]
    changes = [a for e in rule.effects for a in (*e.add, *e.delete)]
    changes += [other for other in rule.add if other != atom]
    if any(a.predicate == atom.predicate for a in changes) or form.arity > 2:
        return None
    (added,) = compile_atoms([atom], names, forms, rule.name)
    name = form.name
    if form.arity == 1 and place == _WORLD:
        kept = added.places[0]
        return lambda state, values: not state.concepts[name] & ~(1 << values[kept])
    if form.arity == 2 and place != _WORLD:
        key, kept = added.places[place], added.places[1 - place]
        if place == 0:
            return lambda state, values: not (state.roles[name][values[key]] & ~(1 << values[kept]))
        return lambda state, values: not (state.inverses[name][values[key]] & ~(1 << values[kept]))
    return None


def _excludes_second(rule: ActionRule, atom: Atom, relation: Relation, position: int) -> bool:
    """Return True if after the rule the key of an added atom has no other tuple."""
    # That is so if the rule deletes the only tuple of that key, or requires that there is none; and
    # adds no other. What effects add is looked at in each state.
    key = atom.arguments[position]

    def has_key(other: Atom) -> bool:
        return other.predicate == relation.name and other.arguments[position] == key

    if any(other != atom and has_key(other) for other in rule.add):
        return False
    if any(has_key(other) and (other in rule.delete or other == atom) for other in rule.positive()):
        return True
    bound = {parameter.name for parameter in rule.parameters}
    return any(has_key(other) and _is_open(other, position, bound) for other in rule.negative())


def _is_open(atom: Atom, position: int, bound: Iterable[str]) -> bool:
    """Return True if all legs but one are different variables that stand for anything."""
    others = [t for place, t in enumerate(atom.arguments) if place != position]
    names = [term.name for term in others if isinstance(term, Variable)]
    is_open = len(names) == len(others) == len(set(names))
    return is_open and set(names).isdisjoint(bound)


def _has_two(state: RelationalState, form: RelationForm, legs: tuple[int, ...], place: int) -> bool:
    """Return True if another tuple has the key of this one."""
    if form.arity == 1:
        return place == _WORLD and state.concepts[form.name].bit_count() > 1
    if form.arity == 2 and place != _WORLD:
        rows = (state.inverses if place else state.roles)[form.name]
        return rows[legs[place]].bit_count() > 1
    return any(
        other != legs and (place == _WORLD or other[place] == legs[place])
        for other in state.list_tuples(form)
    )


@dataclass(frozen=True, slots=True)
class _CompiledRule:
    """A rule on bitsets; `arguments`: for each parameter its place in a binding, or -1 (world)."""

    search: BindingSearch
    changes: RuleChanges
    results: ResultCheck
    arguments: tuple[int, ...]


class RuleEngine:
    """The rules of one domain. Safe to use from several threads, with a state for each.

    Whether relations of PDDL are functional depends on the problem: make one for each. Raises
    UnsupportedRule for a rule that can't be followed on bitsets.
    """

    def __init__(self, domain: Domain) -> None:
        forms = SchemaForms(domain.schema)
        self._world = forms.world or ""
        self._rules = {
            name: _compile_rule(rule, domain, forms) for name, rule in domain.rules.items()
        }

    def parameters(self, rule: str) -> tuple[str, ...]:
        """Return the parameters that bindings of a rule are about: all but PDDL's `world`."""
        return self._rules[rule].search.names

    def bindings(
        self, rule: str, state: RelationalState, constraints: Mapping[str, int] | None = None
    ) -> Iterator[Values]:
        """Find the bindings at which a rule can be applied, lazily and in a fixed order.

        The state must be the same whenever the next one is asked for. `rule`: its name; a rule that
        the domain lacks has no bindings. `constraints`: bitset of the elements that a parameter may
        have, by its name.
        """
        compiled = self._rules.get(rule)
        if compiled is None:
            return iter(())
        found = compiled.search.find(state, constraints)
        if not compiled.results.is_needed:
            return found
        return (binding for binding in found if self._is_accepted(compiled, binding, state))

    def apply(self, rule: str, binding: Values, state: RelationalState) -> Undo:
        """Do a step that can be done, in place.

        `binding`: one that `bindings` found in this state.
        """
        return self._rules[rule].changes.apply(state, binding)

    def list_changes(
        self, rule: str, binding: Values
    ) -> list[tuple[RelationForm, Values, bool]] | None:
        """List tuples that a step adds (True) or deletes, unless they are there or gone already."""
        # None if conditional effects decide.
        return self._rules[rule].changes.list_changes(binding)

    def undo(self, undo: Undo, state: RelationalState) -> None:
        """Take a step back: the last one first."""
        take_back(state, undo)

    def successors(self, state: RelationalState) -> Iterator[tuple[str, Values]]:
        """Find all steps that can be done, rule by rule."""
        for rule in self._rules:
            for binding in self.bindings(rule, state):
                yield rule, binding

    def write_step(self, rule: str, binding: Values, state: RelationalState) -> tuple[str, ...]:
        """Return the elements of all parameters of a rule, `world` too, by name."""
        objects, world = state.objects, self._world
        places = self._rules[rule].arguments
        return tuple([world if place < 0 else objects[binding[place]] for place in places])

    def read_step(
        self, rule: str, elements: tuple[str, ...], state: RelationalState
    ) -> Values | None:
        """Return the binding of a step, as `write_step` writes it; None for unknown elements."""
        compiled = self._rules[rule]
        values = [0] * len(compiled.search.names)
        for place, element in zip(compiled.arguments, elements, strict=True):
            if place >= 0:
                position = state.positions.get(element)
                if position is None:
                    return None
                values[place] = position
        return tuple(values)

    def _is_accepted(
        self, compiled: _CompiledRule, binding: Values, state: RelationalState
    ) -> bool:
        changes = compiled.changes.apply(state, binding)
        accepted = compiled.results.accepts(state, changes)
        take_back(state, changes)
        return accepted


def _compile_rule(rule: ActionRule, domain: Domain, forms: SchemaForms) -> _CompiledRule:
    for parameter in rule.parameters:
        if parameter.is_text:
            raise UnsupportedRule(f"{rule.name}: parameter {parameter.name!r} takes words")
    search = BindingSearch(
        rule.parameters, rule.positive(), rule.negative(), rule.formulas, forms, rule.name, True
    )
    places = {name: place for place, name in enumerate(search.names)}
    results = ResultCheck(rule, search.names, domain, forms)
    for test in results.before:
        search.add_test(test)
    return _CompiledRule(
        search,
        RuleChanges(rule, search.names, forms),
        results,
        tuple([places.get(name, -1) for name in rule.parameter_names]),
    )
