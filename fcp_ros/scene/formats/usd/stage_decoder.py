# SPDX-License-Identifier: Apache-2.0
"""Decodes USD stages in the sandbox (see stage.py and `foundation.sandbox`).

The document of a stage holds the labelled prims, the geometry that belongs to each, and what could
not be followed; its arrays are the meshes, if they are wanted. The current folder is that of the
stage; nothing of this package is imported.

References, payloads and sublayers that lead out of the folder are taken out of the layers in memory
before the stage is composed, so that no other file is opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

NEW_LABELS = "semantics:labels"
OLD_LABELS = "semantic"
OWN = "scene"
USER = "userProperties"
ROBOT = "IsaacRobotAPI"
ARTICULATION = "PhysicsArticulationRootAPI"
PLAIN_TYPES = (bool, int, float, str)
INSTANCER = "PointInstancer"
PRIMS_PER_NODE = 50
"""A labelled thing has that many unlabelled parts at most, on average."""


class Refusal(Exception):
    """A stage that can't be used; the message says why, a clause."""


def decode(stage: str, most_prims: str, meshes: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the contents of a stage, and its meshes unless `meshes` is empty."""
    os.environ.pop("PXR_AR_DEFAULT_SEARCH_PATH", None)  # other folders to look in
    opened = Stage(stage, os.getcwd(), int(most_prims), with_meshes=bool(meshes))
    return opened.contents(), opened.mesh_arrays() if meshes else {}


class Stage:
    """An opened stage and what was found on it so far."""

    def __init__(
        self, path: str, folder: str, most_prims: int, *, with_meshes: bool = False
    ) -> None:
        from pxr import Sdf, Tf, Usd, UsdGeom, UsdUtils

        self.usd, self.geom, self.tf, self.sdf = Usd, UsdGeom, Tf, Sdf
        self.folder = os.path.realpath(folder)
        self.most_prims = most_prims
        self.blocked: list[str] = []
        self.bad_geometry: list[str] = []
        self.articulations: list[str] = []
        self.kept: list[Any] = []
        self.prims: list[dict[str, Any]] = []
        self.geometry: list[list[Any]] = []
        self.meshes: list[list[Any]] | None = [] if with_meshes else None
        self.silence = UsdUtils.CoalescingDiagnosticDelegate()
        try:
            root = Sdf.Layer.FindOrOpen(path)
            if root is None:
                raise Refusal("USD cannot open it")
            self.confine(root, set())
            self.stage = Usd.Stage.Open(root)
        except Tf.ErrorException as error:
            raise Refusal(f"USD cannot open it: {first_line(error)}") from None
        self.time = Usd.TimeCode.EarliestTime()
        self.frames = UsdGeom.XformCache(self.time)

    def contents(self) -> dict[str, Any]:
        """Everything that the scene is made of."""
        try:
            self.walk()
            unresolved = self.unresolved()
        except self.tf.ErrorException as error:
            raise Refusal(f"USD cannot compose it: {first_line(error)}") from None
        for layer in self.stage.GetUsedLayers():
            if not layer.anonymous and not self.is_inside(layer.realPath or layer.identifier):
                raise Refusal(f"it refers to {layer.identifier!r}, which is outside of its folder")
        return {
            "up_axis": str(self.geom.GetStageUpAxis(self.stage)),
            "unit": float(self.geom.GetStageMetersPerUnit(self.stage)),
            "frame_id": dict(self.stage.GetRootLayer().customLayerData).get("frame_id", "map"),
            "prims": self.prims,
            "geometry": self.geometry,
            "blocked": self.blocked,
            "unresolved": unresolved,
            "bad_geometry": self.bad_geometry,
            "articulations": self.articulations,
        }

    # ---- only files of the folder

    def confine(self, layer: Any, seen: set[str]) -> None:
        """Take out of a layer, and of those it refers to, what leads out of the folder."""
        seen.add(layer.identifier)
        for asset in layer.GetCompositionAssetDependencies():
            if not asset:
                continue  # a reference within the layer
            target = layer.ComputeAbsolutePath(asset)
            if "`" in asset or not self.is_inside(target):
                self.blocked.append(asset)
                if not layer.UpdateCompositionAssetDependency(asset, ""):
                    raise Refusal(f"it refers to {asset!r}, which is outside of its folder")
                continue
            try:
                other = self.sdf.Layer.FindOrOpen(target)
            except self.tf.ErrorException:
                other = None  # reported as unresolved
            if other is not None and other.identifier not in seen:
                self.kept.append(other)  # else it would be read again, as it was
                self.confine(other, seen)

    def is_inside(self, path: str) -> bool:
        """Whether a file, or the package that it is in, is in the folder, links followed."""
        outer = path.partition("[")[0]
        if ":" in outer.partition("/")[0]:
            return False  # omniverse://, http:// and the like
        return Path(os.path.realpath(outer)).is_relative_to(self.folder)

    def unresolved(self) -> list[str]:
        """What could not be opened or composed, with the prim it belongs to."""
        return [" ".join(str(error).split()) for error in self.stage.GetCompositionErrors()]

    # ---- prims

    def walk(self) -> None:
        """All active, defined prims, instances included, each with its nearest labelled one."""
        visited = 0
        walk = iter(
            self.usd.PrimRange.PreAndPostVisit(
                self.stage.GetPseudoRoot(), self.usd.TraverseInstanceProxies()
            )
        )
        owners = [-1]
        for prim in walk:
            if walk.IsPostVisit():
                owners.pop()
                continue
            visited += 1
            if visited > self.most_prims * PRIMS_PER_NODE or len(self.prims) > self.most_prims:
                raise Refusal(f"it has more prims than the limit of {self.most_prims} nodes allows")
            if hidden(self.geom, prim):
                walk.PruneChildren()
                owners.append(owners[-1])
                continue
            owners.append(self.described(prim, owners[-1]))
            if prim.IsA(self.geom.Boundable):
                self.measure(prim, owners[-1])
                if prim.GetTypeName() == INSTANCER:
                    walk.PruneChildren()  # prototypes are drawn at the instances only

    def described(self, prim: Any, owner: int) -> int:
        """The number of a prim that is a node of the scene, or that of the one it belongs to."""
        names = prim.GetAuthoredPropertyNames()
        labels = self.labels(prim, names)
        own = self.values(prim, names, OWN)
        schemas = prim.GetMetadata("apiSchemas")  # also those that this USD does not know
        applied = schemas.GetAddedOrExplicitItems() if schemas else ()
        is_robot = ROBOT in applied
        if not labels and not is_robot and "layer" not in own:
            if ARTICULATION in applied and owner < 0:
                self.articulations.append(str(prim.GetPath()))
            return owner
        self.prims.append(
            {
                "path": str(prim.GetPath()),
                "name": prim.GetName(),
                "parent": owner,
                "labels": labels,
                "is_robot": is_robot,
                "matrix": self.matrix(prim),
                "is_placed": bool(self.geom.Xformable(prim).GetOrderedXformOps())
                if prim.IsA(self.geom.Xformable)
                else False,
                "own": own,
                "attributes": self.attributes(prim, names),
                "relations": self.relations(prim, names),
            }
        )
        return len(self.prims) - 1

    def labels(self, prim: Any, names: list[str]) -> list[list[str]]:
        """[taxonomy, label], the current schema's before the legacy one's."""
        found = []
        for name in names:
            if name.startswith(NEW_LABELS + ":"):
                value = prim.GetAttribute(name).Get(self.time)
                taxonomy = name.removeprefix(NEW_LABELS + ":")
                found += [[taxonomy, str(label)] for label in value or () if str(label).strip()]
        for name in names:
            if name.startswith(OLD_LABELS + ":") and name.endswith(":params:semanticData"):
                kind = prim.GetAttribute(name.removesuffix("Data") + "Type").Get(self.time)
                label = prim.GetAttribute(name).Get(self.time)
                if isinstance(label, str) and label.strip():
                    found.append([str(kind or ""), label])
        return found

    def values(self, prim: Any, names: list[str], namespace: str) -> dict[str, Any]:
        """Values of the attributes in a namespace that JSON can hold."""
        found: dict[str, Any] = {}
        for name in names:
            if name.startswith(namespace + ":"):
                attribute = prim.GetAttribute(name)
                value = attribute.Get(self.time) if attribute else None
                if isinstance(value, PLAIN_TYPES):
                    found[name.removeprefix(namespace + ":")] = value
                elif value is not None and attribute.GetTypeName().isArray:
                    found[name.removeprefix(namespace + ":")] = [list(entry) for entry in value]
                elif value is not None and hasattr(value, "__len__"):
                    found[name.removeprefix(namespace + ":")] = list(value)
        return found

    def attributes(self, prim: Any, names: list[str]) -> dict[str, Any]:
        """User properties, and custom attributes without a namespace (names as they are)."""
        found = {}
        for name in names:
            attribute = prim.GetAttribute(name)
            if attribute and ":" not in name and attribute.IsCustom():
                value = attribute.Get(self.time)
                if isinstance(value, PLAIN_TYPES):
                    found[name] = value
        user = self.values(prim, names, USER)
        return {"custom": found, "user": {k: v for k, v in user.items() if ":" not in k}}

    def relations(self, prim: Any, names: list[str]) -> dict[str, list[str]]:
        """Targets of the relationships that a scene's writer made."""
        return {
            name.removeprefix(OWN + ":"): [str(path) for path in relationship.GetTargets()]
            for name in names
            if name.startswith(OWN + ":") and (relationship := prim.GetRelationship(name))
        }

    def matrix(self, prim: Any) -> list[float]:
        """Local to world, row after row, for row vectors."""
        transform = self.frames.GetLocalToWorldTransform(prim)
        return [float(value) for row in transform for value in row]

    def measure(self, prim: Any, owner: int) -> None:
        """The extent of a prim's own geometry, computed from it and not as somebody noted it."""
        if owner < 0:
            return
        boundable = self.geom.Boundable(prim)
        extent = self.geom.Boundable.ComputeExtentFromPlugins(boundable, self.time)
        if extent is None:
            extent = boundable.GetExtentAttr().Get(self.time)
        if extent is None or len(extent) != 2:
            self.bad_geometry.append(str(prim.GetPath()))
            return
        corners = [float(value) for corner in extent for value in corner]
        if all(low <= high for low, high in zip(corners[:3], corners[3:], strict=True)):
            self.geometry.append([owner, corners, self.matrix(prim)])
            if self.meshes is not None:
                self.meshes.append(self.mesh(prim))
        else:
            self.bad_geometry.append(str(prim.GetPath()))  # empty, or not a number

    def mesh(self, prim: Any) -> list[Any]:
        """Points, corners of each face, and their points; empty for what is no mesh."""
        import numpy

        mesh = self.geom.Mesh(prim)
        read = (
            mesh.GetPointsAttr(),
            mesh.GetFaceVertexCountsAttr(),
            mesh.GetFaceVertexIndicesAttr(),
        )
        return [numpy.array(one.Get(self.time) if one else ()) for one in read]

    def mesh_arrays(self) -> dict[str, Any]:
        """The meshes in the order of the geometry: lengths of the three parts, and the parts."""
        import numpy

        meshes = self.meshes or []
        parts = [
            numpy.concatenate([numpy.zeros(0), *(m[k].ravel() for m in meshes)]) for k in range(3)
        ]
        lengths = numpy.array([[part.size for part in mesh] for mesh in meshes])
        return {"lengths": lengths, "points": parts[0], "counts": parts[1], "corners": parts[2]}


def hidden(geom: Any, prim: Any) -> bool:
    """Whether a prim and what is below it is no part of what is seen: invisible, or a guide."""
    if not prim.IsA(geom.Imageable):
        return False
    imageable = geom.Imageable(prim)
    visibility, purpose = imageable.GetVisibilityAttr(), imageable.GetPurposeAttr()
    return bool(
        (visibility.HasAuthoredValue() and visibility.Get() == "invisible")
        or (purpose.HasAuthoredValue() and purpose.Get() == "guide")
    )


def first_line(error: Exception) -> str:
    """What a Tf error says, without where in USD's code."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except UnicodeDecodeError:
        return "it quotes what is no UTF-8"
    return lines[0].rpartition(" : ")[2].strip("'")[:200] if lines else "unknown error"
