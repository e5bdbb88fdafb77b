# SPDX-License-Identifier: Apache-2.0
"""Reader of URDF: it becomes an SDF model, as in Gazebo, with joints at zero.

A tree of links is a scene only if links without shapes (``world``) hold others, which are things
then; a robot is one node. Files of ``package://NAME/...`` are looked for as those of SDF.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.worlds.sdf import ModelSurroundings, SdfReader
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

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
