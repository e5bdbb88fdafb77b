# SPDX-License-Identifier: Apache-2.0
"""Detected objects as changes of a scene graph; without ROS.

A sighting belongs to the object that the detector named before, or to the nearest one of the same
category within reach; else it is a new object. Unseen objects stay, unless ``forget_after`` is set;
then those that came from sightings are removed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import Transform, measure_turn, require_unit

SCORE = "detection_score"
"""Attribute of an object: the score of the detection that changed it last."""

TURN_TOLERANCE = math.radians(10.0)
"""Smaller turns don't change the graph."""

SIZE_TOLERANCE = 0.25
"""Smaller changes of an extent, as a share of it, don't change the graph."""

PLACING = frozenset({"on", "inside", "under", "near", "adjacent", "in_room"})
"""Relations of an object that may no longer hold when it was seen elsewhere."""

_NOT_PLAIN = re.compile(r"\W+")


@dataclass(frozen=True)
class Sighting:
    """One detected object."""

    track: str  # Name that the detector gives the same object each time; "" for none
    category: str
    score: float  # Confidence of the detector, in [0, 1]
    pose: Pose  # Centre of the box, in the graph's frame
    size: Vector | None  # Full extents (m); None if unknown


@dataclass(frozen=True)
class SightingOptions:
    """Options for turning sightings into objects."""

    min_score: float = 0.5  # Sightings with a lower score are ignored
    reach: float = 0.5  # Largest move (m) of an object between two sightings without a track
    tolerance: float = 0.05  # Smaller moves (m) are taken for jitter and don't change the graph
    # Seconds without a sighting after which an object that came from sightings is removed; 0 for
    # never
    forget_after: float = 0.0


class Sightings:
    """The sightings so far, and the objects that they belong to. Not thread-safe.

    `options`: options for turning sightings into objects.
    """

    def __init__(self, options: SightingOptions) -> None:
        self._options = options
        self._tracks: dict[str, str] = {}  # track -> id
        self._seen: dict[str, float] = {}  # id of an object that came from sightings -> time

    def compute_delta(
        self, graph: SceneGraph, sightings: Sequence[Sighting], now: float
    ) -> SceneDelta | None:
        """Compute the change that sightings make to a graph; None for no change.

        `sightings`: all sightings of one moment, in the graph's frame; may be empty. `now`: that
        moment (s). Returns a change without derived relations; given ones that place a moved object
        are dropped.
        """
        self._forget_removed(graph)
        sure = [s for s in sightings if s.score >= self._options.min_score]
        upserted = []
        for sighting, id_ in self._associate(graph, sure):
            before = graph.nodes.get(id_)
            after = _update_object(sighting, id_, before, is_own=id_ in self._seen)
            if before is None or id_ in self._seen:
                self._seen[id_] = now
            if before is None or self._differs(before, after):
                upserted.append(after)
        removed = self._forget_unseen(now)
        if not upserted and not removed:
            return None
        moved = {node.id for node in upserted if node.id in graph.nodes}
        return SceneDelta(
            graph.sequence + 1,
            upserted=tuple(upserted),
            removed=removed,
            dropped=tuple(_find_outdated(graph, moved, set(removed))),
        )

    def _associate(
        self, graph: SceneGraph, sightings: Sequence[Sighting]
    ) -> list[tuple[Sighting, str]]:
        """Pair each sighting with the id of its object; no object gets two sightings."""
        found: list[tuple[Sighting, str]] = []
        taken: set[str] = set()
        tracks: set[str] = set()
        rest = []
        for sighting in sorted(sightings, key=lambda s: -s.score):
            if sighting.track in tracks:
                continue  # of sightings with the same track, the best counts
            tracks.update(filter(None, [sighting.track]))
            id_ = self._find_tracked(sighting, graph)
            if id_ is None or id_ in taken:
                rest.append(sighting)
            else:
                taken.add(id_)
                found.append((sighting, id_))
        for sighting, near in _pair_nearest(graph, rest, taken, self._options.reach):
            id_ = near or _choose_id(sighting, {*graph.nodes, *taken})
            taken.add(id_)
            found.append((sighting, id_))
        self._tracks.update((s.track, id_) for s, id_ in found if s.track)
        return found

    def _find_tracked(self, sighting: Sighting, graph: SceneGraph) -> str | None:
        """Find the object of a track: the one before, or the one in the graph with that id."""
        known = self._tracks.get(sighting.track)
        node = graph.nodes.get(sighting.track)
        if known is None and node is not None and node.layer is Layer.OBJECT:
            return node.id
        return known

    def _differs(self, before: SceneNode, after: SceneNode) -> bool:
        if before.pose is None or after.pose is None or before.category != after.category:
            return True
        if math.dist(before.pose.position, after.pose.position) > self._options.tolerance:
            return True
        if measure_turn(before.pose.orientation, after.pose.orientation) > TURN_TOLERANCE:
            return True
        if before.size is None or after.size is None:
            return before.size != after.size
        extents = zip(before.size, after.size, strict=True)
        return any(abs(a - b) > SIZE_TOLERANCE * max(a, b) for a, b in extents)

    def _forget_unseen(self, now: float) -> tuple[str, ...]:
        limit = self._options.forget_after
        gone = tuple(id_ for id_, seen in self._seen.items() if limit and now - seen > limit)
        self._drop(gone)
        return gone

    def _forget_removed(self, graph: SceneGraph) -> None:
        """Forget objects that were removed by others, or with the whole graph."""
        self._drop([id_ for id_ in self._seen if id_ not in graph.nodes])
        self._tracks = {track: id_ for track, id_ in self._tracks.items() if id_ in graph.nodes}

    def _drop(self, ids: Collection[str]) -> None:
        for id_ in ids:
            del self._seen[id_]
        self._tracks = {track: id_ for track, id_ in self._tracks.items() if id_ not in ids}


def _pair_nearest(
    graph: SceneGraph, sightings: Sequence[Sighting], taken: Iterable[str], reach: float
) -> list[tuple[Sighting, str | None]]:
    """Pair sightings with objects of their category, the nearest pairs first."""
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


def _update_object(
    sighting: Sighting, id_: str, before: SceneNode | None, *, is_own: bool
) -> SceneNode:
    """Update an object by a sighting; what a sighting can't tell stays."""
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


def _find_outdated(
    graph: SceneGraph, moved: set[str], removed: set[str]
) -> Iterable[SceneRelation]:
    """Find given relations that place a moved object; derived ones are derived again anyway."""
    for relation in graph.relations if moved else ():
        if (
            relation.name in PLACING
            and relation.provenance is Provenance.GIVEN
            and relation.elements[0] in moved
            and not removed.intersection(relation.elements)
        ):
            yield relation


def _choose_id(sighting: Sighting, used: Collection[str]) -> str:
    """Choose an unused id: the track if it is a name, else category and number."""
    track = _NOT_PLAIN.sub("_", sighting.track).strip("_")
    category = _NOT_PLAIN.sub("_", sighting.category).strip("_").lower() or "object"
    wanted = track if track and not track[0].isdigit() else f"{category}_{track}" if track else ""
    if wanted and wanted not in used:
        return wanted
    stem, number = wanted or category, 1
    while f"{stem}_{number}" in used:
        number += 1
    return f"{stem}_{number}"


@dataclass(frozen=True)
class Hypothesis:
    """A class that a detector considers, with its score and the pose of the object."""

    class_id: str
    score: float
    pose: Pose


@dataclass(frozen=True)
class Detection:
    """The content of a ``vision_msgs/Detection3D``, unchecked, in the frame of the message."""

    track: str
    hypotheses: tuple[Hypothesis, ...]
    centre: Pose
    size: Vector


def parse_classes(texts: Iterable[str]) -> dict[str, str]:
    """Parse categories by class id, from texts such as "3:mug".

    Raises ValueError if a text does not have that form, or a class is given twice.
    """
    classes: dict[str, str] = {}
    for text in texts:
        class_id, _, category = (part.strip() for part in text.partition(":"))
        if not class_id or not category:
            raise ValueError(f'{text!r} is no class: write it like "3:mug"')
        if class_id in classes:
            raise ValueError(f"the class {class_id!r} is given twice: remove one of them")
        classes[class_id] = category
    return classes


def make_sighting(
    detection: Detection, classes: Mapping[str, str], into_graph: Transform
) -> Sighting:
    """Make a sighting from a detection.

    The category is that of the best hypothesis; the pose is that of the box, or of that hypothesis
    if the box is left out (all zeros). `classes`: categories by class id; a class without an entry
    is a category itself. Raises ValueError if the detection is unusable; the sentence says why.
    """
    if not detection.hypotheses:
        raise ValueError("a detection has no hypothesis what it is")
    best = max(detection.hypotheses, key=lambda h: h.score if math.isfinite(h.score) else -1.0)
    if not 0.0 <= best.score <= 1.0:
        raise ValueError(f"the score {best.score} of a detection is outside [0, 1]")
    category = classes.get(best.class_id, best.class_id).strip()
    if not category:
        raise ValueError("the best hypothesis of a detection has no class")
    extents = (*detection.size, *detection.centre.position)
    if not all(math.isfinite(number) for number in extents) or min(detection.size) < 0.0:
        raise ValueError(f"the box of a detection ({category}) is not finite, or has an extent < 0")
    is_boxed = any(detection.size)
    pose = detection.centre if is_boxed or any(detection.centre.position) else best.pose
    if not all(math.isfinite(number) for number in pose.position):
        raise ValueError(f"the position of a detection ({category}) is not finite")
    turn = require_unit(pose.orientation, f"a detection ({category})")
    return Sighting(
        track=detection.track.strip(),
        category=category,
        score=best.score,
        pose=into_graph.transform_pose(Pose(pose.position, turn)),
        size=detection.size if is_boxed else None,
    )
