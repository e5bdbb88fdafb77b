# SPDX-License-Identifier: Apache-2.0
"""Every file of every format damaged in its bytes, and every JSON file in its values.

Damaged bytes are mostly no JSON any more; documents with values lost, exchanged and replaced are,
and reach what comes after parsing.
"""

import json
import shutil
import warnings
from pathlib import Path

import pytest
from damaged_files import COPIES, read_or_refuse
from effort import scaled
from scene_documents import mangled, read_damaged, written

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.scene import SceneGraph, to_document

MUTATIONS = scaled(160, quick=16)
FILES = {
    "twin_house_expected.json": "",
    "twin_house_spark_v1.1.3.json": "",
    "ai2thor/twin_house_event_metadata.json": "",
    "procthor/twin_house_house.json": "",
    "omnigibson/twin_house_best.json": "",
    "conceptgraphs/scene_graph.json": "",
    "conceptgraphs/cfslam_object_relations.json": "conceptgraphs/scene_graph.json",
    "conceptgraphs/obj_json_twin_house.json": "",
    "conceptgraphs/edge_json_twin_house.json": "conceptgraphs/obj_json_twin_house.json",
    "3dssg/twin_house_objects.json": "",
    "3dssg/twin_house_relationships.json": "",
    "3dssg/twin_house_semseg.v2.json": "3dssg/twin_house_objects.json",
    "hovsg/graph/floors/0.json": "hovsg/graph",
    "hovsg/graph/rooms/0_0.json": "hovsg/graph",
    "hovsg/graph/objects/0_0_0.json": "hovsg/graph",
}
"""File that is mangled -> what is read, where that is not the file itself."""

OTHERS = {
    "twin_house_spark_v1.1.3.sparkdsg": "",
    "armeni_npz/3DSceneGraph_TwinHouse.npz": "",
    "pyrobosim/twin_house_world.yaml": "",
    "pyrobosim/twin_house_location_data.yaml": "pyrobosim/twin_house_world.yaml",
    "pyrobosim/twin_house_object_data.yaml": "pyrobosim/twin_house_world.yaml",
    "sdf/twin_house.world": "",
}
"""Those that are no JSON."""


@pytest.fixture(scope="module")
def household(repository: Path) -> Domain:
    return load_domain(repository / "config" / "domains" / "household.yaml")


@pytest.fixture
def folder(data_dir: Path, tmp_path: Path) -> Path:
    """A copy of all files."""
    return Path(shutil.copytree(data_dir, tmp_path / "data"))


@pytest.mark.parametrize("name", FILES)
def test_refused_or_a_state(name: str, data_dir: Path, folder: Path, household: Domain) -> None:
    """A graph that is given back can be written, and made a state of the household domain."""
    document = json.loads((data_dir / name).read_text(encoding="utf-8"))
    graphs = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for copied in mangled(document, MUTATIONS, seed=5):
            written(copied, folder / name)
            graph = read_or_refuse(folder / (FILES[name] or name))
            if isinstance(graph, SceneGraph):
                graphs += 1
                json.dumps(to_document(graph)).encode()
                scene_to_instance(graph, household.schema, household.mapping)
    assert 0 < graphs < MUTATIONS


@pytest.mark.parametrize("name", [*FILES, *OTHERS])
def test_damaged_bytes_are_refused_by_name_or_give_a_graph(
    name: str, data_dir: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a flipped number says cannot be known; but nothing crashes, slips through or prints."""
    read = {**FILES, **OTHERS}[name] or name
    refused = read_damaged(data_dir / name, folder / name, 11, folder / read)
    assert 0.2 * COPIES < refused <= COPIES
    assert capfd.readouterr().out == ""
