# SPDX-License-Identifier: Apache-2.0
"""Invariants of all reachable states: proven once for a domain, then checked in a state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.planning.mutexes.links import LinkCheck, find_possible_links, is_kept, make_checks
from fcp_ros.planning.mutexes.pairs import (
    InductionHypothesis,
    MutexPair,
    MutexProof,
    Place,
    find_disjoint_relations,
    find_initially_broken,
)
from fcp_ros.planning.task.lifted import LiftedDomain, never_stop

MOST_CLASSES = 200
"""Unary static relations of which all pairs are looked at."""
MOST_KNOWN = 64
"""Kinds of states whose invariants are kept."""


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
    """Finds the invariants of one domain from its states on. Safe to share by threads.

    Args:
        lifted: the domain.
        check: called often; may raise to stop.
    """

    def __init__(self, lifted: LiftedDomain, check: Callable[[], None] = never_stop) -> None:
        self._lifted = lifted
        self._declared = {
            (relation.name, leg)
            for relation in lifted.relations.values()
            for leg in range(len(relation.legs))
            if leg in relation.keys or len(relation.legs) == 1
        }
        # Derived relations take no part: no rule alone says when their facts hold.
        plain = {n: r for n, r in lifted.relations.items() if n not in lifted.domain.derived}
        changing = [rule for rule in lifted.rules if not rule.derives]
        self._proof = MutexProof(changing, plain, check)
        self._links = find_possible_links(changing, self._proof)
        self._classes = _list_classes(lifted)
        pairs = combinations(self._classes, 2)
        self._hopeful_disjoint = frozenset(map(frozenset, pairs))
        self._pairs = self._proof.find_pairs((), self._hopeful_disjoint, check)
        self._known: dict[Hashable, Invariants] = {}
        self._hopeful = self._find(frozenset(), self._hopeful_disjoint, check)

    def find(self, instance: Instance, check: Callable[[], None] = never_stop) -> Invariants:
        """Find the invariants that hold from a state on.

        The state is not read if the domain's rules keep none that is of use.

        Args:
            instance: the state.
            check: called often; may raise to stop.
        """
        if not (any(self._hopeful.checks.values()) or self._hopeful.groups):
            return self._hopeful
        broken = frozenset(find_initially_broken(self._pairs, instance))
        disjoint = frozenset(find_disjoint_relations(self._classes, instance))
        return self._find(broken, disjoint, check)

    def _find(
        self,
        broken: frozenset[MutexPair],
        disjoint: frozenset[frozenset[str]],
        check: Callable[[], None],
    ) -> Invariants:
        known = self._known.get((broken, disjoint))
        if known is None:
            pairs = self._proof.find_pairs(broken, disjoint, check)
            shown = InductionHypothesis(pairs, disjoint)
            links = tuple(link for link in self._links if is_kept(link, self._proof, shown))
            check()
            if len(self._known) >= MOST_KNOWN:  # a scene that changes for days
                self._known.clear()
            known = self._known[broken, disjoint] = Invariants(
                {rule.number: make_checks(rule, links) for rule in self._lifted.rules},
                tuple(self._make_groups(pairs, check)),
            )
        return known

    def _make_groups(
        self, pairs: frozenset[MutexPair], check: Callable[[], None]
    ) -> Iterable[tuple[Place, ...]]:
        """Yield a mutex group for each place that was proven to have one fact at a time."""
        single = {place for pair in pairs if len(pair) == 1 for place in pair}
        mutex: dict[Place, set[Place]] = {place: set() for place in single}
        for pair in pairs:
            if len(pair) == 2 and pair <= single:
                one, other = pair
                mutex[one].add(other)
                mutex[other].add(one)
        seen: set[tuple[Place, ...]] = set()
        for place in sorted(single - self._declared):
            check()
            group = _extend(place, mutex)
            if group not in seen:
                seen.add(group)
                yield group


def _list_classes(lifted: LiftedDomain) -> list[str]:
    """List the unary static relations that rules require; none if there are too many to pair."""
    required = {
        relation.name
        for rule in lifted.rules
        for relation, slots in rule.body.static
        if len(slots) == 1
    }
    return sorted(required) if len(required) <= MOST_CLASSES else []


def _extend(place: Place, mutex: Mapping[Place, set[Place]]) -> tuple[Place, ...]:
    """Extend a place greedily by places that are mutex with all places in the group."""
    group, left = [place], set(mutex[place])
    for other in sorted(left):
        if other in left:
            group.append(other)
            left &= mutex[other]
    return tuple(sorted(group))
