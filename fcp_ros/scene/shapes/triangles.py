# SPDX-License-Identifier: Apache-2.0
"""A simple polygon cut into triangles, for whoever can only draw these."""

from __future__ import annotations

from itertools import pairwise

from fcp_ros.scene.shapes.footprint import Corner, Polygon

Triangle = tuple[Corner, Corner, Corner]


def triangles_of(polygon: Polygon) -> tuple[Triangle, ...]:
    """Triangles that fill a polygon, anticlockwise (ears are cut off, O(n^3) at worst).

    Args:
        polygon: Corners of a simple polygon in either direction.

    Returns:
        n - 2 triangles at most. Of an outline that crosses itself, which has no inside to speak
        of, only a part may be filled.
    """
    corners = [corner for i, corner in enumerate(polygon) if corner != polygon[i - 1]]
    if sum(_turn(corners[0], *pair) for pair in pairwise(corners)) < 0.0:  # clockwise
        corners.reverse()
    found: list[Triangle] = []
    while len(corners) > 3:
        ear = next((i for i in range(len(corners)) if _is_ear(corners, i)), None)
        if ear is None:
            break
        found.append(_around(corners, ear))
        del corners[ear]
    if len(corners) == 3 and _turn(*corners) > 0.0:
        found.append((corners[0], corners[1], corners[2]))
    return tuple(found)


def _around(corners: list[Corner], index: int) -> Triangle:
    return corners[index - 1], corners[index], corners[(index + 1) % len(corners)]


def _is_ear(corners: list[Corner], index: int) -> bool:
    """Whether the corner is convex and no other one lies in its triangle."""
    before, tip, after = _around(corners, index)
    return _turn(before, tip, after) > 0.0 and not any(
        _turn(before, tip, other) >= 0.0
        and _turn(tip, after, other) >= 0.0
        and _turn(after, before, other) >= 0.0
        for other in corners
        if other not in (before, tip, after)
    )


def _turn(a: Corner, b: Corner, c: Corner) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
