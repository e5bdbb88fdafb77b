# SPDX-License-Identifier: Apache-2.0
"""Reading any file: the format is found by content, and bad files get one clear sentence."""

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from fcp_ros.scene import READERS, SceneError, SceneLimits, load_scene

TWINS = (
    "twin_house_expected.json",
    "twin_house_spark_v1.1.3.json",
    "twin_house_spark_v1.1.3.sparkdsg",
)


def problem(path: Path | str, limits: SceneLimits | None = None) -> str:
    with pytest.raises(SceneError) as caught:
        load_scene(path, limits=limits)
    message = str(caught.value)
    assert str(path).partition("#")[0] in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("name", TWINS)
def test_the_name_of_a_file_does_not_matter(data_dir: Path, tmp_path: Path, name: str) -> None:
    renamed = tmp_path / "scene.data"
    shutil.copy(data_dir / name, renamed)
    assert load_scene(renamed).nodes.keys() == load_scene(data_dir / name).nodes.keys()


def test_a_missing_file(tmp_path: Path) -> None:
    assert "there is no such file" in problem(tmp_path / "nothing.json")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert "it is a folder with notes.txt" in problem(tmp_path)


@pytest.mark.parametrize("content", [b"", b"  \n\t "])
def test_an_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    assert "the file is empty" in problem(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text("{}")
    path.chmod(0)
    assert "cannot be read" in problem(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"rooms": [', "breaks off or is wrong at line 1"),
        (b"{}", "JSON without any key"),
        (b"[]", "a JSON list of 0"),
        (b"hello", "no mapping"),
        (b"a: [1", "its YAML is wrong at line"),
        (b"a: &x [*x]\n", "the format is unknown"),
        (b"[" * 100_000, "recursion limit exceeded"),
        (b'{"scans": [], "other": 1}', "with the keys scans, other"),
        (b"\x00\x01\x02\xff", "no UTF-8 text"),
        (b"abc\x00def", "zero bytes"),
        ("smörgås".encode("latin-1"), "no UTF-8 text"),
    ],
)
def test_an_unknown_format_names_what_is_supported(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "scene.json"
    path.write_bytes(content)
    message = problem(path)
    assert words in message
    assert all(reader.description in message for reader in READERS)


@pytest.mark.parametrize(
    "document",
    [{"format": "fcp_ros/scene", "nodes": []}, {"SPARK_DSG_header": {}, "nodes": [], "edges": []}],
)
def test_a_scene_without_nodes(tmp_path: Path, document: dict[str, object]) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(document))
    assert problem(path)


def test_the_empty_scene_says_so(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("format: fcp_ros/scene\nnodes: []\n")
    assert "the scene is empty: it has no nodes" in problem(path)


@pytest.mark.parametrize("name", TWINS)
def test_limits_are_kept_by_every_reader(data_dir: Path, name: str) -> None:
    assert "more than the limit of 5" in problem(data_dir / name, SceneLimits(max_nodes=5))
    assert "bytes, more than" in problem(data_dir / name, SceneLimits(max_bytes=100))


def test_a_monster_file_is_refused_before_it_is_validated(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text('{"format": "fcp_ros/scene", "nodes": [' + "7," * 500_000 + "7]}")
    # Validation would list what is wrong with each of them: here only their number is.
    assert "the scene has 500001 nodes" in problem(path)


@pytest.mark.parametrize("name", TWINS)
def test_a_cut_file_is_an_error(data_dir: Path, tmp_path: Path, name: str) -> None:
    content = (data_dir / name).read_bytes()
    source = random.Random(7)
    path = tmp_path / name
    for _ in range(15):
        path.write_bytes(content[: source.randrange(1, len(content) - 3)])
        problem(path)
