# SPDX-License-Identifier: Apache-2.0
"""A layout as MJCF, the format of MuJoCo, for its library and for its own viewer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from fcp_ros.execution.physics.layout import Layout, PhysicalBody, RobotStart
from fcp_ros.execution.physics.materials import OPEN_ABOVE, ThingForm
from fcp_ros.execution.physics.robot import add_robot
from fcp_ros.execution.physics.shapes import Hinge, Solid
from fcp_ros.scene.graph.elements import Pose, Vector

TIMESTEP = 0.004
"""Seconds of one step of the engine."""

TINY = 1e-12  # Lesser numbers are written as 0

STATIC, LEAF, THING, ROBOT = 1, 2, 4, 8
"""Groups of shapes that collide: things and robots with all, leaves not with frames."""

COLOURS = {
    ThingForm.TABLE: ".72 .53 .34 1",
    ThingForm.BOX: ".70 .66 .60 1",
    ThingForm.SHELF: ".62 .46 .30 1",
    ThingForm.CABINET: ".86 .86 .88 1",
    ThingForm.CHEST: ".55 .42 .30 1",
    ThingForm.SEAT: ".45 .50 .62 1",
    ThingForm.TUB: ".80 .82 .84 1",
    ThingForm.PANEL: ".60 .62 .58 1",
}
PALETTE = (
    ".85 .25 .22 1",
    ".20 .47 .80 1",
    ".95 .70 .15 1",
    ".30 .65 .35 1",
    ".55 .35 .70 1",
    ".90 .50 .60 1",
    ".25 .65 .70 1",
    ".80 .80 .30 1",
)


def write_mjcf(layout: Layout) -> str:
    """Write a layout as MJCF. Things keep their ids as names of bodies; parts are "ID/part"."""
    root = Element("mujoco", model="fcp_ros")
    SubElement(root, "compiler", angle="radian", autolimits="true", balanceinertia="true")
    option = SubElement(
        root,
        "option",
        timestep=str(TIMESTEP),
        integrator="implicitfast",
        cone="elliptic",
        impratio="10",
    )
    SubElement(option, "flag", sleep="enable")
    visual = SubElement(root, "visual")
    SubElement(visual, "global", offwidth="1280", offheight="960")
    SubElement(visual, "headlight", ambient=".45 .45 .45", diffuse=".35 .35 .35")
    _add_assets(root)
    world = SubElement(root, "worldbody")
    _add_building(world, layout)
    for number, body in enumerate(layout.bodies.values()):
        _add_body(world, body, number)
    for robot in layout.robots:
        add_robot(root, world, robot.id, robot.floor, ROBOT, STATIC | LEAF | THING | ROBOT)
    _add_start(root, layout)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _add_assets(root: Element) -> None:
    asset = SubElement(root, "asset")
    SubElement(
        asset,
        "texture",
        type="skybox",
        builtin="gradient",
        rgb1=".90 .93 .96",
        rgb2=".70 .76 .84",
        width="128",
        height="128",
    )
    SubElement(
        asset,
        "texture",
        name="@planks",
        type="2d",
        builtin="checker",
        rgb1=".80 .76 .70",
        rgb2=".77 .73 .67",
        width="128",
        height="128",
    )
    SubElement(
        asset, "material", name="@floor", texture="@planks", texrepeat="2 2", texuniform="true"
    )


def _add_building(world: Element, layout: Layout) -> None:
    SubElement(
        world, "light", pos="0 0 8", dir="0.2 0.1 -1", directional="true", diffuse=".5 .5 .5"
    )
    floor = {"contype": str(STATIC), "conaffinity": "0", "friction": "0.7"}
    plane = {"name": "@floor", "type": "plane", "size": "0 0 1", "material": "@floor"}
    SubElement(world, "geom", {**plane, "pos": f"0 0 {layout.floor:g}", **floor})
    for number, slab in enumerate(layout.storeys):
        _add_solid(world, slab, f"@storey_{number}", rgba=".8 .76 .7 1", **floor)
    for number, wall in enumerate(layout.walls):
        _add_solid(world, wall, f"@wall_{number}", rgba=".93 .92 .88 .15", **floor)


def _add_body(world: Element, body: PhysicalBody, number: int) -> None:
    element = SubElement(world, "body", {"name": body.id, **_write_pose(body.pose)})
    colour = COLOURS.get(body.material.form) if not body.moves else None
    looks = {"rgba": colour or PALETTE[number % len(PALETTE)]}
    friction = f"{body.material.friction:g} 0.02 0.0005"
    if body.moves:
        SubElement(element, "freejoint", name=f"{body.id}/free")
        # Things keep their own friction against fingers and furniture, whichever is greater there.
        contact = {
            "contype": str(THING),
            "conaffinity": str(STATIC | LEAF | THING),
            "priority": "1",
        }
        contact |= {"condim": "4" if body.material.form is not ThingForm.BALL else "6"}
        contact |= {"friction": friction, "solref": "0.008 1", "solimp": "0.95 0.99 0.001"}
    else:
        contact = {"contype": str(STATIC), "conaffinity": "0", "friction": friction}
    masses = _share_mass(body) if body.moves else [None] * len(body.shape.solids)
    for index, (solid, mass) in enumerate(zip(body.shape.solids, masses, strict=True)):
        extra = {} if mass is None else {"mass": f"{mass:.6g}"}
        _add_solid(element, solid, f"{body.id}/{index}", **looks, **contact, **extra)
    if body.shape.hinge is not None:
        _add_leaf(element, body, body.shape.hinge, looks)


def _share_mass(body: PhysicalBody) -> list[float]:
    """Share the mass of a thing out among its solids, by volume; of a cup, half is its bottom."""
    mass = body.material.mass(body.size)
    volumes = [math.prod(solid.half) for solid in body.shape.solids]
    if body.material.form in OPEN_ABOVE and len(volumes) > 1:
        # A foot that is thicker than the walls: nobody makes cups that fall at a touch.
        volumes[0] = sum(volumes[1:])
    return [mass * volume / sum(volumes) for volume in volumes]


def _add_leaf(parent: Element, body: PhysicalBody, hinge: Hinge, looks: dict[str, str]) -> None:
    leaf = SubElement(parent, "body", name=f"{body.id}/leaf", pos=_write(hinge.origin))
    SubElement(
        leaf,
        "joint",
        name=f"{body.id}/hinge",
        type="hinge",
        axis=_write(hinge.axis),
        range=f"0 {hinge.angle:g}",
        damping="1.5",
        frictionloss="0.8",
        armature="0.05",
    )
    contact = {"contype": str(LEAF), "conaffinity": "0", "friction": "0.4", "density": "150"}
    for index, solid in enumerate(hinge.leaf):
        _add_solid(leaf, solid, f"{body.id}/leaf/{index}", **looks, **contact)
    SubElement(
        leaf,
        "geom",
        type="sphere",
        size="0.02",
        pos=_write(hinge.handle),
        rgba=".25 .25 .28 1",
        contype="0",
        conaffinity="0",
        mass="0.01",
    )


def _add_solid(parent: Element, solid: Solid, name: str, **attributes: str) -> None:
    if not solid.collides:
        attributes |= {"contype": "0", "conaffinity": "0"}
    size = {
        "box": _write(solid.half),
        "cylinder": f"{solid.half[0]:.6g} {solid.half[2]:.6g}",
        "sphere": f"{solid.half[0]:.6g}",
    }[solid.kind]
    if abs(solid.yaw) > TINY:
        attributes["euler"] = f"0 0 {solid.yaw:.9g}"
    kind = {"name": name, "type": solid.kind, "size": size, "pos": _write(solid.centre)}
    SubElement(parent, "geom", {**kind, **attributes})


def _add_start(root: Element, layout: Layout) -> None:
    """State where robots stand and how far hinges are open: the key frame "start"."""
    angles: list[str] = []
    for body in layout.bodies.values():
        if body.moves:
            angles.append(f"{_write(body.pose.position)} {_write_turn(body.pose)}")
        if body.shape.hinge is not None:
            angles.append(f"{body.angle:g}")
    controls = []
    for robot in layout.robots:
        angles.append(_write(start_of_robot(robot)))
        controls.append(_write(start_of_robot(robot)[:-1]))
    key = SubElement(root, "keyframe")
    SubElement(key, "key", name="start", qpos=" ".join(angles), ctrl=" ".join(controls))


def start_of_robot(robot: RobotStart) -> tuple[float, ...]:
    """Joint positions at the start: x, y, yaw, lift, arm, pitch, roll, two fingers."""
    return (robot.x, robot.y, robot.yaw, 0.9, 0.0, 0.0, 0.0, 0.03, 0.03)


def _write_pose(pose: Pose) -> dict[str, str]:
    return {"pos": _write(pose.position), "quat": _write_turn(pose)}


def _write_turn(pose: Pose) -> str:
    x, y, z, w = pose.orientation
    return _write((w, x, y, z))


def _write(values: Iterable[float] | Vector) -> str:
    # MuJoCo takes numbers below the smallest normal float for too large ones.
    return " ".join(f"{value:.9g}" if abs(value) > TINY else "0" for value in values)
