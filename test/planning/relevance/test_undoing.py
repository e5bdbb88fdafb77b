# SPDX-License-Identifier: Apache-2.0
"""Things are taken from where they are, and what was done is undone only where that helps."""

from demand_twin import exhaustive_names, filtered_names, shortest

from fcp_ros.cset import Fact
from fcp_ros.domain import parse_domain
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler

APPROACH = """
domain: approach
version: "1"
types: {thing: [], location: [thing], room: [location], place: [location], robot: [thing],
        item: [thing]}
relations:
  at: {legs: {robot: robot, location: location}, functional: [robot]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  on: {legs: {item: item, place: place}, functional: [item, place]}
  in_room: {legs: {place: place, room: room}, functional: [place], static: true}
  link: {legs: {from: room, to: room}, static: true}
attributes:
  category: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)', 'link(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  approach:
    parameters: {robot: robot, room: room, place: place}
    when: ['at(robot, room)', 'in_room(place, room)']
    delete: ['at(robot, room)']
    add: ['at(robot, place)']
    duration: 1
    executor: go
  step_back:
    parameters: {robot: robot, place: place, room: room}
    when: ['at(robot, place)', 'in_room(place, room)']
    delete: ['at(robot, place)']
    add: ['at(robot, room)']
    duration: 1
    executor: go
  take:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 1
    executor: take
  put:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, place)']
    duration: 1
    executor: put
scene: {layers: {room: room}, unknown: item}
"""


def test_a_robot_that_stands_at_things_finds_its_way_back(state):
    domain = parse_domain(APPROACH)
    elements = {"hall": "room", "kitchen": "room", "desk": "place", "table": "place",
                "stand": "place", "bot": "robot", "old": "item", "new": "item"}  # fmt: skip
    facts = ["link(hall, kitchen)", "link(kitchen, hall)", "in_room(desk, hall)",
             "in_room(table, kitchen)", "in_room(stand, kitchen)", "at(bot, hall)",
             "on(new, desk)", "on(old, stand)"]  # fmt: skip
    instance = state(domain, elements, facts)
    gone = frozenset({Fact("on", ("old", "stand"))})
    wanted = Wanted(frozenset({Fact("on", ("new", "stand"))}), gone)
    watch = Watch(PlanningOptions())
    for breadth in Breadth:
        task = RelevanceCompiler(domain).task(instance, wanted, breadth, watch)
        assert len(shortest(task, wanted)) == 14


def test_things_are_taken_from_where_they_lie_even_if_they_might_lie_at_several_places(state):
    """Not from where the robot happens to be, with a demand that the thing were there."""
    text = APPROACH.replace("functional: [item, place]", "functional: [place]")
    domain = parse_domain(text)
    places = {f"t{n}": "place" for n in range(6)}
    links = [f"link(r{n}, r{m})" for n in range(6) for m in (n - 1, n + 1) if 0 <= m < 6]
    instance = state(
        domain,
        {"bot": "robot", "cup": "item", **{f"r{n}": "room" for n in range(6)}, **places},
        ["at(bot, r0)", "on(cup, t5)", *(f"in_room(t{n}, r{n})" for n in range(6)), *links],
    )
    wanted = Wanted(frozenset({Fact("on", ("cup", "t2"))}))
    watch = Watch(PlanningOptions())
    task = RelevanceCompiler(domain).task(instance, wanted, Breadth.NARROW, watch)
    names = {str(operator) for operator in task.operators}
    assert "take(bot, cup, t5)" in names
    assert not any(name.startswith("take(") and name.endswith(("t0)", "t1)")) for name in names)


def test_what_need_not_be_undone_is_not(state):
    """Opening asks that it be shut; nobody has to shut anything for that."""
    domain = parse_domain("""
domain: doors
version: "1"
types: {thing: [], robot: [thing], door: [thing]}
relations:
  opened: {legs: {door: door}}
  through: {legs: {robot: robot, door: door}}
attributes:
  category: {of: thing, kind: string}
rules:
  open:
    parameters: {door: door}
    when: ['not opened(door)']
    add: ['opened(door)']
    duration: 1
    executor: open
  shut:
    parameters: {door: door}
    when: ['opened(door)']
    delete: ['opened(door)']
    duration: 1
    executor: shut
  pass:
    parameters: {robot: robot, door: door}
    when: ['opened(door)']
    add: ['through(robot, door)']
    duration: 1
    executor: pass
scene: {layers: {}, unknown: door}
""")
    instance = state(domain, {"bot": "robot", "one": "door", "two": "door"}, ["opened(two)"])
    wanted = Wanted(frozenset(Fact("through", ("bot", door)) for door in ("one", "two")))
    watch = Watch(PlanningOptions())
    names = {
        breadth: filtered_names(
            RelevanceCompiler(domain).task(instance, wanted, breadth, watch), wanted, watch
        )
        for breadth in Breadth
    }
    expected = {"open(one)", "pass(bot, one)", "pass(bot, two)"}
    assert set(map(frozenset, names.values())) == {frozenset(expected)}
    assert exhaustive_names(domain, instance, wanted, watch) == expected
