# SPDX-License-Identifier: Apache-2.0
"""``fcp grounding train`` on a small set of one's own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.cli.main import app
from fcp_ros.grounding.heads.head_file import load_heads
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder

GOOD = ("mug", "cup", "glass", "bottle", "tumbler", "goblet", "beaker", "flask", "jar", "bowl")
BAD = ("book", "lamp", "shoe", "brick", "pillow", "hammer", "ladder", "clock", "comb", "rug")


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the model computes is not kept in the user's folder."""
    monkeypatch.setenv("FCP_MODELS", str(tmp_path_factory.mktemp("models")))


def fcp(*arguments: object):
    """Runs the program in this process."""
    environment = {"COLUMNS": "200", "NO_COLOR": "1"}
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)


def write(folder: Path, degree_of_bad: str = "0") -> None:
    lines = ["item,purpose,degree"]
    for purpose in ("drinking", "sipping tea"):
        lines += [f"{item},{purpose},1" for item in GOOD]
        lines += [f"{item},{purpose},{degree_of_bad}" for item in BAD]
    (folder / "mine.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_own_judgements_make_a_head(tmp_path: Path) -> None:
    write(tmp_path)
    out = tmp_path / "heads.safetensors"
    result = fcp("grounding", "train", "--judgements", tmp_path, "--own-only", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "raw cosine" in result.stdout
    assert "set the grounder's parameter heads" in result.stdout
    head = load_heads(out, SentenceEncoder()).by_name["mine"]
    assert head.columns == ("item", "purpose")


def test_bad_judgements_are_said_without_a_traceback(tmp_path: Path) -> None:
    write(tmp_path, degree_of_bad="never")
    out = tmp_path / "heads.safetensors"
    result = fcp("grounding", "train", "--judgements", tmp_path, "--own-only", "--out", out)
    assert result.exit_code == BAD_INPUT
    assert "line 12: the degree is 'never'" in result.stderr
    assert not out.exists()
    assert "--judgements" in fcp("grounding", "train", "--own-only", "--out", out).stderr
