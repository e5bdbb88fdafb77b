# SPDX-License-Identifier: Apache-2.0
"""Reader of MuJoCo models (MJCF), such as those of robosuite, LIBERO and the Menagerie.

- Frame: that of the model, metres, z up as is MuJoCo's custom. Joints are where ``qpos0`` has them.
- MuJoCo compiles the model in the sandbox. Before, includes are put in place, and only what decides
  where bodies are and how large is left: defaults, meshes, bodies, joints, geoms. So no textures
  are opened and no plugins named.
- Includes and meshes are read from the folder of the file, from those of the limits'
  `asset_folders`, or below; other meshes are of unknown size, other includes are refused.
- Bodies are things, as `world_graph` says; a geom of the world itself is one, too (its visual and
  its collision are one). Bodies that only the mouse moves (mocap) are left out, and so are soft
  bodies, height fields and attached models.
"""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.sandbox import DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.scene.formats.geometry import REP_103
from fcp_ros.scene.formats.scene_file import SceneFile, missing_package, open_scene_file
from fcp_ros.scene.formats.worlds.bodies import AssetFinder, BodyShape, WorldBody, read_name
from fcp_ros.scene.formats.worlds.world_graph import build_world_graph
from fcp_ros.scene.formats.xml_text import DEEPEST
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

DECODER = "fcp_ros.scene.formats.worlds.mjcf_decoder"
MOST_MEMORY = 4 << 30  # Memory limit of the process that compiles (bytes)

MOST_INCLUDES = 1_000

_KEPT = ("compiler", "default", "asset", "worldbody")
_DROPPED = (
    "camera",
    "light",
    "site",
    "texture",
    "material",
    "skin",
    "plugin",
    "lengthrange",
    "model",
)
_LEFT_OUT = {"flexcomp": "soft bodies", "attach": "attached models", "hfield": "height fields"}
_WITHOUT = ("material", "user", "hfield", "fluidshape", "fluidcoef")
_COMPILER = ("angle", "eulerseq", "coordinate", "autolimits", "inertiafromgeom", "settotalmass")
_LENIENT = {"boundmass": "0.001", "boundinertia": "0.001", "balanceinertia": "true"}
_LENIENT |= {"discardvisual": "false", "fusestatic": "false"}
_OF_ANY_MESH = ("name", "class", "inertia")
_PLACEHOLDER = "0 0 0 .001 0 0 0 .001 0 0 0 .001"
_NUMBERED = re.compile(r"[\W_]*\d*$")


def is_mjcf(file: SceneFile) -> bool:
    """Return True for XML whose root is ``mujoco``."""
    return file.has_root("mujoco")


def read_mjcf(file: SceneFile) -> SceneGraph:
    """Read a model; raises SceneError if MuJoCo is missing, or with what it says is wrong."""
    if importlib.util.find_spec("mujoco") is None:
        raise missing_package("reading MJCF", "mujoco", file.name)
    model = _ModelText(file)
    contents, arrays = _compile(file, model)
    try:
        bodies = list(_list_bodies(contents, arrays, model))
    except (KeyError, IndexError, ValueError, TypeError):
        raise SceneError("MuJoCo's answer is damaged") from None
    notes = [*model.assets.write_notes()]
    notes += [f"left out: {', '.join(model.left_out)}"] if model.left_out else []
    return build_world_graph(bodies, REP_103, file.name, notes)


class _ModelText:
    """The text of a model, reduced to what bodies and shapes need, with absolute paths.

    ``unknown`` names meshes whose file isn't read, ``driven`` joints with motors.
    """

    def __init__(self, file: SceneFile) -> None:
        self.assets = AssetFinder(file)
        self.unknown: set[str] = set()
        self.size = len(file.content)
        self.left_out: dict[str, None] = {}
        self._file = file
        self._folder = file.path.resolve().parent
        self._included = 0
        full: Element = file.document
        self.name = full.get("model", "")
        self._put_includes(full, self._folder)
        self.driven = {
            motor.get("joint") or motor.get("jointinparent") or ""
            for section in full.findall("actuator")
            for motor in section
        }
        folders = [one.get("meshdir") or one.get("assetdir") for one in full.findall("compiler")]
        self._mesh_folder = next((folder for folder in reversed(folders) if folder), "")
        self.root = Element("mujoco")
        self.root.extend(self._reduce(section) for section in full if section.tag in _KEPT)
        # Last, so that it counts: masses are of no interest, and must not stop the compiler.
        self.root.append(Element("compiler", _LENIENT))
        file.limits.check_bytes(self.size, f"{file.name} with its files")

    def _put_includes(self, element: Element, folder: Path, depth: int = 0) -> None:
        """Put the content of included files in the place of each include."""
        if depth > DEEPEST:
            raise SceneError(f"with its includes, it is nested deeper than {DEEPEST}")
        for place, child in reversed(list(enumerate(element))):
            if child.tag != "include":
                self._put_includes(child, folder, depth + 1)
                continue
            name = child.get("file", "")
            self._included += 1
            if self._included > MOST_INCLUDES:
                raise SceneError(f"it has more than {MOST_INCLUDES} includes")
            path = self.assets.find(name, [self._folder, folder])
            if path is None or not path.is_file():
                raise SceneError(
                    f"it includes {name!r}, which cannot be read",
                    advice=" ".join(self.assets.write_notes()),
                )
            beside = open_scene_file(path, self._file.limits)
            self.size += len(beside.content)
            self._file.limits.check_bytes(self.size, f"{self._file.name} with its files")
            if not isinstance(beside.document, Element):
                raise SceneError(beside.problem or "it is no XML", source=beside.name)
            self._put_includes(beside.document, path.parent, depth + 1)
            element.remove(child)
            for one in reversed(beside.document):
                element.insert(place, one)

    def _reduce(self, element: Element) -> Element:
        """Return a copy without what is not needed, with meshes by absolute paths."""
        kept = {key: value for key, value in element.attrib.items() if key not in _WITHOUT}
        if element.tag == "compiler":
            kept = {key: value for key, value in kept.items() if key in _COMPILER}
        elif element.tag == "geom":
            kept.update(contype="0", conaffinity="0")
        elif element.tag == "mesh" and ("file" in kept or "name" in kept):
            kept = self._place_mesh(kept)
        copy = Element(element.tag, kept)
        for child in element:
            is_field = child.tag == "hfield" or child.get("type") in ("hfield", "sdf")
            if is_field or child.tag in _LEFT_OUT:
                self.left_out[_LEFT_OUT.get(child.tag, "height fields")] = None
            elif child.tag not in _DROPPED:
                copy.append(self._reduce(child))
        return copy

    def _place_mesh(self, attributes: dict[str, str]) -> dict[str, str]:
        name = attributes.pop("file", "")
        attributes.setdefault("name", Path(name).stem)
        attributes["inertia"] = "shell"  # else a mesh has to be closed
        if not name and "vertex" in attributes:
            return attributes
        path = (
            self.assets.find(str(Path(self._mesh_folder) / name), [self._folder]) if name else None
        )
        if path is None or not path.is_file():
            self.unknown.add(attributes["name"])
            kept = {key: value for key, value in attributes.items() if key in _OF_ANY_MESH}
            return {**kept, "vertex": _PLACEHOLDER}
        self.size += path.stat().st_size
        return {**attributes, "file": str(path)}


def _compile(
    file: SceneFile, model: _ModelText
) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    limits = SandboxLimits.of_size(MOST_MEMORY, model.size)
    with tempfile.TemporaryDirectory(prefix="fcp_mjcf_") as temporary:
        path = Path(temporary) / "model.xml"
        path.write_bytes(ElementTree.tostring(model.root))
        arguments = (str(path), str(file.limits.max_nodes))
        (found,) = decode_in_sandbox(DECODER, [arguments], limits, Path(temporary))
    if isinstance(found, DecodingError):
        raise SceneError(f"it cannot be compiled: {found}")
    return found.document, found.arrays


def _list_bodies(
    contents: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], model: _ModelText
) -> Iterator[WorldBody]:
    """Yield the bodies of the model, then one for each thing among the world's own geoms."""
    ends = np.cumsum(arrays["counts"])[:-1]
    points = np.split(arrays["points"], ends) if len(arrays["counts"]) else []
    shapes: dict[int, list[BodyShape]] = {}
    of_world: dict[str, list[BodyShape]] = {}
    for entry, frame, own in zip(contents["shapes"], arrays["shape_frames"], points, strict=True):
        known = None if entry["mesh"] in model.unknown else own
        shape = BodyShape(entry["name"], frame, known)
        if entry["body"] > 0:
            shapes.setdefault(entry["body"], []).append(shape)
        else:
            name = entry["name"] or entry["mesh"]
            of_world.setdefault(_drop_kind(name), []).append(shape)
    numbers: dict[int, int] = {}
    roots = sum(1 for entry in contents["bodies"] if entry["parent"] == 0)
    frames = arrays["body_frames"]
    for index, entry in enumerate(contents["bodies"], 1):
        above = numbers.get(entry["parent"], -1)
        if entry["is_marker"] or (entry["parent"] > 0 and above < 0):
            continue
        joints = entry["joints"]
        free = [joint for joint in joints if joint["is_free"]]
        moved = [joint for joint in joints if not joint["is_free"]]
        numbers[index] = len(numbers)
        name = entry["name"] or (model.name if above < 0 and roots == 1 else "")
        yield WorldBody(
            name,
            above,
            frames[index],
            shapes.get(index, []),
            is_fixed=not free,
            joints=len(moved),
            openings=tuple(joint["position"] for joint in moved if joint["is_limited"]),
            is_driven=any(joint["name"] in model.driven for joint in joints if joint["name"]),
        )
    for name, alike in of_world.items():
        yield WorldBody(name, -1, alike[0].matrix, alike, is_fixed=True)


def _drop_kind(name: str) -> str:
    """Return the name of a geom without what says that it is the visual or the collision."""
    words = name.split("_")
    while len(words) > 1 and not read_name(words[-1]) and not _NUMBERED.fullmatch(words[-1]):
        words.pop()
    return "_".join(words)
