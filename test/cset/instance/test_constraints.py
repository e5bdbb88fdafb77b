# SPDX-License-Identifier: Apache-2.0
"""Path equations: enforced on what changes, and the same as looking everywhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Function,
    Instance,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    ViolationKind,
)
from fcp_ros.cset.instance.constraints import find_broken_equations
from fcp_ros.cset.schema.symbols import PathEquation

# A door and the room behind it are on one floor; the floor of a floor is itself; what is put into a
# box is on the floor of the box.
BUILDING = Schema(
    "building",
    {"place": (), "room": ("place",), "door": ("place",), "floor": ("place",)},
    (
        Function("behind", "door", "room"),
        Function("level", "place", "floor"),
    ),
    (Relation("leads", (("from", "room"), ("to", "room"))),),
    equations=(
        PathEquation("door", ("behind", "level"), ("level",)),
        PathEquation("floor", ("level",), ()),
        PathEquation("leads", ("from", "level"), ("to", "level")),
    ),
)


def building() -> InstanceBuilder:
    """Two floors, two rooms on each, a door to each room, no lead."""
    builder = InstanceBuilder(BUILDING)
    for number in (1, 2):
        floor = builder.add("floor", f"floor_{number}")
        builder.set_function("level", floor, floor)
        for letter in "ab":
            room = builder.add("room", f"room_{number}{letter}")
            door = builder.add("door", f"door_{number}{letter}")
            builder.set_function("level", room, floor)
            builder.set_function("level", door, floor)
            builder.set_function("behind", door, room)
    return builder


def test_an_equation_that_breaks_is_named_with_the_element_and_the_values() -> None:
    builder = InstanceBuilder.of(building().build())
    id_ = builder.id_of
    builder.set_function("behind", id_("door_1a"), id_("room_2a"))
    message = (
        "equation 'door.behind.level = door.level' does not hold at 'door_1a': "
        "door_1a.behind.level is 'floor_2', but door_1a.level is 'floor_1'"
    )
    (violation,) = builder.violations()
    assert violation.kind is ViolationKind.EQUATION
    assert violation.message == message
    assert violation.elements == ("door_1a", "floor_2", "floor_1")
    for allowed in (False, True):
        with pytest.raises(InstanceError) as caught:
            builder.build(allow_conflicts=allowed)
        assert str(caught.value) == message
    builder.set_function("level", id_("door_1a"), id_("floor_2"))
    assert find_broken_equations(builder.build()) == ()


def test_a_value_further_down_the_path_is_found_too() -> None:
    builder = InstanceBuilder.of(building().build())
    builder.set_function("level", builder.id_of("room_1a"), builder.id_of("floor_2"))
    with pytest.raises(InstanceError, match=r"at 'door_1a': door_1a\.behind\.level is"):
        builder.build()


def test_the_empty_path_stays_where_it_is() -> None:
    builder = InstanceBuilder.of(building().build())
    builder.set_function("level", builder.id_of("floor_1"), builder.id_of("floor_2"))
    with pytest.raises(
        InstanceError, match=r"'floor_1': floor_1\.level is 'floor_2', but floor_1 is"
    ):
        builder.build()


def test_paths_may_start_with_the_legs_of_a_tuple() -> None:
    builder = InstanceBuilder.of(building().build())
    id_ = builder.id_of
    builder.relate("leads", id_("room_1a"), id_("room_1b"))
    state = builder.build()
    builder.relate("leads", id_("room_1a"), id_("room_2a"))
    with pytest.raises(InstanceError, match=r"at 'leads\(room_1a, room_2a\)'"):
        builder.build()
    # What was there breaks when a room moves.
    builder = InstanceBuilder.of(state)
    builder.set_function("level", id_("room_1b"), id_("floor_2"))
    builder.set_function("level", id_("door_1b"), id_("floor_2"))
    with pytest.raises(InstanceError, match=r"leads\(room_1a, room_1b\).to.level is 'floor_2'"):
        builder.build()


def test_subtypes_obey_and_other_types_are_left_alone() -> None:
    # Rooms have a level as doors do, but the equation speaks of doors only.
    builder = InstanceBuilder.of(building().build())
    room = builder.add("room", "annex")
    builder.set_function("level", room, builder.id_of("floor_2"))
    assert find_broken_equations(builder.build()) == ()


PLACES = ["floor_1", "floor_2", "room_1a", "room_1b", "room_2a", "door_1a", "door_1b", "door_2a"]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_what_is_touched_is_enough(data: st.DataObject) -> None:
    state = building().build()
    for _ in range(data.draw(st.integers(1, 3))):
        builder = InstanceBuilder.of(state)
        for _ in range(data.draw(st.integers(1, 4))):
            change_something(data, builder)
        violations = [v for v in builder.violations() if v.kind is ViolationKind.EQUATION]
        draft = unchecked(builder)
        assert set(violations) == set(find_broken_equations(draft))
        if violations:
            with pytest.raises(InstanceError, match="does not hold"):
                builder.build()
            return
        state = builder.build()


def change_something(data: st.DataObject, builder: InstanceBuilder) -> None:
    what = data.draw(st.sampled_from(["level", "behind", "leads", "door", "merge"]))
    rooms = [name for name in PLACES if name.startswith("room") and builder.has(name)]
    doors = [name for name in PLACES if name.startswith("door") and builder.has(name)]
    floors = [name for name in PLACES if name.startswith("floor") and builder.has(name)]

    def one_of(names: list[str]) -> int:
        return builder.id_of(data.draw(st.sampled_from(names)))

    if what == "level":
        builder.set_function("level", one_of(floors + rooms + doors), one_of(floors))
    elif what == "behind":
        builder.set_function("behind", one_of(doors), one_of(rooms))
    elif what == "leads":
        builder.relate("leads", one_of(rooms), one_of(rooms))
    elif what == "door":
        door = builder.add("door")
        builder.set_function("level", door, one_of(floors))
        builder.set_function("behind", door, one_of(rooms))
    elif len(rooms) > 1:
        keep, gone = one_of(rooms[:-1]), builder.id_of(rooms[-1])
        builder.merge(keep, gone)


def unchecked(builder: InstanceBuilder) -> Instance:
    """What the builder holds, made from its tables without any checks."""
    return builder._draft.instance()
