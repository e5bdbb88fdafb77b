# SPDX-License-Identifier: Apache-2.0
"""Instances: immutable values, stable ids, shared tables, and what the builder refuses."""

import pickle

import pytest
from example_graphs import GRAPH, graph

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Fact,
    Function,
    Instance,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    SchemaError,
    UnknownElement,
    ViolationKind,
    with_facts,
)
from fcp_ros.cset.constraints import find_conflicts

HOME = Schema(
    "home",
    {"thing": (), "mug": ("thing",), "table": ("thing",), "robot": ()},
    (Function("made_by", "mug", "robot"),),
    (
        Relation("on", (("item", "thing"), ("support", "table")), ("item",)),
        Relation("holding", (("agent", "robot"), ("item", "thing")), ("agent", "item")),
        Relation("closed", (("what", "thing"),)),
    ),
    (
        Attribute("colour", "thing", AttributeKind.STRING),
        Attribute("weight", "thing", AttributeKind.FLOAT),
        Attribute("count", "thing", AttributeKind.INT),
        Attribute("fragile", "thing", AttributeKind.BOOL),
        Attribute("size", "thing", AttributeKind.ENUM, ("small", "large")),
    ),
)


def home() -> Instance:
    """Two mugs on two tables, one robot."""
    builder = InstanceBuilder(HOME)
    robot = builder.add("robot", "robot_1")
    for number in (1, 2):
        table = builder.add("table", f"table_{number}")
        mug = builder.add("mug", f"mug_{number}", {"colour": "red"})
        builder.set_function("made_by", mug, robot)
        builder.relate("on", mug, table)
    return builder.build()


def test_what_does_not_exist_is_named() -> None:
    state = home()
    with pytest.raises(UnknownElement, match=r"no element 'mug1'.*did you mean 'mug_1'"):
        state.id_of("mug1")
    with pytest.raises(KeyError):
        state.id_of("nothing")
    with pytest.raises(UnknownElement, match="no element with id 99"):
        state.name_of(99)
    with pytest.raises(UnknownElement, match="'table_1' is a 'table', but function 'made_by'"):
        state.apply("made_by", state.id_of("table_1"))
    with pytest.raises(SchemaError, match="no function 'owner'"):
        state.apply("owner", 1)
    with pytest.raises(SchemaError, match="no relation 'under'"):
        state.tuples("under")
    with pytest.raises(SchemaError, match="no type 'cat'"):
        state.elements("cat")


def test_an_instance_never_changes_and_ids_are_never_reused() -> None:
    before = home()
    builder = InstanceBuilder.of(before)
    mug = builder.id_of("mug_1")
    builder.unrelate("on", mug, builder.id_of("table_1"))
    builder.remove(mug)
    after = builder.build()
    new = builder.add("table")
    later = builder.build()
    assert before == home()
    assert before.has("mug_1")
    assert not after.has("mug_1")
    assert not after.contains(mug)
    assert after.id_of("mug_2") == before.id_of("mug_2")
    assert not before.contains(new)
    assert not after.contains(new)
    assert later.name_of(new) == "table_3"


def test_states_share_what_does_not_change() -> None:
    before = home()
    after = with_facts(before, add=[Fact("holding", ("robot_1", "mug_1"))])
    assert after.element_table() is before.element_table()
    assert after.relation_table("on") is before.relation_table("on")
    assert after.relation_table("holding") is not before.relation_table("holding")


def test_equality_is_by_name() -> None:
    one = InstanceBuilder(GRAPH)
    one.add("V", "a")
    one.add("V", "b")
    two = InstanceBuilder(GRAPH)
    two.add("V", "b")
    two.add("V", "a")
    assert one.build() == two.build()
    assert hash(one.build()) == hash(two.build())
    assert graph(2, [(1, 2)]) != graph(2, [(2, 1)])
    assert graph(1) != graph(2)
    assert home() != graph(1)
    other = InstanceBuilder.of(home())
    other.set_attribute(other.id_of("mug_1"), "colour", "blue")
    assert other.build() != home()
    other.set_attribute(other.id_of("mug_1"), "colour", "red")
    assert other.build() == home()


def test_an_instance_can_be_sent_to_another_process() -> None:
    state = home()
    hash(state)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.is_same(state)
    assert InstanceBuilder.of(again).add("table") == InstanceBuilder.of(state).add("table")


def test_functional_conflicts_are_values() -> None:
    state = with_facts(home(), add=[Fact("on", ("mug_1", "table_2"))], allow_conflicts=True)
    (violation,) = find_conflicts(state)
    assert violation.kind is ViolationKind.FUNCTIONAL
    assert violation.elements == ("mug_1", "on(mug_1, table_1)", "on(mug_1, table_2)")
    assert violation.message == (
        "'mug_1' may be 'item' in one tuple of 'on', but is in 2: "
        "on(mug_1, table_1); on(mug_1, table_2)"
    )
    assert find_conflicts(state, ["holding"]) == ()
    assert find_conflicts(home()) == ()


def test_the_builder_refuses_what_is_no_instance() -> None:
    builder = InstanceBuilder.of(home())
    mug, table, robot = (builder.id_of(name) for name in ("mug_1", "table_1", "robot_1"))
    with pytest.raises(InstanceError, match=r"no type 'mgu'.*did you mean 'mug'"):
        builder.add("mgu")
    with pytest.raises(InstanceError, match="there is an element 'mug_1' already"):
        builder.add("mug", "mug_1")
    with pytest.raises(InstanceError, match="leg 'support' must be a 'table'; 'robot_1' is a"):
        builder.relate("on", mug, robot)
    with pytest.raises(InstanceError, match=r"'on' has 2 legs \(item, support\), got 1"):
        builder.relate("on", mug)
    with pytest.raises(InstanceError, match=r"'on' has 2 legs \(item, support\), got 3"):
        builder.unrelate("on", mug, table, table)
    with pytest.raises(InstanceError, match="its value must be a 'robot'; 'table_1' is a 'table'"):
        builder.set_function("made_by", mug, table)
    with pytest.raises(UnknownElement, match="no element with id 99 to remove"):
        builder.remove(99)
    with pytest.raises(SchemaError, match="no attribute 'color' in type 'mug'; did you mean"):
        builder.set_attribute(mug, "color", "red")


def test_build_refuses_missing_values_and_dangling_references() -> None:
    builder = InstanceBuilder.of(home())
    builder.add("mug", "mug_3")
    with pytest.raises(InstanceError, match="'mug_3' has no value for function 'made_by'"):
        builder.build()
    builder = InstanceBuilder.of(home())
    builder.remove(builder.id_of("table_1"))
    with pytest.raises(InstanceError, match="'table_1' was removed, but is still 'support' in"):
        builder.build()
    builder = InstanceBuilder.of(home())
    builder.remove(builder.id_of("robot_1"))
    with pytest.raises(InstanceError, match="'robot_1' was removed, but is 'made_by' of 'mug_1'"):
        builder.build()


@pytest.mark.parametrize(
    ("name", "good", "bad", "expected"),
    [
        ("colour", "red", 3, "a text"),
        ("weight", 2, float("nan"), "a finite number"),
        ("weight", 2.5, True, "a finite number"),
        ("count", 3, 3.5, "a whole number"),
        ("count", -1, False, "a whole number"),
        ("fragile", True, 1, "true or false"),
        ("size", "small", "tiny", "one of: small, large"),
    ],
)
def test_attribute_values_are_checked(
    name: str, good: AttributeValue, bad: AttributeValue, expected: str
) -> None:
    builder = InstanceBuilder(HOME)
    table = builder.add("table", "table_1", {name: good})
    assert builder.build().attribute(table, name) == good
    message = f"attribute '{name}' of 'table_1' is {bad!r}; give {expected}"
    with pytest.raises(InstanceError) as caught:
        builder.set_attribute(table, name, bad)
    assert str(caught.value) == message
    builder.set_attribute(table, name, None)
    assert builder.build().attribute(table, name) is None


def furnished(mugs: int) -> Instance:
    """So many mugs on seven tables."""
    builder = InstanceBuilder(HOME)
    robot = builder.add("robot", "robot_1")
    tables = [builder.add("table", f"table_{number}") for number in range(7)]
    for number in range(mugs):
        mug = builder.add("mug", f"mug_{number}")
        builder.set_function("made_by", mug, robot)
        builder.relate("on", mug, tables[number % 7])
    return builder.build()


@pytest.mark.parametrize("mugs", [0, 5, 500])
def test_preparing_changes_nothing_that_can_be_seen(mugs: int) -> None:
    plain, prepared = furnished(mugs), furnished(mugs)
    prepared.prepare()
    assert prepared == plain
    assert hash(prepared) == hash(plain)
    for state in (plain, prepared):
        for relation in state.schema.relations:
            rows = state.tuples(relation.name)
            for position, (leg, _) in enumerate(relation.legs):
                for element in state.all_elements():
                    found = list(state.tuples_at(relation.name, leg, element))
                    assert found == [n for n, legs in rows.items() if legs[position] == element]
    moved = [with_facts(s, [Fact("closed", ("table_1",))]) for s in (plain, prepared)]
    assert moved[0] == moved[1] != plain
