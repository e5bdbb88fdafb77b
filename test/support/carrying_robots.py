# SPDX-License-Identifier: Apache-2.0
"""Robots that carry things between places: a small domain, its states and the steps of plans."""

from __future__ import annotations

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning.model.plan import PlanStep

DOMAIN = parse_domain(
    """
domain: two
version: "1"
types: {thing: [], place: [thing], robot: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  open: {legs: {place: place}}
  tired: {legs: {robot: robot}}
resources:
  battery: {initial: 100, unit: "%", minimum: 0, maximum: 100}
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  enter:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)', 'open(to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  shut:
    parameters: {robot: robot, place: place}
    when: ['open(place)', 'not holding(robot, ?any)']
    delete: ['open(place)']
    duration: 1
    executor: shut
  pick:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 1
    executor: pick
  put:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, place)']
    duration: 1
    executor: put
  dance:
    parameters: {robot: robot}
    add: ['tired(robot)']
    uses: {battery: 60}
    duration: 1
    executor: dance
scene: {layers: {}, unknown: item}
"""
)
ELEMENTS = {
    "robot": ("r1", "r2", "r3"),
    "place": ("hall", "shelf", "kitchen", "table"),
    "item": ("cup", "book"),
}


def make_state(*facts: str) -> Instance:
    """The state in which these facts hold, such as "at r1 shelf"."""
    builder = InstanceBuilder(DOMAIN.schema)
    for type_, names in ELEMENTS.items():
        for name in names:
            builder.add(type_, name)
    for fact in facts:
        relation, *names = fact.split()
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def make_step(line: str, duration: float = 1.0) -> PlanStep:
    """A step such as "go r1 shelf hall"."""
    rule, *values = line.split()
    known = DOMAIN.rules[rule]
    arguments = tuple(zip(known.parameter_names, values, strict=True))
    return PlanStep(rule, arguments, 1.0, 1.0, duration, known.executor)
