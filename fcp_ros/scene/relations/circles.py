# SPDX-License-Identifier: Apache-2.0
"""Things that would lie on or in themselves, by given and derived places taken together.

Sources are wrong at times: one says that the table is on the mug, whose box is on the table's.
Given places have no circle among themselves (``graph/checks.py``), but with derived ones they may;
and boxes that are thinner than the tolerances may be on and inside one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_LEVELS = 6  # Usual height of a stack of things
FindHolders = Callable[[str], Sequence[str]]  # Returns all that a thing is on or inside of


def drop_supported(holders: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the things that may be in circles, after a few cheap rounds."""
    left = list(holders)
    for _ in range(_LEVELS):
        names = set(left)
        fewer = [item for item in left if not names.isdisjoint(holders[item])]
        if len(fewer) == len(left):
            break
        left = fewer
    return left


def find_circular(starts: Iterable[str], find_holders: FindHolders) -> set[str]:
    """Find the things that starts lead to and that lie on or in themselves, however indirectly."""
    return set().union(*find_circles(starts, find_holders))


def find_circles(starts: Iterable[str], find_holders: FindHolders) -> list[set[str]]:
    """Find ``find_circular``, apart where they don't hold each other both ways.

    Strongly connected components of two things and more (Tarjan 1972), in linear time.
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: dict[str, None] = {}
    circles: list[set[str]] = []
    for start in starts:
        if start in number:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        entered: str | None = start
        while entered is not None or path:
            if entered is not None:
                number[entered] = lowest[entered] = len(number)
                waiting[entered] = None
                path.append((entered, iter(find_holders(entered))))
            item, rest = path[-1]
            entered = next(rest, None)
            if entered is None:
                path.pop()
                if path:
                    below = path[-1][0]
                    lowest[below] = min(lowest[below], lowest[item])
                if lowest[item] == number[item]:
                    component = _take_component(waiting, item)
                    circles += [component] if component else []
            elif entered in number:
                if entered in waiting:
                    lowest[item] = min(lowest[item], number[entered])
                entered = None
    return circles


def _take_component(waiting: dict[str, None], first: str) -> set[str]:
    """Take a component, from ``first`` on, from what waits; return it if it is a circle."""
    component = set()
    item = ""
    while item != first:
        item = waiting.popitem()[0]
        component.add(item)
    return component if len(component) > 1 else set()


FindEdges = Callable[[str], Iterable[tuple[str, bool]]]
"""Yields all that holds a thing, and whether it lies on or in that (else it is attached to it)."""


def leads_back(start: str, end: str, find_edges: FindEdges) -> bool:
    """Return True if a way from one thing to another goes along something that lies on or in.

    Things that are attached to one another are no circle: none of them has to be first.
    """
    passed: set[tuple[str, bool]] = set()
    waiting = [(start, False)]
    while waiting:
        state = waiting.pop()
        if state == (end, True):
            return True
        if state not in passed:
            passed.add(state)
            waiting += [(above, state[1] or firm) for above, firm in find_edges(state[0])]
    return False
