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

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.pyrobosim_entries import (
    AnyPose,
    CategoryEntry,
    HallwayEntry,
    LocationEntry,
    ObjectEntry,
    Place,
    PlaceChoice,
    PlacedShape,
    RoomEntry,
    SurfaceEntry,
    World,
    draw_hallway,
    draw_outline,
    move_points,
    place_door,
    place_footprint,
    resolve_relative,
)
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import PlainIds, assign_ids, build_source_graph
from fcp_ros.scene.formats.validation import keys_of_first, validate
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    SceneError,
    SceneNode,
    SceneRelation,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import Polygon, area, centroid

_SMALLEST = 1e-6
_Entry = TypeVar("_Entry")
_Thing = TypeVar("_Thing", LocationEntry, ObjectEntry)


class WorldLayout:
    """The entries of a world by name, with poses, outlines of rooms (m), and references checked."""

    def __init__(self, world: World, furniture: Mapping[str, CategoryEntry]) -> None:
        self._furniture = furniture
        self._name_all(world)
        self._place_all()

    def _name_all(self, world: World) -> None:
        """Index everything by name; entries without one get the name that pyrobosim gives."""
        self.rooms = _index_by_name(
            (room.name or f"room{i}", room) for i, room in enumerate(world.rooms)
        )
        between: Counter[tuple[str, ...]] = Counter()
        halls = []
        for hall in world.hallways:
            ends = tuple(sorted((hall.room_start, hall.room_end)))
            suffix = f"_{between[ends]}" if between[ends] else ""
            halls.append((hall.name or f"hall_{'_'.join(ends)}{suffix}", hall))
            between[ends] += 1
        self.hallways = _index_by_name(halls)
        self.locations = _index_by_name(_name_by_category(world.locations))
        self.objects = _index_by_name(_name_by_category(world.objects))
        self.robots = _index_by_name(
            (robot.name or f"robot{i}", robot) for i, robot in enumerate(world.robots)
        )

    def list_elements(self) -> Iterator[tuple[str, str]]:
        """Yield name and category of each entry."""
        yield from ((name, "room") for name in self.rooms)
        yield from ((name, "door") for name in self.hallways)
        yield from ((name, thing.category) for name, thing in self.locations.items())
        yield from ((name, thing.category) for name, thing in self.objects.items())
        yield from ((name, "robot") for name in self.robots)

    def _place_all(self) -> None:
        """Place rooms, locations and surfaces in order: later entries refer to earlier ones."""
        self.outlines: dict[str, Polygon] = {}
        self.poses: dict[str, Pose] = {}
        self.surfaces: dict[str, str] = {}
        for name, room in self.rooms.items():
            outline = self.outlines[name] = self._draw_room(name, room)
            pose = self.resolve_pose(room.pose, name)
            self.poses[name] = pose or Pose((*centroid(outline), 0.0))
        for name, location in self.locations.items():
            if location.parent not in self.rooms:
                reason = f"its parent {location.parent!r} is no room"
                raise SceneError(reason, element=name)
            pose = self.poses[name] = self.resolve_pose(location.pose, name) or Pose(
                (0.0, 0.0, 0.0)
            )
            for surface_name, surface in self._list_surfaces(name, location):
                self.surfaces[surface_name] = name
                self.poses[surface_name] = self._place_surface(location, surface, pose)

    def _draw_room(self, name: str, room: RoomEntry) -> Polygon:
        base = self.resolve_pose(room.pose, name)
        if isinstance(room.footprint, list):
            corners = tuple((float(x), float(y)) for x, y in room.footprint)
            outline = corners if base is None else move_points(corners, base)
        else:
            outline = draw_outline(room.footprint, base)
        if len(outline) < 3 or area(outline) < _SMALLEST:
            raise SceneError("its footprint is no outline", element=name)
        return outline

    def _list_surfaces(
        self, name: str, location: LocationEntry
    ) -> Iterator[tuple[str, SurfaceEntry]]:
        category = self._furniture.get(location.category)
        for number, surface in enumerate(category.locations if category else ()):
            yield f"{name}_{surface.name or f'loc{number}'}", surface

    def _place_surface(self, location: LocationEntry, surface: SurfaceEntry, pose: Pose) -> Pose:
        """Return the pose of a surface's middle, with the orientation of its location."""
        footprint = surface.footprint
        if footprint is None or footprint.type == "parent":
            footprint = self._furniture[location.category].footprint
        outline = draw_outline(footprint, pose)
        middle = centroid(outline) if outline else pose.position[:2]
        return Pose((*middle, 0.0), pose.orientation)

    def resolve_pose(self, entry: AnyPose | None, name: str) -> Pose | None:
        """Convert the pose of an entry to one in the world; None if it has none."""
        if entry is None:
            return None
        if entry.relative_to is None:
            return entry.to_pose()
        if entry.relative_to not in self.poses:
            reason = (
                f"its pose is relative to {entry.relative_to!r}, which is not defined before it"
            )
            raise SceneError(reason, element=name)
        return resolve_relative(entry.to_pose(), self.poses[entry.relative_to])

    def find_surface_height(self, where: str | None, surface: str) -> float | None:
        """Find the height (m) of a surface above the floor; None if unknown."""
        category = self._furniture.get(self.locations[where].category) if where else None
        if where is None or category is None:
            return None
        for name, part in self._list_surfaces(where, self.locations[where]):
            if part.footprint is not None and part.footprint.height and surface in ("", name):
                return part.footprint.height
        return category.footprint.height or None

    def find_place(self, place: Place | None, name: str) -> tuple[str | None, str, float]:
        """Find a location, its surface if stated, and the probability of that choice."""
        if place is None:
            return None, "", 0.0
        chosen, share = choose_likeliest(place)
        if chosen in self.locations:
            return chosen, "", share
        if chosen in self.surfaces:
            return self.surfaces[chosen], chosen, share
        found = self._find_matching(chosen.split()) or self._find_undescribed(chosen)
        if not found:
            reason = f"there is no location {chosen!r}, and no category of that name"
            raise SceneError(reason, element=name)
        return found[0], "", share / len(found)

    def _find_undescribed(self, surface: str) -> list[str]:
        """Find the location of a surface (``counter0_left``) with an undescribed category."""
        names = [
            name
            for name, location in self.locations.items()
            if surface.startswith(f"{name}_") and location.category not in self._furniture
        ]
        return sorted(names, key=len)[-1:]

    def _find_matching(self, words: Sequence[str]) -> list[str]:
        """Find the locations that match a query such as ``kitchen table``, by room and category."""
        rooms = {word for word in words if word in self.rooms}
        return [
            name
            for name, location in self.locations.items()
            if all(word in (location.parent, location.category, name) for word in words)
            and (not rooms or location.parent in rooms)
            and set(words) != rooms
        ]


def _name_by_category(entries: Sequence[_Thing]) -> Iterator[tuple[str, _Thing]]:
    """Name the first table ``table0`` unless it has a name; those with a name count as well."""
    counts: Counter[str] = Counter()
    for entry in entries:
        yield entry.name or f"{entry.category}{counts[entry.category]}", entry
        counts[entry.category] += 1


def choose_likeliest(place: Place) -> tuple[str, float]:
    """Choose the likeliest of the places that pyrobosim draws from, and return its probability."""
    if isinstance(place, str):
        return place, 1.0
    if isinstance(place, PlaceChoice):
        names, shares = place.choices, place.probabilities
    else:
        names, shares = place, None
    if not names:
        raise SceneError("an empty list of places")
    if shares is None:
        return names[0], 1.0 / len(names)
    best = max(range(len(names)), key=lambda number: shares[number])
    return names[best], shares[best]


def _index_by_name(entries: Iterable[tuple[str, _Entry]]) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for name, entry in entries:
        if name in found:
            raise SceneError("this name is given to two", element=name)
        found[name] = entry
    return found


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
