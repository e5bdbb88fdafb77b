# SPDX-License-Identifier: Apache-2.0
"""The graph of a simulated world: which bodies are things, and their labels and boxes.

- A body with shapes is a thing, with all bodies below it as its parts. One without any is a group,
  and what is below are things, unless these are mostly named as parts ("leg", "table_top").
- A body named as a room or building, with others below it or the size of a room, is one. Its
  outline is that of its own shapes, with floors and walls below it, else it encloses its things.
- Walls, floors and ceilings are left out elsewhere. Where nothing is named as a room, floors are.
- A robot is named so, or has a chain of `ARM` joints, or moves freely and has motors or sensors.
- `is_open` is judged by joints with limits, as in OmniGibson; `is_movable` says what the world does
  not hold in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import (
    Floats,
    PlacedBox,
    SourceFrame,
    find_upright_axes,
    fit_box,
    place_box,
)
from fcp_ros.scene.formats.omnigibson import JOINT_OPEN
from fcp_ros.scene.formats.source_graph import assign_ids
from fcp_ros.scene.formats.worlds.bodies import (
    BodyShape,
    WorldBody,
    is_part_of,
    is_structure,
    read_name,
)
from fcp_ros.scene.graph.elements import FARTHEST, AttributeValue, Layer, Pose, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR, find_layer
from fcp_ros.scene.shapes.polygons import area, bounds, box_corners, contains, footprint_of

ARM = 3  # Least number of joints, one behind the other, of what must be a robot

LEAST_ROOM = 1.5
"""Least area (m2, seen from above) of what is named as a room and has nothing below it."""

LARGEST_ROOM = 2_000.0
"""Greatest area (m2) of a floor that is a room: a larger one is the ground that all stands on."""

MARGIN = 0.5  # Distance (m) from the outermost things to the outline of a room on such a ground
LEAST_HEIGHT = 1.0  # Least height (m) of a room's own shapes that is more than its floor
FLOOR_THICKNESS = 0.02  # Thickness (m) of a floor's box, whose top is the floor

_FRAMES_TRIED = 8
_THIN = 1e-3
_TIGHTER = 0.95


def build_world_graph(
    bodies: Sequence[WorldBody],
    frame: SourceFrame,
    source: str,
    notes: Iterable[str] = (),
    rooms: Sequence[SceneNode] = (),
) -> SceneGraph:
    """Build the graph of bodies, each after the one above it, and of rooms that the file lists."""
    return _WorldBuilder(bodies, frame).build(source, notes, rooms)


class _WorldBuilder:
    """The bodies of a world, sorted into things, rooms and what is left out."""

    def __init__(self, bodies: Sequence[WorldBody], frame: SourceFrame) -> None:
        self._bodies = bodies
        self._frame = frame
        self._below: list[list[int]] = [[] for _ in bodies]
        for index, body in enumerate(bodies):
            if body.parent >= 0:
                self._below[body.parent].append(index)
        self._labels = [body.label or read_name(body.name) for body in bodies]
        self._names = [body.name for body in bodies]
        self._is_solid = self._find_solid()
        self._room_of = [-1] * len(bodies)
        self._members: dict[int, list[int]] = {}
        self._rooms: list[int] = []
        self._left_out: list[int] = []
        self._unsized: list[str] = []
        self._enclosed: list[str] = []
        self._sort()

    # ---- roles -----------------------------------------------------------------------------------

    def _find_solid(self) -> list[bool]:
        """Return True for bodies that have shapes of their own or of links, but walls."""
        solid = [bool(body.shapes) for body in self._bodies]
        for index in range(len(solid) - 1, -1, -1):
            body = self._bodies[index]
            solid[index] = solid[index] and not is_structure(self._labels[index])
            if body.is_part and body.parent >= 0:
                solid[body.parent] = solid[body.parent] or solid[index]
        return solid

    def _sort(self) -> None:
        """Give each body to a thing or a room, in the order of the file."""
        owner = [-1] * len(self._bodies)
        for index, body in enumerate(self._bodies):
            above = body.parent
            if above >= 0 and owner[above] >= 0:
                owner[index] = owner[above]
                self._members[owner[above]].append(index)
                continue
            self._room_of[index] = self._room_of[above] if above >= 0 else -1
            if above >= 0 and len(self._below[above]) == 1 and above not in self._rooms:
                self._inherit_name(index, above)
            if above in self._rooms and body.is_part and not self._labels[index]:
                continue  # the room's own shapes
            layer = find_layer(self._labels[index])
            if layer in (Layer.ROOM, Layer.BUILDING) and self._is_room(index):
                self._rooms.append(index)
                self._room_of[index] = index
            elif not self._is_group(index) and self._is_thing(index):
                owner[index] = index
                self._members[index] = [index]

    def _inherit_name(self, index: int, above: int) -> None:
        """Give the name of a wrapper to the one body in it, if it says more."""
        if self._labels[above] and not self._bodies[index].label:
            self._labels[index] = self._labels[above]
            self._names[index] = self._names[above]
        elif not self._names[index]:
            self._names[index] = self._names[above]

    def _is_room(self, index: int) -> bool:
        if any(not self._bodies[below].is_part for below in self._below[index]):
            return True
        box = self._fit([index, *self._below[index]])
        return box is not None and area(box_corners(box.pose, box.size)) >= LEAST_ROOM

    def _is_group(self, index: int) -> bool:
        """Return True for a body without shapes that only holds others together."""
        below = [one for one in self._below[index] if not self._bodies[one].is_part]
        if self._is_solid[index] or not below or self._bodies[index].joints:
            return False
        label = self._labels[index]
        if len(below) == 1 or not label or is_structure(label):
            return True
        parts = sum(is_part_of(self._labels[one], label) for one in below)
        return 2 * parts < len(below)

    def _is_thing(self, index: int) -> bool:
        """Return False for walls and for what has no shape, which are left out."""
        label, waiting = self._labels[index], [index]
        if is_structure(label):
            self._left_out.append(index)
            return False
        while waiting:
            one = waiting.pop()
            if self._bodies[one].shapes:
                if self._is_solid[index] or not is_structure(self._labels[one]):
                    return True
                self._left_out.append(one)
            waiting += self._below[one]
        return False

    # ---- nodes -----------------------------------------------------------------------------------

    def build(
        self, source: str, notes: Iterable[str], listed_rooms: Sequence[SceneNode]
    ) -> SceneGraph:
        found = sorted([*self._rooms, *self._members])
        self._sources = self._choose_source_ids(found, {room.id for room in listed_rooms})
        self._layers = {index: self._choose_layer(index) for index in found}
        ids = assign_ids((self._sources[index], self._choose_category(index)) for index in found)
        self._ids = ids
        # A world where all is fixed is a backdrop: what can be carried isn't said by that.
        self._has_movable = any(self._bodies[index].is_fixed is False for index in self._members)
        nodes = list(listed_rooms)
        for index in found:
            in_rooms = index in self._rooms
            nodes.append(self._build_room(index) if in_rooms else self._build_thing(index))
        if not any(node.layer is Layer.ROOM for node in nodes):
            nodes += self._build_room_of_floors({node.id for node in nodes}, nodes)
        return SceneGraph.of(
            nodes, source=source, notes=[*ids.notes, *notes, *self._write_notes(nodes)]
        )

    def _choose_source_ids(self, found: Sequence[int], taken: set[str]) -> dict[int, str]:
        """Choose a name for each node; those that are not unique get the names above them."""
        names = {index: self._names[index] or self._bodies[index].asset for index in found}
        counts = Counter(names.values())
        chosen: dict[int, str] = {}
        used = set(taken)
        for index, name in names.items():
            above = self._bodies[index].parent
            if (counts[name] > 1 or name in taken) and above >= 0 and self._names[above]:
                name = f"{self._names[above]}/{name}"
            wanted, number = name or "unnamed", 1
            while wanted in used or (number == 1 and not name):
                number += 1
                wanted = f"{name or 'unnamed'}#{number}"
            chosen[index] = wanted
            used.add(wanted)
        return chosen

    def _choose_layer(self, index: int) -> Layer:
        layer = find_layer(self._labels[index])
        if index in self._rooms or layer is Layer.AGENT:
            return layer
        return Layer.AGENT if self._is_robot(index) else Layer.OBJECT

    def _is_robot(self, index: int) -> bool:
        words = self._labels[index].split("_")
        if words[-1] == "robot" or words[0].startswith(("robot", "turtlebot")):
            return True
        members = self._members[index]
        joints = {index: 0}
        for one in members[1:]:
            joints[one] = joints.get(self._bodies[one].parent, 0) + self._bodies[one].joints
        longest = max(joints.values())
        is_driven = any(self._bodies[one].is_driven for one in members)
        moves = longest + self._bodies[index].joints > 0
        return longest >= ARM or (is_driven and moves and not self._bodies[index].is_fixed)

    def _choose_category(self, index: int) -> str:
        label = self._labels[index] or read_name(self._bodies[index].asset)
        if self._layers[index] is Layer.AGENT and find_layer(label) is not Layer.AGENT:
            return "robot"
        return label or "unknown"

    def _id_of(self, index: int) -> str:
        return self._ids[self._sources[index]]

    def _build_thing(self, index: int) -> SceneNode:
        body, room = self._bodies[index], self._room_of[index]
        box = self._fit(self._members[index])
        if box is None:
            self._unsized.append(self._id_of(index))
        return SceneNode(
            self._id_of(index),
            self._layers[index],
            self._choose_category(index),
            pose=box.pose if box is not None else self._place_origin(body),
            size=box.size if box is not None else None,
            attributes={
                **self._ids.attributes(self._sources[index]),
                **(self._read_states(index) if self._layers[index] is Layer.OBJECT else {}),
            },
            parents=(self._id_of(room),) if room >= 0 else (),
        )

    def _read_states(self, index: int) -> dict[str, AttributeValue]:
        states: dict[str, AttributeValue] = {}
        openings = [p for one in self._members[index] for p in self._bodies[one].openings]
        if openings:
            states["is_open"] = any(abs(position) > JOINT_OPEN for position in openings)
        if self._bodies[index].is_fixed is not None and self._has_movable:
            states["is_movable"] = not self._bodies[index].is_fixed
        return states

    def _build_room(self, index: int) -> SceneNode:
        above = self._bodies[index].parent
        room = self._room_of[above] if above >= 0 else -1
        parents = (self._id_of(room),) if room >= 0 else ()
        category, attributes = (
            self._choose_category(index),
            self._ids.attributes(self._sources[index]),
        )
        if self._layers[index] is Layer.BUILDING:
            return SceneNode(
                self._id_of(index),
                self._layers[index],
                category,
                attributes=attributes,
                parents=parents,
            )
        own = [index, *(one for one in self._below[index] if one not in self._members)]
        box = self._fit(own)
        if box is None or area(box_corners(box.pose, box.size)) < LEAST_ROOM:
            box = self._fit(
                [index, *(one for one, room in enumerate(self._room_of) if room == index)]
            )
            self._enclosed.append(self._id_of(index))
        node = SceneNode(
            self._id_of(index), Layer.ROOM, category, attributes=attributes, parents=parents
        )
        if box is None:
            return node
        level = self._find_floor_level(own)
        bottom = level if level is not None and level < box.top else box.bottom
        height = box.top - bottom
        x, y, _ = box.pose.position
        is_known = height >= LEAST_HEIGHT
        middle = bottom + height / 2.0 if is_known else (box.top if level is None else level)
        return replace(
            node,
            pose=Pose((x, y, middle)),
            polygon=box_corners(box.pose, box.size),
            height=height if is_known else None,
        )

    def _find_floor_level(self, members: Sequence[int]) -> float | None:
        """Find the top of what is named as a floor among the shapes of a room."""
        tops = [
            box.top
            for one in members
            for shape in self._bodies[one].shapes
            if "floor" in (read_name(shape.name) or self._labels[one])
            and (box := self._fit_shapes([shape], shape.matrix)) is not None
        ]
        return max(tops, default=None)

    def _build_room_of_floors(
        self, taken: set[str], things: Sequence[SceneNode]
    ) -> list[SceneNode]:
        """Build a room of the floors that were left out, as high as the walls; none without."""
        floors = [one for one in self._left_out if "wall" not in self._labels[one]]
        floors = [one for one in floors if "ceiling" not in self._labels[one]]
        floor, around = self._fit(floors), self._fit(self._left_out)
        if floor is None or around is None:
            return []
        outline = box_corners(floor.pose, floor.size)
        corners = [corner for thing in things for corner in footprint_of(thing)]
        inside = int(contains(outline, np.array(corners)).sum()) if corners else 0
        if corners and (area(outline) > LARGEST_ROOM or 2 * inside < len(corners)):
            x0, y0, x1, y1 = bounds(corners)
            x0, y0, x1, y1 = x0 - MARGIN, y0 - MARGIN, x1 + MARGIN, y1 + MARGIN
            outline = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        id_ = next(id_ for n in count(1) if not {id_ := f"room_{n}", f"{id_}_floor"} & taken)
        x0, y0, x1, y1 = bounds(outline)
        x, y = (x0 + x1) / 2.0, (y0 + y1) / 2.0
        height = around.top - floor.top
        is_known = height >= LEAST_HEIGHT
        room = SceneNode(
            id_,
            Layer.ROOM,
            "room",
            pose=Pose((x, y, floor.top + (height / 2.0 if is_known else 0.0))),
            polygon=outline,
            height=height if is_known else None,
        )
        base = SceneNode(
            f"{id_}_floor",
            Layer.OBJECT,
            FLOOR,
            pose=Pose((x, y, floor.top - FLOOR_THICKNESS / 2.0)),
            size=(x1 - x0, y1 - y0, FLOOR_THICKNESS),
            polygon=outline,
            parents=(id_,),
        )
        return [room, base]

    # ---- geometry --------------------------------------------------------------------------------

    def _fit(self, members: Sequence[int]) -> PlacedBox | None:
        """Fit a box around bodies, with the axes of the first or, if tighter, of a shape."""
        shapes = [shape for one in members for shape in self._bodies[one].shapes]
        return self._fit_shapes(shapes, self._bodies[members[0]].matrix) if members else None

    def _fit_shapes(self, shapes: Sequence[BodyShape], matrix: Floats) -> PlacedBox | None:
        placed = [self._frame.rename_axes(shape.place()) * self._frame.unit for shape in shapes]
        points = [own for own in placed if len(own) and np.abs(own).max() <= FARTHEST]
        if not points:
            return None
        best: PlacedBox | None = None
        for frame in (matrix, *(shape.matrix for shape in shapes[:_FRAMES_TRIED])):
            box = fit_box(points, self._find_axes(frame))
            if best is None or _measure(box) < _TIGHTER * _measure(best):
                best = box
        return best

    def _find_axes(self, matrix: Floats) -> Floats:
        """Return the unit axes of a frame as rows, z being the most upright."""
        return find_upright_axes(self._frame.rename_axes(matrix[:3, :3].T))

    def _place_origin(self, body: WorldBody) -> Pose | None:
        origin = body.matrix[:3, 3]
        if not np.abs(origin).max() <= FARTHEST:
            return None
        point = np.array(self._frame.to_point(origin.tolist()))
        return place_box(point, self._find_axes(body.matrix), (0.0, 0.0, 0.0)).pose

    def _write_notes(self, nodes: Sequence[SceneNode]) -> Iterable[str]:
        if self._left_out:
            yield (
                f"{len(self._left_out)} walls, floors and ceilings are no things: the outlines of "
                "rooms without others are drawn around floors"
            )
        if self._unsized:
            yield f"of no known size: {list_names(self._unsized)}"
        if self._enclosed:
            names = list_names(self._enclosed)
            yield f"the outline was drawn around the things in the room: {names}"
        jointed = [node.id for node in nodes if "is_open" in node.attributes]
        if jointed:
            yield (
                f"is_open of {list_names(jointed)} is judged by joints: "
                f"farther than {JOINT_OPEN} from zero is open"
            )


def _measure(box: PlacedBox) -> float:
    """Return the volume of a box; flat ones count as a millimetre thick."""
    width, depth, height = box.size
    return (width + _THIN) * (depth + _THIN) * (height + _THIN)
