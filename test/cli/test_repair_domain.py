# SPDX-License-Identifier: Apache-2.0
"""``fcp repair-domain`` with a model server of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import END, ChatServer, ScriptedModel
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, DONE, FAILED
from fcp_ros.cli.main import app
from fcp_ros.domain import load_domain
from fcp_ros.domain.yaml.domain_files import parse_domain

RULE = """\
rules:
  take_out_bag:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 10
    executor: pick
"""


@pytest.fixture
def server(monkeypatch: Any) -> Iterator[ChatServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ChatServer(ScriptedModel({RULE: 1.0}, lambda text: [text, END]))
    yield server
    server.close()


def fcp(*arguments: str) -> tuple[int, str, str]:
    """Runs the program in this process; returns exit code, standard output, standard error."""
    command = ["repair-domain", *arguments]
    result = CliRunner().invoke(app, command, env={"COLUMNS": "200", "NO_COLOR": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_a_valid_answer_is_written_to_a_new_file(server: ChatServer, tmp_path: Path) -> None:
    file = tmp_path / "amended.yaml"
    arguments = ("take the bag out", "--domain", "tiny", "--endpoint", server.url)
    code, out, _ = fcp(*arguments, "--output", str(file))
    assert code == DONE
    assert "attempt 1: valid" in out
    assert "read them before" in out
    assert "take_out_bag" in load_domain(file).rules
    code, _, error = fcp(*arguments, "--output", str(file))
    assert code == BAD_INPUT
    assert "exists" in error


def test_what_is_not_valid_is_shown_and_nothing_is_written(
    server: ChatServer, tmp_path: Path
) -> None:
    server.model = ScriptedModel({RULE.replace("pick", "wand"): 1.0}, lambda text: [text, END])
    file = tmp_path / "amended.yaml"
    code, out, _ = fcp("take it", "-d", "tiny", "--endpoint", server.url, "-o", str(file))
    assert code == FAILED
    assert "there is no executor wand" in out
    assert not file.exists()


def test_it_needs_a_model() -> None:
    code, _, error = fcp("take the bag out", "--domain", "tiny")
    assert code == BAD_INPUT
    assert "--model" in error


def test_standard_output_gets_the_domain_alone(server: ChatServer) -> None:
    code, out, error = fcp("take the bag out", "-d", "tiny", "--endpoint", server.url)
    assert code == DONE
    assert "take_out_bag" in parse_domain(out).rules
    assert "attempt 1: valid" in error


def test_the_folder_of_the_file_is_made(server: ChatServer, tmp_path: Path) -> None:
    file = tmp_path / "new" / "amended.yaml"
    code, _, _ = fcp("take it", "-d", "tiny", "--endpoint", server.url, "-o", str(file))
    assert code == DONE
    assert file.exists()


def test_a_scene_shows_the_model_its_labels(server: ChatServer) -> None:
    arguments = ("take it", "-d", "household", "--endpoint", server.url)
    fcp(*arguments, "--scene", "twin_house_furnished")
    assert "Things here: " in server.bodies[-1]["messages"][0]["content"]


def test_what_a_server_says_controls_no_terminal(server: ChatServer) -> None:
    arguments = ("take it", "-d", "tiny", "--endpoint", server.url)
    code, out, error = fcp(*arguments, "--model", "\x1b[2Jtiny")
    assert code == DONE
    assert "\x1b" not in out + error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--domain", "nowhere.yaml", "--endpoint", "http://localhost:9/v1"), "nowhere.yaml"),
        (("--domain", "tiny", "--endpoint", "nonsense"), "endpoint url"),
        (("--domain", "tiny", "--model", "nowhere"), "nowhere"),
        (("--scene", "twin_house", "--endpoint", "http://localhost:9/v1"), "--domain"),
    ],
)
def test_bad_input_is_told_before_a_model_is_asked(arguments: tuple[str, ...], words: str) -> None:
    code, _, error = fcp("take the bag out", *arguments)
    assert code == BAD_INPUT
    assert words in error


def test_a_need_without_words_is_refused() -> None:
    code, _, error = fcp(" \n", "-d", "tiny", "--endpoint", "http://localhost:9/v1")
    assert code == BAD_INPUT
    assert "say what the robot shall be able to do" in error


def test_a_file_that_can_not_be_written_is_named(server: ChatServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    target = str(tmp_path / "file" / "amended.yaml")
    code, out, error = fcp("take it", "-d", "tiny", "--endpoint", server.url, "-o", target)
    assert code == BAD_INPUT
    assert "amended.yaml" in error or "file" in error
    assert "take_out_bag" in out, "what the model wrote is not lost"


def test_a_server_that_is_down_ends_it(server: ChatServer) -> None:
    server.close()
    code, _, error = fcp("take it", "-d", "tiny", "--endpoint", server.url)
    assert code == FAILED
    assert "check that it runs" in error
