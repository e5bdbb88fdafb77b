# SPDX-License-Identifier: Apache-2.0
"""Reading any file: the format is found by content, and bad files get one clear sentence."""

import json
import os
import shutil
from pathlib import Path

import pytest

from fcp_ros.scene import READERS, SceneError, SceneGraph, SceneLimits, load_scene, summarise
from fcp_ros.scene.formats.scene_file import open_scene_file

TWINS = (
    "twin_house_expected.json",
    "twin_house_spark_v1.1.3.json",
    "twin_house_spark_v1.1.3.sparkdsg",
)


def problem(path: Path | str, limits: SceneLimits | None = None) -> str:
    with pytest.raises(SceneError) as caught:
        load_scene(path, limits=limits)
    message = str(caught.value)
    assert str(path).partition("#")[0] in message
    assert message.endswith(".")
    return message


def test_a_missing_file(tmp_path: Path) -> None:
    assert "there is no such file" in problem(tmp_path / "nothing.json")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert "it is a folder with notes.txt" in problem(tmp_path)


@pytest.mark.parametrize("content", [b"", b"  \n\t "])
def test_an_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    assert "the file is empty" in problem(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text("{}")
    path.chmod(0)
    assert "cannot be read" in problem(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"rooms": [', "breaks off or is wrong at line 1"),
        (b"{}", "JSON without any key"),
        (b"[]", "a JSON list of 0"),
        (b"hello", "no mapping"),
        (b"a: [1", "its YAML is wrong at line"),
        (b"a: &x [*x]\n", "the format is unknown"),
        (b"[" * 100_000, "recursion limit exceeded"),
        (b'{"scans": [], "other": 1}', "with the keys scans, other"),
        (b"\x00\x01\x02\xff", "no UTF-8 text"),
        (b"abc\x00def", "zero bytes"),
        ("smörgås".encode("latin-1"), "no UTF-8 text"),
    ],
)
def test_an_unknown_format_names_what_is_supported(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    message = problem(path)
    assert words in message
    assert all(reader.description in message for reader in READERS)


@pytest.mark.parametrize(
    "document",
    [{"format": "fcp_ros/scene", "nodes": []}, {"SPARK_DSG_header": {}, "nodes": [], "edges": []}],
)
def test_a_scene_without_nodes(tmp_path: Path, document: dict[str, object]) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(document))
    assert problem(path)


def test_the_empty_scene_says_so(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("format: fcp_ros/scene\nnodes: []\n")
    assert "the scene is empty: it has no nodes" in problem(path)


@pytest.mark.parametrize("name", TWINS)
def test_limits_are_kept_by_every_reader(data_dir: Path, name: str) -> None:
    assert "more than the limit of 5" in problem(data_dir / name, SceneLimits(max_nodes=5))
    assert "bytes, more than" in problem(data_dir / name, SceneLimits(max_bytes=100))


def test_a_monster_file_is_refused_before_it_is_validated(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text('{"format": "fcp_ros/scene", "nodes": [' + "7," * 500_000 + "7]}")
    # Validation would list what is wrong with each of them: here only their number is.
    assert "the scene has 500001 nodes" in problem(path)


# --- Every file is found by its content, whatever it is called, and by one reader only


FORMATS = {
    "twin_house_expected.json": "house",
    "twin_house_spark_v1.1.3.json": "spark_dsg_json",
    "twin_house_spark_v1.1.3.sparkdsg": "spark_dsg_binary",
    "ai2thor/twin_house_event_metadata.json": "ai2thor",
    "procthor/twin_house_house.json": "procthor",
    "omnigibson/twin_house_best.json": "omnigibson",
    "conceptgraphs/scene_graph.json": "concept_graphs",
    "conceptgraphs/obj_json_twin_house.json": "concept_graphs",
    "armeni_npz/3DSceneGraph_TwinHouse.npz": "armeni",
    "3dssg/twin_house_objects.json": "three_dssg",
    "3dssg/twin_house_relationships.json": "three_dssg",
    "3dssg/twin_house_relationships_subset.json": "three_dssg",
    "hovsg/graph": "hov_sg",
    "pyrobosim/twin_house_world.yaml": "pyrobosim",
    "sdf/twin_house.world": "sdf",
    "mjcf/twin_house.xml": "mjcf",
    "urdf/shelf_room.urdf": "urdf",
}
"""Twins of the house in the folder ``data``, and the reader of each."""


def readers_of(path: Path) -> list[str]:
    """The names of all readers that take a file for theirs."""
    file = open_scene_file(path, SceneLimits())
    return [reader.name for reader in READERS if reader.recognises(file)]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("renamed", ["scene.data", "scene", "42.json.bak"])
def test_the_name_does_not_matter(data_dir: Path, tmp_path: Path, name: str, renamed: str) -> None:
    copied = tmp_path / renamed
    if (data_dir / name).is_dir():
        shutil.copytree(data_dir / name, copied)
    else:
        shutil.copy(data_dir / name, copied)
    assert readers_of(copied) == [FORMATS[name]]


@pytest.mark.parametrize("folder", ["scenes", "context_matters", "taskography/problems"])
def test_no_published_file_is_taken_by_two_readers(shared_dir: Path, folder: str) -> None:
    taken = set()
    for path in sorted((shared_dir / "bench" / folder).rglob("*")):
        try:
            readers = readers_of(path)
        except SceneError:
            continue
        assert len(readers) <= 1, path
        taken.update(readers)
    assert taken


# --- The scene files that were copied here are still those of the shared data


COPIES = {
    "twin_house_expected.json": "twin_house/expected_canonical.json",
    "twin_house_spark_v1.1.3.json": "spark_dsg/twin_house_v1.1.3.json",
    "twin_house_spark_v1.1.3.sparkdsg": "spark_dsg/twin_house_v1.1.3.sparkdsg",
    "ai2thor/twin_house_event_metadata.json": "ai2thor/twin_house_event_metadata.json",
    "procthor/twin_house_house.json": "procthor/twin_house_house.json",
    "omnigibson/twin_house_best.json": "omnigibson/twin_house_best.json",
    "conceptgraphs": "conceptgraphs",
    "usd": "usd",
    "armeni_npz/3DSceneGraph_TwinHouse.npz": "armeni_npz/3DSceneGraph_TwinHouse.npz",
    "hovsg/graph": "hovsg/graph",
    "3dssg/twin_house_objects.json": "3dssg/twin_house_objects.json",
    "3dssg/twin_house_relationships.json": "3dssg/twin_house_relationships.json",
    "3dssg/twin_house_relationships_subset.json": "3dssg/twin_house_relationships_subset.json",
    "3dssg/twin_house_semseg.v2.json": "3dssg/twin_house_semseg.v2.json",
    "pyrobosim/twin_house_world.yaml": "pyrobosim/twin_house_world.yaml",
    "pyrobosim/twin_house_location_data.yaml": "pyrobosim/twin_house_location_data.yaml",
    "pyrobosim/twin_house_object_data.yaml": "pyrobosim/twin_house_object_data.yaml",
}
"""Copy in ``data`` -> original in the shared ``bench/scenes``; folders with all they hold."""


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_equals_the_shared_file(copy: str, data_dir: Path, shared_dir: Path) -> None:
    ours, theirs = data_dir / copy, shared_dir / "bench" / "scenes" / COPIES[copy]
    assert files_of(ours) == files_of(theirs)


def files_of(path: Path) -> dict[str, bytes]:
    """Content by relative path, of a file or of all files below a folder."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


# --- The summary counts what is there


def test_the_summary_of_the_twin_house(house: SceneGraph) -> None:
    summary = summarise(house)
    assert summary.layers == {
        "building": 0,
        "floor": 0,
        "room": 2,
        "place": 0,
        "object": 11,
        "agent": 1,
    }
    assert summary.categories["floor"] == 2
    assert summary.categories["mug"] == 1
    assert summary.rooms == (("kitchen_1", "kitchen", 5), ("living_room_1", "living_room", 5))
    assert summary.agents == (("robot_1", "robot", "kitchen_1"),)
    assert summary.relations["connected"] == {"given": 2}
    assert summary.relations["on"] == {"given": 3, "geometric": 4}
    assert summary.extent == (0.0, 0.0, 9.4, 4.0)
    assert summary.notes == house.notes
