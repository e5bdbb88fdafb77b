# SPDX-License-Identifier: Apache-2.0
"""The DPO rule that an action rule means: a span (docs/design.md).

      L  <-----  K  ----->  R
    when       L minus     K plus
              `delete`     `add`

L has one element for each parameter and one tuple for each positive condition. Negated conditions
and formulas are application conditions of L (see conditions.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset import Instance, Rule, Schema, inclusion
from fcp_ros.domain.model import ActionRule, Constraint, Domain
from fcp_ros.domain.span_conditions import Scope, build_pattern


@dataclass(frozen=True)
class RuleSpan:
    """A rule as a span; `parameters` gives the id in `rule.L` of each parameter's element."""

    rule: Rule
    parameters: Mapping[str, int]


class DomainSpans:
    """The spans of a domain's rules and the patterns of its constraints, each built once."""

    def __init__(self, domain: Domain) -> None:
        """Start without any span; they are built when asked for."""
        self._domain = domain
        self._spans: dict[str, RuleSpan] = {}

    def of(self, rule: ActionRule) -> RuleSpan:
        """Return the span of one of the domain's rules (see `build_span`)."""
        if rule.name not in self._spans:
            self._spans[rule.name] = build_span(rule, self._domain.schema)
        return self._spans[rule.name]

    @cached_property
    def constraints(self) -> tuple[tuple[Constraint, Instance], ...]:
        """Each constraint with its pattern (see `build_constraint_pattern`)."""
        schema = self._domain.schema
        return tuple((c, build_constraint_pattern(c, schema)) for c in self._domain.constraints)


def build_span(rule: ActionRule, schema: Schema) -> RuleSpan:
    """Build the DPO rule that an action rule means.

    Its elements are named like the parameters. Graded atoms, duration and resources are not part of
    it: applicability is crisp. Nor are effects (see amalgam.py).
    """
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    kept = tuple(atom for atom in rule.positive() if atom not in rule.delete)
    scope = Scope(schema, rule.name, types, rule.positive())
    left = scope.pattern
    glue = build_pattern(schema, types, kept)
    right = build_pattern(schema, types, (*kept, *rule.add))
    conditions = (
        *(condition for atom in rule.negative() for condition in scope.forbid(atom)),
        *map(scope.require, rule.formulas),
    )
    span = Rule(rule.name, inclusion(glue, left), inclusion(glue, right), conditions)
    return RuleSpan(span, {name: left.id_of(name) for name in types})


def build_constraint_pattern(constraint: Constraint, schema: Schema) -> Instance:
    """Build the pattern that must never newly match: one element for each variable."""
    types = {variable.name: variable.type for variable in constraint.variables}
    return build_pattern(schema, types, constraint.never)
