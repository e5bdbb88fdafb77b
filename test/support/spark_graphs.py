# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG graphs made with the library itself, and what the library says that is in them."""

from __future__ import annotations

import contextlib
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from fcp_ros.scene.formats.spark_dsg.raw import NO_LABEL, RawScene


def graph_of_all_kinds(dsg: Any, seed: int) -> Any:
    """A graph with nodes of every attribute type, their fields filled with random values."""
    chance = np.random.default_rng(seed)
    graph = dsg.DynamicSceneGraph()
    graph.add_layer(3, 1, "MESH_PLACES")
    key = dsg.NodeSymbol
    layers = {
        dsg.ObjectNodeAttributes: (2, 0, "O"),
        dsg.KhronosObjectAttributes: (2, 0, "K"),
        dsg.PlaceNodeAttributes: (3, 0, "p"),
        dsg.Place2dNodeAttributes: (3, 1, "P"),
        dsg.TraversabilityNodeAttributes: (3, 0, "t"),
        dsg.RoomNodeAttributes: (4, 0, "R"),
        dsg.SemanticNodeAttributes: (5, 0, "B"),
        dsg.AgentNodeAttributes: (2, ord("a"), "a"),
        dsg.NodeAttributes: (1, 0, "s"),
    }
    ids = []
    for kind, (layer, partition, letter) in layers.items():
        for index in range(int(chance.integers(1, 4))):
            attributes = _filled(dsg, kind, chance)
            symbol = key(letter, index)
            if partition:
                graph.add_node(layer, symbol.value, attributes, partition)
            else:
                graph.add_node(layer, symbol, attributes)
            ids.append(symbol)
    for _ in range(20):
        a, b = chance.choice(len(ids), 2, replace=False)
        graph.insert_edge(ids[a], ids[b])
    first, last = ids[0], ids[-1]
    if not graph.has_edge(first, last):
        info = dsg.EdgeAttributes()
        info.metadata.add({"why": "a test"})
        graph.insert_edge(first, last, info)
    graph.mesh = _mesh(dsg)
    graph.metadata.add({"labelspaces": {"_l2p0": [[3, "mug"]]}})
    return graph


def _filled(dsg: Any, kind: Any, chance: np.random.Generator) -> Any:
    """Attributes with random values in the fields that there are."""
    attributes = kind()
    attributes.position = chance.uniform(-9, 9, 3)
    many = [int(n) for n in chance.integers(0, 99, int(chance.integers(0, 4)))]
    corners = [chance.uniform(-9, 9, 3) for _ in many]
    info = dsg.NearestVertexInfo()
    box = dsg.BoundingBox(
        dsg.BoundingBoxType.OBB,
        chance.uniform(0.1, 2, 3).astype(np.float32),
        chance.uniform(-9, 9, 3).astype(np.float32),
        _rotation(chance).astype(np.float32),
    )
    values = {
        "name": str(chance.choice(["", "mug_1", "küche", "O(3)"])),
        "semantic_label": int(chance.choice([0, 3, NO_LABEL])),
        "bounding_box": box if chance.random() < 0.8 else dsg.BoundingBox(),
        "semantic_feature": chance.normal(size=(len(many), 2)).astype(np.float32),
        "mesh_connections": many,
        "pcl_mesh_connections": many,
        "pcl_boundary_connections": many,
        "deformation_connections": many,
        "mesh_vertex_labels": [number % 256 for number in many],
        "voxblox_mesh_connections": [info] * len(many),
        "semantic_class_probabilities": {"kitchen": 0.7, "hall": 0.2} if many else {},
        "first_observed_ns": many,
        "last_observed_ns": many,
        "trajectory_timestamps": many,
        "trajectory_positions": [corner.astype(np.float32) for corner in corners],
        "dynamic_object_points": [[corner.astype(np.float32) for corner in corners]] * 2,
        "details": {"colour": many},
        "timestamp": timedelta(microseconds=int(chance.integers(0, 10**9))),
        "external_key": 7,
        "world_R_body": dsg.Quaternion(*chance.normal(size=4)),
    }
    if kind is dsg.TraversabilityNodeAttributes:
        values["first_observed_ns"] = values["last_observed_ns"] = 5
    for name, value in values.items():
        if hasattr(attributes, name):
            with contextlib.suppress(AttributeError):  # some are only to be read
                setattr(attributes, name, value)
    if kind is dsg.Place2dNodeAttributes:
        attributes.boundary = corners
    if kind is dsg.KhronosObjectAttributes:
        attributes.mesh().resize_vertices(2)
    if many:
        attributes.metadata.add({"seen": len(many)})
    return attributes


def _rotation(chance: np.random.Generator) -> Any:
    turn = np.linalg.qr(chance.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)  # no mirror


def _mesh(dsg: Any) -> Any:
    mesh = dsg.Mesh(True, True, True, True)
    mesh.resize_vertices(3)
    mesh.resize_faces(1)
    return mesh


def as_columns(graph: Any, path: Path) -> dict[int, dict[str, Any]]:
    """What the library says about each node: it writes JSON, which is read back plainly."""
    graph.save(str(path), False)
    document = json.loads(path.read_text())
    return {node["id"]: node for node in document["nodes"]}


def differences(raw: RawScene, nodes: dict[int, dict[str, Any]]) -> list[str]:
    """Where decoded columns are not what the library says."""
    found = [] if sorted(raw.keys) == sorted(nodes) else [f"the nodes are {sorted(raw.keys)}"]
    for row, key in enumerate(raw.keys):
        node = nodes[key]
        attributes = node["attributes"]
        pairs: list[tuple[str, Any, Any]] = [
            ("layer", raw.layers[row], (node["layer"], node["partition"])),
            ("kind", raw.kinds[row], attributes["type"]),
            ("name", raw.names[row], attributes.get("name", "")),
            ("label", raw.labels[row], attributes.get("semantic_label", NO_LABEL)),
            ("metadata", raw.metadata[row], attributes["metadata"] or {}),
        ]
        found += [
            f"{key}: {what} {ours} {theirs}" for what, ours, theirs in pairs if ours != theirs
        ]
        if not np.allclose(raw.positions[row], attributes["position"]):
            found.append(f"{key}: position")
        box = attributes.get("bounding_box", {"type": "INVALID"})
        if box["type"] == "INVALID":
            if np.isfinite(raw.sizes[row]).any():
                found.append(f"{key}: a box")
            continue
        turn = np.array([box["world_R_center"][part] for part in "xyzw"])
        for what, ours, theirs in (
            ("centre", raw.centres[row], box["world_P_center"]),
            ("size", raw.sizes[row], box["dimensions"]),
        ):
            if not np.allclose(ours, theirs, atol=1e-6):
                found.append(f"{key}: {what} {ours} {theirs}")
        if not abs(raw.turns[row] @ turn) > 0.9999:
            found.append(f"{key}: turn {raw.turns[row]} {turn}")
    return found
