# SPDX-License-Identifier: Apache-2.0
"""The ways in which parameters of an action may be the same object.

The parameters of a rule bind distinct elements (matches are monic, docs/design.md); those of an
action of PDDL need not. So an action becomes one rule for each way to identify its parameters, and
the objects it names, that the initial facts don't rule out: a partition of them. Two classes of a
partition are two different objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.domain.pddl.rules.normal_form import Conjunct
from fcp_ros.domain.pddl.rules.universe import Universe
from fcp_ros.domain.pddl.syntax.tree import PddlTerm, Typed, terms_of


@dataclass(frozen=True)
class Group:
    """Terms that are one object; `constant` is its name, if the action names it."""

    terms: tuple[PddlTerm, ...]
    candidates: frozenset[str]
    constant: str | None = None


Partition = tuple[Group, ...]
Row = tuple[Atom, tuple[int, ...]]


def find_partitions(
    terms: Mapping[PddlTerm, Typed], conjunct: Conjunct, universe: Universe
) -> Iterator[Partition]:
    """Find the ways to identify terms under which the conjunct may hold, the identity first.

    `terms`: variables and constants with their types, in their order. `universe`: types, objects
    and static facts.
    """
    constants = [term.name for term in terms if isinstance(term, Constant)]
    search = _Search(conjunct, universe, frozenset(constants))
    # Constants first: they differ from each other.
    ordered = sorted(terms, key=lambda term: not isinstance(term, Constant))
    yield from search.extend(
        (), [(term, search.find_candidates(term, terms[term])) for term in ordered]
    )


class _Search:
    def __init__(self, conjunct: Conjunct, universe: Universe, constants: frozenset[str]) -> None:
        self._universe = universe
        self._constants = constants
        self._required = conjunct.positive
        self._static = [a for a in conjunct.positive if universe.is_static(a.predicate)]
        self._keyed = [a for a in conjunct.positive if a.predicate in universe.keys]
        self._equal = conjunct.equal
        self._unequal = conjunct.unequal

    def find_candidates(self, term: PddlTerm, typed: Typed) -> frozenset[str]:
        """Find the objects that a term may be, by its type and the atoms that it occurs in."""
        if isinstance(term, Constant):
            return frozenset((term.name,))
        found = self._universe.candidates(typed)
        for atom in self._required:
            for position, other in enumerate(terms_of(atom)):
                if other == term:
                    found &= self._universe.column(atom.predicate, position)
        return found

    def extend(
        self, groups: Partition, left: Sequence[tuple[PddlTerm, frozenset[str]]]
    ) -> Iterator[Partition]:
        """List the partitions that extend some groups: the next term alone, or in one of them."""
        if not self._may_hold(groups):
            return
        if not left:
            yield groups
            return
        (term, candidates), *rest = left
        named = term.name if isinstance(term, Constant) else None
        # Each partition is found once: a term opens a group or joins an earlier one. A variable
        # alone is none of the named objects, which have groups of their own.
        alone = candidates if named is not None else candidates - self._constants
        if alone:
            yield from self.extend((*groups, Group((term,), alone, named)), rest)
        for place, group in enumerate(groups):
            both = group.candidates & candidates
            if named is None and both:
                joined = Group((*group.terms, term), both, group.constant)
                yield from self.extend((*groups[:place], joined, *groups[place + 1 :]), rest)

    def _may_hold(self, groups: Partition) -> bool:
        """Return True if (in)equalities and static facts allow the identifications so far."""
        place = {term: number for number, group in enumerate(groups) for term in group.terms}
        for left, right in self._equal:
            if left in place and right in place and place[left] != place[right]:
                return False
        for left, right in self._unequal:
            if left in place and place[left] == place.get(right):
                return False
        if self._share_a_key(self._list_rows(self._keyed, place)):
            return False
        rows = self._list_rows(self._static, place)
        return all(self._occurs(atom, row, groups) for atom, row in rows) and not any(
            self._contradict(rows[i], rows[j]) for i in range(len(rows)) for j in range(i)
        )

    @staticmethod
    def _list_rows(atoms: Sequence[Atom], place: Mapping[PddlTerm, int]) -> list[Row]:
        return [
            (atom, tuple(place[term] for term in terms_of(atom)))
            for atom in atoms
            if all(term in place for term in terms_of(atom))
        ]

    def _share_a_key(self, rows: Sequence[Row]) -> bool:
        """Return True if two different facts would share a key of a predicate."""
        seen: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {}
        for atom, row in rows:
            key = tuple(row[position] for position in self._universe.keys[atom.predicate])
            if seen.setdefault((atom.predicate, key), row) != row:
                return True
        return False

    def _occurs(self, atom: Atom, row: tuple[int, ...], groups: Partition) -> bool:
        """Return True if some static fact has the same pattern of equal arguments as the atom."""
        if not self._universe.has_pattern(atom.predicate, tuple(map(str, row))):
            return False
        return len(set(row)) == 1 or self._fits(atom, row, groups)

    def _fits(self, atom: Atom, row: tuple[int, ...], groups: Partition) -> bool:
        """Return True if each named object has the position of the atom in some fact."""
        return all(
            groups[number].constant is None
            or groups[number].constant in self._universe.column(atom.predicate, position)
            for position, number in enumerate(row)
        )

    def _contradict(self, one: Row, other: Row) -> bool:
        """Return True if two static facts would share a key and differ elsewhere."""
        (atom, row), (second, second_row) = one, other
        if atom.predicate != second.predicate or row == second_row:
            return False
        return any(
            number == second_row[position] and self._universe.is_key(atom.predicate, position)
            for position, number in enumerate(row)
        )
