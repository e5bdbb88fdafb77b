# SPDX-License-Identifier: Apache-2.0
"""The command ``fcp align`` for a scene."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from renamed_scenes import rename_at_random
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.package_files import find_scene
from fcp_ros.scene import read_scene
from fcp_ros.scene.loading import save_scene

GOAL = "forall ?c: cup (exists ?s: couch (on(?c, ?s)))"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("scenes")
    renamed = rename_at_random(read_scene(find_scene("twin_house")), 1)
    save_scene(renamed.graph, folder / "perceived.json")
    save_scene(renamed.world, folder / "true.json")
    return str(folder / "perceived.json"), str(folder / "true.json")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_overrides_are_written_and_planning_needs_nothing_else(
    files: tuple[str, str], tmp_path: Path
) -> None:
    scene, world = files
    out = tmp_path / "names.yaml"
    code, text, _ = run("align", scene, "--domain", "household", "-w", world, "-o", str(out))
    assert code == 0, text
    assert text.startswith("ALIGNED ")
    assert "tried, and kept:" in text
    assert out.read_text().startswith("# the names of perceived.json in the words of household")
    code, text, _ = run("plan", "-s", scene, "--overrides", str(out), "-g", GOAL, "--json")
    assert code == 0, text
    code, text, _ = run("scene", "info", scene, "--overrides", str(out))
    assert code == 0
    assert "default" not in text


def test_answer_is_plain_data(files: tuple[str, str]) -> None:
    code, text, _ = run("align", files[0], "--json")
    found = json.loads(text)
    assert (code, found["status"], found["trials"]) == (0, "ALIGNED", [])
    assert {claim["kind"] for claim in found["claims"]} == {"label", "relation", "attribute"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--merged", "x"], "--merged and --problem are for PDDL domains"),
        (["twin_house"], "a second file"),
        (["-o", "SCENE"], "would be overwritten, but it is read"),
        (["-w", "twin_house"], "has none of the ids of the scene"),
        (["-d", "nowhere"], "nowhere"),
    ],
)
def test_what_makes_no_sense_is_refused(
    files: tuple[str, str], options: list[str], expected: str
) -> None:
    given = [files[0] if one == "SCENE" else one for one in options]
    code, text, errors = run("align", files[0], *given)
    assert code == 2, text
    assert expected in errors


def test_time_limit_has_a_code_and_a_sentence(files: tuple[str, str]) -> None:
    code, text, _ = run("align", files[0], "-t", "0.01")
    assert code == 13
    assert text.startswith("TIMEOUT ")
