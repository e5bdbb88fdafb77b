# SPDX-License-Identifier: Apache-2.0
"""Grounding on demand in hand-made scenes: blockers and tools come in, all else stays out."""

from dataclasses import dataclass

import pytest
from demand_twin import exhaustive_names, filtered_names, shortest

from fcp_ros.cset import Fact, Instance, InstanceBuilder
from fcp_ros.domain import Domain, parse_domain
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler

HOUSE = """
domain: blockers
version: "1"
types:
  thing: []
  room: [thing]
  robot: [thing]
  item: [thing]
  key: [item]
  lever: [item]
  holder: [thing]
  place: [holder]
  pedestal: [place]
  cupboard: [holder]
  box: [holder, item]
  crate: [cupboard]
  door: [thing]
  dock: [thing]
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  inside: {legs: {item: item, holder: holder}, functional: [item]}
  in_room: {legs: {holder: thing, room: room}, functional: [holder], static: true}
  connected: {legs: {from: room, to: room, door: door}, static: true}
  fits: {legs: {key: key, cupboard: cupboard}, static: true}
  closed: {legs: {thing: thing}}
  locked: {legs: {cupboard: cupboard}}
  nailed: {legs: {crate: crate}}
attributes:
  category: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, from: room, to: room, door: door}
    when: ['at(robot, from)', 'connected(from, to, door)', 'not closed(door)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    uses: {battery: 1}
    executor: go
  open:
    parameters: {robot: robot, holder: cupboard, room: room}
    when: ['at(robot, room)', 'in_room(holder, room)', 'closed(holder)', 'not locked(holder)',
           'not holding(robot, ?any)']
    delete: ['closed(holder)']
    duration: 1
    executor: open
  open_door:
    parameters: {robot: robot, door: door, room: room, beyond: room}
    when: ['at(robot, room)', 'connected(room, beyond, door)', 'closed(door)',
           'not holding(robot, ?any)']
    delete: ['closed(door)']
    duration: 1
    executor: open
  open_box:
    parameters: {robot: robot, box: box, holder: holder, room: room}
    when: ['at(robot, room)', 'in_room(holder, room)', 'inside(box, holder)', 'closed(box)',
           'not closed(holder)', 'not holding(robot, ?any)']
    delete: ['closed(box)']
    duration: 1
    executor: open
  unlock:
    parameters: {robot: robot, holder: cupboard, room: room, key: key}
    when: ['at(robot, room)', 'in_room(holder, room)', 'locked(holder)', 'fits(key, holder)',
           'holding(robot, key)']
    delete: ['locked(holder)']
    duration: 1
    executor: open
  pry:
    parameters: {robot: robot, crate: crate, room: room, tool: lever}
    when: ['at(robot, room)', 'in_room(crate, room)', 'nailed(crate)', 'holding(robot, tool)']
    delete: ['nailed(crate)', ]
    duration: 1
    executor: open
  take:
    parameters: {robot: robot, item: item, holder: holder, room: room}
    when: ['at(robot, room)', 'in_room(holder, room)', 'inside(item, holder)',
           'not closed(holder)', 'not nailed(holder)', 'not holding(robot, ?any)',
           'not inside(?any, item)']
    delete: ['inside(item, holder)']
    add: ['holding(robot, item)']
    duration: 1
    executor: take
  take_from_box:
    parameters: {robot: robot, item: item, box: box, holder: holder, room: room}
    when: ['at(robot, room)', 'in_room(holder, room)', 'inside(box, holder)', 'inside(item, box)',
           'not closed(box)', 'not closed(holder)', 'not holding(robot, ?any)']
    delete: ['inside(item, box)']
    add: ['holding(robot, item)']
    duration: 1
    executor: take
  put:
    parameters: {robot: robot, item: item, place: place, room: room}
    when: ['at(robot, room)', 'in_room(place, room)', 'holding(robot, item)',
           'not closed(place)']
    delete: ['holding(robot, item)']
    add: ['inside(item, place)']
    duration: 1
    executor: put
  charge:
    parameters: {robot: robot, dock: dock, room: room}
    when: ['at(robot, room)', 'in_room(dock, room)']
    add: ['closed(dock)']
    uses: {battery: -5}
    duration: 1
    executor: charge
constraints:
  one_on_a_pedestal:
    variables: {one: item, other: item, pedestal: pedestal}
    never: ['inside(one, pedestal)', 'inside(other, pedestal)']
    because: it falls
resources:
  battery: {initial: 10, minimum: 0, maximum: 10}
scene: {layers: {room: room}, unknown: item}
"""


@dataclass(frozen=True)
class House:
    """Four rooms in a row with a shelf each, a robot in the first."""

    domain: Domain

    def build(self, elements=None, facts=(), clutter=0) -> Instance:
        """A scene; `clutter` is the number of things that have nothing to do with anything."""
        builder = InstanceBuilder(self.domain.schema)
        rooms = [f"room_{n}" for n in range(4)]
        for room in rooms:
            builder.add("room", room)
            builder.add("place", f"shelf_{room[-1]}")
            builder.relate("in_room", *map(builder.id_of, (f"shelf_{room[-1]}", room)))
        for n in range(3):
            builder.add("door", f"door_{n}")
            for pair in ((n, n + 1), (n + 1, n)):
                names = (f"room_{pair[0]}", f"room_{pair[1]}", f"door_{n}")
                builder.relate("connected", *map(builder.id_of, names))
        builder.add("robot", "bot")
        for name, type_ in (elements or {}).items():
            builder.add(type_, name)
        for n in range(clutter):
            builder.add("item", f"clutter_{n}")
            builder.relate("inside", *map(builder.id_of, (f"clutter_{n}", f"shelf_{n % 4}")))
        for fact in facts:
            builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
        return builder.build(allow_conflicts=True)


def fact(text):
    relation, _, rest = text.partition("(")
    return Fact(relation, tuple(name.strip() for name in rest.rstrip(")").split(",")))


CASES = {
    "simply": (
        {"mug": "item"},
        ["at(bot, room_0)", "inside(mug, shelf_3)"],
        ["inside(mug, shelf_1)"],
        7,
    ),
    "a box in a cupboard, the key elsewhere": (
        {"cup": "cupboard", "box": "box", "gem": "item", "safe": "cupboard", "key": "key"},
        [
            "at(bot, room_0)",
            "in_room(cup, room_1)",
            "closed(cup)",
            "locked(cup)",
            "inside(box, cup)",
            "closed(box)",
            "inside(gem, box)",
            "in_room(safe, room_3)",
            "closed(safe)",
            "inside(key, safe)",
            "fits(key, cup)",
        ],
        ["inside(gem, shelf_0)"],
        14,
    ),
    "a full pedestal": (
        {"stand": "pedestal", "old": "item", "new": "item"},
        ["at(bot, room_0)", "in_room(stand, room_1)", "inside(old, stand)", "inside(new, shelf_2)"],
        ["inside(new, stand)"],
        7,
    ),
    "a tool": (
        {"crate": "crate", "bar": "lever", "part": "item"},
        [
            "at(bot, room_1)",
            "in_room(crate, room_1)",
            "nailed(crate)",
            "inside(part, crate)",
            "inside(bar, shelf_0)",
        ],
        ["inside(part, shelf_1)"],
        7,
    ),
    "the hand is full": (
        {"book": "item", "mug": "item"},
        ["at(bot, room_0)", "holding(bot, book)", "inside(mug, shelf_0)"],
        ["holding(bot, mug)"],
        2,
    ),
    "the hand is full with what goes into a cupboard": (
        {"book": "item", "mug": "item", "stand": "pedestal"},
        ["at(bot, room_0)", "holding(bot, book)", "in_room(stand, room_0)", "closed(stand)"],
        ["inside(book, stand)"],
        None,
    ),
    "a thing that is inside what is taken": (
        {"box": "box", "gem": "item"},
        ["at(bot, room_0)", "inside(box, shelf_0)", "inside(gem, box)"],
        ["inside(box, shelf_1)"],
        5,
    ),
    "two robots": (
        {"one": "robot", "mug": "item"},
        ["at(bot, room_0)", "at(one, room_3)", "inside(mug, shelf_3)"],
        ["inside(mug, shelf_2)"],
        3,
    ),
    "doors": (
        {"mug": "item"},
        ["at(bot, room_0)", "closed(door_0)", "closed(door_2)", "inside(mug, shelf_3)"],
        ["inside(mug, shelf_0)"],
        10,
    ),
    "what can't be reached": (
        {"mug": "item", "closet": "cupboard"},
        ["at(bot, room_0)", "inside(mug, closet)"],
        ["inside(mug, shelf_0)"],
        None,
    ),
}


@pytest.fixture(scope="module")
def house():
    return House(parse_domain(HOUSE))


@pytest.fixture
def watch():
    return Watch(PlanningOptions())


@pytest.mark.parametrize("name", CASES)
def test_blockers_and_tools_come_in(house, watch, name):
    elements, facts, goal, length = CASES[name]
    instance = house.build(elements, map(fact, facts))
    wanted = Wanted(frozenset(map(fact, goal)))
    plans = {}
    for breadth in Breadth:
        task = RelevanceCompiler(house.domain).task(instance, wanted, breadth, watch)
        plans[breadth] = shortest(task, wanted)
        assert task.complete is (breadth is Breadth.FULL)
    assert {breadth: plan and len(plan) for breadth, plan in plans.items()} == dict.fromkeys(
        Breadth, length
    )


@pytest.mark.parametrize("flaw", [(), ("at(bot, room_2)",), ("inside(spare, shelf_0)",)])
@pytest.mark.parametrize("name", CASES)
def test_full_breadth_equals_the_exhaustive_compiler(house, watch, name, flaw):
    """Also where the scene says of one thing that it is in two places."""
    elements, facts, goal, _ = CASES[name]
    facts = [*facts, "inside(spare, shelf_2)", *flaw]
    instance = house.build({**elements, "spare": "item"}, map(fact, facts))
    wanted = Wanted(frozenset(map(fact, goal)))
    found = {
        breadth: filtered_names(
            RelevanceCompiler(house.domain).task(instance, wanted, breadth, watch), wanted, watch
        )
        for breadth in Breadth
    }
    assert found[Breadth.NARROW] <= found[Breadth.FULL]
    assert found[Breadth.FULL] == exhaustive_names(house.domain, instance, wanted, watch)


@pytest.mark.parametrize("name", CASES)
def test_the_number_of_operators_does_not_depend_on_the_scene(house, watch, name):
    elements, facts, goal, _ = CASES[name]
    wanted = Wanted(frozenset(map(fact, goal)))
    found = {}
    for clutter in (100, 1000, 5000):
        instance = house.build(elements, map(fact, facts), clutter)
        task = RelevanceCompiler(house.domain).task(instance, wanted, Breadth.NARROW, watch)
        found[clutter] = set(map(str, task.operators))
    assert found[100] == found[1000] == found[5000]
    assert len(found[100]) < 150
    assert not any("clutter" in operator for operator in found[100])


def test_many_wanted_facts_cost_what_they_are(house, watch):
    made = {}
    for count in (200, 400):
        instance = house.build(facts=[fact("at(bot, room_0)")], clutter=count)
        wanted = Wanted(frozenset(fact(f"inside(clutter_{n}, shelf_2)") for n in range(count)))
        task = RelevanceCompiler(house.domain).task(instance, wanted, Breadth.NARROW, watch)
        assert all(f in task.fact_ids for f in wanted.positive)
        made[count] = len(task.operators)
    assert made[400] - made[200] <= 200 * 3


def test_charging_comes_in_with_what_needs_the_battery(house, watch):
    goal = Wanted(frozenset((fact("at(bot, room_3)"),)))
    names = set()
    for dock in ("room_1", "nowhere"):
        facts = [fact("at(bot, room_0)"), fact(f"in_room(dock, {dock})")]
        instance = house.build({"dock": "dock", "nowhere": "room"}, facts)
        task = RelevanceCompiler(house.domain).task(instance, goal, Breadth.NARROW, watch)
        names.add((dock, any(operator.rule.name == "charge" for operator in task.operators)))
    assert names == {("room_1", True), ("nowhere", False)}


def test_why_an_operator_was_made(house, watch):
    elements, facts, goal, _ = CASES["a tool"]
    instance = house.build(elements, map(fact, facts))
    task = RelevanceCompiler(house.domain).task(
        instance, Wanted(frozenset(map(fact, goal))), Breadth.NARROW, watch
    )
    why = dict(zip(map(str, task.operators), map(str, task.purposes), strict=True))
    assert why["pry(bot, crate, room_1, bar)"] == "not nailed(crate)"
    assert why["take(bot, bar, shelf_0, room_0)"] == "holding(bot, bar)"


def test_static_and_missing_wanted_facts(house, watch):
    there, never = fact("inside(mug, shelf_1)"), fact("locked(cup)")
    instance = house.build(
        {"mug": "item", "cup": "cupboard"}, map(fact, ["at(bot, room_0)", "inside(mug, shelf_1)"])
    )
    wanted = Wanted(frozenset((there, never)))
    task = RelevanceCompiler(house.domain).task(instance, wanted, Breadth.FULL, watch)
    assert task.fact_ids[there] in task.initial
    assert never not in task.fact_ids  # nothing ever makes it true
    assert not task.operators


def test_too_many_operators_are_refused(house, watch):
    elements, facts, goal, _ = CASES["simply"]
    wanted = Wanted(frozenset(map(fact, goal)))
    with pytest.raises(Interrupted) as caught:
        RelevanceCompiler(house.domain).task(
            house.build(elements, map(fact, facts)), wanted, Breadth.FULL, watch, most=5
        )
    assert caught.value.status is PlanStatus.MEMOUT
    assert "more than 5 different actions" in caught.value.sentence


@pytest.mark.parametrize("asked", [1, 2])
def test_it_can_be_cancelled_while_it_grows(house, asked, monkeypatch):
    monkeypatch.setattr("fcp_ros.planning.model.watch.ASK_EVERY", 0.0)
    calls = []
    watch = Watch(PlanningOptions(), lambda: len(calls) >= asked * 50 or calls.append(1))
    elements, facts, goal, _ = CASES["a box in a cupboard, the key elsewhere"]
    instance = house.build(elements, map(fact, facts))
    with pytest.raises(Interrupted) as caught:
        RelevanceCompiler(house.domain).task(
            instance, Wanted(frozenset(map(fact, goal))), Breadth.FULL, watch
        )
    assert caught.value.status is PlanStatus.CANCELLED
