# SPDX-License-Identifier: Apache-2.0
"""USD stages: labels, frames, boxes, rooms, instances, references; what is refused and why."""

import math
import sys
from pathlib import Path

import pytest
from damaged_files import COPIES, LIMITS, damaged
from twin_house import Lacks, differences, truth_of

from fcp_ros.foundation import sandbox
from fcp_ros.foundation.sandbox import DecodedFile, DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.scene import (
    Layer,
    SceneError,
    SceneGraph,
    SceneLimits,
    complete_relations,
    load_scene,
    read_scene,
)
from fcp_ros.scene.formats.usd import stage as usd_stage
from fcp_ros.scene.formats.usd.usd_reader import build_graph

pxr = pytest.importorskip("pxr")
in_this_process = pytest.mark.usefixtures("decoded_here")

LACKS = Lacks(doors=True, heights=True, states=True, relations=frozenset({"connected"}))


@pytest.fixture(scope="module")
def usd_dir(data_dir: Path) -> Path:
    return data_dir / "usd"


@pytest.mark.parametrize("name", ["twin_house_zup_m", "twin_house_yup_cm_legacy"])
def test_the_twin_house(usd_dir: Path, data_dir: Path, name: str) -> None:
    """Once z up in metres with current labels, once y up in centimetres with legacy ones."""
    scene = load_scene(usd_dir / f"{name}.usda")
    assert differences(scene, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert scene.notes == (
        "the scene has no robot: robot_1 was put in kitchen_1",
        "no connection from kitchen_1 is known to living_room_1",
    )


@pytest.mark.parametrize("suffix", ["usdc", "usd", "usdz"])
def test_other_syntaxes_and_any_name(usd_dir: Path, tmp_path: Path, suffix: str) -> None:
    """A crate and a package say the same as the text, also under a name that says nothing."""
    from pxr import Sdf, UsdUtils

    text = usd_dir / "twin_house_zup_m.usda"
    path = tmp_path / f"scene.{suffix}"
    if suffix == "usdz":
        assert UsdUtils.CreateNewUsdzPackage(str(text), str(path))
    else:
        Sdf.Layer.FindOrOpen(str(text)).Export(str(path))
    renamed = tmp_path / "scene.data"
    renamed.write_bytes(path.read_bytes())
    expected = read_scene(text).nodes
    assert read_scene(path).nodes == expected
    assert read_scene(renamed).nodes == expected


@in_this_process
def test_the_small_kitchen(usd_dir: Path) -> None:
    """Y up, in centimetres, both label schemas, a mesh without a noted extent, a state."""
    scene = load_scene(usd_dir / "kitchen_small.usda")
    assert scene.nodes["Kitchen"].layer is Layer.ROOM
    table, mug, fridge = (scene.nodes[id_] for id_ in ("Table_01", "Mug_01", "Fridge_01"))
    assert table.pose is not None
    assert table.pose.position == pytest.approx((2.0, -1.0, 0.74))
    assert table.size == pytest.approx((1.2, 0.8, 0.04))
    assert math.degrees(table.pose.yaw) == pytest.approx(30.0)
    assert table.attributes == {"other_labels": "furniture"}
    assert mug.size == pytest.approx((0.08, 0.08, 0.1))
    assert fridge.size == pytest.approx((0.7, 0.7, 1.8))
    assert fridge.attributes == {"is_open": False}
    assert scene.relation("on", "Mug_01", "Table_01")
    assert "the outline was drawn around the things in the room: Kitchen" in scene.notes


@in_this_process
def test_the_edge_cases(usd_dir: Path) -> None:
    """An instance counts; over-only and inactive prims don't; a reference leads nowhere."""
    scene = read_scene(usd_dir / "edge_cases.usda")
    assert list(scene.nodes) == ["Chair", "Cup_a", "Both"]
    chair, cup, both = scene.nodes.values()
    assert chair.size is None
    assert chair.pose is not None
    assert chair.pose.position == (1.0, 2.0, 0.0)
    assert cup.size == pytest.approx((0.2, 0.2, 0.2))
    assert cup.pose is not None
    assert cup.pose.position == (0.0, 0.0, 1.0)
    assert both.category == "box", "the current schema comes before the legacy one"
    assert both.attributes == {"other_labels": "container, crate"}
    assert scene.notes == (
        "not followed, because only files on this machine are read: "
        "omniverse://localhost/NVIDIA/chair.usd",
        "of no known size, without geometry: Chair",
    )


HEAD = '#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'


def prim(name: str, label: str, inside: str = "", *, meta: str = "") -> str:
    """A labelled prim in USD's text."""
    return (
        f'def Xform "{name}" (\nprepend apiSchemas = ["SemanticsLabelsAPI:class"]\n{meta}\n)\n'
        f'{{\ntoken[] semantics:labels:class = ["{label}"]\n{inside}\n}}\n'
    )


def written(folder: Path, text: str, head: str = HEAD) -> Path:
    path = folder / "scene.usda"
    path.write_text(head + text)
    return path


def moved(x: float, y: float, z: float, *, turn: str = "") -> str:
    """A translation, and a rotation such as ``rotateZ = 30``."""
    op = f"float xformOp:{turn}\n" if turn else ""
    names = f', "xformOp:{turn.split()[0]}"' if turn else ""
    return (
        f"double3 xformOp:translate = ({x}, {y}, {z})\n{op}"
        f'uniform token[] xformOpOrder = ["xformOp:translate"{names}]\n'
    )


BOX = 'def Cube "geometry" {\ndouble size = 1\nfloat3 xformOp:scale = (2, 1, 0.5)\n'
BOX += 'uniform token[] xformOpOrder = ["xformOp:scale"]\n}\n'


@in_this_process
def test_an_asset_modelled_with_y_up_keeps_its_yaw(tmp_path: Path) -> None:
    """Isaac turns such assets by 90 degrees about x; the box is the same one, standing."""
    flat = 'def Cube "geometry" {\ndouble size = 1\nfloat3 xformOp:scale = (2, 0.5, 1)\n'
    flat += 'uniform token[] xformOpOrder = ["xformOp:scale"]\n}\n'
    place = (
        "double3 xformOp:translate = (1, 2, 3)\nfloat xformOp:rotateZ = 30\n"
        "float xformOp:rotateX = 90\nuniform token[] xformOpOrder = "
        '["xformOp:translate", "xformOp:rotateZ", "xformOp:rotateX"]\n'
    )
    node = read_scene(written(tmp_path, prim("shelf", "shelf", place + flat))).nodes["shelf"]
    assert node.size == pytest.approx((2.0, 1.0, 0.5))
    assert node.pose is not None
    assert node.pose.orientation[:2] == pytest.approx((0.0, 0.0))
    assert math.degrees(node.pose.yaw) == pytest.approx(30.0, abs=1e-4)


@in_this_process
def test_scales_and_mirrors_above_a_prim_count(tmp_path: Path) -> None:
    inside = prim("table", "table", moved(1, 0, 0, turn="rotateZ = 90") + BOX)
    group = (
        'def Xform "mirrored" {\ndouble3 xformOp:scale = (-2, 2, 2)\n'
        f'uniform token[] xformOpOrder = ["xformOp:scale"]\n{inside} }}\n'
    )
    node = read_scene(written(tmp_path, group)).nodes["table"]
    assert node.size == pytest.approx((4.0, 2.0, 1.0))
    assert node.pose is not None
    assert node.pose.position == pytest.approx((-2.0, 0.0, 0.0))
    assert abs(math.sin(node.pose.yaw)) == pytest.approx(1.0)


@in_this_process
def test_parts_labelled_like_the_whole_are_no_things(tmp_path: Path) -> None:
    drawers = prim("drawer", "drawer", BOX) + prim("body", "cabinet", BOX)
    scene = read_scene(written(tmp_path, prim("cabinet", "cabinet", drawers)))
    assert list(scene.nodes) == ["cabinet", "drawer"]
    assert scene.nodes["drawer"].parents == ("cabinet",)
    assert any("1 prims labelled like the one above" in note for note in scene.notes)


@in_this_process
def test_names_that_are_not_unique_get_numbers_and_keep_their_paths(tmp_path: Path) -> None:
    rooms = "".join(
        prim(room, "office", prim("chair", "Office_Chair", BOX))
        for room in ("office_a", "office_b")
    )
    scene = read_scene(written(tmp_path, rooms))
    assert list(scene.nodes) == ["office_a", "office_chair_1", "office_b", "office_chair_2"]
    assert scene.nodes["office_chair_2"].attributes == {"source_id": "/office_b/chair"}


@in_this_process
def test_robots_people_buildings_and_unlabelled_articulations(tmp_path: Path) -> None:
    text = (
        'def Xform "carter" (\nprepend apiSchemas = ["IsaacRobotAPI", '
        '"PhysicsArticulationRootAPI"]\n) {\n' + moved(1, 2, 0) + BOX + "}\n"
        'def Xform "arm" (\nprepend apiSchemas = ["PhysicsArticulationRootAPI"]\n) {\n'
        + BOX + "}\n"
        + prim("anna", "person", moved(0, 0, 0)) + prim("home", "house")
    )  # fmt: skip
    scene = read_scene(written(tmp_path, text))
    layers = {node.id: node.layer for node in scene.nodes.values()}
    assert layers == {"carter": Layer.AGENT, "anna": Layer.AGENT, "home": Layer.BUILDING}
    assert "articulations without a label are left out: /arm" in scene.notes


@in_this_process
def test_invisible_things_and_guides_have_no_geometry(tmp_path: Path) -> None:
    hidden = 'def Cube "a" {\ntoken visibility = "invisible"\n}\n'
    hidden += 'def Cube "b" {\nuniform token purpose = "guide"\n}\n'
    scene = read_scene(written(tmp_path, prim("mug", "mug", moved(0, 0, 0) + hidden + BOX)))
    assert scene.nodes["mug"].size == pytest.approx((2.0, 1.0, 0.5))


@pytest.mark.parametrize("value", ["inf", "-inf", "1e300", "1e30"])
@in_this_process
def test_geometry_that_is_not_finite_is_left_out(tmp_path: Path, value: str) -> None:
    mesh = (
        'def Mesh "mesh" {\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n'
        f"point3f[] points = [(0, 0, 0), ({value}, 0, 0), (0, 1, 0)]\n}}\n"
    )
    node = read_scene(written(tmp_path, prim("mug", "mug", moved(0, 0, 0) + mesh))).nodes["mug"]
    assert node.size is None


@in_this_process
def test_a_noted_extent_is_not_believed(tmp_path: Path) -> None:
    wrong = 'def Cube "a" {\ndouble size = 1\nfloat3[] extent = [(-9, -9, -9), (9, 9, 9)]\n}\n'
    node = read_scene(written(tmp_path, prim("mug", "mug", wrong))).nodes["mug"]
    assert node.size == pytest.approx((1.0, 1.0, 1.0))


@in_this_process
def test_references_inside_the_folder_are_followed(tmp_path: Path) -> None:
    asset = tmp_path / "assets" / "mug.usda"
    asset.parent.mkdir()
    asset.write_text('#usda 1.0\n(\ndefaultPrim = "mug"\n)\ndef Xform "mug" {\n' + BOX + "}\n")
    text = prim("a", "mug", meta="prepend references = @./assets/mug.usda@")
    text += prim("b", "mug", meta="prepend payload = @assets/mug.usda@")
    scene = read_scene(written(tmp_path, text))
    assert [node.size for node in scene.nodes.values()] == [pytest.approx((2.0, 1.0, 0.5))] * 2
    assert scene.notes == ()


@pytest.mark.parametrize("arc", ["references", "payload", "sublayer", "variant", "link", "nested"])
def test_no_file_outside_the_folder_is_opened(tmp_path: Path, arc: str) -> None:
    """Whichever way it is referred to; the file there would make a second node."""
    outside = tmp_path / "outside.usda"
    outside.write_text('#usda 1.0\n(\ndefaultPrim = "x"\n)\n' + prim("x", "secret", BOX))
    folder = tmp_path / "scenes"
    folder.mkdir()
    target, head = "../outside.usda", HEAD
    extra = f"prepend {arc} = @{target}@"
    if arc == "sublayer":
        head, extra = HEAD.replace("(", f"(\nsubLayers = [@{target}@]\n", 1), ""
    elif arc == "variant":
        extra = 'prepend variantSets = "v"\nvariants = {\nstring v = "on"\n}'
    elif arc == "link":
        (folder / "link.usda").symlink_to(outside)
        extra = "prepend references = @./link.usda@"
    elif arc == "nested":
        (folder / "inner.usda").write_text(
            '#usda 1.0\n(\ndefaultPrim = "y"\n)\n'
            'def "y" (\nreferences = @../outside.usda@\n) {\n}\n'
        )
        extra = "prepend references = @./inner.usda@"
    inside = ""
    if arc == "variant":
        inside = f'variantSet "v" = {{\n"on" (\nprepend references = @{target}@\n) {{\n}}\n}}\n'
    path = written(folder, prim("mug", "mug", inside, meta=extra), head)
    scene = read_scene(path)
    assert [(node.id, node.size) for node in scene.nodes.values()] == [("mug", None)]
    assert any(f"Allow them with --assets {tmp_path} " in note for note in scene.notes)
    allowed = read_scene(path, limits=SceneLimits(asset_folders=(tmp_path,)))
    assert any(node.size == pytest.approx((2.0, 1.0, 0.5)) for node in allowed.nodes.values())
    assert not any("not followed" in note for note in allowed.notes)


def test_a_search_path_of_the_environment_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "library").mkdir()
    asset = tmp_path / "library" / "mug.usda"
    asset.write_text('#usda 1.0\n(\ndefaultPrim = "m"\n)\ndef Xform "m" {\n' + BOX + "}\n")
    (tmp_path / "scenes").mkdir()
    path = written(tmp_path / "scenes", prim("mug", "mug", meta="references = @mug.usda@"))
    monkeypatch.setenv("PXR_AR_DEFAULT_SEARCH_PATH", str(asset.parent))
    assert read_scene(path).nodes["mug"].size is None


@in_this_process
def test_what_is_missing_is_named(tmp_path: Path) -> None:
    scene = read_scene(written(tmp_path, prim("mug", "mug", meta="references = @./no.usda@")))
    assert any("USD could not compose everything" in n and "no.usda" in n for n in scene.notes)


def problem(path: Path, limits: SceneLimits | None = None) -> str:
    with pytest.raises(SceneError) as caught:
        read_scene(path, limits=limits)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "head", "words"),
    [
        ('def Cube "a" {\n}\n', HEAD, "no prim has a semantic label"),
        ("", HEAD, "no prim has a semantic label"),
        (prim("a", "mug"), HEAD.replace("Unit = 1", "Unit = 0"), "metersPerUnit 0.0 can't be used"),
        (prim("a", "mug") * 2, HEAD, "USD cannot open it: Duplicate prim"),
        ('def Xform "a" {', HEAD, "USD cannot open it"),
    ],
)
@in_this_process
def test_stages_that_cannot_be_used(tmp_path: Path, text: str, head: str, words: str) -> None:
    assert words in problem(written(tmp_path, text, head))


@in_this_process
def test_circles_of_references_are_named(tmp_path: Path) -> None:
    text = prim("a", "box", 'def "b" (\nreferences = </a>\n) {\n}', meta="references = </a/b>")
    scene = read_scene(written(tmp_path, text))
    assert list(scene.nodes) == ["a"]
    assert any("USD could not compose everything" in note for note in scene.notes)


@in_this_process
def test_the_folders_to_allow_are_named(tmp_path: Path) -> None:
    """All of them by one above, unless that is near the root; nothing else is read then."""
    for name in ("mugs/mug", "bowls/bowl"):
        asset = tmp_path / "assets" / f"{name}.usda"
        asset.parent.mkdir(parents=True)
        asset.write_text('#usda 1.0\n(\ndefaultPrim = "x"\n)\n' + prim("x", "mug", BOX))
    (tmp_path / "scenes").mkdir()
    text = "".join(
        f'def "{name[-1]}" (\nreferences = @../assets/{name}.usda@\n) {{\n}}\n'
        for name in ("mugs/mug", "bowls/bowl")
    )
    path = written(tmp_path / "scenes", text)
    assert f"Allow them with --assets {tmp_path / 'assets'} (of the node" in problem(path)
    limits = SceneLimits(asset_folders=(tmp_path / "assets",))
    assert len(read_scene(path, limits=limits).nodes) == 2
    some = SceneLimits(asset_folders=(tmp_path / "assets" / "mugs",))
    scene = read_scene(path, limits=some)
    assert [node.category for node in scene.nodes.values()] == ["mug"]
    assert any(f"--assets {tmp_path / 'assets' / 'bowls'} " in note for note in scene.notes)


@in_this_process
def test_more_prims_than_allowed_are_refused(tmp_path: Path) -> None:
    text = "".join(prim(f"mug_{number}", "mug") for number in range(20))
    assert "limit of 5 nodes" in problem(written(tmp_path, text), SceneLimits(max_nodes=5))


def test_instances_of_instances_of_instances_are_refused(tmp_path: Path) -> None:
    """Eight levels of ten instances each: 100 million prims from one page of text."""
    text = 'class "level_0" {\ndef Cube "a" {\n}\n}\n'
    for level in range(1, 9):
        children = "".join(
            f'def "i{number}" (\ninstanceable = true\nreferences = </level_{level - 1}>\n) {{\n}}\n'
            for number in range(10)
        )
        text += f'class "level_{level}" {{\n{children}\n}}\n'
    text += prim("all", "bomb", meta="references = </level_8>")
    assert "more prims than" in problem(written(tmp_path, text), SceneLimits(max_nodes=100))


def test_a_crash_of_usd_is_an_error_and_no_crash_here(
    usd_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing = (sys.executable, "-c", "import os; os.abort()")
    monkeypatch.setattr(sandbox, "COMMAND", crashing)
    assert "ends without a result" in problem(usd_dir / "kitchen_small.usda")


def test_a_stage_that_takes_too_long(usd_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeping = (sys.executable, "-c", "import time; time.sleep(60)")
    monkeypatch.setattr(sandbox, "COMMAND", sleeping)
    monkeypatch.setattr(sandbox, "START_TIME", 0.2)
    assert "takes too long" in problem(usd_dir / "kitchen_small.usda")


def test_without_the_package_the_message_says_what_to_install(
    usd_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "pip install usd-core" in problem(usd_dir / "kitchen_small.usda")


# ---- damaged files -----------------------------------------------------------------------------


def outcome(found: DecodedFile | DecodingError, name: str) -> SceneGraph | SceneError:
    """What the reader makes of what the sandbox hands back."""
    try:
        if isinstance(found, DecodingError):
            raise SceneError(str(found), source=name)
        return complete_relations(build_graph(found.document, name))
    except SceneError as error:
        return error


@pytest.mark.parametrize("suffix", ["usda", "usdc"])
def test_damaged_files(usd_dir: Path, tmp_path: Path, suffix: str) -> None:
    """Hundreds of each, fifty to a process; a process that ends loses its own file only."""
    whole = tmp_path / f"whole.{suffix}"
    from pxr import Sdf

    Sdf.Layer.FindOrOpen(str(usd_dir / "twin_house_zup_m.usda")).Export(str(whole))
    stages = []
    for number, (_, content) in enumerate(damaged(whole.read_bytes(), seed=9)):
        stage = tmp_path / f"{number}.{suffix}"
        stage.write_bytes(content)
        stages.append((str(stage), str(LIMITS.max_nodes)))
    limits = SandboxLimits(usd_stage.MOST_MEMORY, 120.0)
    refused = lost = 0
    for start in range(0, COPIES, 50):
        files = stages[start : start + 50]
        decoded = decode_in_sandbox(usd_stage.DECODER, files, limits, tmp_path)
        for (stage, *_), found in zip(files, decoded, strict=True):
            assert "too long" not in str(found)
            if "ends without a result" in str(found):
                lost += 1
            else:
                refused += isinstance(outcome(found, stage), SceneError)
    assert refused > 0.4 * COPIES
    assert lost <= 0.01 * COPIES, "USD itself is to refuse nearly all of them"
