# SPDX-License-Identifier: Apache-2.0
"""Placement of labels in a picture so that they do not cover each other.

Greedy and deterministic: labels are placed in the order given, each at the first free one of a
fixed list of offsets; a label without one is left out. One far from its point gets a leader line.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

_ANGLES = (20, -20, 160, -160, 70, -70, 110, -110, 45, -45, 135, -135)  # Sides, best first
LEADER_DISTANCE = 14.0  # Labels that are placed farther away than this [points] get a leader line


@dataclass(frozen=True)
class TextLabel:
    """A text that belongs near a point, in points from the picture's lower left corner."""

    text: str
    x: float
    y: float
    size: float
    centred: bool = False  # True if the label is best placed on the point itself


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
        """Return the line from the label's edge to `gap` before its point, as offsets from it."""
        distance = math.hypot(self.dx, self.dy)
        half_width, half_height = _measure_width(self.label) / 2, 0.6 * self.label.size
        inside = min(
            half_width / abs(self.dx) if self.dx else math.inf,
            half_height / abs(self.dy) if self.dy else math.inf,
        )
        edge, end = 1 - inside, gap / distance
        return (self.dx * edge, self.dy * edge), (self.dx * end, self.dy * end)


Box = tuple[float, float, float, float]


EVERYWHERE: Box = (-math.inf, -math.inf, math.inf, math.inf)


def place_labels(
    labels: Sequence[TextLabel], taken: Sequence[Box] = (), within: Box = EVERYWHERE
) -> list[PlacedLabel | None]:
    """Place labels one after the other, in order; None for a label without a free offset.

    No label covers boxes (x0, y0, x1, y1; points) that are `taken`, or leaves `within`.
    """
    boxes = np.empty((len(taken) + len(labels), 4))
    boxes[: len(taken)] = np.reshape(taken, (-1, 4))
    placed: list[PlacedLabel | None] = []
    count = len(taken)
    for label in labels:
        offsets = list(_list_offsets(label))
        candidates = np.array([_place_box(label, dx, dy) for dx, dy in offsets])
        outside = np.maximum(within[:2] - candidates[:, :2], candidates[:, 2:] - within[2:])
        free = ~_find_overlaps(candidates, boxes[:count]).any(axis=1)
        free = np.logical_and(free, outside.max(axis=1) <= 0.0)
        choice = int(free.argmax())
        if not free[choice]:
            placed.append(None)
            continue
        boxes[count] = candidates[choice]
        count += 1
        placed.append(PlacedLabel(label, *offsets[choice]))
    return placed


def measure_text(text: str) -> float:
    """Return the width of a text in units of its font size, in the font that pictures name."""
    return sum(_measure_character(character) for character in text)


@lru_cache(maxsize=4096)
def _measure_character(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0  # none of these is in the font
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        font = FontProperties(family="DejaVu Sans", size=100)
        width: float = text_to_path.get_text_width_height_descent(character, font, ismath=False)[0]
    return width / 100.0


def _list_offsets(label: TextLabel) -> Iterator[tuple[float, float]]:
    half = _measure_width(label) / 2
    if label.centred:
        yield 0.0, 0.0
    for distance in (5.0, 10.0, 17.0, 25.0, 34.0, 44.0, 56.0):
        for angle in _ANGLES:
            cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            side = half if abs(angle) < 60 else -half if abs(angle) > 120 else half * cos
            yield side + distance * cos, (distance + label.size / 3) * sin


def _measure_width(label: TextLabel) -> float:
    return label.size * measure_text(label.text)


def _place_box(label: TextLabel, dx: float, dy: float) -> Box:
    half_width, half_height = _measure_width(label) / 2, 0.6 * label.size
    x, y = label.x + dx, label.y + dy
    return x - half_width, y - half_height, x + half_width, y + half_height


def _find_overlaps(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, high = one[:, None, :2], one[:, None, 2:]
    apart = (low >= other[None, :, 2:]) | (high <= other[None, :, :2])
    return np.logical_not(apart.any(axis=2))


# --- names inside outlines ---

LINE_HEIGHT = 1.2  # Height of a line in units of the font size

MOST_LINES = 4
MARGIN = 2.5  # Least distance of a name from the walls [points]
STEPS = 16  # Places that are tried along each axis

_LARGE, _SMALL = (9.0, 8.0, 7.0, 6.0), (5.0,)

_PREFERENCES = (
    (_LARGE, True, False),
    (_LARGE, True, True),
    (_LARGE, False, False),
    (_LARGE, False, True),
    (_SMALL, True, False),
    (_SMALL, False, True),
)
"""Ways to write a name, best first: font sizes, without covering anything, with broken words."""


@dataclass(frozen=True)
class FittedName:
    """A name in its place. `x`, `y`: the middle, in the unit of the outline (points)."""

    lines: tuple[str, ...]
    x: float
    y: float
    size: float

    @property
    def box(self) -> Box:
        half_x, half_y = (half.item() for half in _measure_halves(self.lines, self.size))
        return self.x - half_x, self.y - half_y, self.x + half_x, self.y + half_y


def fit_name(text: str, outline: NDArray[np.float64], taken: Sequence[Box]) -> FittedName | None:
    """Find a place for a name inside an outline (n, 2), near its upper left corner.

    A place that covers nothing is preferred, then large letters, then few lines. A name that fits
    nowhere is cut short; None if not even its first letter fits.
    """
    boxes = np.reshape(np.array(taken, dtype=np.float64), (-1, 4))
    inside = shapely.make_valid(shapely.Polygon(outline))
    shapely.prepare(inside)
    for sizes, is_free, is_broken in _PREFERENCES:
        for size in sizes:
            for lines in _wrap(text, is_broken):
                place = _find_place(lines, size, inside, boxes if is_free else boxes[:0])
                if place is not None:
                    return FittedName(lines, *place, size)
    for length in range(min(len(text) - 1, 60), 0, -1):
        lines = (f"{text[:length].rstrip()}\N{HORIZONTAL ELLIPSIS}",)
        place = _find_place(lines, _SMALL[-1], inside, boxes[:0])
        if place is not None:
            return FittedName(lines, *place, _SMALL[-1])
    return None


def _wrap(text: str, is_broken: bool) -> Iterator[tuple[str, ...]]:
    """Yield a text in one line, two lines of nearly the same length, three, and so on."""
    if not is_broken:
        yield (text,)
    for count in range(2, MOST_LINES + 1):
        for width in range(math.ceil(len(text) / count), len(text)):
            lines = textwrap.wrap(
                text, width, break_long_words=is_broken, break_on_hyphens=is_broken
            )
            if len(lines) <= count:
                if len(lines) == count:
                    yield tuple(lines)
                break


def _measure_halves(lines: Sequence[str], size: float) -> NDArray[np.float64]:
    width = size * max(measure_text(line) for line in lines)
    return np.array([width / 2.0, LINE_HEIGHT * size * len(lines) / 2.0])


def _find_place(
    lines: Sequence[str], size: float, inside: shapely.Geometry, taken: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Return the middle of the first place inside an outline that covers nothing taken."""
    halves = _measure_halves(lines, size)
    left, bottom, right, top = shapely.bounds(inside)
    low = np.array([left, bottom]) + halves + MARGIN
    high = np.array([right, top]) - halves - MARGIN
    if (low > high).any():
        return None
    across, down = np.linspace(low, high, STEPS).T
    xs, ys = np.meshgrid(across, down[::-1])
    middles = np.stack([xs.ravel(), ys.ravel()], axis=1)
    around = halves + 0.9 * MARGIN
    boxes = shapely.box(*(middles - around).T, *(middles + around).T)
    middles = middles[shapely.contains_properly(inside, boxes)]
    gaps = np.abs(middles[:, None] - (taken[:, 2:] + taken[:, :2]) / 2.0)
    gaps -= halves + (taken[:, 2:] - taken[:, :2]) / 2.0
    middles = middles[~(gaps.max(axis=2) < 0.0).any(axis=1)]
    if not len(middles):
        return None
    far = (middles[:, 0] - low[0]) / 2.0 + (high[1] - middles[:, 1])
    x, y = middles[far.argmin()].tolist()
    return x, y
