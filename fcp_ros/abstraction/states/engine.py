# SPDX-License-Identifier: Apache-2.0
"""The rules of a domain on states of bitsets: applicable bindings, steps in place, successors.

The twin is `planning.stepping.rules.StepRules`, which rewrites instances; the tests compare the
two. As there, resources, times and degrees don't count: a verifier looks at them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.abstraction.states.changes import RuleChanges, Undo, take_back
from fcp_ros.abstraction.states.conditions import SchemaForms, UnsupportedRule, Values
from fcp_ros.abstraction.states.joining import BindingSearch
from fcp_ros.abstraction.states.results import ResultCheck
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import RelationForm
from fcp_ros.domain.model import ActionRule, Domain


@dataclass(frozen=True, slots=True)
class _CompiledRule:
    """A rule on bitsets; `arguments`: for each parameter its place in a binding, or -1 (world)."""

    search: BindingSearch
    changes: RuleChanges
    results: ResultCheck
    arguments: tuple[int, ...]


class RuleEngine:
    """The rules of one domain. Safe to use from several threads, with a state for each.

    Whether relations of PDDL are functional depends on the problem: make one for each.

    Args:
        domain: a checked domain.

    Raises:
        UnsupportedRule: a rule that can't be followed on bitsets.
    """

    def __init__(self, domain: Domain) -> None:
        forms = SchemaForms(domain.schema)
        self._world = forms.world or ""
        self._rules = {
            name: _compile_rule(rule, domain, forms) for name, rule in domain.rules.items()
        }

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The names of the rules, in the domain's order."""
        return tuple(self._rules)

    def parameters(self, rule: str) -> tuple[str, ...]:
        """Return the parameters that bindings of a rule are about: all but PDDL's `world`."""
        return self._rules[rule].search.names

    def bindings(
        self, rule: str, state: RelationalState, constraints: Mapping[str, int] | None = None
    ) -> Iterator[Values]:
        """Find the bindings at which a rule can be applied, lazily and in a fixed order.

        The state must be the same whenever the next one is asked for.

        Args:
            rule: its name; a rule that the domain lacks has no bindings.
            state: of the domain.
            constraints: bitset of the elements that a parameter may have, by its name.
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

        Args:
            rule: its name.
            binding: one that `bindings` found in this state.
            state: the state, which changes.
        """
        return self._rules[rule].changes.apply(state, binding)

    def list_changes(
        self, rule: str, binding: Values
    ) -> list[tuple[RelationForm, Values, bool]] | None:
        """List tuples that a step adds (True) or deletes, unless they are there or gone already.

        None if conditional effects decide.
        """
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
