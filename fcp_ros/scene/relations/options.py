# SPDX-License-Identifier: Apache-2.0
"""What completion derives, and how exact geometry has to be."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise

from fcp_ros.scene.graph.errors import SceneError

ALWAYS = ("on", "inside", "in_room", "at", "connected")
"""Relations that completion always derives: a planner cannot do without them."""

ON_REQUEST = ("under", "near", "adjacent", "reach")
"""What is derived where it is asked for: most domains declare none of these, and of ``near``
there may be many. ``reach`` is an attribute of objects, the others are relations."""


@dataclass(frozen=True)
class RelationOptions:
    """Which relations are derived, and the tolerances of their conditions.

    Attributes:
        also: What to derive besides ``ALWAYS``: names out of ``ON_REQUEST``.
        resting: How far (m) a bottom may be from the top that it rests on.
        hovering: How far (m) above the floor a thing that rests on nothing is worth a note.
        clear: From this far (m) within its bounds on, a condition counts as certain.
        near: Greatest distance (m) between two boxes that are ``near`` each other.
        near_most: Each thing is near at most this many others by itself: the nearest.
        under_gap: Greatest gap (m) between a thing and the underside that it is ``under``.
        wall: Greatest distance (m) between the outlines of ``adjacent`` rooms.
        stretch: Length (m) along which two outlines must run beside each other at least.
        door_reach: How far (m) a door's centre may be from each room that it joins.
        reach_heights: Where ``floor``, ``low``, ``comfortable`` and ``high`` end: height (m) of a
            thing's centre above the floor; above the last it is ``out_of_reach``.

    Raises:
        SceneError: An unknown name, a negative or infinite tolerance, heights that do not ascend.
    """

    also: frozenset[str] = frozenset()
    resting: float = 0.05
    hovering: float = 0.3
    clear: float = 0.05
    near: float = 0.3
    near_most: int = 16
    under_gap: float = 1.0
    wall: float = 0.5
    stretch: float = 0.5
    door_reach: float = 0.75
    reach_heights: tuple[float, float, float, float] = (0.2, 0.6, 1.4, 1.8)

    def __post_init__(self) -> None:
        object.__setattr__(self, "also", frozenset(self.also))
        unknown = sorted(self.also.difference(ON_REQUEST))
        if unknown:
            raise SceneError(
                f"{', '.join(unknown)} cannot be derived on request",
                source="relation options",
                advice=f"Choose among: {', '.join(ON_REQUEST)}.",
            )
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
                raise SceneError(
                    f"{field.name} is {value}",
                    source="relation options",
                    advice="Give a finite number that is not negative.",
                )
        heights = self.reach_heights
        if len(heights) != 4 or not all(a < b for a, b in pairwise(heights)):
            raise SceneError(
                f"reach_heights {heights} are not four ascending heights", source="relation options"
            )

    @property
    def derived(self) -> frozenset[str]:
        """Names of the relations that completion derives anew; others stay as they are."""
        return frozenset(ALWAYS) | (self.also - {"reach"})


DEFAULT_OPTIONS = RelationOptions()
