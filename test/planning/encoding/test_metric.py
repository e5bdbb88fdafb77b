# SPDX-License-Identifier: Apache-2.0
"""Distances instead of hops: fewer operators, the same optimum, and plans that can be walked."""

import itertools
import math
from dataclasses import replace

import pytest
from encoded_goals import PLAIN, encode_goal
from flat_twin import least
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewriting_twin import Twin

from fcp_ros.cset import facts
from fcp_ros.domain import parse_domain
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning.encoding.encoding import FlatAction
from fcp_ros.planning.encoding.merge import Entry, _are_comparable, _Graph
from fcp_ros.planning.flat.builder import Body, FlatEffect, FlatResource
from fcp_ros.planning.model.request import Optimise

DOMAIN = """
domain: rooms
version: "1"
types: {thing: [], robot: [thing], room: [thing], door: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  way: {legs: {from: room, to: room}, static: true}
  gate: {legs: {from: room, to: room, door: door}, static: true}
  closed: {legs: {door: door}}
  by: {legs: {door: door, room: room}, static: true}
  lies: {legs: {item: item, room: room}, functional: [item]}
  held: {legs: {item: item, robot: robot}, functional: [item, robot]}
attributes:
  category: {of: thing, kind: string}
  x: {of: thing, kind: float}
  y: {of: thing, kind: float}
resources:
  fuel: {initial: FUEL, minimum: 0, maximum: 9}
rules:
  walk:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)', 'way(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    metric: at
    duration: 2
    uses: {fuel: 1}
    executor: walk
  pass:
    parameters: {robot: robot, from: room, to: room, door: door}
    when: ['at(robot, from)', 'gate(from, to, door)', 'not closed(door)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    metric: at
    duration: 2
    uses: {fuel: 1}
    executor: walk
  open:
    parameters: {robot: robot, door: door, room: room}
    when: ['at(robot, room)', 'by(door, room)', 'closed(door)']
    delete: ['closed(door)']
    duration: 1
    executor: open
  pick:
    parameters: {robot: robot, item: item, room: room}
    when: ['at(robot, room)', 'lies(item, room)', 'not held(?any, robot)']
    delete: ['lies(item, room)']
    add: ['held(item, robot)']
    duration: 1
    executor: pick
  drop:
    parameters: {robot: robot, item: item, room: room}
    when: ['at(robot, room)', 'held(item, robot)'FREE]
    delete: ['held(item, robot)']
    add: ['lies(item, room)']
    duration: 1
    uses: {fuel: GAIN}
    executor: drop
THROWscene: {layers: {room: room}, unknown: thing}
"""
THROW = """  throw:
    parameters: {robot: robot, item: item, room: room}
    when: ['held(item, robot)', 'not at(robot, room)']
    delete: ['held(item, robot)']
    add: ['lies(item, room)']
    duration: 4
    executor: drop
"""
METRIC = replace(PLAIN, metric=True)


def domain_of(fuel=9, gain=0, free="", throw=""):
    text = DOMAIN.replace("FUEL", str(fuel)).replace("GAIN", str(gain)).replace("FREE", free)
    return parse_domain(text.replace("THROW", throw))


def corridor(state, domain, length=6, extra=()):
    elements = {"bot": "robot", "cup": "item"} | {f"r{i}": "room" for i in range(length)}
    ways = [f"way(r{i}, r{j})" for i in range(length) for j in (i - 1, i + 1) if 0 <= j < length]
    return state(domain, elements, ["at(bot, r0)", f"lies(cup, r{length - 1})", *ways, *extra])


def test_a_corridor_is_one_operator_each_way(state):
    domain = domain_of()
    made = encode_goal(domain, corridor(state, domain), "at(bot, r5)", switches=METRIC)
    moves = [action for action in made.encoding.actions if action.steps]
    assert [len(move.steps) for move in moves] == [5, 5]
    cost, plan = least(made.flat, made.flat.cost)
    assert cost == 5
    assert len(plan) == 2
    steps = [str(step) for step in made.encoding.decode(plan).steps]
    assert steps == [f"walk(bot, r{i}, r{i + 1})" for i in range(5)]


def test_what_is_forbidden_somewhere_can_be_left(state):
    domain = domain_of()
    made = encode_goal(domain, corridor(state, domain), "not at(bot, r0)", switches=METRIC)
    assert least(made.flat, made.flat.cost)[0] == 1


def hop(old, new, cost=1.0, use=(), **more):
    body = Body(((0, old),), (), (FlatEffect(0, new),), ())
    return Entry(body, FlatAction(), (), cost, use, **more)


def test_hops_that_differ_in_more_than_one_number_stay():
    tank = [FlatResource(5.0, 0.0, 6.0)]
    short, wasteful = hop(0, 1, 1.0, (3.0,)), hop(1, 2, 3.0, (1.0,))
    gain = Entry(Body((), (), (FlatEffect(1, 1),), ()), FlatAction(), use=(-1.0,))
    twice = hop(1, 2, 2.0, (6.0,))
    assert _are_comparable([short, twice], [short, twice], tank, -1)
    assert not _are_comparable([short, wasteful], [short, wasteful], tank, -1)
    assert not _are_comparable([short, twice], [short, twice, gain], tank, -1)
    assert _are_comparable([short, twice], [short, twice, gain], tank, 0)
    assert not _are_comparable([short, twice], [short, twice], [FlatResource(9.0, 0.0, 6.0)], -1)
    late = hop(0, 1, 1.0, (0.0,), opens=2.0)
    assert not _are_comparable([short], [short, late], tank, -1)
    assert _are_comparable([hop(0, 1, 0.0)], [], [], -1)


@st.composite
def houses(draw, state_of):
    """(domain, instance) with a random graph of rooms, some with doors between them."""
    domain = domain_of(
        draw(st.sampled_from([9, 5, 3])),
        draw(st.sampled_from([0, 0, -1, 1])),
        draw(st.sampled_from(["", ", 'not lies(?any, room)'"])),
        draw(st.sampled_from(["", THROW])),
    )
    size = draw(st.integers(3, 5))
    rooms = [f"r{i}" for i in range(size)]
    known = ["at(bot, r0)", f"lies(cup, {draw(st.sampled_from(rooms))})"]
    elements = {"bot": "robot", "cup": "item", "jug": "item", "d0": "door", "d1": "door"}
    known.append(f"lies(jug, {draw(st.sampled_from(rooms))})")
    for one, other in itertools.pairwise(rooms):
        known += [f"way({one}, {other})", f"way({other}, {one})"]
    pair = st.tuples(st.sampled_from(rooms), st.sampled_from(rooms)).filter(lambda p: p[0] != p[1])
    drop = draw(st.sets(st.sampled_from(known[3:]), max_size=2))
    known = [fact for fact in known if fact not in drop]
    known += [f"way({a}, {b})" for a, b in draw(st.sets(pair, max_size=3))]
    for door in ("d0", "d1"):
        one, other = draw(pair)
        known += [f"gate({one}, {other}, {door})", f"by({door}, {draw(st.sampled_from(rooms))})"]
        known += [f"closed({door})"] * draw(st.booleans())
    return domain, state_of(domain, elements | dict.fromkeys(rooms, "room"), dict.fromkeys(known))


GOALS = st.sampled_from(
    [
        "lies(cup, r1)",
        "lies(cup, r0) and at(bot, r2)",
        "held(jug, bot) and not at(bot, r0)",
        "lies(cup, r2) and not lies(jug, r1)",
        "not closed(d0) and at(bot, r1)",
        "lies(cup, ?r) and lies(jug, ?r)",
        "not at(bot, r0) and not at(bot, r1)",
    ]
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    data=st.data(),
    goal=GOALS,
    optimise=st.sampled_from(list(Optimise)),
    deadline=st.sampled_from([math.inf, math.inf, 14.0]),
)
def test_distances_change_no_optimum(state, data, goal, optimise, deadline):
    domain, instance = data.draw(houses(state))
    options = {"optimise": optimise, "deadline": deadline}
    plain = encode_goal(domain, instance, goal, **options).flat
    made = encode_goal(domain, instance, goal, switches=METRIC, **options)
    assert len(made.flat.cost) <= len(plain.cost)
    expected, _ = least(plain, plain.cost)
    cost, plan = least(made.flat, made.flat.cost)
    assert cost == pytest.approx(expected)
    if plan is not None:
        walked(domain, instance, made, plan)


def walked(domain, instance, made, plan):
    """Do the plan on the C-set; fails where a step can't be done."""
    twin = Twin(domain, instance, made.goal, None, TNORMS["goedel"])
    twin.degree = lambda *_: 1.0
    left = {name: resource.initial for name, resource in domain.resources.items()}
    for step in made.encoding.decode(plan).steps:
        found = [f for f in twin.named_successors(instance, left) if f[0] == str(step)]
        assert len(found) == 1, (str(step), sorted(map(str, facts(instance))))
        _, instance, _, left = found[0]
    twin.consider(instance, 1.0)
    assert twin.best == 1.0


@settings(max_examples=60, deadline=None)
@given(
    hops=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.0, 1.0, 2.0, 3.0])),
        min_size=4,
        max_size=20,
    ),
    stops=st.sets(st.integers(0, 4), min_size=2),
)
def test_contraction_keeps_distances_between_stops(hops, stops):
    entries = [hop(a, b, weight) for a, b, weight in hops]
    graph = _Graph(entries)
    graph.contract(set(stops))
    edges = [(old, new, way.weight) for old, new, way in graph.edges()]
    assert len(edges) <= len({(a, b) for a, b, _ in hops if a != b})
    before, after = distances(hops), distances(edges)
    for one in stops:
        for other in stops:
            assert before.get((one, other)) == after.get((one, other))


def distances(hops):
    """Shortest distances, by Floyd and Warshall."""
    best = {}
    for a, b, weight in hops:
        if a != b:
            best[a, b] = min(weight, best.get((a, b), math.inf))
    for m in range(5):
        for a in range(5):
            for b in range(5):
                if a != b and (a, m) in best and (m, b) in best:
                    best[a, b] = min(best.get((a, b), math.inf), best[a, m] + best[m, b])
    return best
