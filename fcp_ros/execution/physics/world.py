# SPDX-License-Identifier: Apache-2.0
"""A scene graph as a world with physics, in which robots do what steps say."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import FLOOR, Arena
from fcp_ros.execution.physics.failure import PhysicsError, StepFailed
from fcp_ros.execution.physics.hands import PERIOD, Motion
from fcp_ros.execution.physics.layout import plan_layout
from fcp_ros.execution.physics.materials import MaterialTable, read_materials
from fcp_ros.execution.physics.mjcf import write_mjcf
from fcp_ros.execution.physics.skills import start_skill
from fcp_ros.execution.physics.workplace import SkillOptions, Workplace
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph

NAP = 0.01  # s of real time between two looks if a paused world goes on
TELL_EVERY = 0.5  # s of the world's time between two pieces of feedback
USUAL_DURATION = 15.0  # s of a step that says nothing about it
LONGEST = 300.0  # s of the world's time that a step may take
NEIGHBOURS = 1.5  # m around a far thing within which things move, too, once a robot comes for it


_PLACES = ("on", "inside", "holding", "in_room", "at")
"""Relations that say where things that move are."""
_STATES = ("closed", "dirty", "switched_on")
OPEN = "is_open"
_ATTRIBUTES = {"is_dirty": "dirty", "is_on": "switched_on"}


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """The size and the imperfections of a world."""

    most_moving: int = 300  # Things that may move; of more, those far from all robots stand still
    skills: SkillOptions = field(default_factory=SkillOptions)
    pace: float = 0.0  # Seconds of the world in one real second; 0: as fast as it can


@dataclass(eq=False)
class _Task:
    """A step at work."""

    robot: str
    motion: Motion[Outcome]
    began: float
    duration: float
    tell: Callable[[float, str], None]
    told: float = 0.0
    outcome: Outcome | None = None


class PhysicsWorld:
    """A world with its clock. Thread-safe: steps of several robots overlap and share the clock.

    `seed` decides all errors of robots: the same calls in the same order lead to the same world.
    Raises PhysicsError without MuJoCo, or if no world can be made.
    """

    def __init__(
        self,
        graph: SceneGraph,
        seed: int = 0,
        options: WorldOptions | None = None,
        materials: MaterialTable | None = None,
    ) -> None:
        self.options = options or WorldOptions()
        self._table = materials or read_materials()
        self._graph = graph
        self._seed = seed
        self._lock = threading.RLock()
        self._tasks: list[_Task] = []
        self.paused = False
        layout = plan_layout(graph, self._table, self.options.most_moving)
        self._arena = Arena(layout)
        self._begin_again()

    def _begin_again(self) -> None:
        self._random = np.random.default_rng((self._seed, 0))
        self._dirty = _list_elements(self._graph, "dirty")
        self._switched_on = _list_elements(self._graph, "switched_on")

    # --- time ---

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what was assumed, settled apart, or left out."""
        return self._arena.notes

    @property
    def time(self) -> float:
        """Seconds since the start or the last reset."""
        return self._arena.time

    @property
    def busy(self) -> tuple[str, ...]:
        return tuple(task.robot for task in self._tasks)

    def set_paused(self, paused: bool) -> None:
        """Let steps wait, or go on."""
        self.paused = paused

    def keep_time(self, seconds: float) -> float:
        """Let time pass unless a step does that, or the world is paused; return the time (s)."""
        with self._lock:
            if not self._tasks and not self.paused:
                self._arena.step(seconds)
            return self._arena.time

    def step(self, seconds: float) -> None:
        """Let time pass, in which running steps go on."""
        with self._lock:
            until = self._arena.time + seconds - 1e-9
            while self._arena.time < until:
                self._tick()

    def reset(self) -> None:
        """Return to the start; running steps are cancelled."""
        with self._lock:
            self._cancel_all("The world was reset.")
            self._arena.reset()
            self._begin_again()

    def close(self) -> None:
        with self._lock:
            self._cancel_all("The world was closed.")

    def _cancel_all(self, why: str) -> None:
        for task in list(self._tasks):
            self._end(task, Outcome(OutcomeCode.CANCELLED, why))

    def _tick(self) -> None:
        for task in list(self._tasks):
            try:
                next(task.motion)
            except StopIteration as end:
                self._end(task, end.value)
            except StepFailed as failure:
                self._end(task, failure.outcome)
            else:
                self._follow(task)
        self._arena.step(PERIOD)

    def _follow(self, task: _Task) -> None:
        elapsed = self._arena.time - task.began
        if elapsed > LONGEST:
            text = f"{task.robot} was not done after {LONGEST:g} s."
            self._end(task, Outcome(OutcomeCode.TIMED_OUT, text))
        elif elapsed - task.told >= TELL_EVERY:
            task.told = elapsed
            task.tell(min(0.95, elapsed / task.duration), "")

    def _end(self, task: _Task, outcome: Outcome) -> None:
        task.outcome = outcome
        task.motion.close()
        self._tasks.remove(task)

    # --- steps ---

    def perform(
        self,
        step: PlanStep,
        tell: Callable[[float, str], None] = lambda progress, message: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Perform a step of a plan; returns when it has ended."""
        arguments = dict(step.arguments)
        robot = next((name for name in arguments.values() if name in self._arena.rigs), "")
        action = step.executor or step.rule
        duration = step.duration or USUAL_DURATION
        return self.execute(
            robot, action, arguments, tell=tell, is_cancelled=is_cancelled, duration=duration
        )

    def execute(
        self,
        robot: str,
        action: str,  # an executor of the household domain, such as "pick"
        arguments: Mapping[str, str],  # the parameters of its rule
        *,
        tell: Callable[[float, str], None] = lambda progress, message: None,
        is_cancelled: Callable[[], bool] = lambda: False,
        duration: float = USUAL_DURATION,
    ) -> Outcome:
        """Have a robot do something; returns the outcome when it has ended and all has settled."""
        task = self._begin(robot, action, arguments, tell, duration)
        if isinstance(task, Outcome):
            return task
        began, since = time.monotonic(), self._arena.time
        while task.outcome is None:
            with self._lock:
                if task.outcome is None and is_cancelled():
                    text = f"{action} was cancelled; {robot} stands where it was then."
                    self._end(task, Outcome(OutcomeCode.CANCELLED, text))
                elif task.outcome is None and not self.paused:
                    self._tick()
            ahead = 0.0
            if self.paused:
                ahead = NAP
            elif self.options.pace:
                ahead = (self._arena.time - since) / self.options.pace - (time.monotonic() - began)
            # Also for no time at all: locks aren't fair, so others that want it, such as a second
            # robot that begins, would wait for up to 0.2 s (1 ms with it).
            time.sleep(min(max(ahead, 0.0), 1.0))
        return task.outcome

    def _begin(
        self,
        robot: str,
        action: str,
        arguments: Mapping[str, str],
        tell: Callable[[float, str], None],
        duration: float,
    ) -> _Task | Outcome:
        with self._lock:
            rig = self._arena.rigs.get(robot)
            if rig is None:
                known = ", ".join(self._arena.rigs) or "none"
                text = f"There is no robot {robot!r} in the physics world; there is {known}."
                return Outcome(OutcomeCode.INVALID_ACTION, text)
            if any(task.robot == robot for task in self._tasks):
                return Outcome(OutcomeCode.BUSY, f"{robot} is at work on another step.")
            self._loosen(arguments.values())
            workplace = Workplace(
                self._arena,
                self._arena.rigs[robot],
                self._random,
                self.options.skills,
                self._dirty,
                self._switched_on,
            )
            try:
                motion = start_skill(workplace, action, arguments)
            except StepFailed as failure:
                return failure.outcome
            task = _Task(robot, motion, self._arena.time, duration, tell)
            self._tasks.append(task)
            return task

    def _loosen(self, names: Iterable[str]) -> None:
        """Let far things that a step is about move, and those around them."""
        layout = self._arena.layout
        held = [layout.bodies[name] for name in names if name in layout.bodies]
        held = [body for body in held if body.material.moves and not body.moves]
        if not held or self._tasks:
            return
        loose = {
            body.id: replace(body, moves=True)
            for body in layout.bodies.values()
            if body.material.moves
            and any(math.dist(body.pose.position, one.pose.position) < NEIGHBOURS for one in held)
        }
        self._arena.change_layout(replace(layout, bodies={**layout.bodies, **loose}))

    # --- things ---

    def names(self) -> tuple[str, ...]:
        return (*self._arena.layout.bodies, *self._arena.rigs)

    def robots(self) -> tuple[str, ...]:
        return tuple(self._arena.rigs)

    def pose(self, name: str) -> Pose:
        """Pose of a thing's box, or of a robot on the floor. Raises PhysicsError without it."""
        with self._lock:
            self._check(name)
            return self._arena.pose(name)

    def box(self, name: str) -> Vector:
        """Full extents (m)."""
        self._check(name)
        if name in self._arena.rigs:
            return self._arena.rigs[name].size
        return self._arena.body(name).size

    def set_pose(self, name: str, pose: Pose) -> None:
        """Move a thing or a robot at once. Raises PhysicsError without it."""
        with self._lock:
            self._check(name)
            self._arena.set_pose(name, pose)

    def _check(self, name: str) -> None:
        if name not in self._arena.layout.bodies and name not in self._arena.rigs:
            raise PhysicsError(f"There is no {name} in the physics world.")

    # --- as a whole ---

    def read_scene(self) -> SceneGraph:
        """Read the world as a scene graph, as it truly is: poses, what is on, in, held, open."""
        with self._lock:
            return _read_graph(self._graph, self._arena, self._dirty, self._switched_on)

    def penetration(self) -> float:
        """Depth (m) of the deepest contact now."""
        with self._lock:
            return self._arena.greatest_depth()

    def to_mjcf(self) -> str:
        """Return the world as MJCF, for MuJoCo's viewer, in its state at the start."""
        return write_mjcf(self._arena.layout)

    @property
    def arena(self) -> Arena:
        """The compiled model and its state, for pictures and measurements."""
        return self._arena


def _list_elements(graph: SceneGraph, name: str) -> set[str]:
    """List the things of which a relation with one leg holds."""
    return {r.elements[0] for r in graph.relations_named(name) if len(r.elements) == 1}


# --- the state of a world as a scene graph: what is where, measured, not remembered ---


def _read_graph(
    graph: SceneGraph, arena: Arena, dirty: Collection[str], switched_on: Collection[str]
) -> SceneGraph:
    """Return a graph with the poses and relations that hold in a world.

    `dirty`, `switched_on`: ids of the things of which that is true; no pose shows it.
    """
    states = {"dirty": dirty, "switched_on": switched_on}
    moving = {*arena.movable, *arena.rigs} & graph.nodes.keys()
    rooms = {id_: _find_room(arena, id_) for id_ in moving}
    nodes: dict[str, SceneNode] = {}
    for id_, node in graph.nodes.items():
        if id_ in moving:
            node = _move_node(node, arena, rooms[id_])
        nodes[id_] = _set_states(node, arena, states)
    relations = [r for r in graph.relations if not _is_outdated(r, moving)]
    relations += _list_places(graph, arena, moving, rooms)
    relations += _list_states(nodes, arena, states)
    return replace(graph, nodes=nodes, relations=tuple(relations))


def _find_room(arena: Arena, id_: str) -> str | None:
    x, y, _ = arena.pose(id_).position
    return arena.find_room(x, y)


def _move_node(node: SceneNode, arena: Arena, room: str | None) -> SceneNode:
    pose = arena.pose(node.id)
    if node.id in arena.rigs:
        # A robot's node is at the middle of its box, as in the scene that it came from.
        x, y, _ = pose.position
        z = pose.position[2] if node.pose is None else node.pose.position[2]
        pose = Pose((x, y, z), pose.orientation)
    parents = (room,) if room is not None else node.parents
    size = node.size if node.size is not None or node.id in arena.rigs else arena.body(node.id).size
    return replace(node, pose=pose, size=size, parents=parents)


def _set_states(node: SceneNode, arena: Arena, states: dict[str, Collection[str]]) -> SceneNode:
    attributes = dict(node.attributes)
    if OPEN in attributes and node.id in arena.layout.bodies and arena.has_hinge(node.id):
        attributes[OPEN] = not arena.is_closed(node.id)
    for attribute, state in _ATTRIBUTES.items():
        if attribute in attributes:
            attributes[attribute] = node.id in states[state]
    return node if attributes == dict(node.attributes) else replace(node, attributes=attributes)


def _is_outdated(relation: SceneRelation, moving: set[str]) -> bool:
    if relation.name in _STATES:
        return len(relation.elements) == 1
    item = relation.elements[1 if relation.name == "holding" else 0]
    return relation.name in _PLACES and item in moving


def _list_places(
    graph: SceneGraph, arena: Arena, moving: set[str], rooms: dict[str, str | None]
) -> list[SceneRelation]:
    floors = {room: floor for floor, room in arena.layout.floors.items()}
    found = []
    for id_ in (one for one in graph.nodes if one in moving):
        room = rooms[id_]
        if id_ in arena.rigs:
            found += [SceneRelation("at", (id_, room))] if room is not None else []
            continue
        if room is not None:
            found.append(SceneRelation("in_room", (id_, room)))
        holder = arena.find_holder(id_)
        if holder is not None:
            found.append(SceneRelation("holding", (holder, id_)))
            continue
        support = arena.find_support(id_)
        if support is None:
            continue
        under = floors.get(room or "") if support.body == FLOOR else support.body
        if under is not None and under in graph.nodes:
            name = "inside" if support.is_inside else "on"
            found.append(SceneRelation(name, (id_, under)))
    return found


def _list_states(
    nodes: dict[str, SceneNode], arena: Arena, states: dict[str, Collection[str]]
) -> list[SceneRelation]:
    """List states as relations, where no attribute of the node says them."""
    found = []
    for id_, node in nodes.items():
        if OPEN not in node.attributes and id_ in arena.layout.bodies and arena.is_closed(id_):
            found.append(SceneRelation("closed", (id_,)))
        for attribute, state in _ATTRIBUTES.items():
            if attribute not in node.attributes and id_ in states[state]:
                found.append(SceneRelation(state, (id_,)))
    return found
