# SPDX-License-Identifier: Apache-2.0
"""A house of 50 rooms, and robots that carry things from one room to another.

One robot takes the nearest thing each time; for several, the planner's `share_work` deals that plan
out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.work_sharing import share_work

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
    """Write down the steps of one robot, and deal them out if there are several."""
    starts = [number * ROOMS // robots for number in range(robots)]
    bound, why = find_bound(tasks, starts)
    state, alone = _make_state(tasks, starts), _do_alone(tasks, starts[0])
    return Shift(alone if robots == 1 else _deal(alone, state), state, bound, why)


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


def _do_alone(tasks: Sequence[Task], place: int) -> tuple[PlanStep, ...]:
    """Let one robot do all tasks, the nearest first."""
    left = list(tasks)
    steps: list[PlanStep] = []
    while left:
        task = min(left, key=lambda one: (measure_way(place, one.source), -one.work))
        left.remove(task)
        steps += _make_steps(task, 0, place)
        place = task.target
    return tuple(steps)


def _deal(steps: Sequence[PlanStep], state: Instance) -> tuple[PlanStep, ...]:
    """Deal the steps of one robot out among all."""
    bound = [GroundStep(DOMAIN.rules[step.rule], step.elements) for step in steps]
    dealt = share_work(DOMAIN, state, bound, duration=_measure_step)
    assert dealt is not None
    return tuple(_make_step(one.rule.name, _measure_step(one), *one.arguments) for one in dealt)


def _measure_step(step: GroundStep) -> float:
    if step.rule.name != "go":
        return HANDLING / 2
    one, other = (int(room.removeprefix("room_")) for room in step.arguments[1:])
    return measure_way(one, other)


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
