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
from collections.abc import Callable, Mapping
from functools import partial

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import FLOOR
from fcp_ros.execution.physics.carrying import ABOVE, list_spots, make_release, pick, place, put_in
from fcp_ros.execution.physics.failure import StepFailed
from fcp_ros.execution.physics.grasps import Grip, Mode, find_stand
from fcp_ros.execution.physics.hands import Motion
from fcp_ros.execution.physics.robot import FINGER_REACH, RADIUS
from fcp_ros.execution.physics.workplace import Workplace

PULL = 25.0  # N at a handle
OPENED = 0.6  # Share of its angle from which a leaf counts as open
PRESS = 0.006  # m by which the hand is sent into what it wipes


def start_skill(at: Workplace, action: str, arguments: Mapping[str, str]) -> Motion[Outcome]:
    """Start an action by the name of its executor, with the parameters of its rule."""
    skills: dict[str, Callable[[Mapping[str, str]], Motion[Outcome]]] = {
        "navigate": partial(_navigate, at),
        "pick": partial(pick, at),
        "place": partial(place, at),
        "put_in": partial(put_in, at),
        "take_out": partial(pick, at),
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
    spots = list_spots(at, tool, surface, False)
    mode = Mode.TOP if rig.get_command("pitch") > 0.8 else Mode.FRONT
    offset = float(rig.grip[2] - arena.lowest(tool))
    grips = [
        make_release(at, spot, shelf, surface, mode, offset, (0.0, 0.0, 0.0))
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
