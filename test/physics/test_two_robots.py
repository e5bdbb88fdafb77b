# SPDX-License-Identifier: Apache-2.0
"""Two robots in one world: their steps overlap, and each is in the other's way."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics import PhysicsWorld
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

pytest.importorskip("mujoco")


@pytest.fixture
def world() -> PhysicsWorld:
    room = SceneNode(
        "room", Layer.ROOM, "kitchen", polygon=((0, 0), (6, 0), (6, 5), (0, 5)), height=2.5
    )
    nodes, relations = [room], []
    for number, x in ((1, 1.5), (2, 4.5)):
        table, can, robot = f"table_{number}", f"can_{number}", f"robot_{number}"
        nodes += [
            SceneNode(robot, Layer.AGENT, "robot", pose=Pose.at(x, 1.0, 0.0)),
            SceneNode(
                table, Layer.OBJECT, "table", pose=Pose.at(x, 3.5, 0.35), size=(1.0, 0.8, 0.7)
            ),
            SceneNode(
                can, Layer.OBJECT, "can", pose=Pose.at(x, 3.3, 0.76), size=(0.066, 0.066, 0.12)
            ),
        ]
        relations += [SceneRelation("at", (robot, "room")), SceneRelation("on", (can, table))]
    return PhysicsWorld(SceneGraph.of(nodes, relations))


def test_two_robots_work_at_the_same_time(world: PhysicsWorld) -> None:
    world.set_paused(True)  # until both have begun

    def pick(robot: int) -> Outcome:
        return world.execute(f"robot_{robot}", "pick", {"item": f"can_{robot}"})

    with ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(pick, number) for number in (1, 2)]
        try:
            while len(world.busy) < 2 and not any(end.done() for end in ends):
                time.sleep(0.01)
        finally:
            world.set_paused(False)  # or the pool would wait for ever
        outcomes = [end.result(timeout=60.0) for end in ends]
    assert all(outcome.succeeded for outcome in outcomes), outcomes
    held = {r.elements for r in world.read_scene().relations if r.name == "holding"}
    assert held == {("robot_1", "can_1"), ("robot_2", "can_2")}
    # One after the other would take the sum: both shared the clock.
    assert world.time < 9.0


def test_a_robot_takes_one_step_at_a_time(world: PhysicsWorld) -> None:
    seen: list[OutcomeCode] = []

    def interrupt(_progress: float, _message: str) -> None:
        if not seen:
            seen.append(world.execute("robot_1", "pick", {"item": "can_2"}).code)

    assert world.execute("robot_1", "pick", {"item": "can_1"}, tell=interrupt).succeeded
    assert seen == [OutcomeCode.BUSY]


def test_a_robot_drives_around_the_other(world: PhysicsWorld) -> None:
    world.set_pose("robot_2", Pose.at(1.5, 2.0, 0.0))
    assert world.execute("robot_1", "pick", {"item": "can_1"}).succeeded
