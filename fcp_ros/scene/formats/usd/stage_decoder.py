# SPDX-License-Identifier: Apache-2.0
"""Decoder of USD stages for the sandbox (see stage.py and `foundation.sandbox`).

The document of a stage holds the labelled prims, the geometry that belongs to each, and references
that were not followed; its arrays are the meshes, if they are wanted. The current folder is that of
the stage; nothing of this package is imported.

References, payloads and sublayers that lead out of the folder are removed from the layers in memory
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
"""Greatest number of prims for each node that is allowed, on average."""


class UnusableStage(Exception):
    """A stage that can't be used; the message says why, a clause."""


REFUSAL = UnusableStage
"""The exception that refuses a file, for the sandbox."""


def decode(stage: str, most_prims: str, meshes: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the contents of a stage, and its meshes unless `meshes` is empty."""
    os.environ.pop("PXR_AR_DEFAULT_SEARCH_PATH", None)  # other folders to look in
    opened = Stage(stage, os.getcwd(), int(most_prims), with_meshes=bool(meshes))
    return opened.contents(), opened.join_meshes() if meshes else {}


class Stage:
    """An opened stage and its contents so far."""

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
                raise UnusableStage("USD cannot open it")
            self.confine(root, set())
            self.stage = Usd.Stage.Open(root)
        except Tf.ErrorException as error:
            raise UnusableStage(f"USD cannot open it: {to_first_line(error)}") from None
        self.time = Usd.TimeCode.EarliestTime()
        self.frames = UsdGeom.XformCache(self.time)

    def contents(self) -> dict[str, Any]:
        """Return everything that the scene is made of."""
        try:
            self.walk()
            unresolved = self.list_unresolved()
        except self.tf.ErrorException as error:
            raise UnusableStage(f"USD cannot compose it: {to_first_line(error)}") from None
        for layer in self.stage.GetUsedLayers():
            if not layer.anonymous and not self.is_inside(layer.realPath or layer.identifier):
                raise UnusableStage(
                    f"it refers to {layer.identifier!r}, which is outside of its folder"
                )
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
        """Remove references out of the folder from a layer and from the layers it refers to."""
        seen.add(layer.identifier)
        for asset in layer.GetCompositionAssetDependencies():
            if not asset:
                continue  # a reference within the layer
            target = layer.ComputeAbsolutePath(asset)
            if "`" in asset or not self.is_inside(target):
                self.blocked.append(asset)
                if not layer.UpdateCompositionAssetDependency(asset, ""):
                    raise UnusableStage(f"it refers to {asset!r}, which is outside of its folder")
                continue
            try:
                other = self.sdf.Layer.FindOrOpen(target)
            except self.tf.ErrorException:
                other = None  # reported as unresolved
            if other is not None and other.identifier not in seen:
                self.kept.append(other)  # else it would be read again, as it was
                self.confine(other, seen)

    def is_inside(self, path: str) -> bool:
        """Return True if a file, or its package, is in the folder after links are followed."""
        outer = path.partition("[")[0]
        if ":" in outer.partition("/")[0]:
            return False  # omniverse://, http:// and the like
        return Path(os.path.realpath(outer)).is_relative_to(self.folder)

    def list_unresolved(self) -> list[str]:
        """List what could not be opened or composed, with its prim."""
        return [" ".join(str(error).split()) for error in self.stage.GetCompositionErrors()]

    # ---- prims

    def walk(self) -> None:
        """Visit all active, defined prims, instances included, with their nearest labelled ones."""
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
                raise UnusableStage(
                    f"it has more prims than the limit of {self.most_prims} nodes allows"
                )
            if is_hidden(self.geom, prim):
                walk.PruneChildren()
                owners.append(owners[-1])
                continue
            owners.append(self.describe(prim, owners[-1]))
            if prim.IsA(self.geom.Boundable):
                self.measure(prim, owners[-1])
                if prim.GetTypeName() == INSTANCER:
                    walk.PruneChildren()  # prototypes are drawn at the instances only

    def describe(self, prim: Any, owner: int) -> int:
        """Add a prim that is a node of the scene; return its number, else that of its owner."""
        names = prim.GetAuthoredPropertyNames()
        labels = self.read_labels(prim, names)
        own = self.read_values(prim, names, OWN)
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
                "matrix": self.compute_matrix(prim),
                "is_placed": bool(self.geom.Xformable(prim).GetOrderedXformOps())
                if prim.IsA(self.geom.Xformable)
                else False,
                "own": own,
                "attributes": self.read_attributes(prim, names),
                "relations": self.read_relations(prim, names),
            }
        )
        return len(self.prims) - 1

    def read_labels(self, prim: Any, names: list[str]) -> list[list[str]]:
        """Return pairs [taxonomy, label], those of the current schema before the legacy one."""
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

    def read_values(self, prim: Any, names: list[str], namespace: str) -> dict[str, Any]:
        """Return the values of the attributes in a namespace that JSON can hold."""
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

    def read_attributes(self, prim: Any, names: list[str]) -> dict[str, Any]:
        """Return user properties, and custom attributes without a namespace."""
        found = {}
        for name in names:
            attribute = prim.GetAttribute(name)
            if attribute and ":" not in name and attribute.IsCustom():
                value = attribute.Get(self.time)
                if isinstance(value, PLAIN_TYPES):
                    found[name] = value
        user = self.read_values(prim, names, USER)
        return {"custom": found, "user": {k: v for k, v in user.items() if ":" not in k}}

    def read_relations(self, prim: Any, names: list[str]) -> dict[str, list[str]]:
        """Return the targets of the relationships of our writer."""
        return {
            name.removeprefix(OWN + ":"): [str(path) for path in relationship.GetTargets()]
            for name in names
            if name.startswith(OWN + ":") and (relationship := prim.GetRelationship(name))
        }

    def compute_matrix(self, prim: Any) -> list[float]:
        """Return the matrix from local to world, row after row, for row vectors."""
        transform = self.frames.GetLocalToWorldTransform(prim)
        return [float(value) for row in transform for value in row]

    def measure(self, prim: Any, owner: int) -> None:
        """Add the extent of a prim's own geometry, computed and not as noted on the prim."""
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
            self.geometry.append([owner, corners, self.compute_matrix(prim)])
            if self.meshes is not None:
                self.meshes.append(self.read_mesh(prim))
        else:
            self.bad_geometry.append(str(prim.GetPath()))  # empty, or not a number

    def read_mesh(self, prim: Any) -> list[Any]:
        """Return points, corner counts of faces, and corners; empty if the prim is no mesh."""
        import numpy

        mesh = self.geom.Mesh(prim)
        read = (
            mesh.GetPointsAttr(),
            mesh.GetFaceVertexCountsAttr(),
            mesh.GetFaceVertexIndicesAttr(),
        )
        return [numpy.array(one.Get(self.time) if one else ()) for one in read]

    def join_meshes(self) -> dict[str, Any]:
        """Return the meshes in the order of the geometry: lengths of three parts, and the parts."""
        import numpy

        meshes = self.meshes or []
        parts = [
            numpy.concatenate([numpy.zeros(0), *(m[k].ravel() for m in meshes)]) for k in range(3)
        ]
        lengths = numpy.array([[part.size for part in mesh] for mesh in meshes])
        return {"lengths": lengths, "points": parts[0], "counts": parts[1], "corners": parts[2]}


def is_hidden(geom: Any, prim: Any) -> bool:
    """Return True if a prim and those below it are not rendered: invisible, or a guide."""
    if not prim.IsA(geom.Imageable):
        return False
    imageable = geom.Imageable(prim)
    visibility, purpose = imageable.GetVisibilityAttr(), imageable.GetPurposeAttr()
    return bool(
        (visibility.HasAuthoredValue() and visibility.Get() == "invisible")
        or (purpose.HasAuthoredValue() and purpose.Get() == "guide")
    )


def to_first_line(error: Exception) -> str:
    """Return the message of a Tf error, without its place in USD's code."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except UnicodeDecodeError:
        return "it quotes what is no UTF-8"
    return lines[0].rpartition(" : ")[2].strip("'")[:200] if lines else "unknown error"
