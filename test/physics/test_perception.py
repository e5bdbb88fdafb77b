# SPDX-License-Identifier: Apache-2.0
"""What robots see: noise, misses, false labels, what is hidden, and what is told late."""

from __future__ import annotations

import math

import pytest

from fcp_ros.execution.physics import PerceptionOptions, PhysicsWorld, SeenWorld
from fcp_ros.package_files import find_scene
from fcp_ros.scene import load_scene
from fcp_ros.scene.graph.elements import Pose

pytest.importorskip("mujoco")


@pytest.fixture
def world() -> PhysicsWorld:
    return PhysicsWorld(load_scene(find_scene("twin_house_furnished")))


def offset(seen: SeenWorld, item: str) -> float:
    one, other = seen.read_scene().nodes[item].pose, seen.read_truth().nodes[item].pose
    assert one is not None
    assert other is not None
    return math.dist(one.position, other.position)


def test_a_perfect_eye_sees_the_truth(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions())
    assert seen.read_scene() == seen.read_truth()


def test_noise_moves_what_is_seen_and_stays_while_nothing_moves(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions(noise=0.02), seed=1)
    assert 0.0 < offset(seen, "mug_1") < 0.15
    assert offset(seen, "mug_1") == offset(seen, "mug_1")
    assert offset(seen, "fridge_1") == 0.0


def test_what_is_missed_is_believed_to_be_where_it_was(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions(miss=1.0))
    before = seen.read_scene()
    world.set_pose("mug_1", Pose.at(5.0, 1.0, 0.05))
    world.step(0.5)
    assert seen.read_scene().nodes["mug_1"].pose == before.nodes["mug_1"].pose
    names = {(r.name, *r.elements) for r in seen.read_scene().relations_of("mug_1")}
    assert ("on", "mug_1", "table_1") in names
    assert ("on", "mug_1", "table_1") not in {
        (r.name, *r.elements) for r in seen.read_truth().relations_of("mug_1")
    }


def test_false_labels_stay_false(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions(false_label=1.0), seed=3)
    wrong = {id_: node.category for id_, node in seen.read_scene().nodes.items()}
    right = {id_: node.category for id_, node in seen.read_truth().nodes.items()}
    assert wrong != right
    assert wrong == {id_: node.category for id_, node in seen.read_scene().nodes.items()}


def test_what_a_wall_hides_is_not_seen(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions(occlusion=True))
    seen.read_scene()
    for item, y in (("book_1", 3.5), ("bowl_1", 2.5)):
        world.set_pose(item, Pose.at(8.0 if item == "book_1" else 2.0, y, 0.1))
    world.step(0.5)
    assert offset(seen, "book_1") > 0.1  # in the other room
    assert offset(seen, "bowl_1") == 0.0  # before the robot


def test_what_is_seen_is_told_later(world: PhysicsWorld) -> None:
    seen = SeenWorld(world, PerceptionOptions(delay=1.0))
    seen.read_scene()
    world.step(1.5)
    world.set_pose("mug_1", Pose.at(5.0, 1.0, 0.05))
    seen.read_scene()
    world.step(0.5)
    assert offset(seen, "mug_1") > 0.5
    world.step(1.0)
    assert offset(seen, "mug_1") < 0.01
