# SPDX-License-Identifier: Apache-2.0
"""A compiled layout and its state: what is where, touches what, and stands on what."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.execution.physics.failure import import_mujoco
from fcp_ros.execution.physics.layout import Layout, PhysicalBody
from fcp_ros.execution.physics.materials import ThingForm
from fcp_ros.execution.physics.mjcf import write_mjcf
from fcp_ros.execution.physics.robot import Rig
from fcp_ros.execution.physics.shapes import Shelf
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Pose

Floats = NDArray[np.float64]

FLOOR = "@floor"
APART = 0.003  # Contacts deeper than this (m) at the start are things inside one another
APART_ROUNDS = 40
SETTLE_TIME = 1.0  # s at the start
SAID = 0.05  # Things that move farther than this (m) while they settle are named
ABOVE, BELOW = 0.035, 0.025
"""How far (m) above and below a shelf the lowest point of a thing on it may be: what is tilted
has no corner exactly there."""
CLOSED_ANGLE = 0.06  # rad; hinges that are open by less are closed


@dataclass(frozen=True, slots=True)
class Support:
    """The thing on or in which another stands."""

    body: str  # id, or `FLOOR`
    is_inside: bool = False


class Arena:
    """The model and its state. Not thread-safe."""

    def __init__(self, layout: Layout) -> None:
        self._mujoco = import_mujoco()
        self.notes: tuple[str, ...] = layout.notes
        self.model: Any = None
        self.data: Any = None
        self._compile(layout)
        self._mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        self._mujoco.mj_forward(self.model, self.data)
        self._settle()
        self._start = self._copy_state()
        self.reset()  # so that the first run begins with the same solver state as later ones

    def _compile(self, layout: Layout) -> None:
        self.layout = layout
        model: Any = self._mujoco.MjModel.from_xml_string(write_mjcf(layout))
        self.model, self.data = model, self._mujoco.MjData(model)
        self.rigs = {robot.id: Rig(robot.id, model, self.data) for robot in layout.robots}
        self._body = {id_: int(model.body(id_).id) for id_ in layout.bodies}
        self._free = {
            id_: int(model.joint(f"{id_}/free").qposadr[0])
            for id_, body in layout.bodies.items()
            if body.moves
        }
        self._velocity = {id_: int(model.joint(f"{id_}/free").dofadr[0]) for id_ in self._free}
        self._hinge = {
            id_: model.joint(f"{id_}/hinge")
            for id_, body in layout.bodies.items()
            if body.shape.hinge is not None
        }
        self._shelved = [id_ for id_, body in layout.bodies.items() if body.shape.shelves]
        self._shelved_bodies = np.array([self._body[id_] for id_ in self._shelved], dtype=np.intp)
        self._shelved_reach = np.array([sum(layout.bodies[id_].size[:2]) for id_ in self._shelved])
        self._owners: list[str] = [FLOOR, *layout.bodies, *self.rigs]
        number = {name: index for index, name in enumerate(self._owners)}
        roots = {self._body[id_]: number[id_] for id_ in layout.bodies}
        roots |= {int(model.body(id_).id): number[id_] for id_ in self.rigs}
        by_body = [roots.get(int(model.body_rootid[body]), 0) for body in range(model.nbody)]
        self._owner_of_geom = np.array([by_body[b] for b in model.geom_bodyid], dtype=np.intp)

    # --- time and state ---

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return float(self.data.time)

    def step(self, seconds: float) -> None:
        count = max(1, round(seconds / self.model.opt.timestep))
        self._mujoco.mj_step(self.model, self.data, count)

    def reset(self) -> None:
        """Return to the state after settling."""
        self._paste_state(self._start)
        self._start_clock()

    def _start_clock(self) -> None:
        self.data.time = 0.0

    def _copy_state(self) -> tuple[Any, ...]:
        data = self.data
        return self.layout, data.qpos.copy(), data.ctrl.copy()

    def _paste_state(self, state: tuple[Any, ...]) -> None:
        layout, positions, controls = state
        if layout is not self.layout:
            self._compile(layout)
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.ctrl[:] = positions, controls
        self._mujoco.mj_forward(self.model, self.data)

    def change_layout(self, layout: Layout) -> None:
        """Compile another layout; all that both have keeps its place and speed."""
        poses = {id_: (self.pose(id_), self.velocity(id_)) for id_ in self._free}
        angles = {id_: self.angle(id_) for id_ in self._hinge}
        joints = {
            id_: (self._robot_state(id_), [rig.get_command(name) for name in rig.channels])
            for id_, rig in self.rigs.items()
        }
        now = self.time
        self._compile(layout)
        self._mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        for id_, (pose, velocity) in poses.items():
            if id_ in self._free:
                self._write_pose(id_, pose)
                self.data.qvel[self._velocity[id_] : self._velocity[id_] + 6] = velocity
        for id_, angle in angles.items():
            if id_ in self._hinge:
                self.data.qpos[self._hinge[id_].qposadr[0]] = angle
        for id_, (positions, commands) in joints.items():
            if id_ in self.rigs:
                rig = self.rigs[id_]
                rig.write_joints(positions)
                for name, command in zip(rig.channels, commands, strict=True):
                    rig.command(name, command)
        self.data.time = now
        self._mujoco.mj_forward(self.model, self.data)

    def _robot_state(self, id_: str) -> list[float]:
        return self.rigs[id_].read_joints()

    # --- settling ---

    def _settle(self) -> None:
        """Push things out of one another, and let them come to rest; say what moved."""
        before = {id_: self.pose(id_).position for id_ in self._free}
        for _ in range(APART_ROUNDS):
            if not self._push_apart():
                break
        pushed = {id_ for id_ in before if math.dist(before[id_], self.pose(id_).position) > APART}
        self.step(SETTLE_TIME)
        moved = [id_ for id_ in before if math.dist(before[id_], self.pose(id_).position) > SAID]
        notes = []
        apart = sorted(pushed)
        if apart:
            notes.append(
                f"settled apart, because they were inside other things: {list_names(apart)}"
            )
        fell = [id_ for id_ in moved if id_ not in pushed]
        if fell:
            notes.append(
                f"moved more than {100 * SAID:g} cm until they lay still: {list_names(fell)}"
            )
        self.notes = (*self.notes, *notes)
        self.data.qvel[:] = 0.0
        self._start_clock()

    def _push_apart(self) -> bool:
        """Move things along the normals of deep contacts; return False if there is none."""
        contact = self.data.contact
        deep = np.flatnonzero(np.asarray(contact.dist) < -APART)
        pushes: dict[str, Floats] = {}
        for index in deep.tolist():
            first, second = (self._owners[self._owner_of_geom[g]] for g in contact.geom[index])
            push = contact.frame[index][:3] * (-contact.dist[index])
            sides = [(first, -1.0), (second, 1.0)]
            loose = [(name, sign) for name, sign in sides if name in self._free]
            for name, sign in loose:
                one = sign * push / len(loose)
                if np.linalg.norm(one) > np.linalg.norm(pushes.get(name, np.zeros(3))):
                    pushes[name] = one
        for name, push in pushes.items():
            place = self._free[name]
            self.data.qpos[place : place + 3] += push * 1.05
        if pushes:
            self._mujoco.mj_forward(self.model, self.data)
        return bool(pushes)

    # --- things ---

    def moves(self, id_: str) -> bool:
        return id_ in self._free

    @property
    def movable(self) -> tuple[str, ...]:
        return tuple(self._free)

    def body(self, id_: str) -> PhysicalBody:
        return self.layout.bodies[id_]

    def pose(self, id_: str) -> Pose:
        if id_ in self.rigs:
            rig = self.rigs[id_]
            (x, y), yaw = rig.place, rig.get("yaw")
            return Pose.at(x, y, rig.floor, yaw)
        number = self._body[id_]
        x, y, z = self.data.xpos[number].tolist()
        w, qx, qy, qz = self.data.xquat[number].tolist()
        return Pose((x, y, z), (qx, qy, qz, w))

    def velocity(self, id_: str) -> Floats:
        """Velocity (m/s, rad/s) of a thing that moves; zeros for others."""
        if id_ not in self._velocity:
            return np.zeros(6)
        start = self._velocity[id_]
        found: Floats = self.data.qvel[start : start + 6].copy()
        return found

    def set_pose(self, id_: str, pose: Pose) -> None:
        """Move a thing, or a robot, at once."""
        if id_ in self.rigs:
            rig = self.rigs[id_]
            x, y, _ = pose.position
            rig.jump(x, y, pose.yaw)
        elif id_ in self._free:
            self._write_pose(id_, pose)
            self.data.qvel[self._velocity[id_] : self._velocity[id_] + 6] = 0.0
        else:
            body = replace(self.body(id_), pose=pose)
            self.change_layout(replace(self.layout, bodies={**self.layout.bodies, id_: body}))
        self._mujoco.mj_forward(self.model, self.data)

    def _write_pose(self, id_: str, pose: Pose) -> None:
        start = self._free[id_]
        x, y, z, w = pose.orientation
        self.data.qpos[start : start + 7] = (*pose.position, w, x, y, z)

    # --- hinges ---

    def has_hinge(self, id_: str) -> bool:
        return id_ in self._hinge

    def angle(self, id_: str) -> float:
        """Angle (rad) by which a door, front or lid is open; 0 without one."""
        joint = self._hinge.get(id_)
        return 0.0 if joint is None else float(self.data.qpos[joint.qposadr[0]])

    def is_closed(self, id_: str) -> bool:
        return self.has_hinge(id_) and self.angle(id_) < CLOSED_ANGLE

    def push_hinge(self, id_: str, torque: float) -> None:
        """Apply a torque (N m) to a hinge, until it is set to another."""
        self.data.qfrc_applied[self._hinge[id_].dofadr[0]] = torque

    def hinge_speed(self, id_: str) -> float:
        return float(self.data.qvel[self._hinge[id_].dofadr[0]])

    def handle(self, id_: str) -> Floats:
        """The point (m) at which a leaf is held."""
        hinge = self.body(id_).shape.hinge
        assert hinge is not None
        leaf = int(self.model.body(f"{id_}/leaf").id)
        turn = self.data.xmat[leaf].reshape(3, 3)
        point: Floats = self.data.xpos[leaf] + turn @ hinge.handle
        return point

    # --- measuring ---

    def touching(self, id_: str) -> set[str]:
        """Names of all that a thing touches now; what sleeps touches nothing, says MuJoCo."""
        number = self._owners.index(id_)
        return {self._owners[other] for other in self._list_partners(number)}

    def _list_partners(self, number: int) -> Iterator[int]:
        count = self.data.ncon
        owners = self._owner_of_geom[self.data.contact.geom[:count]]
        for first, second in owners.tolist():
            if number in (first, second):
                yield second if first == number else first

    def touches_finger(self, id_: str, rig: Rig) -> int:
        """Count the fingers that touch a thing."""
        number = self._owners.index(id_)
        pairs = self.data.contact.geom[: self.data.ncon]
        owners = self._owner_of_geom[pairs]
        mine = pairs[(owners == number).any(axis=1)]
        return sum(bool((mine == finger).any()) for finger in rig.fingers)

    def find_holder(self, id_: str) -> str | None:
        """Find the robot whose fingers hold a thing: both touch it, or one does in the air."""
        for name, rig in self.rigs.items():
            fingers = self.touches_finger(id_, rig)
            if fingers == 2 or (fingers == 1 and self.touching(id_) == {name}):
                return name
        return None

    def tilt(self, id_: str) -> float:
        """Angle (rad) between a thing's upward axis and the vertical; 0 for balls."""
        if self.body(id_).material.form is ThingForm.BALL:
            return 0.0
        up = self.data.xmat[self._body[id_]][8]
        return math.acos(min(1.0, max(-1.0, up)))

    def lowest(self, id_: str) -> float:
        """Height (m) of the lowest corner of a thing's box."""
        body = self.body(id_)
        up = np.abs(self.data.xmat[self._body[id_]].reshape(3, 3)[2])
        half = np.asarray(body.size) / 2.0
        if body.material.form is ThingForm.BALL:
            return float(self.data.xpos[self._body[id_]][2] - half.min())
        return float(self.data.xpos[self._body[id_]][2] - up @ half)

    def find_support(self, id_: str) -> Support | None:
        """Find what a thing stands on or in, by its place; None in the air or in a hand."""
        position = self.data.xpos[self._body[id_]]
        bottom = self.lowest(id_)
        best: tuple[float, Support] | None = None
        for other, shelf, level in self.shelves_below(position[0], position[1], id_):
            most = shelf.headroom - ABOVE if shelf.is_inside else ABOVE
            if level - BELOW <= bottom <= level + most and (best is None or level > best[0]):
                best = (level, Support(other, shelf.is_inside))
        if best is not None:
            return best[1]
        on_floor = bottom < self.layout.floor + ABOVE or any(
            abs(bottom - slab.centre[2] - slab.half[2]) < ABOVE for slab in self.layout.storeys
        )
        return Support(FLOOR) if on_floor else None

    def shelves_below(self, x: float, y: float, without: str) -> Iterator[tuple[str, Shelf, float]]:
        """Yield the places of other things over which a point is, with their height (m)."""
        # Of 5,000 things few are near: one look at all of them takes 20 us, a loop 30 ms.
        offsets = np.array((x, y)) - self.data.xpos[self._shelved_bodies, :2]
        near = np.flatnonzero(np.abs(offsets).max(axis=1, initial=0.0) <= self._shelved_reach)
        for index in near.tolist():
            other, number = self._shelved[index], int(self._shelved_bodies[index])
            if other == without:
                continue
            body, (dx, dy) = self.layout.bodies[other], offsets[index].tolist()
            turn = self.data.xmat[number].reshape(3, 3)
            if turn[2, 2] < 0.9:  # it lies on its side
                continue
            across, along = turn[0, 0] * dx + turn[1, 0] * dy, turn[0, 1] * dx + turn[1, 1] * dy
            for shelf in body.shape.shelves:
                if abs(across - shelf.x) <= shelf.half_x and abs(along - shelf.y) <= shelf.half_y:
                    yield other, shelf, float(self.data.xpos[number][2] + shelf.z)

    def find_room(self, x: float, y: float) -> str | None:
        import shapely

        point = shapely.Point(x, y)
        return next((id_ for id_, room in self.layout.rooms.items() if room.covers(point)), None)

    def is_free_ray(self, start: Floats, end: Floats, allowed: Container[str]) -> bool:
        """Return True if nothing is between two points, but things of these ids."""
        way = end - start
        length = float(np.linalg.norm(way))
        if length < 1e-6:
            return True
        hit = np.zeros(1, dtype=np.int32)
        distance = self._mujoco.mj_ray(self.model, self.data, start, way / length, None, 1, -1, hit)
        if distance < 0.0 or distance >= length:
            return True
        return self._owners[self._owner_of_geom[hit[0]]] in allowed

    def number_of(self, id_: str) -> int:
        return self._body[id_]

    def greatest_depth(self) -> float:
        """Depth (m) of the deepest contact now, but for those of robots; 0 without one."""
        count = self.data.ncon
        owners = self._owner_of_geom[self.data.contact.geom[:count]]
        things = (owners < len(self._owners) - len(self.rigs)).all(axis=1)
        depths = np.asarray(self.data.contact.dist[:count])[things]
        return max(0.0, -float(np.min(depths, initial=0.0)))
