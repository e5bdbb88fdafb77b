# SPDX-License-Identifier: Apache-2.0
"""Reader of SDF worlds and models (``.sdf``, ``.world``), as Gazebo uses them.

- Frame: REP-103, metres. ``pose`` is relative to ``relative_to``, else to what the element is in.
- Includes (``model://NAME``, Fuel addresses, paths) are looked for in the folder of the world, in
  those of the limits' `asset_folders`, and in ``models`` below each. What is not found has no size.
- A model is a thing; its visuals count, or its collisions where it has none. Poses of ``state``,
  which Gazebo saves, replace those of the models. Actors are people.
- Heightmaps, lights and populations are left out. ``house.world#NAME`` names one of several worlds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fcp_ros.scene.formats.geometry import REP_103, Floats
from fcp_ros.scene.formats.scene_file import SceneFile, open_scene_file
from fcp_ros.scene.formats.worlds.bodies import (
    AssetFinder,
    BodyShape,
    WorldBody,
    make_box,
    read_meshes,
)
from fcp_ros.scene.formats.worlds.world_graph import build_world_graph
from fcp_ros.scene.formats.xml_text import (
    find_text,
    make_matrix,
    read_numbers,
    turn_by_angles,
    turn_by_quaternion,
)
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

MOST_NESTED = 30  # Greatest depth of models and includes in one another

_MODEL, _WORLD, _TRUE = "__model__", "world", ("true", "1")
_FREEDOM = {"revolute": 1, "continuous": 1, "prismatic": 1, "screw": 1, "universal": 2, "ball": 3}
_LIMITED, _NO_LIMIT = ("revolute", "prismatic"), 1e5


def is_sdf(file: SceneFile) -> bool:
    """Return True for XML whose root is ``sdf``."""
    return file.has_root("sdf")


def read_sdf(file: SceneFile) -> SceneGraph:
    """Read a world, or the models of a file without one; raises SceneError naming what is wrong."""
    reader = SdfReader(file)
    reader.add_world(_choose_world(file))
    return reader.build()


def _choose_world(file: SceneFile) -> Element:
    root: Element = file.document
    worlds = root.findall("world")
    if not file.fragment:
        return worlds[0] if worlds else root
    for world in worlds:
        if world.get("name") == file.fragment:
            return world
    names = ", ".join(world.get("name", "?") for world in worlds) or "none"
    raise SceneError(f"it has no world {file.fragment!r}", advice=f"There are: {names}.")


def read_pose(element: Element) -> tuple[Floats, str]:
    """Return the matrix of an element's ``pose``, and the frame that it is relative to."""
    pose = element.find("pose")
    if pose is None:
        return np.eye(4), ""
    where = f"pose of {element.tag} {element.get('name', '')}".strip()
    relative_to = pose.get("relative_to") or pose.get("frame") or ""
    if pose.get("rotation_format") == "quat_xyzw":
        numbers = read_numbers(pose.text, 7, where, (0, 0, 0, 0, 0, 0, 1))
        if not np.linalg.norm(numbers[3:]) > 0.0:
            raise SceneError("the rotation has no length", element=where)
        return make_matrix(numbers[:3], turn_by_quaternion(numbers[3:])), relative_to
    numbers = read_numbers(pose.text, 6, where, (0,) * 6)
    turn = turn_by_angles(numbers[3:], degrees=pose.get("degrees") in _TRUE)
    return make_matrix(numbers[:3], turn), relative_to


class _Frames:
    """The named frames of a model or world, and where they are in its own frame."""

    def __init__(self, element: Element) -> None:
        self._frames: dict[str, tuple[str, Floats]] = {}
        for one in element:
            above = _MODEL
            if one.tag == "joint":
                above = find_text(one, "child")
            elif one.tag == "frame":
                above = one.get("attached_to", _MODEL)
            elif one.tag not in ("link", "model", "include"):
                continue
            matrix, relative_to = read_pose(one)
            name = one.get("name") or find_text(one, "name")
            self._frames.setdefault(name, (relative_to or above, matrix))

    def place(self, element: Element) -> Floats:
        """Return the matrix of a link, model or include."""
        matrix, relative_to = read_pose(element)
        found: Floats = self.find(relative_to) @ matrix
        return found

    def find(self, name: str) -> Floats:
        """Return the matrix of a frame by name; unknown ones and circles count as the origin."""
        matrix, passed = np.eye(4), set[str]()
        while name not in passed and name in self._frames:
            passed.add(name)
            name, own = self._frames[name]
            matrix = own @ matrix
        return matrix


@dataclass(frozen=True)
class ModelSurroundings:
    """The surroundings of a model."""

    parent: int  # The number of the body above; -1 for the world
    matrix: Floats  # From the frame of that to the world
    folder: Path
    is_static: bool = False  # True if that is fixed
    depth: int = 0


class SdfReader:
    """The bodies of a world."""

    def __init__(self, file: SceneFile) -> None:
        self._file = file
        self.assets = AssetFinder(file)
        self.bodies: list[WorldBody] = []
        self._notes: list[str] = []
        self._states: dict[str, Floats] = {}

    def build(self) -> SceneGraph:
        """Build the graph of all bodies so far."""
        notes = [*read_meshes(self.bodies, self._file), *self.assets.write_notes(), *self._notes]
        return build_world_graph(self.bodies, REP_103, self._file.name, notes)

    def add_world(self, world: Element) -> None:
        """Add all models, includes and actors of a world."""
        frames, folder = _Frames(world), self._file.path.resolve().parent
        for model in world.findall("state/model"):
            self._states[model.get("name", "")] = read_pose(model)[0]
        for element in world:
            matrix = frames.place(element) if element.tag in ("model", "include", "actor") else None
            if matrix is None:
                continue
            if element.tag == "actor":
                name = element.get("name", "")
                self._add(WorldBody(name, -1, matrix, [BodyShape("", matrix)], label="person"))
            else:
                self._add_any(element, ModelSurroundings(-1, matrix, folder))
        if world.find("population") is not None:
            self._notes.append("populations, which Gazebo draws at random, are left out")

    def _add(self, body: WorldBody) -> int:
        self.bodies.append(body)
        self._file.limits.check_nodes(len(self.bodies), self._file.name)
        return len(self.bodies) - 1

    # ---- models ----------------------------------------------------------------------------------

    def _add_any(self, element: Element, around: ModelSurroundings) -> None:
        """Add a model or an include; the matrix of what is around it is already its own."""
        if around.depth > MOST_NESTED:
            raise SceneError(f"models are nested deeper than {MOST_NESTED}")
        name, asset, model = element.get("name", ""), "", element
        if element.tag == "include":
            uri = find_text(element, "uri")
            name, asset, found = find_text(element, "name"), _name_model(uri), None
            found = self._open_model(uri, around.folder)
            around = replace(around, is_static=around.is_static or _is_static(element))
            if found is None:
                shapes, fixed = [BodyShape("", around.matrix)], around.is_static or None
                self._add(
                    WorldBody(name, around.parent, around.matrix, shapes, asset, is_fixed=fixed)
                )
                return
            model, folder = found
            name = name or model.get("name", "")
            around = replace(around, folder=folder)
            if element.find("pose") is None:  # else it replaces the model's own
                around = replace(around, matrix=around.matrix @ read_pose(model)[0])
        if around.parent < 0 and name in self._states:
            around = replace(around, matrix=self._states[name])
        self.add_model(model, around, name, asset)

    def add_model(
        self, model: Element, around: ModelSurroundings, name: str, asset: str = ""
    ) -> None:
        frames, matrix = _Frames(model), around.matrix
        if model.get("placement_frame"):
            matrix = matrix @ np.linalg.inv(frames.find(model.get("placement_frame", "")))
        is_static = around.is_static or _is_static(model)
        is_held = any(
            joint.get("type") == "fixed" and find_text(joint, "parent") == _WORLD
            for joint in model.findall("joint")
        )
        has_parts = any(model.find(path) is not None for path in ("plugin", "link/sensor"))
        body = WorldBody(name, around.parent, matrix, asset=asset, is_fixed=is_static or is_held)
        body.is_driven = has_parts and not is_static
        inner = ModelSurroundings(
            self._add(body), matrix, around.folder, is_static, around.depth + 1
        )
        self._add_links(model, frames, inner)
        for nested in model:
            if nested.tag in ("model", "include"):
                self._add_any(nested, replace(inner, matrix=matrix @ frames.place(nested)))

    def _add_links(self, model: Element, frames: _Frames, around: ModelSurroundings) -> None:
        """Add the links of a model, each below the one that a joint holds it by."""
        links = {link.get("name", ""): link for link in model.findall("link")}
        held: dict[str, tuple[str, Element]] = {}
        for joint in model.findall("joint"):
            child, parent = find_text(joint, "child"), find_text(joint, "parent")
            if child in links and parent in links:
                held.setdefault(child, (parent, joint))
        numbers: dict[str, int] = {}
        for start in links:
            chain = [start]
            while chain[-1] in held and held[chain[-1]][0] not in (*numbers, *chain):
                chain.append(held[chain[-1]][0])
            for name in (name for name in reversed(chain) if name not in numbers):
                above, joint = held.get(name, ("", Element("joint")))
                place = around.matrix @ frames.place(links[name])
                shapes = list(self._read_shapes(links[name], place, around.folder))
                body = WorldBody(
                    name, numbers.get(above, around.parent), place, shapes, is_part=True
                )
                body.joints, body.openings = _read_joint(joint)
                numbers[name] = self._add(body)

    # ---- shapes ----------------------------------------------------------------------------------

    def _read_shapes(self, link: Element, matrix: Floats, folder: Path) -> Iterator[BodyShape]:
        for element in link.findall("visual") or link.findall("collision"):
            name, place = element.get("name", ""), matrix @ read_pose(element)[0]
            for shape in element.findall("geometry/*"):
                if shape.tag == "mesh":
                    x, y, z = read_numbers(shape.findtext("scale"), 3, name, (1, 1, 1)).tolist()
                    mesh = self._find_file(find_text(shape, "uri"), folder)
                    part = find_text(shape, "submesh/name")
                    is_centred = find_text(shape, "submesh/center") in _TRUE
                    yield BodyShape(name, place, None, mesh, part, is_centred, (x, y, z))
                else:
                    points = _list_corners(shape, name)
                    if points is not None:
                        yield BodyShape(name, place, points)

    # ---- files -----------------------------------------------------------------------------------

    def _find_file(self, uri: str, folder: Path) -> Path | None:
        scheme, separator, rest = uri.partition("://")
        if not separator or (scheme == "file" and rest.startswith("/")):
            return self.assets.find(rest or uri, [folder])
        name = _name_model(uri) if scheme.startswith("http") else rest
        bases = [base for one in self.assets.folders for base in (one, one / "models")]
        found = self.assets.find(name, [*bases, folder])
        beside = self._file.path.resolve().parent.parent / "models"
        if found is None and name and (beside / name.split("/")[0]).is_dir():
            self.assets.advise_folder(beside, name)
        return found

    def _open_model(self, uri: str, folder: Path) -> tuple[Element, Path] | None:
        """Return the model of an include, and its folder; None if it isn't found."""
        path = self._find_file(uri, folder)
        if path is not None and path.is_dir():
            versions = (int(one.name) for one in path.iterdir() if one.name.isdecimal())
            newest = max(versions, default=None)
            path = path if newest is None else path / str(newest)
            config = path / "model.config"
            root = open_scene_file(config, self._file.limits).document if config.is_file() else None
            listed = root.findall("sdf") if isinstance(root, Element) else []
            path = self.assets.find(
                (listed[-1].text or "").strip() if listed else "model.sdf", [path]
            )
        if path is None or not path.is_file():
            return None
        file = open_scene_file(path, self._file.limits)
        if file.document is None:
            raise SceneError(file.problem or "it is no SDF")
        model = file.document if file.has_root("model") else file.document.find(".//model")
        return None if model is None else (model, path.parent)


def _list_corners(shape: Element, name: str) -> Floats | None:
    """Return the corners of a simple shape (m) or the box around it; None for what has none."""

    def read(path: str, count: int = 1) -> Floats:
        return read_numbers(shape.findtext(path), count, f"{shape.tag} {name}", (1.0,) * count)

    match shape.tag:
        case "box":
            return make_box(read("size", 3))
        case "plane":
            return make_box(np.array([*read("size", 2), 0.0]))
        case "ellipsoid":
            return make_box(2.0 * read("radii", 3))
        case "sphere" | "cylinder" | "capsule" | "cone":
            width = 2.0 * float(read("radius")[0])
            length = width if shape.tag in ("sphere", "capsule") else 0.0
            length += float(read("length")[0]) if shape.tag != "sphere" else 0.0
            return make_box(np.array([width, width, length]))
        case "polyline":
            corners = [read_numbers(point.text, 2, name) for point in shape.findall("point")]
            height = float(read("height")[0])
            return np.array([(*corner, z) for z in (0.0, height) for corner in corners] or None)
    return None


def _read_joint(joint: Element) -> tuple[int, tuple[float, ...]]:
    """Return the degrees of freedom of a joint, and the position of one with limits."""
    kind, where = joint.get("type", ""), f"limit of {joint.get('name', '')}"
    ends = [joint.findtext(f"axis/limit/{end}") for end in ("lower", "upper")]
    is_limited = kind in _LIMITED and all(
        end is not None and abs(float(read_numbers(end, 1, where, (np.inf,))[0])) < _NO_LIMIT
        for end in ends
    )
    return _FREEDOM.get(kind, 0), (0.0,) if is_limited else ()


def _is_static(element: Element) -> bool:
    return find_text(element, "static") in _TRUE


def _name_model(uri: str) -> str:
    """Return the name of the model that an address means: the last part that is no version."""
    parts = [part for part in uri.split("/") if part]
    while len(parts) > 1 and (parts[-1].isdecimal() or parts[-1].endswith((".sdf", "tip"))):
        parts.pop()
    return parts[-1] if parts else ""


# --- reader of URDF ---

_ATTRIBUTES = ("size", "radius", "length", "scale")


def is_urdf(file: SceneFile) -> bool:
    """Return True for XML whose root is ``robot``."""
    return file.has_root("robot")


def read_urdf(file: SceneFile) -> SceneGraph:
    """Read the links of a URDF file as a scene; raises SceneError naming what is wrong."""
    if any(element.tag.startswith("xacro:") for element in file.document.iter()):
        raise SceneError(
            "it is xacro, which has to be expanded first",
            advice="Write it with: xacro scene.urdf.xacro > scene.urdf.",
        )
    reader = SdfReader(file)
    model = to_sdf(file.document)
    around = ModelSurroundings(-1, np.eye(4), file.path.resolve().parent)
    reader.add_model(model, around, model.get("name", ""))
    for body in reader.bodies:
        body.is_part, body.is_fixed = False, None
    return reader.build()


def to_sdf(robot: Element) -> Element:
    """Write a URDF document as an SDF model."""
    model = Element("model", name=robot.get("name", ""))
    for link in robot.findall("link"):
        copy = SubElement(model, "link", name=link.get("name", ""))
        for shape in (*link.findall("visual"), *link.findall("collision")):
            inner = SubElement(copy, shape.tag, name=shape.get("name", ""))
            _copy_origin(shape, inner)
            geometry = SubElement(inner, "geometry")
            for form in shape.findall("geometry/*"):
                own = SubElement(geometry, form.tag)
                for name in _ATTRIBUTES:
                    if form.get(name) is not None:
                        SubElement(own, name).text = form.get(name)
                SubElement(own, "uri").text = form.get("filename", "")
    links = {link.get("name"): link for link in model}
    for joint in robot.findall("joint"):
        copy = SubElement(model, "joint", joint.attrib)
        for end in ("parent", "child"):
            element = joint.find(end)
            SubElement(copy, end).text = element.get("link") if element is not None else ""
        limit = joint.find("limit")
        limits = SubElement(SubElement(copy, "axis"), "limit")
        for end in ("lower", "upper"):
            SubElement(limits, end).text = "0" if limit is None else limit.get(end, "0")
        child = links.get(copy.findtext("child"))
        if child is not None and child.find("pose") is None:
            _copy_origin(joint, child, copy.findtext("parent") or "")
    return model


def _copy_origin(element: Element, copy: Element, relative_to: str = "") -> None:
    origin = element.find("origin")
    place = {} if origin is None else origin.attrib
    pose = SubElement(copy, "pose", relative_to=relative_to)
    pose.text = f"{place.get('xyz', '0 0 0')} {place.get('rpy', '0 0 0')}"
