# SPDX-License-Identifier: Apache-2.0
"""A house of 50 rooms, and robots that carry things from one room to another.

Who carries what is dealt here, by a plain rule: the robot that is free first takes the nearest
thing. So the figures are about the order and the execution of steps, not about the dealing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning.model.plan import PlanStep

DOMAIN = parse_domain(
    """
domain: carriers
version: "1"
types: {thing: [], place: [thing], robot: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 10
    executor: go
  pick:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 5
    executor: pick
  put:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, place)']
    duration: 5
    executor: put
scene: {layers: {}, unknown: item}
"""
)
EXECUTORS = ("go", "pick", "put")
WIDTH, ROOMS = 10, 50
PER_ROOM = 4.0
"""Seconds from one room to the next."""
HANDLING = 10.0
"""Seconds to pick an item up and to put it down."""
FORBIDDEN = 1e6
"""Seconds of the way from a task's end to its own beginning."""


@dataclass(frozen=True)
class Task:
    """Carry an item from one room to another; rooms go by number."""

    item: str
    source: int
    target: int

    @property
    def work(self) -> float:
        """Seconds from the item on."""
        return HANDLING + measure_way(self.source, self.target)


@dataclass(frozen=True)
class Shift:
    """The tasks of all robots, in an order in which one robot after another could do them."""

    steps: tuple[PlanStep, ...]
    instance: Instance  # before the first step
    bound: float  # No order takes less (s)
    why: str  # The bound


def measure_way(one: int, other: int) -> float:
    """Return the seconds from one room to another."""
    across = abs(one % WIDTH - other % WIDTH)
    return PER_ROOM * (across + abs(one // WIDTH - other // WIDTH))


def make_tasks(count: int, seed: int = 0) -> list[Task]:
    """Draw tasks."""
    draw = random.Random(seed)
    pairs = [draw.sample(range(ROOMS), 2) for _ in range(count)]
    return [Task(f"item_{number}", *pair) for number, pair in enumerate(pairs)]


def make_shift(tasks: Sequence[Task], robots: int) -> Shift:
    """Deal the tasks, and write down the steps in the order of their expected starts."""
    starts = [number * ROOMS // robots for number in range(robots)]
    bound, why = find_bound(tasks, starts)
    return Shift(_deal(tasks, starts), _make_state(tasks, starts), bound, why)


def find_bound(tasks: Sequence[Task], starts: Sequence[int]) -> tuple[float, str]:
    """Return a time (s) that no order of the tasks beats, and what it is.

    Each task takes its work, and the way to it from where another task ends or a robot starts;
    and from each such place only one way is gone. The cheapest such choice of ways (an assignment)
    is a lower bound on all ways together, which the robots share. And no task is done before the
    nearest robot has got there and done it.
    """
    ends = [*starts, *(task.target for task in tasks)]
    ways = np.array([[measure_way(end, task.source) for end in ends] for task in tasks])
    numbers = np.arange(len(tasks))
    ways[numbers, len(starts) + numbers] = FORBIDDEN
    chosen = ways[linear_sum_assignment(ways)].sum()
    total = (sum(task.work for task in tasks) + float(chosen)) / len(starts)
    longest = max(
        task.work + min(measure_way(start, task.source) for start in starts) for task in tasks
    )
    if total >= longest:
        return total, "all work and the least ways, shared by all robots"
    return longest, "the longest task"


def _deal(tasks: Sequence[Task], starts: Sequence[int]) -> tuple[PlanStep, ...]:
    """Deal each next task to the robot that is free first, which takes the nearest."""
    left = list(tasks)
    free = [(0.0, robot) for robot in range(len(starts))]
    places = list(starts)
    timed: list[tuple[float, int, PlanStep]] = []
    while left:
        now, robot = min(free)
        task = min(left, key=lambda one: (measure_way(places[robot], one.source), -one.work))
        left.remove(task)
        for step in _make_steps(task, robot, places[robot]):
            timed.append((now, len(timed), step))
            now += step.duration
        places[robot] = task.target
        free[robot] = (now, robot)
    return tuple(step for _, _, step in sorted(timed, key=lambda one: one[:2]))


def _make_steps(task: Task, robot: int, place: int) -> list[PlanStep]:
    name = f"robot_{robot}"
    source, target = f"room_{task.source}", f"room_{task.target}"
    steps = []
    if place != task.source:
        way = measure_way(place, task.source)
        steps.append(_make_step("go", way, name, f"room_{place}", source))
    steps.append(_make_step("pick", HANDLING / 2, name, task.item, source))
    steps.append(_make_step("go", measure_way(task.source, task.target), name, source, target))
    return [*steps, _make_step("put", HANDLING / 2, name, task.item, target)]


def _make_step(rule: str, duration: float, *names: str) -> PlanStep:
    known = DOMAIN.rules[rule]
    arguments = tuple(zip(known.parameter_names, names, strict=True))
    return PlanStep(rule, arguments, 1.0, 1.0, duration, known.executor)


def _make_state(tasks: Sequence[Task], starts: Sequence[int]) -> Instance:
    builder = InstanceBuilder(DOMAIN.schema)
    for room in range(ROOMS):
        builder.add("place", f"room_{room}")
    for robot, start in enumerate(starts):
        name = f"robot_{robot}"
        builder.add("robot", name)
        builder.relate("at", builder.id_of(name), builder.id_of(f"room_{start}"))
    for task in tasks:
        builder.add("item", task.item)
        builder.relate("on", builder.id_of(task.item), builder.id_of(f"room_{task.source}"))
    return builder.build()
