# SPDX-License-Identifier: Apache-2.0
"""What is proven of all states that can be reached: worked out for a domain, checked in a state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.planning.mutexes.initial_pairs import broken_at_first, disjoint_in
from fcp_ros.planning.mutexes.links import Check, checks, is_kept, possible_links
from fcp_ros.planning.mutexes.pairs import Pair, Place, Proof
from fcp_ros.planning.task.lifted import DomainShapes


@dataclass(frozen=True)
class Invariants:
    """What holds in all states that can be reached from one.

    Attributes:
        checks: by the number of a rule, what is linked where it can be applied.
        groups: places of which an element has at most one fact at a time, all together; only those
            with a place that the schema says nothing of.
    """

    checks: Mapping[int, tuple[Check, ...]]
    groups: tuple[tuple[Place, ...], ...]


class InvariantFinder:
    """Finds invariants of one domain in its states.

    Args:
        shapes: the domain.
    """

    def __init__(self, shapes: DomainShapes) -> None:
        self._shapes = shapes
        self._declared = {
            (relation.name, leg)
            for relation in shapes.relations.values()
            for leg in range(len(relation.legs))
            if leg in relation.keys or len(relation.legs) == 1
        }
        self._proof = Proof(shapes.rules, shapes.relations)
        self._links = possible_links(shapes.rules, self._proof)
        self._classes = [
            relation.name
            for relation in shapes.relations.values()
            if not relation.changes and len(relation.legs) == 1
        ]
        pairs = combinations(self._classes, 2)
        self._hopeful_disjoint = frozenset(map(frozenset, pairs))
        self._pairs = self._proof.without((), self._hopeful_disjoint)
        self._known: dict[Hashable, Invariants] = {}
        self._hopeful = self._of(frozenset(), self._hopeful_disjoint)

    def of(self, instance: Instance) -> Invariants:
        """Those that hold from a state on.

        Nothing is looked at in the state where the domain's rules can't keep anything of use.
        """
        if not (any(self._hopeful.checks.values()) or self._hopeful.groups):
            return self._hopeful
        broken = frozenset(broken_at_first(self._pairs, instance))
        return self._of(broken, frozenset(disjoint_in(self._classes, instance)))

    def _of(self, broken: frozenset[Pair], disjoint: frozenset[frozenset[str]]) -> Invariants:
        known = self._known.get((broken, disjoint))
        if known is None:
            pairs = self._proof.without(broken, disjoint)
            links = tuple(link for link in self._links if is_kept(link, self._proof, pairs))
            known = self._known[broken, disjoint] = Invariants(
                {shape.number: checks(shape, links) for shape in self._shapes.rules},
                tuple(self._groups(pairs)),
            )
        return known

    def _groups(self, pairs: frozenset[Pair]) -> Iterable[tuple[Place, ...]]:
        """For each place that was found to have one fact at a time, those apart from it."""
        single = sorted(place for pair in pairs if len(pair) == 1 for place in pair)
        seen: set[tuple[Place, ...]] = set()
        for place in single:
            if place in self._declared:
                continue
            group = _grown([place], single, pairs)
            if group not in seen:
                seen.add(group)
                yield group


def _grown(
    group: list[Place], others: Sequence[Place], pairs: frozenset[Pair]
) -> tuple[Place, ...]:
    """The group with all others, one after the other, that are apart from what is in it."""
    for other in others:
        if other not in group and all(frozenset((place, other)) in pairs for place in group):
            group.append(other)
    return tuple(sorted(group))
