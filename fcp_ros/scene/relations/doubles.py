# SPDX-License-Identifier: Apache-2.0
"""Two detections of one thing: the same label, and boxes that are almost in the same place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.shapes.boxes import Boxes
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles

SHARED = 0.5
"""Least volume that the boxes share, by the volume of both together: stacked bowls share less."""


def describe_doubles(nodes: Mapping[str, SceneNode], boxes: Boxes) -> list[str]:
    """Write a note on the pairs that are probably one thing; empty without any."""
    pairs = [f"{one} and {other}" for one, other in find_doubles(nodes, boxes)]
    if not pairs:
        return []
    return [
        "probably one thing that was detected twice (the same label, boxes in one place): "
        f"{list_names(pairs)}"
    ]


def find_doubles(nodes: Mapping[str, SceneNode], boxes: Boxes) -> Iterator[tuple[str, str]]:
    """Yield pairs of ids with the same label whose upright boxes share at least ``SHARED``."""
    labels: dict[str, int] = {}
    numbers = np.empty(len(boxes.ids), dtype=np.intp)
    for index, id_ in enumerate(boxes.ids):
        label = normalise_label(nodes[id_].category)
        numbers[index] = labels.setdefault(label, len(labels)) if is_named(label) else -1 - index
    if len(labels) == len(boxes.ids):
        return
    low, high = boxes.bounds()
    for item, other in find_points_in_rectangles(boxes.centre[:, :2], low, high):
        alike = (item < other) & (numbers[item] == numbers[other])
        item, other = item[alike], other[alike]
        bottom = np.maximum(boxes.bottom(item), boxes.bottom(other))
        top = np.minimum(boxes.top(item), boxes.top(other))
        lower, upper = np.maximum(low[item], low[other]), np.minimum(high[item], high[other])
        shared = np.clip(upper - lower, 0.0, None).prod(axis=1) * np.clip(top - bottom, 0.0, None)
        both = sum(
            (high[which] - low[which]).prod(axis=1) * (boxes.top(which) - boxes.bottom(which))
            for which in (item, other)
        )
        for row in np.flatnonzero((shared > 0.0) & (shared >= SHARED * (both - shared))).tolist():
            yield boxes.ids[item[row]], boxes.ids[other[row]]
