# SPDX-License-Identifier: Apache-2.0
"""Reader of Habitat scenes (``*.scene_instance.json``), such as ReplicaCAD and HSSD.

- Frame: y up, metres, quaternions w, x, y, z; it becomes REP-103 as (x, -z, y).
- An instance is a thing. Its template, ``NAME.object_config.json`` or ``NAME.urdf``, is looked for
  below the folder of the scene and those of the limits' `asset_folders`: give the folder of the
  data set. A template that isn't found is a thing of unknown size.
- Boxes enclose render meshes. ``translation_origin`` says whether the translation is that of the
  asset's origin or, by default, of its centre of mass (``COM``, or the middle of its mesh).
- Labels: the category of HSSD's tables (``id``, ``main_category`` or ``name``), the semantic
  lexicon's class, else the template's name without the words that most names begin with.
- Rooms: the regions of the semantic configuration that the scene names, or that has its name.
- The stage, walls and floors in one mesh, is not read.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from pydantic import Field

from fcp_ros.foundation.labels import is_named
from fcp_ros.scene.formats.geometry import Y_UP, Floats
from fcp_ros.scene.formats.scene_file import SceneFile, open_scene_file
from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extent,
    Position,
    Rotation,
    ToolModel,
    validate,
)
from fcp_ros.scene.formats.worlds.bodies import BodyShape, WorldBody, read_meshes, read_name
from fcp_ros.scene.formats.worlds.sdf import ModelSurroundings, SdfReader, to_sdf
from fcp_ros.scene.formats.worlds.world_graph import build_world_graph
from fcp_ros.scene.formats.xml_text import make_matrix, turn_by_quaternion
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import Polygon, centroid

MOST_FILES = 500_000  # Most files of the allowed folders that are looked through for templates
LARGEST_TABLE = 64 * 1024 * 1024  # Largest table of labels (bytes)

_ENDINGS = (".object_config.json", ".ao_config.json", ".urdf")
_TABLE_COLUMNS = ("main_category", "category", "name")
_ASSET_LOCAL = "asset_local"
_PART = "_part_"
_COMMON, _FEW = 0.6, 5


class HabitatInstance(ToolModel):
    """One entry of ``object_instances`` or ``articulated_object_instances``."""

    template_name: str = Field(min_length=1)
    translation: Position = (0.0, 0.0, 0.0)
    rotation: Rotation = (1.0, 0.0, 0.0, 0.0)
    uniform_scale: Extent = 1.0
    non_uniform_scale: Position = (1.0, 1.0, 1.0)
    motion_type: str = ""
    translation_origin: str = ""
    fixed_base: bool | None = None


class HabitatScene(ToolModel):
    """The whole file."""

    object_instances: list[HabitatInstance] = Field(default_factory=list)
    articulated_object_instances: list[HabitatInstance] = Field(default_factory=list)
    translation_origin: str = ""
    semantic_scene_instance: str = ""


class HabitatObject(ToolModel):
    """The template of a thing."""

    render_asset: str = ""
    collision_asset: str = ""
    scale: Position = (1.0, 1.0, 1.0)
    up: Position = (0.0, 1.0, 0.0)
    front: Position = (0.0, 0.0, -1.0)
    COM: Position | None = None
    semantic_id: int = 0


class HabitatRegion(ToolModel):
    """A room of the semantic configuration."""

    name: str = ""
    label: str = ""
    poly_loop: list[Position] = Field(default_factory=list)
    floor_height: Coordinate = 0.0
    extrusion_height: Coordinate = 0.0


class HabitatRegions(ToolModel):
    """The semantic configuration of a scene."""

    region_annotations: list[HabitatRegion] = Field(default_factory=list)


def is_habitat(file: SceneFile) -> bool:
    """Return True for a document with Habitat's instances or its stage."""
    return file.has_keys("object_instances") or file.has_keys("stage_instance")


def read_habitat(file: SceneFile) -> SceneGraph:
    """Read a scene; raises SceneError naming each wrong entry."""
    file.check_counts("object_instances", "articulated_object_instances")
    return _HabitatReader(file).build()


@dataclass
class _Template:
    """A thing's render mesh and how it lies in the thing's frame."""

    config: HabitatObject
    mesh: Path | None


class _HabitatReader:
    """The instances of a scene as bodies, with labels and rooms."""

    def __init__(self, file: SceneFile) -> None:
        self._file = file
        self._scene = validate(HabitatScene, file.document)
        self._world = SdfReader(file)
        self._assets = self._world.assets
        self._files = self._index_files()
        self._templates: dict[str, _Template | None] = {}
        self._unknown: dict[str, None] = {}
        self._tables = list(self._read_tables())
        everything = (*self._scene.object_instances, *self._scene.articulated_object_instances)
        names = dict.fromkeys(Path(one.template_name).name for one in everything)
        self._common = _find_common_start(names)

    def build(self) -> SceneGraph:
        """Build the graph; things are put in their places once their meshes are read."""
        bodies = self._world.bodies
        bodies += [self._place(instance) for instance in self._scene.object_instances]
        for instance in self._scene.articulated_object_instances:
            self._add_articulated(instance, bodies)
        notes = [*read_meshes(bodies, self._file), *self._assets.write_notes()]
        for instance, body in zip(self._scene.object_instances, bodies, strict=False):
            self._move_to_centre(instance, body.shapes[0])
        if self._unknown:
            notes.append(
                f"{len(self._unknown)} templates are not in the scene's folder: their shapes are "
                "unknown. Allow the folder of the data set, where objects and configs are, with "
                "--assets FOLDER (of the node scene_graph: scene_folders)"
            )
        notes.append("the stage is not read: walls and floors are none of the things")
        rooms = list(self._read_rooms())
        return build_world_graph(bodies, Y_UP, self._file.name, notes, rooms)

    # ---- files -----------------------------------------------------------------------------------

    def _index_files(self) -> dict[str, Path]:
        """Index templates, tables and semantic files of the allowed folders by name."""
        found: dict[str, Path] = {}
        count = 0
        for top in self._assets.folders:
            for folder, _, names in os.walk(top):
                count += len(names)
                if count > MOST_FILES:
                    return found
                for name in names:
                    if name.endswith((*_ENDINGS, ".csv", "lexicon.json", "semantic_config.json")):
                        found.setdefault(name, Path(folder) / name)
        return found

    def _open(self, path: Path | None) -> Any:
        """Return the document of a JSON file that the index found; None without one."""
        found = self._assets.find(str(path), [Path("/")]) if path is not None else None
        return open_scene_file(found, self._file.limits).document if found is not None else None

    def _find_template(self, name: str) -> _Template | None:
        if name not in self._templates:
            path = self._files.get(f"{Path(name).name}.object_config.json")
            document = self._open(path)
            template = None
            if path is not None and document is not None:
                config = validate(HabitatObject, document, str(path))
                asset = config.render_asset or config.collision_asset
                mesh = self._assets.find(asset, [path.resolve().parent]) if asset else None
                template = _Template(config, mesh)
            else:
                self._unknown[name] = None
            self._templates[name] = template
        return self._templates[name]

    # ---- things ----------------------------------------------------------------------------------

    def _place(self, instance: HabitatInstance) -> WorldBody:
        name, matrix = Path(instance.template_name).name, _read_matrix(instance)
        template = self._find_template(instance.template_name)
        shape = BodyShape("", matrix)
        if template is not None:
            stretch = np.array(instance.non_uniform_scale) * instance.uniform_scale
            x, y, z = (stretch * np.array(template.config.scale)).tolist()
            turn = _turn_upright(template.config, name)
            shape = BodyShape("", matrix @ turn, None, template.mesh, scale=(x, y, z))
        label = self._choose_label(name, template)
        body = WorldBody(name.removeprefix(self._common), -1, matrix, [shape], label=label)
        body.is_fixed = instance.motion_type.upper() != "DYNAMIC" if instance.motion_type else None
        return body

    def _add_articulated(self, instance: HabitatInstance, bodies: list[WorldBody]) -> None:
        name, matrix = Path(instance.template_name).name, _read_matrix(instance)
        robot = self._open(self._files.get(f"{name}.urdf"))
        number = len(bodies)
        if isinstance(robot, Element):
            scaled = matrix @ np.diag([*[instance.uniform_scale] * 3, 1.0])
            folder = self._files[f"{name}.urdf"].resolve().parent
            self._world.add_model(to_sdf(robot), ModelSurroundings(-1, scaled, folder), name)
        else:
            self._unknown[instance.template_name] = None
            bodies.append(WorldBody(name, -1, matrix, [BodyShape("", matrix)]))
        bodies[number].is_fixed = instance.fixed_base
        bodies[number].label = self._choose_label(name, None)

    def _move_to_centre(self, instance: HabitatInstance, shape: BodyShape) -> None:
        """Move a thing whose translation is that of its centre to where it puts its asset."""
        origin = instance.translation_origin or self._scene.translation_origin
        template = self._templates.get(instance.template_name)
        if origin.lower() == _ASSET_LOCAL or template is None:
            return
        if template.config.COM is not None:
            centre = np.array(template.config.COM) * np.array(shape.scale)
        elif shape.points is not None:
            centre = (shape.points.min(axis=0) + shape.points.max(axis=0)) / 2.0
        else:
            return
        shape.matrix = shape.matrix @ make_matrix(-centre, np.eye(3))

    # ---- labels and rooms ------------------------------------------------------------------------

    def _read_tables(self) -> Iterator[dict[str, str]]:
        """Yield the labels by template of each table of labels, those with categories first."""
        for name, path in sorted(self._files.items()):
            if not name.endswith(".csv"):
                continue
            found = self._assets.find(str(path), [Path("/")])
            if found is None or found.stat().st_size > LARGEST_TABLE:
                continue
            rows = csv.DictReader(io.StringIO(found.read_text(encoding="utf-8", errors="replace")))
            columns = [one for one in _TABLE_COLUMNS if one in (rows.fieldnames or ())]
            if "id" in (rows.fieldnames or ()) and columns:
                yield {
                    row["id"]: label
                    for row in rows
                    if row["id"] and (label := next((row[c] for c in columns if row[c]), ""))
                }
        for name, path in sorted(self._files.items()):
            if name.endswith("lexicon.json"):
                document = self._open(path)
                classes = document.get("classes") if isinstance(document, dict) else None
                yield {
                    f"#{entry['id']}": str(entry["name"])
                    for entry in classes or ()
                    if isinstance(entry, dict) and entry.get("id") and entry.get("name")
                }

    def _choose_label(self, name: str, template: _Template | None) -> str:
        semantic = template.config.semantic_id if template is not None else 0
        for table in self._tables:
            for key in (name, name.split(_PART)[0], f"#{semantic}"):
                if is_named(table.get(key, "")):
                    return read_name(table[key])
        return read_name(name.removeprefix(self._common))

    def _read_rooms(self) -> Iterator[SceneNode]:
        own = self._file.path.name.removesuffix(".scene_instance.json")
        wanted = Path(self._scene.semantic_scene_instance).name or own
        path = self._files.get(f"{wanted}.semantic_config.json")
        document = self._open(path or self._files.get(f"{own}.semantic_config.json"))
        if document is None:
            return
        regions = validate(HabitatRegions, document, f"{wanted}.semantic_config.json")
        counts = Counter[str]()
        for region in regions.region_annotations:
            category = read_name(region.label or region.name) or "room"
            counts[category] += 1
            outline: Polygon = tuple((x, -z) for x, _, z in region.poly_loop)
            outline = outline if len(outline) >= 3 else ()
            height = region.extrusion_height if region.extrusion_height > 0.0 else None
            middle = region.floor_height + (height or 0.0) / 2.0
            yield SceneNode(
                f"{category}_{counts[category]}",
                Layer.ROOM,
                category,
                pose=Pose((*centroid(outline), middle)) if outline else None,
                polygon=outline,
                height=height,
                attributes={"source_id": region.name} if region.name else {},
            )


def _read_matrix(instance: HabitatInstance) -> Floats:
    w, x, y, z = instance.rotation
    if (w, x, y, z) == (0.0, 0.0, 0.0, 0.0):
        raise SceneError("its rotation has no length", element=instance.template_name)
    return make_matrix(instance.translation, turn_by_quaternion((x, y, z, w)))


def _turn_upright(config: HabitatObject, name: str) -> Floats:
    """Return the rotation (4, 4) of an asset with other axes to y up and -z forward."""
    up, front = np.array(config.up), np.array(config.front)
    lengths = np.linalg.norm(up), np.linalg.norm(front)
    if min(lengths) < 1e-9 or abs(up @ front) > 1e-3 * lengths[0] * lengths[1]:
        raise SceneError("up and front are not at right angles", element=name)
    up, front = up / lengths[0], front / lengths[1]
    turn = np.eye(4)
    turn[:3, :3] = np.cross(front, up), up, -front
    return turn


def _find_common_start(names: Mapping[str, None]) -> str:
    """Return the words that most names begin with ("frl_apartment_"), up to an underscore."""
    best = ""
    if len(names) < _FEW:
        return best
    starts = Counter(
        "_".join(words[:end]) + "_"
        for words in (name.split("_") for name in names)
        for end in range(1, len(words))
    )
    for start, count in starts.items():
        if count >= _COMMON * len(names) and len(start) > len(best):
            best = start
    return best
