# SPDX-License-Identifier: Apache-2.0
"""ConceptGraphs files: both kinds, their relations, pickles that are refused, and bad files."""

import gzip
import json
import math
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_documents import changed, written
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Provenance, SceneError, SceneGraph, SceneLimits, SceneRelation, load_scene
from fcp_ros.scene.formats.concept_graphs import select_consistent

LIST, RELATIONS = "scene_graph.json", "cfslam_object_relations.json"
TABLE, EDGES = "obj_json_twin_house.json", "edge_json_twin_house.json"
LACKS = Lacks(
    ids=True,
    rooms=True,
    doors=True,
    states=True,
    yaws=True,
    relations=frozenset({"connected", "in_room"}),
)
"""No rooms, so everything is in one; how boxes are turned was dropped."""
COARSE = Lacks(**{**vars(LACKS), "rounding": 0.1})


@pytest.fixture
def folder(data_dir: Path, tmp_path: Path) -> Path:
    """All four files of the twin, to be changed."""
    return Path(shutil.copytree(data_dir / "conceptgraphs", tmp_path / "conceptgraphs"))


def thing(id_: int, tag: str, x: float, **more: Any) -> dict[str, Any]:
    box = {"bbox_center": [x, 0.0, 0.0], "bbox_extent": [0.1, 0.2, 0.3]}
    return {"id": id_, "object_tag": tag, **box, **more}


def relation(a: dict[str, Any], b: dict[str, Any], word: str) -> dict[str, Any]:
    return {"object1": a, "object2": b, "object_relation": word}


def load_list(tmp_path: Path, things: list[Any], relations: list[Any]) -> SceneGraph:
    written(relations, tmp_path / RELATIONS)
    return load_scene(written(things, tmp_path / LIST))


def stated(graph: SceneGraph) -> list[str]:
    return [str(r) for r in graph.relations if r.provenance is Provenance.GIVEN]


def test_the_twin_house_to_the_decimetre(data_dir: Path) -> None:
    graph = load_scene(data_dir / "conceptgraphs" / LIST)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), COARSE) == []
    assert stated(graph) == [
        "on(apple_4, counter_1)",
        "on(mug_5, dining_table_2)",
        "inside(milk_6, refrigerator_0)",
        "on(book_7, couch_3)",
    ]
    assert graph.notes[:3] == (
        "positions and sizes are rounded to 0.1 m, so derived relations are no more accurate",
        "for 1 pairs of objects the language model failed (FAIL)",
        "the file has no orientations of boxes: extents are taken along the map's axes",
    )


def test_a_couch_on_a_remote_is_physically_impossible(tmp_path: Path) -> None:
    """The language model said both: what can't be is left out first, then what can be counts."""
    couch = thing(0, "couch", 0.0, bbox_extent=[2.0, 0.9, 0.8])
    remote = thing(1, "remote control", 0.1, bbox_extent=[0.2, 0.1, 0.0])
    said = [relation(couch, remote, "a on b"), relation(remote, couch, "a on b")]
    graph = load_list(tmp_path, [couch, remote], said)
    assert stated(graph) == ["on(remote_control_1, couch_0)"]
    assert any("left out: on(couch_0, remote_control_1)" in note for note in graph.notes)


def test_the_twin_house_to_the_centimetre(data_dir: Path) -> None:
    graph = load_scene(data_dir / "conceptgraphs" / TABLE)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert stated(graph)[:2] == ["on(apple_5, counter_2)", "on(mug_6, dining_table_3)"]


@pytest.mark.parametrize(("name", "other"), [(LIST, RELATIONS), (TABLE, EDGES)])
def test_without_relations_they_are_derived_and_that_is_noted(
    folder: Path, name: str, other: str
) -> None:
    (folder / other).unlink()
    graph = load_scene(folder / name)
    assert stated(graph) == []
    assert any("relations are derived" in note for note in graph.notes)


def test_an_asymmetric_box_by_hand(tmp_path: Path) -> None:
    graph = load_list(tmp_path, [thing(7, "red mug", 1.5, caption="a mug")], [])
    node = graph.nodes["red_mug_7"]
    assert node.pose.position == (1.5, 0.0, 0.0)
    assert node.size == (0.1, 0.2, 0.3)
    assert (node.category, dict(node.attributes)) == (
        "red mug",
        {"source_id": 7, "caption": "a mug"},
    )


def test_relations_number_places_in_the_list(tmp_path: Path) -> None:
    """Segment 1 was dropped: the table has the id 2, but is the second in the list."""
    mug, table = thing(0, "mug", 0.0), thing(2, "table", 1.0)
    lamp = thing(5, "lamp", 2.0)
    by_place = [
        relation({**mug, "id": 0}, {**table, "id": 1}, "a on b"),
        relation({**table, "id": 1}, {**lamp, "id": 2}, "b on a"),
    ]
    graph = load_list(tmp_path, [mug, table, lamp], by_place)
    assert stated(graph) == ["on(mug_0, table_2)", "on(lamp_5, table_2)"]


def test_the_four_words(tmp_path: Path) -> None:
    a, b, c, d = (thing(n, "thing", float(n)) for n in range(4))
    graph = load_list(
        tmp_path,
        [a, b, c, d],
        [
            relation(a, b, "a in b"),
            relation(b, c, "b in a"),
            relation(b, d, "none of these"),
            relation(d, b, "hovers near"),
        ],
    )
    assert stated(graph) == ["inside(thing_0, thing_1)", "inside(thing_2, thing_1)"]
    assert "relations of no known kind were left out: 'hovers near'" in graph.notes


def test_second_places_and_circles_are_left_out(tmp_path: Path) -> None:
    a, b, c = (thing(n, "thing", float(n)) for n in range(3))
    graph = load_list(
        tmp_path,
        [a, b, c],
        [
            relation(a, b, "a on b"),
            relation(a, c, "a on b"),
            relation(b, a, "a in b"),
            relation(b, b, "a on b"),
            relation(b, c, "a on b"),
        ],
    )
    assert stated(graph) == ["on(thing_0, thing_1)", "on(thing_1, thing_2)"]
    assert any(
        note.endswith("on(thing_0, thing_2), inside(thing_1, thing_0), on(thing_1, thing_1)")
        for note in graph.notes
    )


pairs = st.tuples(st.integers(0, 7), st.integers(0, 7))


@given(st.lists(pairs, max_size=30))
def test_one_place_each_and_no_circle(edges: list[tuple[int, int]]) -> None:
    """Against following every chain to its end, each time from the start."""
    holders: dict[int, int] = {}
    slow = []
    for first, second in edges:
        chain, current = [second], holders.get(second)
        while current is not None:
            chain.append(current)
            current = holders.get(current)
        if first not in holders and first not in chain:
            holders[first] = second
            slow.append(f"on({first}, {second})")
    found, left_out = select_consistent([SceneRelation("on", (str(a), str(b))) for a, b in edges])
    assert [str(relation) for relation in found] == slow
    repeated = [f"on({a}, {b})" for a, b in edges]
    assert set(left_out) == set(repeated) - set(slow)


def test_the_edge_seen_most_counts_and_words_are_kept(folder: Path) -> None:
    edges = json.loads((folder / EDGES).read_text())
    edges["edge_9"] = {
        **edges["edge_0"],
        "object_2_id": 1,
        "object_2_tag": "refrigerator",
        "num_detections": 9,
    }
    edges["edge_10"] = {**edges["edge_1"], "relationship": "Hanging  from"}
    written(edges, folder / EDGES)
    graph = load_scene(folder / TABLE)
    assert "on(apple_5, refrigerator_1)" in stated(graph)
    assert "hanging_from(mug_6, dining_table_3)" in stated(graph)
    assert any("on(apple_5, counter_2)" in note for note in graph.notes)


def test_failed_tags_are_unknown(tmp_path: Path) -> None:
    graph = load_list(tmp_path, [thing(0, "FAIL", 0.0)], [])
    assert graph.nodes["unknown_0"].category == "unknown"
    assert "the tag of unknown_0 failed: taken as unknown" in graph.notes


# ---- other and bad files ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "wanted"), [(RELATIONS, LIST), (EDGES, "obj_json_<run>.json")])
def test_a_file_of_relations_names_the_other_one(data_dir: Path, name: str, wanted: str) -> None:
    with pytest.raises(SceneError, match=f"relations only. Read {wanted} beside it"):
        load_scene(data_dir / "conceptgraphs" / name)


@pytest.mark.parametrize("compressed", [True, False])
def test_pickles_are_refused(tmp_path: Path, compressed: bool) -> None:
    content = pickle.dumps({"objects": [1, 2, 3], "text": "ü"})
    path = tmp_path / "scene_map_cfslam_pruned.pkl.gz"
    path.write_bytes(gzip.compress(content) if compressed else content)
    with pytest.raises(SceneError, match=r"can run code .* read scene_graph\.json"):
        load_scene(path)


@pytest.mark.parametrize(
    ("name", "place", "value", "reason"),
    [
        (LIST, (1, "id"), 0, "given to two elements"),
        (LIST, (1, "bbox_center", 0), math.nan, "bbox_center"),
        (LIST, (1, "bbox_extent", 0), -1.0, "bbox_extent"),
        (LIST, (1, "object_tag"), "shelf", "no object of that number has its tag and box"),
        (LIST, (1, "bbox_center", 0), 2.5, "no object of that number has its tag and box"),
        (RELATIONS, (0, "object1", "id"), 77, "object 77 (apple)"),
        (TABLE, ("object_2", "id"), 1, "given to two elements"),
        (TABLE, ("object_2", "bbox_volume"), 5.0, "bbox_volume 5.0 is not that"),
        (TABLE, ("object_2", "object_tag"), "shelf", "object 2 (counter), which has another tag"),
        (EDGES, ("edge_0", "object_1_id"), 77, "object 77 (apple), which is not listed"),
    ],
)
def test_bad_entries_are_refused(
    folder: Path, name: str, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    document = json.loads((folder / name).read_text())
    written(changed(document, place, value), folder / name)
    with pytest.raises(SceneError) as refusal:
        load_scene(folder / (LIST if name in (LIST, RELATIONS) else TABLE))
    assert reason in str(refusal.value)
    assert (
        name in str(refusal.value) or RELATIONS in str(refusal.value) or EDGES in str(refusal.value)
    )


def test_broken_relations_beside(folder: Path) -> None:
    (folder / RELATIONS).write_text("[{")
    with pytest.raises(SceneError, match=RELATIONS):
        load_scene(folder / LIST)


def test_too_many_objects_are_refused_unread(tmp_path: Path) -> None:
    things = [thing(0, "mug", 0.0), *[None] * 1000]
    with pytest.raises(SceneError, match="1001 nodes, more than the limit of 100"):
        load_scene(written(things, tmp_path / LIST), limits=SceneLimits(max_nodes=100))
