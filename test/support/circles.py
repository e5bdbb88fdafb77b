# SPDX-License-Identifier: Apache-2.0
"""Circles of things that lie on or in one another, found by following every way."""

from __future__ import annotations

from fcp_ros.scene import SceneGraph


def find_circle(graph: SceneGraph, *names: str) -> list[str]:
    """Return the things that lead back to themselves, by ``on`` and ``inside`` unless named."""
    above: dict[str, set[str]] = {}
    for relation in graph.relations:
        if relation.name in (names or ("on", "inside")) and len(relation.elements) == 2:
            above.setdefault(relation.elements[0], set()).add(relation.elements[1])
    return [start for start in above if start in _follow(above, start)]


def find_parent_circle(graph: SceneGraph) -> list[str]:
    """Return the nodes that are above themselves."""
    above = {node.id: set(node.parents) for node in graph.nodes.values()}
    return [start for start in above if start in _follow(above, start)]


def _follow(above: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(above.get(start, ()))
    while waiting:
        item = waiting.pop()
        if item not in reached:
            reached.add(item)
            waiting += above.get(item, ())
    return reached
