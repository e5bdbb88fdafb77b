# SPDX-License-Identifier: Apache-2.0
"""A small house whose goals are relaxed: its state, degrees by words, and a question to it."""

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.grounding.judgement import Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, verify
from fcp_ros.relaxation.plan_goal import plan_goal

DOMAIN = """\
domain: small
version: "1"
types:
  thing: []
  room: [thing]
  robot: [thing]
  surface: [thing]
  item: [thing]
  cup: [item]
  plate: [item]
  book: [item]
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  in_room: {legs: {surface: surface, room: room}, functional: [surface], static: true}
  on: {legs: {item: item, surface: surface}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  road: {legs: {from: room, to: room}, static: true}
  locked: {legs: {surface: surface}, static: true}
attributes:
  category: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)', 'road(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  pick:
    parameters: {robot: robot, item: item, surface: surface, room: room}
    when: ['at(robot, room)', 'in_room(surface, room)', 'on(item, surface)',
      'not holding(robot, ?any)', 'not locked(surface)']
    delete: ['on(item, surface)']
    add: ['holding(robot, item)']
    graded: ['grasp(item)']
    duration: 1
    executor: pick
  place:
    parameters: {robot: robot, item: item, surface: surface, room: room}
    when: ['at(robot, room)', 'in_room(surface, room)', 'holding(robot, item)',
      'not locked(surface)']
    delete: ['holding(robot, item)']
    add: ['on(item, surface)']
    duration: 1
    executor: place
graded:
  grasp:
    parameters: {item: item}
    context: {item: [name]}
    oracle: table
    default_degree: 0.9
  suitable_substitute:
    parameters: {item: item, wanted: text}
    context: {item: [name]}
    oracle: table
    default_degree: 0.5
relaxable:
  on:
    - to: 'exists ?other: surface, ?room: room (on(item, ?other) and in_room(?other, ?room)
        and in_room(surface, ?room))'
      degree: 0.65
relaxing:
  substitute: [{of: item, by: suitable_substitute, named: 0.9}]
  fewer: share
  is_a: {cup: 0.4}
  drop: {on: 0.25, holding: 0.2}
  split: 0.55
labels:
  room: [room]
  robot: [robot]
  surface: [table, shelf]
  cup: [cup, mug]
  plate: [plate]
  book: [book]
scene: {layers: {room: room, agent: robot}, unknown: item}
"""
ITEMS = {"mug_1": ("cup", "mug"), "cup_1": ("cup", "cup"), "plate_1": ("plate", "plate"),
         "book_1": ("book", "book")}  # fmt: skip
SURFACES = ("table_1", "shelf_1", "safe_1")
PLACES = ("table_1", "table_1", "shelf_1", "safe_1")


class Given:
    """Degrees by the words of a question; the rest has one of a few by its letters."""

    def __init__(self, seed):
        self.seed = seed
        self.asked = []

    def judge(self, requests):
        found = []
        for request in requests:
            words = (request.predicate, *(argument.text for argument in request.arguments))
            self.asked.append(words)
            degree = self.find_degree(*words)
            found.append(Membership(degree, degree, source="table"))
        return found

    def find_degree(self, *words):
        mixed = sum(map(ord, "".join(words))) * (self.seed + 7) % 5
        if words[0] == "grasp":
            return (0.8, 0.9, 0.95, 1.0, 1.0)[mixed]
        return (0.0, 0.45, 0.7, 0.85, 1.0)[mixed]


class Words(Given):
    """Degrees by the words of a question; 1 for grasping, 0 for other substitutes."""

    def __init__(self, degrees=()):
        super().__init__(0)
        self.degrees = dict(degrees)

    def judge(self, requests):
        found = []
        for request in requests:
            words = tuple(argument.text for argument in request.arguments)
            self.asked.append(words)
            rest = 1.0 if request.predicate == "grasp" else 0.0
            degree = self.degrees.get(words, rest)
            found.append(Membership(degree, degree, source="table"))
        return found


def build(domain, places=PLACES, items=ITEMS, two_rooms=True):
    builder = InstanceBuilder(domain.schema)
    for name, type_ in (("kitchen_1", "room"), ("hall_1", "room"), ("robot_1", "robot")):
        builder.add(type_, name, {"category": name[:-2]})
    for name in SURFACES:
        builder.add("surface", name, {"category": name[:-2]})
    for name, (type_, category) in items.items():
        builder.add(type_, name, {"category": category})
    facts = [
        ("at", "robot_1", "kitchen_1"),
        ("road", "kitchen_1", "hall_1"),
        ("road", "hall_1", "kitchen_1"),
        ("in_room", "table_1", "kitchen_1"),
        ("in_room", "shelf_1", "hall_1" if two_rooms else "kitchen_1"),
        ("in_room", "safe_1", "kitchen_1"),
        ("locked", "safe_1"),
        *(("on", item, place) for item, place in zip(items, places, strict=True)),
    ]
    for relation, *names in facts:
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def ask(text, degrees=(), domain=DOMAIN, places=PLACES, items=ITEMS, **options):
    parsed = parse_domain(domain)
    state = build(parsed, places, items)
    source = Words(degrees)
    result = plan_goal(PlanningRequest(parsed, state, text, PlanningOptions(**options), source))
    if result.plan is not None:
        world, start = parsed, state
        if result.plan.shifts:
            world, start = shift_elements(parsed, state, result.plan.shifts)
        goal = check_goal(parse_expression(result.plan.goal), world, start)
        verdict = verify(world, start, result.plan, goal, source, alpha=0.0)
        assert verdict.ok, verdict.problems
    return result


def kinds(result):
    return [(one.kind, one.replacement) for one in result.relaxations]
