# SPDX-License-Identifier: Apache-2.0
"""A formula with very many alternatives, divided into stages of few alternatives each.

A conjunction of choices has as many alternatives as there are combinations. Here its parts become
stages that a plan goes through after its last step, one after the other, as counts and preferences
do (see stages.py): a choice is a fork, and a count goes through its parts. Degrees compose on the
way, so the best way through the stages is the best alternative. The first part is the finish.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.goal.formula import (
    AtLeast,
    Both,
    Complement,
    Crisp,
    Either,
    Formula,
    Graded,
    Instantiation,
    Scaled,
    Settled,
    find_demand,
    make_at_least,
    make_both,
    make_complement,
    rebuild,
    walk,
)
from fcp_ros.planning.goal.stages import (
    BEGIN,
    NOTHING,
    StageMove,
    count_inner_stages,
    make_count_moves,
)
from fcp_ros.planning.task.task import Task

MOST_WHOLE = 500
"""A formula of at most this many alternatives is not divided: a search for one of so many
conditions is faster than one through stages."""
MOST_TOGETHER = 20
"""Parts of a conjunction share a stage as long as they have at most this many alternatives."""

Expand = Callable[[Formula], list[Alternative]]
"""Finds the alternatives of a formula."""


@dataclass(frozen=True, slots=True)
class GoalFinish:
    """An alternative that a plan finishes with."""

    alternative: Alternative
    target: int = BEGIN


@dataclass(frozen=True)
class DividedFormula:
    """A formula as finishes and the stages behind them."""

    finishes: Sequence[GoalFinish]
    moves: Sequence[StageMove] = ()
    last: int = BEGIN

    @property
    def leads_on(self) -> bool:
        """True if there is a way whose every part has an alternative that may hold."""
        reached = {one.target for one in self.finishes if not one.alternative.missing}
        for move in sorted(self.moves, key=lambda move: move.source):  # each leads to a later stage
            if move.source in reached:
                reached.add(move.target)
        return self.last in reached


def divide_formula(formula: Formula, expand: Expand, task: Task) -> DividedFormula:
    """Divide a formula if it has very many alternatives."""
    if count_alternatives(formula) > MOST_WHOLE:
        formula = _drop_missing(formula, task)
    if count_alternatives(formula) <= MOST_WHOLE:
        return DividedFormula([GoalFinish(alternative) for alternative in expand(formula)])
    piece = _Divider(expand).divide(formula)
    layout = _Layout(_count_inner(piece) + 1)
    layout.lay(piece, 0, layout.last, 1)
    return DividedFormula(layout.finishes, layout.moves, layout.last)


def count_alternatives(formula: Formula, wanted: bool = True) -> float:
    """Bound the number of alternatives of a formula, or of its negation."""
    if isinstance(formula, (Settled, Crisp, Graded)):
        return 1.0
    if isinstance(formula, AtLeast):
        most = max(count_alternatives(part, wanted) for part in formula.parts)
        return math.comb(len(formula.parts), formula.number) * most**formula.number
    number, parts, wanted = find_demand(formula, wanted)
    numbers = (count_alternatives(part, wanted) for part in parts)
    found = math.prod(numbers) if number == len(parts) else sum(numbers)
    return found + isinstance(formula, Scaled)


# --- facts that nothing makes true


def _drop_missing(formula: Formula, task: Task) -> Formula:
    """Drop choices that rest on facts which no action makes true, where others are left."""
    if isinstance(formula, (Complement, Scaled)):
        return formula
    if isinstance(formula, (Either, AtLeast)):
        left = tuple(part for part in formula.parts if is_possible(part, task))
        if isinstance(formula, Either):
            formula = Either(left or formula.parts)
        elif len(left) < formula.number:
            return formula
        else:
            formula = AtLeast(formula.number, left)
    return rebuild(formula, lambda part: _drop_missing(part, task))


def is_possible(formula: Formula, task: Task) -> bool:
    """Return False only if a formula rests on facts that no action makes true."""
    if isinstance(formula, Crisp):
        return formula.fact in task.fact_ids
    if isinstance(formula, (Settled, Graded, Complement, Scaled)):
        return True
    number, parts, _ = find_demand(formula, True)
    return sum(is_possible(part, task) for part in parts) >= number


# --- pieces


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One of some alternatives."""

    alternatives: Sequence[Alternative]


@dataclass(frozen=True, slots=True)
class _Series:
    """All of some pieces."""

    pieces: Sequence[_Piece]


@dataclass(frozen=True, slots=True)
class _Fork:
    """One of some pieces."""

    pieces: Sequence[_Piece]


@dataclass(frozen=True, slots=True)
class _Counted:
    """So many of some choices."""

    number: int
    choices: Sequence[Sequence[Alternative]]


_Piece = _Leaf | _Series | _Fork | _Counted


class _Divider:
    def __init__(self, expand: Expand) -> None:
        self._expand = expand

    def divide(self, formula: Formula) -> _Piece:
        if count_alternatives(formula) <= MOST_TOGETHER:
            return _Leaf(self._expand(formula))
        if isinstance(formula, Instantiation):
            return _bind(self.divide(formula.body), ((formula.variable, formula.element),))
        if isinstance(formula, Both):
            return self._divide_conjunction(formula.parts)
        if isinstance(formula, Either):
            return _Fork(tuple(map(self.divide, formula.parts)))
        if isinstance(formula, AtLeast):
            return _Counted(formula.number, tuple(map(self._expand, formula.parts)))
        if isinstance(formula, Complement) and _is_crisp(formula):
            return self.divide(_push_negation(formula.body))
        return _Leaf(self._expand(formula))

    def _divide_conjunction(self, parts: Sequence[Formula]) -> _Piece:
        """Divide a conjunction: parts with few alternatives come first, and share stages."""
        groups: list[list[Formula]] = []
        product = math.inf
        for part in sorted(parts, key=count_alternatives):
            number = count_alternatives(part)
            if product * number > MOST_TOGETHER:
                groups.append([])
                product = 1.0
            groups[-1].append(part)
            product *= number
        if len(groups) > 1:
            return _Series([self.divide(make_both(group)) for group in groups])
        return _Leaf(self._expand(make_both(parts)))


def _bind(piece: _Piece, binding: Binding) -> _Piece:
    """Note which elements variables stand for, in the alternatives that a piece begins with."""
    if isinstance(piece, _Leaf):
        return _Leaf([replace(a, binding=(*binding, *a.binding)) for a in piece.alternatives])
    if isinstance(piece, _Series):
        return _Series((_bind(piece.pieces[0], binding), *piece.pieces[1:]))
    if isinstance(piece, _Fork):
        return _Fork([_bind(one, binding) for one in piece.pieces])
    return _Series((_Leaf([replace(NOTHING, binding=binding)]), piece))


def _is_crisp(formula: Formula) -> bool:
    return not any(
        one.degree not in (0.0, 1.0)
        if isinstance(one, Settled)
        else isinstance(one, (Graded, Scaled))
        for one in walk(formula)
    )


def _push_negation(formula: Formula) -> Formula:
    """Negate a crisp formula: the parts of what it is made of are negated instead."""
    number, parts, wanted = find_demand(formula, False)
    return make_at_least(number, parts if wanted else map(make_complement, parts))


# --- stages


def _count_inner(piece: _Piece) -> int:
    """Count the stages within a piece, its first and last one aside."""
    if isinstance(piece, _Leaf):
        return 0
    if isinstance(piece, _Counted):
        return count_inner_stages(piece.number, len(piece.choices))
    between = len(piece.pieces) - 1 if isinstance(piece, _Series) else 0
    return sum(map(_count_inner, piece.pieces)) + between


@dataclass
class _Layout:
    """Numbers the stages of pieces: every way leads to larger numbers."""

    last: int
    finishes: list[GoalFinish] = field(default_factory=list)
    moves: list[StageMove] = field(default_factory=list)

    def lay(self, piece: _Piece, source: int, target: int, free: int) -> None:
        if isinstance(piece, _Fork):
            for one in piece.pieces:
                self.lay(one, source, target, free)
                free += _count_inner(one)
        elif isinstance(piece, _Series):
            for one in piece.pieces[:-1]:
                between = free + _count_inner(one)
                self.lay(one, source, between, free)
                source, free = between, between + 1
            self.lay(piece.pieces[-1], source, target, free)
        else:
            self._add(_list_moves(piece, source, target, free))

    def _add(self, moves: Iterator[StageMove]) -> None:
        for move in moves:
            if move.source == 0:
                self.finishes.append(GoalFinish(move.alternative, move.target))
            elif not move.alternative.missing:
                self.moves.append(move)


def _list_moves(
    piece: _Leaf | _Counted, source: int, target: int, free: int
) -> Iterator[StageMove]:
    if isinstance(piece, _Counted):
        return make_count_moves(piece.number, piece.choices, source, target, free)
    return (StageMove(source, target, alternative) for alternative in piece.alternatives)
