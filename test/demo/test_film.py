# SPDX-License-Identifier: Apache-2.0
"""A sentence, its plan, and the robot that carries it out in the physics world."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from later import Later
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.demo.film import HEIGHT, WIDTH, FilmError, make_film, make_report
from fcp_ros.report.demo_report import render_page

Later("mujoco")
images = Later("PIL.Image")
HOUSE = ("twin_house_furnished", "household")


def test_a_film_shows_the_sentence_carried_out(tmp_path: Path) -> None:
    path = tmp_path / "film.webp"
    filmed = make_film(*HOUSE, "open the fridge", path)
    episode = filmed.episode
    assert [outcome.step for outcome in episode.outcomes] == [
        str(step) for step in episode.result.plan.steps
    ]
    assert filmed.succeeded
    if filmed.unfilmed:
        pytest.skip(filmed.unfilmed)  # neither EGL nor OSMesa
    with images.open(path) as film:
        assert film.n_frames > 3
        first = film.convert("RGB").tobytes()
        film.seek(film.n_frames - 1)
        assert film.convert("RGB").tobytes() != first
    page = render_page(make_report(filmed, *HOUSE))
    assert page.count("data:image/webp;base64,") == len(episode.outcomes) == 1
    with images.open(io.BytesIO(episode.frames[0])) as frame:
        assert frame.size == (2 * WIDTH, HEIGHT)
        assert len(frame.getcolors(2 * WIDTH * HEIGHT)) > 50  # it shows something


def test_without_gl_there_are_no_pictures_and_the_rest_works(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("fcp_ros.execution.physics.pictures.BACKENDS", ())
    result = CliRunner().invoke(
        app,
        ["demo", "--world", "physics", "--say", "open the fridge", "--out", str(tmp_path)],
        env={"COLUMNS": "200", "NO_COLOR": "1"},
    )
    assert result.exit_code == 0, result.output
    assert "libosmesa6" in result.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["demo.html", "demo.json"]
    page = (tmp_path / "demo.html").read_text()
    assert "data:image" not in page
    assert "SUCCEEDED" in page


def test_without_a_plan_nothing_is_filmed(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match="no plan"):
        make_film(*HOUSE, "put the fridge on the table", tmp_path / "film.webp")
    with pytest.raises(FilmError, match="Nothing is to be done"):
        make_film(*HOUSE, "close the fridge", tmp_path / "film.webp")
