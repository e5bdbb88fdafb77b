# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every layer's tests share, and how property tests draw their examples.

By default the examples are the same in every run, so that a run says something about the change at
hand. `--hypothesis-profile=new` draws new ones, to look for what nobody has met yet.
"""

from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root folder of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared benchmark data; tests that need it are skipped where it is absent."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the benchmark data in {folder}, which this checkout does not have")
    return folder
