# SPDX-License-Identifier: Apache-2.0
"""The objects that may ever be at each position of a predicate: delete relaxation, one at a time.

A term is limited by the positions of all atoms that its action surely requires. So the least fixed
point over single positions contains all that is reachable, in time linear in the size of the domain
for each round (monadic relaxation; facts of several positions are not combined). It says which
parameters can be the same object where types don't: in files that declare everything an `object`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    Formula,
    PddlAction,
    PddlTerm,
    Typed,
    terms_of,
)

Column = tuple[str, int]
"""A predicate and a position."""
Objects = frozenset[str]


def find_columns(
    actions: Iterable[PddlAction],
    facts: Mapping[str, Iterable[tuple[str, ...]]],  # the initial facts by predicate
    # returns the objects that a variable may be by its types
    list_candidates: Callable[[Typed], Objects],
) -> dict[Column, Objects]:
    """Find the objects that may come to be at each position; none where a column is missing."""
    found: dict[Column, set[str]] = {}
    for predicate, tuples in facts.items():
        for row in tuples:
            for position, name in enumerate(row):
                found.setdefault((predicate, position), set()).add(name)
    readers: dict[Column, list[_Addition]] = {}
    waiting: deque[_Addition] = deque()
    for action in actions:
        for addition in _list_additions(action, list_candidates):
            waiting.append(addition)
            for column in addition.reads:
                readers.setdefault(column, []).append(addition)
    queued = set(waiting)
    while waiting:
        addition = waiting.popleft()
        queued.discard(addition)
        for column, objects in addition.find_new(found):
            found.setdefault(column, set()).update(objects)
            for reader in readers.get(column, ()):
                if reader not in queued:
                    queued.add(reader)
                    waiting.append(reader)
    return {column: frozenset(objects) for column, objects in found.items()}


def list_required(formula: Formula) -> Iterator[Atom]:
    """List the atoms of a conjunction."""
    if isinstance(formula, Atom):
        yield formula
    elif isinstance(formula, Conjunction):
        for part in formula.parts:
            yield from list_required(part)


@dataclass(frozen=True, eq=False, slots=True)
class _Addition:
    """The atoms that an effect of an action adds, and what limits their terms."""

    # term -> its objects by type, and the columns in which it is required
    limits: Mapping[Variable, tuple[Objects, tuple[Column, ...]]]
    # the columns that grow -> the term that is put there
    added: tuple[tuple[Column, PddlTerm], ...]

    @property
    def reads(self) -> set[Column]:
        """The columns that limit a term."""
        return {column for _, columns in self.limits.values() for column in columns}

    def find_new(self, found: Mapping[Column, set[str]]) -> list[tuple[Column, set[str]]]:
        """Find the objects that are new in a column, given what the columns have so far."""
        objects: dict[PddlTerm, set[str] | Objects] = {}
        for term, (typed, columns) in self.limits.items():
            # The smallest set first: the intersection takes time of its size.
            sets = sorted((typed, *(found.get(c, frozenset()) for c in columns)), key=len)
            objects[term] = left = sets[0].intersection(*sets[1:])
            if not left:
                return []
        new = []
        for column, argument in self.added:
            here = {argument.name} if isinstance(argument, Constant) else objects[argument]
            fresh = here - found.get(column, frozenset())
            if fresh:
                new.append((column, set(fresh)))
        return new


def _list_additions(
    action: PddlAction, list_candidates: Callable[[Typed], Objects]
) -> Iterator[_Addition]:
    required = tuple(list_required(action.precondition))
    for effect in action.effects:
        added = tuple(
            ((atom.predicate, position), term)
            for atom in effect.add
            for position, term in enumerate(terms_of(atom))
        )
        if not added:
            continue
        variables = (*action.parameters, *effect.variables)
        columns: dict[PddlTerm, list[Column]] = {Variable(v.name): [] for v in variables}
        # In the effect, its own variable hides a parameter of the same name.
        hidden = {Variable(v.name) for v in effect.variables}
        for atoms, outside in ((required, True), (list_required(effect.condition), False)):
            for atom in atoms:
                for position, term in enumerate(terms_of(atom)):
                    if term in columns and not (outside and term in hidden):
                        columns[term].append((atom.predicate, position))
        yield _Addition(
            {
                Variable(v.name): (list_candidates(v), tuple(columns[Variable(v.name)]))
                for v in variables
            },
            added,
        )
