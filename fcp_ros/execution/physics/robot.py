# SPDX-License-Identifier: Apache-2.0
"""The robot of the physics world: a base, a lift, an arm that extends, a hand with two fingers.

A base that moves in any direction, a column with a carriage, an arm that extends forward, and a
hand that pitches from straight ahead to straight down, rolls, and closes two coupled fingers with a
limited force. The weight of the robot itself is balanced; what it holds is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fcp_ros.scene.graph.elements import Vector

RADIUS = 0.22  # m, of the base
HEIGHT = 1.75  # m
GRIP_FORCE = 40.0  # N, of each finger
WIDEST = 0.17  # m between the open fingers
FINGER_REACH = 0.125  # m from the wrist's axis to where fingers hold
FINGER_HALF = 0.012  # Half the width (m) of a finger, across the direction in which it closes
ARM_OFFSET = 0.05  # m from the middle of the base to the wrist, arm retracted
ARM_LENGTH = 0.85  # m by which it extends
RAMP = 4.0  # 1/s, by which speeds change, as a share of the fastest
LIFT_RANGE = (0.05, 1.7)  # Height (m) of the wrist above the floor


@dataclass(frozen=True, slots=True)
class Channel:
    """One joint with its servo."""

    joint: str
    stiffness: float  # N/m or N m/rad
    force: float  # greatest (N or N m)
    speed: float  # at which skills move it (m/s or rad/s)


CHANNELS = {
    "x": Channel("x", 12_000.0, 600.0, 0.8),
    "y": Channel("y", 12_000.0, 600.0, 0.8),
    "yaw": Channel("yaw", 2_500.0, 200.0, 2.0),
    "lift": Channel("lift", 8_000.0, 300.0, 0.6),
    "arm": Channel("arm", 4_000.0, 150.0, 0.6),
    "pitch": Channel("pitch", 250.0, 30.0, 2.5),
    "roll": Channel("roll", 100.0, 10.0, 3.0),
    # It drives the left finger and, coupled, the right one: each presses with half the force.
    "fingers": Channel("left", 2_000.0, 2.0 * GRIP_FORCE, 0.4),
}


def add_robot(
    root: Element, world: Element, id_: str, floor: float, group: int, meets: int
) -> None:
    """Add a robot to MJCF; `group`, `meets`: the bits of what it is and what it collides with."""
    solid = {"contype": str(group), "conaffinity": str(meets), "friction": "0.9"}
    bare = {"contype": "0", "conaffinity": "0"}
    white, dark = {"rgba": ".92 .93 .95 1"}, {"rgba": ".20 .22 .26 1"}
    base = _add_body(world, id_, f"0 0 {floor:g}")
    for name, kind, axis in (("x", "slide", "1 0 0"), ("y", "slide", "0 1 0")):
        SubElement(base, "joint", name=f"{id_}/{name}", type=kind, axis=axis)
    SubElement(base, "joint", name=f"{id_}/yaw", type="hinge", axis="0 0 1")
    _add_geom(base, "cylinder", ".22 .1", "0 0 .13", "30", {**solid, **dark})
    _add_geom(base, "box", ".03 .03 .75", "-.12 0 .98", "4", {**solid, **white})
    _add_geom(base, "box", ".05 .08 .03", "-.09 0 1.74", "1", {**bare, **dark})
    SubElement(base, "camera", name=f"{id_}/camera", pos="-.04 0 1.72", xyaxes="0 -1 0 .6 0 .8")
    lift = _add_body(base, f"{id_}/lift", "-.08 0 0")
    _add_joint(lift, f"{id_}/lift", "slide", "0 0 1", f"{LIFT_RANGE[0]} {LIFT_RANGE[1]}")
    _add_geom(lift, "box", ".05 .05 .05", "0 0 0", "2", {**bare, **dark})
    arm = _add_body(lift, f"{id_}/arm", f"{ARM_OFFSET + 0.08} 0 0")
    _add_joint(arm, f"{id_}/arm", "slide", "1 0 0", f"0 {ARM_LENGTH}")
    # Only the front of the telescope collides: the rest slides into itself.
    _add_geom(arm, "box", ".10 .018 .018", "-.11 0 0", "1", {**solid, **white})
    _add_geom(arm, "box", ".26 .014 .014", "-.30 0 0", "1", {**bare, **white})
    wrist = _add_body(arm, f"{id_}/wrist", "0 0 0")
    _add_joint(wrist, f"{id_}/pitch", "hinge", "0 1 0", "0 1.5708")
    _add_geom(wrist, "sphere", ".018", "0 0 0", ".3", {**bare, **dark})
    hand = _add_body(wrist, f"{id_}/hand", "0 0 0")
    _add_joint(hand, f"{id_}/roll", "hinge", "1 0 0", "-3.2 3.2")
    _add_geom(hand, "box", ".022 .05 .016", ".03 0 0", ".4", {**solid, **dark})
    finger = {**solid, **dark, "condim": "4", "friction": "0.9 0.01 0.001"}
    for name, side in (("left", 1), ("right", -1)):
        part = _add_body(hand, f"{id_}/{name}", "0 0 0")
        _add_joint(part, f"{id_}/{name}", "slide", f"0 {side} 0", f"0 {WIDEST / 2}")
        half = f".05 .006 {FINGER_HALF}"
        _add_geom(part, "box", half, f".1 {side * 0.006} 0", ".05", finger, f"{id_}/{name}")
    _add_servos(root, id_)


def _add_servos(root: Element, id_: str) -> None:
    equality = _find_or_add(root, "equality")
    SubElement(equality, "joint", joint1=f"{id_}/left", joint2=f"{id_}/right", solref="0.006 1")
    contact = _find_or_add(root, "contact")
    parts = (id_, f"{id_}/arm", f"{id_}/hand", f"{id_}/left", f"{id_}/right")
    for index, one in enumerate(parts):
        for other in parts[index + 1 :]:
            SubElement(contact, "exclude", body1=one, body2=other)
    actuators = _find_or_add(root, "actuator")
    for name, channel in CHANNELS.items():
        SubElement(
            actuators,
            "position",
            name=f"{id_}/{name}",
            joint=f"{id_}/{channel.joint}",
            kp=f"{channel.stiffness:g}",
            dampratio="1",
            forcerange=f"{-channel.force:g} {channel.force:g}",
        )


def _find_or_add(root: Element, tag: str) -> Element:
    found = root.find(tag)
    return SubElement(root, tag) if found is None else found


def _add_body(parent: Element, name: str, position: str) -> Element:
    return SubElement(parent, "body", name=name, pos=position, gravcomp="1")


def _add_joint(body: Element, name: str, kind: str, axis: str, limits: str) -> None:
    SubElement(body, "joint", name=name, type=kind, axis=axis, range=limits, armature="0.02")


def _add_geom(
    body: Element,
    kind: str,
    size: str,
    position: str,
    mass: str,
    looks: dict[str, str],
    name: str | None = None,
) -> None:
    named = {"name": name} if name is not None else {}
    form = {"type": kind, "size": size, "pos": position, "mass": mass}
    SubElement(body, "geom", {**form, **looks, **named})


def choose_speed(now: float, fastest: float, left: float, seconds: float) -> float:
    """Choose the speed of a command: from `now` on it changes by `RAMP` of the fastest at most.

    Jumps of speed shake out of the fingers what they hold. `left`: way to the target; `seconds`:
    until the next choice.
    """
    change = RAMP * fastest
    braking = math.sqrt(2.0 * change * left)
    return max(min(now + change * seconds, fastest, braking), 0.02 * fastest)


class Rig:
    """A robot in a compiled model: its joints, its servos, and what its fingers touch."""

    def __init__(self, id_: str, model: Any, data: Any) -> None:
        self.id = id_
        self._model = model
        self._data = data
        self._joint = {
            name: int(model.joint(f"{id_}/{channel.joint}").qposadr[0])
            for name, channel in CHANNELS.items()
        }
        self._speed: dict[str, float] = {}
        self._servo = {name: int(model.actuator(f"{id_}/{name}").id) for name in CHANNELS}
        first = self._joint["x"]
        self._joints = slice(first, first + len(CHANNELS) + 1)
        self.hand = int(model.body(f"{id_}/hand").id)
        self.fingers = (int(model.geom(f"{id_}/left").id), int(model.geom(f"{id_}/right").id))
        self.floor = float(model.body(id_).pos[2])

    def get(self, channel: str) -> float:
        """Return the position of a joint (m or rad)."""
        return float(self._data.qpos[self._joint[channel]])

    def get_command(self, channel: str) -> float:
        """Return where a servo is told to be (m or rad)."""
        return float(self._data.ctrl[self._servo[channel]])

    def command(self, channel: str, target: float) -> None:
        self._data.ctrl[self._servo[channel]] = target

    def advance(self, channel: str, target: float, seconds: float, share: float = 1.0) -> bool:
        """Move a command towards its target, speeding up and slowing down; True once there."""
        now = self.get_command(channel)
        left = abs(target - now)
        fastest = CHANNELS[channel].speed * share
        speed = choose_speed(self._speed.get(channel, 0.0), fastest, left, seconds)
        there = left <= speed * seconds
        self._speed[channel] = 0.0 if there else speed
        self.command(
            channel, target if there else now + math.copysign(speed * seconds, target - now)
        )
        return there

    channels = tuple(CHANNELS)
    size: Vector = (2.0 * RADIUS, 2.0 * RADIUS, HEIGHT)

    def read_joints(self) -> list[float]:
        """Return the positions of all joints, to write them into another model."""
        positions: list[float] = self._data.qpos[self._joints].tolist()
        return positions

    def write_joints(self, positions: Sequence[float]) -> None:
        self._data.qpos[self._joints] = positions

    def jump(self, x: float, y: float, yaw: float) -> None:
        """Put the base somewhere else at once."""
        for channel, value in (("x", x), ("y", y), ("yaw", yaw)):
            self._data.qpos[self._joint[channel]] = value
            self.command(channel, value)
        self._speed.clear()

    @property
    def place(self) -> tuple[float, float]:
        """Position of the base (m)."""
        return self.get("x"), self.get("y")

    @property
    def grip(self) -> np.ndarray:
        """The point between the fingers (m)."""
        turn = self._data.xmat[self.hand].reshape(3, 3)
        point: np.ndarray = self._data.xpos[self.hand] + turn @ (FINGER_REACH, 0.0, 0.0)
        return point
