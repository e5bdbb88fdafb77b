# SPDX-License-Identifier: Apache-2.0
"""From rules to spans: what an action rule means as a DPO rule (DESIGN sections 1 and 4).

      L  <-----  K  ----->  R
    when       L minus     K plus
              `delete`     `add`

L has one element for each parameter and one tuple for each positive condition. Each negated
condition is one negative application condition L -> N (NAC), where N adds the forbidden tuple and
an element for each of its existential variables.

A negated condition may speak of a parameter that need not fit its leg (`not closed(container)`,
where some containers can't be closed). Then N gives the parameter the common subtype of both, and
there is one NAC for each largest such subtype: elements of other types satisfy it trivially.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Rule,
    Schema,
    inclusion,
)
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import ActionRule, Constraint, Domain
from fcp_ros.domain.vocabulary import common_subtypes


@dataclass(frozen=True)
class RuleSpan:
    """A rule as a span; `parameters` gives the id in `rule.L` of each parameter's element."""

    rule: Rule
    parameters: Mapping[str, int]


class DomainSpans:
    """The spans of a domain's rules and the patterns of its constraints, each made once."""

    def __init__(self, domain: Domain) -> None:
        """None made so far."""
        self._domain = domain
        self._spans: dict[str, RuleSpan] = {}

    def of(self, rule: ActionRule) -> RuleSpan:
        """The span of one of the domain's rules (see `span_of`)."""
        if rule.name not in self._spans:
            self._spans[rule.name] = span_of(rule, self._domain.schema)
        return self._spans[rule.name]

    @cached_property
    def constraints(self) -> tuple[tuple[Constraint, Instance], ...]:
        """Each constraint with its pattern (see `constraint_pattern`)."""
        schema = self._domain.schema
        return tuple((c, constraint_pattern(c, schema)) for c in self._domain.constraints)


def span_of(rule: ActionRule, schema: Schema) -> RuleSpan:
    """The DPO rule that an action rule stands for.

    Its elements are named like the parameters. Graded atoms, duration and resources are no part of
    it: applicability is crisp.

    Arguments:
        rule: of a checked domain.
        schema: of that domain.
    """
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    kept = tuple(atom for atom in rule.positive() if atom not in rule.delete)
    left = _pattern(schema, types, rule.positive())
    glue = _pattern(schema, types, kept)
    right = _pattern(schema, types, (*kept, *rule.add))
    conditions = tuple(
        condition
        for atom in rule.negative()
        for condition in _negative_conditions(rule, atom, types, left)
    )
    span = Rule(rule.name, inclusion(glue, left), inclusion(glue, right), conditions)
    return RuleSpan(span, {name: left.id_of(name) for name in types})


def constraint_pattern(constraint: Constraint, schema: Schema) -> Instance:
    """What must never newly match: one element for each variable, named like it."""
    types = {variable.name: variable.type for variable in constraint.variables}
    return _pattern(schema, types, constraint.never)


def _pattern(schema: Schema, types: Mapping[str, str], atoms: tuple[Atom, ...]) -> Instance:
    builder = InstanceBuilder(schema)
    for name, type_ in types.items():
        builder.add(type_, name)
    for atom in atoms:
        builder.relate(atom.predicate, *(builder.id_of(name) for name in _names(atom)))
    # A pattern that is to occur nowhere may well break a functional leg.
    return builder.build(allow_conflicts=True)


def _names(atom: Atom) -> Iterator[str]:
    for term in atom.arguments:
        assert isinstance(term, Variable), "atoms of rules hold only variables"
        yield term.name


def _negative_conditions(
    rule: ActionRule, atom: Atom, types: Mapping[str, str], left: Instance
) -> Iterator[ApplicationCondition]:
    """One NAC for each way in which the terms of the atom can fit its legs."""
    legs = left.schema.relation(atom.predicate).legs
    wanted: dict[str, set[str]] = {}
    for name, (_, type_) in zip(_names(atom), legs, strict=True):
        wanted.setdefault(name, {types[name]} if name in types else set()).add(type_)
    fits = [common_subtypes(left.schema.types, together) for together in wanted.values()]
    shown = ", ".join(_label(name, types) for name in _names(atom))
    text = f"{rule.name}: not {atom.predicate}({shown})"
    absent = Atom(atom.predicate, tuple(Variable(_label(n, types)) for n in _names(atom)))
    for chosen in itertools.product(*fits):
        narrowed = {_label(n, types): t for n, t in zip(wanted, chosen, strict=True)}
        pattern = _pattern(left.schema, {**types, **narrowed}, (*rule.positive(), absent))
        yield ApplicationCondition(ConditionKind.NAC, text, inclusion(left, pattern))


def _label(name: str, types: Mapping[str, str]) -> str:
    """A parameter keeps its name; an existential variable gets one that no parameter can have."""
    return name if name in types else f"?{name}"
