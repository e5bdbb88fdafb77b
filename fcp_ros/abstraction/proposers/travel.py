# SPDX-License-Identifier: Apache-2.0
"""Rules that do nothing but move one thing, as a robot that goes from place to place.

A policy need not say where to go step by step: it is enough to say what to do, and where. A
*journey* is any number of steps of such rules, and then one other step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import (
    ConceptExpression,
    InverseRole,
    NamedConcept,
    NamedRole,
    RoleExpression,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import (
    RelationalState,
    RelationForm,
    list_changed_relations,
    list_forms,
    pair_legs,
)
from fcp_ros.domain.expressions.syntax import Atom, Term, Variable
from fcp_ros.domain.model import ActionRule, Domain


@dataclass(frozen=True, slots=True)
class TravelRule:
    """A rule that moves one thing."""

    name: str
    position: ConceptExpression
    # leads from the place before a step to the one after it, and no rule changes it; None if every
    # place can be reached in one step
    role: RoleExpression | None
    destination: str  # the parameter that is the place afterwards


def find_travel_rules(domain: Domain) -> tuple[TravelRule, ...]:
    # Of several kinds of things that move, only the one with most rules counts.
    forms = list_forms(domain.schema)
    fluent = list_changed_relations(domain.rules.values())
    groups: dict[ConceptExpression, list[TravelRule]] = {}
    for rule in domain.rules.values():
        found = _read_travel_rule(rule, forms, fluent)
        if found is not None:
            groups.setdefault(found.position, []).append(found)
    largest: list[TravelRule] = []
    for rules in groups.values():
        if len(rules) > len(largest):
            largest = rules
    return tuple(largest)


def _read_travel_rule(
    rule: ActionRule, forms: Mapping[str, RelationForm], fluent: frozenset[str]
) -> TravelRule | None:
    """Return the rule as one that overwrites one argument of one fact; None if it isn't."""
    if rule.effects or len(rule.add) != 1 or len(rule.delete) != 1:
        return None
    (before,), (after,) = rule.delete, rule.add
    if before.predicate != after.predicate:
        return None
    form = forms[before.predicate]
    legs = [(before.arguments[place], after.arguments[place]) for place in form.positions]
    changed = [place for place, (old, new) in enumerate(legs) if old != new]
    if form.arity not in (1, 2) or len(changed) != 1:
        return None
    old, new = legs[changed[0]]
    if not isinstance(new, Variable) or new.name not in rule.parameter_names:
        return None
    position: ConceptExpression = NamedConcept(form.names[0])
    if form.arity == 2:
        role: RoleExpression = NamedRole(form.names[0])
        position = SomeConcept(InverseRole(role) if changed[0] == 1 else role, Top())
    links = [
        link
        for atom in rule.positive()
        if atom.predicate in forms and fluent.isdisjoint(forms[atom.predicate].names)
        for link in _list_links(atom, forms[atom.predicate])
    ]
    forward = next((NamedRole(name) for name, *ends in links if ends == [old, new]), None)
    backward = next((NamedRole(name) for name, *ends in links if ends == [new, old]), None)
    way = forward or (backward and InverseRole(backward))
    return TravelRule(rule.name, position, way, new.name)


def _list_links(atom: Atom, form: RelationForm) -> Iterator[tuple[str, Term, Term]]:
    """Yield the names of the roles of an atom, with both ends."""
    if form.arity > 1:
        legs = tuple(range(form.arity))
        for name, (first, second) in zip(form.names, pair_legs(legs), strict=True):
            yield (
                name,
                atom.arguments[form.positions[first]],
                atom.arguments[form.positions[second]],
            )


def confirm_travel(
    engine: RuleEngine, state: RelationalState, rules: tuple[TravelRule, ...]
) -> tuple[TravelRule, ...]:
    """Travel from a state to all places, and look how the rules do it.

    Returns the rules, without their roles if one step leads to every place that can be reached;
    none if some step along a role can't be done: a shortest way need not be one then.
    """
    if not rules:
        return ()
    places, near = _travel(engine, state, rules)
    if near is None:
        return ()
    if not places & ~near:
        return tuple([replace(rule, role=None) for rule in rules])
    return rules if all(rule.role is not None for rule in rules) else ()


def _travel(
    engine: RuleEngine, state: RelationalState, rules: tuple[TravelRule, ...]
) -> tuple[int, int | None]:
    """Return all places that travel leads to, and those that are one step from all others."""
    # The second one is None if a step along a role can't be done, or nothing or too much travels.
    evaluator, position = FeatureEvaluator(()), rules[0].position
    all_near = -1
    reached, places = [state.copy()], 0
    for current in reached:  # the list grows meanwhile
        here = evaluator.evaluate_concept(position, current)
        if here.bit_count() != 1:
            return 0, None
        places |= here
        all_near_here = here
        for rule in rules:
            near = 0
            for binding in list(engine.bindings(rule.name, current)):
                undo = engine.apply(rule.name, binding, current)
                there = evaluator.evaluate_concept(position, current)
                if not there & near:
                    near |= there
                    if not there & places:
                        places |= there
                        reached.append(current.copy())
                engine.undo(undo, current)
            if rule.role is not None:
                along = SomeConcept(InverseRole(rule.role), position)
                if evaluator.evaluate_concept(along, current) & ~near & ~here:
                    return 0, None
            all_near_here |= near
        all_near &= all_near_here
    return places, all_near
