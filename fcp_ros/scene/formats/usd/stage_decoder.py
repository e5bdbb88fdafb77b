# SPDX-License-Identifier: Apache-2.0
"""Decoder of USD stages for the sandbox (see stage.py and `foundation.sandbox`).

The document of a stage holds the labelled prims, the geometry that belongs to each, and references
that were not followed. The current folder is that of the stage, and nothing of this package is
imported.

References, payloads and sublayers that lead out of the stage's folder and the allowed ones are
removed from the layers in memory before the stage is composed, so that no other file is opened.

A point instancer that has a label, or whose prototypes have some, is walked like other prims: each
of its visible instances is a copy of the prototype's prims. Any other is one piece of geometry.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEW_LABELS = "semantics:labels"
OLD_LABELS = "semantic"
USER = "userProperties"
ROBOT = "IsaacRobotAPI"
ARTICULATION = "PhysicsArticulationRootAPI"
PLAIN_TYPES = (bool, int, float, str)
NO_GEOMETRY = ("UsdLuxBoundableLightBase", "UsdSkelSkeleton")
"""Types of prims that have an extent, but no geometry."""

KINDS = ("component", "subcomponent")
"""Kinds of prims that matter: assets of their own, and their parts."""

PRIMS_PER_NODE = 50  # Greatest number of prims for each node that is allowed, on average


class UnusableStage(Exception):
    """A stage that can't be used; the message says why, a clause."""


REFUSAL = UnusableStage  # The exception that refuses a file, for the sandbox


def decode(stage: str, most_prims: str, *folders: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the contents of a stage. Files may be read from `folders`, besides the current one."""
    os.environ.pop("PXR_AR_DEFAULT_SEARCH_PATH", None)  # other folders to look in
    return Stage(stage, (os.getcwd(), *folders), int(most_prims)).contents(), {}


@dataclass(frozen=True)
class Copy:
    """A copy of a prototype's prims: one instance of a point instancer."""

    root: Any
    name: str  # Path of the instancer with the number of the instance, instead of the root's path
    matrix: Any  # From the prototype's frame to the world
    labels: list[list[str]]
    instancers: tuple[str, ...]  # Paths of the instancers that it is in, outermost first


class Stage:
    """An opened stage and its contents so far."""

    def __init__(self, path: str, folders: Sequence[str], most_prims: int) -> None:
        from pxr import Kind, Sdf, Tf, Usd, UsdGeom, UsdUtils

        self.usd, self.geom, self.tf, self.sdf = Usd, UsdGeom, Tf, Sdf
        self.kinds = Kind.Registry
        self.no_geometry = [Tf.Type.FindByName(name) for name in NO_GEOMETRY]
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.most_prims = most_prims
        self.visited = 0
        self.blocked: list[list[str]] = []
        self.broken: list[str] = []
        self.is_labelled: dict[str, bool] = {}
        self.extents: dict[str, list[float] | None] = {}
        self.bad_geometry: list[str] = []
        self.articulations: list[str] = []
        self.kept: list[Any] = []
        self.prims: list[dict[str, Any]] = []
        self.geometry: list[list[Any]] = []
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
            self.walk(self.stage.GetPseudoRoot(), -1, None)
            unresolved = self.list_unresolved()
        except self.tf.ErrorException as error:
            raise UnusableStage(f"USD cannot compose it: {to_first_line(error)}") from None
        for layer in self.stage.GetUsedLayers():
            if not layer.anonymous and not self.is_inside(layer.realPath or layer.identifier):
                raise UnusableStage(
                    f"it refers to {layer.identifier!r}, which is outside of the allowed folders"
                )
        return {
            "up_axis": str(self.geom.GetStageUpAxis(self.stage)),
            "unit": float(self.geom.GetStageMetersPerUnit(self.stage)),
            "prims": self.prims,
            "geometry": self.geometry,
            "blocked": self.blocked,
            "unresolved": unresolved,
            "bad_geometry": self.bad_geometry,
            "broken": self.broken,
            "articulations": self.articulations,
        }

    # ---- only files of the allowed folders

    def confine(self, layer: Any, seen: set[str]) -> None:
        """Remove references to other folders from a layer and from the layers it refers to."""
        seen.add(layer.identifier)
        for asset in layer.GetCompositionAssetDependencies():
            if not asset:
                continue  # a reference within the layer
            target = layer.ComputeAbsolutePath(asset)
            if "`" in asset or not self.is_inside(target):
                self.blocked.append([asset, find_folder(target)])
                if not layer.UpdateCompositionAssetDependency(asset, ""):
                    raise UnusableStage(
                        f"it refers to {asset!r}, which is outside of the allowed folders"
                    )
                continue
            try:
                other = self.sdf.Layer.FindOrOpen(target)
            except self.tf.ErrorException:
                other = None  # reported as unresolved
            if other is not None and other.identifier not in seen:
                self.kept.append(other)  # else it would be read again, as it was
                self.confine(other, seen)

    def is_inside(self, path: str) -> bool:
        """Return True if a file, or its package, is in a folder after links are followed."""
        outer = path.partition("[")[0]
        if is_on_server(outer):
            return False
        real = Path(os.path.realpath(outer))
        return any(real.is_relative_to(folder) for folder in self.folders)

    def list_unresolved(self) -> list[str]:
        """List what could not be opened or composed, with its prim."""
        errors = (" ".join(str(error).split()) for error in self.stage.GetCompositionErrors())
        return list(dict.fromkeys(error.partition(" -- ")[0] for error in errors))

    # ---- prims

    def walk(self, root: Any, owner: int, copy: Copy | None) -> None:
        """Visit all active, defined prims below one.

        `owner` is the number of the nearest labelled prim above, or -1; `copy` the instancer's
        instance.
        """
        wanted = self.usd.PrimDefaultPredicate
        if copy is not None:  # a prototype may be in a class, or below what is not defined
            wanted = self.usd.PrimIsActive & self.usd.PrimIsLoaded
        wanted = self.usd.TraverseInstanceProxies(wanted)
        walk = iter(self.usd.PrimRange.PreAndPostVisit(root, wanted))
        owners = [owner]
        for prim in walk:
            if walk.IsPostVisit():
                owners.pop()
                continue
            self.visited += 1
            too_many = self.visited > self.most_prims * PRIMS_PER_NODE
            if too_many or len(self.prims) > self.most_prims:
                raise UnusableStage(
                    f"it has more prims than the limit of {self.most_prims} nodes allows"
                )
            is_defined = copy is None or prim == root or prim.HasDefiningSpecifier()
            if not is_defined or is_hidden(self.geom, prim, self.time):
                walk.PruneChildren()
                owners.append(owners[-1])
                continue
            owners.append(self.describe(prim, owners[-1], copy))
            instancer = self.geom.PointInstancer(prim)
            if instancer:
                walk.PruneChildren()  # prototypes are drawn at the instances only
            if instancer and self.has_labels(prim):
                for instance in self.list_instances(instancer, copy):
                    self.walk(instance.root, owners[-1], instance)
            elif self.has_geometry(prim):
                self.measure(prim, owners[-1], copy)

    def has_geometry(self, prim: Any) -> bool:
        """Return True for prims that are drawn, which lights and skeletons are not."""
        return bool(
            prim.IsA(self.geom.Boundable) and not any(prim.IsA(kind) for kind in self.no_geometry)
        )

    # ---- instances of point instancers

    def has_labels(self, prim: Any) -> bool:
        """Return True if a prim, or one below it or its prototypes, has a label."""
        path = str(prim.GetPath())
        if path not in self.is_labelled:
            self.is_labelled[path] = False  # for circles
            wanted = self.usd.PrimIsActive & self.usd.PrimIsLoaded
            found = False
            for each in self.usd.PrimRange(prim, self.usd.TraverseInstanceProxies(wanted)):
                instancer = self.geom.PointInstancer(each)
                found = bool(self.read_labels(each, each.GetAuthoredPropertyNames())) or bool(
                    instancer
                    and any(self.has_labels(one) for one in self.find_prototypes(instancer) if one)
                )
                if found:
                    break
            self.is_labelled[path] = found
        return self.is_labelled[path]

    def find_prototypes(self, instancer: Any) -> list[Any]:
        """Return the prototypes in their order; those that don't exist are None."""
        paths = instancer.GetPrototypesRel().GetForwardedTargets()
        found = (self.stage.GetPrimAtPath(path) for path in paths)
        return [prim if prim and prim.IsActive() else None for prim in found]

    def list_instances(self, instancer: Any, copy: Copy | None) -> Iterator[Copy]:
        """List the visible instances of a point instancer, as copies of its prototypes."""
        prim = instancer.GetPrim()
        path = self.find_path(prim, copy)
        above = copy.instancers if copy is not None else ()
        indices = instancer.GetProtoIndicesAttr().Get(self.time)
        prototypes = self.find_prototypes(instancer)
        matrices = instancer.ComputeInstanceTransformsAtTime(
            self.time, self.time, applyMask=self.geom.PointInstancer.IgnoreMask
        )
        numbers = list(indices or ())
        if not numbers and not instancer.GetPositionsAttr().Get(self.time):
            return  # none at all
        known = all(0 <= n < len(prototypes) and prototypes[n] is not None for n in numbers)
        if not numbers or len(matrices or ()) != len(numbers) or not known:
            self.broken.append(f"{path} (positions, prototypes and protoIndices do not fit)")
            return
        own_path = str(prim.GetPath())
        if own_path in above:
            self.broken.append(f"{path} (it is in its own prototype)")
            return
        labels = self.read_labels(prim, prim.GetAuthoredPropertyNames())
        ids = list(instancer.GetIdsAttr().Get(self.time) or range(len(numbers)))
        ids = ids if len(set(ids)) == len(numbers) else list(range(len(numbers)))
        mask = instancer.ComputeMaskAtTime(self.time) or [True] * len(numbers)
        placed = self.compute_transform(prim, copy)
        for number, matrix, id_, shown in zip(numbers, matrices, ids, mask, strict=True):
            if shown:
                name, root = f"{path}[{id_}]", prototypes[number]
                yield Copy(root, name, matrix * placed, labels, (*above, own_path))

    def find_path(self, prim: Any, copy: Copy | None) -> str:
        """Return a prim's path, which tells the instances of point instancers apart."""
        path = str(prim.GetPath())
        return path if copy is None else copy.name + path.removeprefix(str(copy.root.GetPath()))

    def compute_transform(self, prim: Any, copy: Copy | None) -> Any:
        """Return the matrix from a prim's frame to the world."""
        if copy is None:
            return self.frames.GetLocalToWorldTransform(prim)
        return self.frames.ComputeRelativeTransform(prim, copy.root)[0] * copy.matrix

    # ---- labelled prims

    def describe(self, prim: Any, owner: int, copy: Copy | None) -> int:
        """Add a prim that has a label; return its number, else that of its owner."""
        names = prim.GetAuthoredPropertyNames()
        labels = self.read_labels(prim, names)
        is_instance = copy is not None and prim == copy.root
        if copy is not None and is_instance:
            labels = labels or copy.labels
        schemas = prim.GetMetadata("apiSchemas")  # also those that this USD does not know
        applied = schemas.GetAddedOrExplicitItems() if schemas else ()
        is_robot = ROBOT in applied
        if not labels and not is_robot:
            if ARTICULATION in applied and owner < 0:
                self.articulations.append(str(prim.GetPath()))
            return owner
        self.prims.append(
            {
                "path": self.find_path(prim, copy),
                "name": prim.GetName(),
                "type": str(prim.GetTypeName()),
                "parent": owner,
                "labels": labels,
                "is_robot": is_robot,
                "is_body": is_robot
                or any(prim.IsA(kind) for kind in (self.geom.Xform, self.geom.Gprim))
                or bool(self.geom.PointInstancer(prim)),
                "is_asset": is_instance or self.is_asset(prim),
                "kind": self.find_kind(prim),
                "matrix": self.compute_matrix(prim, copy),
                "is_placed": is_instance
                or bool(
                    prim.IsA(self.geom.Xformable) and self.geom.Xformable(prim).GetOrderedXformOps()
                ),
                "attributes": self.read_attributes(prim, names),
            }
        )
        return len(self.prims) - 1

    def is_asset(self, prim: Any) -> bool:
        """Return True if a prim is an asset of its own: referenced, an instance or a component."""
        kind = self.find_kind(prim)
        arcs = prim.HasAuthoredReferences() or prim.HasAuthoredPayloads() or prim.IsInstance()
        return kind == KINDS[0] or bool(arcs and kind not in KINDS)

    def find_kind(self, prim: Any) -> str:
        """Return which of the kinds a prim is noted to be, if any."""
        noted = self.usd.ModelAPI(prim).GetKind()
        return next((kind for kind in KINDS if noted and self.kinds.IsA(noted, kind)), "")

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

    def read_attributes(self, prim: Any, names: list[str]) -> dict[str, Any]:
        """Return user properties, and custom attributes without a namespace."""
        found: dict[str, Any] = {"custom": {}, "user": {}}
        for name in names:
            attribute = prim.GetAttribute(name)
            value = attribute.Get(self.time) if attribute else None
            space, _, own = name.rpartition(":")
            if isinstance(value, PLAIN_TYPES):
                if space == USER:
                    found["user"][own] = value
                elif not space and attribute.IsCustom():
                    found["custom"][own] = value
        return found

    def compute_matrix(self, prim: Any, copy: Copy | None) -> list[float]:
        """Return the matrix from local to world, row after row, for row vectors."""
        return [float(value) for row in self.compute_transform(prim, copy) for value in row]

    def measure(self, prim: Any, owner: int, copy: Copy | None) -> None:
        """Add the extent of a prim's own geometry, computed and not as noted on the prim."""
        if owner < 0:
            return
        path = str(prim.GetPath())
        if path not in self.extents:  # of which point instancers have many copies
            self.extents[path] = self.compute_extent(prim)
            if self.extents[path] is None:
                self.bad_geometry.append(path)
        corners = self.extents[path]
        if corners is not None:
            self.geometry.append([owner, corners, self.compute_matrix(prim, copy)])

    def compute_extent(self, prim: Any) -> list[float] | None:
        """Return the least and greatest x, y, z; None if they are empty or not numbers."""
        boundable = self.geom.Boundable(prim)
        extent = self.geom.Boundable.ComputeExtentFromPlugins(boundable, self.time)
        if extent is None:
            extent = boundable.GetExtentAttr().Get(self.time)
        if extent is None or len(extent) != 2:
            return None
        corners = [float(value) for corner in extent for value in corner]
        is_box = all(low <= high for low, high in zip(corners[:3], corners[3:], strict=True))
        return corners if is_box else None


def is_on_server(path: str) -> bool:
    """Return True for addresses such as omniverse://server/file."""
    return ":" in path.partition("/")[0]


def find_folder(target: str) -> str:
    """Return the folder of a file, after links are followed; empty for an address of a server."""
    outer = target.partition("[")[0]
    return "" if is_on_server(outer) else os.path.dirname(os.path.realpath(outer))


def is_hidden(geom: Any, prim: Any, time: Any) -> bool:
    """Return True if a prim and those below it are not rendered: invisible, or a guide."""
    if not prim.IsA(geom.Imageable):
        return False
    imageable = geom.Imageable(prim)
    visibility, purpose = imageable.GetVisibilityAttr(), imageable.GetPurposeAttr()
    return bool(
        (visibility.HasAuthoredValue() and visibility.Get(time) == "invisible")
        or (purpose.HasAuthoredValue() and purpose.Get() == "guide")
    )


def to_first_line(error: Exception) -> str:
    """Return the message of a Tf error, without its place in USD's code."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except UnicodeDecodeError:
        return "it quotes what is no UTF-8"
    return lines[0].rpartition(" : ")[2].strip("'")[:200] if lines else "unknown error"
