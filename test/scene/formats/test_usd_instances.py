# SPDX-License-Identifier: Apache-2.0
"""Point instancers of USD: each visible instance of what has a label is a thing of its own."""

from pathlib import Path

import numpy as np
import pytest

from fcp_ros.scene import SceneError, SceneGraph, SceneLimits, read_scene
from fcp_ros.scene.shapes.polygons import box_corners

pxr = pytest.importorskip("pxr")
pytestmark = pytest.mark.usefixtures("decoded_here")

HEAD = '#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'
LABEL = 'prepend apiSchemas = ["SemanticsLabelsAPI:class"]'


def labelled(kind: str, name: str, label: str, inside: str, meta: str = "") -> str:
    return (
        f'def {kind} "{name}" (\n{LABEL}\n{meta}\n) {{\n'
        f'token[] semantics:labels:class = ["{label}"]\n{inside}\n}}\n'
    )


BOX = 'def Cube "shape" {\ndouble size = 0.5\n}\n'
PAWN = labelled("Xform", "Pawn", "pawn", BOX)


def instancer(inside: str, values: str, *, count: int = 3, name: str = "Pawns") -> str:
    """A point instancer with instances at x = 0, 1, 2, ..."""
    places = ", ".join(f"({x}, 0, 0)" for x in range(count))
    return (
        f'def PointInstancer "{name}" {{\nrel prototypes = <Pawn>\n'
        f"point3f[] positions = [{places}]\nint[] protoIndices = {[0] * count}\n"
        f"{values}\n{inside}}}\n"
    )


def read(folder: Path, text: str, limits: SceneLimits | None = None) -> SceneGraph:
    path = folder / "scene.usda"
    path.write_text(HEAD + text)
    return read_scene(path, limits=limits)


def places(scene: SceneGraph) -> list[tuple[float, ...]]:
    found = [node.pose.position for node in scene.nodes.values() if node.pose is not None]
    return [tuple(round(x, 3) for x in place) for place in found]


def test_each_instance_is_a_thing(tmp_path: Path) -> None:
    scene = read(tmp_path, instancer(PAWN, ""))
    assert [node.id for node in scene.nodes.values()] == ["pawn_1", "pawn_2", "pawn_3"]
    assert places(scene) == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    assert {node.size for node in scene.nodes.values()} == {(0.5, 0.5, 0.5)}
    assert scene.nodes["pawn_2"].attributes == {"source_id": "/Pawns[1]"}
    assert scene.notes == ()


def test_instances_are_turned_and_stretched(tmp_path: Path) -> None:
    """In the order of the specification: scale, orientation, position, the instancer's frame."""
    values = (
        "quath[] orientations = [(1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0)]\n"
        "float3[] scales = [(1, 1, 1), (2, 1, 1), (1, 1, 4)]\n"
        "double3 xformOp:translate = (0, 5, 1)\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n'
    )
    shape = 'def Cube "shape" {\ndouble size = 1\ndouble3 xformOp:translate = (1, 0, 0)\n'
    shape += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    scene = read(tmp_path, instancer(labelled("Xform", "Pawn", "pawn", shape), values))
    assert places(scene) == [(1, 5, 1), (1, 7, 1), (3, 5, 1)]
    sizes = [node.size for node in scene.nodes.values()]
    assert sizes[2] == pytest.approx((1, 1, 4))
    turned = scene.nodes["pawn_2"]
    assert turned.pose is not None
    assert turned.size is not None
    corners = np.array(box_corners(turned.pose, turned.size))
    assert np.ptp(corners, axis=0) == pytest.approx((1, 2), abs=1e-3)


def test_invisible_and_inactive_instances_do_not_count(tmp_path: Path) -> None:
    text = instancer(PAWN, "int64[] ids = [10, 20, 30, 40]\nint64[] invisibleIds = [20]", count=4)
    text = text.replace(
        'def PointInstancer "Pawns" {', 'def PointInstancer "Pawns" (\ninactiveIds = [40]\n) {'
    )
    scene = read(tmp_path, text)
    assert places(scene) == [(0, 0, 0), (2, 0, 0)]
    sources = [node.attributes["source_id"] for node in scene.nodes.values()]
    assert sources == ["/Pawns[10]", "/Pawns[30]"]


def test_what_is_in_an_instance_belongs_to_it(tmp_path: Path) -> None:
    tray = labelled("Xform", "Pawn", "tray", BOX + labelled("Cube", "cup", "cup", ""))
    scene = read(tmp_path, instancer(tray, "", count=2))
    parents = {node.id: node.parents for node in scene.nodes.values()}
    assert parents == {"tray_1": (), "cup_1": ("tray_1",), "tray_2": (), "cup_2": ("tray_2",)}


def test_the_label_of_an_instancer_is_that_of_its_instances(tmp_path: Path) -> None:
    plain = f'def Xform "Pawn" {{\n{BOX}}}\n'
    text = instancer(plain, 'token[] semantics:labels:class = ["pawn"]').replace(
        'def PointInstancer "Pawns" {', f'def PointInstancer "Pawns" (\n{LABEL}\n) {{'
    )
    scene = read(tmp_path, text)
    assert places(scene) == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    assert [node.category for node in scene.nodes.values()] == ["pawn"] * 3


def test_without_any_label_instances_are_geometry_of_the_thing_above(tmp_path: Path) -> None:
    plain = f'def Xform "Pawn" {{\n{BOX}}}\n'
    scene = read(tmp_path, labelled("Xform", "fence", "fence", instancer(plain, "")))
    assert list(scene.nodes) == ["fence"]
    assert scene.nodes["fence"].size == pytest.approx((2.5, 0.5, 0.5))


@pytest.mark.parametrize("way", ["class", "over", "instance"])
def test_prototypes_may_be_elsewhere(tmp_path: Path, way: str) -> None:
    """In a class, below what is not defined, or below an instance."""
    text = instancer("", "", count=2).replace("<Pawn>", "</Library/Pawn>")
    if way == "instance":
        text = (
            f'class "Set" {{\n{instancer(PAWN, "", count=2)}}}\n'
            'def "a" (\ninstanceable = true\ninherits = </Set>\n) {\n}\n'
        )
    else:
        text += f'{way} "Library" {{\n{PAWN}}}\n'
    assert places(read(tmp_path, text)) == [(0, 0, 0), (1, 0, 0)]


def test_instancers_in_prototypes(tmp_path: Path) -> None:
    """Two rows of three."""
    row = f'def Xform "Pawn" {{\n{instancer(PAWN, "")}}}\n'
    rows = instancer(row, "", count=2, name="Rows").replace("(1, 0, 0)]", "(0, 9, 0)]")
    scene = read(tmp_path, rows)
    assert places(scene) == [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 9, 0), (1, 9, 0), (2, 9, 0)]
    assert scene.nodes["pawn_5"].attributes == {"source_id": "/Rows[1]/Pawns[1]"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0, 0, 0]", "[0, 0, 7]"),
        ("[0, 0, 0]", "[0, -1, 0]"),
        ("[0, 0, 0]", "[0, 0]"),
        ("<Pawn>", "<Nowhere>"),
        ("[(0, 0, 0), ", "["),
    ],
)
def test_instances_that_cannot_be_read_are_named(tmp_path: Path, old: str, new: str) -> None:
    text = instancer(PAWN, "").replace(old, new, 1)
    scene = read(tmp_path, text + labelled("Cube", "mug", "mug", ""))
    assert list(scene.nodes) == ["mug"]
    (note,) = scene.notes if new != "<Nowhere>" else scene.notes[-1:]
    assert "point instancers that cannot be read: /Pawns (positions, prototypes" in note


def test_a_stage_with_nothing_else_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="instancers that cannot be read: /Pawns"):
        read(tmp_path, instancer(PAWN, "").replace("[0, 0, 0]", "[0, 0]", 1))


def test_animated_visibility_counts_as_at_the_beginning(tmp_path: Path) -> None:
    """As all other values do."""
    hidden = 'token visibility = "inherited"\ntoken visibility.timeSamples = {0: "invisible"}\n'
    scene = read(tmp_path, instancer(PAWN, hidden) + labelled("Cube", "mug", "mug", ""))
    assert list(scene.nodes) == ["mug"]
    shown = hidden.replace("inherited", "x").replace("invisible", "inherited")
    shown = shown.replace('"x"', '"invisible"')
    scene = read(tmp_path, instancer(PAWN, shown) + labelled("Cube", "mug", "mug", ""))
    assert len(scene.nodes) == 4


def test_no_instances_at_all_are_no_fault(tmp_path: Path) -> None:
    text = instancer(PAWN, "", count=0) + labelled("Cube", "mug", "mug", "")
    assert read(tmp_path, text).notes == ()


def test_an_instancer_in_its_own_prototype_is_named(tmp_path: Path) -> None:
    text = labelled("Xform", "World", "house", BOX + instancer("", ""))
    scene = read(tmp_path, text.replace("<Pawn>", "</World>"))
    assert any("it is in its own prototype" in note for note in scene.notes)


def test_too_many_instances_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="limit of 5 nodes"):
        read(tmp_path, instancer(PAWN, "", count=20), SceneLimits(max_nodes=5))


# ---- against USD's own bounds --------------------------------------------------------------------


def test_boxes_are_those_of_usd(tmp_path: Path) -> None:
    """USD's own bound of each instance, in any pose, is the thing's box."""
    from pxr import Gf, Sdf, Usd, UsdGeom

    count, draw = 60, np.random.default_rng(15)
    path = tmp_path / "scene.usda"
    path.write_text(HEAD + instancer(PAWN, ""))
    stage = Usd.Stage.Open(Sdf.Layer.FindOrOpen(str(path)))
    found = UsdGeom.PointInstancer(stage.GetPrimAtPath("/Pawns"))
    found.GetPositionsAttr().Set([Gf.Vec3f(*place) for place in draw.uniform(-3, 3, (count, 3))])
    turns = (Gf.Quatf(*turn).GetNormalized() for turn in draw.normal(size=(count, 4)).tolist())
    found.GetOrientationsAttr().Set([Gf.Quath(turn) for turn in turns])
    found.GetScalesAttr().Set([Gf.Vec3f(*scale) for scale in draw.uniform(0.1, 2, (count, 3))])
    found.GetProtoIndicesAttr().Set([0] * count)
    stage.Save()
    cache = UsdGeom.BBoxCache(Usd.TimeCode.EarliestTime(), [UsdGeom.Tokens.default_])
    bounds = cache.ComputePointInstanceWorldBounds(found, list(range(count)))
    for node, bound in zip(read_scene(path).nodes.values(), bounds, strict=True):
        assert node.pose is not None
        box = bound.GetBox()
        corners = [bound.GetMatrix().Transform(box.GetCorner(number)) for number in range(8)]
        middle = np.mean([tuple(corner) for corner in corners], axis=0)
        assert node.pose.position == pytest.approx(middle, abs=1e-3)
        assert node.size is not None
        # turns have half precision, so that they also stretch by a thousandth
        assert sorted(node.size) == pytest.approx(sorted(bound_edges(corners)), rel=1e-2)


def bound_edges(corners: list[object]) -> list[float]:
    """The lengths of the edges of a box, given its corners in USD's order."""
    first, *others = (np.array(tuple(corner)) for corner in corners)  # type: ignore[arg-type]
    return [float(np.linalg.norm(others[number] - first)) for number in (0, 1, 3)]
