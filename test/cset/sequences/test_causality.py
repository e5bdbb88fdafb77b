# SPDX-License-Identifier: Apache-2.0
"""Causal dependencies of known sequences: what must be ordered, and what must not."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    Relation,
    Rewrite,
    Rule,
    Schema,
    find_homs,
    identity,
    inclusion,
    is_isomorphic,
)
from fcp_ros.cset.graphs import cycle, graph, path
from fcp_ros.cset.instance.expressions import Comparator, Comparison, Operation, Operator, Variable
from fcp_ros.cset.sequences.applied_step import AppliedStep, StepError
from fcp_ros.cset.sequences.causality import CausalOrder, dependencies
from fcp_ros.cset.sequences.partial_order import PartialOrder
from fcp_ros.cset.sequences.replay import replay

HOME = Schema(
    "home",
    {"robot": (), "item": (), "mug": ("item",), "place": (), "part": ()},
    (Function("part_of", "part", "item"),),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("holding", (("robot", "robot"), ("item", "item")), ("robot", "item")),
        Relation("clean", (("item", "item"),)),
        Relation("open", (("place", "place"),)),
    ),
    (Attribute("level", "item", AttributeKind.INT),),
)
RXP = {"r": "robot", "x": "item", "p": "place"}
ON, HOLDS = ("on", "x", "p"), ("holding", "r", "x")
HELD = ({"any": "item"}, [("holding", "r", "any")])

Make = Callable[..., Any]


@pytest.fixture
def state(world: Make) -> Instance:
    made: Instance = world(
        HOME,
        {
            **dict.fromkeys(["r1", "r2"], "robot"),
            **dict.fromkeys(["m1", "m2"], "mug"),
            "book": "item",
            **dict.fromkeys(["table", "shelf"], "place"),
        },
        [("on", "m1", "table"), ("on", "m2", "table"), ("on", "book", "shelf"), ("open", "shelf")],
        {("m1", "level"): 1},
    )
    return made


@pytest.fixture
def pick(action: Make) -> Rule:
    made: Rule = action(HOME, "pick", RXP, delete=[ON], add=[HOLDS], unless=[HELD])
    return made


@pytest.fixture
def place(action: Make) -> Rule:
    made: Rule = action(HOME, "place", RXP, delete=[HOLDS], add=[ON])
    return made


def why(found: CausalOrder, before: int, after: int) -> list[str]:
    return [f"{d.kind.value} {d.subject}".strip() for d in found.between(before, after)]


def moved(robot: str, item: str, place: str) -> dict[str, str]:
    return {"r": robot, "x": item, "p": place}


def test_two_robots_that_move_two_items_do_not_need_each_other(
    run: Make, state: Instance, pick: Rule, place: Rule
) -> None:
    steps = run(
        state,
        (pick, moved("r1", "m1", "table")),
        (pick, moved("r2", "book", "shelf")),
        (place, moved("r1", "m1", "shelf")),
        (place, moved("r2", "book", "table")),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 3))
    assert len(list(found.order.linear_extensions())) == 6
    assert why(found, 0, 2) == ["delete-key on(m1, table)", "produce-use holding(r1, m1)"]
    for order in found.order.linear_extensions():
        assert replay(state, steps, order).instance == steps[-1].after


def test_one_robot_moves_one_item_after_the_other(
    run: Make, state: Instance, pick: Rule, place: Rule
) -> None:
    # The second pick forbids holding anything, which the place before it sees to.
    steps = run(
        state,
        (pick, moved("r1", "m1", "table")),
        (place, moved("r1", "m1", "shelf")),
        (pick, moved("r1", "m2", "table")),
        (place, moved("r1", "m2", "shelf")),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 1), (1, 2), (2, 3))
    assert why(found, 1, 2) == ["delete-forbid holding(r1, m1)", "delete-key holding(r1, m1)"]
    assert why(found, 0, 2) == ["forbid-produce holding(r1, m2)", "key-produce holding(r1, m2)"]
    backwards = replay(state, steps, (2, 3, 0, 1))
    # It may be done the other way round as well, but then the picks change places, too: the order
    # keeps what the sequence did, it is no plan space.
    assert backwards.failed is None
    assert backwards.instance == steps[-1].after


def test_steps_on_different_things_are_not_ordered(
    run: Make, state: Instance, action: Make
) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    shut = action(HOME, "shut", {"p": "place"}, delete=[("open", "p")])
    fill = action(HOME, "fill", {"x": "item"}, sets={("x", "level"): 3})
    steps = run(
        state,
        (wash, {"x": "m1"}),
        (shut, {"p": "shelf"}),
        (fill, {"x": "m1"}),
        (wash, {"x": "m2"}),
        (fill, {"x": "m2"}),
        (wash, {"x": "m1"}),
    )
    found = dependencies(steps)
    assert found.dependencies == ()
    assert found.order.pairs() == ()


def test_doing_the_same_twice_is_no_dependency_but_undoing_is(
    run: Make, state: Instance, action: Make
) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    soil = action(HOME, "soil", {"x": "item"}, delete=[("clean", "x")])
    shelve = action(HOME, "admire", {"x": "item"}, [("clean", "x")])
    steps = run(state, *((rule, {"x": "m1"}) for rule in (wash, wash, shelve, soil, wash, wash)))
    found = dependencies(steps)
    # Either wash will do for admiring, and the first does. What the second writes never matters,
    # for it is so at the end, too; nor does the last one.
    assert found.order.pairs() == ((0, 2), (2, 3), (3, 4))
    assert why(found, 3, 4) == ["overwrite clean(m1)"]
    assert_replays(state, steps, found)


def assert_replays(state: Instance, steps: list[AppliedStep], found: CausalOrder) -> None:
    for order in islice(found.order.linear_extensions(), 200):
        outcome = replay(state, steps, order)
        assert outcome.failed is None
        assert outcome.instance == steps[-1].after


def test_a_condition_with_two_facts_is_kept_by_the_one_that_costs_least(
    run: Make, state: Instance, action: Make
) -> None:
    # "Not clean and held": at the end m1 is clean, but no longer held. Protecting "not held" orders
    # the step after letting go; protecting "not clean" is not possible.
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    grab = action(HOME, "grab", {"r": "robot", "x": "item"}, add=[("holding", "r", "x")])
    drop = action(HOME, "drop", {"r": "robot", "x": "item"}, delete=[("holding", "r", "x")])
    both = ({"any": "robot"}, [("clean", "x"), ("holding", "any", "x")])
    check = action(HOME, "check", {"x": "item"}, unless=[both])
    x, rx = {"x": "m1"}, {"r": "r1", "x": "m1"}
    steps = run(state, (grab, rx), (drop, rx), (wash, x), (check, x))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 1), (1, 3))
    assert why(found, 1, 3) == ["delete-forbid holding(r1, m1)"]
    assert_replays(state, steps, found)
    # Checked before washing, there is a choice: the wash after it, or the drop before it. Letting
    # go comes after grabbing anyway, but nothing orders it and the check: both cost one pair.
    steps = run(state, (grab, rx), (check, x), (drop, rx), (wash, x))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 3))
    assert_replays(state, steps, found)


def test_a_positive_condition_takes_the_witness_that_needs_no_step(
    run: Make, state: Instance, action: Make
) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    relax = action(HOME, "relax", {}, given=[({"any": "item"}, [("clean", "any")])])
    clean = run(state, (wash, {"x": "m2"}))[-1].after
    steps = run(clean, (wash, {"x": "m1"}), (relax, {}))
    assert dependencies(steps).dependencies == ()
    steps = run(state, (wash, {"x": "m1"}), (wash, {"x": "m2"}), (relax, {}))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2),)
    assert why(found, 0, 2) == ["produce-use clean(m1)"]


def test_counts_take_only_as_many_as_they_need(run: Make, state: Instance, action: Make) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    any_clean = ({"any": "item"}, [("clean", "any")])
    some = action(HOME, "some", {}, number=[(*any_clean, {"at_least": 2})])
    few = action(HOME, "few", {}, number=[(*any_clean, {"at_most": 2})])
    calls = [(wash, {"x": name}) for name in ("m1", "m2", "book")]
    # Two of the three suffice, the first two will do; the third is on its own.
    steps = run(state, *calls, (some, {}))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 3), (1, 3))
    assert_replays(state, steps, found)
    # At most two, while two are clean: one of them must come later, and it is the third.
    steps = run(state, *calls[:2], (few, {}), calls[2])
    found = dependencies(steps)
    assert found.order.pairs() == ((2, 3),)
    assert why(found, 2, 3) == ["forbid-produce clean(book)"]
    assert_replays(state, steps, found)


def test_what_counts_within_a_condition(run: Make, state: Instance, action: Make) -> None:
    # "Nothing on p that is not clean": m1 and m2 lie on the table, and are washed, or one is moved.
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    soil = action(HOME, "soil", {"x": "item"}, delete=[("clean", "x")])
    take = action(HOME, "take", {"x": "item", "p": "place"}, delete=[ON])
    dirty = ({"i": "item"}, [("on", "i", "p")], {"nested": [("nac", ({}, [("clean", "i")]))]})
    serve = action(HOME, "serve", {"p": "place"}, unless=[dirty])
    steps = run(
        state,
        *((wash, {"x": "m1"}), (take, {"x": "m2", "p": "table"}), (wash, {"x": "m2"})),
        *((serve, {"p": "table"}), (soil, {"x": "m1"}), (soil, {"x": "m2"})),
    )
    found = dependencies(steps)
    # m1 is clean until served. m2 is gone, which is why it does not matter, and so is soiled at
    # any time after it was washed.
    assert found.order.pairs() == ((0, 3), (1, 3), (2, 5), (3, 4))
    assert why(found, 0, 3) == ["produce-use clean(m1)"]
    assert why(found, 1, 3) == ["delete-forbid on(m2, table)"]
    assert why(found, 3, 4) == ["use-delete clean(m1)"]
    assert_replays(state, steps, found)


def test_why_something_counts_is_protected_as_well(
    run: Make, state: Instance, action: Make, pick: Rule, place: Rule
) -> None:
    # "Some place holds nothing": the shelf, once the book is taken from it.
    held = ("nac", ({"i": "item"}, [("on", "i", "q")]))
    rest = action(HOME, "rest", {}, given=[({"q": "place"}, [], {"nested": [held]})])
    steps = run(
        state,
        (pick, moved("r1", "book", "shelf")),
        (pick, moved("r2", "m1", "table")),
        (rest, {}),
        (place, moved("r2", "m1", "shelf")),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 3), (2, 3))
    assert why(found, 0, 2) == ["delete-forbid on(book, shelf)"]
    assert why(found, 2, 3) == ["forbid-produce on(m1, shelf)"]
    assert_replays(state, steps, found)


def test_a_value_on_which_a_nested_condition_depends(
    run: Make, state: Instance, action: Make
) -> None:
    # "Some item has a level that no other one has": m1 has 1, until it gets 2, as m2.
    level = {("z", "level"): Variable("w")}
    same = ("nac", ({"u": "item"}, [], {"monic": True, "reads": {("u", "level"): Variable("w")}}))
    check = action(
        HOME, "check", {}, given=[({"z": "item"}, [], {"reads": level, "nested": [same]})]
    )
    fill = action(HOME, "fill", {"x": "item"}, sets={("x", "level"): 2})
    before = run(state, (fill, {"x": "m2"}), (check, {}), (fill, {"x": "m1"}))
    found = dependencies(before)
    assert (1, 2) in found.order.pairs()
    assert why(found, 1, 2) == ["use-change level of m1"]
    assert_replays(state, before, found)


def test_a_value_for_which_a_nested_condition_fails(
    run: Make, state: Instance, action: Make
) -> None:
    # "No mug has a level that nothing else has": m1 has that of the book, until it gets another.
    level = {("z", "level"): Variable("w")}
    same = ("nac", ({"u": "item"}, [], {"monic": True, "reads": {("u", "level"): Variable("w")}}))
    check = action(
        HOME, "check", {}, unless=[({"z": "mug"}, [], {"reads": level, "nested": [same]})]
    )
    fill, more = (
        action(HOME, "fill", {"x": "item"}, sets={("x", "level"): value}) for value in (1, 2)
    )
    steps = run(state, (fill, {"x": "book"}), (check, {}), (more, {"x": "m1"}), (fill, {"x": "m1"}))
    found = dependencies(steps)
    assert {(0, 1), (1, 2)} <= set(found.order.pairs())
    assert why(found, 1, 2) == ["use-change level of m1"]
    assert_replays(state, steps, found)


def test_attributes_of_tuples_are_lost_with_them(run: Make, world: Make, action: Make) -> None:
    roads = Schema(
        "roads",
        {"place": ()},
        relations=(Relation("road", (("here", "place"), ("there", "place"))),),
        attributes=(Attribute("length", "road", AttributeKind.INT),),
    )
    road, two = ("road", "p", "q"), {"p": "place", "q": "place"}
    measure = action(roads, "measure", two, [road], sets={(road, "length"): 3})
    rebuild = action(roads, "rebuild", two, delete=[road], add=[road])
    start = world(roads, {"a": "place", "b": "place"}, [("road", "a", "b")])
    pq = {"p": "a", "q": "b"}
    steps = run(start, (measure, pq), (rebuild, pq))
    found = dependencies(steps)
    assert why(found, 0, 1) == ["overwrite length of road(a, b)"]
    steps = run(start, (rebuild, pq), (measure, pq))
    assert why(dependencies(steps), 0, 1) == ["overwrite length of road(a, b)"]


def test_attributes_that_are_read_and_written(run: Make, state: Instance, action: Make) -> None:
    x = {"x": "item"}
    fill, empty = (action(HOME, "set", x, sets={("x", "level"): level}) for level in (3, 0))
    drink = action(HOME, "drink", x, reads={("x", "level"): 3}, sets={("x", "level"): 0})
    forget = action(HOME, "spill", x, reads={("x", "level"): 0}, sets={("x", "level"): None})
    m1, m2 = {"x": "m1"}, {"x": "m2"}
    steps = run(state, (fill, m1), (fill, m2), (drink, m1), (forget, m1), (empty, m2), (empty, m2))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 4), (2, 3))
    assert why(found, 0, 2) == ["change-use level of m1"]
    assert why(found, 1, 4) == ["overwrite level of m2"]
    assert why(found, 2, 3) == ["change-use level of m1", "use-change level of m1"]
    assert found.dependencies[0].elements in {("m1",), ("m2",)}
    assert_replays(state, steps, found)


def test_a_value_that_is_only_compared_may_be_another_one(
    run: Make, state: Instance, action: Make
) -> None:
    x, level = {"x": "item"}, {("x", "level"): Variable("v")}
    more = Operation(Operator.ADD, (Variable("v"), 1))
    fill = action(HOME, "fill", x, reads=level, sets={("x", "level"): more})
    full = [Comparison(Variable("v"), Comparator.GREATER, 2)]
    drink = action(HOME, "drink", x, reads=level, where=full)
    m1 = {"x": "m1"}
    # The level is 1 at first, and 3 after two fillings; then it will do, and does so ever after.
    steps = run(state, (fill, m1), (fill, m1), (drink, m1), (fill, m1), (drink, m1))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 1), (1, 2), (1, 3), (1, 4))
    assert why(found, 1, 4) == ["change-use level of m1"]
    assert_replays(state, steps, found)
    # Each filling needs the very value that it adds to.
    assert why(found, 1, 3) == ["change-use level of m1", "use-change level of m1"]


def test_deleting_an_element_waits_for_what_would_dangle(
    run: Make, state: Instance, action: Make
) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    soil = action(HOME, "soil", {"x": "item"}, delete=[("clean", "x")])
    smash = action(HOME, "smash", {"x": "item", "p": "place"}, delete=[ON], gone=["x"])
    shut = action(HOME, "shut", {"p": "place"}, delete=[("open", "p")])
    m1 = {"x": "m1"}
    steps = run(
        state,
        *((wash, m1), (wash, {"x": "m2"}), (soil, m1), (shut, {"p": "shelf"})),
        (smash, {"x": "m1", "p": "table"}),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (2, 4))
    assert why(found, 2, 4) == ["delete-dangling clean(m1)", "use-delete m1"]
    assert_replays(state, steps, found)


def test_what_is_created_is_used_by_that_step_under_any_name(
    run: Make, state: Instance, action: Make
) -> None:
    deliver = action(HOME, "deliver", {"p": "place"}, new={"x": "mug"}, add=[("on", "x", "p")])
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    smash = action(HOME, "smash", {"x": "item", "p": "place"}, delete=[ON], gone=["x"])
    steps = run(
        state,
        (deliver, {"p": "table"}),
        (deliver, {"p": "shelf"}),
        (wash, {"x": "x_2"}),
        (smash, {"x": "x", "p": "table"}),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 3), (1, 2))
    assert why(found, 1, 2) == ["produce-use x_2"]
    assert_replays(state, steps, found)
    # A name may be used again; then replaying may give it to the other one.
    again = run(steps[-1].after, (deliver, {"p": "table"}), (wash, {"x": "x"}))
    both = [*steps, *again]
    found = dependencies(both)
    assert found.order.pairs() == ((0, 3), (1, 2), (4, 5))
    for order in islice(found.order.linear_extensions(), 50):
        assert is_isomorphic(replay(state, both, order).instance, both[-1].after)


def test_functions_dangle_too(run: Make, world: Make) -> None:
    vertex, edge = graph(2), path(2)
    unlink = Rule("unlink", inclusion(vertex, edge), identity(vertex))
    drop = Rule("drop", inclusion(graph(0), graph(1)), identity(graph(0)))
    start = cycle(2)
    steps = []
    for rule, names in (
        (unlink, {"v1": "v1", "v2": "v2"}),
        (unlink, {"v1": "v2", "v2": "v1"}),
        (drop, {"v1": "v1"}),
    ):
        state = steps[-1].after if steps else start
        initial = {rule.L.id_of(key): state.id_of(name) for key, name in names.items()}
        steps.append(AppliedStep.of(rule, next(find_homs(rule.L, state, initial=initial))))
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 2))
    assert why(found, 0, 2) == ["delete-dangling e1", "use-delete v1"]
    assert_replays(start, steps, found)


def test_a_step_that_merges_stays_where_it_is(run: Make, state: Instance, action: Make) -> None:
    two, one = graph(2), graph(1)
    (collapse,) = find_homs(two, one, monic=False)
    merge = Rule("merge", identity(two), collapse)
    loop = Rule("loop", identity(one), inclusion(one, cycle(1)))
    steps = run(
        graph(4),
        (loop, {"v1": "v3"}),
        (loop, {"v1": "v1"}),
        (merge, {"v1": "v1", "v2": "v2"}),
        (loop, {"v1": "v4"}),
        (loop, {"v1": "v1"}),
    )
    found = dependencies(steps)
    assert found.order.pairs() == ((0, 2), (1, 2), (2, 3), (2, 4))
    assert why(found, 2, 3) == ["merge"]
    for order in found.order.linear_extensions():
        outcome = replay(graph(4), steps, order)
        assert is_isomorphic(outcome.instance, steps[-1].after)


def test_no_steps_one_step_and_steps_that_are_no_sequence(
    run: Make, state: Instance, action: Make
) -> None:
    wash = action(HOME, "wash", {"x": "item"}, add=[("clean", "x")])
    soil = action(HOME, "soil", {"x": "item"}, delete=[("clean", "x")])
    assert dependencies([]).order.size == 0
    (step,) = run(state, (wash, {"x": "m1"}))
    assert dependencies([step]) == CausalOrder((), PartialOrder((frozenset(),)))
    with pytest.raises(StepError, match=r"step 1 \('wash'\) does not start at the state at which"):
        dependencies([step, step])
    with pytest.raises(StepError, match="rule 'wash' was not applicable: no reason was given"):
        AppliedStep(wash, step.match, Rewrite(None, None))
    assert str(
        dependencies(run(state, (wash, {"x": "m1"}), (soil, {"x": "m1"}))).dependencies[0]
    ) == ("0 before 1: produce-use clean(m1)")
