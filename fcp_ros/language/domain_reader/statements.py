# SPDX-License-Identifier: Apache-2.0
"""Formulas with variables that are not bound yet: what a clause states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.domain.expressions.syntax import (
    And,
    Expression,
    Initially,
    Not,
    Or,
    TrajectoryConstraint,
    atoms,
    free_variables,
)
from fcp_ros.language.domain_reader.terms.referents import Quantifier, Referent, Term, join
from fcp_ros.language.parsing.trees import SpokenClause


@dataclass
class Statement:
    """A formula and the variables that it is about, outermost first."""

    prefix: tuple[Referent, ...]
    matrix: Expression

    def close(self) -> Expression:
        """Bind all variables."""
        formula = self.matrix
        for referent in reversed(self.prefix):
            formula = referent.wrap(formula)
        return formula


def close_groups(statements: Sequence[Statement]) -> list[Expression]:
    """Join statements that share variables below the quantifiers of these; bind all variables."""
    groups: list[list[Statement]] = []
    for statement in statements:
        linked = [g for g in groups if any(_share(statement, other) for other in g)]
        merged = [other for group in linked for other in group]
        groups = [group for group in groups if group not in linked]
        groups.append([*merged, statement])
    return [_close_group(group) for group in groups]


def _share(one: Statement, other: Statement) -> bool:
    none = Quantifier.NONE
    return any(r is mine and r.quantifier is not none for r in one.prefix for mine in other.prefix)


def _close_group(group: Sequence[Statement]) -> Expression:
    """Bind the variables of each statement around it, and those that are shared around all."""
    every = list({id(r): r for statement in group for r in statement.prefix}.values())
    shared = [
        r
        for r in every
        if sum(r in statement.prefix for statement in group) > 1
        and r.quantifier is not Quantifier.NONE
    ]
    own = [
        Statement(tuple(r for r in statement.prefix if r not in shared), statement.matrix).close()
        for statement in group
    ]
    return Statement(tuple(shared), join(own)).close()


def ban_remainders(statements: Sequence[Statement]) -> None:
    """Let what a ban says of "the others" be said of any of them, not only of all together."""
    for referent in (r for statement in statements for r in statement.prefix):
        if referent.remainder and referent.quantifier is Quantifier.FORALL:
            referent.quantifier = Quantifier.EXISTS


def state_under(
    statements: Sequence[Statement], conditions: Sequence[ComposedClause]
) -> list[Statement]:
    """State that something is so if conditions held initially.

    What they speak of is the same in both parts: "if anything is on the couch, put *it* on the
    table" is about each such thing, "if there is a cup there, put it ..." about one.
    """
    told = [statement for condition in conditions for statement in condition.statements]
    found_there = [
        r
        for r in dict.fromkeys(r for statement in told for r in statement.prefix)
        if r.quantifier is Quantifier.EXISTS and any(r in s.prefix for s in statements)
    ]
    unmet = Not(Initially(join(close_groups(told))))
    others = [s for s in statements if not any(r in s.prefix for r in found_there)]
    found = [Statement((), Or((unmet, s.close()))) for s in others]
    about = [s for s in statements if s not in others]
    if about:
        met = Initially(join(close_groups(_take_out(told, found_there))))
        asked = join(close_groups(_take_out(about, found_there)))
        if any(r.noun is not None for r in found_there):
            some = Statement(tuple(found_there), join([met, asked]))
            return [*found, Statement((), Or((unmet, some.close())))]
        each = [replace(r, quantifier=Quantifier.FORALL) for r in found_there]
        found.append(Statement((), Statement(tuple(each), Or((Not(met), asked))).close()))
    return found


def _take_out(statements: Sequence[Statement], referents: Sequence[Referent]) -> list[Statement]:
    """Return statements in which some variables are left to be bound around them."""
    return [
        Statement(tuple(r for r in s.prefix if r not in referents), s.matrix) for s in statements
    ]


@dataclass
class ComposedClause:
    """The formulas that a clause asks for."""

    clause: SpokenClause
    statements: list[Statement] = field(default_factory=list)  # what shall hold at the end
    # closed formulas about the way, or preferences; no variables are shared
    constraints: list[Expression] = field(default_factory=list)
    themes: list[Term] = field(default_factory=list)  # the things that it is about
    # all things that phrases of the domain speak of
    terms: list[Term] = field(default_factory=list)

    def part_constraints(self) -> bool:
        """Keep what a phrase demands on the way apart from what holds at the end.

        Returns:
            False if that loosens it: "rinse a mug in the sink" is some mug that is clean, and one
            that was in the sink, since no quantifier may stand around both.
        """
        clause = self.clause
        bare = not (clause.negated or clause.preferred or clause.condition)
        whole = True
        if not bare or clause.provisos or clause.sometime or clause.permitted:
            return whole
        for statement in self.statements:
            if not isinstance(statement.matrix, And):
                continue
            parts = statement.matrix.parts
            demands = [part for part in parts if isinstance(part, TrajectoryConstraint)]
            rest = [part for part in parts if part not in demands]
            on_the_way = {name for part in demands for name in free_variables(part)}
            at_the_end = {name for part in rest for name in free_variables(part)}
            names = {referent.name for referent in statement.prefix}
            if not demands or not rest:
                continue
            whole = whole and not names & on_the_way & at_the_end
            inner = tuple(r for r in statement.prefix if r.name in on_the_way)
            self.constraints += [_bind_within(inner, part) for part in demands]
            statement.matrix = join(rest)
            statement.prefix = tuple(r for r in statement.prefix if r.name in at_the_end)
        return whole

    def close(self) -> Expression:
        """Bind all variables of all statements."""
        return join(close_groups(self.statements))


def _bind_within(prefix: Sequence[Referent], constraint: TrajectoryConstraint) -> Expression:
    """Bind variables within each part of a constraint: no quantifier may stand around it."""
    parts = tuple(Statement(tuple(prefix), part).close() for part in constraint.parts)
    return replace(constraint, parts=parts)


def is_crisp(formula: Expression, graded: Mapping[str, object]) -> bool:
    """Return True if a formula has no graded predicate, so that it holds or not."""
    return not any(atom.predicate in graded for atom in atoms(formula))
