# SPDX-License-Identifier: Apache-2.0
"""A worked example: a state moves between the words of a robot and those of a house.

The robot knows things and mugs, furniture and rooms, what is `on` what and `in_room` where. The
people of the house speak of articles and vessels, of surfaces and zones, and of placements; they
know whose each article is. `on` is a placement. `in_room` is a placement, too: of an article, in
the zone of the surface where it is.
"""

import pytest

from fcp_ros.cset import Instance, InstanceBuilder, find_homs, is_isomorphic
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.migration.adjunction import unit
from fcp_ros.cset.migration.delta import delta_migration
from fcp_ros.cset.migration.images import MigrationError
from fcp_ros.cset.migration.schema_map import SchemaMap
from fcp_ros.cset.migration.sigma import sigma_migration


@pytest.fixture
def robots_state(household: SchemaMap) -> Instance:
    """A red mug on the table of the kitchen; a book that is somewhere in the study."""
    builder = InstanceBuilder(household.source)
    rooms = [builder.add("room", name) for name in ("kitchen", "study")]
    table = builder.add("furniture", "table", {"height": 0.7})
    builder.set_function("stands_in", table, rooms[0])
    mug = builder.add("mug", "mug", {"colour": "red"})
    book = builder.add("thing", "book")
    builder.set_attribute(builder.relate("on", mug, table), "sure", True)
    builder.relate("in_room", mug, rooms[0])
    builder.relate("in_room", book, rooms[1])
    return builder.build()


def test_the_robots_state_in_the_words_of_the_house(
    household: SchemaMap, robots_state: Instance
) -> None:
    house = sigma_migration(household, robots_state, functional=FunctionalLegs.MERGE).instance
    assert [house.name_of(e) for e in house.elements("vessel")] == ["mug"]
    assert house.attributes(house.id_of("mug")) == {"tint": "red"}
    assert house.attributes(house.id_of("table")) == {"level": 0.7}
    placements = {house.name_of(what): where for what, where in house.tuples("placement").values()}
    # An article has one placement: that the mug is on the table, and that it is in the kitchen, is
    # one and the same.
    assert house.name_of(placements["mug"]) == "table"
    (row,) = house.tuples_at("placement", "what", house.id_of("mug"))
    assert house.attributes(row) == {"seen": True}
    # The robot said only that the book is in the study: on a surface that nobody has named.
    unknown = placements["book"]
    assert house.name_of(unknown) not in robots_state.names()
    assert house.name_of(house.apply("zone_of", unknown)) == "study"
    # Somebody owns each of the two.
    owners = {house.apply("owner", article) for article in house.elements("article")}
    assert len(owners) == 2


def test_who_wants_no_merging_is_told(household: SchemaMap, robots_state: Instance) -> None:
    with pytest.raises(MigrationError) as caught:
        sigma_migration(household, robots_state)
    assert "placement" in str(caught.value)
    assert "mug" in str(caught.value)


def test_there_and_back_nothing_is_lost(household: SchemaMap, robots_state: Instance) -> None:
    there = unit(household, robots_state, functional=FunctionalLegs.MERGE)
    assert there.is_monic
    back = there.target
    # What is new is the surface in the study, and that the book is on it.
    assert len(back.all_elements()) == len(robots_state.all_elements()) + 1
    assert len(back.tuples("on")) == len(robots_state.tuples("on")) + 1
    assert len(back.tuples("in_room")) == len(robots_state.tuples("in_room"))


def test_a_state_of_the_house_in_the_robots_words(household: SchemaMap) -> None:
    builder = InstanceBuilder(household.target)
    hall, ann = builder.add("zone", "hall"), builder.add("person", "Ann")
    shelf = builder.add("surface", "shelf", {"level": 1.5})
    builder.set_function("zone_of", shelf, hall)
    vase = builder.add("vessel", "vase", {"tint": "white"})
    builder.set_function("owner", vase, ann)
    builder.relate("placement", vase, shelf)
    state = delta_migration(household, builder.build()).instance

    expected = InstanceBuilder(household.source)
    room = expected.add("room", "hall")
    furniture = expected.add("furniture", "shelf", {"height": 1.5})
    expected.set_function("stands_in", furniture, room)
    mug = expected.add("mug", "vase", {"colour": "white"})
    expected.relate("on", mug, furniture)
    expected.relate("in_room", mug, room)
    # Of Ann the robot has no word; that the vase is in the hall follows from where the shelf is.
    assert state == expected.build()
    assert is_isomorphic(state, expected.build())
    assert len(list(find_homs(state, state))) == 1
