# SPDX-License-Identifier: Apache-2.0
"""Picking things up and putting them down, judged by what came of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import FLOOR, Support
from fcp_ros.execution.physics.grasps import Grip, Mode, Stand, list_grips
from fcp_ros.execution.physics.hands import Motion
from fcp_ros.execution.physics.materials import OPEN_ABOVE, ThingForm
from fcp_ros.execution.physics.robot import FINGER_REACH, LIFT_RANGE, RADIUS, WIDEST
from fcp_ros.execution.physics.shapes import Shelf
from fcp_ros.execution.physics.workplace import Workplace
from fcp_ros.scene.graph.elements import Vector

LIFTED = 0.04  # m by which a thing is lifted before the arm is drawn back
ABOVE = 0.05  # m over the place for it at which a thing arrives
SLIP = 0.06  # m of slip in the hand that make a success worthless
SLID = 0.15  # m that a thing slides or rolls on its place, likewise
UPRIGHT = math.pi / 3.0  # rad of tilt, likewise
SPOTS = 24  # Places on a shelf that are looked at
SAFE = 0.5  # Height (m) of the wrist at which what is held is above the base
CARRY = 0.45  # Least height (m) of the wrist above the floor while a thing is drawn in


def pick(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    arena, rig, hands = at.arena, at.rig, at.hands
    item = at.look_up(arguments, "item")
    held = at.find_held()
    if held is not None:
        text = f"{rig.id} holds {held}."
        return Outcome(OutcomeCode.PRECONDITION_FAILED, text)
    if not arena.moves(item):
        text = f"{item} is part of the furniture: it does not move."
        return Outcome(OutcomeCode.PLANNING_FAILED, text)
    support = arena.find_support(item)
    within = support.body if support is not None and support.body != FLOOR else None
    if within is not None and arena.is_closed(within) and support == Support(within, True):
        return Outcome(OutcomeCode.PRECONDITION_FAILED, f"{within} is closed.")
    low = arena.lowest(item)
    enclosed = within is not None and arena.body(within).material.form in (
        ThingForm.CABINET,
        ThingForm.SHELF,
    )
    grips = list(list_grips(arena, item, low, at.draw_error()))
    stand, way = at.approach(grips, [item], item, prefer=0.8 if enclosed else 0.6)
    grip = stand.grip
    front = grip.mode is Mode.FRONT
    height = grip.point[2] if front else grip.point[2] + FINGER_REACH + 0.12
    yield from at.go_to(stand, way, height)
    yield from hands.open_fingers(grip.width + 0.035)
    yield from hands.move(arm=stand.arm)
    if not front:
        yield from hands.move(lift=grip.point[2] + FINGER_REACH - rig.floor, share=0.6)
    yield from hands.close_fingers()
    grasped = rig.grip - arena.pose(item).position
    yield from _draw_in(at, item, front, enclosed)
    yield from hands.wait(0.3)
    return _judge_pick(at, item, grasped)


def _draw_in(at: Workplace, item: str, front: bool, enclosed: bool) -> Motion[None]:
    """Lift what is between the fingers, and draw the arm in above the base."""
    hands, rig = at.hands, at.rig
    size = at.arena.body(item).size
    now = rig.get_command("lift")
    yield from hands.move(lift=min(now + LIFTED, LIFT_RANGE[1]), share=0.4)
    below = max(size) / 2.0 if front else FINGER_REACH + max(size)
    carry = min(max(CARRY, 0.3 + below), LIFT_RANGE[1])
    if rig.get_command("lift") < carry:
        out = max(0.0, RADIUS + max(size) / 2.0 - FINGER_REACH) if enclosed else None
        if out is not None and front:
            yield from hands.move(arm=min(out, rig.get_command("arm")), share=0.7)
        yield from hands.move(lift=carry)
    yield from hands.move(arm=0.0, share=0.8)


def _judge_pick(at: Workplace, item: str, grasped: np.ndarray) -> Outcome:
    arena, rig = at.arena, at.rig
    if arena.find_holder(item) != rig.id:
        text = f"{item} is not in the hand of {rig.id}; it is {at.describe_place(item)}."
        return Outcome(OutcomeCode.EXECUTION_FAILED, text)
    now = rig.grip - arena.pose(item).position
    slip = abs(float(np.linalg.norm(now)) - float(np.linalg.norm(grasped)))
    return Outcome(OutcomeCode.SUCCEEDED, "", max(0.0, 1.0 - slip / SLIP))


def place(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    item = at.look_up(arguments, "item")
    target = arguments.get("base") or arguments.get("support", "")
    if target not in at.arena.layout.bodies:
        if target in at.arena.layout.floors:
            return (yield from _put(at, item, FLOOR, _list_floor_spots(at, target), False))
        return Outcome(OutcomeCode.INVALID_ACTION, f"There is no {target!r} in this world.")
    return (yield from _put(at, item, target, list_spots(at, item, target, False), False))


def put_in(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    item = at.look_up(arguments, "item")
    target = at.look_up(arguments, "container")
    if at.arena.is_closed(target):
        return Outcome(OutcomeCode.PRECONDITION_FAILED, f"{target} is closed.")
    return (yield from _put(at, item, target, list_spots(at, item, target, True), True))


def _put(
    at: Workplace, item: str, target: str, spots: list[tuple[Vector, Shelf | None]], inside: bool
) -> Motion[Outcome]:
    arena, rig, hands = at.arena, at.rig, at.hands
    if arena.find_holder(item) != rig.id:
        text = f"{rig.id} does not hold {item}; it is {at.describe_place(item)}."
        return Outcome(OutcomeCode.PRECONDITION_FAILED, text)
    if not spots:
        text = f"There is no free place {'in' if inside else 'on'} {target} for {item}."
        return Outcome(OutcomeCode.PLANNING_FAILED, text)
    mode = Mode.TOP if rig.get_command("pitch") > 0.8 else Mode.FRONT
    offset = rig.grip[2] - arena.lowest(item) + 0.003
    inward = rig.grip - arena.pose(item).position
    error = at.draw_error()
    grips = [
        make_release(at, spot, shelf, target, mode, float(offset), error) for spot, shelf in spots
    ]
    stand, way = at.approach(grips, [item, target], f"a place at {target}", 0.7)
    place = stand.grip.point
    wrist = place[2] + (0.0 if mode is Mode.FRONT else FINGER_REACH)
    roll = rig.get_command("roll")
    yield from hands.drive(way, stand.yaw, lift=max(wrist - rig.floor + ABOVE, SAFE))
    yield from _reach_over(at, stand, item, wrist - rig.floor + ABOVE)
    yield from hands.move(
        lift=max(wrist - rig.floor - 0.01, LIFT_RANGE[0]),
        share=0.35,
        stop=lambda: bool(arena.touching(item) - {rig.id}),
    )
    if np.linalg.norm(rig.grip - arena.pose(item).position) > np.linalg.norm(inward) + SLIP:
        text = f"{item} slipped on the way; it is {at.describe_place(item)}."
        return Outcome(OutcomeCode.EXECUTION_FAILED, text)
    yield from hands.wait(0.1)
    released = np.array(arena.pose(item).position[:2])
    yield from hands.move(fingers=min(rig.get("fingers") + 0.03, WIDEST / 2.0))
    if mode is Mode.TOP:
        yield from hands.move(lift=min(wrist - rig.floor + 0.15, LIFT_RANGE[1]), roll=roll)
    yield from hands.move(arm=0.0)
    yield from hands.wait(at.options.settle)
    return _judge_put(at, item, target, inside, released)


def _reach_over(at: Workplace, stand: Stand, item: str, height: float) -> Motion[None]:
    """Extend the arm to a grip at this height (m) of the wrist, past the base before it sinks."""
    if height < SAFE:
        half = max(at.arena.body(item).size[:2]) / 2.0
        past = stand.arm - max(0.0, stand.distance - RADIUS - half - 0.03)
        yield from at.hands.move(arm=max(0.0, min(past, stand.arm)), share=0.8)
        yield from at.hands.move(lift=max(height, LIFT_RANGE[0]))
    yield from at.hands.move(arm=stand.arm, share=0.8)


def make_release(
    at: Workplace,
    spot: Vector,
    shelf: Shelf | None,
    target: str,
    mode: Mode,
    offset: float,
    error: Vector,
) -> Grip:
    """Make the grip at which a thing is let go over a spot."""
    x, y, z = spot[0] + error[0], spot[1] + error[1], spot[2] + offset
    approach = None
    if shelf is not None and shelf.is_inside and shelf.from_above:
        rim = spot[2] + shelf.headroom
        z = max(z, rim + 0.03 if mode is Mode.FRONT else rim - 0.06)
    if shelf is not None and not shelf.from_above:
        body = at.arena.body(target)
        yaw = at.arena.pose(target).yaw + body.shape.front * math.pi / 2.0
        approach = yaw + math.pi
    return Grip(mode, (x, y, z), approach, None, at.rig.get("fingers") * 2.0)


def list_spots(
    at: Workplace, item: str, target: str, inside: bool
) -> list[tuple[Vector, Shelf | None]]:
    """List free places for a thing on or in another, from the middle outward."""
    arena = at.arena
    body, size = arena.body(target), arena.body(item).size
    reach = math.hypot(size[0], size[1]) / 2.0
    half = max(size[0], size[1]) / 2.0
    found: list[tuple[float, Vector, Shelf | None]] = []
    others = [
        (arena.pose(other).position, max(arena.body(other).size[:2]) / 2.0)
        for other in arena.movable
        if other not in (item, target) and arena.find_holder(other) is None
    ]
    turn = arena.data.xmat[arena.number_of(target)].reshape(3, 3)
    origin = arena.data.xpos[arena.number_of(target)]
    for shelf in body.shape.shelves:
        if shelf.is_inside != inside:
            continue
        if not shelf.from_above and size[2] + ABOVE + 0.02 > shelf.headroom:
            continue
        for dx, dy in _spread(shelf.half_x - half, shelf.half_y - half):
            x, y, z = origin + turn @ (shelf.x + dx, shelf.y + dy, shelf.z)
            room = min(
                (
                    math.hypot(p[0] - x, p[1] - y) - reach - r
                    for p, r in others
                    if abs(p[2] - z) < 0.4
                ),
                default=1.0,
            )
            if room > 0.01 or (body.material.form in OPEN_ABOVE and inside):
                far = math.hypot(dx, dy)
                found.append((far, (float(x), float(y), float(z)), shelf))
    found.sort(key=lambda one: (one[0], one[1]))
    return [(spot, shelf) for _, spot, shelf in found[:: max(1, len(found) // SPOTS)]]


def _list_floor_spots(at: Workplace, floor: str) -> list[tuple[Vector, Shelf | None]]:
    room = at.arena.layout.rooms[at.arena.layout.floors[floor]]
    free, reach = at.survey()
    x0, y0, x1, y1 = room.bounds
    spots: list[tuple[float, tuple[float, float]]] = []
    for x in np.arange(x0 + 0.3, x1 - 0.3, 0.3).tolist():
        for y in np.arange(y0 + 0.3, y1 - 0.3, 0.3).tolist():
            if free.clearance_at((x, y)) > 0.3 and at.arena.find_room(x, y) is not None:
                spots.append((reach.cost_to((x, y)), (x, y)))
    level = at.rig.floor
    return [((x, y, level), None) for _, (x, y) in sorted(spots)[:SPOTS]]


def _judge_put(
    at: Workplace, item: str, target: str, inside: bool, released: np.ndarray
) -> Outcome:
    arena = at.arena
    support = arena.find_support(item)
    if support != Support(target, inside) or arena.find_holder(item) is not None:
        where, wanted = at.describe_place(item), f"{'in' if inside else 'on'} {target}"
        text = f"{item} is {where}, not {wanted}."
        return Outcome(OutcomeCode.POSTCONDITION_FAILED, text)
    if inside:
        return Outcome(OutcomeCode.SUCCEEDED, "", 1.0)
    slid = float(np.linalg.norm(np.array(arena.pose(item).position[:2]) - released))
    upright = 1.0 - min(1.0, arena.tilt(item) / UPRIGHT)
    return Outcome(OutcomeCode.SUCCEEDED, "", upright * max(0.0, 1.0 - slid / SLID))


def _spread(half_x: float, half_y: float) -> Iterator[tuple[float, float]]:
    """Yield points of a rectangle about (0, 0), at least its middle."""
    for x in _list_steps(half_x):
        for y in _list_steps(half_y):
            yield x, y


def _list_steps(half: float) -> list[float]:
    if half <= 0.0:
        return [0.0]
    count = min(15, 2 * int(half / 0.07) + 1)
    return [0.0] if count < 2 else np.linspace(-half, half, count).tolist()
