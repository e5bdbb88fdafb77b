# SPDX-License-Identifier: Apache-2.0
"""Names and places in a pyrobosim world: what each entry is called, where it is, what is meant.

Names and rules are those of pyrobosim 5.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from fcp_ros.scene.formats.pyrobosim.model import (
    AnyPose,
    Category,
    Choice,
    LocationEntry,
    ObjectEntry,
    Place,
    RoomEntry,
    Surface,
    World,
)
from fcp_ros.scene.formats.pyrobosim.shapes import at_pose, outline_of, relative_to
from fcp_ros.scene.graph.elements import Pose
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.shapes.polygons import Polygon, area, centroid

ADVICE = "Correct this entry of the world file."

_SMALLEST = 1e-6
_Entry = TypeVar("_Entry")
_Thing = TypeVar("_Thing", LocationEntry, ObjectEntry)


class NamedWorld:
    """The entries of a world by name, and where they are.

    Attributes:
        rooms, hallways, locations, objects, robots: Entries by name.
        outlines: Corners (m) of each room.
        poses: Of rooms, locations and surfaces, by name.
        surfaces: Location by the name of each of its surfaces.

    Raises:
        SceneError: Two entries of a kind have one name, or a reference leads nowhere.
    """

    def __init__(self, world: World, furniture: Mapping[str, Category]) -> None:
        self._furniture = furniture
        self._name_all(world)
        self._place_all()

    def _name_all(self, world: World) -> None:
        """Everything by its name; what has none gets the one that pyrobosim gives."""
        self.rooms = _by_name((room.name or f"room{i}", room) for i, room in enumerate(world.rooms))
        between: Counter[tuple[str, ...]] = Counter()
        halls = []
        for hall in world.hallways:
            ends = tuple(sorted((hall.room_start, hall.room_end)))
            suffix = f"_{between[ends]}" if between[ends] else ""
            halls.append((hall.name or f"hall_{'_'.join(ends)}{suffix}", hall))
            between[ends] += 1
        self.hallways = _by_name(halls)
        self.locations = _by_name(_counted(world.locations))
        self.objects = _by_name(_counted(world.objects))
        self.robots = _by_name(
            (robot.name or f"robot{i}", robot) for i, robot in enumerate(world.robots)
        )

    def named(self) -> Iterator[tuple[str, str]]:
        yield from ((name, "room") for name in self.rooms)
        yield from ((name, "door") for name in self.hallways)
        yield from ((name, thing.category) for name, thing in self.locations.items())
        yield from ((name, thing.category) for name, thing in self.objects.items())
        yield from ((name, "robot") for name in self.robots)

    def _place_all(self) -> None:
        """Outlines of rooms, poses of rooms, locations and surfaces, as later entries need them."""
        self.outlines: dict[str, Polygon] = {}
        self.poses: dict[str, Pose] = {}
        self.surfaces: dict[str, str] = {}
        for name, room in self.rooms.items():
            outline = self.outlines[name] = self._room_outline(name, room)
            pose = self.pose_of(room.pose, name)
            self.poses[name] = pose or Pose((*centroid(outline), 0.0))
        for name, location in self.locations.items():
            if location.parent not in self.rooms:
                reason = f"its parent {location.parent!r} is no room"
                raise SceneError(reason, element=name, advice=ADVICE)
            pose = self.poses[name] = self.pose_of(location.pose, name) or Pose((0.0, 0.0, 0.0))
            for surface_name, surface in self._surfaces_of(name, location):
                self.surfaces[surface_name] = name
                self.poses[surface_name] = self._surface_pose(location, surface, pose)

    def _room_outline(self, name: str, room: RoomEntry) -> Polygon:
        base = self.pose_of(room.pose, name)
        if isinstance(room.footprint, list):
            corners = tuple((float(x), float(y)) for x, y in room.footprint)
            outline = corners if base is None else at_pose(corners, base)
        else:
            outline = outline_of(room.footprint, base)
        if len(outline) < 3 or area(outline) < _SMALLEST:
            raise SceneError("its footprint is no outline", element=name, advice=ADVICE)
        return outline

    def _surfaces_of(self, name: str, location: LocationEntry) -> Iterator[tuple[str, Surface]]:
        category = self._furniture.get(location.category)
        for number, surface in enumerate(category.locations if category else ()):
            yield f"{name}_{surface.name or f'loc{number}'}", surface

    def _surface_pose(self, location: LocationEntry, surface: Surface, pose: Pose) -> Pose:
        """Where a surface's middle is; it is turned as its location."""
        footprint = surface.footprint
        if footprint is None or footprint.type == "parent":
            footprint = self._furniture[location.category].footprint
        outline = outline_of(footprint, pose)
        middle = centroid(outline) if outline else pose.position[:2]
        return Pose((*middle, 0.0), pose.orientation)

    def pose_of(self, entry: AnyPose | None, name: str) -> Pose | None:
        if entry is None:
            return None
        if entry.relative_to is None:
            return entry.pose()
        if entry.relative_to not in self.poses:
            reason = f"its pose is relative to {entry.relative_to!r}, which is not known before it"
            raise SceneError(reason, element=name, advice=ADVICE)
        return relative_to(entry.pose(), self.poses[entry.relative_to])

    def surface_height(self, where: str | None, surface: str) -> float | None:
        """Height (m) of a surface above the floor; None where it is not known."""
        category = self._furniture.get(self.locations[where].category) if where else None
        if where is None or category is None:
            return None
        for name, part in self._surfaces_of(where, self.locations[where]):
            if part.footprint is not None and part.footprint.height and surface in ("", name):
                return part.footprint.height
        return category.footprint.height or None

    def somewhere(self, place: Place | None, name: str) -> tuple[str | None, str, float]:
        """Location, surface of it if said, and how certain that is."""
        if place is None:
            return None, "", 0.0
        chosen, share = likeliest(place)
        if chosen in self.locations:
            return chosen, "", share
        if chosen in self.surfaces:
            return self.surfaces[chosen], chosen, share
        found = self._asked_for(chosen.split()) or self._undescribed(chosen)
        if not found:
            reason = f"there is no location {chosen!r}, and no category of that name"
            raise SceneError(reason, element=name, advice=ADVICE)
        return found[0], "", share / len(found)

    def _undescribed(self, surface: str) -> list[str]:
        """The location of a surface (``counter0_left``) whose category no metadata describes."""
        names = [
            name
            for name, location in self.locations.items()
            if surface.startswith(f"{name}_") and location.category not in self._furniture
        ]
        return sorted(names, key=len)[-1:]

    def _asked_for(self, words: Sequence[str]) -> list[str]:
        """Locations that a query such as ``kitchen table`` asks for, by room and category."""
        rooms = {word for word in words if word in self.rooms}
        return [
            name
            for name, location in self.locations.items()
            if all(word in (location.parent, location.category, name) for word in words)
            and (not rooms or location.parent in rooms)
            and set(words) != rooms
        ]


def _counted(entries: Sequence[_Thing]) -> Iterator[tuple[str, _Thing]]:
    """``table0`` for the first table if it has no name; those with a name count as well."""
    counts: Counter[str] = Counter()
    for entry in entries:
        yield entry.name or f"{entry.category}{counts[entry.category]}", entry
        counts[entry.category] += 1


def likeliest(place: Place) -> tuple[str, float]:
    """Of what pyrobosim would draw from, the likeliest (the first of equal ones), and its share."""
    if isinstance(place, str):
        return place, 1.0
    if isinstance(place, Choice):
        names, shares = place.choices, place.probabilities
    else:
        names, shares = place, None
    if not names:
        raise SceneError("an empty list of places", advice=ADVICE)
    if shares is None:
        return names[0], 1.0 / len(names)
    best = max(range(len(names)), key=lambda number: shares[number])
    return names[best], shares[best]


def _by_name(entries: Iterable[tuple[str, _Entry]]) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for name, entry in entries:
        if name in found:
            raise SceneError("this name is given to two", element=name, advice=ADVICE)
        found[name] = entry
    return found
