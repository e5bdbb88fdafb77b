# SPDX-License-Identifier: Apache-2.0
"""What is apart in one state: where the proofs of `apart` begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.planning.mutexes.pairs import ABSENT, AT_ONCE, Pair, Place


def broken_at_first(pairs: Iterable[Pair], instance: Instance) -> Iterator[Pair]:
    """The pairs that are not apart for each element of a state.

    Args:
        pairs: some pairs.
        instance: the state; all tuples of the relations concerned are looked at.
    """
    counts: dict[Place, Counter[int]] = {}

    def counted(place: Place) -> Counter[int]:
        name, leg = place
        if place not in counts:
            counts[place] = Counter([legs[leg] for legs in instance.tuples(name).values()])
        return counts[place]

    for pair in pairs:
        places = sorted(pair)
        absent = [name for name, leg in places if leg == ABSENT]
        if places[0][1] <= AT_ONCE:
            broken = any(count > 1 for count in counted(places[1]).values())
        elif len(places) == 1:
            broken = any(count > 1 for count in counted(places[0]).values())
        elif absent:
            there = next(place for place in places if place[1] != ABSENT)
            broken = not counted(there).keys() <= counted((absent[0], 0)).keys()
        else:
            broken = not counted(places[0]).keys().isdisjoint(counted(places[1]).keys())
        if broken:
            yield pair


def disjoint_in(names: Iterable[str], instance: Instance) -> Iterator[frozenset[str]]:
    """Pairs of relations with one leg of which no element of a state has both facts."""
    having = {name: {legs[0] for legs in instance.tuples(name).values()} for name in names}
    for one, other in combinations(sorted(having), 2):
        if having[one].isdisjoint(having[other]):
            yield frozenset((one, other))
