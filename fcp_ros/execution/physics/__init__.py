# SPDX-License-Identifier: Apache-2.0
"""Worlds with physics, by MuJoCo: any scene graph, robots in it, and what really comes of steps.

- `materials`, `shapes`, `layout`: what a scene graph becomes; `mjcf`, `robot`: the same as MJCF.
- `arena`: the compiled model and its state, and what is measured on it.
- `motion`, `grasps`, `hands`, `workplace`, `skills`: how robots do the actions of the household
  domain.
- `world`: all of it with a clock, and its state as a scene graph; `pictures`: what a person sees.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.execution.physics.failure import PhysicsError
    from fcp_ros.execution.physics.workplace import SkillOptions
    from fcp_ros.execution.physics.world import PhysicsWorld, WorldOptions

__all__ = [
    "PhysicsError",
    "PhysicsWorld",
    "SkillOptions",
    "WorldOptions",
]
