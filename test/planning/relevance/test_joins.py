# SPDX-License-Identifier: Apache-2.0
"""Meeting what is wanted by a hash join, against waiting for each of many values."""

from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Fact, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance import binding_plans as demand_plans
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler

DOMAIN = parse_domain("""
domain: rooms
version: "1"
types: {thing: [], robot: [thing], spot: [thing], room: [spot], place: [spot], item: [thing]}
relations:
  at: {legs: {robot: robot, spot: spot}, functional: [robot]}
  of: {legs: {place: place, room: room}, functional: [place], static: true}
  way: {legs: {from: room, to: room}, static: true}
  lies: {legs: {item: item, place: place}, functional: [item]}
  held: {legs: {item: item, robot: robot}, functional: [item, robot]}
attributes:
  category: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)', 'way(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  approach:
    parameters: {robot: robot, room: room, place: place}
    when: ['at(robot, room)', 'of(place, room)']
    delete: ['at(robot, room)']
    add: ['at(robot, place)']
    duration: 1
    executor: go
  step_back:
    parameters: {robot: robot, place: place, room: room}
    when: ['at(robot, place)', 'of(place, room)']
    delete: ['at(robot, place)']
    add: ['at(robot, room)']
    duration: 1
    executor: go
  pick:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'lies(item, place)', 'not held(?any, robot)']
    delete: ['lies(item, place)']
    add: ['held(item, robot)']
    duration: 1
    executor: pick
  drop:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'held(item, robot)']
    delete: ['held(item, robot)']
    add: ['lies(item, place)']
    duration: 1
    executor: drop
scene: {layers: {room: room}, unknown: item}
""")


@st.composite
def houses(draw):
    """Rooms with ways between them, places in them, two robots, two items."""
    builder = InstanceBuilder(DOMAIN.schema)
    rooms = [builder.add("room", f"room{n}") for n in range(draw(st.integers(1, 4)))]
    places = [builder.add("place", f"place{n}") for n in range(draw(st.integers(1, 5)))]
    for place in places:
        builder.relate("of", place, draw(st.sampled_from(rooms)))
    for one, other in draw(st.sets(st.tuples(*[st.sampled_from(rooms)] * 2), max_size=8)):
        builder.relate("way", one, other)
    for n in range(2):
        robot = builder.add("robot", f"robot{n}")
        builder.relate("at", robot, draw(st.sampled_from([*rooms, *places])))
        item = builder.add("item", f"item{n}")
        builder.relate("lies", item, draw(st.sampled_from(places)))
    return builder.build()


@st.composite
def wanted_in(draw, instance):
    """That an item lies elsewhere, or that a robot is somewhere."""
    place = draw(st.sampled_from([n for n in instance.names() if n.startswith("place")]))
    spot = draw(st.sampled_from([n for n in instance.names() if n[0] in "rp" and n[2] != "b"]))
    robot = draw(st.sampled_from(["robot0", "robot1"]))
    facts = [Fact("lies", ("item0", place)), Fact("at", (robot, spot))]
    return Wanted(frozenset(draw(st.lists(st.sampled_from(facts), min_size=1))))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_joins_find_what_waiting_finds(data):
    instance = data.draw(houses())
    wanted = data.draw(wanted_in(instance))
    watch = Watch(PlanningOptions(time_limit=60.0))
    for breadth in Breadth:
        joined = RelevanceCompiler(DOMAIN).task(instance, wanted, breadth, watch)
        with mock.patch.object(demand_plans, "_join", return_value=None):
            waited = RelevanceCompiler(DOMAIN).task(instance, wanted, breadth, watch)
        assert set(map(str, joined.operators)) == set(map(str, waited.operators))
