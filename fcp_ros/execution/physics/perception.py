# SPDX-License-Identifier: Apache-2.0
"""Perception in a physics world: near things in view, not always, not exactly, not at once."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.execution.outcome import Outcome
from fcp_ros.execution.physics.arena import Arena
from fcp_ros.execution.physics.world import PhysicsWorld
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

EYE = 1.7  # Height (m) of the camera above the floor
PLACES = frozenset({"on", "inside", "in_room", "holding", "at"})


@dataclass(frozen=True, slots=True)
class PerceptionOptions:
    """The faults of perception. The defaults are those of an eye that sees everything."""

    noise: float = 0.0  # standard deviation (m) of seen positions, along each axis
    miss: float = 0.0  # probability that a thing in view is not seen at a look
    false_label: float = 0.0  # probability that a thing is taken for another kind, for good
    occlusion: bool = False  # True if only what a robot has in view is seen
    reach: float = 4.0  # m within which things are in view, with `occlusion`
    delay: float = 0.0  # s until what was seen is told


class Perception:
    """The belief about a world, look by look. Without faults, the truth.

    Robots know where they are and what is in their hands; only things are seen badly.
    """

    def __init__(self, options: PerceptionOptions, seed: int = 0) -> None:
        self._options = options
        self._random = np.random.default_rng((seed, 2))
        self._believed: SceneGraph | None = None
        self._labels: dict[str, str] = {}
        self._waiting: deque[tuple[float, SceneGraph]] = deque()

    def perceive(self, truth: SceneGraph, arena: Arena) -> SceneGraph:
        """Look at the world; return what is believed of it now, after the delay."""
        believed = self._believed or truth
        if self._options == PerceptionOptions():
            self._believed = truth
            return truth
        unseen = {id_ for id_ in arena.movable if id_ in truth.nodes and not self._sees(id_, arena)}
        seen = self._look(truth, believed, arena, unseen)
        self._waiting.append((arena.time, seen))
        due = arena.time - self._options.delay
        while self._waiting and self._waiting[0][0] <= due + 1e-9:
            self._believed = believed = self._waiting.popleft()[1]
        self._believed = believed
        return believed

    def _look(
        self, truth: SceneGraph, believed: SceneGraph, arena: Arena, unseen: set[str]
    ) -> SceneGraph:
        """Merge what is seen with what is remembered of the rest."""
        nodes: dict[str, SceneNode] = {}
        for id_, node in truth.nodes.items():
            if id_ in unseen:
                nodes[id_] = believed.nodes.get(id_, node)
            elif id_ in arena.movable:
                before = None if self._believed is None else self._believed.nodes.get(id_)
                nodes[id_] = self._see(node, before, truth)
            else:
                nodes[id_] = node
        relations = [r for r in truth.relations if not _is_about(r, unseen)]
        kept = [r for r in believed.relations if _is_about(r, unseen)]
        held = {r.elements[1] for r in relations if r.name == "holding"}
        relations += [r for r in kept if r.elements[0] not in held and _is_known(r, nodes)]
        return replace(truth, nodes=nodes, relations=tuple(dict.fromkeys(relations)))

    def _see(self, node: SceneNode, before: SceneNode | None, truth: SceneGraph) -> SceneNode:
        node = replace(node, category=self._read_label(node, truth))
        if node.pose is None or not self._options.noise:
            return node
        known = node.pose if before is None else before.pose
        near = known is not None and (
            math.dist(known.position, node.pose.position) < 4.0 * self._options.noise
        )
        if before is not None and near:
            # A tracker keeps what stays where it was: noise comes with each new place only.
            return replace(node, pose=known)
        dx, dy, dz = self._random.normal(0.0, self._options.noise, 3).tolist()
        x, y, z = node.pose.position
        return replace(node, pose=Pose((x + dx, y + dy, z + dz), node.pose.orientation))

    def _read_label(self, node: SceneNode, truth: SceneGraph) -> str:
        if not self._options.false_label:
            return node.category
        if node.id not in self._labels:
            label = node.category
            if self._random.random() < self._options.false_label:
                others = sorted({n.category for n in truth.nodes.values() if n.layer is node.layer})
                label = others[int(self._random.integers(len(others)))]
            self._labels[node.id] = label
        return self._labels[node.id]

    def _sees(self, id_: str, arena: Arena) -> bool:
        options = self._options
        if arena.find_holder(id_) is not None:
            return True
        if options.miss and self._random.random() < options.miss:
            return False
        return not options.occlusion or any(
            _is_in_view(arena, robot, id_, options.reach) for robot in arena.rigs
        )


def _is_in_view(arena: Arena, robot: str, id_: str, reach: float) -> bool:
    x, y, z = arena.pose(robot).position
    eye = np.array((x, y, z + EYE))
    thing = np.array(arena.pose(id_).position)
    way = thing - eye
    length = float(np.linalg.norm(way))
    if length > reach:
        return False
    return arena.is_free_ray(eye + 0.15 * way / max(length, 1e-6), thing, {id_, robot})


def _is_about(relation: SceneRelation, items: set[str]) -> bool:
    if relation.name not in PLACES or len(relation.elements) < 2:
        return False
    return relation.elements[1 if relation.name == "holding" else 0] in items


def _is_known(relation: SceneRelation, nodes: Mapping[str, SceneNode]) -> bool:
    return all(element in nodes for element in relation.elements)


class SeenWorld:
    """A physics world as its robots see it, for the executor that keeps a scene graph like it."""

    def __init__(self, world: PhysicsWorld, options: PerceptionOptions, seed: int = 0) -> None:
        self.world = world
        self._perception = Perception(options, seed)
        self._lock = threading.Lock()

    def perform(
        self,
        step: PlanStep,
        tell: Callable[[float, str], None],
        is_cancelled: Callable[[], bool],
    ) -> Outcome:
        return self.world.perform(step, tell, is_cancelled)

    def read_scene(self) -> SceneGraph:
        """Look at the world, and return what is believed of it."""
        with self._lock:
            return self.world.look(self._perception.perceive)

    @property
    def served(self) -> PhysicsWorld:
        """The world itself, for others who move, pause and reset it."""
        return self.world

    def read_truth(self) -> SceneGraph:
        """Return the world as it is, for evaluation only."""
        return self.world.read_scene()

    def keep_time(self, seconds: float) -> float:
        """Let time pass where no step does that; return the world's time (s)."""
        self.world.keep_time(seconds)
        return self.world.time

    def close(self) -> None:
        self.world.close()
