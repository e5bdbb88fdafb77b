# SPDX-License-Identifier: Apache-2.0
"""Motions of one robot as generators: each `yield` is a control period in which the world goes on.

All motions go through servos of limited force; how far they come, the engine decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TypeVar

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.physics.arena import Arena
from fcp_ros.execution.physics.failure import StepFailed
from fcp_ros.execution.physics.motion import Route
from fcp_ros.execution.physics.robot import CHANNELS, RAMP, WIDEST, Rig, choose_speed

PERIOD = 0.02  # s between two commands
LAG = 0.12  # m by which the base may stay behind before it waits
BLOCKED_AFTER = 0.8  # s of waiting
SLACK = {"lift": 0.02, "arm": 0.03, "pitch": 0.1, "roll": 0.15}
DRAWN_IN = 0.05  # Extension (m) of the arm with which the base may drive
LATE = 1.0  # s that a motion may take longer than at its speed
SQUEEZE = 0.05  # m beyond each other to which closing fingers are sent: they press with full force

T = TypeVar("T")
Motion = Generator[None, None, T]


class Hands:
    """The motions of one robot."""

    def __init__(self, arena: Arena, rig: Rig) -> None:
        self._arena = arena
        self.rig = rig

    def wait(self, seconds: float) -> Motion[None]:
        until = self._arena.time + seconds - 1e-9
        while self._arena.time < until:
            yield

    def move(
        self,
        *,
        share: float = 1.0,  # of the usual speed
        stop: Callable[[], bool] = lambda: False,  # ends the motion where it is
        **targets: float,
    ) -> Motion[bool]:
        """Move joints to targets; return True if they came there."""
        return (yield from self._move(targets, share, stop))

    def _move(
        self, targets: dict[str, float], share: float, stop: Callable[[], bool]
    ) -> Motion[bool]:
        rig = self.rig
        longest = max(
            abs(target - rig.get_command(name)) / (CHANNELS[name].speed * share)
            for name, target in targets.items()
        )
        until = self._arena.time + longest + 2.0 / RAMP + LATE
        while self._arena.time < until:
            there = [rig.advance(name, goal, PERIOD, share) for name, goal in targets.items()]
            yield
            if stop():
                for name in targets:
                    rig.command(name, rig.get(name))
                return False
            if all(there) and self._are_near(targets):
                return True
        return False

    def _are_near(self, targets: dict[str, float]) -> bool:
        return all(
            abs(self.rig.get(name) - goal) <= SLACK.get(name, 0.03)
            for name, goal in targets.items()
        )

    def drive(self, way: Route, yaw: float | None = None, **joints: float) -> Motion[None]:
        """Drive along a way, turn to `yaw` (rad), and move other joints meanwhile.

        Raises StepFailed if something is in the way.
        """
        if self.rig.get("arm") > DRAWN_IN:  # a step before this one broke off
            yield from self.move(arm=0.0)
        for point in way.points[1:]:
            yield from self._drive_to(point, joints)
        if yaw is not None:
            yield from self._turn(yaw, joints)
        if joints:
            yield from self._move(joints, 1.0, lambda: False)

    def _drive_to(self, point: tuple[float, float], joints: dict[str, float]) -> Motion[None]:
        rig, waited, speed = self.rig, 0.0, 0.0
        heading: float | None = None
        while True:
            x, y = rig.get_command("x"), rig.get_command("y")
            left = math.hypot(point[0] - x, point[1] - y)
            if left > 0.3:
                heading = math.atan2(point[1] - y, point[0] - x)
            if heading is not None:
                rig.advance("yaw", self._nearest_turn(heading), PERIOD)
            for name, goal in joints.items():
                rig.advance(name, goal, PERIOD)
            here = rig.place
            if math.hypot(here[0] - x, here[1] - y) > LAG:
                waited += PERIOD
                if waited > BLOCKED_AFTER:
                    self._stop_base()
                    raise StepFailed(OutcomeCode.EXECUTION_FAILED, self._describe_block())
            elif left < 1e-6:
                return
            else:
                speed = choose_speed(speed, CHANNELS["x"].speed, left, PERIOD)
                step = min(left, speed * PERIOD)
                rig.command("x", x + (point[0] - x) * step / left)
                rig.command("y", y + (point[1] - y) * step / left)
                waited = 0.0
            yield

    def _turn(self, yaw: float, joints: dict[str, float]) -> Motion[None]:
        rig = self.rig
        goal = self._nearest_turn(yaw)
        until = self._arena.time + 2.0 * math.pi / CHANNELS["yaw"].speed + LATE
        while self._arena.time < until:
            there = rig.advance("yaw", goal, PERIOD)
            for name, target in joints.items():
                rig.advance(name, target, PERIOD)
            yield
            if there and abs(rig.get("yaw") - goal) < 0.02:
                return
        raise StepFailed(OutcomeCode.EXECUTION_FAILED, self._describe_block())

    def _nearest_turn(self, yaw: float) -> float:
        now = self.rig.get_command("yaw")
        return now + (yaw - now + math.pi) % (2.0 * math.pi) - math.pi

    def _stop_base(self) -> None:
        for name in ("x", "y", "yaw"):
            self.rig.command(name, self.rig.get(name))

    def _describe_block(self) -> str:
        met = sorted(self._arena.touching(self.rig.id) - {"@floor", self.rig.id})
        what = f" by {', '.join(met)}" if met else ""
        return f"{self.rig.id} was stopped on its way{what}."

    # --- fingers ---

    def open_fingers(self, width: float = WIDEST) -> Motion[None]:
        """Open the fingers to a width (m)."""
        yield from self.move(fingers=min(width, WIDEST) / 2.0)

    def close_fingers(self) -> Motion[None]:
        """Close the fingers, at a speed that knocks nothing over, and press with full force."""
        while not self.rig.advance("fingers", -SQUEEZE, PERIOD, 0.5):
            yield
        yield from self.wait(0.1)
