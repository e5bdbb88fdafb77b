# SPDX-License-Identifier: Apache-2.0
"""``fcp world``: files for MuJoCo, pictures, and what is said where they can't be made."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.cli.main import app
from fcp_ros.execution.physics.failure import PhysicsError
from fcp_ros.execution.physics.pictures import open_painter
from fcp_ros.execution.physics.world import PhysicsWorld
from fcp_ros.scene.graph.graph import SceneGraph

mujoco = pytest.importorskip("mujoco")


def fcp(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["world", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def can_draw() -> bool:
    try:
        with open_painter(PhysicsWorld(SceneGraph.of([])).arena, 16, 16):
            return True
    except PhysicsError:
        return False


def test_a_scene_becomes_a_file_for_mujoco(tmp_path: Path) -> None:
    file = tmp_path / "house.xml"
    code, out, _ = fcp("twin_house_furnished", "--out", str(file))
    assert (code, out.strip()) == (0, str(file))
    assert mujoco.MjModel.from_xml_path(str(file)).nbody > 20


@pytest.mark.skipif(not can_draw(), reason="neither EGL nor OSMesa draws here")
def test_a_scene_becomes_a_picture(tmp_path: Path) -> None:
    from PIL import Image

    file = tmp_path / "house.png"
    assert fcp("twin_house_furnished", "-o", str(file), "--width", "160", "--height", "120")[0] == 0
    picture = Image.open(file)
    assert picture.size == (160, 120)
    assert len(picture.getcolors(160 * 120) or ()) > 50  # it shows something


def test_without_gl_a_sentence_says_so_and_the_file_is_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("fcp_ros.execution.physics.pictures.BACKENDS", ())
    file = tmp_path / "house.xml"
    code, _, error = fcp("twin_house", "-o", str(file), "-o", str(tmp_path / "house.png"))
    assert code == BAD_INPUT
    assert file.is_file()
    assert "libosmesa6" in error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["nowhere.json"], "nowhere.json"), (["twin_house", "-o", "x.avi"], "x.avi: write world.xml")],
)
def test_bad_input_is_named(arguments: list[str], words: str) -> None:
    code, _, error = fcp(*arguments)
    assert code == BAD_INPUT
    assert words in error
