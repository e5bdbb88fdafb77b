# SPDX-License-Identifier: Apache-2.0
"""The twin house in all formats that are read: what each file says, and the whole in one hash."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from golden_cases import ROOT, Answer, Case, round_numbers

from fcp_ros.scene import load_scene
from fcp_ros.scene.formats.canonical import to_document

DATA = ROOT / "test" / "scene" / "data"
FILES = (
    "3dssg/twin_house_objects.json",
    "3dssg/twin_house_relationships.json",
    "3dssg/twin_house_relationships_subset.json",
    "3dssg/twin_house_semseg.v2.json",
    "ai2thor/twin_house_event_metadata.json",
    "armeni_npz/3DSceneGraph_TwinHouse.npz",
    "conceptgraphs/cfslam_object_relations.json",
    "conceptgraphs/obj_json_twin_house.json",
    "conceptgraphs/scene_graph.json",
    "hovsg/graph",
    "mjcf/twin_house.xml",
    "omnigibson/twin_house_best.json",
    "procthor/twin_house_house.json",
    "pyrobosim/twin_house_world.yaml",
    "sdf/twin_house.world",
    "twin_house_expected.json",
    "twin_house_spark_v1.1.3.json",
    "twin_house_spark_v1.1.3.sparkdsg",
    "urdf/shelf_room.urdf",
    "usd/edge_cases.usda",
    "usd/kitchen_small.usda",
    "usd/twin_house_yup_cm_legacy.usda",
    "usd/twin_house_zup_m.usda",
)


def list_cases() -> Iterator[Case]:
    """Yield the files of the tests and those of the package."""
    for name in FILES:
        yield Case(name, lambda file=DATA / name: _describe(file))
    for file in sorted((ROOT / "config" / "scenes").glob("*.json")):
        yield Case(f"config/{file.name}", lambda file=file: _describe(file))


def _describe(file: Path) -> Answer:
    graph = load_scene(file)
    rooms = Counter(node.layer.name for node in graph.nodes.values())
    relations = Counter(relation.name for relation in graph.relations)
    whole = json.dumps(round_numbers(_round(to_document(graph))), sort_keys=True)
    return {
        "nodes": dict(sorted(rooms.items())),
        "relations": dict(sorted(relations.items())),
        "notes": len(graph.notes),
        "whole": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def _round(value: object) -> object:
    """Round to a tenth of a millimetre: the last digits are the library's."""
    if isinstance(value, float):
        return round(value, 4) + 0.0
    if isinstance(value, dict):
        return {key: _round(one) for key, one in value.items()}
    return [_round(one) for one in value] if isinstance(value, list) else value
