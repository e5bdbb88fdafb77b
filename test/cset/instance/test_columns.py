# SPDX-License-Identifier: Apache-2.0
"""The columns of tables as arrays: always what the tables hold, by id."""

import numpy as np
import pytest

from fcp_ros.cset import Function, InstanceBuilder, Relation, Schema

HOUSE = Schema(
    "house",
    {"thing": (), "box": ("thing",), "room": ()},
    (Function("inside", "thing", "room"),),
    (Relation("on", (("item", "thing"), ("support", "thing"))),),
)


def house() -> InstanceBuilder:
    builder = InstanceBuilder(HOUSE)
    room = builder.add("room", "r")  # 1
    for name, type_ in (("a", "thing"), ("b", "box"), ("c", "thing")):  # 2, 3, 4
        builder.set_function("inside", builder.add(type_, name), room)
    builder.relate("on", 2, 3)  # 5
    builder.relate("on", 4, 3)  # 6
    return builder


def test_columns_are_sorted_by_id() -> None:
    state = house().build()
    assert state.relation_table("on").columns().tolist() == [[5, 2, 3], [6, 4, 3]]
    assert state.function_table("inside").columns().tolist() == [[2, 1], [3, 1], [4, 1]]
    elements = state.element_table()
    assert elements.ids_of("thing", True, HOUSE).tolist() == [2, 3, 4]
    assert elements.ids_of("thing", False, HOUSE).tolist() == [2, 4]


def test_columns_follow_changes_and_leave_older_states_alone() -> None:
    builder = house()
    before = builder.build()
    old = before.relation_table("on").columns()
    room = builder.add("room", "r2")  # 7
    builder.set_function("inside", 2, room)
    builder.unrelate("on", 2, 3)
    builder.relate("on", 2, 4)  # 8
    after = builder.build()
    assert after.relation_table("on").columns().tolist() == [[6, 4, 3], [8, 2, 4]]
    assert after.function_table("inside").columns().tolist() == [[2, 7], [3, 1], [4, 1]]
    assert after.element_table().ids_of("room", True, HOUSE).tolist() == [1, 7]
    assert before.relation_table("on").columns() is old
    assert old.tolist() == [[5, 2, 3], [6, 4, 3]]


def test_columns_of_empty_tables_have_their_shape() -> None:
    empty = InstanceBuilder(HOUSE).build()
    rows = empty.relation_table("on").columns()
    assert (rows.shape, rows.dtype) == ((0, 3), np.int64)
    values = empty.function_table("inside").columns()
    assert (values.shape, values.dtype) == ((0, 2), np.int64)
    ids = empty.element_table().ids_of("room", True, HOUSE)
    assert (ids.shape, ids.dtype) == ((0,), np.int64)


def test_columns_cannot_be_written_to() -> None:
    rows = house().build().relation_table("on").columns()
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 9
