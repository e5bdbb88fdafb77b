# SPDX-License-Identifier: Apache-2.0
"""Goals and conditions as expressions over the domain's relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

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
    Preference,
    Term,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator, round_time
from fcp_ros.domain.pddl.names import Names
from fcp_ros.domain.pddl.rules.draft import SAME
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    Disjunction,
    Equality,
    Formula,
    Negation,
    PddlTerm,
    PreferenceFormula,
    Quantified,
    TrajectoryFormula,
    terms_in,
)

Bound = Mapping[Term, Term]


@dataclass
class FormulaWriter:
    """Writes formulas of PDDL as expressions; `used` lists the extra relations that they need."""

    names: Names
    used: dict[str, None] = field(default_factory=dict)
    _world: Term = field(init=False)
    _prices: Mapping[str, Fraction] = field(default_factory=dict)
    _variables: FreeNames = field(default_factory=FreeNames)

    def write_goal(self, formula: Formula, prices: Mapping[str, Fraction]) -> Expression:
        """Write the goal; one that is true (or false) in any state becomes an atom of `always`.

        `prices`: the cost of each preference; one without a cost is left out.
        """
        self._prices = prices
        self._world = Constant(self.names.world)
        self._variables = FreeNames()
        return self._make_atom(self._write(formula, {}))

    def _make_atom(self, found: Expression | bool) -> Expression:
        if not isinstance(found, bool):
            return found
        self.used[""] = None
        always = Atom(self.names.name_relation(""), (self._world,))
        return always if found else Not(always)

    def write_condition(
        self, formula: Formula, variables: Iterable[str], world: str
    ) -> Expression | bool:
        """Write a condition of a rule; return its truth value if it is the same in any state.

        Objects become variables of a type with that object alone: rules name no elements.

        Args:
            formula: over the rule's parameters and objects.
            variables: the rule's parameters, and those of the effect that has the condition.
            world: the rule's parameter for the leg `world`.
        """
        self._world = Variable(world)
        self._variables = FreeNames()
        bound: dict[Term, Term] = {self._world: self._world}
        for name in variables:
            bound[Variable(name)] = Variable(self._variables.take(name))
        self._variables.take(world)
        objects: list[TypedVariable] = []
        for term in dict.fromkeys(terms_in(formula)):
            if isinstance(term, Constant):
                name = self._take_name(term.name)
                bound[term] = Variable(name)
                objects.append(TypedVariable(name, self.names.name_single_type(term.name)))
        found = self._write(formula, bound)
        if isinstance(found, bool) or not objects:
            return found
        return Exists(tuple(objects), found)

    def _write(self, formula: Formula, bound: Bound) -> Expression | bool:
        """Write an expression; return its truth value if it is the same in any state."""
        if isinstance(formula, Atom):
            terms = {term: self._write_term(term, bound) for term in formula.arguments}
            return self.names.translate_atom(formula, terms, self._world)
        if isinstance(formula, Equality):
            return self._write_equality(formula, bound)
        if isinstance(formula, Negation):
            body = self._write(formula.body, bound)
            return not body if isinstance(body, bool) else Not(body)
        if isinstance(formula, (Conjunction, Disjunction)):
            return self._join(formula, bound)
        if isinstance(formula, TrajectoryFormula):
            return self._write_constraint(formula, bound)
        if isinstance(formula, PreferenceFormula):
            cost = self._prices.get(formula.name, Fraction(0))
            body = self._make_atom(self._write(formula.body, bound))
            return Preference(0.0, cost, body, formula.name) if cost else True
        assert isinstance(formula, Quantified), "other formulas have been refused"
        return self._write_quantified(formula, bound)

    def _write_constraint(self, formula: TrajectoryFormula, bound: Bound) -> Expression | bool:
        parts = [self._write(part, bound) for part in formula.parts]
        if formula.operator == "at end":
            return parts[0]
        operator = TrajectoryOperator(formula.operator)
        if len(parts) > 1:
            parts.reverse()  # the goal language names what is demanded first
        elif isinstance(parts[0], bool):
            return parts[0] or operator is TrajectoryOperator.AT_MOST_ONCE
        times = tuple(map(round_time, formula.times))
        return TrajectoryConstraint(operator, tuple(map(self._make_atom, parts)), times=times)

    def _write_equality(self, formula: Equality, bound: Bound) -> Expression | bool:
        left, right = self._write_term(formula.left, bound), self._write_term(formula.right, bound)
        if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
            return left == right
        self.used[SAME] = None
        return Atom(self.names.name_relation(SAME), (left, right))

    def _join(self, formula: Conjunction | Disjunction, bound: Bound) -> Expression | bool:
        """Join the parts; nested joins of the same kind are flattened, each part is there once."""
        neutral = isinstance(formula, Conjunction)
        join = And if neutral else Or
        parts: dict[Expression, None] = {}
        for part in formula.parts:
            found = self._write(part, bound)
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

    def _write_quantified(self, formula: Quantified, bound: Bound) -> Expression | bool:
        inner = dict(bound)
        typed: list[TypedVariable] = []
        for variable in formula.variables:
            if not self.names.universe.candidates(variable):
                return formula.universal
            name = self._take_name(variable.name)
            inner[Variable(variable.name)] = Variable(name)
            typed.append(TypedVariable(name, self.names.name_type(variable.types)))
        body = self._write(formula.body, inner)
        if isinstance(body, bool):
            return body
        return (Forall if formula.universal else Exists)(tuple(typed), body)

    def _take_name(self, name: str) -> str:
        """Take a free name like this one; the grammar of goals allows no hyphen in variables."""
        given = name.split(".")[1] if name.startswith("each.") else name
        return self._variables.take(re.sub(r"\W", "_", given))

    def _write_term(self, term: Term | PddlTerm, bound: Bound) -> Term:
        found = bound.get(term)
        if found is not None:
            return found
        assert isinstance(term, Constant), "variables are bound"
        return self.names.translate_object(term.name)
