# SPDX-License-Identifier: Apache-2.0
"""Scenes, and the small household that they are read in, for the tests of this folder."""

from pathlib import Path

import pytest
from small_household import MAPPING, SCHEMA

from fcp_ros.cset import Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.scene import SceneGraph, load_scene


@pytest.fixture(scope="session")
def house(repository: Path) -> SceneGraph:
    """The twin house, completed."""
    return load_scene(repository / "config" / "scenes" / "twin_house.json")


@pytest.fixture(scope="session")
def furnished(repository: Path) -> SceneGraph:
    """The furnished twin house, completed."""
    return load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")


@pytest.fixture(scope="session")
def schema() -> Schema:
    """The schema of the small household."""
    return SCHEMA


@pytest.fixture(scope="session")
def mapping() -> SceneMapping:
    """The mapping of scenes to the small household."""
    return MAPPING
