# SPDX-License-Identifier: Apache-2.0
"""A scene as one self-contained HTML page without scripts: from above, and in tables.

RViz and Foxglove show it in three dimensions, by the markers of nodes/scene_graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from fcp_ros.binding.label_types import TypeChoice
from fcp_ros.foundation.labels import describe_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.report.floor_plan import draw_floor_plan
from fcp_ros.report.node_names import explain_choice, group_by_label
from fcp_ros.report.pages import make_environment, write_page
from fcp_ros.scene import Layer, SceneGraph, summarise

ROWS = 200  # Largest number of rows of a table in the page

PLAN_NODES = 2_000
"""Scenes with more nodes than this get no plan: it would be unreadable and slow to draw."""

PLAN_WIDTH = 8.8
"""Width of the plan [inches], so that its letters are as large as those of the page."""


def write_scene_page(
    graph: SceneGraph, typing: Mapping[str, TypeChoice], domain: str, path: Path
) -> None:
    write_page(render_scene_page(graph, typing, domain), path)


def render_scene_page(graph: SceneGraph, typing: Mapping[str, TypeChoice], domain: str) -> str:
    """Render a scene as an HTML document, with the choice of each element's type by node id."""
    placed = [node for node in graph.nodes.values() if node.pose is not None]
    drawn = sum(node.layer is not Layer.PLACE for node in placed) <= PLAN_NODES
    return (
        make_environment()
        .get_template("scene.html.j2")
        .render(
            title=Path(graph.source).name or "scene",
            source=graph.source,
            summary=summarise(graph),
            relation_count=graph.relation_count,
            domain=domain,
            unplaced=len(graph.nodes) - len(placed),
            # The plan is made here from escaped text; the template escapes everything else.
            floor_plan=Markup(draw_floor_plan(graph, (), "plan", width=PLAN_WIDTH))
            if drawn
            else "",
            groups=group_by_label(graph, typing),
            notes=graph.notes,
            rows=ROWS,
            plan_nodes=PLAN_NODES,
            why=explain_choice,
            describe_label=describe_label,
            list_names=list_names,
        )
    )
