# SPDX-License-Identifier: Apache-2.0
"""A scene graph as a world with physics, in which robots do what steps say."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.physics.arena import Arena
from fcp_ros.execution.physics.failure import PhysicsError, StepFailed
from fcp_ros.execution.physics.hands import PERIOD, Motion
from fcp_ros.execution.physics.layout import Layout, PhysicalBody, plan_layout
from fcp_ros.execution.physics.materials import MaterialTable, read_materials
from fcp_ros.execution.physics.mjcf import write_mjcf
from fcp_ros.execution.physics.reading import read_graph
from fcp_ros.execution.physics.skills import start_skill
from fcp_ros.execution.physics.workplace import SkillOptions, Workplace
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.graph import SceneGraph

NAP = 0.01  # s of real time between two looks if a paused world goes on
TELL_EVERY = 0.5  # s of the world's time between two pieces of feedback
USUAL_DURATION = 15.0  # s of a step that says nothing about it
LONGEST = 300.0  # s of the world's time that a step may take
NEIGHBOURS = 1.5  # m around a far thing within which things move, too, once a robot comes for it


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """The size and the imperfections of a world."""

    most_moving: int = 300  # Things that may move; of more, those far from all robots stand still
    skills: SkillOptions = field(default_factory=SkillOptions)
    # Spread (standard deviation of the logarithm) of masses and frictions about those of the table
    jitter: float = 0.0
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

    `seed` decides all errors of robots and the spread of materials: the same calls in the same
    order lead to the same world. Raises PhysicsError without MuJoCo, or if no world can be made.
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
        self._arena = Arena(self._vary(layout))
        self._begin_again()

    def _vary(self, layout: Layout) -> Layout:
        """Spread masses and frictions about those of the table."""
        if not self.options.jitter:
            return layout
        random = np.random.default_rng((self._seed, 1))
        bodies: dict[str, PhysicalBody] = {}
        for id_, body in layout.bodies.items():
            density, friction = np.exp(random.normal(0.0, self.options.jitter, 2))
            material = replace(
                body.material,
                density=body.material.density * float(density),
                friction=body.material.friction * float(friction),
            )
            bodies[id_] = replace(body, material=material)
        return replace(layout, bodies=bodies)

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
            return read_graph(self._graph, self._arena, self._dirty, self._switched_on)

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
