# SPDX-License-Identifier: Apache-2.0
"""Objects that a detector sees, as changes of a scene graph; without ROS.

A sighting is an object of the graph that the detector has named before, or the nearest one of the
same category within reach; what is neither is new. Nothing that is not seen is taken away, unless
``forget_after`` says so, and then only what came from sightings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph

SCORE = "detection_score"
"""Attribute of an object: how sure the detector was when it was last taken over."""

TURN_TOLERANCE = math.radians(10.0)
"""Smaller turns don't change the graph."""

SIZE_TOLERANCE = 0.25
"""Smaller changes of an extent, as a share of it, don't change the graph."""

PLACING = frozenset({"on", "inside", "under", "near", "adjacent", "in_room"})
"""Relations of an object that need not hold any more when it was seen elsewhere."""

_NOT_PLAIN = re.compile(r"\W+")


@dataclass(frozen=True)
class Sighting:
    """One detected object.

    Attributes:
        track: Name that the detector gives to the same object each time; "" where it has none.
        category: Label.
        score: How sure the detector is, in [0, 1].
        pose: Centre of the box, in the graph's frame.
        size: Full extents (m); None where unknown.
    """

    track: str
    category: str
    score: float
    pose: Pose
    size: Vector | None


@dataclass(frozen=True)
class SightingOptions:
    """How sightings become objects.

    Attributes:
        min_score: Sightings below are nothing.
        reach: How far (m) an object may have moved between two sightings without a track.
        tolerance: Smaller moves (m) don't change the graph: a detector trembles.
        forget_after: Seconds without a sighting after which an object that came from sightings is
            removed; 0: never.
    """

    min_score: float = 0.5
    reach: float = 0.5
    tolerance: float = 0.05
    forget_after: float = 0.0


class Sightings:
    """What the detector has seen so far. Not thread-safe.

    Args:
        options: How sightings become objects.
    """

    def __init__(self, options: SightingOptions) -> None:
        self._options = options
        self._tracks: dict[str, str] = {}  # track -> id
        self._seen: dict[str, float] = {}  # id of an object that came from sightings -> when

    def change(
        self, graph: SceneGraph, sightings: Sequence[Sighting], now: float
    ) -> SceneDelta | None:
        """What sightings change in a graph; None for nothing.

        Args:
            graph: The present graph.
            sightings: All of one moment, in the graph's frame; none of them for a moment without.
            now: That moment (s).

        Returns:
            A change without derived relations; given ones that place a moved object are dropped.
        """
        self._forget_strangers(graph)
        sure = [s for s in sightings if s.score >= self._options.min_score]
        upserted = []
        for sighting, id_ in self._associated(graph, sure):
            before = graph.nodes.get(id_)
            after = _sighted(sighting, id_, before, is_own=id_ in self._seen)
            if before is None or id_ in self._seen:
                self._seen[id_] = now
            if before is None or self._differs(before, after):
                upserted.append(after)
        removed = self._forgotten(now)
        if not upserted and not removed:
            return None
        moved = {node.id for node in upserted if node.id in graph.nodes}
        return SceneDelta(
            graph.sequence + 1,
            upserted=tuple(upserted),
            removed=removed,
            dropped=tuple(_lost(graph, moved, set(removed))),
        )

    def _associated(
        self, graph: SceneGraph, sightings: Sequence[Sighting]
    ) -> list[tuple[Sighting, str]]:
        """Each sighting with the id of its object; no object is two sightings."""
        found: list[tuple[Sighting, str]] = []
        taken: set[str] = set()
        tracks: set[str] = set()
        rest = []
        for sighting in sorted(sightings, key=lambda s: -s.score):
            if sighting.track in tracks:
                continue  # a detector that gives a name twice is believed once
            tracks.update(filter(None, [sighting.track]))
            id_ = self._tracked(sighting, graph)
            if id_ is None or id_ in taken:
                rest.append(sighting)
            else:
                taken.add(id_)
                found.append((sighting, id_))
        for sighting, near in _nearest(graph, rest, taken, self._options.reach):
            id_ = near or _free_id(sighting, {*graph.nodes, *taken})
            taken.add(id_)
            found.append((sighting, id_))
        self._tracks.update((s.track, id_) for s, id_ in found if s.track)
        return found

    def _tracked(self, sighting: Sighting, graph: SceneGraph) -> str | None:
        """The object of a track: that of before, or the one in the graph that is called so."""
        known = self._tracks.get(sighting.track)
        node = graph.nodes.get(sighting.track)
        if known is None and node is not None and node.layer is Layer.OBJECT:
            return node.id
        return known

    def _differs(self, before: SceneNode, after: SceneNode) -> bool:
        """Whether a sighting says more than that the detector trembles."""
        if before.pose is None or after.pose is None or before.category != after.category:
            return True
        if math.dist(before.pose.position, after.pose.position) > self._options.tolerance:
            return True
        if _angle(before.pose, after.pose) > TURN_TOLERANCE:
            return True
        if before.size is None or after.size is None:
            return before.size != after.size
        extents = zip(before.size, after.size, strict=True)
        return any(abs(a - b) > SIZE_TOLERANCE * max(a, b) for a, b in extents)

    def _forgotten(self, now: float) -> tuple[str, ...]:
        limit = self._options.forget_after
        gone = tuple(id_ for id_, seen in self._seen.items() if limit and now - seen > limit)
        self._drop(gone)
        return gone

    def _forget_strangers(self, graph: SceneGraph) -> None:
        """What somebody else has removed, or with the whole graph."""
        self._drop([id_ for id_ in self._seen if id_ not in graph.nodes])
        self._tracks = {track: id_ for track, id_ in self._tracks.items() if id_ in graph.nodes}

    def _drop(self, ids: Collection[str]) -> None:
        for id_ in ids:
            del self._seen[id_]
        self._tracks = {track: id_ for track, id_ in self._tracks.items() if id_ not in ids}


def _nearest(
    graph: SceneGraph, sightings: Sequence[Sighting], taken: Iterable[str], reach: float
) -> list[tuple[Sighting, str | None]]:
    """Sightings with the objects of their category, the nearest pairs first."""
    excluded = set(taken)
    labels = [normalise_label(sighting.category) for sighting in sightings]
    pairs = []
    for node in graph.in_layer(Layer.OBJECT) if sightings else ():
        label = normalise_label(node.category)
        if node.pose is None or node.id in excluded or label not in labels:
            continue
        for index, sighting in enumerate(sightings):
            distance = math.dist(node.pose.position, sighting.pose.position)
            if distance <= reach and labels[index] == label:
                pairs.append((distance, index, node.id))
    chosen: dict[int, str] = {}
    for _, index, id_ in sorted(pairs):
        if index not in chosen and id_ not in excluded:
            chosen[index] = id_
            excluded.add(id_)
    return [(sighting, chosen.get(index)) for index, sighting in enumerate(sightings)]


def _sighted(sighting: Sighting, id_: str, before: SceneNode | None, *, is_own: bool) -> SceneNode:
    """An object as it was seen; what is not to be seen stays as it was."""
    score = {SCORE: round(sighting.score, 3)}
    if before is None:
        return SceneNode(
            id_,
            Layer.OBJECT,
            sighting.category,
            pose=sighting.pose,
            size=sighting.size,
            attributes=score,
        )
    # An object of the map keeps the name that the map's maker gave it.
    return replace(
        before,
        category=sighting.category if is_own else before.category,
        pose=sighting.pose,
        size=sighting.size or before.size,
        attributes={**before.attributes, **score},
        parents=(),
    )


def _lost(graph: SceneGraph, moved: set[str], removed: set[str]) -> Iterable[SceneRelation]:
    """Given relations that place an object where it was; derived ones are derived anew anyhow."""
    for relation in graph.relations if moved else ():
        if (
            relation.name in PLACING
            and relation.provenance is Provenance.GIVEN
            and relation.elements[0] in moved
            and not removed.intersection(relation.elements)
        ):
            yield relation


def _free_id(sighting: Sighting, used: Collection[str]) -> str:
    """The track where it is a name, else the category and a number; none that is used."""
    track = _NOT_PLAIN.sub("_", sighting.track).strip("_")
    category = _NOT_PLAIN.sub("_", sighting.category).strip("_").lower() or "object"
    wanted = track if track and not track[0].isdigit() else f"{category}_{track}" if track else ""
    if wanted and wanted not in used:
        return wanted
    stem, number = wanted or category, 1
    while f"{stem}_{number}" in used:
        number += 1
    return f"{stem}_{number}"


def _angle(before: Pose, after: Pose) -> float:
    """Angle (rad) between two orientations."""
    along = abs(sum(a * b for a, b in zip(before.orientation, after.orientation, strict=True)))
    return 2.0 * math.acos(min(1.0, along))
