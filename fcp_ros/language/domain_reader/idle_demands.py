# SPDX-License-Identifier: Apache-2.0
"""Demands for what is so already: nobody asks for that where the words may mean something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    atoms,
    list_conjuncts,
)
from fcp_ros.domain.model import SAME
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.english.function_words import PLACING
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.verbs import BRING_VERBS, PUT_VERBS
from fcp_ros.language.parsing.trees import Act, Sentence


def removes_nothing(goal: str, state: PresentState) -> bool:
    """Return True if a goal asks that something is no longer where it isn't.

    "Take the bowl off the couch" is about the bowl that is there.
    """
    parts = list_conjuncts(parse_expression(goal))
    plain = (part for part in parts if all(atom.predicate != SAME for atom in atoms(part)))
    return any(_removes(part) and state.holds(part, {}) for part in plain)


def _removes(part: Expression) -> bool:
    """Return True if a demand of the end asks that something is not so."""
    if isinstance(part, Not):
        return isinstance(part.body.body if isinstance(part.body, Exists) else part.body, Atom)
    if isinstance(part, (Forall, Exists)):
        return _removes(part.body)
    return isinstance(part, (And, Or)) and any(map(_removes, part.parts))


def releases_nothing(goal: str, sentence: Sentence, state: PresentState) -> bool:
    """Return True for "put the mug down" alone where it isn't held: a place may be meant."""
    released = [s for c in sentence.clauses for s in c.predications if c.act is Act.HOLD]
    if len(sentence.clauses) != 1 or not released or not all(said.negated for said in released):
        return False
    return removes_nothing(goal, state)


def places_idly(
    goal: str, sentence: Sentence, tokens: Sequence[Token], state: PresentState
) -> bool:
    """Return True if one of the things that one verb places is there already, and others aren't.

    "Put the laptop on the table and the book on the couch on the stand": if the laptop is on the
    table, that says which one is meant, and it goes on the stand as well.
    """
    placing = Counter(
        clause.verb
        for clause in sentence.clauses
        for said in clause.predications
        if clause.act is Act.ACHIEVE and len(said.arguments) == 2
    )
    if sum(placing.values()) == sum(token.text in PLACING for token in tokens):
        return False  # "put the bowl on the counter and the mug on the couch": a place for each
    spoken = Counter(stem for token in tokens for stem in list_stems(token.text))
    if all(placing[verb] <= spoken[verb] for verb in placing.keys() & (PUT_VERBS | BRING_VERBS)):
        return False
    parts = list_conjuncts(parse_expression(goal))
    idle = [state.holds(part, {}) for part in parts if isinstance(part, (Atom, Exists))]
    return any(idle) and not all(idle)
