# SPDX-License-Identifier: Apache-2.0
"""The world with physics: what robots do in it, and that outcomes agree with its state."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.physics import PhysicsWorld, SkillOptions, WorldOptions
from fcp_ros.execution.physics.arena import FLOOR
from fcp_ros.execution.physics.pictures import SIDES, view_of_robot
from fcp_ros.package_files import find_scene
from fcp_ros.scene import load_scene
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

pytest.importorskip("mujoco")

ROBOT = "robot_1"
EXACT = WorldOptions(skills=SkillOptions(noise=0.0))
TO_LIVING_ROOM = {"from": "kitchen_1", "to": "living_room_1", "passage": "door_1"}
DEEPEST = 0.004  # m, of contacts at rest: soft contacts give way by a millimetre or two


@pytest.fixture(scope="module")
def house() -> SceneGraph:
    return load_scene(find_scene("twin_house_furnished"))


def places(graph: SceneGraph, item: str) -> set[tuple[str, ...]]:
    names = ("on", "inside", "holding")
    return {(r.name, *r.elements) for r in graph.relations_of(item) if r.name in names}


def make_room(*things: SceneNode, relations: tuple[SceneRelation, ...] = ()) -> SceneGraph:
    """A room of 4 by 4 m with a table before the robot."""
    room = SceneNode(
        "room", Layer.ROOM, "kitchen", polygon=((0, 0), (4, 0), (4, 4), (0, 4)), height=2.5
    )
    robot = SceneNode(ROBOT, Layer.AGENT, "robot", pose=Pose.at(2.0, 1.0, 0.0))
    table = SceneNode(
        "table", Layer.OBJECT, "table", pose=Pose.at(2.0, 2.5, 0.35), size=(1.2, 0.8, 0.7)
    )
    at = SceneRelation("at", (ROBOT, "room"))
    return SceneGraph.of([room, robot, table, *things], [at, *relations])


def make_thing(
    id_: str, category: str, size: tuple[float, float, float], x: float = 2.0
) -> SceneNode:
    pose = Pose.at(x, 2.3, 0.7 + size[2] / 2.0)
    return SceneNode(id_, Layer.OBJECT, category, pose=pose, size=size)


def test_an_episode_of_six_steps_ends_as_its_outcomes_say(house: SceneGraph) -> None:
    world = PhysicsWorld(house, options=EXACT)
    steps = [
        ("pick", {"item": "apple_1"}),
        ("navigate", TO_LIVING_ROOM),
        ("place", {"item": "apple_1", "support": "table_1"}),
        ("pick", {"item": "mug_1"}),
        ("navigate", {"from": "living_room_1", "to": "kitchen_1", "passage": "door_1"}),
        ("place", {"item": "mug_1", "support": "counter_1"}),
    ]
    for action, arguments in steps:
        outcome = world.execute(ROBOT, action, arguments)
        assert outcome.succeeded, outcome
        assert world.penetration() < DEEPEST
    scene = world.read_scene()
    assert places(scene, "apple_1") == {("on", "apple_1", "table_1")}
    assert places(scene, "mug_1") == {("on", "mug_1", "counter_1")}
    assert scene.relation("at", ROBOT, "kitchen_1") is not None
    assert scene.nodes.keys() == house.nodes.keys()  # nothing vanishes


def test_the_same_seed_gives_the_same_world(house: SceneGraph) -> None:
    ends = []
    for seed in (3, 3, 4):
        world = PhysicsWorld(house, seed)
        outcome = world.execute(ROBOT, "pick", {"item": "vase_1"})
        ends.append((outcome, world.read_scene().nodes))
    assert ends[0] == ends[1]
    assert ends[0] != ends[2]


def test_a_reset_world_repeats_itself(house: SceneGraph) -> None:
    world = PhysicsWorld(house, 5)
    first = world.execute(ROBOT, "pick", {"item": "apple_1"}), world.read_scene()
    world.reset()
    assert world.time == 0.0
    assert places(world.read_scene(), "apple_1") == {("on", "apple_1", "counter_1")}
    again = world.execute(ROBOT, "pick", {"item": "apple_1"}), world.read_scene()
    assert first[0] == again[0]
    for id_, node in first[1].nodes.items():
        assert node.pose == again[1].nodes[id_].pose


def test_what_is_held_falls_when_the_fingers_are_too_weak() -> None:
    slippery = make_thing("can", "can", (0.066, 0.066, 0.12))
    world = PhysicsWorld(make_room(slippery), options=EXACT)
    arena = world.arena
    arena.model.geom_friction[arena.model.geom("can/0").id][0] = 0.02
    outcome = world.execute(ROBOT, "pick", {"item": "can"})
    assert outcome.code is OutcomeCode.EXECUTION_FAILED
    assert places(world.read_scene(), "can") != {("holding", ROBOT, "can")}


def test_too_wide_a_thing_is_not_grasped() -> None:
    world = PhysicsWorld(make_room(make_thing("box", "parcel", (0.3, 0.3, 0.2))), options=EXACT)
    outcome = world.execute(ROBOT, "pick", {"item": "box"})
    assert outcome.code is OutcomeCode.PLANNING_FAILED
    assert "wider than the 0.17 m" in outcome.message


def test_a_ball_put_on_a_slope_does_not_stay_there() -> None:
    ball = make_thing("ball", "ball", (0.07, 0.07, 0.07))
    ramp = SceneNode(
        "ramp",
        Layer.OBJECT,
        "counter",
        pose=Pose((3.0, 2.5, 0.4), (math.sin(0.1), 0.0, 0.0, math.cos(0.1))),
        size=(0.6, 0.6, 0.5),
    )
    world = PhysicsWorld(make_room(ball, ramp), options=EXACT)
    assert world.execute(ROBOT, "pick", {"item": "ball"}).succeeded
    outcome = world.execute(ROBOT, "place", {"item": "ball", "support": "ramp"})
    assert outcome.code is OutcomeCode.POSTCONDITION_FAILED
    assert ("on", "ball", "ramp") not in places(world.read_scene(), "ball")


def test_a_closed_fridge_is_opened_before_anything_comes_out(house: SceneGraph) -> None:
    world = PhysicsWorld(house, options=EXACT)
    taking = {"item": "milk_1", "container": "fridge_1"}
    assert world.execute(ROBOT, "take_out", taking).code is OutcomeCode.PRECONDITION_FAILED
    assert world.execute(ROBOT, "open", {"thing": "fridge_1"}).succeeded
    assert world.read_scene().nodes["fridge_1"].attributes["is_open"] is True
    assert world.execute(ROBOT, "take_out", taking).succeeded
    assert places(world.read_scene(), "milk_1") == {("holding", ROBOT, "milk_1")}
    assert world.execute(ROBOT, "put_in", taking).succeeded
    assert places(world.read_scene(), "milk_1") == {("inside", "milk_1", "fridge_1")}
    assert world.execute(ROBOT, "close", {"thing": "fridge_1"}).succeeded
    assert world.read_scene().nodes["fridge_1"].attributes["is_open"] is False


def test_a_surface_is_clean_once_it_was_wiped(house: SceneGraph) -> None:
    world = PhysicsWorld(house, options=EXACT)
    assert world.read_scene().relation("dirty", "counter_1") is not None
    assert world.execute(ROBOT, "pick", {"item": "sponge_1"}).succeeded
    outcome = world.execute(ROBOT, "wipe", {"surface": "counter_1", "tool": "sponge_1"})
    assert outcome.succeeded, outcome
    assert world.read_scene().relation("dirty", "counter_1") is None


def test_a_robot_does_not_fit_through_a_narrow_door(house: SceneGraph) -> None:
    door = house.nodes["door_1"]
    assert door.size is not None
    narrow = replace(door, size=(0.4, 0.4, 2.1), attributes={})
    world = PhysicsWorld(replace(house, nodes={**house.nodes, "door_1": narrow}), options=EXACT)
    outcome = world.execute(ROBOT, "navigate", TO_LIVING_ROOM)
    assert outcome.code is OutcomeCode.PLANNING_FAILED
    assert "door_1" in outcome.message
    assert "needs 0.50 m" in outcome.message


def test_a_closed_door_is_opened_and_driven_through(house: SceneGraph) -> None:
    closed = replace(house.nodes["door_1"], attributes={"is_open": False})
    world = PhysicsWorld(replace(house, nodes={**house.nodes, "door_1": closed}), options=EXACT)
    shut = world.execute(ROBOT, "navigate", TO_LIVING_ROOM)
    assert shut.code is OutcomeCode.PLANNING_FAILED
    assert "door_1 closed" in shut.message
    opened = world.execute(ROBOT, "open", {"door": "door_1", "room": "kitchen_1"})
    assert opened.succeeded, opened
    outcome = world.execute(ROBOT, "navigate", TO_LIVING_ROOM)
    assert outcome.succeeded, outcome


def test_a_cancelled_step_leaves_the_robot_where_it_is(house: SceneGraph) -> None:
    world = PhysicsWorld(house, options=EXACT)
    calls: list[int] = []

    def cancel() -> bool:
        calls.append(1)
        return len(calls) > 50

    outcome = world.execute(ROBOT, "navigate", TO_LIVING_ROOM, is_cancelled=cancel)
    assert outcome.code is OutcomeCode.CANCELLED
    assert world.time < 1.5
    assert world.execute(ROBOT, "navigate", TO_LIVING_ROOM).succeeded


@pytest.mark.parametrize(
    ("robot", "action", "arguments"),
    [
        ("robot_9", "pick", {"item": "apple_1"}),
        (ROBOT, "juggle", {"item": "apple_1"}),
        (ROBOT, "pick", {"item": "apple_9"}),
        (ROBOT, "pick", {}),
        (ROBOT, "navigate", {"to": "attic"}),
        (ROBOT, "open", {"thing": "table_1"}),
    ],
)
def test_actions_that_nobody_can_do_are_refused(
    house: SceneGraph, robot: str, action: str, arguments: dict[str, str]
) -> None:
    world = PhysicsWorld(house)
    outcome = world.execute(robot, action, arguments)
    assert outcome.code is OutcomeCode.INVALID_ACTION
    assert outcome.message


def test_a_camera_looks_from_another_side_where_the_robot_is_hidden() -> None:
    open_room = PhysicsWorld(make_room()).arena
    view = view_of_robot(open_room, ROBOT)
    assert view.azimuth == pytest.approx(SIDES[0])
    x, y, _ = view.eye
    middle = Pose.at((x + 2.0) / 2.0, (y + 1.0) / 2.0, 1.0)
    screen = SceneNode("screen", Layer.OBJECT, "fridge", pose=middle, size=(0.5, 0.5, 2.0))
    hidden = PhysicsWorld(make_room(screen)).arena
    eye = np.array(view.eye)
    assert not hidden.is_free_ray(np.array((2.0, 1.0, 0.7)), eye, {ROBOT})
    other = view_of_robot(hidden, ROBOT)
    assert hidden.is_free_ray(np.array((2.0, 1.0, 0.7)), np.array(other.eye), {ROBOT, FLOOR})
    assert view_of_robot(open_room, ROBOT, SIDES[1]).azimuth == pytest.approx(SIDES[1])
