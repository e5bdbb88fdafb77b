# SPDX-License-Identifier: Apache-2.0
"""Ways to take hold of a thing and to put it down: where the hand is, and where the base stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from fcp_ros.execution.physics.arena import Arena
from fcp_ros.execution.physics.materials import OPEN_ABOVE, ThingForm
from fcp_ros.execution.physics.motion import FloorReach
from fcp_ros.execution.physics.robot import (
    ARM_LENGTH,
    ARM_OFFSET,
    FINGER_REACH,
    LIFT_RANGE,
    RADIUS,
    WIDEST,
    Rig,
)
from fcp_ros.execution.physics.shapes import FACETS
from fcp_ros.scene.graph.elements import Vector

HAND_HALF = 0.02  # Half the thickness (m) of hand and arm
TIP = 0.025  # m by which fingers reach beyond the point where they hold
SPARE = 0.015  # Space (m) between an open finger and what it is about to hold
DIRECTIONS = 16
RIM_DEPTH = 0.025  # m below a rim at which fingers hold it
ROUND = frozenset({ThingForm.CYLINDER, ThingForm.BALL})
TRIES = 80  # Stands whose lines of reach are looked at
COMFORTABLE = 0.9  # Height (m) at which a robot prefers to work
MODE_COST = {"front": 0.0, "top": 1.0, "rim": 1.5}


class Mode(str, Enum):
    """The ways in which the hand comes: level from the front, or from above."""

    FRONT = "front"
    TOP = "top"
    RIM = "rim"  # from above, at the wall of something open


@dataclass(frozen=True, slots=True)
class Grip:
    """A place for the hand: `approach` is where the robot looks, `close` where fingers close."""

    mode: Mode
    point: Vector  # between the fingers (m)
    approach: float | None  # yaw (rad); None for any
    close: float | None  # yaw (rad) of the axis along which fingers close; None for any
    width: float  # of what is held (m)


@dataclass(frozen=True, slots=True)
class Stand:
    """A place for the base from which a grip is in reach."""

    grip: Grip
    x: float
    y: float
    yaw: float
    distance: float  # from the middle of the base to the grip (m)
    cost: float

    @property
    def roll(self) -> float:
        """Roll of the hand (rad), in [-pi/2, pi/2]: fingers are alike."""
        if self.grip.close is None or self.grip.mode is Mode.FRONT:
            return 0.0
        turn = self.grip.close - self.yaw - math.pi / 2.0
        # Hand down: rolling about the finger axis turns the other way as seen from above.
        return -((turn + math.pi / 2.0) % math.pi - math.pi / 2.0)

    @property
    def arm(self) -> float:
        """Extension of the arm (m)."""
        forward = FINGER_REACH if self.grip.mode is Mode.FRONT else 0.0
        return self.distance - ARM_OFFSET - forward


def list_grips(arena: Arena, id_: str, support: float, shift: Vector) -> Iterator[Grip]:
    """List grips of a thing that stands at the height `support` (m), seen `shift` off its place."""
    body, pose = arena.body(id_), arena.pose(id_)
    x, y = pose.position[0] + shift[0], pose.position[1] + shift[1]
    bottom = arena.lowest(id_)
    top = 2.0 * pose.position[2] - bottom
    height = top - bottom
    widths: list[tuple[float | None, float]]
    size = _find_level_size(arena, id_)
    if body.material.form is ThingForm.CUP and arena.tilt(id_) < 0.3:
        # Between opposite walls: fingers at the edges between two walls squeeze it out.
        yaw = _find_level_yaw(arena, id_)
        widths = [(yaw + k * math.pi / FACETS * 2.0, min(size)) for k in range(FACETS // 2)]
    elif body.material.form in ROUND and arena.tilt(id_) < 0.3:
        widths = [(None, min(size))]
    else:
        yaw = _find_level_yaw(arena, id_)
        widths = [(yaw, size[0]), (yaw + math.pi / 2.0, size[1])]
    for close, width in widths:
        if width > WIDEST - SPARE:
            continue
        if height >= 2.0 * HAND_HALF - 0.01:
            level = max(bottom + height / 2.0, support + HAND_HALF + 0.003)
            for side in (-1.0, 1.0) if close is not None else (0.0,):
                approach = None if close is None else close + side * math.pi / 2.0
                yield Grip(Mode.FRONT, (x, y, level), approach, close, width)
        over = min(max(0.3 * height, 0.004), 0.01)  # low things are wiped with, too
        level = max(top - min(0.03, height / 2.0), support + TIP + over)
        yield Grip(Mode.TOP, (x, y, level), None, close, width)
    if body.material.form in OPEN_ABOVE and min(size) > 0.05 and arena.tilt(id_) < 0.3:
        yield from _list_rims(arena, id_, (x, y), size, max(top - RIM_DEPTH, support + TIP + 0.004))


def _list_rims(
    arena: Arena, id_: str, middle: tuple[float, float], size: tuple[float, float], level: float
) -> Iterator[Grip]:
    yaw = _find_level_yaw(arena, id_)
    count = 8 if arena.body(id_).material.form is ThingForm.CUP else 4
    for number in range(count):
        angle = yaw + 2.0 * math.pi * number / count
        reach = size[0] / 2.0 if number % 2 == 0 or count == 8 else size[1] / 2.0
        point = (middle[0] + (reach - 0.004) * math.cos(angle), 0.0, level)
        point = (point[0], middle[1] + (reach - 0.004) * math.sin(angle), level)
        yield Grip(Mode.RIM, point, None, angle, 0.01)


def _find_level_yaw(arena: Arena, id_: str) -> float:
    """Find the yaw of that axis of a thing's box which is nearest to level and comes first."""
    turn = arena.data.xmat[arena.number_of(id_)].reshape(3, 3)
    axis = turn[:, int(np.argmin(np.abs(turn[2, :])))]
    return math.atan2(axis[1], axis[0])


def _find_level_size(arena: Arena, id_: str) -> tuple[float, float]:
    """Find the extents (m) of a thing along the axis of `_find_level_yaw`, and across it."""
    turn = arena.data.xmat[arena.number_of(id_)].reshape(3, 3)
    size = arena.body(id_).size
    first = int(np.argmin(np.abs(turn[2, :])))
    up = int(np.argmax(np.abs(turn[2, :])))
    second = next(k for k in range(3) if k not in (first, up))
    return size[first], size[second]


# --- places for the base ---


def find_stand(
    arena: Arena,
    rig: Rig,
    reach: FloorReach,
    grips: Iterable[Grip],
    allowed: Iterable[str],  # things that the arm may meet on its way
    prefer: float = 0.6,  # distance (m) from the base to the grip
    # A point and a distance (m) from it that the base keeps: a leaf swings there
    keep_off: tuple[tuple[float, float], float] = ((0.0, 0.0), 0.0),
) -> Stand | None:
    """Find the best stand: a short way, from which nothing is between the robot and the grip."""
    stands = sorted(
        (
            one
            for grip in grips
            for one in _list_stands(rig, reach, grip, prefer)
            if math.dist((one.x, one.y), keep_off[0]) >= keep_off[1]
        ),
        key=lambda stand: stand.cost,
    )
    passed = {*allowed, rig.id}
    for stand in stands[:TRIES]:
        if _is_in_view(arena, stand, passed):
            return stand
    return None


def _list_stands(rig: Rig, reach: FloorReach, grip: Grip, prefer: float) -> Iterator[Stand]:
    level = grip.point[2] - rig.floor
    lift = level if grip.mode is Mode.FRONT else level + FINGER_REACH
    if not LIFT_RANGE[0] <= lift <= LIFT_RANGE[1] - 0.05:
        return
    least = RADIUS + 0.08
    most = ARM_OFFSET + ARM_LENGTH - 0.02 + (FINGER_REACH if grip.mode is Mode.FRONT else 0.0)
    yaws = (
        [grip.approach]
        if grip.approach is not None
        else [2.0 * math.pi * number / DIRECTIONS for number in range(DIRECTIONS)]
    )
    for yaw in yaws:
        for distance in np.arange(least, most, 0.06).tolist():
            x = grip.point[0] - distance * math.cos(yaw)
            y = grip.point[1] - distance * math.sin(yaw)
            cost = reach.cost_to((x, y))
            if math.isfinite(cost):
                cost += MODE_COST[grip.mode.value] + abs(distance - prefer)
                cost += 0.6 * abs(level - COMFORTABLE)
                yield Stand(grip, x, y, yaw, distance, cost)


def _is_in_view(arena: Arena, stand: Stand, allowed: set[str]) -> bool:
    """Return True if arm and hand can go out to the grip in a straight line."""
    grip = stand.grip
    ahead = np.array((math.cos(stand.yaw), math.sin(stand.yaw), 0.0))
    aside = np.array((-ahead[1], ahead[0], 0.0))
    base = np.array((stand.x, stand.y, 0.0))
    front = grip.mode is Mode.FRONT
    level = grip.point[2] if front else grip.point[2] + FINGER_REACH
    half = grip.width / 2.0 + SPARE + 0.012 if front else 0.03
    end = stand.distance + (TIP if front else 0.03)
    for offset in (-half, 0.0, half):
        start = base + 0.1 * ahead + offset * aside
        start[2] = level
        if not arena.is_free_ray(start, start + (end - 0.1) * ahead, allowed):
            return False
    if front:
        return True
    above = np.array((grip.point[0], grip.point[1], level))
    return arena.is_free_ray(above, np.array(grip.point), allowed)
