# SPDX-License-Identifier: Apache-2.0
"""Places labels in a picture so that they don't cover each other.

Greedy and deterministic: labels are placed in the order given, each at the first of a fixed set
of offsets where it is free; a label that had to move far gets a leader line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHARACTER_WIDTH = 0.56
"""Mean width of a character in units of the font size; enough to keep labels apart."""

LEADER_DISTANCE = 14.0
"""Labels that are placed farther away than this [points] get a leader line."""


@dataclass(frozen=True)
class Label:
    """A text that wants to stand near a point.

    Attributes:
        text: what it says.
        x, y: the point, in points from the picture's lower left corner.
        size: font size in points.
        centred: whether it would best stand on the point itself.
    """

    text: str
    x: float
    y: float
    size: float
    centred: bool = False


@dataclass(frozen=True)
class PlacedLabel:
    """Where a label stands: offset of its centre from its point, in points."""

    label: Label
    dx: float
    dy: float

    @property
    def needs_leader(self) -> bool:
        return (
            not self.label.centred
            and math.hypot(self.dx - math.copysign(_width(self.label) / 2, self.dx), self.dy)
            > LEADER_DISTANCE
        )


Box = tuple[float, float, float, float]


def place_labels(labels: Sequence[Label], taken: Sequence[Box] = ()) -> list[PlacedLabel]:
    """Places the labels one after the other.

    Args:
        labels: most important first.
        taken: boxes (x0, y0, x1, y1) in points that no label may cover.

    Returns:
        One placement a label, in the same order; a label for which nothing is free stands at its
        first choice.
    """
    boxes = list(taken)
    placed = []
    for label in labels:
        offsets = list(_offsets(label))
        dx, dy = next(
            (
                offset
                for offset in offsets
                if not any(_overlap(_box(label, *offset), box) for box in boxes)
            ),
            offsets[0],
        )
        boxes.append(_box(label, dx, dy))
        placed.append(PlacedLabel(label, dx, dy))
    return placed


def _offsets(label: Label) -> Iterator[tuple[float, float]]:
    half = _width(label) / 2
    if label.centred:
        yield 0.0, 0.0
    for distance in (5.0, 10.0, 17.0, 25.0, 34.0, 44.0, 56.0):
        for angle in (20, -20, 160, -160, 70, -70, 110, -110, 45, -45, 135, -135):
            cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            side = half if abs(angle) < 60 else -half if abs(angle) > 120 else half * cos
            yield side + distance * cos, (distance + label.size / 3) * sin


def _width(label: Label) -> float:
    return CHARACTER_WIDTH * label.size * len(label.text)


def _box(label: Label, dx: float, dy: float) -> Box:
    half_width, half_height = _width(label) / 2, 0.6 * label.size
    x, y = label.x + dx, label.y + dy
    return x - half_width, y - half_height, x + half_width, y + half_height


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
