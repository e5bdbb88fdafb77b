# SPDX-License-Identifier: Apache-2.0
"""Boxes with lids: closing a box makes dark what is inside (a conditional effect)."""

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning.model.plan import PlanStep

BOXES = """
domain: lidded_boxes
version: "1"
types: {thing: [], robot: [thing], box: [thing], item: [thing]}
relations:
  inside: {legs: {item: item, box: box}, functional: [item]}
  closed: {legs: {box: box}}
  lit: {legs: {item: item}}
  dark: {legs: {item: item}}
  seen: {legs: {item: item}}
  awake: {legs: {robot: robot}, static: true}
attributes: {category: {of: thing, kind: string}}
rules:
  close:
    parameters: {robot: robot, box: box}
    when: ['awake(robot)', 'not closed(box)']
    add: [closed(box)]
    effects:
      - variables: {thing: item}
        when: ['inside(thing, box)', 'lit(thing)']
        delete: [lit(thing)]
        add: [dark(thing)]
    duration: 1
    executor: close
  look:
    parameters: {robot: robot, item: item}
    when: ['awake(robot)', 'lit(item)']
    add: [seen(item)]
    duration: 1
    executor: look
scene: {layers: {}, unknown: item}
"""
DOMAIN = parse_domain(BOXES)


def make_boxes(*facts):
    """Two boxes, a sock and a ball, both lit; and facts such as ("inside", "sock", "b1")."""
    builder = InstanceBuilder(DOMAIN.schema)
    elements = {"r1": "robot", "b1": "box", "b2": "box", "sock": "item", "ball": "item"}
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *names in (("awake", "r1"), *facts):
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def make_step(rule, *values):
    """A step of the domain."""
    names = DOMAIN.rules[rule].parameter_names
    return PlanStep(rule, tuple(zip(names, values, strict=True)), 1.0, 1.0, 1.0, rule)
