# SPDX-License-Identifier: Apache-2.0
"""Invariants of all reachable states: proven once for a domain, then checked in a state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.planning.mutexes.links import LinkCheck, find_possible_links, is_kept, make_checks
from fcp_ros.planning.mutexes.pairs import (
    MutexPair,
    MutexProof,
    Place,
    find_disjoint_relations,
    find_initially_broken,
)
from fcp_ros.planning.task.lifted import LiftedDomain


@dataclass(frozen=True)
class Invariants:
    """Invariants of all states that are reachable from one.

    Attributes:
        checks: by the number of a rule, pairs of its conditions that hold together only if linked.
        groups: mutex groups: an element has at most one fact at all places of one. Only groups
            with a place that the schema does not declare functional.
    """

    checks: Mapping[int, tuple[LinkCheck, ...]]
    groups: tuple[tuple[Place, ...], ...]


class InvariantFinder:
    """Finds the invariants of one domain from its states on.

    Args:
        lifted: the domain.
    """

    def __init__(self, lifted: LiftedDomain) -> None:
        self._lifted = lifted
        self._declared = {
            (relation.name, leg)
            for relation in lifted.relations.values()
            for leg in range(len(relation.legs))
            if leg in relation.keys or len(relation.legs) == 1
        }
        self._proof = MutexProof(lifted.rules, lifted.relations)
        self._links = find_possible_links(lifted.rules, self._proof)
        self._classes = [
            relation.name
            for relation in lifted.relations.values()
            if not relation.changes and len(relation.legs) == 1
        ]
        pairs = combinations(self._classes, 2)
        self._hopeful_disjoint = frozenset(map(frozenset, pairs))
        self._pairs = self._proof.find_pairs((), self._hopeful_disjoint)
        self._known: dict[Hashable, Invariants] = {}
        self._hopeful = self._find(frozenset(), self._hopeful_disjoint)

    def find(self, instance: Instance) -> Invariants:
        """Find the invariants that hold from a state on.

        The state is not read if the domain's rules keep none that is of use.
        """
        if not (any(self._hopeful.checks.values()) or self._hopeful.groups):
            return self._hopeful
        broken = frozenset(find_initially_broken(self._pairs, instance))
        return self._find(broken, frozenset(find_disjoint_relations(self._classes, instance)))

    def _find(
        self, broken: frozenset[MutexPair], disjoint: frozenset[frozenset[str]]
    ) -> Invariants:
        known = self._known.get((broken, disjoint))
        if known is None:
            pairs = self._proof.find_pairs(broken, disjoint)
            links = tuple(link for link in self._links if is_kept(link, self._proof, pairs))
            known = self._known[broken, disjoint] = Invariants(
                {rule.number: make_checks(rule, links) for rule in self._lifted.rules},
                tuple(self._make_groups(pairs)),
            )
        return known

    def _make_groups(self, pairs: frozenset[MutexPair]) -> Iterable[tuple[Place, ...]]:
        """Yield a mutex group for each place that was proven to have one fact at a time."""
        single = sorted(place for pair in pairs if len(pair) == 1 for place in pair)
        seen: set[tuple[Place, ...]] = set()
        for place in single:
            if place in self._declared:
                continue
            group = _extend([place], single, pairs)
            if group not in seen:
                seen.add(group)
                yield group


def _extend(
    group: list[Place], others: Sequence[Place], pairs: frozenset[MutexPair]
) -> tuple[Place, ...]:
    """Extend a group greedily by places that are mutex with all places in it."""
    for other in others:
        if other not in group and all(frozenset((place, other)) in pairs for place in group):
            group.append(other)
    return tuple(sorted(group))
