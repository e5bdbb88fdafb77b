# SPDX-License-Identifier: Apache-2.0
"""Writing scenes: by the ending, nothing half-written, nothing lost."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from written_scenes import scenes

from fcp_ros.scene import SceneError, SceneGraph, read_scene
from fcp_ros.scene.loading import save_scene


@pytest.mark.parametrize("name", ["scene.json", "scene.yaml", "scene.YML"])
def test_the_canonical_format_loses_nothing(tmp_path: Path, house: SceneGraph, name: str) -> None:
    path = tmp_path / name
    save_scene(house, path)
    again = read_scene(path)
    assert again.nodes == house.nodes
    assert again.relations == house.relations
    assert again.notes == house.notes
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["scene.txt", "scene", "scene.usda"])
def test_an_unknown_ending_names_the_known_ones(
    tmp_path: Path, house: SceneGraph, name: str
) -> None:
    with pytest.raises(SceneError, match=r"names no format.*\.json, \.yaml, \.yml"):
        save_scene(house, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_names_itself(tmp_path: Path, house: SceneGraph) -> None:
    path = tmp_path / "no_folder" / "scene.json"
    with pytest.raises(SceneError, match="cannot be written") as caught:
        save_scene(house, path)
    assert str(path) in str(caught.value)


def test_a_failure_leaves_the_old_file(
    tmp_path: Path, house: SceneGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scene.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(SceneError, match="No space left on device"):
        save_scene(house, path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["scene.json"]


def test_the_rights_of_the_old_file_stay(tmp_path: Path, house: SceneGraph) -> None:
    path = tmp_path / "scene.json"
    path.touch(mode=0o600)
    save_scene(house, path)
    assert path.stat().st_mode & 0o777 == 0o600


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(graph=scenes())
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_whatever_is_written_comes_back(suffix: str, graph: SceneGraph) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"scene{suffix}"
        save_scene(graph, path)
        again = read_scene(path)
    assert again.frame_id == graph.frame_id
    assert list(again.nodes.values()) == list(graph.nodes.values())
    assert set(again.relations) == set(graph.relations)


def test_a_link_stays_and_a_device_is_not_replaced(tmp_path: Path, house: SceneGraph) -> None:
    link, target = tmp_path / "link.json", tmp_path / "folder" / "scene.json"
    target.parent.mkdir()
    link.symlink_to(target)
    save_scene(house, link)
    assert link.is_symlink()
    assert read_scene(target).nodes == house.nodes
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(SceneError, match="no regular file"):
        save_scene(house, pipe)
    assert pipe.is_fifo()
