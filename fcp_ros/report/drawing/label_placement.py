# SPDX-License-Identifier: Apache-2.0
"""Placement of labels in a picture so that they do not cover each other.

Greedy and deterministic: labels are placed in the order given, each at the first free one of a
fixed list of offsets. A label far from its point gets a leader line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHARACTER_WIDTH = 0.56
"""Mean width of a character in units of the font size; accurate enough to avoid overlaps."""

LEADER_DISTANCE = 14.0
"""Labels that are placed farther away than this [points] get a leader line."""


@dataclass(frozen=True)
class TextLabel:
    """A text that belongs near a point.

    Attributes:
        text: the text itself.
        x, y: the point, in points from the picture's lower left corner.
        size: font size in points.
        centred: True if the label is best placed on the point itself.
    """

    text: str
    x: float
    y: float
    size: float
    centred: bool = False


@dataclass(frozen=True)
class PlacedLabel:
    """A label with the offset of its centre from its point, in points."""

    label: TextLabel
    dx: float
    dy: float

    @property
    def needs_leader(self) -> bool:
        """True if the label is so far from its point that a line must join them."""
        return (
            not self.label.centred
            and math.hypot(
                self.dx - math.copysign(_measure_width(self.label) / 2, self.dx), self.dy
            )
            > LEADER_DISTANCE
        )

    def trace_leader(self, gap: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of the line from the label's edge to `gap` before its point.

        Both are offsets from the point, in points.
        """
        distance = math.hypot(self.dx, self.dy)
        half_width, half_height = _measure_width(self.label) / 2, 0.6 * self.label.size
        inside = min(
            half_width / abs(self.dx) if self.dx else math.inf,
            half_height / abs(self.dy) if self.dy else math.inf,
        )
        edge, end = 1 - inside, gap / distance
        return (self.dx * edge, self.dy * edge), (self.dx * end, self.dy * end)


Box = tuple[float, float, float, float]


def place_labels(labels: Sequence[TextLabel], taken: Sequence[Box] = ()) -> list[PlacedLabel]:
    """Place labels one after the other.

    Args:
        labels: most important first.
        taken: boxes (x0, y0, x1, y1) in points that no label may cover.

    Returns:
        One placement for each label, in the same order; a label without a free offset gets its
        first one.
    """
    boxes = np.empty((len(taken) + len(labels), 4))
    boxes[: len(taken)] = np.reshape(taken, (-1, 4))
    placed = []
    for count, label in enumerate(labels, start=len(taken)):
        offsets = list(_list_offsets(label))
        candidates = np.array([_place_box(label, dx, dy) for dx, dy in offsets])
        free = ~_find_overlaps(candidates, boxes[:count]).any(axis=1)
        choice = int(free.argmax())  # the first free one, or the first of all if none is free
        boxes[count] = candidates[choice]
        placed.append(PlacedLabel(label, *offsets[choice]))
    return placed


def _list_offsets(label: TextLabel) -> Iterator[tuple[float, float]]:
    half = _measure_width(label) / 2
    if label.centred:
        yield 0.0, 0.0
    for distance in (5.0, 10.0, 17.0, 25.0, 34.0, 44.0, 56.0):
        for angle in (20, -20, 160, -160, 70, -70, 110, -110, 45, -45, 135, -135):
            cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            side = half if abs(angle) < 60 else -half if abs(angle) > 120 else half * cos
            yield side + distance * cos, (distance + label.size / 3) * sin


def _measure_width(label: TextLabel) -> float:
    return CHARACTER_WIDTH * label.size * len(label.text)


def _place_box(label: TextLabel, dx: float, dy: float) -> Box:
    half_width, half_height = _measure_width(label) / 2, 0.6 * label.size
    x, y = label.x + dx, label.y + dy
    return x - half_width, y - half_height, x + half_width, y + half_height


def _find_overlaps(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Compare each box (a row) of one array with each of the other."""
    low, high = one[:, None, :2], one[:, None, 2:]
    apart = (low >= other[None, :, 2:]) | (high <= other[None, :, :2])
    return np.logical_not(apart.any(axis=2))
