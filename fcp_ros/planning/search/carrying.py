# SPDX-License-Identifier: Apache-2.0
"""Tours of carrying: how many parts of a goal a resource lasts for at most, and a good order.

In many goals each part is about one thing that has to be carried, and things are carried one at a
time: a variable, such as what the hand holds, says which. Then the steps of any plan fall into
carries, in which that variable has the value for one thing, and ways between them, in which it has
none. What each carry takes and the way to it from the end of the one before add up, although the
same operators move the robot in all of them, since the state tells whose step it is (a cost
partitioning that depends on the state: Keller, Pommerening, Seipp, Geisser and Mattmueller,
"State-dependent cost partitionings for Cartesian abstractions in classical planning", 2016). So the
cheapest assignment of ends of carries to beginnings of others is a lower bound. Something that is
no part of the goal may be carried in between; that takes picking it up and putting it down.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask, count_operators, has_axioms, read_row

Matrix = NDArray[np.float64]

ROUNDS = 300
"""Times that a piece of a tour is taken out and put back in the best way."""
PIECE = 0.3
"""The share of a tour that is taken out at most."""
PRICES, HIGHEST = 60, 4.0
"""Prices that are tried for leaving out a part, up to this multiple of what one takes by itself."""
NEVER = 1e9
"""What an impossible assignment costs."""


@dataclass(frozen=True)
class Carries:
    """Carries that fulfil k parts of a goal, by what they take of a resource."""

    parts: tuple[int, ...]
    alone: Matrix  # what each carry takes at least, float64[k]
    # what the way to each carry from the end of each other one takes at least; in the last row from
    # the initial state; float64[k + 1, k]
    way: Matrix
    # the (variable, value) that have to be reached once before some of the carries
    openings: tuple[tuple[int, int], ...]
    needs: NDArray[np.bool_]  # which of them each carry needs, bool[k, q]
    prices: Matrix  # what each of them takes at least, float64[q]
    # by how much more the way to a carry takes that leads by each of them, with the price of that;
    # float64[q, k + 1, k]
    detours: Matrix
    other: float  # what a carry of anything else takes at least
    amount: float

    def count_most(self) -> int:
        """Count the parts that can be fulfilled at most.

        Each part is left out at a price, which is put in the place of the limit of the resource
        (its Lagrangian relaxation); each price gives a bound, of which the least holds.
        """
        from scipy.optimize import linear_sum_assignment  # slow to import, and rarely needed

        size = len(self.parts)
        # What several carries need falls to each in equal shares.
        shares = self.needs @ (self.prices / np.maximum(1, self.needs.sum(axis=0)))
        own = (self.alone + shares)[:, None]
        after_others = np.repeat(own + self.other, size, axis=1)
        cost = np.minimum(np.hstack([self.way.T + own, after_others]), NEVER)
        most = size
        possible = own[own < NEVER]
        if not len(possible):
            return 0
        highest = HIGHEST * max(EPSILON, float(np.median(possible)))
        for price in np.linspace(0.0, highest, PRICES)[1:]:
            # A part that is left out goes before nothing but itself.
            np.fill_diagonal(cost[:, :size], price)
            rows, columns = linear_sum_assignment(cost)
            spare = (float(cost[rows, columns].sum()) - self.amount - EPSILON) / price
            most = min(most, math.floor(size - spare + EPSILON))
        return max(0, most)

    def find_tour(
        self, draw: np.random.Generator, check: Check
    ) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
        """Find an order of many parts that the resource lasts for, by these estimates.

        Returns:
            Numbers of parts, each with what has to be reached before.
        """
        best: list[int] = []
        spent = 0.0
        step = self._find_steps(best)
        tour = self._insert([], step)
        for _ in range(ROUNDS):
            check()
            step = self._find_steps(tour)
            while _measure(tour, step) > self.amount + EPSILON:
                tour.pop()
                step = self._find_steps(tour)
            if (len(tour), spent) >= (len(best), _measure(tour, step)):
                best, spent = tour, _measure(tour, step)
            if not best or len(best) == len(self.parts):
                break
            length = int(draw.integers(1, max(2, int(PIECE * len(best)))))
            begin = int(draw.integers(0, len(best) - length + 1))
            dropped = set(best[begin : begin + length])
            if draw.random() < 0.5:
                dropped = set(draw.choice(best, length, replace=False).tolist())
            tour = [one for one in best if one not in dropped]
            tour = self._insert(tour, self._find_steps(tour))
        firsts = [
            tuple(opening for opening, needed in zip(self.openings, row, strict=True) if needed)
            for row in self.needs.tolist()
        ]
        return tuple((self.parts[one], firsts[one]) for one in best)

    def _find_steps(self, tour: Sequence[int]) -> Matrix:
        """Find what each carry takes after each other one; the first in a tour opens for others."""
        pays = self.needs & ~self.needs[list(tour)].any(axis=0)
        for key in range(len(self.openings)):
            first = next((one for one in tour if self.needs[one, key]), None)
            if first is not None:
                pays[first, key] = True
        opening = (self.detours * pays.T[:, None, :]).sum(axis=0)
        return np.asarray(self.way + self.alone + opening, np.float64)

    def _insert(self, tour: Sequence[int], step: Matrix) -> list[int]:
        """Insert carries, always the one that takes least, while the resource lasts."""
        size = len(self.parts)
        tour = list(tour)
        left = self.amount - _measure(tour, step)
        waiting = np.array([one for one in range(size) if one not in set(tour)], np.int64)
        while len(waiting):
            before = np.array([size, *tour], np.int64)
            more = step[before][:, waiting]
            if tour:
                after = np.array(tour, np.int64)
                more[:-1] += step[waiting][:, after].T - step[before[:-1], after][:, None]
            place, chosen = np.unravel_index(int(np.argmin(more)), more.shape)
            if more[place, chosen] > left + EPSILON:
                break
            left -= float(more[place, chosen])
            tour.insert(int(place), int(waiting[chosen]))
            waiting = np.delete(waiting, chosen)
        return tour


def _measure(tour: Sequence[int], step: Matrix) -> float:
    return float(sum(step[one, other] for one, other in itertools.pairwise([-1, *tour])))


@dataclass(frozen=True)
class _Operator:
    """An operator: its needs, possible effects, and use of the resource."""

    needs: Mapping[int, int]
    effects: Mapping[int, int]
    use: float


@dataclass(frozen=True)
class _Carry:
    """The carry for one part.

    Attributes:
        takes, puts: all operators that begin and end carries of the thing.
    """

    part: int
    variable: int  # where its thing is; it changes in carries only
    begins: tuple[_Operator, ...]  # the operators that the first carry of the thing may begin with
    ends: tuple[_Operator, ...]
    takes: tuple[_Operator, ...]
    puts: tuple[_Operator, ...]


_Distance = Callable[[_Operator | None, _Operator], float]
"""What the way from where one operator ends, or from the initial state, to another one takes."""


class _Index:
    """Operators by their effects."""

    def __init__(self, operators: Sequence[_Operator]) -> None:
        self.changing: dict[int, list[_Operator]] = {}
        self.setting: dict[tuple[int, int], list[_Operator]] = {}
        for operator in operators:
            for variable, value in operator.effects.items():
                self.changing.setdefault(variable, []).append(operator)
                self.setting.setdefault((variable, value), []).append(operator)


def find_carries(
    task: FlatTask, parts: Sequence[Sequence[int]], goal_var: int, resource: int
) -> Carries | None:
    """Find the carries that parts of a goal need; None if things are not carried one at a time.

    Args:
        resource: the resource; no operator may give any of it.
    """
    if resource == task.clock or has_axioms(task) or bool((task.use[:, resource] < 0.0).any()):
        return None
    operators = _read_operators(task, resource)
    wanted = dict(_find_wanted(task, operators, parts, goal_var))
    index = _Index(operators)
    hand = _find_hand(index, wanted, task)
    if hand is None:
        return None
    carries = list(_find_carries(index, wanted, hand, task))
    place = _find_place(carries, index.changing[hand], hand)
    carries = [one for one in carries if _stays(one, place)]
    if not carries:
        return None
    return _measure_carries(task, index, carries, hand, place, resource)


def _read_operators(task: FlatTask, resource: int) -> list[_Operator]:
    return [
        _Operator(
            dict(read_row(task.pre_start, task.pre_var, task.pre_val, number)),
            dict(read_row(task.eff_start, task.eff_var, task.eff_val, number)),
            float(task.use[number, resource]),
        )
        for number in range(count_operators(task))
    ]


def _find_wanted(
    task: FlatTask, operators: Sequence[_Operator], parts: Sequence[Sequence[int]], goal_var: int
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the parts that want one variable to have one value, which it has not initially."""
    seen: set[int] = set()
    for number, ways in enumerate(parts):
        needs = [
            (variable, value)
            for variable, value in operators[ways[0]].needs.items()
            if variable != goal_var
        ]
        excluded = int(task.not_start[ways[0] + 1] - task.not_start[ways[0]])
        if len(ways) == 1 and len(needs) == 1 and not excluded and needs[0][0] not in seen:
            variable, value = needs[0]
            if task.initial[variable] != value:
                seen.add(variable)
                yield number, (variable, value)


def _find_hand(index: _Index, wanted: Mapping[int, tuple[int, int]], task: FlatTask) -> int | None:
    """Find the variable that says what is carried: what most operators that fulfil parts release.

    Its initial value means nothing. It must go from there to something and back, and never from
    one thing to another.
    """
    counted = Counter(
        variable
        for place in wanted.values()
        for operator in index.setting.get(place, ())
        for variable, value in operator.effects.items()
        if value == task.initial[variable] and operator.needs.get(variable, value) != value
    )
    conditional = task.cond_start[1:] != task.cond_start[:-1]
    for hand, _ in counted.most_common():
        free = int(task.initial[hand])
        proper = all(
            hand in one.needs and (one.needs[hand] == free) != (one.effects[hand] == free)
            for one in index.changing[hand]
        )
        if proper and not bool((conditional & (task.eff_var == hand)).any()):
            return hand
    return None


def _find_carries(
    index: _Index, wanted: Mapping[int, tuple[int, int]], hand: int, task: FlatTask
) -> Iterator[_Carry]:
    """Yield a carry for each part that only putting something down fulfils, one for each thing."""
    free = int(task.initial[hand])
    carried: set[int] = set()
    for part, (variable, value) in wanted.items():
        ends = tuple(index.setting.get((variable, value), ()))
        things = {one.needs.get(hand, free) for one in ends}
        if len(things) != 1:
            continue
        (thing,) = things
        takes = tuple(index.setting.get((hand, thing), ()))
        puts = tuple(one for one in index.changing[variable] if one.needs.get(hand) == thing)
        begins = tuple(
            one
            for one in takes
            if one.needs.get(variable, task.initial[variable]) == task.initial[variable]
        )
        moved = all(
            one.needs.get(hand) == thing or one.effects.get(hand) == thing
            for one in index.changing[variable]
        )
        releases = (one for one in index.changing[hand] if one.needs[hand] == thing)
        put_down = all(one.effects.get(hand) == free for one in puts) and all(
            variable in one.effects for one in releases
        )
        if thing != free and thing not in carried and begins and moved and put_down:
            carried.add(thing)
            yield _Carry(part, variable, begins, ends, takes, puts)


def _stays(carry: _Carry, place: int | None) -> bool:
    """Return True if a thing is taken where it was put: it moves in carries only."""
    if place is None:
        return True
    where: dict[int, set[int]] = {}
    for one in carry.puts:
        if carry.variable in one.effects:
            where.setdefault(one.effects[carry.variable], set()).add(one.needs.get(place, -1))
    for one in carry.takes:
        if carry.variable not in one.needs:
            return False
        where.setdefault(one.needs[carry.variable], set()).add(one.needs.get(place, -1))
    return all(len(found) == 1 for found in where.values())


def _measure_carries(
    task: FlatTask,
    index: _Index,
    carries: Sequence[_Carry],
    hand: int,
    place: int | None,
    resource: int,
) -> Carries:
    """Measure carries.

    A thing may be put down on the way. Then its carries together are no shorter, one of them is
    as good as the carry of something else, and the way to the first one counts.
    """
    distances = _measure_distances(task, index, place)

    def distance(one: _Operator | None, other: _Operator) -> float:
        if place is None:
            return 0.0
        start = int(task.initial[place]) if one is None else one.needs[place]
        return float(distances[start, other.needs[place]])

    alone, way = _measure_ways(carries, distance)
    openings = _find_openings(task, index, carries, {hand, *_none_or(place)})
    keys = sorted({opening for needed in openings for opening in needed})
    detours = np.zeros((len(keys), *way.shape))
    for detour, opening in zip(detours, keys, strict=True):
        by = [one for one in index.setting[opening] if place is None or place in one.needs]
        asking = [column for column, needed in enumerate(openings) if by and opening in needed]
        _measure_detour(detour, by, asking, carries, way, distance)
    return Carries(
        tuple(carry.part for carry in carries),
        alone,
        way,
        tuple(keys),
        np.array([[key in needed for key in keys] for needed in openings], bool),
        np.array([_find_price(index, opening) for opening in keys]),
        detours,
        _find_least_use(index.changing[hand], hand, int(task.initial[hand])),
        float(task.amount[resource] - task.low[resource]),
    )


def _measure_ways(carries: Sequence[_Carry], distance: _Distance) -> tuple[Matrix, Matrix]:
    """Measure what carries take by themselves, and on the ways to them."""
    size = len(carries)
    alone = [
        min(a.use + distance(a, b) + b.use for a in carry.begins for b in carry.ends)
        for carry in carries
    ]
    way = np.zeros((size + 1, size))
    for column, carry in enumerate(carries):
        for row, other in enumerate(carries):
            way[row, column] = min(distance(b, a) for b in other.ends for a in carry.begins)
        way[size, column] = min(distance(None, a) for a in carry.begins)
    return np.array(alone), way


def _measure_detour(
    detour: Matrix,
    by: Sequence[_Operator],
    asking: Sequence[int],
    carries: Sequence[_Carry],
    way: Matrix,
    distance: _Distance,
) -> None:
    """Measure by how much more the ways to some carries take that lead by an opening."""
    for column in asking:
        carry = carries[column]
        to = min(by, key=lambda one: distance(one, carry.begins[0]))
        onward = to.use + min(distance(to, a) for a in carry.begins)
        for row, ends in enumerate([*(one.ends for one in carries), (None,)]):
            before = min(distance(end, to) for end in ends)
            detour[row, column] = before + onward - way[row, column]


def _find_least_use(changing: Sequence[_Operator], hand: int, free: int) -> float:
    """Find what a carry takes at least: its beginning, and its end."""
    return sum(
        min((one.use for one in changing if (one.effects[hand] == free) is ends), default=0.0)
        for ends in (False, True)
    )


def _none_or(variable: int | None) -> tuple[int, ...]:
    return () if variable is None else (variable,)


def _find_place(carries: Sequence[_Carry], changing: Sequence[_Operator], hand: int) -> int | None:
    """Find a variable that all carries need a value of, and none of them changes."""
    ends = [one for carry in carries for one in (*carry.takes, *carry.puts)]
    if not ends:
        return None
    common = set.intersection(*(set(one.needs) for one in ends)) - {hand}
    common -= {variable for one in changing for variable in one.effects}
    return max(common, key=lambda v: len({one.needs[v] for one in ends}), default=None)


def _measure_distances(task: FlatTask, index: _Index, place: int | None) -> Matrix:
    """Measure what changing a variable from one value to another takes at least."""
    if place is None:
        return np.zeros((0, 0))
    from scipy.sparse import csr_matrix  # slow to import, and rarely needed
    from scipy.sparse.csgraph import dijkstra

    size = int(task.domain[place])
    edges = np.full((size, size), np.inf)
    for one in index.changing.get(place, ()):
        to = one.effects[place]
        for source in [one.needs[place]] if place in one.needs else range(size):
            # A sparse graph has no edges that cost nothing.
            edges[source, to] = min(edges[source, to], max(one.use, EPSILON * EPSILON))
    edges[~np.isfinite(edges)] = 0.0
    found: Matrix = np.minimum(dijkstra(csr_matrix(edges)), NEVER)
    return found


def _find_openings(
    task: FlatTask, index: _Index, carries: Sequence[_Carry], aside: set[int]
) -> list[set[tuple[int, int]]]:
    """Find what has to be reached once before each carry."""
    own = {v for carry in carries for one in (*carry.begins, *carry.ends) for v in one.effects}
    found: list[set[tuple[int, int]]] = []
    for carry in carries:
        both = set()
        for ways in (carry.begins, carry.ends):
            both |= set.intersection(*(set(one.needs.items()) for one in ways))
        found.append(
            {
                (variable, value)
                for variable, value in both
                if variable not in aside | own
                and task.initial[variable] != value
                and (variable, value) in index.setting
            }
        )
    return found


def _find_price(index: _Index, opening: tuple[int, int]) -> float:
    """Find what an opening takes that counts for nothing else."""
    return min(
        one.use if set(one.effects) == {opening[0]} else 0.0 for one in index.setting[opening]
    )
