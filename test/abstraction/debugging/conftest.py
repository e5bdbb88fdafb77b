# SPDX-License-Identifier: Apache-2.0
"""Training tasks of a small domain."""

from __future__ import annotations

import pytest
from carried_parcels import read_tasks

from fcp_ros.abstraction.proposers.proposer import TrainingTask


@pytest.fixture(scope="session")
def training(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingTask, ...]:
    """Three tasks."""
    return read_tasks(tmp_path_factory.mktemp("parcels"))
