# SPDX-License-Identifier: Apache-2.0
"""Every JSON format with values lost, exchanged and replaced, from the file to the state.

Damaged bytes are mostly no JSON any more; these documents are, and reach what comes after parsing.
"""

import json
import shutil
import warnings
from pathlib import Path

import pytest
from damaged_files import read_or_refuse
from effort import scaled
from scene_documents import mangled, written

from fcp_ros.binding import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.scene import SceneGraph, to_document

MUTATIONS = scaled(300)
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


@pytest.fixture(scope="module")
def household(repository: Path) -> Domain:
    return load_domain(repository / "config" / "domains" / "household.yaml")


@pytest.mark.parametrize("name", FILES)
def test_refused_or_a_state(name: str, data_dir: Path, tmp_path: Path, household: Domain) -> None:
    """A graph that is given back can be written, and made a state of the household domain."""
    folder = Path(shutil.copytree(data_dir, tmp_path / "data"))
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
