# SPDX-License-Identifier: Apache-2.0
"""Why a presentation does not end: the cycle of functions that leads to ever new elements."""

from collections.abc import Iterator, Sequence

from fcp_ros.cset.limits.congruence import Congruence

_LONGEST = 50
"""Cycles that are longer are not looked for."""


def endless_cycle(congruence: Congruence, start: int, path: Sequence[str]) -> str:
    """A sentence on what to do about elements that never end.

    A cycle is blamed where following it from its first element, as far as elements have been
    created, never comes back to one that was passed.

    Args:
        congruence: where elements are created.
        start: a node that was given.
        path: the functions that lead from it to the element that is furthest away.
    """
    nodes = [congruence.find(start)]
    for step in path:
        nodes.append(_follow(congruence, nodes[-1], (step,)) or nodes[-1])
    types = [congruence.types(node)[0] for node in nodes]
    for first, length in _segments(types, path):
        cycle = path[first : first + length]
        if _goes_on(congruence, nodes[types.index(types[first])], cycle):
            arrows = "".join(
                f" -{step}-> {type_}"
                for step, type_ in zip(cycle, types[first + 1 :], strict=False)
            )
            return (
                f"the cycle of functions {types[first]}{arrows} seems to lead to ever new "
                "elements; add an equation that ends it, or raise the bound"
            )
    return "no cycle of functions was seen that leads to ever new elements, so raise the bound"


def _segments(types: Sequence[str], path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(start, length) of the different parts of a path that are cycles, short ones first."""
    seen = set()
    for length in range(1, min(len(path), _LONGEST) + 1):
        for first in range(len(path) - length + 1):
            word = (types[first], *path[first : first + length])
            if types[first] == types[first + length] and word not in seen:
                seen.add(word)
                yield first, length


def _goes_on(congruence: Congruence, node: int, cycle: Sequence[str]) -> bool:
    passed = {node}
    while True:
        following = _follow(congruence, node, cycle)
        if following is None:
            return True
        if following in passed:
            return False
        passed.add(following)
        node = following


def _follow(congruence: Congruence, node: int, path: Sequence[str]) -> int | None:
    for step in path:
        value = congruence.value(node, step)
        if value is None:
            return None
        node = congruence.find(value)
    return node
