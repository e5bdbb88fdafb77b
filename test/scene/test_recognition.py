# SPDX-License-Identifier: Apache-2.0
"""Every file is found by its content, whatever it is called, and by one reader only."""

import shutil
from pathlib import Path

import pytest

from fcp_ros.scene import READERS, SceneError, SceneLimits
from fcp_ros.scene.formats.scene_file import open_scene_file

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
