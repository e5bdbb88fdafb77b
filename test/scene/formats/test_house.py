# SPDX-License-Identifier: Apache-2.0
"""The twin house in the house layout and in the canonical format."""

from pathlib import Path

from twin_house import differences, truth_of

from fcp_ros.scene import load_scene


def test_the_house_layout_is_the_truth_itself(data_dir: Path) -> None:
    file = data_dir / "twin_house_expected.json"
    assert differences(load_scene(file), truth_of(file)) == []


def test_the_canonical_format_has_everything(house_file: Path, data_dir: Path) -> None:
    truth = truth_of(data_dir / "twin_house_expected.json")
    assert differences(load_scene(house_file), truth) == []
