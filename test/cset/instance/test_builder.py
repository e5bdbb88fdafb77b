# SPDX-License-Identifier: Apache-2.0
"""The builder: functional legs, attributes of tuples, changes."""

import pytest

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Fact,
    Function,
    Instance,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    SchemaError,
    with_facts,
)
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.cset.instance import has_same_content
from fcp_ros.foundation.persistent_map import PersistentMap

KITCHEN = Schema(
    "kitchen",
    {"item": (), "mug": ("item",), "place": ()},
    (Function("belongs", "item", "place"),),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("next", (("a", "place"), ("b", "place"))),
    ),
    (
        Attribute("mass", "item", AttributeKind.FLOAT),
        Attribute("since", "on", AttributeKind.INT),
        Attribute("metres", "next", AttributeKind.FLOAT),
    ),
)


def kitchen() -> Instance:
    builder = InstanceBuilder(KITCHEN)
    table, shelf = builder.add("place", "table"), builder.add("place", "shelf")
    mug = builder.add("mug", "mug", {"mass": 0.3})
    builder.set_function("belongs", mug, shelf)
    builder.set_attribute(builder.relate("on", mug, table), "since", 5)
    builder.set_attribute(builder.relate("next", table, shelf), "metres", 2)
    return builder.build()


def test_patterns_may_break_functional_legs() -> None:
    builder = InstanceBuilder.of(kitchen())
    builder.relate("on", builder.id_of("mug"), builder.id_of("shelf"))
    pattern = builder.build(allow_conflicts=True)
    assert len(find_conflicts(pattern)) == 1
    # What was not touched is not looked at again.
    builder.add("place", "sink")
    later = builder.build()
    assert find_conflicts(later) == find_conflicts(pattern)
    # But what touches a conflict is refused.
    with pytest.raises(
        InstanceError, match="'mug' may be 'item' in one tuple of 'on', but is in 3"
    ):
        with_facts(later, add=[Fact("on", ("mug", "sink"))])


def test_tuples_have_attributes() -> None:
    state = kitchen()
    (row,) = state.tuples("on")
    assert state.attribute(row, "since") == 5
    assert state.attributes(row) == {"since": 5}
    builder = InstanceBuilder.of(state)
    with pytest.raises(SchemaError, match="no attribute 'mass' in type 'on'"):
        builder.set_attribute(row, "mass", 1.0)
    with pytest.raises(
        InstanceError, match=r"attribute 'since' of 'on\(mug, table\)' is 'x'; give"
    ):
        builder.set_attribute(row, "since", "x")
    builder.set_attribute(row, "since", 6)
    later = builder.build()
    assert later.attribute(row, "since") == 6
    assert later != state
    # They go with the tuple, and a tuple is compared by its elements, whatever its id.
    fact = Fact("on", ("mug", "table"))
    gone = with_facts(later, remove=[fact])
    assert gone.attribute(row, "since") is None
    again = InstanceBuilder.of(with_facts(gone, add=[fact]))
    new = again.build().find_tuple("on", state.tuples("on")[row])
    assert new is not None
    assert new != row
    again.set_attribute(new, "since", 5)
    assert again.build() == state
    assert hash(again.build()) == hash(state)


def test_references_to_what_is_gone_are_all_named() -> None:
    builder = InstanceBuilder.of(kitchen())
    shelf = builder.id_of("shelf")
    builder.relate("next", shelf, builder.id_of("table"))
    builder.remove(shelf)
    with pytest.raises(InstanceError) as caught:
        builder.build()
    assert str(caught.value).split("; ") == [
        "'shelf' was removed, but is still 'a' in 'next'",
        "'shelf' was removed, but is still 'b' in 'next'",
        "'shelf' was removed, but is 'belongs' of 'mug'",
    ]
    builder.unrelate("next", shelf, builder.id_of("table"))
    builder.unrelate("next", builder.id_of("table"), shelf)
    builder.set_function("belongs", builder.id_of("mug"), builder.id_of("table"))
    assert not builder.build().has("shelf")


def test_a_large_state_shares_its_tables_with_the_next() -> None:
    builder = InstanceBuilder(KITCHEN)
    shelf = builder.add("place", "shelf")
    other = builder.add("place", "other")
    for _ in range(300):
        item = builder.add("item")
        builder.set_function("belongs", item, shelf)
        builder.relate("on", item, shelf)
    first = builder.build()

    def moved(state: Instance, item: int) -> Instance:
        step = InstanceBuilder.of(state)
        step.unrelate("on", item, shelf)
        step.relate("on", item, other)
        return step.build()

    items = first.elements("item")
    second = moved(first, items[7])
    third, fourth = moved(second, items[9]), moved(second, items[9])
    rows = [state.relation_table("on").rows for state in (second, third, fourth)]
    assert all(isinstance(table, PersistentMap) for table in rows)
    assert len({id(table.base) for table in rows if isinstance(table, PersistentMap)}) == 1
    assert len(rows[0]) == len(rows[1]) == 300
    assert third == fourth != second != first
    assert third.element_table() is first.element_table()
    # Not only the hashes tell them apart.
    assert has_same_content(third, fourth)
    assert not has_same_content(second, third)
    assert not has_same_content(first, third)
    assert not has_same_content(moved(second, items[3]), third)
