# SPDX-License-Identifier: Apache-2.0
"""3DSSG: scans of one file, companions beside it, oriented boxes, predicates, and bad files."""

import json
import math
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_documents import changed, written
from scipy.spatial.transform import Rotation
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene, read_scene
from fcp_ros.scene.formats.three_dssg import OrientedBox, place_boxes

LACKS = Lacks(ids=True, rooms=True, doors=True, relations=frozenset({"in_room", "connected"}))
"""A scan knows no rooms, and objects have numbers for ids."""

IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1]


def objects(*labels: str, **more: Any) -> dict[str, Any]:
    things = [{"id": str(i), "label": label, **more} for i, label in enumerate(labels, 1)]
    return {"scans": [{"scan": "s1", "objects": things}]}


def relationships(*entries: tuple[Any, Any, str]) -> dict[str, Any]:
    numbers = {word: number for number, word in enumerate(sorted({e[2] for e in entries}))}
    rows = [[a, b, numbers[word], word] for a, b, word in entries]
    return {"scans": [{"scan": "s1", "relationships": rows}]}


def group(number: int, label: str, **box: Any) -> dict[str, Any]:
    obb = {"centroid": [0, 0, 0], "axesLengths": [1, 1, 1], "normalizedAxes": IDENTITY, **box}
    return {"objectId": number, "label": label, "obb": obb}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load_(
        things: Any, related: Any = None, boxes: Any = None, limits: SceneLimits | None = None
    ) -> SceneGraph:
        if related is not None:
            written(related, tmp_path / "relationships.json")
        if boxes is not None:
            (tmp_path / "s1").mkdir(exist_ok=True)
            document = {"scan_id": "s1", "segGroups": boxes}
            written(document, tmp_path / "s1" / "semseg.v2.json")
        return read_scene(written(things, tmp_path / "objects.json"), limits=limits)

    return load_


def words(graph: SceneGraph) -> set[str]:
    return {str(relation) for relation in graph.relations}


@pytest.mark.parametrize("name", ["objects", "relationships"])
def test_the_twin_house(data_dir: Path, name: str) -> None:
    graph = load_scene(data_dir / "3dssg" / f"twin_house_{name}.json")
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert graph.nodes["dining_table_3"].attributes == {"source_id": 3}
    assert graph.nodes["refrigerator_1"].attributes == {
        "source_id": 1,
        "state": "closed",
        "is_open": False,
    }
    assert graph.notes == (
        "the scene has no room: room_1 was put around everything",
        "the scene has no robot: robot_1 was put in room_1",
    )


def test_the_subset_has_labels_and_relationships_in_one(data_dir: Path) -> None:
    graph = load_scene(data_dir / "3dssg" / "twin_house_relationships_subset.json")
    lacks = Lacks(**{**vars(LACKS), "states": True})
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), lacks) == []


# ---- boxes --------------------------------------------------------------------------------------


def box(axes: list[float], lengths: tuple[float, ...]) -> tuple[Any, Any]:
    document = {"centroid": [1, 2, 3], "axesLengths": list(lengths), "normalizedAxes": axes}
    return place_boxes([OrientedBox.model_validate(document)])[0]


def test_the_upright_axis_of_a_box_becomes_its_z() -> None:
    """First axis up, second along y, third along x: left-handed as it stands. 0.1 m thick
    upward, 0.2 m along y, 0.3 m along x. Ours keep their order: x along y, so a yaw of 90 degrees.
    """
    pose, size = box([0, 0, 1, 0, 1, 0, 1, 0, 0], (0.1, 0.2, 0.3))
    assert size == pytest.approx((0.2, 0.3, 0.1))
    assert pose.position == (1, 2, 3)
    assert math.degrees(pose.yaw) == pytest.approx(90)


def test_a_box_upside_down_is_the_same_box() -> None:
    cos, sin = math.cos(0.5), math.sin(0.5)
    pose, size = box([cos, sin, 0, sin, -cos, 0, 0, 0, -1], (1, 2, 3))
    assert size == (1, 2, 3)
    assert pose.yaw == pytest.approx(0.5)
    assert abs(pose.orientation[0]) + abs(pose.orientation[1]) < 1e-9, "level"


def corners(centre: Any, axes: Any, lengths: Any) -> Any:
    """The eight corners, each by its own sum of half axes; sorted."""
    found = []
    for signs in product((-0.5, 0.5), repeat=3):
        steps = [
            sign * length * axis for sign, length, axis in zip(signs, lengths, axes, strict=True)
        ]
        found.append(tuple(np.round(centre + sum(steps), 6) + 0.0))
    return sorted(found)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.permutations(range(3)), st.booleans()), max_size=5)
)
def test_boxes_keep_their_corners(seeds: Any) -> None:
    """Random rotations, axes in any order, right-handed or not: the box stays where it was."""
    boxes, expected = [], []
    for seed, order, mirrored in seeds:
        chance = np.random.default_rng(seed)
        axes = Rotation.random(random_state=seed).as_matrix()[list(order)]
        if mirrored:
            axes[0] = -axes[0]
        centre, lengths = chance.uniform(-5, 5, 3), chance.uniform(0.1, 3, 3)
        expected.append((axes, corners(centre, axes, lengths)))
        boxes.append(
            OrientedBox(
                centroid=tuple(centre.tolist()),
                axesLengths=tuple(lengths.tolist()),
                normalizedAxes=axes.ravel().tolist(),
            )
        )
    for (axes, before), (pose, size) in zip(expected, place_boxes(boxes), strict=True):
        own = Rotation.from_quat(pose.orientation).as_matrix().T
        assert np.allclose(corners(np.array(pose.position), own, size), before, atol=1e-5)
        assert own[2, 2] == pytest.approx(np.abs(axes[:, 2]).max())


def test_axes_that_are_not_perpendicular_leave_the_centre(load: Any) -> None:
    slanted = [1, 0, 0, 0.5, 0.8, 0, 0, 0, 1]
    graph = load(objects("mug"), boxes=[group(1, "mug", normalizedAxes=slanted)])
    assert graph.nodes["mug_1"].size is None
    assert graph.nodes["mug_1"].pose.position == (0, 0, 0)
    assert "the axes of mug_1's box are not perpendicular: left out" in graph.notes


def test_boxes_without_object_and_other_labels_are_told(load: Any) -> None:
    graph = load(objects("mug", "cup"), boxes=[group(1, "beaker"), group(7, "ghost")])
    assert set(graph.nodes) == {"mug_1", "cup_2"}
    assert (
        "1 objects have another label in semseg.v2.json, which is not used: mug_1 (beaker)"
        in graph.notes
    )
    assert any(note.startswith("1 objects have no box") for note in graph.notes)


# ---- predicates ---------------------------------------------------------------------------------


def test_predicates_keep_their_names_but_for_on_and_inside(load: Any) -> None:
    graph = load(
        objects("a", "b", "c", "d"),
        relationships(
            (1, 2, "lying on"),
            (2, 3, "standing in"),
            (1, 3, "same symmetry as"),
            (1, 4, "connected to"),
            (4, 1, "at"),
            (3, 4, "none"),
            (3, 4, "hanging on"),
            (3, 4, "bigger than"),
            (3, 4, "bigger than"),
        ),
    )
    assert words(graph) == {
        "on(a_1, b_2)",
        "inside(b_2, c_3)",
        "same_symmetry_as(a_1, c_3)",
        "connected_to(a_1, d_4)",
        "stated_at(d_4, a_1)",
        "hanging_on(c_3, d_4)",
        "bigger_than(c_3, d_4)",
    }


def test_of_several_places_the_most_certain_counts(load: Any) -> None:
    graph = load(
        objects("mug", "table", "floor"),
        relationships(
            (1, 3, "supported by"), (1, 2, "standing on"), (1, 2, "supported by"), (2, 3, "in")
        ),
    )
    assert words(graph) == {
        "on(mug_1, table_2)",
        "supported_by(mug_1, floor_3)",
        "supported_by(mug_1, table_2)",
        "inside(table_2, floor_3)",
    }
    assert (
        "further places are kept under their own names: mug_1 (supported by floor_3)" in graph.notes
    )


# ---- which scan ---------------------------------------------------------------------------------


def test_which_scan_must_be_clear(tmp_path: Path) -> None:
    scans = [
        {"scan": "a", "split": 0, "objects": {"1": "mug"}, "relationships": []},
        {"scan": "a", "split": 1, "objects": {"2": "cup"}, "relationships": []},
        {"scan": "b", "split": 0, "objects": {"3": "pan"}, "relationships": []},
    ]
    file = written({"scans": scans}, tmp_path / "relationships_subset.json")
    assert set(read_scene(f"{file}#b").nodes) == {"pan_3"}
    assert set(read_scene(f"{file}#a/1").nodes) == {"cup_2"}
    for fragment, reason in (("", "it holds 3 scans"), ("#c", "no scan 'c'"), ("#a", "2 parts")):
        with pytest.raises(SceneError, match=reason):
            read_scene(f"{file}{fragment}")


def test_relationships_without_objects_are_refused(tmp_path: Path) -> None:
    file = written(relationships((1, 2, "on")), tmp_path / "relationships.json")
    with pytest.raises(SceneError, match="no file of objects lies beside it"):
        read_scene(file)


def test_objects_without_relationships_are_told(load: Any) -> None:
    assert "no file of relationships lies beside it" in load(objects("mug")).notes


# ---- real files ---------------------------------------------------------------------------------


def test_replicassg(shared_dir: Path) -> None:
    """18 scans of Replica with 3,065 objects and 581 relationships, without boxes."""
    file = shared_dir / "bench" / "scenes" / "3dssg" / "replicassg_objects.json"
    names = [scan["scan"] for scan in json.loads(file.read_text())["scans"]]
    assert len(names) == 18
    nodes, related = 0, Counter[str]()
    for name in names:
        graph = read_scene(f"{file}#{name}")
        assert {node.layer for node in graph.nodes.values()} == {Layer.OBJECT}
        nodes += len(graph.nodes)
        related.update(relation.name for relation in graph.relations)
    assert nodes == 3065
    assert related == {
        "near": 309,
        "on": 156,
        "with": 54,
        "under": 25,
        "above": 24,
        "inside": 8,
        "attached_to": 3,
        "against": 1,
        "has": 1,
    }


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("id",), "1", "given to two elements"),
        (("id",), "01", "given to two elements"),
        (("id",), "-4", "objects[1] (-4).id"),
        (("attributes",), {"state": "open"}, "attributes.state"),
    ],
)
def test_bad_objects_are_refused(
    load: Any, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(objects("mug", "cup"), ("scans", 0, "objects", 1, *place), value))
    assert reason in str(refusal.value)
    assert "objects.json" in str(refusal.value)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1, 3, 0, "on"]], "object 3, which the scan does not have"),
        ([[1, 2, 0, "on"], [1, 2, 0, "in"]], "predicate 0 is both 'on' and 'in'"),
    ],
)
def test_bad_relationships_are_refused(load: Any, rows: Any, reason: str) -> None:
    with pytest.raises(SceneError) as refusal:
        load(objects("mug", "cup"), {"scans": [{"scan": "s1", "relationships": rows}]})
    assert reason in str(refusal.value)


def test_mugs_in_a_circle_keep_all_but_one_place(load: Any) -> None:
    rows = [[1, 2, 0, "on"], [2, 1, 0, "on"]]
    graph = load(objects("mug", "cup"), {"scans": [{"scan": "s1", "relationships": rows}]})
    placed = [str(r) for r in graph.relations_named("on") if "floor" not in str(r)]
    assert placed in (["on(mug_1, cup_2)"], ["on(cup_2, mug_1)"])
    assert any("however indirectly, so this is left out" in note for note in graph.notes)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"centroid": [0, 0, math.nan]}, "centroid[2]"),
        ({"centroid": [0, 0, 1e999]}, "centroid[2]"),
        ({"axesLengths": [1, 1, -1]}, "axesLengths[2]"),
    ],
)
def test_bad_boxes_are_refused(load: Any, wrong: Any, reason: str) -> None:
    with pytest.raises(SceneError) as refusal:
        load(objects("mug"), boxes=[group(1, "mug", **wrong)])
    assert reason in str(refusal.value)
    assert "semseg.v2.json" in str(refusal.value)


def test_two_boxes_of_one_object_are_refused(load: Any) -> None:
    with pytest.raises(SceneError, match="two boxes"):
        load(objects("mug"), boxes=[group(1, "mug"), group(1, "mug")])


def test_a_scan_name_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    (tmp_path / "other").mkdir()
    inner.mkdir()
    written({"scan_id": "../other", "segGroups": []}, tmp_path / "other" / "semseg.v2.json")
    document = changed(objects("mug"), ("scans", 0, "scan"), "../other")
    with pytest.raises(SceneError, match="outside of its folder"):
        read_scene(written(document, inner / "objects.json"))


def test_too_many_objects_are_refused_unread(load: Any) -> None:
    with pytest.raises(SceneError, match="more than the limit of 5"):
        load({"scans": [{"scan": "s1", "objects": [None] * 6}]}, limits=SceneLimits(max_nodes=5))
