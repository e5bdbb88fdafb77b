# SPDX-License-Identifier: Apache-2.0
"""Goals that contradict each other: they want facts that never hold together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import name_of
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Expression,
    Not,
    TrajectoryConstraint,
    conjoin,
    free_variables,
    list_conjuncts,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.planning.task.invariants import InvariantFinder
from fcp_ros.planning.task.lifted import lift_domain
from fcp_ros.planning.task.mutex_pairs import ABSENT, MutexPair, Place

LONGEST_GOAL = 2_000
"""Characters of a goal that is looked at: whoever accepts a goal must not be kept waiting."""

Literals = Mapping[Fact, bool]
"""Ground fact -> True if the goal wants it to hold in the end, False if it wants it not to."""


def list_literals(goal: str) -> Literals:
    """List what a goal demands of ground facts in any case; empty if it can't be read."""
    # Parts of a disjunction and atoms with variables demand nothing of one fact, and neither does
    # an atom that is compared with a degree.
    if not goal or len(goal) > LONGEST_GOAL:
        return {}
    try:
        return dict(_find_literals(parse_expression(goal)))
    except InputError:
        return {}


def add_literals(goal: str, literals: Literals) -> str:
    """Return a goal that demands these facts, too; the goal itself if it can't be read."""
    texts = [_write(fact, holds) for fact, holds in literals.items()]
    try:
        added = list(map(parse_expression, texts))
        return to_text(conjoin([*list_conjuncts(parse_expression(goal)), *added]))
    except InputError:
        return goal


def _find_literals(goal: Expression, holds: bool = True) -> Iterator[tuple[Fact, bool]]:
    if isinstance(goal, And) and holds:
        for part in goal.parts:
            yield from _find_literals(part)
    elif isinstance(goal, Not):
        yield from _find_literals(goal.body, not holds)
    elif isinstance(goal, TrajectoryConstraint):  # in the end, too
        if holds and goal.operator is TrajectoryOperator.ALWAYS:
            yield from _find_literals(goal.parts[0])
    elif isinstance(goal, Atom) and goal.least is None and not free_variables(goal):
        yield Fact(goal.predicate, tuple(name_of(one, {}) for one in goal.arguments)), holds


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Demands of two goals that can't hold at once."""

    fact: Fact
    holds: bool  # one goal wants the fact to hold, or not to
    other: Fact
    other_holds: bool

    def describe(self, words: str) -> str:
        """Say so, as a sentence about the first goal; `words`: the other goal as it was put."""
        theirs = "" if self.fact == self.other else f"{_write(self.other, self.other_holds)} of "
        return (
            f"It {'wants' if self.holds else 'rules out'} {self.fact}, against {theirs}the goal "
            f"{words!r}: they can't hold at once, and the later one undoes the other."
        )


class ConflictFinder:
    """Finds contradictions that the domain's rules prove from the present state on.

    `find_present`: returns the state as it is seen; asked only if there may be a contradiction.
    """

    def __init__(self, domain: Domain, find_present: Callable[[], Instance | None]) -> None:
        self._schema = domain.schema
        self._invariants = InvariantFinder(lift_domain(domain))
        self._find_present = find_present

    def find(self, goal: Literals, other: Literals) -> Contradiction | None:
        """Return a contradiction between two goals; None if none is proven."""
        for fact, holds in goal.items():
            # That a graded predicate holds, and that it doesn't, may both be so to a degree.
            if other.get(fact, holds) != holds and self._schema.has_relation(fact.relation):
                return Contradiction(fact, holds, fact, not holds)
        possible = _find_mutex(goal, other, self._invariants.possible_mutexes)
        present = None if possible is None else self._find_present()
        if present is None:
            return None
        return _find_mutex(goal, other, self._invariants.find_mutexes(present))


def _find_mutex(
    goal: Literals, other: Literals, pairs: Collection[MutexPair]
) -> Contradiction | None:
    for fact, holds in goal.items():
        for second, so in other.items():
            if fact != second and any(
                element == same and frozenset((place, its)) in pairs
                for element, place in _list_places(fact, holds)
                for same, its in _list_places(second, so)
            ):
                return Contradiction(fact, holds, second, so)
    return None


def _list_places(fact: Fact, holds: bool) -> Iterator[tuple[str, Place]]:
    """List the elements of a fact, each with the place where the fact, or its absence, puts it."""
    if holds:
        for leg, element in enumerate(fact.arguments):
            yield element, (fact.relation, leg)
    elif len(fact.arguments) == 1:
        yield fact.arguments[0], (fact.relation, ABSENT)


def _write(fact: Fact, holds: bool) -> str:
    return str(fact) if holds else f"not {fact}"
