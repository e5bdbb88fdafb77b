# SPDX-License-Identifier: Apache-2.0
"""Compiles MJCF by MuJoCo in the sandbox, and lists bodies and shapes (see mjcf.py).

Nothing of this package is imported (see `foundation.sandbox`).
"""

from __future__ import annotations

from typing import Any


class UnusableModel(Exception):
    """A model that cannot be used; the message says why, a clause."""


REFUSAL = UnusableModel


def decode(path: str, most_bodies: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return bodies and shapes of an MJCF file without includes in its initial state.

    Tables ``bodies`` and ``shapes``; the arrays ``body_frames`` (n, 4, 4), ``shape_frames``
    (m, 4, 4), ``points`` (k, 3) in the frames of their shapes, and ``counts`` (m,) of them.
    """
    import mujoco
    import numpy

    library: Any = mujoco

    try:
        model = library.MjModel.from_xml_path(path)
    except ValueError as error:
        raise UnusableModel("MuJoCo says: " + " ".join(str(error).split())[:300]) from None
    if model.nbody > int(most_bodies):
        raise UnusableModel(f"it has {model.nbody} bodies, more than the limit of {most_bodies}")
    data = library.MjData(model)
    library.mj_kinematics(model, data)
    shapes, points = [], []
    signs = numpy.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for shape in range(model.ngeom):
        kind, own, mesh = model.geom_type[shape], model.geom_dataid[shape], ""
        size = model.geom_size[shape]
        if kind == library.mjtGeom.mjGEOM_MESH:
            mesh, start = model.mesh(own).name, model.mesh_vertadr[own]
            points.append(model.mesh_vert[start : start + model.mesh_vertnum[own]])
        elif kind == library.mjtGeom.mjGEOM_PLANE:  # of size 0 it has no end
            points.append(signs * (*size[:2], 0.0) if size[:2].min() > 0.0 else signs[:0])
        else:
            box = model.geom_aabb[shape]
            points.append(box[:3] + signs * box[3:])
        shapes.append(
            {"name": model.geom(shape).name, "body": int(model.geom_bodyid[shape]), "mesh": mesh}
        )
    arrays = {
        "body_frames": to_frames(data.xpos, data.xmat),
        "shape_frames": to_frames(data.geom_xpos, data.geom_xmat),
        "points": numpy.concatenate([numpy.zeros((0, 3)), *points]),
        "counts": numpy.array([len(own) for own in points], dtype=numpy.int64),
    }
    bodies = [describe_body(library, model, body) for body in range(1, model.nbody)]
    return {"bodies": bodies, "shapes": shapes}, arrays


def describe_body(library: Any, model: Any, body: int) -> dict[str, Any]:
    """Return name, parent, joints of a body, and whether only the mouse moves it."""
    joints = []
    first = model.body_jntadr[body]
    for joint in range(first, first + model.body_jntnum[body]):
        joints.append(
            {
                "name": model.joint(joint).name,
                "is_free": bool(model.jnt_type[joint] == library.mjtJoint.mjJNT_FREE),
                "is_limited": bool(model.jnt_limited[joint]),
                "position": float(model.qpos0[model.jnt_qposadr[joint]]),
            }
        )
    return {
        "name": model.body(body).name,
        "parent": int(model.body_parentid[body]),
        "is_marker": bool(model.body_mocapid[body] >= 0),
        "joints": joints,
    }


def to_frames(positions: Any, turns: Any) -> Any:
    """Return matrices (n, 4, 4) of positions (n, 3) and rotations (n, 9)."""
    import numpy

    frames = numpy.tile(numpy.eye(4), (len(positions), 1, 1))
    frames[:, :3, :3] = turns.reshape(-1, 3, 3)
    frames[:, :3, 3] = positions
    return frames
