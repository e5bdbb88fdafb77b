# SPDX-License-Identifier: Apache-2.0
"""Labelled prims of a USD stage that are things: no materials or lights; sixteen pawns, not one."""

from pathlib import Path

import pytest

from fcp_ros.scene import SceneError, SceneGraph, read_scene

pxr = pytest.importorskip("pxr")
pytestmark = pytest.mark.usefixtures("decoded_here")

HEAD = '#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'
BOX = 'def Cube "shape" {\ndouble size = 0.5\n}\n'


def prim(kind: str, name: str, label: str, inside: str = "", meta: str = "") -> str:
    return (
        f'def {kind} "{name}" (\nprepend apiSchemas = ["SemanticsLabelsAPI:class"]\n{meta}\n) {{\n'
        f'token[] semantics:labels:class = ["{label}"]\n{inside}\n}}\n'
    )


def read(folder: Path, text: str) -> SceneGraph:
    path = folder / "scene.usda"
    path.write_text(HEAD + text)
    return read_scene(path)


NO_THINGS = (
    "Material", "Shader", "NodeGraph", "Scope", "GeomSubset", "Camera", "SphereLight", "RectLight",
    "DomeLight", "DistantLight", "LightFilter", "PhysicsFixedJoint", "PhysicsRevoluteJoint",
    "PhysicsScene", "PhysicsCollisionGroup", "Skeleton", "SkelAnimation", "SpatialAudio",
    "RenderSettings", "OpenVDBAsset", "Backdrop", "OmniGraph", "",
)  # fmt: skip


@pytest.mark.parametrize("kind", NO_THINGS)
def test_what_has_no_geometry_is_no_thing(tmp_path: Path, kind: str) -> None:
    table = prim("Xform", "table", "table", BOX + prim(kind, "part", "wood"))
    scene = read(tmp_path, table + prim(kind, "other", "steel"))
    assert list(scene.nodes) == ["table"]
    assert scene.nodes["table"].size == pytest.approx((0.5, 0.5, 0.5))
    name = kind or "no type"
    (note,) = (note for note in scene.notes if "no thing" in note)
    assert note == (
        f"labels on what is no thing are left out: /table/part ({name}), /other ({name})"
    )


@pytest.mark.parametrize("kind", ["Xform", "Cube", "Mesh", "BasisCurves", "SkelRoot", "Scope", ""])
def test_what_has_geometry_is_a_thing(tmp_path: Path, kind: str) -> None:
    assert list(read(tmp_path, prim(kind, "a", "mug", BOX)).nodes) == ["a"]


def test_a_scope_holds_things_whose_geometry_is_not_known(tmp_path: Path) -> None:
    scene = read(tmp_path, prim("Scope", "Kitchen", "kitchen", prim("Xform", "mug", "mug")))
    assert scene.nodes["mug"].parents == ("Kitchen",)


def test_a_light_does_not_enlarge_its_lamp(tmp_path: Path) -> None:
    light = 'def SphereLight "light" {\nfloat inputs:radius = 5\n}\n'
    scene = read(tmp_path, prim("Xform", "lamp", "lamp", BOX + light))
    assert scene.nodes["lamp"].size == pytest.approx((0.5, 0.5, 0.5))


def test_a_stage_with_labelled_materials_only_says_so(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"on prims that are no things only: /a \(Material\)"):
        read(tmp_path, prim("Material", "a", "wood"))


# ---- one label for a group and for what is in it -------------------------------------------------

PAWN = prim("Xform", "Pawn", "pawn", BOX, 'kind = "component"')


def pawns(folder: Path, ways: str, *, group: str = "pawn", inside: str = "", kind: str = "") -> str:
    """A labelled group of eight pawns; `ways` says how each of them comes to its place."""
    (folder / "pawn.usda").write_text(HEAD.replace("(", '(\ndefaultPrim = "Pawn"', 1) + PAWN)
    each = "".join(
        f'def Xform "p{number}" (\n{ways}\n) {{\ndouble3 xformOp:translate = ({number}, 0, 0)\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        for number in range(8)
    )
    return prim("Xform", "Pawns", group, each + inside, f'kind = "{kind}"' if kind else "")


WAYS = ("references = @pawn.usda@", "payload = @pawn.usda@",
        "instanceable = true\nreferences = @pawn.usda@")  # fmt: skip


@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("kind", ["", "group"])
def test_assets_of_one_label_stay_single(tmp_path: Path, ways: str, kind: str) -> None:
    scene = read(tmp_path, pawns(tmp_path, ways, kind=kind))
    assert list(scene.nodes) == [f"p{number}" for number in range(8)]
    assert {node.size for node in scene.nodes.values()} == {(0.5, 0.5, 0.5)}
    assert "groups of things with the group's own label are no things: /Pawns (8 of pawn)" in (
        scene.notes
    )


def test_sixteen_pawns_of_a_chess_set(tmp_path: Path) -> None:
    black, white = (
        pawns(tmp_path, WAYS[0]).replace('"Pawns"', f'"{side}"') for side in ("Black", "White")
    )
    for label in ("chess set", "pawn"):
        whole = prim("Xform", "Chess", label, black + white)
        things = [node for node in read(tmp_path, whole).nodes.values() if node.category == "pawn"]
        assert len(things) == 16
        assert {node.parents for node in things} == {("Chess",) if label == "chess set" else ()}


def test_components_stay_single_beside_geometry_of_the_whole(tmp_path: Path) -> None:
    scene = read(tmp_path, pawns(tmp_path, WAYS[0], inside=BOX))
    assert list(scene.nodes) == ["Pawns", *(f"p{number}" for number in range(8))]


@pytest.mark.parametrize("kind", ["component", "subcomponent"])
def test_parts_of_a_component_are_no_things(tmp_path: Path, kind: str) -> None:
    scene = read(tmp_path, pawns(tmp_path, WAYS[0], kind=kind))
    assert list(scene.nodes) == ["Pawns"]


def test_referenced_parts_beside_the_body_are_no_things(tmp_path: Path) -> None:
    """A cabinet with a body of its own and handles from a library, all labelled by Isaac."""
    text = pawns(tmp_path, WAYS[0], inside=BOX)
    library = tmp_path / "pawn.usda"
    library.write_text(library.read_text().replace('kind = "component"', ""))
    assert list(read(tmp_path, text).nodes) == ["Pawns"]
