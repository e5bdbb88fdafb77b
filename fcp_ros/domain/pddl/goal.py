# SPDX-License-Identifier: Apache-2.0
"""The goal of a problem as an expression over the domain's relations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Term,
    TypedVariable,
    Variable,
)
from fcp_ros.domain.pddl.draft import SAME
from fcp_ros.domain.pddl.syntax import All, Any, Equality, Formula, Negation, PddlTerm, Quantified
from fcp_ros.domain.pddl.vocabulary import Names

Bound = Mapping[Term, Term]


@dataclass
class GoalWriter:
    """Turns formulas into expressions; `used` lists the extra relations that they need."""

    names: Names
    used: dict[str, None] = field(default_factory=dict)
    _variables: FreeNames = field(default_factory=FreeNames)

    def goal(self, formula: Formula) -> Expression:
        """The expression; a goal that is true (or false) in any state speaks of `always`."""
        found = self._expression(formula, {})
        if not isinstance(found, bool):
            return found
        self.used[""] = None
        always = Atom(self.names.relation(""), (Constant(self.names.world),))
        return always if found else Not(always)

    def _expression(self, formula: Formula, bound: Bound) -> Expression | bool:
        """The expression, or its truth where that is the same in any state."""
        if isinstance(formula, Atom):
            terms = {term: self._term(term, bound) for term in formula.arguments}
            return self.names.atom(formula, terms, Constant(self.names.world))
        if isinstance(formula, Equality):
            return self._equality(formula, bound)
        if isinstance(formula, Negation):
            body = self._expression(formula.body, bound)
            return not body if isinstance(body, bool) else Not(body)
        if isinstance(formula, (All, Any)):
            return self._joined(formula, bound)
        return self._quantified(formula, bound)

    def _equality(self, formula: Equality, bound: Bound) -> Expression | bool:
        left, right = self._term(formula.left, bound), self._term(formula.right, bound)
        if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
            return left == right
        self.used[SAME] = None
        return Atom(self.names.relation(SAME), (left, right))

    def _joined(self, formula: All | Any, bound: Bound) -> Expression | bool:
        neutral = isinstance(formula, All)
        parts: list[Expression] = []
        for part in formula.parts:
            found = self._expression(part, bound)
            if isinstance(found, bool):
                if found is not neutral:
                    return found
            else:
                parts.append(found)
        if not parts:
            return neutral
        if len(parts) == 1:
            return parts[0]
        return And(tuple(parts)) if neutral else Or(tuple(parts))

    def _quantified(self, formula: Quantified, bound: Bound) -> Expression | bool:
        inner = dict(bound)
        typed: list[TypedVariable] = []
        for variable in formula.variables:
            if not self.names.universe.candidates(variable):
                return formula.universal
            # The grammar of goals allows no hyphen in variables.
            name = self._variables.take(re.sub(r"\W", "_", variable.name))
            inner[Variable(variable.name)] = Variable(name)
            typed.append(TypedVariable(name, self.names.type_(variable.types)))
        body = self._expression(formula.body, inner)
        if isinstance(body, bool):
            return body
        return (Forall if formula.universal else Exists)(tuple(typed), body)

    def _term(self, term: Term | PddlTerm, bound: Bound) -> Term:
        return self.names.element(term.name) if isinstance(term, Constant) else bound[term]
