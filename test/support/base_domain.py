# SPDX-License-Identifier: Apache-2.0
"""A small sound domain file, without words, for tests that put words or faults into it."""

BASE = """\
domain: base
version: "1"
types:
  thing: []
  place: [thing]
  box: [place]
  robot: [thing]
  item: [thing]
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  closed: {legs: {box: box}}
  road: {legs: {from: place, to: place}, static: true}
attributes:
  category: {of: thing, kind: string}
  weight: {of: item, kind: float}
graded:
  serves_as:
    parameters: {item: item, purpose: text}
    context: {item: [weight]}
    rubric:
      question: How well does {item} serve for {purpose}?
      anchors:
        0: {means: No., examples: [[fork, drinking]]}
        50: {means: Somehow.}
        100: {means: Yes.}
  can_grasp:
    parameters: {robot: robot, item: item}
    oracle: table
    table:
      - {when: {item: [egg, glass]}, degree: 0.5}
    default_degree: 0.9
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when:
      - at(robot, from)
      - road(from, to)
      - not closed(to)
    delete:
      - at(robot, from)
    add:
      - at(robot, to)
    duration: {base: 1, per_metre: 2, between: [from, to]}
    uses: {battery: 1}
    executor: navigate
  pick:
    parameters: {robot: robot, item: item, place: place}
    when:
      - at(robot, place)
      - on(item, place)
      - not holding(robot, ?any)
    delete:
      - on(item, place)
    add:
      - holding(robot, item)
    graded:
      - can_grasp(robot, item)
      - serves_as(item, "carrying")
    duration: 5
    executor: arm/pick
constraints:
  nothing_on_boxes:
    variables: {item: item, box: box}
    never: ['on(item, box)']
    because: they must open
resources:
  battery: {initial: 100, minimum: 10, maximum: 100, unit: percent}
labels:
  item: [mug, Coffee_Cup]
  box: [box]
synonyms:
  Old_Beaker: Coffee-cup
scene:
  similar_labels: {threshold: 0.4}
  layers: {room: place, agent: robot}
  unknown: place
  unknown_small: item
  small_size: 0.3
  attribute_facts:
    - {attribute: is_open, equals: false, relation: closed}
"""
