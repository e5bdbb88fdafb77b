# SPDX-License-Identifier: Apache-2.0
"""Scene files that are too large, slow, or no files: refused, while the node answers others."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.client import FcpClient
from fcp_ros.nodes.scene_graph import node as scene_node
from fcp_ros.scene.formats.scene_file import SceneLimits, open_scene_file
from fcp_ros.scene.graph.elements import SceneError


@pytest.fixture
def loader(live: Any, tmp_path: Path, repository: Path) -> Any:
    """A scene_graph node that reads from a folder: (node, client, folder)."""
    shutil.copy(repository / "config" / "scenes" / "twin_house.json", tmp_path / "twin.json")
    limits = {"max_file_bytes": 100_000, "scene_folders": [str(tmp_path)]}
    with live(
        tmp_path,
        {"scene_graph": limits},
        nodes=("scene_graph",),
        namespace="loader",
        scene=str(tmp_path / "twin.json"),
    ) as (stack, client):
        yield stack.nodes["scene_graph"], client, tmp_path


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes reading a scene wait: (set when it begins, to be set so that it goes on)."""
    began, go_on = threading.Event(), threading.Event()
    load = scene_node.read_scene

    def read_slowly(*given: Any, **more: Any) -> Any:
        began.set()
        go_on.wait(20.0)
        return load(*given, **more)

    monkeypatch.setattr(scene_node, "read_scene", read_slowly)
    yield began, go_on
    go_on.set()


def make(folder: Path, kind: str) -> str:
    path = folder / f"{kind}.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_text(json.dumps({"rooms": [], "padding": "x" * 200_000}))
    return str(path)


@pytest.mark.parametrize(
    ("kind", "words"),
    [("pipe", "pipe"), ("large", "max_file_bytes")],
)
def test_what_is_no_fit_file_is_refused_at_once(loader: Any, kind: str, words: str) -> None:
    _node, client, folder = loader
    path = make(folder, kind)
    answer = client.load_scene(path)
    assert not answer.success
    assert words in answer.message
    assert client.scene() is not None, "the scene before stays"


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_the_library_refuses_them_too(tmp_path: Path, kind: str) -> None:
    with pytest.raises(SceneError, match="no file but a pipe, a socket or a device"):
        open_scene_file(make(tmp_path, kind), SceneLimits())


def test_the_library_names_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="symbolic links"):
        open_scene_file(make(tmp_path, "loop"), SceneLimits())


def test_others_are_answered_while_a_file_is_read(loader: Any, reading: Any) -> None:
    node, client, folder = loader
    began, go_on = reading
    answers: list[Any] = []
    file = str(folder / "twin.json")
    waiting = threading.Thread(target=lambda: answers.append(client.load_scene(file)))
    waiting.start()
    try:
        assert began.wait(20.0)
        with FcpClient(namespace="loader") as other:
            assert len(other.scene().nodes.ids) > 0
        assert node.diagnose().values["nodes"] > 0
    finally:
        go_on.set()
        waiting.join(20.0)
    assert answers[0].success, answers[0].message


def test_a_file_that_takes_too_long_changes_nothing(loader: Any, reading: Any) -> None:
    from rclpy.parameter import Parameter

    node, client, folder = loader
    node.set_parameters([Parameter("load_timeout", value=0.2)])
    before = client.scene().sequence_number
    answer = client.load_scene(str(folder / "twin.json"))
    reading[1].set()
    assert not answer.success
    assert "load_timeout" in answer.message
    assert client.scene().sequence_number == before
