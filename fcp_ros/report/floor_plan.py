# SPDX-License-Identifier: Apache-2.0
"""The scene from above, with the route of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning import PlanStep
from fcp_ros.report import figure as palette
from fcp_ros.report.figure import STYLE, new_figure, to_svg
from fcp_ros.report.label_placement import (
    LINE_HEIGHT,
    FittedName,
    PlacedLabel,
    TextLabel,
    fit_name,
    place_labels,
)
from fcp_ros.report.node_names import to_words
from fcp_ros.scene import Layer, SceneGraph, SceneNode
from fcp_ros.scene.graph.roles import FLOOR, is_door
from fcp_ros.scene.shapes.polygons import box_corners
from fcp_ros.scene.shapes.route import Route, trace_routes

WIDTH = 5.7  # Width of the picture [inches] unless another is given

TALLEST, LOWEST = 0.85, 0.28
"""Greatest and least height of the ground that is shown, in units of the picture's width."""

LEAST_EXTENT = 0.2  # Smaller scenes [m] don't fill the picture
_MARGINS = (40.0, 28.0, 8.0, 6.0)  # Space to the left, below, to the right and above [points]

LONGEST_NAME, LONGEST_ROOM_NAME = 32, 120
"""Longer names of things and of rooms are cut short [characters]."""

LEAST_BODY = 12.0
"""The name of a thing whose body is smaller than this in the picture [points] is beside it."""

MOST_NAMES = 400
"""With more things than this, none is named: the names would be unreadable and slow to place."""

THIN = 4.0  # Doors that are thinner than this in the picture [points] are drawn as a line

ITEM_FOOTPRINT = 0.12
"""Things with a smaller footprint [m^2] are drawn as a dot with the name beside it."""


def draw_floor_plan(
    graph: SceneGraph,
    steps: Sequence[PlanStep],
    prefix: str,
    highlight: Sequence[str] = (),
    *,
    width: float = WIDTH,
) -> str:
    """Draw rooms, doors, furniture, things and the route of steps, x to the right and y up.

    `prefix`: unique in the page (see ``to_svg``). `highlight`: ids of things to point out. `width`
    in inches. Returns one ``<svg>`` element; "" if no node has a known pose.
    """
    placed = [node for node in graph.nodes.values() if node.pose is not None]
    if not placed:
        return ""
    with rc_context(STYLE):
        frame = _choose_frame(placed, width)
        (left, bottom, right, top), height = _MARGINS, frame.height
        tall, wide = height + bottom + top, 72.0 * width
        figure = new_figure(width, tall / 72.0, arranged=False)
        axes = figure.add_axes(
            (left / wide, bottom / tall, (wide - left - right) / wide, height / tall)
        )
        _draw_rooms(axes, placed)
        _draw_places(axes, placed)
        _draw_things(axes, placed, frozenset(highlight))
        _draw_doors(axes, [node for node in placed if is_door(node)], frame.scale)
        named = [[name for _, name in step.arguments] for step in steps]
        badges = _draw_routes(axes, trace_routes(graph, named))
        _set_up_axes(axes, frame)
        _draw_names(axes, placed, badges, frame)
        return to_svg(figure, "The scene from above with the route of the plan", prefix)


@dataclass(frozen=True)
class _Frame:
    """The part of the ground that a picture shows, in metres, and its scale in points per metre."""

    west: float
    south: float
    east: float
    north: float
    scale: float

    @property
    def height(self) -> float:
        return (self.north - self.south) * self.scale

    def to_points(self, outline: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
        """Return corners in points from the lower left corner, shape (n, 2)."""
        corners = np.array(outline, dtype=np.float64).reshape(-1, 2)
        points: NDArray[np.float64] = (corners - (self.west, self.south)) * self.scale
        return points


def _choose_frame(nodes: Sequence[SceneNode], width: float) -> _Frame:
    """Choose the scale at which everything fits, and widen what is shown to the whole picture."""
    points = np.array([point for node in nodes for point in _list_points(node)])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, extent = (low + high) / 2.0, np.maximum(high - low, LEAST_EXTENT) * 1.08
    across = 72.0 * width - _MARGINS[0] - _MARGINS[2]
    scale = min(across / extent[0], TALLEST * 72.0 * width / extent[1])
    half = np.array([across, max(extent[1] * scale, LOWEST * 72.0 * width)]) / (2.0 * scale)
    (west, south), (east, north) = (middle - half).tolist(), (middle + half).tolist()
    return _Frame(west, south, east, north, float(scale))


def _list_points(node: SceneNode) -> list[tuple[float, float]]:
    return [*node.polygon, *_find_outline(node)]


def _set_up_axes(axes: Axes, frame: _Frame) -> None:
    axes.set_xlim(frame.west, frame.east)
    axes.set_ylim(frame.south, frame.north)
    axes.set_xlabel("x [m]", fontsize=7.0, loc="right", labelpad=1.0)
    axes.set_ylabel("y [m]", fontsize=7.0, loc="top", labelpad=1.0)
    axes.tick_params(labelsize=7.0, length=2.5, width=0.6)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(10, steps=[1, 2, 5, 10]))
    axes.ticklabel_format(useOffset=False, style="plain")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _find_outline(node: SceneNode) -> list[tuple[float, float]]:
    """Find the corners of the node's box from above, or its position if the box is unknown."""
    assert node.pose is not None  # callers keep placed nodes only
    if node.size is None:
        return [node.pose.position[:2]]
    return list(box_corners(node.pose, node.size))


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
    things = (node for node in nodes if _is_drawn(node) and not is_door(node))
    for node in sorted(things, key=lambda node: -_compute_area(node)):
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


def _draw_doors(axes: Axes, doors: Sequence[SceneNode], scale: float) -> None:
    """Draw doors over walls: an area, a line if thin, a mark if unknown; dashed: no door."""
    for node in doors:
        x, y = _get_position(node)
        outline = np.array(list(node.polygon) or _find_outline(node))
        solid = "door" in normalise_label(node.category).split()
        style = "-" if solid else (0, (2.0, 2.0))
        if len(outline) < 3:
            axes.plot(
                [x], [y], "D", markersize=5, color=palette.GOOD, markeredgecolor=palette.PAPER
            )
        elif scale * min(np.linalg.norm(outline[:3] - outline[1:4], axis=1)[:2]) >= THIN:
            axes.add_patch(
                Polygon(
                    outline,
                    facecolor=palette.DOOR,
                    edgecolor=palette.GOOD,
                    linewidth=1.1,
                    linestyle=style,
                    zorder=4,
                )
            )
        else:
            ends = np.array([(outline[0] + outline[3]) / 2.0, (outline[1] + outline[2]) / 2.0])
            if np.ptp(ends, axis=0).max() < np.ptp(outline, axis=0).max() / 2.0:  # along the other
                ends = np.array([(outline[0] + outline[1]) / 2.0, (outline[2] + outline[3]) / 2.0])
            for colour, width, dashes in ((palette.ROOM, 3.6, "-"), (palette.GOOD, 2.2, style)):
                axes.plot(
                    *ends.T,
                    color=colour,
                    linewidth=width,
                    linestyle=dashes,
                    solid_capstyle="butt",
                    zorder=4,
                )


def _draw_names(
    axes: Axes, nodes: Sequence[SceneNode], badges: Sequence[tuple[float, float]], frame: _Frame
) -> None:
    """Write the names of rooms, inside them, and of things, without overlaps."""
    drawn = [node for node in nodes if _is_drawn(node)]
    drawn = drawn if len(drawn) <= MOST_NAMES else []
    small = [_get_position(node) for node in drawn if not _has_space(node, frame)]
    taken = [(x - 9, y - 20, x + 9, y - 8) for x, y in frame.to_points(badges).tolist()]
    taken += [(x - 4, y - 4, x + 4, y + 4) for x, y in frame.to_points(small).tolist()]
    rooms = [node for node in nodes if node.layer is Layer.ROOM]
    bodies = [frame.to_points(_find_outline(node)) for node in drawn if _is_large(node)]
    solid = [(*body.min(axis=0).tolist(), *body.max(axis=0).tolist()) for body in bodies]
    writer = _NameWriter(axes, frame)
    for node in rooms:
        outline = list(node.polygon) or _find_outline(node)
        name = None
        if len(outline) >= 3:
            name = fit_name(_write_name(node), frame.to_points(outline), [*taken, *solid])
        if name is not None:
            taken.append(name.box)
            writer.write_room(name)
    writer.omitted = sum(bool(node.polygon or node.size) for node in rooms) - writer.count
    order = sorted(drawn, key=lambda node: (node.layer is not Layer.AGENT, -_compute_area(node)))
    order += [node for node in rooms if not node.polygon and node.size is None]
    labels = [_make_label(node, frame) for node in order]
    width = (frame.east - frame.west) * frame.scale
    for node, placed in zip(
        order, place_labels(labels, taken, (0.0, 0.0, width, frame.height)), strict=True
    ):
        writer.write_thing(node, placed)
    writer.finish()


class _NameWriter:
    """The names in a picture, and the number of those that had no place."""

    def __init__(self, axes: Axes, frame: _Frame) -> None:
        self._axes = axes
        self._frame = frame
        self._leaders: list[list[tuple[float, float]]] = []
        self.count = 0
        self.omitted = 0

    def write_room(self, name: FittedName) -> None:
        """Write the lines of a room's name around its middle."""
        top = name.y + LINE_HEIGHT * name.size * (len(name.lines) - 1) / 2.0
        for number, line in enumerate(name.lines):
            height = top - LINE_HEIGHT * name.size * number
            self._write(line, name.x, height, name.size, palette.ROOM_NAME, part=number > 0)

    def write_thing(self, node: SceneNode, placed: PlacedLabel | None) -> None:
        """Write the name of a thing where it was placed, with a line to it if that is far."""
        if placed is None:
            self.omitted += 1
            return
        colour = _choose_colour(node)
        label = placed.label
        self._write(label.text, label.x + placed.dx, label.y + placed.dy, label.size, colour)
        if colour == palette.ITEM and placed.needs_leader:
            ends = [(label.x + dx, label.y + dy) for dx, dy in placed.trace_leader(gap=2.0)]
            self._leaders.append([self._to_metres(*end) for end in ends])

    def finish(self) -> None:
        """Draw the lines, and say how many names are missing."""
        self._axes.add_collection(
            LineCollection(self._leaders, colors=palette.ITEM, linewidths=0.5, zorder=9),
            autolim=False,
        )
        if self.omitted:
            self._axes.annotate(
                f"{self.omitted} name{'s' if self.omitted > 1 else ''} without a place",
                (0.0, 0.0),
                xycoords="axes fraction",
                xytext=(0.0, -17.0),
                textcoords="offset points",
                va="top",
                fontsize=7.0,
                color=palette.MUTED,
            )

    def _to_metres(self, x: float, y: float) -> tuple[float, float]:
        return self._frame.west + x / self._frame.scale, self._frame.south + y / self._frame.scale

    def _write(
        self, text: str, x: float, y: float, size: float, colour: str, *, part: bool = False
    ) -> None:
        self._axes.annotate(
            text,
            self._to_metres(x, y),
            ha="center",
            va="center_baseline",
            fontsize=size,
            color=colour,
            parse_math=False,  # a name may contain $
            zorder=10,
            gid=f"{palette.NAME}{self.count}",
        )
        self.count += not part


def _choose_colour(node: SceneNode) -> str:
    if is_door(node):
        return palette.DOOR_NAME
    if node.layer is Layer.ROOM:
        return palette.ROOM_NAME
    return palette.INK if node.layer is Layer.AGENT or _is_large(node) else palette.ITEM


def _write_name(node: SceneNode) -> str:
    text = to_printable(to_words(node.id, node.category))
    most = LONGEST_ROOM_NAME if node.layer is Layer.ROOM else LONGEST_NAME
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _make_label(node: SceneNode, frame: _Frame) -> TextLabel:
    ((x, y),) = frame.to_points([_get_position(node)]).tolist()
    large = _is_large(node) and node.layer is Layer.OBJECT
    centred = _has_space(node, frame)
    return TextLabel(_write_name(node), x, y, 7.5 if large else 7.0, centred=centred)


def _has_space(node: SceneNode, frame: _Frame) -> bool:
    """Return True if a thing is drawn so large that its name stands on it."""
    if node.layer is not Layer.OBJECT or not (_is_large(node) or (is_door(node) and node.polygon)):
        return False
    body = np.array(list(node.polygon) or _find_outline(node))
    return bool(np.ptp(body, axis=0).min() * frame.scale >= LEAST_BODY)


def _draw_routes(axes: Axes, routes: Sequence[Route]) -> list[tuple[float, float]]:
    """Draw routes with the numbers of the steps; return the positions of the numbers."""
    for before, after in chain.from_iterable(map(pairwise, routes)):
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
    for stop in chain.from_iterable(
        routes
    ):  # one badge for each place, even if the robot comes back to it
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
    """Return True for robots, people and things; passages are drawn, but have no names."""
    label = normalise_label(node.category)
    return node.layer is Layer.AGENT or (
        node.layer is Layer.OBJECT and label not in (FLOOR, "passage", "opening")
    )


def _is_large(node: SceneNode) -> bool:
    return _compute_area(node) >= ITEM_FOOTPRINT


def _get_position(node: SceneNode) -> tuple[float, float]:
    assert node.pose is not None  # callers keep placed nodes only
    return node.pose.position[0], node.pose.position[1]


def _compute_area(node: SceneNode) -> float:
    return node.size[0] * node.size[1] if node.size is not None else 0.0
