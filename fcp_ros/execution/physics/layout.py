# SPDX-License-Identifier: Apache-2.0
"""The plan of a physics world: what a scene graph becomes before MuJoCo sees it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import shapely

from fcp_ros.execution.physics.materials import (
    HINGED,
    OPEN_ABOVE,
    Material,
    MaterialTable,
    ThingForm,
)
from fcp_ros.execution.physics.shapes import OPEN_ANGLE, Solid, SolidShape, build_door, build_shape
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor, is_robot
from fcp_ros.scene.shapes.placement import find_spot_inside, find_spot_on, find_spot_on_floor
from fcp_ros.scene.shapes.polygons import box_corners, footprint_of, own_floor_level

WALL_HALF = 0.03  # Half the thickness (m) of a wall
WALL_HEIGHT = 2.5  # m, of rooms of unknown height
OPENING = 0.9  # Width (m) of a passage whose box is unknown
OPENING_REACH = 0.35  # Farthest wall (m) from a passage's box that it leads through
SNAP = 0.3  # Farthest (m) that a thing is moved up or down to the board that it stands on
SAID = 0.05  # Moves of more than this (m) are said
PERSON_SIZE: Vector = (0.5, 0.5, 1.7)


@dataclass(frozen=True, slots=True)
class PhysicalBody:
    """One thing of the world. Its frame is that of the scene graph's box."""

    id: str
    category: str
    material: Material
    shape: SolidShape
    pose: Pose
    size: Vector
    moves: bool
    angle: float = 0.0  # of its hinge (rad)


@dataclass(frozen=True, slots=True)
class RobotStart:
    """A robot and the place where it begins."""

    id: str
    x: float
    y: float
    yaw: float
    floor: float  # m


@dataclass(frozen=True)
class Layout:
    """Everything that the world is made of, and what was assumed on the way."""

    bodies: Mapping[str, PhysicalBody]
    robots: tuple[RobotStart, ...]
    walls: tuple[Solid, ...]
    floor: float  # height (m) of the lowest floor
    storeys: tuple[Solid, ...]  # slabs of the floors above it
    rooms: Mapping[str, shapely.Polygon]
    floors: Mapping[str, str]  # id of a floor -> that of its room
    notes: tuple[str, ...] = ()


def plan_layout(graph: SceneGraph, table: MaterialTable, most_moving: int) -> Layout:
    """Plan the world of a scene graph.

    `most_moving`: how many things may move; of more, those far from all robots stand still.
    """
    notes: list[str] = []
    rooms = {
        room.id: shapely.Polygon(room.polygon).buffer(0)
        for room in graph.in_layer(Layer.ROOM)
        if len(room.polygon) >= 3
    }
    levels = [own_floor_level(room) or 0.0 for room in graph.in_layer(Layer.ROOM)]
    floor = min(levels, default=0.0)
    nodes = _place_nodes(graph, table, notes)
    planner = _BodyPlanner(graph, table, nodes, rooms, floor)
    bodies = {node.id: planner.plan(node) for node in nodes.values()}
    bodies = _snap_to_shelves(graph, bodies, notes)
    robots = _place_robots(graph, rooms, floor, notes)
    return Layout(
        _hold_far_ones(bodies, robots, most_moving, notes),
        robots,
        _build_walls(graph, rooms, notes),
        floor,
        _build_storeys(graph, floor),
        rooms,
        _find_floors(graph, rooms),
        tuple(notes),
    )


# --- poses and sizes of all things ---


def _place_nodes(graph: SceneGraph, table: MaterialTable, notes: list[str]) -> dict[str, SceneNode]:
    """Give each thing a size and a pose; what has neither a pose nor a holder is left out."""
    unsized, unplaced, lost = [], [], []
    nodes: dict[str, SceneNode] = {}
    things = [n for n in graph.nodes.values() if _is_thing(n)]
    for node in things:
        if node.size is None or min(node.size) <= 0.0:
            size = PERSON_SIZE if node.layer is Layer.AGENT else None
            node = replace(node, size=size or table.find(node.category, None).size)
            if not is_door(node):
                unsized.append(node.id)
        nodes[node.id] = node
    for node in [n for n in nodes.values() if n.pose is None]:
        pose = _find_place(graph, node, nodes)
        if pose is None:
            lost.append(node.id)
            del nodes[node.id]
        else:
            unplaced.append(node.id)
            nodes[node.id] = replace(node, pose=pose)
    if unsized:
        notes.append(f"sizes from the table of materials: {list_names(unsized)}")
    if unplaced:
        notes.append(f"poses by what holds them: {list_names(unplaced)}")
    if lost:
        notes.append(f"left out, because nothing says where they are: {list_names(lost)}")
    return nodes


def _is_thing(node: SceneNode) -> bool:
    if node.layer is Layer.AGENT:
        return not is_robot(node)
    return node.layer is Layer.OBJECT and not is_floor(node)


def _find_place(graph: SceneGraph, node: SceneNode, nodes: Mapping[str, SceneNode]) -> Pose | None:
    for relation in graph.relations_of(node.id):
        if relation.elements[0] != node.id or len(relation.elements) != 2:
            continue
        holder = nodes.get(relation.elements[1])
        if holder is None or holder.pose is None:
            continue
        beside = [
            nodes[r.elements[0]]
            for r in graph.relations_of(holder.id)
            if r.name == relation.name and r.elements[-1] == holder.id and r.elements[0] in nodes
        ]
        if relation.name == "on":
            return find_spot_on(node, holder, beside)
        if relation.name == "inside":
            return find_spot_inside(node, holder, beside)
    room = find_room_of(graph, node.id)
    if room is None or is_door(node):
        return None
    around = [other for other in nodes.values() if find_room_of(graph, other.id) is room]
    floor = replace(
        room, pose=Pose.at(0.0, 0.0, own_floor_level(room) or 0.0), size=(1.0, 1.0, 0.0)
    )
    return find_spot_on_floor(node, floor, around) if room.polygon else None


def find_room_of(graph: SceneGraph, id_: str) -> SceneNode | None:
    for relation in graph.relations_of(id_):
        if relation.name in ("in_room", "at") and relation.elements[0] == id_:
            return graph.nodes[relation.elements[1]]
    for parent in graph.nodes[id_].parents:
        if graph.nodes[parent].layer is Layer.ROOM:
            return graph.nodes[parent]
    return None


def _find_holder(graph: SceneGraph, id_: str) -> str | None:
    for relation in graph.relations_of(id_):
        if relation.name in ("on", "inside") and relation.elements[0] == id_:
            return relation.elements[1]
    return None


# --- bodies ---


class _BodyPlanner:
    """Plans one body after the other, with what is known of all."""

    def __init__(
        self,
        graph: SceneGraph,
        table: MaterialTable,
        nodes: Mapping[str, SceneNode],
        rooms: Mapping[str, shapely.Polygon],
        floor: float,
    ) -> None:
        self._graph = graph
        self._table = table
        self._nodes = nodes
        self._rooms = rooms
        self._floor = floor
        self._large = {
            node.id: shapely.Polygon(footprint_of(node))
            for node in nodes.values()
            if node.size is not None and min(node.size[:2]) > 0.25 and not is_door(node)
        }
        self._keys = list(self._large)
        self._tree = shapely.STRtree(list(self._large.values()))

    def plan(self, node: SceneNode) -> PhysicalBody:
        assert node.pose is not None
        assert node.size is not None
        if node.layer is Layer.AGENT:
            person = Material(ThingForm.CYLINDER, PERSON_SIZE, 300.0, 0.5, False)
            shape = build_shape(ThingForm.CYLINDER, node.size, 0, 0.0, None)
            return self._make(node, person, shape, moves=False)
        if is_door(node):
            return self._plan_door(node)
        material = self._table.find(node.category, node.size)
        if material.form is ThingForm.PANEL and max(node.size) > 1e3:
            material = replace(material, moves=False)
        front = self._find_front(node, material.form)
        bottom = node.pose.position[2] - node.size[2] / 2.0 - self._floor
        shape = build_shape(
            material.form, node.size, front, bottom, self._find_seat(node, material)
        )
        angle = OPEN_ANGLE if material.form in HINGED and not self._is_closed(node) else 0.0
        return self._make(node, material, shape, moves=material.moves, angle=angle)

    @staticmethod
    def _make(
        node: SceneNode, material: Material, shape: SolidShape, *, moves: bool, angle: float = 0.0
    ) -> PhysicalBody:
        assert node.pose is not None
        assert node.size is not None
        return PhysicalBody(
            node.id, node.category, material, shape, node.pose, node.size, moves, angle
        )

    def _plan_door(self, node: SceneNode) -> PhysicalBody:
        """Plan a door leaf where the scene says that it can be open or closed; else an opening."""
        assert node.size is not None
        material = Material(ThingForm.PANEL, node.size, 100.0, 0.4, False)
        closed = self._is_closed(node)
        has_leaf = closed or "is_open" in node.attributes
        shape = build_door(node.size, self._find_swing(node)) if has_leaf else SolidShape(())
        angle = shape.hinge.angle if shape.hinge is not None and not closed else 0.0
        return self._make(node, material, shape, moves=False, angle=angle)

    def _is_closed(self, node: SceneNode) -> bool:
        said = node.attributes.get("is_open")
        return said is False or self._graph.relation("closed", node.id) is not None

    def _find_swing(self, node: SceneNode) -> float:
        """Find the side (+1, -1) to which an open leaf meets less furniture."""
        assert node.pose is not None
        assert node.size is not None
        along_x = node.size[0] <= node.size[1]
        turn = node.pose.yaw + (0.0 if along_x else math.pi / 2.0)
        width = max(node.size[:2])
        met = []
        for side in (1.0, -1.0):
            x, y, z = node.pose.position
            x += side * math.cos(turn) * width / 2.0
            y += side * math.sin(turn) * width / 2.0
            swept = shapely.Polygon(box_corners(Pose.at(x, y, z, turn), (width, width, 1.0)))
            others = (self._large[self._keys[i]] for i in self._tree.query(swept))
            met.append(sum(swept.intersection(other).area for other in others))
        return 1.0 if met[0] <= met[1] else -1.0

    def _find_front(self, node: SceneNode, form: ThingForm) -> int:
        """Find the side with the most free floor before it, in quarters from +x."""
        if form not in (ThingForm.CABINET, ThingForm.SHELF, ThingForm.SEAT, ThingForm.CHEST):
            return 0
        assert node.pose is not None
        assert node.size is not None
        room = find_room_of(self._graph, node.id)
        inside = self._rooms.get(room.id) if room is not None else None
        free = []
        for quarter in range(4):
            turn = node.pose.yaw + quarter * math.pi / 2.0
            reach = node.size[quarter % 2] / 2.0
            free.append(self._measure_free(node, inside, turn, reach))
        wide = max(free)
        # Of several sides with room enough, the longer one is the front.
        good = [q for q in range(4) if free[q] >= min(wide, 1.0) - 1e-6]
        return max(good, key=lambda q: (node.size[1 - q % 2], free[q], -q))  # type: ignore[index]

    def _measure_free(
        self, node: SceneNode, room: shapely.Polygon | None, turn: float, reach: float
    ) -> float:
        assert node.pose is not None
        x, y, _ = node.pose.position
        begin = (x + reach * math.cos(turn), y + reach * math.sin(turn))
        far = (x + (reach + 3.0) * math.cos(turn), y + (reach + 3.0) * math.sin(turn))
        way = shapely.LineString([begin, far])
        if room is not None:
            way = way.intersection(room)
        for index in self._tree.query(way):
            if self._keys[index] != node.id:
                way = way.difference(self._large[self._keys[index]])
        start = shapely.Point(begin).buffer(0.05)
        parts = [part for part in getattr(way, "geoms", [way]) if part.intersects(start)]
        return max((part.length for part in parts), default=0.0)

    def _find_seat(self, node: SceneNode, material: Material) -> float | None:
        """Find the height of a seat from the underside of what lies on it."""
        if material.form is not ThingForm.SEAT or node.pose is None or node.size is None:
            return None
        low = node.pose.position[2] - node.size[2] / 2.0
        levels = []
        for relation in self._graph.relations_of(node.id):
            item = self._nodes.get(relation.elements[0])
            if relation.name == "on" and item is not None and item.id != node.id:
                given = self._graph.nodes[item.id]
                if given.pose is not None and given.size is not None:
                    levels.append(given.pose.position[2] - given.size[2] / 2.0 - low)
        return min(levels, default=None)


def _snap_to_shelves(
    graph: SceneGraph, bodies: dict[str, PhysicalBody], notes: list[str]
) -> dict[str, PhysicalBody]:
    """Move things up or down to the nearest board of what the scene says holds them."""
    moved = []
    for body in list(bodies.values()):
        holder = bodies.get(_find_holder(graph, body.id) or "")
        if not body.moves or holder is None or not holder.shape.shelves:
            continue
        bottom = body.pose.position[2] - body.size[2] / 2.0
        levels = [holder.pose.position[2] + shelf.z for shelf in holder.shape.shelves]
        if holder.material.form in OPEN_ABOVE and bottom > max(levels) + SNAP:
            continue
        level = min(levels, key=lambda z: abs(z - bottom))
        if abs(level - bottom) > SNAP:
            continue
        if abs(level - bottom) > SAID:
            moved.append(body.id)
        x, y, z = body.pose.position
        pose = body.pose.with_position((x, y, z + level - bottom + 1e-3))
        bodies[body.id] = replace(body, pose=pose)
    if moved:
        notes.append(f"moved up or down to the board that holds them: {list_names(moved)}")
    return bodies


def _hold_far_ones(
    bodies: dict[str, PhysicalBody], robots: tuple[RobotStart, ...], most: int, notes: list[str]
) -> dict[str, PhysicalBody]:
    moving = [body for body in bodies.values() if body.moves]
    if len(moving) <= most:
        return bodies

    def distance(body: PhysicalBody) -> float:
        x, y, _ = body.pose.position
        return min((math.hypot(x - r.x, y - r.y) for r in robots), default=0.0)

    far = sorted(moving, key=distance)[most:]
    notes.append(f"{len(far)} of {len(moving)} things are far from all robots and stand still")
    return {**bodies, **{body.id: replace(body, moves=False) for body in far}}


# --- robots ---


def _place_robots(
    graph: SceneGraph, rooms: Mapping[str, shapely.Polygon], floor: float, notes: list[str]
) -> tuple[RobotStart, ...]:
    starts, guessed = [], []
    for node in graph.in_layer(Layer.AGENT):
        if not is_robot(node):
            continue
        room = find_room_of(graph, node.id)
        level = floor if room is None else own_floor_level(room) or floor
        if node.pose is not None:
            x, y, _ = node.pose.position
            starts.append(RobotStart(node.id, x, y, node.pose.yaw, level))
        elif room is not None and room.id in rooms:
            point = rooms[room.id].representative_point()
            starts.append(RobotStart(node.id, point.x, point.y, 0.0, level))
            guessed.append(node.id)
    if guessed:
        notes.append(f"standing in the middle of their rooms: {list_names(guessed)}")
    return tuple(starts)


# --- walls and floors ---


def _build_walls(
    graph: SceneGraph, rooms: Mapping[str, shapely.Polygon], notes: list[str]
) -> tuple[Solid, ...]:
    """Build a wall along each edge of each room, with a gap at each passage."""
    openings = shapely.union_all([hole for hole in map(_cut_opening, graph.nodes.values()) if hole])
    unplaced = {
        relation.elements[2]
        for relation in graph.relations_named("connected")
        if len(relation.elements) == 3 and graph.nodes[relation.elements[2]].pose is None
    }
    if unplaced:
        names = list_names(sorted(unplaced))
        notes.append(f"no opening in any wall, because nobody says where they are: {names}")
    walls: list[Solid] = []
    for id_, polygon in rooms.items():
        room = graph.nodes[id_]
        low, height = own_floor_level(room) or 0.0, room.height or WALL_HEIGHT
        for part in getattr(polygon.boundary.difference(openings), "geoms", None) or [
            polygon.boundary.difference(openings)
        ]:
            walls += _build_wall(np.asarray(shapely.get_coordinates(part)), low, height)
    return tuple(walls)


def _cut_opening(node: SceneNode) -> shapely.Polygon | None:
    """Return the footprint of a passage, lengthened to the walls on both sides."""
    if not is_door(node) or node.pose is None:
        return None
    x, y, z = node.size or (OPENING, OPENING, 2.0)
    if node.size is not None:
        x, y = (x + 2 * OPENING_REACH, y) if x <= y else (x, y + 2 * OPENING_REACH)
    return shapely.Polygon(box_corners(node.pose, (x, y, z)))


def _build_wall(points: np.ndarray, low: float, height: float) -> Iterable[Solid]:
    for (x0, y0), (x1, y1) in pairwise(points.tolist()):
        length = math.hypot(x1 - x0, y1 - y0)
        if length > 1e-3:
            centre = ((x0 + x1) / 2.0, (y0 + y1) / 2.0, low + height / 2.0)
            half = (length / 2.0, WALL_HALF, height / 2.0)
            yield Solid("box", centre, half, math.atan2(y1 - y0, x1 - x0))


def _build_storeys(graph: SceneGraph, lowest: float) -> tuple[Solid, ...]:
    slabs = []
    for room in graph.in_layer(Layer.ROOM):
        level = own_floor_level(room)
        if level is None or level < lowest + 0.5 or len(room.polygon) < 3:
            continue
        x0, y0, x1, y1 = shapely.Polygon(room.polygon).bounds
        centre = ((x0 + x1) / 2.0, (y0 + y1) / 2.0, level - 0.05)
        slabs.append(Solid("box", centre, ((x1 - x0) / 2.0, (y1 - y0) / 2.0, 0.05)))
    return tuple(slabs)


def _find_floors(graph: SceneGraph, rooms: Mapping[str, shapely.Polygon]) -> dict[str, str]:
    found = {}
    for node in graph.in_layer(Layer.OBJECT):
        room = find_room_of(graph, node.id) if is_floor(node) else None
        if room is not None and room.id in rooms:
            found[node.id] = room.id
    return found
