# SPDX-License-Identifier: Apache-2.0
"""Names inside outlines: in several lines, smaller or cut short, so that they stay inside."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.report.drawing.label_placement import Box, measure_text

LINE_HEIGHT = 1.2
"""Height of a line in units of the font size."""

MOST_LINES = 4
MARGIN = 2.5
"""Least distance of a name from the walls [points]."""

STEPS = 16
"""Places that are tried along each axis."""

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
    """A name in its place.

    Attributes:
        lines: The lines of the text.
        x, y: The middle, in the unit of the outline (points).
        size: Font size.
    """

    lines: tuple[str, ...]
    x: float
    y: float
    size: float

    @property
    def box(self) -> Box:
        """The box around the text."""
        half_x, half_y = (half.item() for half in _measure_halves(self.lines, self.size))
        return self.x - half_x, self.y - half_y, self.x + half_x, self.y + half_y


def fit_name(text: str, outline: NDArray[np.float64], taken: Sequence[Box]) -> FittedName | None:
    """Find a place for a name inside an outline, near its upper left corner.

    A place that covers nothing is preferred, then large letters, then few lines. A name that fits
    nowhere is cut short.

    Args:
        text: The name.
        outline: Corners in points, shape (n, 2).
        taken: Boxes that should not be covered.

    Returns:
        The name in its place, or None if not even its first letter fits.
    """
    boxes = np.reshape(np.array(taken, dtype=np.float64), (-1, 4))
    for sizes, is_free, is_broken in _PREFERENCES:
        for size in sizes:
            for lines in _wrap(text, is_broken):
                place = _find_place(lines, size, outline, boxes if is_free else boxes[:0])
                if place is not None:
                    return FittedName(lines, *place, size)
    for length in range(min(len(text) - 1, 60), 0, -1):
        lines = (f"{text[:length].rstrip()}\N{HORIZONTAL ELLIPSIS}",)
        place = _find_place(lines, _SMALL[-1], outline, boxes[:0])
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
    lines: Sequence[str],
    size: float,
    outline: NDArray[np.float64],
    taken: NDArray[np.float64],
) -> tuple[float, float] | None:
    """Return the middle of the first place inside the outline that covers nothing taken."""
    halves = _measure_halves(lines, size)
    low, high = outline.min(axis=0) + halves + MARGIN, outline.max(axis=0) - halves - MARGIN
    if (low > high).any():
        return None
    across, down = np.linspace(low, high, STEPS).T
    xs, ys = np.meshgrid(across, down[::-1])
    middles = np.stack([xs.ravel(), ys.ravel()], axis=1)
    inside = _are_inside(middles, outline) & ~_meet_edges(middles, halves + 0.9 * MARGIN, outline)
    middles = middles[inside]
    gaps = np.abs(middles[:, None] - (taken[:, 2:] + taken[:, :2]) / 2.0)
    gaps -= halves + (taken[:, 2:] - taken[:, :2]) / 2.0
    middles = middles[~(gaps.max(axis=2) < 0.0).any(axis=1)]
    if not len(middles):
        return None
    far = (middles[:, 0] - low[0]) / 2.0 + (high[1] - middles[:, 1])
    x, y = middles[far.argmin()].tolist()
    return x, y


def _are_inside(points: NDArray[np.float64], outline: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each point whether it is in the outline, by counting crossings to its right."""
    first, second = outline, np.roll(outline, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (first[:, 1] > y) != (second[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (second[:, 0] - first[:, 0]) / (second[:, 1] - first[:, 1])
        crossing = first[:, 0] + (y - first[:, 1]) * slope
    crossed: NDArray[np.bool_] = (spans & (x < crossing)).sum(axis=1) % 2 == 1
    return crossed


def _meet_edges(
    middles: NDArray[np.float64], halves: NDArray[np.float64], outline: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return for each box whether an edge of the outline meets it, by separating axes."""
    half = (np.roll(outline, -1, axis=0) - outline) / 2.0
    apart = (outline + half)[None] - middles[:, None]
    reach = np.abs(half)
    meets = (np.abs(apart) <= halves + reach).all(axis=2) & (
        np.abs(apart[..., 0] * half[:, 1] - apart[..., 1] * half[:, 0])
        <= halves[0] * reach[:, 1] + halves[1] * reach[:, 0]
    )
    found: NDArray[np.bool_] = meets.any(axis=1)
    return found
