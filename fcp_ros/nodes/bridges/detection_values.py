# SPDX-License-Identifier: Apache-2.0
"""Detections as a detector sends them, and what can be made of them; without ROS."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.nodes.bridges.sightings import Sighting
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.transforms import Transform, require_unit


@dataclass(frozen=True)
class Hypothesis:
    """What it could be: the detector's class, its score, and the pose of that object."""

    class_id: str
    score: float
    pose: Pose


@dataclass(frozen=True)
class Detection:
    """What a ``vision_msgs/Detection3D`` says; in the frame of the message, nothing checked."""

    track: str
    hypotheses: tuple[Hypothesis, ...]
    centre: Pose
    size: Vector


def parse_classes(texts: Iterable[str]) -> dict[str, str]:
    """Categories by class id, from texts such as "3:mug".

    Raises:
        ValueError: A text has not that form, or a class is there twice.
    """
    classes: dict[str, str] = {}
    for text in texts:
        class_id, _, category = (part.strip() for part in text.partition(":"))
        if not class_id or not category:
            raise ValueError(f'{text!r} is no class: write it like "3:mug"')
        if class_id in classes:
            raise ValueError(f"the class {class_id!r} is there twice: remove one of them")
        classes[class_id] = category
    return classes


def sighting_of(
    detection: Detection, classes: Mapping[str, str], into_graph: Transform
) -> Sighting:
    """What was seen where.

    The best hypothesis says what it is; the box says where, or the pose of that hypothesis where
    the box is left out (all zeros).

    Args:
        detection: As it came.
        classes: Categories by class id; a class that is not in there is a category itself.
        into_graph: From the frame of the detection to that of the graph.

    Raises:
        ValueError: One sentence why nothing can be made of it.
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
