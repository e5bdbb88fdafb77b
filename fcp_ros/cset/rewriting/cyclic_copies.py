# SPDX-License-Identifier: Apache-2.0
"""Copies of elements that refer to each other in cycles, as the edges of symmetric graphs do.

Over an element g the final pullback complement has the lifts along D -> G of the morphism to G that
g is, from the freest instance with one element of its type (the Yoneda lemma). Elements of that are
paths that start at g: a lift chooses a copy of what each leads to, wherever copies are known.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.limits.extension import extend
from fcp_ros.cset.limits.presentation import Term, present
from fcp_ros.cset.rewriting.copies import Copies

_START = "start"
_MOST_PATHS = 1_000

Lift = Mapping[int, int]


@dataclass(frozen=True)
class _Unfolding:
    """The paths from an element, those that the path equations make equal being one.

    Attributes:
        paths: an instance with an element for each path.
        start: the empty path.
        ends: the element of G to which each path leads.
    """

    paths: Instance
    start: int
    ends: Mapping[int, int]


def copy_cyclic(state: Instance, copies: Copies, waiting: Mapping[int, Mapping[str, int]]) -> None:
    """Copy elements whose copies depend on each other.

    Args:
        state: G.
        copies: of everything else; completed here.
        waiting: the elements, with what their functions lead to.

    Raises:
        PresentationError: there are infinitely many paths from one, or more than 1,000.
    """
    unfoldings = {element: _unfold(state, element) for element in waiting}
    lifts: dict[int, list[Lift]] = {}
    numbers: dict[int, dict[frozenset[tuple[int, int]], int]] = {}
    for element, unfolding in unfoldings.items():
        lifts[element] = list(_lifts(unfolding, copies, waiting.keys()))
        made = copies.make(element, len(lifts[element]))
        keys = (frozenset(lift.items()) for lift in lifts[element])
        numbers[element] = dict(zip(keys, made, strict=True))
    for element, values in waiting.items():
        here = unfoldings[element]
        for lift, copy in zip(lifts[element], numbers[element].values(), strict=True):
            for function, value in values.items():
                place = here.paths.apply(function, here.start)
                if value in waiting:
                    rest = _restricted(lift, here.paths, place, unfoldings[value])
                    copies.set(function, copy, numbers[value][rest])
                else:
                    copies.set(function, copy, lift[place])


def _unfold(state: Instance, element: int) -> _Unfolding:
    """The paths from an element, through elements of the types that they have in the state."""
    types = {_START: state.type_of(element)}
    equations: list[tuple[Term, str]] = []
    while True:
        presented = present(state.schema, types, equations, bound=_MOST_PATHS)
        start = presented.generators[_START]
        ends, routes = {start: element}, {start: Term(_START)}
        places = list(_reached(presented.instance, state, ends, routes))
        narrower = [p for p in places if presented.instance.type_of(p) != state.type_of(ends[p])]
        if not narrower:
            return _Unfolding(presented.instance, start, ends)
        for place in narrower:
            # What a function leads to may be of a subtype, with functions of its own.
            name = f"{_START}_{len(types)}"
            types[name] = state.type_of(ends[place])
            equations.append((routes[place], name))


def _reached(
    paths: Instance, state: Instance, ends: dict[int, int], routes: dict[int, Term]
) -> Iterator[int]:
    """Every path, once its end and its functions are noted."""
    open_ = list(ends)
    while open_:
        place = open_.pop()
        for function in paths.schema.functions_of(paths.type_of(place)):
            value = paths.apply(function.name, place)
            if value not in ends:
                ends[value] = state.apply(function.name, ends[place])
                routes[value] = Term(_START, (*routes[place].path, function.name))
                open_.append(value)
        yield place


def _lifts(unfolding: _Unfolding, copies: Copies, waiting: Collection[int]) -> Iterator[Lift]:
    """All ways of choosing copies of what the paths lead to, in agreement with functions."""
    known = [place for place, end in unfolding.ends.items() if end not in waiting]
    partial: list[dict[int, int]] = [{}]
    while partial:
        lift = partial.pop()
        place = next((place for place in known if place not in lift), None)
        if place is None:
            yield lift
            continue
        for copy in reversed(copies.of(unfolding.ends[place])):
            larger = _chosen(unfolding.paths, copies, lift, place, copy)
            if larger is not None:
                partial.append(larger)


def _chosen(
    paths: Instance, copies: Copies, lift: Lift, place: int, copy: int
) -> dict[int, int] | None:
    """The lift with one more choice, and all that follows from it; None if that contradicts it."""
    larger = {**lift, place: copy}
    open_ = [place]
    while open_:
        place = open_.pop()
        for function in paths.schema.functions_of(paths.type_of(place)):
            value = paths.apply(function.name, place)
            follows = copies.value(function.name, larger[place])
            if value not in larger:
                larger[value] = follows
                open_.append(value)
            elif larger[value] != follows:
                return None
    return larger


def _restricted(
    lift: Lift, paths: Instance, place: int, unfolding: _Unfolding
) -> frozenset[tuple[int, int]]:
    """What a lift chooses for the paths that go on from one place."""
    mapping = {unfolding.start: place}
    extend(unfolding.paths, paths, mapping)
    return frozenset((inner, lift[outer]) for inner, outer in mapping.items() if outer in lift)
