# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every layer's tests share."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


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
