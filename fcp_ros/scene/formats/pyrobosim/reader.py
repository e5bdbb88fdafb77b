# SPDX-License-Identifier: Apache-2.0
"""Reader of pyrobosim worlds: a world YAML, and the metadata YAML of its categories beside it.

- Frame: REP-103, metres; quaternions come with w first, angles in radians or degrees.
- Paths of metadata: ``$PWD`` is the world's folder; ``$DATA`` (pyrobosim's own data) is looked for
  in that folder, too, and where it is not there the shapes are unknown.
- Rooms are as high as ``wall_height``. A hallway is a door, in the middle of the part between the
  two rooms. Things without a name get the name that pyrobosim gives (``table0``).
- A location's box stands on its pose. An object stands on its parent's surface. ``parent`` does not
  tell on from inside: it is read as ``on``. The attribute ``surface`` names its surface.
- Of parents that pyrobosim draws at random the likeliest is taken, with its probability as the
  confidence. Meshes are not read.
"""

from __future__ import annotations

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.pyrobosim.layout import (
    PlacedShape,
    WorldLayout,
    choose_likeliest,
    draw_hallway,
    place_door,
    place_footprint,
)
from fcp_ros.scene.formats.pyrobosim.model import CategoryEntry, HallwayEntry, LocationEntry, World
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import PlainIds, assign_ids, build_source_graph
from fcp_ros.scene.formats.validation import keys_of_first, validate
from fcp_ros.scene.graph.elements import AttributeValue, Layer, SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_DATA, _PWD = "$DATA/", "$PWD/"


def is_pyrobosim(file: SceneFile) -> bool:
    """Return True if the document lists rooms with footprints, as pyrobosim's worlds do."""
    rooms = file.document.get("rooms") if isinstance(file.document, dict) else None
    return isinstance(rooms, list) and "footprint" in keys_of_first(rooms)


def read_pyrobosim(file: SceneFile) -> SceneGraph:
    """Read a world; raises SceneError naming each wrong entry or metadata file."""
    file.check_counts("rooms", "hallways", "locations", "objects", "robots")
    return _WorldReader(file).build()


class _WorldReader:
    """A world, converted to a graph. Names are pyrobosim's until nodes are made."""

    def __init__(self, file: SceneFile) -> None:
        self._file = file
        self._notes: list[str] = []
        self._world = validate(World, file.document)
        self._furniture = self._read_categories(self._world.metadata.locations)
        self._wares = self._read_categories(self._world.metadata.objects)
        self._layout = WorldLayout(self._world, self._furniture)
        self._ids: PlainIds = assign_ids(self._layout.list_elements())

    def build(self) -> SceneGraph:
        nodes = [self._build_room(name) for name in self._layout.rooms]
        nodes += [self._build_hallway(name) for name in self._layout.hallways]
        nodes += [self._build_location(name) for name in self._layout.locations]
        relations = []
        for name, hallway in self._layout.hallways.items():
            legs = (hallway.room_start, hallway.room_end, name)
            relations.append(SceneRelation("connected", tuple(self._ids[leg] for leg in legs)))
        self._add_objects(nodes, relations)
        self._add_robots(nodes, relations)
        self._note_unknown_shapes()
        notes = (*self._ids.notes, *self._notes)
        return build_source_graph(nodes, relations, source=self._file.name, notes=notes)

    # --- metadata

    def _read_categories(self, paths: str | list[str]) -> dict[str, CategoryEntry]:
        found: dict[str, CategoryEntry] = {}
        for path in [paths] if isinstance(paths, str) else paths:
            name = path.removeprefix(_PWD).removeprefix(_DATA)
            if path.startswith(_DATA) and not (self._file.path.parent / name).exists():
                self._notes.append(f"{path} is not beside the world: its shapes are unknown")
                continue
            beside = self._file.open_beside(name)
            if beside.document is None and beside.problem:
                raise SceneError(beside.problem, source=beside.name)
            found.update(validate(dict[str, CategoryEntry], beside.document, beside.name))
        return found

    def _note_unknown_shapes(self) -> None:
        for things, table in (
            (self._world.locations, self._furniture),
            (self._world.objects, self._wares),
        ):
            unknown = dict.fromkeys(t.category for t in things if t.category not in table)
            meshes = dict.fromkeys(
                t.category
                for t in things
                if t.category in table and table[t.category].footprint.type == "mesh"
            )
            if unknown:
                self._notes.append(
                    f"no metadata describes {list_names(unknown)}: their shapes are unknown"
                )
            if meshes:
                self._notes.append(
                    f"meshes are not read: the shapes of {list_names(meshes)} are unknown"
                )

    # --- nodes

    def _build_room(self, name: str) -> SceneNode:
        room = self._layout.rooms[name]
        footprint = room.footprint
        own = None if isinstance(footprint, list) else footprint.height
        height = own or room.height or self._world.params.wall_height
        return SceneNode(
            self._ids[name],
            Layer.ROOM,
            _to_label(name),
            polygon=self._layout.outlines[name],
            height=height,
            attributes=self._ids.attributes(name),
        )

    def _build_hallway(self, name: str) -> SceneNode:
        hallway: HallwayEntry = self._layout.hallways[name]
        for room in (hallway.room_start, hallway.room_end):
            if room not in self._layout.rooms:
                raise SceneError(f"there is no room {room!r}", element=name)
        if hallway.room_start == hallway.room_end:
            raise SceneError("it joins a room with itself", element=name)
        start, end = (
            self._layout.outlines[room] for room in (hallway.room_start, hallway.room_end)
        )
        door = place_door(draw_hallway(hallway, start, end), hallway.width, start, end)
        states = {"is_open": hallway.is_open, "is_locked": hallway.is_locked}
        return self._build_node(
            name, "door", door, {**states, "passage_width": float(hallway.width)}
        )

    def _build_location(self, name: str) -> SceneNode:
        location: LocationEntry = self._layout.locations[name]
        category = self._furniture.get(location.category)
        shape = place_footprint(category.footprint if category else None, self._layout.poses[name])
        states: dict[str, AttributeValue] = {
            "is_open": location.is_open,
            "is_locked": location.is_locked,
        }
        if location.is_charger:
            states["is_charger"] = True
        parent = self._ids[location.parent]
        return self._build_node(name, location.category, shape, states, (parent,))

    def _build_node(
        self,
        name: str,
        category: str,
        shape: PlacedShape | None,
        attributes: dict[str, AttributeValue],
        parents: tuple[str, ...] = (),
    ) -> SceneNode:
        return SceneNode(
            self._ids[name],
            Layer.OBJECT,
            category,
            pose=shape.pose if shape else None,
            size=shape.size if shape else None,
            polygon=shape.outline if shape and not shape.is_box else (),
            attributes={**self._ids.attributes(name), **attributes},
            parents=parents,
        )

    def _add_objects(self, nodes: list[SceneNode], relations: list[SceneRelation]) -> None:
        drawn, nowhere, anywhere, low = [], [], [], []
        for name, thing in self._layout.objects.items():
            where, surface, certainty = self._layout.find_place(thing.parent, name)
            attributes: dict[str, AttributeValue] = {"surface": surface} if surface else {}
            pose = self._layout.resolve_pose(thing.pose, name)
            shape = None
            if pose is None:
                anywhere.append(self._ids[name])
            else:
                top = self._layout.find_surface_height(where, surface)
                if top is None:
                    low.append(self._ids[name])
                x, y, z = pose.position
                category = self._wares.get(thing.category)
                shape = place_footprint(
                    category.footprint if category else None,
                    pose.with_position((x, y, z + (top or 0.0))),
                )
            nodes.append(self._build_node(name, thing.category, shape, attributes))
            if where is None:
                nowhere.append(self._ids[name])
                continue
            if certainty < 1.0:
                drawn.append(f"{self._ids[name]} ({self._ids[where]})")
            legs = (self._ids[name], self._ids[where])
            relations.append(SceneRelation("on", legs, round(certainty, 6)))
        for names, what in (
            (anywhere, "have no pose, as pyrobosim puts them anywhere on their parents"),
            (nowhere, "have no parent, as pyrobosim draws one at random: their place is unknown"),
            (drawn, "have a parent that pyrobosim draws at random: the likeliest is taken"),
            (low, "lie on surfaces of unknown height: they are drawn as if these were the floor"),
        ):
            if names:
                self._notes.append(f"{len(names)} objects {what}: {list_names(names)}")

    def _add_robots(self, nodes: list[SceneNode], relations: list[SceneRelation]) -> None:
        for name, robot in self._layout.robots.items():
            attributes = self._ids.attributes(name)
            if robot.radius:
                attributes["radius"] = float(robot.radius)
            room: str | None = None
            if robot.location is not None:
                chosen, share = choose_likeliest(robot.location)
                where = None
                if chosen in self._layout.rooms:
                    room = chosen
                else:
                    where, _, more = self._layout.find_place(chosen, name)
                    share *= more
                    room = self._layout.locations[where].parent if where else None
                    if where:
                        attributes["location"] = self._ids[where]
                if share < 1.0:
                    self._notes.append(
                        f"pyrobosim draws the place of {name} at random: {chosen} is taken"
                    )
            pose = self._layout.resolve_pose(robot.pose, name)
            id_ = self._ids[name]
            nodes.append(SceneNode(id_, Layer.AGENT, "robot", pose=pose, attributes=attributes))
            if room is not None:
                relations.append(SceneRelation("at", (id_, self._ids[room])))


def _to_label(name: str) -> str:
    """Convert ``living_room_1`` to ``living_room``: pyrobosim's rooms have names only."""
    return normalise_label(name).replace(" ", "_") or "room"
