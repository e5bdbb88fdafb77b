# SPDX-License-Identifier: Apache-2.0
"""Pictures of a physics world, drawn offscreen by MuJoCo through OSMesa or EGL."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.execution.physics.arena import FLOOR, Arena
from fcp_ros.execution.physics.failure import PhysicsError, import_mujoco

Pixels = NDArray[np.uint8]
BACKENDS = ("egl", "osmesa")
"""Ways to draw without a display, as MUJOCO_GL names them, in the order in which they are tried."""
MOST_SHAPES = 60_000
SIDES = (60.0, -60.0, 110.0, -110.0, 20.0, 180.0)
"""Where a camera looks from at a robot (degrees from where it looks itself), the best first."""
SEEN = (0.3, 0.7, 1.1)  # Heights (m) of a robot that are to be seen
NO_GL = (
    "Pictures can't be drawn: neither EGL nor OSMesa works here. Install libosmesa6 (Debian: "
    "apt-get install libosmesa6), or set MUJOCO_GL. All else works without it."
)


@dataclass(frozen=True, slots=True)
class CameraView:
    """A camera that looks at a point."""

    x: float
    y: float
    z: float
    distance: float  # m
    azimuth: float = 90.0  # degrees; 90 looks along +y
    elevation: float = -50.0  # degrees

    @property
    def eye(self) -> tuple[float, float, float]:
        """The place of the camera (m)."""
        azimuth, elevation = math.radians(self.azimuth), math.radians(self.elevation)
        level = self.distance * math.cos(elevation)
        return (
            self.x - level * math.cos(azimuth),
            self.y - level * math.sin(azimuth),
            self.z - self.distance * math.sin(elevation),
        )


def view_of_all(arena: Arena) -> CameraView:
    corners = [room.bounds for room in arena.layout.rooms.values()]
    for body in arena.layout.bodies.values():
        x, y, _ = body.pose.position
        corners.append((x, y, x, y))
    x0, y0 = (min((c[k] for c in corners), default=-1.0) for k in (0, 1))
    x1, y1 = (max((c[k] for c in corners), default=1.0) for k in (2, 3))
    reach = max(x1 - x0, 1.3 * (y1 - y0), 2.0)
    middle = arena.layout.floor + 0.9  # m: walls are seen up to their tops
    return CameraView((x0 + x1) / 2.0, (y0 + y1) / 2.0, middle, 1.15 * reach, 90.0, -55.0)


def view_of_robot(arena: Arena, robot: str, side: float = SIDES[0]) -> CameraView:
    """Return a view over a robot's shoulder, from another side if something hides the robot.

    `side`: that from which to look if it does for now (degrees from where the robot looks).
    """
    pose = arena.pose(robot)
    x, y, z = pose.position
    ahead = (x + 0.4 * math.cos(pose.yaw), y + 0.4 * math.sin(pose.yaw))
    views = [
        CameraView(*ahead, z + 0.7, 2.8, math.degrees(pose.yaw) + angle, -42.0)
        for angle in (side, *SIDES)
    ]
    # Walls are drawn so that one sees through them, and what moves is small.
    clear = {robot, FLOOR, *arena.movable}
    points = [np.array((x, y, z + height)) for height in SEEN]
    return max(views, key=lambda view: sum(_is_seen(arena, view, p, clear) for p in points))


def _is_seen(arena: Arena, view: CameraView, point: NDArray[np.float64], clear: set[str]) -> bool:
    return arena.is_free_ray(point, np.array(view.eye), clear)


class Painter:
    """Draws a world. Raises PhysicsError with the fix if nothing here can draw."""

    def __init__(self, arena: Arena, width: int = 640, height: int = 480) -> None:
        self._mujoco = import_mujoco()
        self._arena = arena
        self._size = (height, width)
        self._gl = _open_gl(width, height)
        self._model: Any = None
        self._scene: Any = None
        self._context: Any = None

    def draw(self, view: CameraView) -> Pixels:
        """Draw a picture of shape (height, width, 3)."""
        mujoco = self._mujoco
        self._gl.make_current()
        if self._model is not self._arena.model:  # far things move meanwhile
            self._model = self._arena.model
            self._scene = mujoco.MjvScene(self._model, maxgeom=MOST_SHAPES)
            self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        camera = mujoco.MjvCamera()
        camera.lookat[:] = (view.x, view.y, view.z)
        camera.distance, camera.azimuth = view.distance, view.azimuth
        camera.elevation = view.elevation
        height, width = self._size
        pixels: Pixels = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjv_updateScene(
            self._model,
            self._arena.data,
            mujoco.MjvOption(),
            None,
            camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        viewport = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(viewport, self._scene, self._context)
        mujoco.mjr_readPixels(pixels, None, viewport, self._context)
        return np.flipud(pixels)

    def close(self) -> None:
        if self._context is not None:
            self._context.free()
            self._context = None
        self._gl.free()


@contextmanager
def open_painter(arena: Arena, width: int = 640, height: int = 480) -> Iterator[Painter]:
    painter = Painter(arena, width, height)
    try:
        yield painter
    finally:
        painter.close()


def _open_gl(width: int, height: int) -> Any:
    """Open a context of the first backend that works; `mujoco.Renderer` asks once, at import."""
    wanted = os.environ.get("MUJOCO_GL", "")
    for backend in (wanted,) if wanted in BACKENDS else BACKENDS:
        try:
            return import_module(f"mujoco.{backend}").GLContext(width, height)
        except Exception:  # libraries raise what they like: ImportError, AttributeError, EGLError
            continue
    raise PhysicsError(NO_GL)
