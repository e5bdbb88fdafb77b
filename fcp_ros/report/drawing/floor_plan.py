# SPDX-License-Identifier: Apache-2.0
"""The scene from above, with the route of a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch, Polygon

from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning import PlanStep
from fcp_ros.report.drawing import figure as palette
from fcp_ros.report.drawing.figure import STYLE, new_figure, to_svg
from fcp_ros.report.drawing.label_placement import CHARACTER_WIDTH, TextLabel, place_labels
from fcp_ros.report.names import to_words
from fcp_ros.scene import Layer, SceneGraph, SceneNode
from fcp_ros.scene.shapes.route import Stop, trace_route

WIDTH = 6.2
"""Width of the picture [inches]."""

LONGEST_NAME = 40
"""Longer names are cut short [characters]."""

MOST_NAMES = 400
"""With more things than this, none is named: the names would be unreadable and slow to place."""

ITEM_FOOTPRINT = 0.12
"""Things with a smaller footprint [m^2] are drawn as a dot with the name beside it."""


def draw_floor_plan(
    graph: SceneGraph, steps: Sequence[PlanStep], prefix: str, highlight: Sequence[str] = ()
) -> str:
    """Draw rooms, furniture, things and the route, x to the right and y up.

    Args:
        graph: the scene before the plan.
        steps: the plan's steps; empty draws the scene alone.
        prefix: unique in the page (see ``to_svg``).
        highlight: ids of things to point out, such as the chosen candidate.

    Returns:
        One ``<svg>`` element; an empty string if no node has a known pose.
    """
    placed = [node for node in graph.nodes.values() if node.pose is not None]
    if not placed:
        return ""
    with rc_context(STYLE):
        west, south, east, north = _find_bounds(placed)
        height = min(6.5, max(2.4, WIDTH * (north - south) / max(east - west, 1e-6)))
        figure = new_figure(WIDTH, height + 0.4)
        axes = figure.add_subplot()
        _draw_rooms(axes, placed)
        _draw_places(axes, placed)
        _draw_things(axes, placed, frozenset(highlight))
        named = [[name for _, name in step.arguments] for step in steps]
        badges = _draw_route(axes, trace_route(graph, named))
        axes.set_xlim(west, east)
        axes.set_ylim(south, north)
        axes.set_aspect("equal")
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        scale = min(WIDTH / (east - west), height / (north - south)) * 72 * 0.9
        _draw_labels(axes, placed, badges, scale)
        return to_svg(figure, "The scene from above with the route of the plan", prefix)


def _find_bounds(nodes: Sequence[SceneNode]) -> tuple[float, float, float, float]:
    points = [point for node in nodes for point in (*node.polygon, *_find_outline(node))]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    margin = 0.04 * max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def _find_outline(node: SceneNode) -> list[tuple[float, float]]:
    """Find the corners of the node's box from above, or its position if the box is unknown."""
    assert node.pose is not None  # callers keep placed nodes only
    x, y, _ = node.pose.position
    if node.size is None:
        return [(x, y)]
    cos, sin = math.cos(node.pose.yaw), math.sin(node.pose.yaw)
    half_x, half_y = node.size[0] / 2, node.size[1] / 2
    corners = ((half_x, half_y), (-half_x, half_y), (-half_x, -half_y), (half_x, -half_y))
    return [(x + cos * dx - sin * dy, y + sin * dx + cos * dy) for dx, dy in corners]


def _draw_rooms(axes: Axes, nodes: Sequence[SceneNode]) -> None:
    for node in nodes:
        outline = list(node.polygon) or _find_outline(node)
        if node.layer is Layer.ROOM and len(outline) >= 3:
            axes.add_patch(
                Polygon(
                    outline,
                    facecolor=palette.ROOM,
                    edgecolor=palette.ROOM_EDGE,
                    linewidth=1.6,
                    zorder=1,
                )
            )


def _draw_places(axes: Axes, nodes: Sequence[SceneNode]) -> None:
    """Draw the free-space places of a mapped scene as faint dots."""
    points = [
        node.pose.position for node in nodes if node.layer is Layer.PLACE and node.pose is not None
    ]
    if points:
        axes.scatter(
            [p[0] for p in points],
            [p[1] for p in points],
            s=5,
            color=palette.ROOM_EDGE,
            alpha=0.5,
            linewidths=0,
            zorder=2,
        )


def _draw_things(axes: Axes, nodes: Sequence[SceneNode], highlight: frozenset[str]) -> None:
    for node in sorted(filter(_is_drawn, nodes), key=lambda node: -_compute_area(node)):
        x, y = _get_position(node)
        marked = node.id in highlight
        if node.layer is Layer.AGENT:
            axes.plot(
                [x],
                [y],
                marker="^",
                markersize=9,
                color=palette.INK,
                markeredgecolor=palette.PAPER,
                zorder=7,
            )
        elif _is_large(node):
            axes.add_patch(
                Polygon(
                    _find_outline(node),
                    facecolor=palette.FURNITURE,
                    edgecolor=palette.ROUTE if marked else palette.FURNITURE_EDGE,
                    linewidth=1.8 if marked else 0.9,
                    zorder=3,
                )
            )
        else:
            axes.plot(
                [x],
                [y],
                marker="o",
                markersize=6 if marked else 5,
                color=palette.ITEM,
                markeredgecolor=palette.ROUTE if marked else palette.PAPER,
                markeredgewidth=1.6 if marked else 0.8,
                zorder=5,
            )


def _draw_labels(
    axes: Axes, nodes: Sequence[SceneNode], badges: Sequence[tuple[float, float]], scale: float
) -> None:
    """Write the names of rooms and things without overlaps; ``scale`` is in points per metre."""
    drawn = [node for node in nodes if _is_drawn(node)]
    if len(drawn) > MOST_NAMES:
        drawn = []
    order = sorted(drawn, key=lambda node: (node.layer is not Layer.AGENT, not _is_large(node)))
    rooms = [node for node in nodes if node.layer is Layer.ROOM]
    labels = [_make_label(node, scale) for node in (*order, *rooms)]
    taken = [(x * scale - 9, y * scale - 20, x * scale + 9, y * scale - 8) for x, y in badges]
    taken += [
        (node_x * scale - 3, node_y * scale - 3, node_x * scale + 3, node_y * scale + 3)
        for node_x, node_y in (_get_position(node) for node in drawn if not _is_large(node))
    ]
    leaders = []
    for node, placed in zip((*order, *rooms), place_labels(labels, taken), strict=True):
        room = node.layer is Layer.ROOM
        small = not room and not _is_large(node) and node.layer is Layer.OBJECT
        x, y = placed.label.x / scale, placed.label.y / scale
        axes.annotate(
            placed.label.text,
            (x, y),
            xytext=(placed.dx, placed.dy),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=placed.label.size,
            color=palette.MUTED if room else palette.ITEM if small else palette.INK,
            fontstyle="italic" if room else "normal",
            parse_math=False,  # a name may contain $
            zorder=10,
        )
        if small and placed.needs_leader:
            leaders.append(
                [(x + dx / scale, y + dy / scale) for dx, dy in placed.trace_leader(gap=2.0)]
            )
    lines = LineCollection(leaders, colors=palette.ITEM, linewidths=0.5, zorder=10, clip_on=False)
    axes.add_collection(lines, autolim=False)


def _make_label(node: SceneNode, scale: float) -> TextLabel:
    """Make the label of a node; a room's is at its upper left corner, not in its middle."""
    text = to_printable(to_words(node.id, node.category))
    text = (
        text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"
    )
    if node.layer is not Layer.ROOM:
        x, y = _get_position(node)
        large = _is_large(node) and node.layer is Layer.OBJECT
        return TextLabel(text, x * scale, y * scale, 8.0 if large else 7.5, centred=large)
    outline = list(node.polygon) or _find_outline(node)
    half = 9.0 * CHARACTER_WIDTH * len(text) / 2
    return TextLabel(
        text,
        min(x for x, _ in outline) * scale + half + 4,
        max(y for _, y in outline) * scale - 9,
        9.0,
        centred=True,
    )


def _draw_route(axes: Axes, route: Sequence[Stop]) -> list[tuple[float, float]]:
    """Draw the route with the numbers of the steps; return the positions of the numbers."""
    for before, after in pairwise(route):
        axes.add_patch(
            FancyArrowPatch(
                (before.x, before.y),
                (after.x, after.y),
                arrowstyle="-|>",
                mutation_scale=11,
                color=palette.ROUTE,
                linewidth=1.7,
                alpha=0.85,
                zorder=8,
                connectionstyle="arc3,rad=0.12",
                shrinkA=4,
                shrinkB=6,
            )
        )
    numbers: dict[tuple[float, float], list[int]] = {}
    for stop in route:  # one badge for each place, even if the robot comes back to it
        if stop.steps:
            numbers.setdefault((stop.x, stop.y), []).extend(stop.steps)
    for (x, y), steps in numbers.items():
        text = ", ".join(str(index + 1) for index in steps)
        axes.annotate(
            text,
            (x, y),
            xytext=(0, -14),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7.5,
            fontweight="bold",
            color=palette.PAPER,
            zorder=9,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": palette.ROUTE, "edgecolor": "none"},
        )
    return list(numbers)


def _is_drawn(node: SceneNode) -> bool:
    return node.layer is Layer.AGENT or (
        node.layer is Layer.OBJECT and node.category not in ("floor", "passage")
    )


def _is_large(node: SceneNode) -> bool:
    return _compute_area(node) >= ITEM_FOOTPRINT


def _get_position(node: SceneNode) -> tuple[float, float]:
    assert node.pose is not None  # callers keep placed nodes only
    return node.pose.position[0], node.pose.position[1]


def _compute_area(node: SceneNode) -> float:
    return node.size[0] * node.size[1] if node.size is not None else 0.0
