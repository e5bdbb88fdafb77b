# SPDX-License-Identifier: Apache-2.0
"""The relations that completion derives, and the tolerances of their conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from fcp_ros.scene.graph.elements import Layer, SceneError

ALWAYS = ("on", "inside", "attached", "in_room", "at", "connected")
"""Relations that completion always derives, since a planner needs them."""

ON_REQUEST = ("under", "near")
"""Relations that are derived only on request: most domains declare none of them, and ``near`` may
have many tuples."""


@dataclass(frozen=True)
class RelationOptions:
    """The relations to derive, and the tolerances of their conditions; wrong ones: SceneError."""

    also: frozenset[str] = frozenset()  # Names out of ``ON_REQUEST`` to derive besides ``ALWAYS``
    resting: float = 0.05  # Greatest distance (m) between a bottom and the top that it rests on
    # Greatest distance (m) that a thing may be drawn above or below what it stands on
    hovering: float = 0.3
    clear: float = 0.05  # Distance (m) within its bounds from which a condition counts as certain
    near: float = 0.3  # Greatest distance (m) between two boxes that are ``near`` each other
    # Greatest gap (m) between a thing and the underside that it is ``under``
    under_gap: float = 1.0
    # Greatest distance (m) of a door's centre from each room that it joins
    door_reach: float = 0.75
    # Layers of which one node is assumed where a scene has none: a room, a robot
    assumed: frozenset[Layer] = frozenset({Layer.ROOM, Layer.AGENT})

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

    @property
    def derived(self) -> frozenset[str]:
        """Names of the relations that completion derives; it keeps all others."""
        return frozenset(ALWAYS) | self.also


DEFAULT_OPTIONS = RelationOptions()
