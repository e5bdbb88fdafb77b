# SPDX-License-Identifier: Apache-2.0
"""The changes by a rule at a binding, in place; and taking them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fcp_ros.abstraction.states.joining import BindingSearch, SchemaForms, Values, list_variables_of
from fcp_ros.abstraction.states.state import RelationalState, RelationForm
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import ActionRule, Effect

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
        """Return the tuple for some values."""
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
