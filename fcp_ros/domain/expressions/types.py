# SPDX-License-Identifier: Apache-2.0
"""The type of each free variable of a goal, from the predicates that it occurs in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcp_ros.domain.diagnostics import article
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Exists,
    Expression,
    ExpressionError,
    Text,
    Variable,
    atoms,
    free_variables,
    to_text,
)
from fcp_ros.domain.model import IS_A, TEXT, Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.labels import match_label


def infer_types(expression: Expression, domain: Domain, text: str = "") -> Mapping[str, str]:
    """The type of each free variable, in the order of first use.

    It is the largest type that fits every predicate in which the variable occurs. Where several
    types would do (a support that can be closed: a fridge, a locker ...), it is the type asked for
    by graded predicates, else the one asked for first; atoms about elements that don't fit are
    simply false then. `is_a` counts only if nothing else does.

    Args:
        expression: a goal whose names and arities are right (see `check_goal`).
        domain: the domain.
        text: what the user wrote, to which the columns of the expression belong; without it,
            messages show the expression's own text.

    Raises:
        ExpressionError: no type fits, or nothing says which.
    """
    if not text:
        text = to_text(expression)
        expression = parse_expression(text)
    vocabulary = Vocabulary.of(domain)
    uses = list(atoms(expression))
    return {
        name: _infer(name, uses, domain, vocabulary, text) for name in free_variables(expression)
    }


def open_goal(goal: Expression, domain: Domain) -> tuple[Expression, dict[str, str]]:
    """The goal without its leading `exists`, and the types of its free variables.

    A leading existential variable means the same as a free one, and a plan says what it bound it
    to: then only that choice has to be evaluated.

    Raises:
        ExpressionError: as `infer_types`.
    """
    types = dict(infer_types(goal, domain))
    while isinstance(goal, Exists):
        types.update((variable.name, variable.type) for variable in goal.variables)
        goal = goal.body
    return goal, types


def _infer(name: str, uses: list[Atom], domain: Domain, vocabulary: Vocabulary, text: str) -> str:
    crisp: dict[str, int] = {}
    graded: dict[str, int] = {}
    labels: list[str] = []
    column = 0
    for atom in uses:
        signature = vocabulary.signature(atom.predicate)
        for position, term in enumerate(atom.arguments):
            if not isinstance(term, Variable) or term.name != name:
                continue
            column = column or term.column
            if atom.predicate == IS_A:
                labels.extend(t.value for t in atom.arguments if isinstance(t, Text))
            elif signature is not None:
                types = graded if atom.predicate in vocabulary.graded else crisp
                types.setdefault(signature[position].type, term.column)
    if TEXT in graded:
        message = f"?{name} stands where words are needed: write them in double quotes."
        raise ExpressionError(message, text, graded[TEXT])
    if not crisp and not graded:
        return _from_labels(name, labels, domain, vocabulary, text, column)
    meet = vocabulary.common_subtypes((*graded, *crisp))
    if len(meet) == 1:
        return meet[0]
    if not meet:
        raise _contradiction(name, {**graded, **crisp}, text)
    if not graded:
        return next(iter(crisp))
    asked = vocabulary.common_subtypes(graded)
    if len(asked) == 1:
        return asked[0]
    message = (
        f"?{name} could be any of {', '.join(asked)}: "
        f"say which, as in exists ?{name}: {asked[0]} (...)."
    )
    raise ExpressionError(message, text, next(iter(graded.values())))


def _from_labels(
    name: str,
    labels: Iterable[str],
    domain: Domain,
    vocabulary: Vocabulary,
    text: str,
    column: int,
) -> str:
    for label in labels:
        found = match_label(label, domain.mapping.labels)
        if found is not None:
            return found
        by_words = match_label(label, {t.replace("_", " ").lower(): t for t in vocabulary.parents})
        if by_words is not None:
            return by_words
    roots = [type_ for type_, parents in vocabulary.parents.items() if not parents]
    if len(roots) == 1:
        return roots[0]
    example = f"exists ?{name}: {roots[0]} (...)"
    message = f"Nothing says what ?{name} is: give it a type, as in {example}."
    raise ExpressionError(message, text, column)


def _contradiction(name: str, types: Mapping[str, int], text: str) -> ExpressionError:
    words = " and ".join(article(type_) for type_ in types)
    message = f"?{name} would have to be {words}, and nothing is: use two variables."
    return ExpressionError(message, text, max(types.values()))
