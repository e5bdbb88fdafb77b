# SPDX-License-Identifier: Apache-2.0
"""Writer of USD stages, text (``.usda``) and binary (``.usdc``), through ``usd-core``.

The stage is z up and in metres. Each node is a prim with a ``SemanticsLabelsAPI:class`` label:
rooms under ``/World``, things in a room under it, so that Isaac Sim shows the scene unchanged. A
box is a stretched cube, an outline a polygon. Attributes become ``userProperties:``; the custom
attributes and relationships ``scene:...`` hold the parts that USD has no words for (layer, id,
outline, height, several parents, relations), so that reading gives the scene back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fcp_ros.scene.formats.scene_file import LossNotes, missing_package
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.relation_options import ALWAYS

_ROOT = "/World"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ODD = re.compile(r"[^A-Za-z0-9_]")
_LABELS = "semantics:labels:class"
_INT64 = 2**63


def write_usd(graph: SceneGraph, path: Path) -> tuple[str, ...]:
    """Write a graph as a stage; return a sentence for each loss; SceneError without usd-core."""
    try:
        from pxr import Gf, Sdf, Usd, UsdGeom, Vt
    except ImportError:
        raise missing_package("writing USD", "usd-core", str(path)) from None
    writer = _Writer((Gf, Sdf, UsdGeom, Vt), graph)
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, _ROOT).GetPrim())
    stage.GetRootLayer().customLayerData = {"frame_id": graph.frame_id}
    writer.write(stage)
    stage.GetRootLayer().Export(str(path))
    return writer.losses.write()


class _Writer:
    """The prims of a graph, and its losses."""

    def __init__(self, modules: tuple[Any, Any, Any, Any], graph: SceneGraph) -> None:
        self._gf, self._sdf, self._geom, self._vt = modules
        self._graph = graph
        self.losses = LossNotes("USD")
        self._paths = dict(self._choose_paths())
        self._counts = Counter[str]()

    def write(self, stage: Any) -> None:
        """Write all prims and relations; rooms before the things in them."""
        prims: dict[str, Any] = {}
        for id_, path in sorted(self._paths.items(), key=lambda entry: entry[1].count("/")):
            prims[id_] = self._define(stage, path, self._graph.nodes[id_])
        for node in self._graph.nodes.values():
            self._relate_parents(prims[node.id], node)
        self._relate(prims)
        if self._graph.sequence:
            self.losses.add("the sequence number", str(self._graph.sequence))

    def _choose_paths(self) -> Iterator[tuple[str, str]]:
        """Yield id and path: below the room that is the only parent, else below the root."""
        nodes = self._graph.nodes
        names: dict[str, str] = {}
        taken = {"box", "outline"}  # names of the geometry
        for id_ in nodes:
            name = id_ if _PLAIN.fullmatch(id_) else _ODD.sub("_", f"_{id_}")
            while name in taken:
                name += "_"
            taken.add(name)
            names[id_] = name
        for id_, node in nodes.items():
            below = _ROOT
            if len(node.parents) == 1 and node.layer is not Layer.ROOM:
                parent = node.parents[0]
                if nodes[parent].layer is Layer.ROOM:  # which lies directly below the root
                    below = f"{_ROOT}/{names[parent]}"
            yield id_, f"{below}/{names[id_]}"

    def _define(self, stage: Any, path: str, node: SceneNode) -> Any:
        prim = self._geom.Xform.Define(stage, path).GetPrim()
        prim.AddAppliedSchema("SemanticsLabelsAPI:class")
        self._set(prim, _LABELS, "TokenArray", [node.category], custom=False)
        self._set(prim, "scene:layer", "Token", node.layer.value)
        if path.rpartition("/")[2] != node.id:
            self._set(prim, "scene:id", "String", node.id)
        if node.polygon:
            corners = self._vt.Vec2dArray([self._gf.Vec2d(x, y) for x, y in node.polygon])
            self._set(prim, "scene:outline", "Double2Array", corners)
        if node.height is not None:
            self._set(prim, "scene:height", "Double", float(node.height))
        for name, value in node.attributes.items():
            self._set_attribute(prim, node, name, value)
        if node.layer is Layer.ROOM:
            self._define_room(stage, path, prim, node)
        elif node.pose is not None:
            self._place(prim, node.pose)
            if node.size is not None:
                self._define_box(stage, f"{path}/box", node.size)
        elif node.size is not None:
            self.losses.add("sizes without a position", node.id)
        return prim

    def _set(self, prim: Any, name: str, kind: str, value: Any, custom: bool = True) -> None:
        prim.CreateAttribute(name, getattr(self._sdf.ValueTypeNames, kind), custom).Set(value)

    def _set_attribute(self, prim: Any, node: SceneNode, name: str, value: Any) -> None:
        too_large = type(value) is int and not -_INT64 <= value < _INT64
        if not _PLAIN.fullmatch(name) or too_large:
            self.losses.add("some attributes", f"{node.id}.{name}")
            return
        kind = {bool: "Bool", int: "Int64", float: "Double", str: "String"}[type(value)]
        self._set(prim, f"userProperties:{name}", kind, value)

    def _place(self, prim: Any, pose: Pose) -> None:
        gf, form = self._gf, self._geom.Xformable(prim)
        form.AddTranslateOp().Set(gf.Vec3d(*pose.position))
        x, y, z, w = pose.orientation
        if (x, y, z) != (0.0, 0.0, 0.0):
            double = self._geom.XformOp.PrecisionDouble
            form.AddOrientOp(double).Set(gf.Quatd(w, gf.Vec3d(x, y, z)))

    def _define_box(self, stage: Any, path: str, size: tuple[float, float, float]) -> None:
        cube = self._geom.Cube.Define(stage, path)
        cube.CreateSizeAttr(1.0)
        double = self._geom.XformOp.PrecisionDouble
        self._geom.Xformable(cube).AddScaleOp(double).Set(self._gf.Vec3d(*size))

    def _define_room(self, stage: Any, path: str, prim: Any, node: SceneNode) -> None:
        """Define a room at the origin, so that prims below it keep their places."""
        if node.pose is not None:
            self._set(prim, "scene:centre", "Double3", self._gf.Vec3d(*node.pose.position))
            if node.pose.orientation != Pose((0.0, 0.0, 0.0)).orientation:
                self.losses.add("orientations of rooms", node.id)
        if node.size is not None:
            self.losses.add("boxes of rooms", node.id)
        if node.polygon:
            middle = node.pose.position[2] if node.pose is not None else (node.height or 0.0) / 2.0
            floor = middle - (node.height or 0.0) / 2.0
            mesh = self._geom.Mesh.Define(stage, f"{path}/outline")
            mesh.CreatePointsAttr([self._gf.Vec3f(x, y, floor) for x, y in node.polygon])
            mesh.CreateFaceVertexCountsAttr([len(node.polygon)])
            mesh.CreateFaceVertexIndicesAttr(list(range(len(node.polygon))))

    def _relate_parents(self, prim: Any, node: SceneNode) -> None:
        above = str(prim.GetPath().GetParentPath())
        if [self._paths[parent] for parent in node.parents] != [above] and (
            node.parents or above != _ROOT
        ):
            self._link(prim, "scene:parents", node.parents)

    def _link(self, prim: Any, name: str, ids: tuple[str, ...]) -> None:
        targets = [self._sdf.Path(self._paths[id_]) for id_ in ids]
        prim.CreateRelationship(name, True).SetTargets(targets)

    def _relate(self, prims: dict[str, Any]) -> None:
        doubtful = 0
        for relation in self._graph.relations:
            derived = relation.provenance is not Provenance.GIVEN
            if derived and relation.name in ALWAYS:
                continue  # derived again on reading
            if not _PLAIN.fullmatch(relation.name) or len(set(relation.elements[1:])) < (
                len(relation.elements) - 1
            ):
                self.losses.add("some relations", str(relation))
                continue
            doubtful += derived or relation.confidence != 1.0
            first, *others = relation.elements
            key = f"{first}:{relation.name}"
            name = f"scene:relation:{relation.name}:n{self._counts[key]}"
            self._counts[key] += 1
            self._link(prims[first], name, tuple(others))
        if doubtful:
            self.losses.add("confidence and origin", f"{doubtful} relations")
