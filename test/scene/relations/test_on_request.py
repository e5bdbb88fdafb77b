# SPDX-License-Identifier: Apache-2.0
"""What completion derives only when asked, conflicts as a list, and refused options."""

from dataclasses import replace
from pathlib import Path

import pytest

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    RelationMaintainer,
    RelationOptions,
    SceneDelta,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    complete_relations,
    load_scene,
)

ROOM = SceneNode(
    "r", Layer.ROOM, "room", polygon=((0, 0), (4, 0), (4, 4), (0, 4)), height=2.5
)  # fmt: skip
ROBOT = SceneNode("robot", Layer.AGENT, "robot", pose=Pose.at(0.5, 0.5, 0.0))


def thing(
    id_: str,
    x: float,
    y: float,
    z: float,
    size: tuple[float, float, float],
    label: str = "thing",
    **attributes: bool | str,
) -> SceneNode:
    pose = Pose.at(x, y, z)
    return SceneNode(id_, Layer.OBJECT, label, pose=pose, size=size, attributes=attributes)


TABLE = thing("table", 2, 2, 0.4, (1.2, 0.8, 0.8), "table")
BALL = thing("ball", 2.2, 2, 0.1, (0.2, 0.2, 0.2))
MUG = thing("mug", 2.2, 2, 0.85, (0.1, 0.1, 0.1))
FRIDGE = thing("fridge", 1, 3.5, 0.9, (0.8, 0.8, 1.8), "fridge", is_open=False)
MILK = thing("milk", 1, 3.5, 1.0, (0.1, 0.1, 0.2))
LAMP = thing("lamp", 3, 3, 2.2, (0.2, 0.2, 0.2))
HOUSE = SceneGraph.of([ROOM, ROBOT, TABLE, BALL, MUG, FRIDGE, MILK, LAMP])


def asked(*names: str) -> RelationOptions:
    return RelationOptions(also=frozenset(names))


def names_of(graph: SceneGraph) -> set[str]:
    return {relation.name for relation in graph.relations}


def test_nothing_that_was_not_asked_for() -> None:
    graph = complete_relations(HOUSE)
    assert names_of(graph) == {"on", "inside", "in_room", "at"}


def test_what_is_under_a_table_stands_on_the_floor_too() -> None:
    graph = complete_relations(HOUSE, asked("under", "near"))
    texts = {str(relation) for relation in graph.relations}
    assert {"under(ball, table)", "on(ball, r_floor)", "on(mug, table)"} <= texts
    assert {"near(ball, table)", "near(table, ball)"} <= texts
    assert not any(text.startswith("inside(ball") for text in texts)


def test_what_was_asked_for_once_stays_when_it_is_not_derived() -> None:
    graph = complete_relations(complete_relations(HOUSE, asked("under")))
    assert "under" in names_of(graph)


def test_a_door_that_opens_costs_nothing() -> None:
    maintainer = RelationMaintainer(HOUSE)
    opened = replace(FRIDGE, attributes={"is_open": True})
    delta = maintainer.advance(SceneDelta(1, (opened,)))
    assert (delta.added, delta.dropped, maintainer.rederived) == ((), (), "")


def test_a_new_room_is_said_to_derive_everything() -> None:
    maintainer = RelationMaintainer(HOUSE)
    other = replace(ROOM, id="s", polygon=((5, 0), (9, 0), (9, 4), (5, 4)))
    delta = maintainer.advance(SceneDelta(1, (other,)))
    assert "the room s" in maintainer.rederived
    assert {node.id for node in delta.upserted} == {"s", "s_floor"}


def test_conflicts_are_noted() -> None:
    stated = [SceneRelation("on", ("mug", "fridge")), SceneRelation("inside", ("ball", "fridge"))]
    notes = complete_relations(SceneGraph.of(HOUSE.nodes.values(), stated)).notes
    (support,) = [note for note in notes if "support differs from the geometry" in note]
    assert "mug (given fridge, drawn on table)" in support
    (apart,) = [note for note in notes if "drawn elsewhere" in note]
    assert "on(mug, fridge) (drawn " in apart
    assert "inside(ball, fridge) (drawn " in apart


def test_a_drawer_in_the_given_fridge_is_no_conflict() -> None:
    drawer = thing("drawer", 1, 3.5, 1.0, (0.6, 0.6, 0.4))
    stated = [SceneRelation("inside", ("milk", "fridge"))]
    graph = complete_relations(SceneGraph.of([*HOUSE.nodes.values(), drawer], stated))
    assert not any("and is kept" in note for note in graph.notes)


def test_given_relations_keep_their_confidence() -> None:
    stated = SceneRelation("near", ("ball", "table"), 0.3)
    graph = complete_relations(SceneGraph.of(HOUSE.nodes.values(), [stated]), asked("near"))
    assert graph.relation("near", "ball", "table") == stated
    back = graph.relation("near", "table", "ball")
    assert back is not None
    assert back.provenance is Provenance.GEOMETRIC


@pytest.mark.parametrize(
    "wrong",
    [
        {"also": frozenset({"above"})},
        {"resting": -0.1},
        {"near": float("nan")},
    ],
)
def test_refused_options(wrong: dict[str, object]) -> None:
    with pytest.raises(SceneError):
        RelationOptions(**wrong)  # type: ignore[arg-type]


def test_a_file_is_read_with_options(house_file: Path) -> None:
    assert "near" not in names_of(load_scene(house_file))
    assert "near" in names_of(load_scene(house_file, relations=asked("near")))
