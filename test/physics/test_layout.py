# SPDX-License-Identifier: Apache-2.0
"""What scene graphs become: sizes, walls, doors, and things that were inside one another."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.execution.physics import PhysicsError, PhysicsWorld, WorldOptions
from fcp_ros.execution.physics.failure import import_mujoco
from fcp_ros.execution.physics.materials import ThingForm, read_materials
from fcp_ros.execution.physics.shapes import build_shape
from fcp_ros.package_files import find_scene
from fcp_ros.scene import load_scene
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

mujoco = pytest.importorskip("mujoco")

ROOM = SceneNode(
    "room", Layer.ROOM, "kitchen", polygon=((0, 0), (6, 0), (6, 6), (0, 6)), height=2.5
)
DEEPEST = 0.004  # m, at rest


def make(
    category: str, x: float, y: float, z: float, size=(0.1, 0.1, 0.1), id_: str = ""
) -> SceneNode:
    pose = Pose.at(x, y, z)
    return SceneNode(id_ or category, Layer.OBJECT, category, pose=pose, size=size)


def test_a_label_that_is_not_listed_goes_by_its_size() -> None:
    table = read_materials()
    assert table.find("oak_dining_table", None) == table.by_label["dining table"]
    gizmo = table.find("gizmo", (0.1, 0.1, 0.1))
    assert gizmo.moves
    assert not table.find("gizmo", (0.1, 0.5, 0.1)).moves


def test_a_wrong_table_is_named(tmp_path) -> None:
    file = tmp_path / "physics.yaml"
    file.write_text("unknown: {small_size: big}\ngroups: []\n")
    with pytest.raises(PhysicsError, match=r"physics\.yaml: the table of materials can't be read"):
        read_materials(file)


@pytest.mark.parametrize("form", ThingForm)
@pytest.mark.parametrize("front", range(4))
def test_solids_stay_within_the_box(form: ThingForm, front: int) -> None:
    size = (0.8, 0.5, 1.2)
    shape = build_shape(form, size, front, 0.0, None)
    for solid in shape.solids:
        cos, sin = abs(math.cos(solid.yaw)), abs(math.sin(solid.yaw))
        reach = (
            cos * solid.half[0] + sin * solid.half[1],
            sin * solid.half[0] + cos * solid.half[1],
            solid.half[2],
        )
        if solid.kind == "cylinder":
            reach = solid.half
        for centre, half, extent in zip(solid.centre, reach, size, strict=True):
            assert abs(centre) + half <= extent / 2.0 + 0.002


def test_the_file_opens_in_mujoco_and_keeps_ids() -> None:
    world = PhysicsWorld(load_scene(find_scene("twin_house_furnished")))
    model = mujoco.MjModel.from_xml_string(world.to_mjcf())
    for name in world.names():
        assert model.body(name).id > 0


def test_a_tiny_turn_is_none() -> None:
    """MuJoCo refuses subnormal numbers (found by hypothesis)."""
    can = replace(make("can", 3.0, 3.0, 0.05), pose=Pose.at(3.0, 3.0, 0.05, 1e-308))
    assert "can" in PhysicsWorld(SceneGraph.of([ROOM, can])).names()


def test_things_inside_one_another_are_settled_apart_and_said() -> None:
    twins = [make("can", 3.0, 3.0, 0.06, (0.07, 0.07, 0.12), id_=f"can_{n}") for n in range(3)]
    moved = [replace(one, pose=Pose.at(3.0 + 0.01 * n, 3.0, 0.06)) for n, one in enumerate(twins)]
    world = PhysicsWorld(SceneGraph.of([ROOM, *moved]))
    assert any(note.startswith("settled apart") and "can_1" in note for note in world.notes)
    assert world.penetration() < DEEPEST
    places = [world.pose(f"can_{n}").position for n in range(3)]
    assert all(math.dist(a, b) > 0.06 for i, a in enumerate(places) for b in places[:i])


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["can", "book", "mug", "apple", "bread", "sponge"]),
            st.floats(2.8, 3.2),
            st.floats(2.8, 3.2),
            st.floats(-1.5, 1.5),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_lies_on_a_table_settles_and_nothing_vanishes(things) -> None:
    nodes = [ROOM, make("table", 3.0, 3.0, 0.35, (1.4, 1.4, 0.7))]
    relations = []
    table = read_materials()
    for number, (category, x, y, yaw) in enumerate(things):
        size = table.find(category, None).size
        pose = Pose.at(x, y, 0.7 + size[2] / 2.0, yaw)
        nodes.append(SceneNode(f"t{number}", Layer.OBJECT, category, pose=pose, size=size))
        relations.append(SceneRelation("on", (f"t{number}", "table")))
    world = PhysicsWorld(SceneGraph.of(nodes, relations))
    world.step(1.0)
    assert world.penetration() < DEEPEST
    read = world.read_scene()
    assert read.nodes.keys() == {node.id for node in nodes}
    for number in range(len(things)):
        pose = read.nodes[f"t{number}"].pose
        assert pose is not None
        assert pose.position[2] > 0.0  # nothing falls through the floor
        names = {r.name for r in read.relations_of(f"t{number}")}
        assert len(names & {"on", "inside", "holding"}) <= 1


def test_things_without_sizes_and_poses_get_them_and_that_is_said() -> None:
    nodes = [ROOM, make("table", 3.0, 3.0, 0.35, (1.2, 0.8, 0.7))]
    nodes += [SceneNode("mug_1", Layer.OBJECT, "mug"), SceneNode("lost", Layer.OBJECT, "mug")]
    world = PhysicsWorld(SceneGraph.of(nodes, [SceneRelation("on", ("mug_1", "table"))]))
    assert world.box("mug_1") == (0.08, 0.08, 0.10)
    said = " ".join(world.notes)
    assert "sizes from the table of materials: lost and mug_1" in said or "mug_1" in said
    assert "nothing says where they are: lost" in said
    assert ("on", "mug_1", "table") in {(r.name, *r.elements) for r in world.read_scene().relations}


def test_of_two_thousand_things_far_ones_stand_still() -> None:
    robot = SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(1.0, 1.0, 0.0))
    things = [
        make(
            "can", 2.0 + 0.2 * (n % 100), 2.0 + 0.2 * (n // 100), 0.06, (0.07, 0.07, 0.12), f"c{n}"
        )
        for n in range(2000)
    ]
    graph = SceneGraph.of([robot, *things])
    world = PhysicsWorld(graph)
    moving = [body for body in world.arena.layout.bodies.values() if body.moves]
    assert len(moving) == 300
    assert "c0" in {body.id for body in moving}
    assert world.notes == ("1700 of 2000 things are far from all robots and stand still",)
    world.step(0.1)
    assert world.penetration() < DEEPEST
    scene = world.read_scene()
    assert scene.nodes.keys() == graph.nodes.keys()
    far = set(scene.nodes) - {body.id for body in moving} - {"robot_1"}
    assert all(scene.nodes[id_] is graph.nodes[id_] for id_ in far)


@settings(max_examples=30, deadline=None)
@given(st.floats(-1.0, 11.0), st.floats(-1.0, 9.0))
def test_places_below_a_point_are_found_without_asking_every_thing(x: float, y: float) -> None:
    arena = _furnished().arena
    found = [(id_, shelf) for id_, shelf, _ in arena.shelves_below(x, y, "table_1")]
    slow = []
    for id_, body in arena.layout.bodies.items():
        pose = arena.pose(id_)
        turn = arena.data.xmat[arena.number_of(id_)].reshape(3, 3)
        across, along = turn[:2, :2].T @ np.subtract((x, y), pose.position[:2])
        slow += [
            (id_, shelf)
            for shelf in body.shape.shelves
            if id_ != "table_1"
            and turn[2, 2] >= 0.9
            and abs(across - shelf.x) <= shelf.half_x
            and abs(along - shelf.y) <= shelf.half_y
        ]
    assert found == slow


@cache
def _furnished() -> PhysicsWorld:
    return PhysicsWorld(load_scene(find_scene("twin_house_furnished")))


def test_a_far_thing_moves_once_a_robot_comes_for_it() -> None:
    robot = SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(1.0, 1.0, 0.0))
    cans = [make("can", 2.0 + n, 3.0, 0.06, (0.07, 0.07, 0.12), f"can_{n}") for n in range(3)]
    world = PhysicsWorld(SceneGraph.of([ROOM, robot, *cans]), options=WorldOptions(most_moving=1))
    assert not world.arena.moves("can_2")
    assert world.execute("robot_1", "pick", {"item": "can_2"}).succeeded
    assert world.arena.moves("can_2")


def test_without_mujoco_one_sentence_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(PhysicsError, match=r"pip install 'fcp_ros\[physics\]'"):
        PhysicsWorld(SceneGraph.of([ROOM]))


def test_the_choice_of_a_gl_library_survives_the_import(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    monkeypatch.delitem(__import__("sys").modules, "mujoco", raising=False)
    import_mujoco()
    assert os.environ["MUJOCO_GL"] == "osmesa"


def test_what_only_its_room_is_known_of_stands_beside_the_others_on_the_floor() -> None:
    nodes = [ROOM, make("table", 3.0, 3.0, 0.35, (1.2, 0.8, 0.7))]
    nodes += [SceneNode(f"can_{n}", Layer.OBJECT, "can", parents=("room",)) for n in range(2)]
    world = PhysicsWorld(
        SceneGraph.of([replace(nodes[1], parents=("room",)), nodes[0], *nodes[2:]])
    )
    places = [world.pose(f"can_{n}").position for n in range(2)]
    assert all(0.0 < z < 0.1 for _, _, z in places)
    assert math.dist(*places) > 0.06
