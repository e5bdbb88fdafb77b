# SPDX-License-Identifier: Apache-2.0
"""A sentence, its plan, and the robot that carries it out in the physics world."""

from __future__ import annotations

from pathlib import Path

import pytest
from later import Later

from fcp_ros.demo.film import FilmError, make_film
from fcp_ros.execution.physics.failure import PhysicsError

Later("mujoco")
images = Later("PIL.Image")
HOUSE = ("twin_house_furnished", "household")


def test_a_film_shows_the_sentence_carried_out(tmp_path: Path) -> None:
    path = tmp_path / "film.webp"
    try:
        filmed = make_film(*HOUSE, "open the fridge", path)
    except PhysicsError as error:
        pytest.skip(str(error))  # neither EGL nor OSMesa
    assert [step.rule for step in filmed.steps] == ["open"]
    assert filmed.succeeded
    with images.open(path) as film:
        assert film.n_frames > 3
        first = film.convert("RGB").tobytes()
        film.seek(film.n_frames - 1)
        assert film.convert("RGB").tobytes() != first


def test_without_a_plan_nothing_is_filmed(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match="no plan"):
        make_film(*HOUSE, "put the fridge on the table", tmp_path / "film.webp")
    with pytest.raises(FilmError, match="Nothing is to be done"):
        make_film(*HOUSE, "close the fridge", tmp_path / "film.webp")
