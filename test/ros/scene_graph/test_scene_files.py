# SPDX-License-Identifier: Apache-2.0
"""The scene_graph node and files: those it cannot use, and what it says of those it reads."""

from __future__ import annotations

import json

import pytest

from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.srv import GetSceneGraph

FILES = {
    "empty.json": "",
    "no_nodes.json": '{"format": "fcp_ros/scene", "version": 1, "nodes": []}',
    "broken.json": '{"format": "fcp_ros/scene", ',
    "unknown.json": '{"what": "is this"}',
    "binary.json": "\x00\x01\x02",
}


TELEVISION = {
    "format": "fcp_ros/scene",
    "version": 1,
    "nodes": [
        {"id": "den", "layer": "room", "category": "room"},
        {"id": "shelf_1", "layer": "object", "category": "CountertopLx", "parents": ["den"]},
        {"id": "tv_1", "layer": "object", "category": "Television", "parents": ["den"]},
    ],
    "relations": [["on", "tv_1", "shelf_1"]],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenes")
    (folder / "television.json").write_text(json.dumps(TELEVISION))
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "outside.json").symlink_to("/etc/hostname")
    return folder


@pytest.fixture(scope="module")
def files(live, folder):
    """A scene_graph node that has no scene, and may read from one folder."""
    with live(
        folder,
        {"scene_graph": {"scene_folders": [str(folder)]}},
        nodes=("scene_graph",),
        namespace="files",
        scene="",
    ) as (_, client):
        yield client


@pytest.mark.parametrize("name", [*FILES, "missing.json", "outside.json", "/etc/passwd", ""])
def test_unusable_files_are_refused(files, name):
    response = files.load_scene(name)
    assert not response.success
    assert response.message
    assert "Traceback" not in response.message
    assert files.scene() is None


def test_no_scene_yet(files, probe):
    response = probe.ask(GetSceneGraph, "files/get_scene_graph")
    assert not response.success
    assert "load_scene" in response.message


def test_a_stage_may_refer_to_all_files_of_the_folders(files, folder):
    """Also above its own folder, as ../assets; but to none elsewhere."""
    pytest.importorskip("pxr")
    head = '#usda 1.0\n(\ndefaultPrim = "mug"\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'
    label = 'token[] semantics:labels:class = ["mug"]'
    asset = (
        'def Cube "mug" (\nprepend apiSchemas = ["SemanticsLabelsAPI:class"]\n) {\n'
        f"double size = 0.1\n{label}\n}}\n"
    )
    for name in ("assets", "scenes"):
        (folder / name).mkdir()
    (folder / "assets" / "mug.usda").write_text(head + asset)
    outside = folder.parent / "outside.usda"
    outside.write_text(head + asset)
    stage = folder / "scenes" / "stage.usda"
    stage.write_text(head + 'def "mug" (\nreferences = @../assets/mug.usda@\n) {\n}\n')
    response = files.load_scene("scenes/stage.usda")
    assert response.success, response.message
    assert response.node_count >= 1
    assert not any("not followed" in note for note in response.notes)
    stage.write_text(head + f'def "mug" (\nreferences = @{outside}@\n) {{\n}}\n')
    response = files.load_scene("scenes/stage.usda")
    assert not response.success
    assert f"--assets {folder.parent} (of the node scene_graph: scene_folders)" in response.message


def test_what_the_domain_reads_otherwise_is_said(files):
    notes = files.load_scene("television.json").notes
    assert any("types do not fit: on(tv_1, shelf_1)" in note for note in notes)


def test_scene_parameter_that_does_not_exist(stack_options, tmp_path):
    options = stack_options(
        tmp_path, nodes=("scene_graph",), namespace="wrong", scene="/no/such/scene.json"
    )
    with NodeStack(options) as stack:
        with pytest.raises(StartError, match=r"scene_graph did not start.*/no/such/scene\.json"):
            stack.wait_active()
        node = stack.nodes["scene_graph"]
        assert node.diagnose().values["nodes"] == 0
        assert "/no/such/scene.json" in node.refusal(None).sentence
