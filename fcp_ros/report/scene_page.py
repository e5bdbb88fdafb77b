# SPDX-License-Identifier: Apache-2.0
"""A scene as one self-contained HTML page: in 3D, from above, and in tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fcp_ros.binding.label_types import TypeChoice
from fcp_ros.foundation.labels import describe_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.report.drawing import figure as palette
from fcp_ros.report.drawing.floor_plan import ITEM_FOOTPRINT, draw_floor_plan
from fcp_ros.report.names import explain_choice, group_by_label, to_words
from fcp_ros.scene import Layer, SceneGraph, SceneNode, summarise
from fcp_ros.scene.graph.roles import is_door, is_floor

ROWS = 200
"""Largest number of rows of a table in the page."""

PLAN_NODES = 2_000
"""Scenes with more nodes than this get no plan: it would be unreadable and slow to draw."""

PLAN_WIDTH = 8.8
"""Width of the plan [inches], so that its letters are as large as those of the page."""

SHOWN = ("on", "inside", "attached")
"""Relations whose lines are shown at the start; others are switched on when they are wanted."""

ON_FLOOR = "on the floor"

_POINT = 0.08
"""Side [m] of the cube that represents a node of unknown size."""

_WALL = 2.5
"""Height [m] of a room's outline if the scene does not give it."""


@dataclass(frozen=True)
class _NodeStyle:
    """A group of nodes with one colour that is switched on and off together.

    Attributes:
        name: Its name.
        colour: Its colour.
        on: Shown at the start.
        lines: Boxes have visible edges, and names.
        clear: Boxes can be seen through.
    """

    name: str
    colour: str
    on: bool = True
    lines: bool = True
    clear: bool = False


_ROOMS, _FLOORS, _FURNITURE, _THINGS, _DOORS, _AGENTS, _PLACES, _ABOVE = range(8)
_STYLES = (
    _NodeStyle("rooms", palette.ROOM_EDGE),
    _NodeStyle("floors", palette.FAINT, on=False, lines=False),
    _NodeStyle("furniture", palette.FURNITURE_EDGE),
    _NodeStyle("things", palette.ITEM),
    _NodeStyle("doors", palette.GOOD, clear=True),
    _NodeStyle("agents", palette.ROUTE),
    _NodeStyle("places", palette.MUTED, on=False, lines=False),
    _NodeStyle("buildings and storeys", palette.FAINT, on=False, lines=False),
)


def write_scene_page(
    graph: SceneGraph, typing: Mapping[str, TypeChoice], domain: str, path: Path
) -> None:
    """Write the page of ``render_scene_page``."""
    page = render_scene_page(graph, typing, domain)
    path.write_text(
        page, encoding="utf-8", errors="xmlcharrefreplace"
    )  # a name may hold half a surrogate pair


def render_scene_page(graph: SceneGraph, typing: Mapping[str, TypeChoice], domain: str) -> str:
    """Render a scene as a complete HTML document.

    Args:
        graph: The scene.
        typing: The choice of each element's type in the domain, by node id.
        domain: Name of the domain.
    """
    loader = PackageLoader("fcp_ros.report", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    placed = [node for node in graph.nodes.values() if node.pose is not None]
    drawn = sum(node.layer is not Layer.PLACE for node in placed) <= PLAN_NODES
    source, _, _ = loader.get_source(environment, "scene_view.js")
    return environment.get_template("scene.html.j2").render(
        title=Path(graph.source).name or "scene",
        source=graph.source,
        summary=summarise(graph),
        relation_count=graph.relation_count,
        domain=domain,
        unplaced=len(graph.nodes) - len(placed),
        # These three are made here from escaped text; the template escapes everything else.
        floor_plan=Markup(draw_floor_plan(graph, (), "plan", width=PLAN_WIDTH)) if drawn else "",
        data=Markup(_dump_for_html(_make_view_data(graph, placed, typing))),
        script=Markup(source),
        groups=group_by_label(graph, typing),
        notes=graph.notes,
        rows=ROWS,
        plan_nodes=PLAN_NODES,
        why=explain_choice,
        describe_label=describe_label,
        list_names=list_names,
    )


def _dump_for_html(value: object) -> str:
    """Dump JSON that cannot end its script element, whatever names it contains."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _make_view_data(
    graph: SceneGraph, placed: Sequence[SceneNode], typing: Mapping[str, TypeChoice]
) -> dict[str, Any]:
    """Make the input of scene_view.js; lengths in metres, to the millimetre."""
    index = {node.id: position for position, node in enumerate(placed)}
    ends = _find_ends(graph)
    return {
        "kinds": [asdict(style) for style in _STYLES],
        "nodes": [_make_node(node, typing.get(node.id)) for node in placed],
        "rooms": [
            _make_room(node, ends.get(node.id, ()))
            for node in placed
            if node.layer is Layer.ROOM and node.polygon
        ],
        "relations": _make_lines(graph, index),
    }


def _make_node(node: SceneNode, choice: TypeChoice | None) -> list[Any]:
    assert node.pose is not None  # callers keep placed nodes only
    numbers = (*node.pose.position, *(node.size or (_POINT,) * 3))
    return [
        node.id,
        describe_label(node.category),
        "" if choice is None else choice.type,
        _choose_style(node),
        *(round(number, 3) for number in numbers),
        *(round(number, 4) for number in node.pose.orientation),
        to_words(node.id, node.category),
    ]


def _choose_style(node: SceneNode) -> int:
    if node.layer is not Layer.OBJECT:
        by_layer = {Layer.ROOM: _ROOMS, Layer.AGENT: _AGENTS, Layer.PLACE: _PLACES}
        return by_layer.get(node.layer, _ABOVE)
    if is_floor(node):
        return _FLOORS
    if is_door(node):
        return _DOORS
    footprint = node.size[0] * node.size[1] if node.size is not None else 0.0
    return _FURNITURE if footprint >= ITEM_FOOTPRINT else _THINGS


def _make_room(node: SceneNode, ends: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Make a room's walls; without a known height they begin below the lowest thing in it."""
    assert node.pose is not None
    height = node.height or (node.size[2] if node.size is not None else 0.0)
    low = node.pose.position[2] - height / 2.0
    if not height:
        low = min((bottom for bottom, _ in ends), default=low)
        xs, ys = zip(*node.polygon, strict=True)
        height = min(_WALL, 0.6 * max(max(xs) - min(xs), max(ys) - min(ys)))
        height = max([height, *(top - low for _, top in ends)])
    return {
        "name": to_words(node.id, node.category),
        "low": round(low, 3),
        "high": round(low + height, 3),
        "outline": [round(number, 3) for corner in node.polygon for number in corner],
    }


def _find_ends(graph: SceneGraph) -> dict[str, list[tuple[float, float]]]:
    """Find the lower and upper ends of the things in each room, other than floors."""
    ends: dict[str, list[tuple[float, float]]] = {}
    for relation in graph.relations_named("in_room"):
        thing = graph.nodes[relation.elements[0]]
        if thing.pose is not None and not is_floor(thing):
            half = thing.size[2] / 2.0 if thing.size is not None else 0.0
            own = (thing.pose.position[2] - half, thing.pose.position[2] + half)
            ends.setdefault(relation.elements[-1], []).append(own)
    return ends


def _make_lines(graph: SceneGraph, index: Mapping[str, int]) -> list[dict[str, Any]]:
    """List the ends of lines by relation, each line once; a passage lies between its two rooms.

    Lines to floors are a group of their own: nearly everything has one.
    """
    lines: dict[str, dict[tuple[int, int], None]] = {}
    for relation in graph.relations:
        legs = relation.elements
        if relation.name == "connected" and len(legs) == 3:
            legs = (legs[0], legs[2], legs[1])
        on_floor = relation.name == "on" and is_floor(graph.nodes[legs[-1]])
        ends = lines.setdefault(ON_FLOOR if on_floor else relation.name, {})
        known = [index[leg] for leg in legs if leg in index]
        for first, second in pairwise(known):
            if (second, first) not in ends:
                ends[first, second] = None
    names = sorted(filter(lines.get, lines), key=lambda name: (name not in SHOWN, name))
    return [
        {"name": name, "on": name in SHOWN, "ends": [end for pair in lines[name] for end in pair]}
        for name in names
    ]
