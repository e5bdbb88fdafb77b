# SPDX-License-Identifier: Apache-2.0
"""Join plans: in which order, and how long they are kept."""

from example_graphs import graph, path

from fcp_ros.cset import Instance, InstanceBuilder, Relation, Schema
from fcp_ros.cset.join_plan import JoinPlan, plan_join
from fcp_ros.cset.morphisms import analyse_pattern

SCENE = Schema(
    "scene",
    {"object": (), "room": (), "robot": ()},
    (),
    (
        Relation("inside", (("object", "object"), ("room", "room"))),
        Relation("door", (("a", "room"), ("b", "room"))),
        Relation("at", (("robot", "robot"), ("room", "room"))),
    ),
)


def scene(objects: int, rooms: int) -> Instance:
    builder = InstanceBuilder(SCENE)
    places = [builder.add("room") for _ in range(rooms)]
    for number in range(objects):
        builder.relate("inside", builder.add("object"), places[number % rooms])
    for number in range(rooms - 1):
        builder.relate("door", places[number], places[number + 1])
    builder.relate("at", builder.add("robot"), places[0])
    return builder.build()


def around_the_robot() -> Instance:
    """An object in a room next to that of the robot."""
    builder = InstanceBuilder(SCENE)
    item, here, there = builder.add("object", "o"), builder.add("room", "a"), builder.add("room")
    builder.relate("inside", item, there)
    builder.relate("door", here, there)
    builder.relate("at", builder.add("robot"), here)
    return builder.build()


def tables(plan: JoinPlan) -> list[str]:
    return [step.atom.name for step in plan.steps]


def plan_of(pattern: Instance, target: Instance, *anchored: str) -> JoinPlan:
    query = analyse_pattern(pattern)
    slots = tuple(query.index[pattern.id_of(name)] for name in anchored)
    return plan_join(query, True, slots, target)


def test_the_join_begins_where_least_is() -> None:
    pattern, target = around_the_robot(), scene(200, 20)
    assert tables(plan_of(pattern, target)) in (
        ["at", "door", "inside"],
        ["robot", "at", "door", "inside"],
    )
    assert tables(plan_of(pattern, target, "o")) == ["inside", "door", "at"]
    assert tables(plan_of(pattern, scene(0, 20)))[0] in ("inside", "object")


def test_what_closes_a_cycle_comes_before_what_branches() -> None:
    # Of the edges 1->2, 1->3, 1->4, 2->3 the last is to be joined as soon as 2 and 3 are known.
    pattern = graph(4, [(1, 2), (1, 3), (1, 4), (2, 3)])
    pairs = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
    plan = plan_of(pattern, graph(6, pairs))
    edges = [pattern.id_of(f"e{number}") for number in (1, 2, 3, 4)]
    bound = [plan.pattern.ids[bind.slot] for step in plan.steps for bind in step.binds]
    assert bound.index(edges[3]) < bound.index(edges[2])


def test_plans_are_kept_until_the_orders_of_magnitude_change() -> None:
    pattern = around_the_robot()
    first = plan_of(pattern, scene(200, 20))
    assert plan_of(pattern, scene(220, 20)) is first
    assert plan_of(pattern, scene(200, 20), "o") is not first
    assert plan_of(pattern, scene(2000, 20)) is not first
    assert len(analyse_pattern(pattern).plans) == 3


def test_there_is_an_end_to_the_plans_that_are_kept() -> None:
    pattern, target = path(7), path(8)
    query = analyse_pattern(pattern)
    for mask in range(2**7):
        slots = tuple(at for at in range(7) if mask >> at & 1)
        for monic in (True, False):
            for anchored in (slots, slots[::-1]):
                plan_join(query, monic, anchored, target)
    assert len(analyse_pattern(pattern).plans) <= 256
