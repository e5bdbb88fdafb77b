# SPDX-License-Identifier: Apache-2.0
"""Scenes that the tests of this folder share."""

from pathlib import Path

import pytest

from fcp_ros.scene import SceneGraph, load_scene


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The scene files that belong to the tests."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def house_file(repository: Path) -> Path:
    """The twin house in the canonical format."""
    return repository / "config" / "scenes" / "twin_house.json"


@pytest.fixture(scope="session")
def house(house_file: Path) -> SceneGraph:
    """The twin house, completed."""
    return load_scene(house_file)


@pytest.fixture(scope="session")
def furnished(repository: Path) -> SceneGraph:
    """The furnished twin house, completed."""
    return load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")
