# SPDX-License-Identifier: Apache-2.0
"""What is different between two scenes, in people's terms: come, gone, moved, called otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import AttributeValue, Pose, Quaternion, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class DifferenceTolerances:
    """What still counts as the same.

    Attributes:
        distance: How far (m) a position, a corner, or an extent may be off.
        turn: How far (degrees) an orientation may be off.
        value: How far a numeric attribute may be off, as a share of the larger magnitude.
    """

    distance: float = 0.01
    turn: float = 1.0
    value: float = 1e-6


@dataclass(frozen=True)
class NodeDifference:
    """How one node differs; what is the same is left at its default.

    Attributes:
        id: Id in the first scene.
        moved: Distance (m) between the two positions, if beyond the tolerance.
        turned: Angle (degrees) between the two orientations, if beyond the tolerance.
        changes: What else: ("category", before, after), ("size", ...), ("is_open", ...); values as
            text, "unknown" where there is none.
    """

    id: str
    moved: float = 0.0
    turned: float = 0.0
    changes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class SceneDifference:
    """What leads from one scene to another.

    Attributes:
        added: Nodes that only the second has.
        removed: Nodes that only the first has.
        changed: Nodes of both that differ, in the first scene's order.
        relations_added, relations_removed: In the ids of the first scene; those of nodes that
            came or went are not repeated here.
        frames: The two frames, where they differ; positions are compared all the same.
    """

    added: tuple[SceneNode, ...] = ()
    removed: tuple[SceneNode, ...] = ()
    changed: tuple[NodeDifference, ...] = ()
    relations_added: tuple[SceneRelation, ...] = ()
    relations_removed: tuple[SceneRelation, ...] = ()
    frames: tuple[str, str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the scenes are the same within the tolerances."""
        return self == SceneDifference()


def difference(
    before: SceneGraph,
    after: SceneGraph,
    tolerances: DifferenceTolerances | None = None,
    partners: Mapping[str, str] | None = None,
) -> SceneDifference:
    """Compare two scenes.

    Args:
        before: The first scene.
        after: The second one.
        tolerances: What still counts as the same.
        partners: Id in the second scene -> id of the same thing in the first (see
            ``same_things``); None where equal ids mean the same.

    Returns:
        The difference. Confidences, provenance, notes and order don't count.
    """
    within = tolerances or DifferenceTolerances()
    name = _renaming(before, after, partners)
    by_name = {name[id_]: node for id_, node in after.nodes.items()}
    come = [id_ for id_ in by_name if id_ not in before.nodes]
    gone = [id_ for id_ in before.nodes if id_ not in by_name]
    changed = (
        _compare(node, by_name[id_], within, name)
        for id_, node in before.nodes.items()
        if id_ in by_name
    )
    was = {relation.key: relation for relation in before.relations}
    now = {
        relation.key: relation
        for relation in (
            replace(r, elements=tuple(name[id_] for id_ in r.elements)) for r in after.relations
        )
    }
    apart = {*come, *gone}
    return SceneDifference(
        added=tuple(by_name[id_] for id_ in come),
        removed=tuple(before.nodes[id_] for id_ in gone),
        changed=tuple(found for found in changed if found is not None),
        relations_added=_only_in(now, was, apart),
        relations_removed=_only_in(was, now, apart),
        frames=None if before.frame_id == after.frame_id else (before.frame_id, after.frame_id),
    )


_Relations = Mapping[tuple[str, tuple[str, ...]], SceneRelation]


def _only_in(first: _Relations, second: _Relations, apart: set[str]) -> tuple[SceneRelation, ...]:
    return tuple(
        relation
        for key, relation in first.items()
        if key not in second and apart.isdisjoint(relation.elements)
    )


def _renaming(
    before: SceneGraph, after: SceneGraph, partners: Mapping[str, str] | None
) -> dict[str, str]:
    """Name by id of the second scene: the partner's, or its own, made unlike any of the first."""
    if partners is None:
        return {id_: id_ for id_ in after.nodes}
    names: dict[str, str] = {}
    taken = {*before.nodes, *after.nodes}
    for id_ in after.nodes:
        name = partners.get(id_)
        if name is None:
            name = id_
            while name in before.nodes or (name != id_ and name in taken):
                name += "'"
            taken.add(name)
        names[id_] = name
    return names


def _compare(
    before: SceneNode, after: SceneNode, within: DifferenceTolerances, name: Mapping[str, str]
) -> NodeDifference | None:
    moved = turned = 0.0
    if before.pose is not None and after.pose is not None:
        moved = math.dist(before.pose.position, after.pose.position)
        turned = turn_between(before.pose.orientation, after.pose.orientation)
    found = NodeDifference(
        before.id,
        moved if moved > within.distance else 0.0,
        turned if turned > within.turn else 0.0,
        tuple(_changes(before, after, within, name)),
    )
    return None if found == NodeDifference(before.id) else found


def _changes(
    before: SceneNode, after: SceneNode, within: DifferenceTolerances, name: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    if normalise_label(before.category) != normalise_label(after.category):
        yield "category", before.category, after.category
    if before.layer is not after.layer:
        yield "layer", before.layer.value, after.layer.value
    if (before.pose is None) != (after.pose is None):
        yield "position", _position(before.pose), _position(after.pose)
    if not _near(before.size, after.size, within.distance):
        yield "size", _numbers(before.size), _numbers(after.size)
    if not _same_outline(before.polygon, after.polygon, within.distance):
        yield "outline", f"{len(before.polygon)} corners", f"{len(after.polygon)} corners"
    heights = [None if node.height is None else (node.height,) for node in (before, after)]
    if not _near(heights[0], heights[1], within.distance):
        yield "height", _numbers(heights[0]), _numbers(heights[1])
    parents = {name.get(parent, parent) for parent in after.parents}
    if set(before.parents) != parents:
        yield "parents", _listed(set(before.parents)), _listed(parents)
    for key in sorted({*before.attributes, *after.attributes}):
        ours, theirs = before.attributes.get(key), after.attributes.get(key)
        if not _same_value(ours, theirs, within.value):
            yield key, _value(ours), _value(theirs)


def turn_between(first: Quaternion, second: Quaternion) -> float:
    """Angle (degrees) of the rotation that leads from one unit quaternion to another."""
    dot = abs(sum(a * b for a, b in zip(first, second, strict=True)))
    # atan2, since acos loses half the digits for small angles.
    cross = math.sqrt(sum((a * d - b * c) ** 2 for a, b, c, d in _pairs(first, second)))
    return math.degrees(2.0 * math.atan2(cross, dot))


def _pairs(first: Quaternion, second: Quaternion) -> Iterator[tuple[float, float, float, float]]:
    for i in range(4):
        for j in range(i):
            yield first[i], first[j], second[i], second[j]


def _near(first: tuple[float, ...] | None, second: tuple[float, ...] | None, within: float) -> bool:
    if first is None or second is None:
        return first is second
    return all(abs(a - b) <= within for a, b in zip(first, second, strict=True))


def _same_outline(
    first: tuple[tuple[float, float], ...], second: tuple[tuple[float, float], ...], within: float
) -> bool:
    """Whether two polygons have the same corners, wherever they start and whichever way round."""
    if len(first) != len(second):
        return False
    if not first:
        return True
    ways = (second, second[::-1])
    return any(
        all(
            math.dist(corner, way[(start + index) % len(way)]) <= within
            for index, corner in enumerate(first)
        )
        for way in ways
        for start in range(len(way))
        if math.dist(first[0], way[start]) <= within
    )


def _same_value(first: AttributeValue | None, second: AttributeValue | None, within: float) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=within)
    return first == second


def _value(value: AttributeValue | None) -> str:
    return "unknown" if value is None else str(value)


def _position(pose: Pose | None) -> str:
    return _numbers(None if pose is None else pose.position)


def _numbers(values: tuple[float, ...] | None) -> str:
    return "unknown" if values is None else " ".join(f"{value:.3f}" for value in values)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
