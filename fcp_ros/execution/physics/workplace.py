# SPDX-License-Identifier: Apache-2.0
"""The common ground of a robot's actions: where things are, and where to stand for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import FLOOR, Arena
from fcp_ros.execution.physics.failure import StepFailed
from fcp_ros.execution.physics.grasps import Grip, Mode, Stand, find_stand
from fcp_ros.execution.physics.hands import Hands, Motion
from fcp_ros.execution.physics.motion import FloorMap, FloorReach, Route
from fcp_ros.execution.physics.robot import LIFT_RANGE, RADIUS, WIDEST, Rig
from fcp_ros.scene.graph.elements import Vector

MARGIN = 0.03  # m between the base and what it drives by


@dataclass(frozen=True, slots=True)
class SkillOptions:
    """The imperfections of the robot."""

    noise: float = 0.006  # standard deviation (m) of where it sees a thing, and puts one
    settle: float = 1.0  # s


class Workplace:
    """The common ground of one robot's actions: its world, its motions, where it can stand.

    `dirty` and `switched_on`: ids of things of which that is true; no body shows it.
    """

    def __init__(
        self,
        arena: Arena,
        rig: Rig,
        random: np.random.Generator,
        options: SkillOptions,
        dirty: set[str],
        switched_on: set[str],
    ) -> None:
        self.arena = arena
        self.rig = rig
        self.random = random
        self.options = options
        self.dirty = dirty
        self.switched_on = switched_on
        self.hands = Hands(arena, rig)

    def look_up(self, arguments: Mapping[str, str], *names: str) -> str:
        """Return the first argument of these names. Raises StepFailed if it isn't in the world."""
        found = next((arguments[name] for name in names if name in arguments), None)
        if found is None:
            text = f"The step names no {' or '.join(names)}."
            raise StepFailed(OutcomeCode.INVALID_ACTION, text)
        if found not in self.arena.layout.bodies:
            text = f"There is no {found} in the physics world."
            raise StepFailed(OutcomeCode.INVALID_ACTION, text)
        return found

    def find_held(self) -> str | None:
        arena = self.arena
        return next((id_ for id_ in arena.movable if arena.find_holder(id_) == self.rig.id), None)

    def describe_place(self, item: str) -> str:
        holder = self.arena.find_holder(item)
        if holder is not None:
            return f"in the hand of {holder}"
        support = self.arena.find_support(item)
        if support is None:
            return "leaning on something"
        if support.body == FLOOR:
            return "on the floor"
        return f"{'in' if support.is_inside else 'on'} {support.body}"

    def draw_error(self) -> Vector:
        x, y = self.random.normal(0.0, self.options.noise, 2)
        return float(x), float(y), 0.0

    def survey(self) -> tuple[FloorMap, FloorReach]:
        floor = FloorMap(self.arena, self.rig)
        return floor, floor.reach(self.rig.place, self.radius)

    @property
    def radius(self) -> float:
        held = self.find_held()
        widest = 0.0 if held is None else max(self.arena.body(held).size[:2]) / 2.0
        return max(RADIUS, 0.16 + widest) + MARGIN

    def explain_no_way(self, floor: FloorMap, room: str) -> Outcome:
        """Say what keeps the robot out of a room: the narrowest place of a way for a thin one."""
        text = f"There is no way for {self.rig.id} to {room}"
        reach = floor.reach(self.rig.place, 0.06)
        goal = reach.nearest_in(self.arena.layout.rooms[room])
        way = None if goal is None else reach.way_to(goal)
        if way is None:
            closed = [i for i in self.arena.layout.bodies if self.is_closed_door(i)]
            why = f": {', '.join(closed)} closed" if closed else ""
            return Outcome(OutcomeCode.PLANNING_FAILED, f"{text}{why}.")
        x, y = min(_list_points(way), key=floor.clearance_at)
        nearest = min(
            self.arena.layout.bodies,
            key=lambda id_: math.dist((x, y), self.arena.pose(id_).position[:2]),
        )
        wide, needed = 2.0 * floor.clearance_at((x, y)), 2.0 * self.radius
        return Outcome(
            OutcomeCode.PLANNING_FAILED,
            f"{text}: near {nearest} it is {wide:.2f} m wide, and the robot needs {needed:.2f} m.",
        )

    def is_closed_door(self, id_: str) -> bool:
        body = self.arena.body(id_)
        return not body.shape.solids and self.arena.is_closed(id_)

    def approach(
        self, grips: list[Grip], allowed: list[str], what: str, prefer: float = 0.6
    ) -> tuple[Stand, Route]:
        """Find a stand for one of these grips. Raises StepFailed with the reason for none."""
        if not grips:
            text = f"{what}: wider than the {WIDEST:g} m between the fingers."
            raise StepFailed(OutcomeCode.PLANNING_FAILED, f"No grasp of {text}")
        _, reach = self.survey()
        stand = find_stand(self.arena, self.rig, reach, grips, allowed, prefer)
        way = None if stand is None else reach.way_to((stand.x, stand.y))
        if stand is None or way is None:
            text = f"{self.rig.id} finds no place to stand from which it reaches {what}."
            raise StepFailed(OutcomeCode.PLANNING_FAILED, text)
        return stand, way

    def go_to(self, stand: Stand, way: Route, height: float) -> Motion[None]:
        """Drive to a stand, with the hand turned as for its grip at a height (m) of the wrist."""
        pitch = 0.0 if stand.grip.mode is Mode.FRONT else math.pi / 2.0
        lift = min(max(height - self.rig.floor, LIFT_RANGE[0]), LIFT_RANGE[1])
        yield from self.hands.drive(
            way, stand.yaw, lift=lift, pitch=pitch, roll=stand.roll, arm=0.0
        )


def _list_points(way: Route) -> Iterator[tuple[float, float]]:
    for one, other in pairwise(way.points):
        count = max(2, int(math.dist(one, other) / 0.05))
        for share in np.linspace(0.0, 1.0, count).tolist():
            yield one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])
