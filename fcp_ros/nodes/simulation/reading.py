# SPDX-License-Identifier: Apache-2.0
"""The world of a simulator, read from the answers of its services.

Where a service is missing, less is known, and a note says what: without GetEntityInfo a category
is read off the name, without GetEntityBounds sizes are those of the scene that was loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.nodes.conversions.common import pose_from_ros
from fcp_ros.nodes.simulation.calls import SimulatorCalls, SimulatorError, SimulatorLost
from fcp_ros.nodes.simulation.entities import Entity, EntityFrames, Shape
from fcp_ros.scene.formats.worlds.bodies import read_name
from fcp_ros.scene.graph.elements import FARTHEST, AttributeValue, Layer, Pose, SceneNode
from fcp_ros.scene.graph.roles import find_layer
from fcp_ros.scene.graph.transforms import require_unit
from fcp_ros.scene.shapes.polygons import box_corners

WORLD = ("", "world", "map")
"""Frames of states that are the world's."""

CATEGORY_TAGS = ("category:", "class:")
"""Beginnings of tags whose rest is the category of an entity: ``category:mug``."""

ROOM_TAG = "room"
"""Tag of a named pose that stands for a room; its bounds are the room's."""

MOST_NAMED = 3
"""Entities that a note names."""

_DOES_WITHOUT = {
    "GetEntityInfo": "categories are read off names",
    "GetEntityBounds": "sizes are those of the scene that was loaded",
    "GetNamedPoses": "there are no named places",
    "GetSimulationState": "it counts as playing",
}


@dataclass(frozen=True)
class WorldReading:
    """The world of a simulator at one moment."""

    entities: tuple[Entity, ...]
    places: tuple[SceneNode, ...] = ()
    notes: tuple[str, ...] = ()


class SimulatorReader:
    """Reads the world of a simulator again and again; what entities are is asked once for each.

    For one thread.
    """

    def __init__(
        self,
        calls: SimulatorCalls,
        messages: Any,  # The module simulation_interfaces.msg
        pattern: str = "",  # POSIX regular expression of the names to ask for; "" for all
    ) -> None:
        self._calls = calls
        self._messages = messages
        self._pattern = pattern
        self._known: dict[str, Entity] = {}  # Without poses that mean anything
        self._places: tuple[SceneNode, ...] | None = None

    def forget(self) -> None:
        """Ask again what entities are: the simulator has another world, or is another one."""
        self._known.clear()
        self._places = None
        self._calls.forget_features()

    def read(self) -> WorldReading:
        """Read all. Raises SimulatorError if the poses of entities can't be told."""
        if self._places is None:
            self._places = self._read_places()
        states = self._ask_states()
        for name in self._known.keys() - states.keys():
            del self._known[name]  # another entity may get this name
        entities, odd = [], []
        for name, state in states.items():
            pose = _read_pose(state)
            if pose is None:
                odd.append(name)
                continue
            known = self._known.get(name)
            if known is None:
                known = self._known[name] = self._describe(name, pose)
            entities.append(replace(known, pose=pose))
        notes = [
            f"it has no {kind}: {_DOES_WITHOUT[kind]}"
            for kind in self._calls.find_missing()
            if kind in _DOES_WITHOUT
        ]
        if odd:
            notes.append(f"{len(odd)} entities have no usable pose: {', '.join(odd[:MOST_NAMED])}")
        return WorldReading(tuple(entities), self._places, tuple(notes))

    def _ask_states(self) -> dict[str, Any]:
        filters = self._messages.EntityFilters(filter=self._pattern)
        if self._calls.supports("GetEntitiesStates"):
            answer = self._calls.ask("GetEntitiesStates", filters=filters)
            return dict(zip(answer.entities, answer.states, strict=False))
        if not self._calls.supports("GetEntityState"):
            raise SimulatorError("it has neither GetEntitiesStates nor GetEntityState")
        states = {}
        for name in self._calls.ask("GetEntities", filters=filters).entities:
            try:
                states[name] = self._calls.ask("GetEntityState", entity=name).state
            except SimulatorLost:
                raise
            except SimulatorError:
                continue  # it was deleted meanwhile
        return states

    def _describe(self, name: str, pose: Pose) -> Entity:
        """Ask what an entity is; its name tells what the simulator doesn't."""
        info = self._ask_about("GetEntityInfo", entity=name)
        bounds = self._ask_about("GetEntityBounds", entity=name)
        shape = None if bounds is None else read_bounds(bounds.bounds, self._messages.Bounds)
        category = read_name(name)
        if info is None:
            return Entity(name, pose, category, find_layer(category), shape)
        return self._read_info(Entity(name, pose, category, None, shape), info.info)

    def _read_info(self, entity: Entity, info: Any) -> Entity:
        kinds = self._messages.EntityCategory
        kind = info.category.category
        category = _find_tagged(info.tags) or entity.category
        attributes: dict[str, AttributeValue] = {}
        if info.description:
            attributes["description"] = info.description
        if kind == kinds.CATEGORY_ROBOT:
            return replace(entity, category="robot", layer=Layer.AGENT, attributes=attributes)
        if kind == kinds.CATEGORY_HUMAN:
            return replace(entity, category="person", layer=Layer.AGENT, attributes=attributes)
        if kind == kinds.CATEGORY_STATIC_OBJECT:
            attributes["is_movable"] = False
        layer = find_layer(category)
        return replace(entity, category=category, layer=layer, attributes=attributes)

    def _read_places(self) -> tuple[SceneNode, ...]:
        if not self._calls.supports("GetNamedPoses"):
            return ()
        places = []
        for named in self._calls.ask("GetNamedPoses").poses:
            pose = _check_pose(named.pose)
            if pose is not None and named.name:
                bounds = self._ask_about("GetNamedPoseBounds", name=named.name)
                shape = (
                    None if bounds is None else read_bounds(bounds.bounds, self._messages.Bounds)
                )
                places.append(make_place(named, pose, shape))
        return tuple(places)

    def _ask_about(self, kind: str, **fields: Any) -> Any:
        """Ask what a simulator may not tell; None then."""
        if not self._calls.supports(kind):
            return None
        try:
            return self._calls.ask(kind, **fields)
        except SimulatorLost:
            raise
        except SimulatorError:
            return None


def make_place(named: Any, pose: Pose, shape: Shape | None) -> SceneNode:
    """Make the node of a named pose: a room if a tag says so, else a place where a robot stands."""
    attributes = {"description": named.description} if named.description else {}
    if ROOM_TAG not in named.tags:
        return SceneNode(named.name, Layer.PLACE, "place", pose=pose, attributes=attributes)
    others = [tag for tag in named.tags if tag != ROOM_TAG]
    category = _find_tagged(named.tags) or next(iter(others), "") or read_name(named.name)
    if shape is None:
        return SceneNode(named.name, Layer.ROOM, category or "room", pose=pose)
    middle = EntityFrames().find_box_pose(Entity(named.name, pose, shape=shape), None)
    return SceneNode(
        named.name,
        Layer.ROOM,
        category or "room",
        pose=middle,
        polygon=box_corners(middle, shape.size),
        height=shape.size[2] or None,
        attributes=attributes,
    )


def read_bounds(bounds: Any, kinds: Any) -> Shape | None:
    """Read the box of bounds; a hull and a sphere have the box around them. None without any."""
    points = [(point.x, point.y, point.z) for point in bounds.points]
    if not all(math.isfinite(value) and abs(value) <= FARTHEST for p in points for value in p):
        return None
    if bounds.type == kinds.TYPE_SPHERE and len(points) == 2:
        radius = points[1][0]
        return Shape(points[0], (2.0 * radius,) * 3) if radius > 0.0 else None
    if bounds.type not in (kinds.TYPE_BOX, kinds.TYPE_CONVEX_HULL) or len(points) < 2:
        return None
    low = [min(axis) for axis in zip(*points, strict=True)]
    high = [max(axis) for axis in zip(*points, strict=True)]
    x, y, z = ((a + b) / 2.0 for a, b in zip(low, high, strict=True))
    long, wide, tall = (b - a for a, b in zip(low, high, strict=True))
    return Shape((x, y, z), (long, wide, tall)) if max(long, wide, tall) > 0.0 else None


def _find_tagged(tags: Sequence[str]) -> str:
    found: Iterable[str] = (
        tag[len(start) :] for start in CATEGORY_TAGS for tag in tags if tag.startswith(start)
    )
    return next(iter(found), "").strip()


def _read_pose(state: Any) -> Pose | None:
    """Read the pose of a state; None for one in the frame of another entity, or none at all."""
    return _check_pose(state.pose) if state.header.frame_id in WORLD else None


def _check_pose(message: Any) -> Pose | None:
    pose = pose_from_ros(message)
    if not all(math.isfinite(value) and abs(value) <= FARTHEST for value in pose.position):
        return None
    try:
        return Pose(pose.position, require_unit(pose.orientation, "an entity"))
    except ValueError:
        return None
