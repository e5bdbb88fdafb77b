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
from fcp_ros.domain.pddl.rules.draft import SAME
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    Disjunction,
    Equality,
    Formula,
    Negation,
    PddlTerm,
    Quantified,
)
from fcp_ros.domain.pddl.translation.names import Names

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
        if isinstance(formula, (Conjunction, Disjunction)):
            return self._join(formula, bound)
        assert isinstance(formula, Quantified), "other formulas have been refused"
        return self._quantified(formula, bound)

    def _equality(self, formula: Equality, bound: Bound) -> Expression | bool:
        left, right = self._term(formula.left, bound), self._term(formula.right, bound)
        if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
            return left == right
        self.used[SAME] = None
        return Atom(self.names.relation(SAME), (left, right))

    def _join(self, formula: Conjunction | Disjunction, bound: Bound) -> Expression | bool:
        """The parts joined: nested joins of the same kind taken apart, each part once."""
        neutral = isinstance(formula, Conjunction)
        join = And if neutral else Or
        parts: dict[Expression, None] = {}
        for part in formula.parts:
            found = self._expression(part, bound)
            if isinstance(found, bool):
                if found is not neutral:
                    return found
            elif isinstance(found, join):
                parts.update(dict.fromkeys(found.parts))
            else:
                parts[found] = None
        if not parts:
            return neutral
        return next(iter(parts)) if len(parts) == 1 else join(tuple(parts))

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
