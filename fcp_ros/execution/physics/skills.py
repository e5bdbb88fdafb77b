# SPDX-License-Identifier: Apache-2.0
"""The actions of the household domain, done by the robot's motions, judged by what came of them.

A skill is a generator that ends with the outcome. The outcome and its quality are measured on the
state after settling; what was planned does not enter. What is short of a real robot is said here:

- perception: a thing is seen where it is, give or take `SkillOptions.noise`;
- doors, fronts and lids: the hand must reach the handle, then a force of `PULL` at most acts on
  the leaf at that place, while the hand draws back; fingers hold no handle;
- wiping: the tool is pressed and moved to and fro; a surface is clean if it was touched throughout;
- switches: the hand must reach the device, which then is on or off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import FLOOR, Support
from fcp_ros.execution.physics.failure import StepFailed
from fcp_ros.execution.physics.grasps import Grip, Mode, Stand, find_stand, list_grips
from fcp_ros.execution.physics.hands import Motion
from fcp_ros.execution.physics.materials import OPEN_ABOVE, ThingForm
from fcp_ros.execution.physics.robot import FINGER_REACH, LIFT_RANGE, RADIUS, WIDEST
from fcp_ros.execution.physics.shapes import Shelf
from fcp_ros.execution.physics.workplace import Workplace
from fcp_ros.scene.graph.elements import Vector

PULL = 25.0  # N at a handle
OPENED = 0.6  # Share of its angle from which a leaf counts as open
PRESS = 0.006  # m by which the hand is sent into what it wipes
LIFTED = 0.04  # m by which a thing is lifted before the arm is drawn back
ABOVE = 0.05  # m over the place for it at which a thing arrives
SLIP = 0.06  # m of slip in the hand that make a success worthless
SLID = 0.15  # m that a thing slides or rolls on its place, likewise
UPRIGHT = math.pi / 3.0  # rad of tilt, likewise
SPOTS = 24  # Places on a shelf that are looked at
SAFE = 0.5  # Height (m) of the wrist at which what is held is above the base
CARRY = 0.45  # Least height (m) of the wrist above the floor while a thing is drawn in


def start_skill(at: Workplace, action: str, arguments: Mapping[str, str]) -> Motion[Outcome]:
    """Start an action by the name of its executor, with the parameters of its rule."""
    skills: dict[str, Callable[[Mapping[str, str]], Motion[Outcome]]] = {
        "navigate": partial(_navigate, at),
        "pick": partial(_pick, at),
        "place": partial(_place, at),
        "put_in": partial(_put_in, at),
        "take_out": partial(_pick, at),
        "open": partial(_swing, at, opening=True),
        "close": partial(_swing, at, opening=False),
        "wipe": partial(_wipe, at),
        "switch_on": partial(_switch, at, on=True),
        "switch_off": partial(_switch, at, on=False),
    }
    if action not in skills:
        known = ", ".join(skills)
        text = f"The robot of the physics world can't {action}; it can {known}."
        raise StepFailed(OutcomeCode.INVALID_ACTION, text)
    return skills[action](arguments)


def _navigate(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    rooms = at.arena.layout.rooms
    room = arguments.get("to", "")
    if room not in rooms:
        text = f"There is no room {room!r} with an outline in the physics world."
        return Outcome(OutcomeCode.INVALID_ACTION, text)
    held = at.find_held()
    for attempt in (1, 2):
        floor, reach = at.survey()
        goal = reach.nearest_in(rooms[room])
        way = None if goal is None else reach.way_to(goal)
        if way is None:
            return at.explain_no_way(floor, room)
        try:
            yield from at.hands.drive(way, arm=0.0)
            break
        except StepFailed:
            if attempt == 2:
                raise
    if at.arena.find_room(*at.rig.place) != room:
        text = f"{at.rig.id} did not arrive in {room}."
        return Outcome(OutcomeCode.EXECUTION_FAILED, text)
    if held is not None and at.arena.find_holder(held) != at.rig.id:
        text = f"{held} was lost on the way; it is {at.describe_place(held)}."
        return Outcome(OutcomeCode.EXECUTION_FAILED, text)
    return Outcome(OutcomeCode.SUCCEEDED)


def _swing(at: Workplace, arguments: Mapping[str, str], *, opening: bool) -> Motion[Outcome]:
    arena, rig, hands = at.arena, at.rig, at.hands
    thing = at.look_up(arguments, "thing", "door", "openable")
    if not arena.has_hinge(thing):
        text = f"{thing} has nothing that opens."
        return Outcome(OutcomeCode.INVALID_ACTION, text)
    hinge = arena.body(thing).shape.hinge
    assert hinge is not None
    x, y, z = arena.handle(thing).tolist()
    z = min(max(z, rig.floor + 0.2), rig.floor + 1.5)
    axis = arena.data.xanchor[arena.model.joint(f"{thing}/hinge").id]
    width = math.dist((0.0, 0.0), hinge.handle[:2])
    grip = Grip(Mode.FRONT, (x, y, z), None, None, 0.02)
    _, reach = at.survey()
    away = width + RADIUS + 0.08 if hinge.axis[2] else 0.0
    middle = (float(axis[0]), float(axis[1]))
    stand = find_stand(arena, rig, reach, [grip], [thing], 0.6, (middle, away))
    way = None if stand is None else reach.way_to((stand.x, stand.y))
    if stand is None or way is None:
        text = f"{rig.id} finds no place to stand beside the handle of {thing}."
        return Outcome(OutcomeCode.PLANNING_FAILED, text)
    yield from at.go_to(stand, way, z)
    yield from hands.move(arm=max(0.0, stand.arm - 0.05))
    yield from _push_leaf(at, thing, hinge.angle if opening else 0.0, PULL * width)
    angle = arena.angle(thing)
    if angle < OPENED * hinge.angle if opening else not arena.is_closed(thing):
        met = sorted(arena.touching(thing) - {rig.id, FLOOR})
        why = f"; {', '.join(met)} may be in the way" if met else ""
        text = f"{thing} is {'not open' if opening else 'not closed'} ({angle:.2f} rad){why}."
        return Outcome(OutcomeCode.POSTCONDITION_FAILED, text)
    return Outcome(OutcomeCode.SUCCEEDED, "", 1.0)


def _push_leaf(at: Workplace, thing: str, goal: float, torque: float) -> Motion[None]:
    """Turn a leaf at about 1 rad/s while the hand draws back, until it is there or stands."""
    arena, rig = at.arena, at.rig
    until, still = arena.time + 5.0, 0
    while arena.time < until and still < 25:
        error = goal - arena.angle(thing)
        if abs(error) < 0.02:
            break
        wanted = max(-1.2, min(1.2, 4.0 * error))
        push = 40.0 * (wanted - arena.hinge_speed(thing)) + math.copysign(2.0, error)
        arena.push_hinge(thing, max(-torque, min(torque, push)))
        rig.advance("arm", 0.0, 0.02)
        still = still + 1 if abs(arena.hinge_speed(thing)) < 0.02 else 0
        yield
    arena.push_hinge(thing, 0.0)
    yield from at.hands.move(arm=0.0)
    yield from at.hands.wait(0.2)


def _wipe(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    arena, rig, hands = at.arena, at.rig, at.hands
    surface, tool = at.look_up(arguments, "surface"), at.look_up(arguments, "tool")
    if arena.find_holder(tool) != rig.id:
        text = f"{rig.id} does not hold {tool}; it is {at.describe_place(tool)}."
        return Outcome(OutcomeCode.PRECONDITION_FAILED, text)
    spots = _list_spots(at, tool, surface, False)
    mode = Mode.TOP if rig.get_command("pitch") > 0.8 else Mode.FRONT
    offset = float(rig.grip[2] - arena.lowest(tool))
    grips = [
        _make_release(at, spot, shelf, surface, mode, offset, (0.0, 0.0, 0.0))
        for spot, shelf in spots
    ]
    stand, way = at.approach(grips, [tool, surface], surface, 0.6)
    wrist = stand.grip.point[2] + (0.0 if mode is Mode.FRONT else FINGER_REACH) - rig.floor
    yield from hands.drive(way, stand.yaw, lift=wrist + ABOVE)
    yield from hands.move(arm=stand.arm)
    touched: list[bool] = []

    def look() -> bool:
        touched.append(surface in arena.touching(tool))
        return touched[-1]

    yield from hands.move(lift=wrist - 0.02, share=0.3, stop=look)
    rig.command("lift", rig.get("lift") - PRESS)
    touched.clear()
    for reach in (-0.08, 0.08, 0.0):
        yield from hands.move(
            arm=max(0.0, stand.arm + reach), share=0.5, stop=lambda: look() and False
        )
    yield from hands.move(lift=wrist + ABOVE)
    yield from hands.move(arm=0.0)
    share = sum(touched) / len(touched)
    if share < 0.5 or arena.find_holder(tool) != rig.id:
        text = f"{surface} was not touched by {tool} throughout; it is still dirty."
        return Outcome(OutcomeCode.POSTCONDITION_FAILED, text)
    at.dirty.discard(surface)
    return Outcome(OutcomeCode.SUCCEEDED, "", share)


def _switch(at: Workplace, arguments: Mapping[str, str], *, on: bool) -> Motion[Outcome]:
    device = at.look_up(arguments, "device")
    pose, size = at.arena.pose(device), at.arena.body(device).size
    x, y, z = pose.position
    level = min(max(z, at.rig.floor + 0.2), at.rig.floor + 1.5)
    grip = Grip(Mode.FRONT, (x, y, level), None, None, 0.02)
    near = max(size[0], size[1]) / 2.0
    stand, way = at.approach([grip], [device], device, 0.8)
    yield from at.go_to(stand, way, level)
    yield from at.hands.move(arm=max(0.0, stand.arm - near - 0.03))
    yield from at.hands.move(arm=0.0)
    (at.switched_on.add if on else at.switched_on.discard)(device)
    return Outcome(OutcomeCode.SUCCEEDED)


# --- picking things up and putting them down ---


def _pick(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
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


def _place(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    item = at.look_up(arguments, "item")
    target = arguments.get("base") or arguments.get("support", "")
    if target not in at.arena.layout.bodies:
        if target in at.arena.layout.floors:
            return (yield from _put(at, item, FLOOR, _list_floor_spots(at, target), False))
        return Outcome(OutcomeCode.INVALID_ACTION, f"There is no {target!r} in this world.")
    return (yield from _put(at, item, target, _list_spots(at, item, target, False), False))


def _put_in(at: Workplace, arguments: Mapping[str, str]) -> Motion[Outcome]:
    item = at.look_up(arguments, "item")
    target = at.look_up(arguments, "container")
    if at.arena.is_closed(target):
        return Outcome(OutcomeCode.PRECONDITION_FAILED, f"{target} is closed.")
    return (yield from _put(at, item, target, _list_spots(at, item, target, True), True))


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
        _make_release(at, spot, shelf, target, mode, float(offset), error) for spot, shelf in spots
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


def _make_release(
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


def _list_spots(
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
