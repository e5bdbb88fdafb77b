# SPDX-License-Identifier: Apache-2.0
"""Substitution: crisp `is_a(?x, "flashlight")` becomes graded `suitable_substitute(?x, ...)`.

Labels under a negation stay: a weaker condition there would ask for more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    ExpressionError,
    Or,
    Text,
    TypedVariable,
    Variable,
    Weighted,
)
from fcp_ros.domain.model import IS_A, Domain

SUBSTITUTE = "suitable_substitute"
"""The graded predicate (element, wanted: text) that a domain declares to allow substitution."""


@dataclass(frozen=True)
class Substitution:
    """A relaxed goal.

    Attributes:
        goal: the goal with graded substitutes.
        labels: the words that were replaced, in the order of the goal.
        absent: the labels that no element has.
    """

    goal: Expression
    labels: tuple[str, ...]
    absent: frozenset[str]


def find_substitutions(goal: Expression, domain: Domain, instance: Instance) -> list[Substitution]:
    """Return the relaxed goals to try, the least relaxed first.

    First only the labels that no element has are replaced, then all of them.

    Args:
        goal: a checked goal.
        domain: without the predicate `suitable_substitute` nothing is relaxed.
        instance: the state.

    Returns:
        none, one or two relaxed goals, checked.
    """
    predicate = domain.graded.get(SUBSTITUTE)
    if predicate is None or len(predicate.parameters) != 2 or not predicate.parameters[1].is_text:
        return []
    labels = tuple(dict.fromkeys(_find_labels(goal)))
    absent = frozenset(label for label in labels if not _anything_is(label, instance))
    choices = [chosen for chosen in (absent, frozenset(labels)) if chosen]
    found: list[Substitution] = []
    for chosen in dict.fromkeys(choices):
        relaxed = _relax(goal, chosen, domain, instance)
        if relaxed is not None:
            replaced = tuple(label for label in labels if label in chosen)
            found.append(Substitution(relaxed, replaced, absent))
    return found


def _find_labels(goal: Expression) -> Iterator[str]:
    """Yield the labels that the goal asks for outside negations and `forall`."""
    if isinstance(goal, Atom):
        if goal.predicate == IS_A:
            yield _read_label(goal)
    elif isinstance(goal, (And, Or)):
        for part in goal.parts:
            yield from _find_labels(part)
    elif isinstance(goal, (Exists, Weighted)):
        yield from _find_labels(goal.body)


def _read_label(atom: Atom) -> str:
    label = atom.arguments[1]
    return label.value if isinstance(label, Text) else label.name


def _anything_is(label: str, instance: Instance) -> bool:
    return any(is_a(instance, element, label) for element in instance.all_elements())


def _relax(
    goal: Expression, labels: frozenset[str], domain: Domain, instance: Instance
) -> Expression | None:
    """Return the goal with these labels replaced; None if that is not a valid goal."""
    wide = domain.graded[SUBSTITUTE].parameters[0].type
    for widen in (wide, None):
        try:
            return check_goal(_replace_labels(goal, labels, widen), domain, instance)
        except ExpressionError:
            continue
    return None


def _replace_labels(goal: Expression, labels: frozenset[str], widen: str | None) -> Expression:
    """Replace the labels; variables quantified over a label's type range over `widen` instead."""
    if isinstance(goal, Atom):
        if goal.predicate == IS_A and _read_label(goal) in labels:
            return Atom(SUBSTITUTE, goal.arguments)
        return goal
    if isinstance(goal, And):
        return And(tuple(_replace_labels(part, labels, widen) for part in goal.parts))
    if isinstance(goal, Or):
        return Or(tuple(_replace_labels(part, labels, widen) for part in goal.parts))
    if isinstance(goal, Weighted):
        return Weighted(goal.weight, _replace_labels(goal.body, labels, widen))
    if isinstance(goal, Exists):
        subjects = _find_subjects(goal.body, labels)
        variables = tuple(
            TypedVariable(v.name, widen) if widen is not None and v.name in subjects else v
            for v in goal.variables
        )
        return Exists(variables, _replace_labels(goal.body, labels, widen))
    return goal


def _find_subjects(goal: Expression, labels: frozenset[str]) -> frozenset[str]:
    """Return the names of the variables for which one of the labels is asked."""
    if isinstance(goal, Atom):
        asked = goal.predicate == IS_A and _read_label(goal) in labels
        return frozenset(t.name for t in goal.arguments if asked and isinstance(t, Variable))
    if isinstance(goal, (And, Or)):
        return frozenset().union(*(_find_subjects(part, labels) for part in goal.parts))
    if isinstance(goal, (Exists, Weighted)):
        return _find_subjects(goal.body, labels)
    return frozenset()
