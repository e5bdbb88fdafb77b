# SPDX-License-Identifier: Apache-2.0
"""Random picks and places in the physics world, each in a room of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from fcp_ros.execution.outcome import Outcome
from fcp_ros.execution.physics import PhysicsWorld, SkillOptions, WorldOptions
from fcp_ros.execution.physics.materials import read_materials
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

CATEGORIES = (
    *("mug", "glass", "bowl", "plate", "pot", "vase", "apple", "bottle", "can", "jar"),
    *("soap bottle", "candle", "lamp", "plant", "book", "newspaper", "milk", "bread", "banana"),
    *("sponge", "towel", "pillow", "fork", "hammer", "pan", "laptop", "phone", "toy", "kettle"),
    "shoe",
)
SUPPORTS = ("table", "counter", "couch", "bed")
ROBOT = "robot_1"
ROBOT_SPREAD = 0.012  # m, of where the robot sees things and puts them
MATERIAL_SPREAD = 0.2  # of the logarithms of masses and frictions
SIZE_SPREAD = 0.08  # of the logarithms of extents
STEADY = 0.5  # Least quality of a place that counts as steady
IMPERFECT = WorldOptions(skills=SkillOptions(noise=ROBOT_SPREAD), jitter=MATERIAL_SPREAD)


@dataclass(frozen=True, slots=True)
class Trial:
    """One pick, and a place if it succeeded."""

    category: str
    support: str
    picked: bool
    steady: bool | None  # None without a place
    why: str  # of what went wrong


def name_of(category: str) -> str:
    """Return the id of the thing of a category: what is learnt of it, goals rely on."""
    return f"{category.replace(' ', '_')}_1"


def run_trials(count: int, seed: int = 0, first: int = 0) -> Iterator[Trial]:
    """Run trials `first` to `count` with all categories and supports in turn.

    Each has random numbers of its own, so that a run that was broken off goes on the same.
    """
    pairs = [(category, support) for category in CATEGORIES for support in SUPPORTS]
    for number in range(first, count):
        turn, place = divmod(number, len(pairs))
        order = np.random.default_rng((seed, 0, turn)).permutation(len(pairs))
        category, support = pairs[int(order[place])]
        yield run_trial(category, support, np.random.default_rng((seed, 1, number)))


def run_trial(category: str, support: str, random: np.random.Generator) -> Trial:
    graph = furnish(category, support, random)
    world = PhysicsWorld(graph, int(random.integers(2**31)), IMPERFECT)
    picked = world.execute(ROBOT, "pick", {"item": "thing"})
    if not picked.succeeded:
        return Trial(category, support, False, None, picked.message)
    placed = world.execute(ROBOT, "place", {"item": "thing", "support": "target"})
    steady = is_steady(placed)
    return Trial(category, support, True, steady, "" if steady else placed.message or "unsteady")


def is_steady(placed: Outcome) -> bool:
    """Return True if what was put down stands where it should."""
    return placed.succeeded and (placed.quality or 0.0) >= STEADY


def resume_trials(path: Path, count: int, seed: int = 0) -> list[Trial]:
    """Run the trials that a file of JSON lines lacks, add each as it ends, and return all."""
    found = read_trials(path)[:count]
    with path.open("a", encoding="utf-8") as lines:
        for trial in run_trials(count, seed, len(found)):
            lines.write(json.dumps(asdict(trial)) + "\n")
            lines.flush()
            found.append(trial)
    return found


def read_trials(path: Path) -> list[Trial]:
    """Read the trials of a file; none if there is no file yet."""
    if not path.is_file():
        return []
    return [Trial(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def furnish(category: str, support: str, random: np.random.Generator) -> SceneGraph:
    """Make a room with a thing on a side table, and the support that it is put on."""
    table = read_materials()
    scale = float(np.exp(random.normal(0.0, SIZE_SPREAD)))
    x, y, z = (scale * extent for extent in table.find(category, None).size)
    target = table.find(support, None).size
    yaw = float(random.uniform(-math.pi, math.pi))
    at = (2.0 + float(random.uniform(-0.3, 0.3)), 3.2 + float(random.uniform(-0.15, 0.1)))
    room = SceneNode(
        "room", Layer.ROOM, "kitchen", polygon=((0, 0), (6, 0), (6, 4.5), (0, 4.5)), height=2.5
    )
    things = [
        SceneNode(ROBOT, Layer.AGENT, "robot", pose=Pose.at(2.5, 1.5, 0.0)),
        SceneNode(
            "stand", Layer.OBJECT, "table", pose=Pose.at(2.0, 3.2, 0.375), size=(1.2, 0.7, 0.75)
        ),
        SceneNode(
            "target",
            Layer.OBJECT,
            support,
            pose=Pose.at(4.5, 1.5, target[2] / 2.0, math.pi / 2.0),
            size=target,
        ),
        SceneNode(
            "thing", Layer.OBJECT, category, pose=Pose.at(*at, 0.75 + z / 2.0, yaw), size=(x, y, z)
        ),
    ]
    places = [
        SceneRelation("at", (ROBOT, "room")),
        SceneRelation("on", ("thing", "stand")),
        SceneRelation("in_room", ("stand", "room")),
        SceneRelation("in_room", ("target", "room")),
    ]
    return SceneGraph.of([room, *things], places)
