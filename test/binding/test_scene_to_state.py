# SPDX-License-Identifier: Apache-2.0
"""From scene to state: types by label, tuples by type, and a note on whatever was guessed."""

from dataclasses import replace

import pytest

from fcp_ros.binding.scene_to_state import SceneState, scene_to_instance
from fcp_ros.cli.session import open_session
from fcp_ros.cset import Relation, Schema, facts
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.domain.scene_names import AttributeFact, SceneMapping
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation, complete_relations


def thing(id_: str, category: str, **changes: object) -> SceneNode:
    changes.setdefault("parents", ("kitchen",))
    return SceneNode(id_, Layer.OBJECT, category, **changes)  # type: ignore[arg-type]


KITCHEN = SceneNode("kitchen", Layer.ROOM, "kitchen")


@pytest.fixture
def state_of(schema: Schema, mapping: SceneMapping):  # type: ignore[no-untyped-def]
    def convert(*nodes: SceneNode, relations: tuple[tuple[str, ...], ...] = ()) -> SceneState:
        stated = [SceneRelation(name, legs) for name, *rest in relations for legs in [tuple(rest)]]
        graph = complete_relations(SceneGraph.of([KITCHEN, *nodes], stated))
        return scene_to_instance(graph, schema, mapping)

    return convert


def texts(state: SceneState, *names: str) -> set[str]:
    return {str(fact) for fact in facts(state.instance, names or None)}


def test_the_twin_house(house: SceneGraph, schema: Schema, mapping: SceneMapping) -> None:
    state = scene_to_instance(house, schema, mapping)
    assert texts(state) == {
        "at(robot_1, kitchen_1)",
        "closed(fridge_1)",
        "connected(kitchen_1, living_room_1, door_1)",
        "connected(living_room_1, kitchen_1, door_1)",
        "in_room(couch_1, living_room_1)",
        "in_room(counter_1, kitchen_1)",
        "in_room(fridge_1, kitchen_1)",
        "in_room(kitchen_1_floor, kitchen_1)",
        "in_room(living_room_1_floor, living_room_1)",
        "in_room(table_1, living_room_1)",
        "inside(milk_1, fridge_1)",
        "on(apple_1, counter_1)",
        "on(book_1, couch_1)",
        "on(mug_1, table_1)",
    }
    assert state.notes == ()
    assert not find_conflicts(state.instance)
    mug = state.instance.id_of("mug_1")
    assert state.instance.type_of(mug) == "item"
    assert state.instance.attribute(mug, "category") == "mug"
    assert state.instance.attribute(mug, "x") == 6.4
    assert state.instance.attribute(mug, "size_z") == 0.1


def test_unknown_labels_get_a_default_and_a_note(state_of) -> None:  # type: ignore[no-untyped-def]
    small = thing("s", "gizmo", pose=Pose.at(0, 0, 0), size=(0.1, 0.2, 0.3))
    large = thing("l", "gizmo", pose=Pose.at(1, 0, 0), size=(0.1, 0.2, 0.31))
    unsized = thing("u", "label_5")
    state = state_of(small, large, unsized)
    types = {id_: state.instance.type_of(state.instance.id_of(id_)) for id_ in "slu"}
    assert types == {"s": "item", "l": "fixture", "u": "fixture"}
    assert "the domain has no type for the label 'gizmo': s taken as item" in state.notes
    assert "the domain has no type for the label 'label_5': u taken as fixture" in state.notes


def test_agents_and_rooms_take_their_layers_type_unless_the_label_fits(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        SceneNode("tom", Layer.AGENT, "person", parents=("kitchen",)),
        SceneNode("r2", Layer.AGENT, "astromech", parents=("kitchen",)),
        SceneNode("odd", Layer.ROOM, "sink"),
    )
    types = {n: state.instance.type_of(state.instance.id_of(n)) for n in ("tom", "r2", "odd")}
    assert types == {"tom": "person", "r2": "robot", "odd": "room"}


def test_a_person_seen_as_an_object_is_at_its_room(state_of) -> None:  # type: ignore[no-untyped-def]
    assert "at(tom, kitchen)" in texts(state_of(thing("tom", "person")))


def test_layers_without_a_type_are_left_out(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        SceneNode("p", Layer.PLACE, "place"),
        SceneNode("b", Layer.BUILDING, "building"),
        relations=(("near", "p", "b"),),
    )
    assert not state.instance.has("p")
    assert not state.instance.has("b")
    assert state.notes == ()


def test_on_and_inside_follow_the_types(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("sink_1", "sink"),
        thing("table_1", "table"),
        thing("apple_1", "apple"),
        thing("mug_1", "mug"),
        relations=(("on", "apple_1", "sink_1"), ("inside", "mug_1", "table_1")),
    )
    assert texts(state, "on", "inside") == {"inside(apple_1, sink_1)", "on(mug_1, table_1)"}
    assert any("on(apple_1, sink_1) as inside(apple_1, sink_1)" in n for n in state.notes)


def test_a_place_that_is_none_leads_further_down(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("table_1", "table"),
        thing("door_1", "door"),
        thing("mug_1", "mug"),
        thing("bowl_1", "bowl"),
        thing("door_2", "door"),
        relations=(
            ("on", "mug_1", "door_1"),
            ("on", "door_1", "table_1"),
            ("on", "bowl_1", "door_2"),
        ),
    )
    assert texts(state, "on") == {"on(mug_1, table_1)"}
    assert "read otherwise, to fit the domain's types: on(mug_1, door_1) as on(mug_1, table_1)" in (
        state.notes
    )
    assert "left out, since the domain's types do not fit: on(bowl_1, door_2)" in ", ".join(
        state.notes
    )


def box(
    id_: str, category: str, at: tuple[float, float, float], size: tuple[float, ...]
) -> SceneNode:
    return thing(id_, category, pose=Pose.at(*at), size=size, parents=("den",))


DEN = SceneNode("den", Layer.ROOM, "room", polygon=((0, 0), (5, 0), (5, 5), (0, 5)), height=2.5)


def test_what_hangs_and_what_nothing_carries_lies_nowhere(state_of) -> None:  # type: ignore[no-untyped-def]
    """The floor is no place for them, and notes say so."""
    state = state_of(
        DEN,
        box("wall_1", "wall", (2.5, 4.95, 1.25), (5.0, 0.1, 2.5)),
        box("book_1", "book", (2.5, 4.88, 1.2), (0.4, 0.04, 0.6)),
        box("kite_1", "toy", (2.5, 2.5, 1.5), (0.3, 0.3, 0.3)),
        box("mug_1", "mug", (1.0, 1.0, 0.05), (0.1, 0.1, 0.1)),
        thing("apple_1", "apple"),
    )
    assert texts(state, "on", "inside") == {"on(mug_1, den_floor)", "on(apple_1, kitchen_floor)"}
    assert "these hang, and lie on nothing: book_1 (attached to wall_1)" in state.fact_notes
    assert "it is not known where these lie, so no plan can fetch them: kite_1" in state.fact_notes
    assert (
        "assumed, since it was not seen what these things lie on or in: "
        "on(apple_1, kitchen_floor)" in state.fact_notes
    )


def test_a_domain_may_say_what_attached_things_are(schema: Schema, mapping: SceneMapping) -> None:
    attached = Relation("attached", (("part", "thing"), ("whole", "thing")))
    known = Schema(
        schema.name,
        schema.types,
        schema.functions,
        (*schema.relations, attached),
        schema.attributes,
    )
    nodes = [KITCHEN, thing("wall_1", "wall"), thing("book_1", "book")]
    graph = SceneGraph.of(nodes, [SceneRelation("attached", ("book_1", "wall_1"))])
    state = scene_to_instance(graph, known, mapping)
    assert texts(state) == {"attached(book_1, wall_1)"}


def test_who_holds_something_is_a_support_or_container(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("toilet_1", "toilet"),
        thing("paper_1", "book"),
        thing("hatch_1", "hatch"),
        thing("mug_1", "mug"),
        thing("stack_1", "book"),
        thing("apple_1", "apple"),
        relations=(
            ("on", "paper_1", "toilet_1"),
            ("inside", "mug_1", "hatch_1"),
            ("on", "apple_1", "stack_1"),
        ),
    )
    assert {"on(paper_1, toilet_1)", "inside(mug_1, hatch_1)", "on(apple_1, stack_1)"} <= texts(
        state, "on", "inside"
    )
    types = {id_: state.typing[id_].type for id_ in ("toilet_1", "hatch_1", "stack_1")}
    assert types == {"toilet_1": "surface", "hatch_1": "container", "stack_1": "tray"}
    assert not any("read otherwise" in note for note in state.notes)


def test_a_given_place_that_no_type_allows_is_named(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("table_1", "table"), thing("sink_1", "sink"), relations=(("on", "sink_1", "table_1"),)
    )
    assert any(
        "left out, since the domain's types do not fit: on(sink_1, table_1)" in note
        for note in state.notes
    )


def test_a_container_counts_before_a_support(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("fridge_1", "refrigerator"),
        thing("tray_1", "tray"),
        thing("milk_1", "milk"),
        relations=(
            ("on", "milk_1", "tray_1"),
            ("inside", "milk_1", "fridge_1"),
            ("inside", "tray_1", "fridge_1"),
        ),
    )
    assert texts(state, "on", "inside") == {"inside(milk_1, fridge_1)", "inside(tray_1, fridge_1)"}


def test_what_is_held_lies_nowhere(state_of) -> None:  # type: ignore[no-untyped-def]
    robot = SceneNode("rob", Layer.AGENT, "robot", parents=("kitchen",))
    state = state_of(robot, thing("mug_1", "mug"), relations=(("holding", "rob", "mug_1"),))
    assert texts(state, "on", "inside", "holding") == {"holding(rob, mug_1)"}
    assert state.notes == ()


def test_what_joins_rooms_is_a_passage_whatever_its_label(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        SceneNode("hall", Layer.ROOM, "hall"),
        thing("portal", "stargate", parents=()),
        relations=(("connected", "kitchen", "hall", "portal"),),
    )
    assert "connected(hall, kitchen, portal)" in texts(state)
    assert "the domain has no type for the label 'stargate': portal taken as passage" in state.notes


def test_rooms_may_be_connected_without_passages() -> None:
    session = open_session("warehouse", "warehouse")
    assert "connected(shipping, packing)" in texts(session.state, "connected")
    assert not any("do not fit" in note for note in session.state.notes)
    # Floors and passages that completion adds take no part where the domain has none.
    added = {name for name in session.graph.nodes if name.endswith(("_floor", "_passage"))}
    assert added
    assert not any(map(session.state.instance.has, added))


def test_only_one_of_two_functional_tuples_holds(state_of) -> None:  # type: ignore[no-untyped-def]
    robot = SceneNode("rob", Layer.AGENT, "robot", parents=("kitchen",))
    state = state_of(
        robot,
        thing("mug_1", "mug"),
        thing("apple_1", "apple"),
        relations=(("holding", "rob", "mug_1"), ("holding", "rob", "apple_1")),
    )
    assert texts(state, "holding") == {"holding(rob, mug_1)"}
    assert any("only one can hold" in note for note in state.notes)
    assert not find_conflicts(state.instance)


def test_relations_that_do_not_fit_are_noted(state_of) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("mug_1", "mug"), relations=(("closed", "mug_1"), ("near", "mug_1", "kitchen"))
    )
    assert any("closed(mug_1)" in note for note in state.notes)
    assert any("no relation 'near': 1 tuples" in note for note in state.notes)


def test_attributes_and_the_facts_that_they_state(
    schema: Schema, mapping: SceneMapping, state_of
) -> None:  # type: ignore[no-untyped-def]
    state = state_of(
        thing("f1", "refrigerator", attributes={"is_open": False}),
        thing("f2", "refrigerator", attributes={"is_open": True}),
        thing("f3", "refrigerator", attributes={"is_open": 0}),
        thing("m1", "mug", attributes={"material": "glass", "is_open": False}),
        thing("m2", "mug", attributes={"material": "wood", "owner": "me"}),
    )
    assert texts(state, "closed") == {"closed(f1)"}
    assert state.instance.attribute(state.instance.id_of("m1"), "material") == "glass"
    assert state.instance.attribute(state.instance.id_of("m2"), "material") is None
    assert any("material" in note and "m2" in note for note in state.notes)
    assert any("closed(m1)" in note for note in state.notes)
    assert AttributeFact("full", 1, "closed").holds({"full": 1})


def test_a_domain_may_know_little(house: SceneGraph, mapping: SceneMapping) -> None:
    tiny = Schema(
        name="tiny",
        types={"thing": (), "room": (), "robot": ()},
        functions=(),
        relations=(Relation("on", (("a", "thing"), ("b", "thing"))),),
        attributes=(),
    )
    small = replace(mapping, labels={}, default_type="thing", small_default_type=None)
    state = scene_to_instance(house, tiny, small)
    assert "on(mug_1, table_1)" in texts(state)
    assert any("no relation 'connected'" in note for note in state.notes)
