# SPDX-License-Identifier: Apache-2.0
"""Rules that merely forget an old value: `navigate(robot, from, to)` needs no operator per `from`.

If `from` occurs only in a condition at(robot, from) that the rule deletes, and the rule adds
at(robot, to) on the same functional leg, operators that differ only in `from` do the same: they
overwrite the variable. One operator replaces them, which requires one of those old values; a plan's
decoding recovers which one it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.syntax import Atom, Variable, free_variables
from fcp_ros.domain.model import ActionRule


@dataclass(frozen=True, slots=True)
class ForgottenParameter:
    """A parameter that a rule merely forgets."""

    parameter: int
    atom: Atom  # the condition, also deleted, that binds it
    position: int
    leg: int  # the functional leg of the atom that determines it


def find_forgotten_parameter(
    rule: ActionRule, schema: Schema, durations: bool
) -> ForgottenParameter | None:
    """Find the parameter that a rule merely forgets; None if it forgets none."""
    for atom in rule.delete:
        functional = schema.relation(atom.predicate).keys
        for position, term in enumerate(atom.arguments):
            if not isinstance(term, Variable) or _count_mentions(rule, term.name, durations) != 1:
                continue
            for leg in functional:
                if leg != position and any(_reassigns(new, atom, leg) for new in rule.add):
                    number = rule.parameter_names.index(term.name)
                    return ForgottenParameter(number, atom, position, leg)
    return None


def _reassigns(new: Atom, old: Atom, leg: int) -> bool:
    return new.predicate == old.predicate and new.arguments[leg] == old.arguments[leg]


def _count_mentions(rule: ActionRule, name: str, durations: bool) -> int:
    """Count the mentions of a parameter; a deleted atom is a condition and not counted again."""
    count = _count_occurrences((literal.atom for literal in rule.when), name)
    count += _count_occurrences((*rule.add, *rule.graded), name)
    count += sum(name in free_variables(formula) for formula in rule.formulas)
    for effect in rule.effects:
        inside = (*(literal.atom for literal in effect.when), *effect.add, *effect.delete)
        if name not in {variable.name for variable in effect.variables}:
            count += _count_occurrences(inside, name)
            count += sum(name in free_variables(formula) for formula in effect.formulas)
    count += sum(name in term.parameters for term in rule.cost.terms)
    duration = rule.duration
    if durations and duration.between is not None and duration.per_metre != 0.0:
        count += name in duration.between
    return count


def _count_occurrences(atoms: Iterable[Atom], name: str) -> int:
    return sum(
        isinstance(term, Variable) and term.name == name
        for atom in atoms
        for term in atom.arguments
    )
