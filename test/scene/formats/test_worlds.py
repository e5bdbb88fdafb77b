# SPDX-License-Identifier: Apache-2.0
"""Worlds of Gazebo, MuJoCo, URDF and Habitat: things, labels, boxes, files; what is refused."""

import importlib.util
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from damaged_files import COPIES, damaged, read_or_refuse
from scene_documents import changed, mangled, written
from twin_house import Lacks, differences, truth_of

from fcp_ros.foundation.sandbox import SandboxLimits, decode_in_sandbox
from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene
from fcp_ros.scene.formats.scene_file import open_scene_file
from fcp_ros.scene.formats.worlds import mjcf
from fcp_ros.scene.formats.worlds.bodies import is_structure, read_name

NO_DOORWAY = frozenset({"connected"})
"""No relation is in these formats; the twin's door is open, and joins the rooms by its place."""

SDF_LACKS = Lacks(ids=True, states=True)
MJCF_LACKS = Lacks(ids=True)
HABITAT_LACKS = Lacks(ids=True, doors=True, states=True, relations=NO_DOORWAY)

needs_meshes = pytest.mark.skipif(
    importlib.util.find_spec("trimesh") is None, reason="needs trimesh"
)
needs_mujoco = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs mujoco")


def by_label(graph: SceneGraph, label: str) -> Any:
    (node,) = (node for node in graph.nodes.values() if node.category == label)
    return node


# --- the twin house


def test_the_twin_house_in_sdf(data_dir: Path) -> None:
    """With an include, frames, a joint, the state that Gazebo saves, and collisions only."""
    graph = load_scene(data_dir / "sdf" / "twin_house.world")
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), SDF_LACKS) == []
    assert by_label(graph, "refrigerator").attributes["is_open"] is False
    assert by_label(graph, "mug").attributes["source_id"] == "house::mug_2"


@needs_mujoco
def test_the_twin_house_in_mjcf(data_dir: Path) -> None:
    """With defaults, an include, joints, a mesh and a texture that isn't there."""
    graph = load_scene(data_dir / "mjcf" / "twin_house.xml")
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), MJCF_LACKS) == []
    movable = {n.category for n in graph.nodes.values() if n.attributes.get("is_movable")}
    assert movable == {"mug", "apple", "milk", "book"}


def write_habitat(folder: Path, truth: Any) -> Path:
    """Write the twin house as a data set of Habitat: y up, GLB meshes, templates, regions."""
    import trimesh

    scenes, objects = folder / "scenes", folder / "objects"
    scenes.mkdir(parents=True)
    objects.mkdir()
    instances = []
    for number, thing in enumerate(truth["objects"]):
        name, (x, y, z) = f"twin_{thing['id']}", thing["center"]
        across, along, up = thing["size"]
        box = trimesh.creation.box((across, up, along))
        # Every second one by its asset's origin, at the bottom, the others by their middle.
        is_local = number % 2 == 0
        box.apply_translation((0, up / 2.0 if is_local else 0.7, 0))
        (objects / f"{name}.glb").write_bytes(box.export(file_type="glb"))
        written({"render_asset": f"{name}.glb"}, objects / f"{name}.object_config.json")
        half = math.radians(thing["yaw_deg"]) / 2.0
        instances.append(
            {
                "template_name": f"objects/{name}",
                "translation": [x, z - up / 2.0 if is_local else z, -y],
                "rotation": [math.cos(half), 0.0, math.sin(half), 0.0],
                "translation_origin": "asset_local" if is_local else "COM",
            }
        )
    regions = [
        {
            "name": room["id"],
            "label": room["cls"],
            "poly_loop": [[x, 0.0, -y] for x, y in room["polygon"]],
            "floor_height": 0.0,
            "extrusion_height": room["height"],
        }
        for room in truth["rooms"]
    ]
    written({"region_annotations": regions}, scenes / "twin.semantic_config.json")
    document = {"stage_instance": {"template_name": "x"}, "object_instances": instances}
    return written(document, scenes / "twin.scene_instance.json")


@needs_meshes
def test_the_twin_house_in_habitat(data_dir: Path, tmp_path: Path) -> None:
    truth = truth_of(data_dir / "twin_house_expected.json")
    scene = write_habitat(tmp_path / "set", truth)
    limits = SceneLimits(asset_folders=(tmp_path / "set",))
    labels = {thing["cls"]: thing["id"].rpartition("_")[0] for thing in truth["objects"]}
    lacks = Lacks(**{**vars(HABITAT_LACKS), "labels": labels})
    assert differences(load_scene(scene, limits=limits), truth, lacks) == []


@needs_meshes
def test_labels_of_a_data_set(data_dir: Path, tmp_path: Path) -> None:
    """HSSD's templates are hashes: a table or the semantic lexicon says what they are."""
    truth = truth_of(data_dir / "twin_house_expected.json")
    scene = write_habitat(tmp_path, truth)
    first, second = "a" * 40, "b" * 40
    for name, old in ((first, "twin_mug_1"), (second, "twin_apple_1")):
        config = {"render_asset": f"{old}.glb", "semantic_id": 7}
        written(config, tmp_path / "objects" / f"{name}.object_config.json")
    (tmp_path / "objects.csv").write_text(f"id,name,main_category\n{first},Frosty,drinkware\n")
    lexicon = {"classes": [{"id": 7, "name": "fruit"}]}
    written(lexicon, tmp_path / "x_semantic_lexicon.json")
    instances = [{"template_name": name} for name in (f"{first}_part_2", second, "c" * 40)]
    written({"object_instances": instances}, scene)
    graph = load_scene(scene, limits=SceneLimits(asset_folders=(tmp_path,)))
    things = [n.category for n in graph.in_layer(Layer.OBJECT) if n.category != "floor"]
    assert things == ["drinkware", "fruit", "unknown"]


def test_without_its_data_set_a_habitat_scene_has_no_sizes(tmp_path: Path) -> None:
    instance = {"template_name": "objects/frl_apartment_basket", "translation": [1, 2, 3]}
    scene = written({"object_instances": [instance]}, tmp_path / "scene.json")
    graph = load_scene(scene)
    thing = graph.nodes["frl_apartment_basket"]
    assert thing.size is None
    assert thing.pose is not None
    assert thing.pose.position == (1.0, -3.0, 2.0)
    assert any("--assets FOLDER" in note for note in graph.notes)


# --- names


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("KitchenCabinet_01_001", "kitchen_cabinet"),
        ("SofaC_01", "sofa"),
        ("TV_01_001", "tv"),
        ("akita_black_bowl_1_main", "akita_black_bowl"),
        ("kitchen/robot0::cube_g0", "cube"),
        ("object_1", ""),
        ("base_link", ""),
        ("0123456789abcdef0123", ""),
        ("", ""),
    ],
)
def test_labels_are_names_without_numbers_and_namespaces(name: str, label: str) -> None:
    assert read_name(name) == label


def test_walls_and_floors_are_told_from_things_that_hang_or_stand_there() -> None:
    for label in ("wall", "room_wall", "wall_left", "ground_plane", "floor", "house_wall"):
        assert is_structure(label)
    for label in ("wall_clock", "floor_lamp", "ceiling_fan", "wall_cabinet", "carpet"):
        assert not is_structure(label)


# --- SDF


def sdf(*models: str) -> str:
    return f"<sdf version='1.9'><world name='w'>{''.join(models)}</world></sdf>"


def model(name: str, pose: str = "0 0 0 0 0 0", more: str = "", size: str = "1 1 1") -> str:
    return (
        f"<model name='{name}'><pose>{pose}</pose>{more}<link name='link'><visual name='v'>"
        f"<geometry><box><size>{size}</size></box></geometry></visual></link></model>"
    )


@pytest.fixture
def load_text(tmp_path: Path) -> Any:
    def load(text: str, name: str = "scene.world", **limits: Any) -> SceneGraph:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load_scene(path, limits=SceneLimits(**limits))

    return load


def test_people_robots_and_the_floor(load_text: Any) -> None:
    """Actors are people; a model that moves and has sensors is a robot; the ground has a level."""
    ground = (
        "<model name='ground_plane'><static>1</static><pose>0 0 0.2 0 0 0</pose><link name='l'>"
        "<visual name='v'><geometry><plane><size>100 100</size></plane></geometry></visual></link>"
        "</model>"
    )
    waffle = (
        "<model name='waffle'><link name='body'><sensor name='s' type='imu'/><visual name='v'>"
        "<geometry><box><size>.3 .3 .1</size></box></geometry></visual></link>"
        "<link name='wheel'/><joint name='j' type='revolute'><parent>body</parent>"
        "<child>wheel</child></joint></model>"
    )
    actor = "<actor name='walker'><pose>1 1 0 0 0 0</pose></actor>"
    graph = load_text(sdf(ground, waffle, actor, model("crate", "2 2 0.7 0 0 0")))
    agents = {node.id: node.category for node in graph.in_layer(Layer.AGENT)}
    assert agents == {"waffle": "robot", "walker": "person"}
    assert graph.relation("on", "crate", "room_1_floor") is not None
    assert graph.nodes["room_1"].polygon[0] == (-0.65, -0.65)


def test_includes_outside_of_the_folder_are_named_and_not_read(tmp_path: Path) -> None:
    """As in the small house of AWS: the world is in worlds, the models are in models beside it."""
    beside = tmp_path / "models" / "chair"
    beside.mkdir(parents=True)
    chair = model("Chair", size="0.5 0.5 0.9")
    (beside / "model.sdf").write_text(f"<sdf version='1.6'>{chair}</sdf>")
    world = tmp_path / "worlds" / "house.world"
    world.parent.mkdir()
    chair = "<include><uri>model://chair</uri><name>ChairA_01_001</name></include>"
    secret = "<include><uri>file:///etc/passwd</uri><name>secret</name></include>"
    world.write_text(sdf(chair, secret))
    graph = load_scene(world)
    assert graph.nodes["ChairA_01_001"].size is None
    note = next(note for note in graph.notes if "outside of the world's folder" in note)
    assert f"--assets {tmp_path / 'models'}" in note
    assert "/etc/passwd" in note
    graph = load_scene(world, limits=SceneLimits(asset_folders=(tmp_path / "models",)))
    assert graph.nodes["ChairA_01_001"].size == pytest.approx((0.5, 0.5, 0.9))
    assert graph.nodes["ChairA_01_001"].category == "chair"


@needs_meshes
def test_meshes_in_centimetres_stretched_and_damaged(tmp_path: Path) -> None:
    import trimesh

    box = trimesh.creation.box((1.0, 2.0, 3.0))
    (tmp_path / "table.stl").write_bytes(box.export(file_type="stl"))
    (tmp_path / "broken.stl").write_bytes(b"solid nonsense")
    mesh = "<mesh><uri>{}</uri><scale>2 1 1</scale></mesh>"
    shape = f"<visual name='v'><geometry>{mesh}</geometry></visual>"
    models = [
        f"<model name='{name}'><link name='l'>{shape.format(f'{name}.stl')}</link></model>"
        for name in ("table", "broken")
    ]
    world = tmp_path / "scene.world"
    world.write_text(sdf(*models))
    graph = load_scene(world)
    assert graph.nodes["table"].size == pytest.approx((2.0, 2.0, 3.0))
    assert graph.nodes["broken"].size is None
    assert any("meshes that cannot be read: broken.stl" in note for note in graph.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><sdf><world>&b;</world></sdf>",
            "declares entities",
        ),
        (
            "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><sdf>&a;</sdf>",
            "declares entities",
        ),
        ("<sdf>" + "<model>" * 300, "nested deeper than 200"),
        ("<sdf><world>", "its XML is wrong at line 1"),
        (sdf(model("a", pose="1 2 three 0 0 0")), "stands where 6 numbers belong"),
        (sdf(model("a", pose="nan 0 0 0 0 0")), "stands where 6 numbers belong"),
        (sdf(), "the scene is empty"),
        ("<mujocoinclude/>", "Give the model that includes it"),
        ("<COLLADA/>", "a mesh without the names and places of things"),
        ("<launch/>", "XML whose root is <launch>"),
        (
            "<robot xmlns:xacro='x' name='r'><xacro:include filename='y'/></robot>",
            "xacro scene.urdf",
        ),
    ],
)
def test_what_is_refused_says_why(load_text: Any, text: str, said: str) -> None:
    with pytest.raises(SceneError, match=r"scene\.world") as refused:
        load_text(text)
    assert said in str(refused.value)


def test_a_few_includes_do_not_make_a_million_models(tmp_path: Path) -> None:
    """Each file includes the next one ten times: only as many as are allowed are read."""
    for number in range(8):
        inner = f"<include><uri>m{number + 1}.sdf</uri></include>" * 10
        (tmp_path / f"m{number}.sdf").write_text(f"<sdf><model name='m'>{inner}</model></sdf>")
    (tmp_path / "m8.sdf").write_text(f"<sdf>{model('end')}</sdf>")
    with pytest.raises(SceneError, match="more than the limit of 500"):
        load_scene(tmp_path / "m0.sdf", limits=SceneLimits(max_nodes=500))
    (tmp_path / "ring.sdf").write_text(
        "<sdf><model name='m'><include><uri>ring.sdf</uri></include></model></sdf>"
    )
    with pytest.raises(SceneError, match="nested deeper"):
        load_scene(tmp_path / "ring.sdf")


# --- URDF


def test_links_of_a_urdf_scene_are_things(data_dir: Path) -> None:
    """A drawer is a part of its desk; what floats in the joint's sense stands on the desk."""
    graph = load_scene(data_dir / "urdf" / "shelf_room.urdf")
    things = {node.id: node.category for node in graph.in_layer(Layer.OBJECT)}
    assert things == {
        "bookcase_1": "bookcase",
        "desk_1": "desk",
        "lamp_1": "lamp",
        "room_1_floor": "floor",
    }
    assert graph.nodes["desk_1"].attributes["is_open"] is False
    assert graph.nodes["desk_1"].size == pytest.approx((1.2, 0.6, 0.74))
    assert graph.relation("on", "lamp_1", "desk_1") is not None


# --- MJCF


def mujoco_model(body: str, more: str = "") -> str:
    return f"<mujoco model='m'>{more}<worldbody>{body}</worldbody></mujoco>"


@needs_mujoco
def test_groups_robots_and_geoms_of_the_world(load_text: Any) -> None:
    """Wrappers lend their name; an arm is one robot; visual and collision of a geom are one."""
    arm = "".join(
        f"<body pos='0 0 .2'><joint name='j{n}'/><geom size='.05' mass='1'/>" for n in range(4)
    )
    text = mujoco_model(
        "<geom name='floor' type='plane' size='2 2 .1'/>"
        "<geom name='shelf_visual' type='box' size='.4 .2 .9' pos='1 1 .9'/>"
        "<geom name='shelf_collision' type='box' size='.4 .2 .9' pos='1 1 .9'/>"
        "<body name='wooden_cabinet_1'><body name='object'><body name='base'>"
        "<geom type='box' size='.2 .2 .3' pos='0 0 .3'/></body></body></body>"
        f"<body name='panda_link0' pos='-1 0 0'><geom size='.1'/>{arm}{'</body>' * 4}</body>"
    )
    graph = load_text(text, "scene.xml")
    labels = {node.id: (node.layer, node.category) for node in graph.nodes.values()}
    assert labels == {
        "wooden_cabinet_1": (Layer.OBJECT, "wooden_cabinet"),
        "panda_link0": (Layer.AGENT, "robot"),
        "shelf": (Layer.OBJECT, "shelf"),
        "room_1": (Layer.ROOM, "room"),
        "room_1_floor": (Layer.OBJECT, "floor"),
    }
    assert graph.nodes["shelf"].size == pytest.approx((0.8, 0.4, 1.8))
    assert graph.nodes["room_1"].polygon == ((-2, -2), (2, -2), (2, 2), (-2, 2))


@needs_mujoco
def test_files_of_a_model_stay_in_its_folder(load_text: Any, tmp_path: Path) -> None:
    """A mesh elsewhere is unknown; an include elsewhere is refused; plugins are not named."""
    asset = (
        "<extension><plugin plugin='evil.run'/></extension>"
        "<asset><mesh name='m' file='/etc/passwd'/><mesh name='gone' file='gone.stl'/></asset>"
    )
    body = "<body name='mug'><geom type='mesh' mesh='m'/></body>" + (
        "<body name='cup'><geom type='mesh' mesh='gone'/></body>"
    )
    graph = load_text(mujoco_model(body, asset), "scene.xml")
    assert graph.nodes["mug"].size is None
    assert graph.nodes["cup"].size is None
    assert any("/etc/passwd" in note and "--assets" in note for note in graph.notes)
    assert any("not found" in note and "gone.stl" in note for note in graph.notes)
    with pytest.raises(SceneError, match="outside of the world's folder"):
        load_text(mujoco_model("<include file='/etc/passwd'/>"), "scene.xml")
    with pytest.raises(SceneError, match="nested deeper than 200"):
        load_text(mujoco_model("<include file='scene.xml'/>"), "scene.xml")
    with pytest.raises(SceneError, match="MuJoCo says"):
        load_text(mujoco_model("<body><geom type='tetrahedron' size='1'/></body>"), "scene.xml")


def test_damaged_models_are_refused_or_valid(data_dir: Path, tmp_path: Path) -> None:
    """What reaches MuJoCo is XML in any case; it runs in the sandbox only."""
    folder = Path(shutil.copytree(data_dir / "mjcf", tmp_path / "mjcf"))
    path = folder / "twin_house.xml"
    texts = 0
    for number, (_, content) in enumerate(damaged(path.read_bytes(), COPIES)):
        path.write_bytes(content)
        try:
            file = open_scene_file(path, SceneLimits())
            if mjcf.is_mjcf(file):
                mjcf._ModelText(file)
                texts += 1
        except SceneError:
            continue
        if number % 50 == 0 and importlib.util.find_spec("mujoco") is not None:
            read_or_refuse(path)
    assert 0 < texts < COPIES


@pytest.mark.parametrize("name", ["mujoco", "trimesh"])
def test_a_missing_package_is_one_sentence(
    name: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda one: None if one == name else real(one))
    path = data_dir / "mjcf" / "twin_house.xml"
    if name == "trimesh":
        path = tmp_path / "scene.sdf"
        mesh = "<visual name='v'><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>"
        path.write_text(sdf(f"<model name='a'><link name='l'>{mesh}</link></model>"))
        (tmp_path / "a.stl").write_bytes(b"solid")
    with pytest.raises(SceneError, match="pip install") as refused:
        load_scene(path)
    assert name in str(refused.value) or "fcp_ros[worlds]" in str(refused.value)


# --- Habitat


def test_mangled_scenes_are_refused_or_valid(tmp_path: Path) -> None:
    instance = {
        "template_name": "objects/chair",
        "translation": [1.0, 0.0, 2.0],
        "rotation": [1.0, 0.0, 0.0, 0.0],
        "motion_type": "DYNAMIC",
    }
    document = {
        "translation_origin": "COM",
        "stage_instance": {"template_name": "stage"},
        "object_instances": [instance, changed(instance, ["template_name"], "objects/table")],
        "articulated_object_instances": [changed(instance, ["template_name"], "fridge")],
    }
    path = tmp_path / "scene.json"
    graphs = 0
    for copied in mangled(document, COPIES, seed=3):
        path.write_text(json.dumps(copied), encoding="utf-8")
        graphs += isinstance(read_or_refuse(path), SceneGraph)
    assert 0 < graphs < COPIES


@needs_meshes
def test_a_mesh_that_crashes_its_decoder_costs_only_itself(tmp_path: Path) -> None:
    """The reader of meshes has limits of memory and time, as that of USD has."""
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "b.glb").write_bytes(b"glTF" + b"\xff" * 100)
    found = decode_in_sandbox(
        "fcp_ros.scene.formats.worlds.mesh_decoder",
        [(str(tmp_path / name), "") for name in ("a.obj", "b.glb")],
        SandboxLimits(1 << 30, 60.0),
    )
    assert [hasattr(one, "arrays") for one in found] == [True, False]
