# SPDX-License-Identifier: Apache-2.0
"""A domain and a state as syntax trees of PDDL: types, relations and actions, as far as they go.

Graded predicates, resources, durations and constraints are left out; attributes and functions are
no facts. Names are lower case there: objects and actions keep theirs as their spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance, Relation, Schema
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Variable,
)
from fcp_ros.domain.model import ActionRule, Domain, Effect, Literal, Parameter
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import PddlTexts
from fcp_ros.foundation.wording import FreeNames


@dataclass(frozen=True)
class PddlNames:
    """The name in PDDL of each type, relation, rule and element of a domain and a state."""

    types: Mapping[str, str]
    relations: Mapping[str, str]
    rules: Mapping[str, str]
    elements: Mapping[str, str]


@dataclass(frozen=True)
class RenderedDomain:
    """A domain and a state in PDDL, and the names that they have there."""

    texts: PddlTexts
    names: PddlNames


def render_in_pddl(domain: Domain, instance: Instance) -> RenderedDomain:
    """Render a domain and a state as a PDDL domain, and a problem without a goal."""
    # Different parameters are different objects, as in the rules. Types without any element are
    # left out, and the rules that need one: no step could be done by them. The spelling of an
    # action, and of an object, is the name of its rule or element.
    names = _choose_names(domain, instance)
    relations = {relation.name: relation for relation in domain.schema.relations}
    renderer = _Renderer(domain, relations, names)
    present = _find_present_types(domain.schema, instance)
    types = {
        names.types[type_]: tuple(names.types[parent] for parent in parents) or (pddl.ROOT,)
        for type_, parents in domain.schema.types.items()
        if type_ in present and names.types[type_] != pddl.ROOT
    }
    objects = tuple(
        pddl.Typed(names.elements[name], (names.types[instance.type_of(instance.id_of(name))],))
        for name in instance.names()
    )
    problem = pddl.ProblemText(
        name=f"{domain.name}-scene".lower(),
        domain=domain.name.lower(),
        objects=objects,
        facts={
            names.relations[name]: frozenset(
                tuple(names.elements[instance.name_of(leg)] for leg in legs)
                for legs in instance.tuples(name).values()
            )
            for name in relations
        },
        values={},
        goal=pddl.TRUE,
        metric=None,
        constraints=pddl.TRUE,
        spelling={lower: name for name, lower in names.elements.items()},
        types=types,
    )
    text = pddl.DomainText(
        name=domain.name.lower(),
        types=types,
        constants=(),
        predicates={
            names.relations[name]: tuple(
                pddl.Typed(leg.lower(), (names.types[type_],)) for leg, type_ in relation.legs
            )
            for name, relation in relations.items()
        },
        functions={},
        actions=tuple(
            renderer.render_rule(rule)
            for rule in domain.rules.values()
            if all(parameter.type in present for parameter in rule.parameters)
        ),
    )
    source = Source(domain.source or domain.name, "")
    return RenderedDomain(PddlTexts(text, problem, (source, source)), names)


def _find_present_types(schema: Schema, instance: Instance) -> frozenset[str]:
    """Return the types that have an element, and all above them."""
    own = {instance.type_of(instance.id_of(name)) for name in instance.names()}
    return frozenset(above for type_ in own for above in schema.ancestors(type_))


def _choose_names(domain: Domain, instance: Instance) -> PddlNames:
    def lower(names: Iterable[str]) -> dict[str, str]:
        free = FreeNames()
        return {name: free.take(name.lower()) for name in names}

    return PddlNames(
        lower(domain.schema.types),
        lower(relation.name for relation in domain.schema.relations),
        lower(domain.rules),
        lower(instance.names()),
    )


class _Renderer:
    """Renders the rules of one domain."""

    def __init__(self, domain: Domain, relations: Mapping[str, Relation], names: PddlNames) -> None:
        self._schema = domain.schema
        self._relations = relations
        self._names = names

    def render_rule(self, rule: ActionRule) -> pddl.PddlAction:
        known = frozenset(rule.parameter_names)
        conditions = [
            *self._list_literals(rule.when, known),
            *(self._render(formula) for formula in rule.formulas),
            *self._list_differences(rule.parameters),
        ]
        effect = pddl.ActionEffect(
            add=self._rename_atoms(rule.add), delete=self._rename_atoms(rule.delete)
        )
        return pddl.PddlAction(
            self._names.rules[rule.name],
            self._type_parameters(rule.parameters),
            pddl.Conjunction(tuple(conditions)),
            (effect, *(self._render_effect(one, known) for one in rule.effects)),
            spelling=rule.name,
        )

    def _render_effect(self, effect: Effect, parameters: frozenset[str]) -> pddl.ActionEffect:
        known = parameters | {parameter.name for parameter in effect.variables}
        conditions = [
            *self._list_literals(effect.when, known),
            *(self._render(formula) for formula in effect.formulas),
        ]
        return pddl.ActionEffect(
            self._type_parameters(effect.variables),
            pddl.Conjunction(tuple(conditions)),
            self._rename_atoms(effect.add),
            self._rename_atoms(effect.delete),
        )

    def _type_parameters(self, parameters: Iterable[Parameter]) -> tuple[pddl.Typed, ...]:
        return tuple(pddl.Typed(one.name, (self._names.types[one.type],)) for one in parameters)

    def _list_differences(self, parameters: tuple[Parameter, ...]) -> Iterator[pddl.Formula]:
        """Yield that parameters are different things, where their types leave that open."""
        subtypes = self._schema.subtypes
        for first, second in combinations(parameters, 2):
            if not subtypes(first.type).isdisjoint(subtypes(second.type)):
                yield pddl.Negation(pddl.Equality(Variable(first.name), Variable(second.name)))

    def _list_literals(
        self, literals: Iterable[Literal], known: frozenset[str]
    ) -> Iterator[pddl.Formula]:
        for literal in literals:
            atom = self._rename_atom(literal.atom)
            yield (
                pddl.Negation(self._bind_others(literal.atom, atom, known))
                if literal.negated
                else atom
            )

    def _bind_others(
        self, atom: Atom, rendered: pddl.Formula, known: frozenset[str]
    ) -> pddl.Formula:
        """Quantify the variables of an atom that are no parameters, by the types of its legs."""
        relation = self._relations.get(atom.predicate)
        legs = () if relation is None else relation.legs
        others = {
            term.name: type_
            for term, (_, type_) in zip(atom.arguments, legs, strict=False)
            if isinstance(term, Variable) and term.name not in known
        }
        if not others:
            return rendered
        variables = tuple(pddl.Typed(name, (self._names.types[t],)) for name, t in others.items())
        return pddl.Quantified(False, variables, rendered)

    def _render(self, expression: Expression) -> pddl.Formula:
        if isinstance(expression, Not):
            return pddl.Negation(self._render(expression.body))
        if isinstance(expression, (And, Or)):
            join = pddl.Conjunction if isinstance(expression, And) else pddl.Disjunction
            return join(tuple(self._render(part) for part in expression.parts))
        if isinstance(expression, (Exists, Forall)):
            variables = tuple(
                pddl.Typed(one.name, (self._names.types[one.type],)) for one in expression.variables
            )
            is_universal = isinstance(expression, Forall)
            return pddl.Quantified(is_universal, variables, self._render(expression.body))
        assert isinstance(expression, Atom), "conditions of rules have no weights"
        return self._rename_atom(expression)

    def _rename_atoms(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(map(self._rename_atom, atoms))

    def _rename_atom(self, atom: Atom) -> Atom:
        return Atom(self._names.relations[atom.predicate], atom.arguments)
