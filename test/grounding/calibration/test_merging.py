# SPDX-License-Identifier: Apache-2.0
"""The files of calibration stores, and copying evidence between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.grounding import (
    CalibrationStore,
    Evidence,
    EvidenceOrigin,
    EvidenceWorld,
    GroundingError,
)
from fcp_ros.grounding.calibration.store import (
    DEFAULT_PATH,
    find_stores,
    locate_store,
    merge_evidence,
)


def fill(path: Path, *stamps: float) -> CalibrationStore:
    store = CalibrationStore(path)
    for stamp in stamps:
        store.record(Evidence("p", "{}", 1.0, stamp, "pick"))
    return store


def test_merging_copies_what_is_missing_and_counts(tmp_path: Path) -> None:
    source, target = fill(tmp_path / "a", 1.0, 2.0, 3.0), fill(tmp_path / "b", 2.0)
    source.reset(stamp=9.0)
    source.record(Evidence("p", "{}", 1.0, 4.0, "pick", weight=0.5))
    source.undo_reset(1)
    assert merge_evidence(source, target, weight=0.5) == 3
    assert [(item.stamp, item.weight) for item in target.entries()] == [
        (2.0, 1.0),
        (1.0, 0.5),
        (3.0, 0.5),
        (4.0, 0.25),
    ]
    assert merge_evidence(source, target) == 0
    assert len(source.entries()) == 4


def test_evidence_that_was_set_aside_stays_behind(tmp_path: Path) -> None:
    source, target = fill(tmp_path / "a", 1.0), fill(tmp_path / "b", 5.0)
    source.reset()
    assert merge_evidence(source, target) == 0
    target.reset()
    again = fill(tmp_path / "c", 5.0)
    assert merge_evidence(again, target) == 0  # nor does it come back by a merge


def test_a_weight_out_of_range_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GroundingError, match="weight of merged outcomes"):
        merge_evidence(fill(tmp_path / "a", 1.0), fill(tmp_path / "b"), weight=1.5)


def test_each_robot_and_world_has_a_file(tmp_path: Path) -> None:
    pattern = f"{tmp_path}/{{robot}}/{{world}}.sqlite"
    files = {
        locate_store(pattern, EvidenceOrigin(robot, world))
        for robot in ("", "robot_1", "fleet/robot_1")
        for world in EvidenceWorld
    }
    assert len(files) == 6
    assert list(find_stores(pattern)) == []
    for file in files:
        CalibrationStore(file).close()
    assert set(find_stores(pattern)) == files


def test_the_default_is_in_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = locate_store(DEFAULT_PATH, EvidenceOrigin("robot_1", EvidenceWorld.SIMULATED))
    assert found == tmp_path / ".local/state/fcp_ros/calibration/robot_1/simulated.sqlite"
