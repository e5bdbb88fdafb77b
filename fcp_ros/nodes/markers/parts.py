# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene that are drawn, in the order of their importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.nodes.markers.drawing import Drawing
from fcp_ros.nodes.markers.elements import (
    draw_boxes,
    draw_doors,
    draw_robots,
    draw_rooms,
    label_robots,
    label_rooms,
    label_things,
)
from fcp_ros.nodes.markers.relations import draw_relations
from fcp_ros.nodes.markers.route import PlanSteps, draw_route
from fcp_ros.scene.graph.graph import SceneGraph

RELATIONS = ("on", "inside", "under", "near", "adjacent", "connected", "holding")
"""Relations that are drawn by default: not in_room, which is obvious."""


@dataclass(frozen=True)
class View:
    """The content of the markers.

    Attributes:
        graph: The scene.
        steps: The present plan; empty for none.
        relations: Names of the relations to draw.
    """

    graph: SceneGraph
    steps: PlanSteps = ()
    relations: frozenset[str] = frozenset(RELATIONS)


_ORDER: tuple[tuple[str, Callable[[View], Iterable[Drawing]]], ...] = (
    ("plan", lambda view: draw_route(view.graph, view.steps)),
    ("robots", lambda view: draw_robots(view.graph)),
    ("rooms", lambda view: draw_rooms(view.graph)),
    ("doors", lambda view: draw_doors(view.graph)),
    ("boxes", lambda view: draw_boxes(view.graph)),
    ("relations", lambda view: draw_relations(view.graph, view.relations)),
    ("labels", lambda view: label_robots(view.graph)),
    ("labels", lambda view: label_rooms(view.graph)),
    ("labels", lambda view: label_things(view.graph)),
)

PARTS: Mapping[str, str] = {
    "rooms": "rooms, floors",
    "doors": "doors",
    "boxes": "boxes",
    "robots": "robots",
    "relations": "relations/<name>",
    "labels": "labels/rooms, labels/robots, labels/things",
    "plan": "plan/route, plan/steps",
}
"""Parts that can be chosen -> their namespaces."""


def draw_parts(view: View, parts: Iterable[str]) -> Iterator[Drawing]:
    """Draw the chosen parts, most important first: labels are the first to be left out."""
    chosen = frozenset(parts)
    for part, draw in _ORDER:
        if part in chosen:
            yield from draw(view)
