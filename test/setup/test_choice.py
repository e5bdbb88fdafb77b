# SPDX-License-Identifier: Apache-2.0
"""Which environment the make targets choose, and the one sentence when something is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def clean_environment(**variables: str) -> dict[str, str]:
    """This process's environment without anything that chooses, plus the variables given."""
    chosen = ("ROS_DISTRO", "ROS_WHEELS", "PYTHON", "PYTHONPATH")
    return {
        **{name: value for name, value in os.environ.items() if name not in chosen},
        **variables,
    }


def which_venv(repository: Path, **variables: str) -> str:
    result = subprocess.run(
        ["sh", "setup/which_venv.sh"],
        cwd=repository,
        text=True,
        check=True,
        env=clean_environment(**variables),
        capture_output=True,
    )
    return result.stdout.strip()


@pytest.fixture
def python_with_rclpy(tmp_path: Path) -> dict[str, str]:
    """Variables as after sourcing a distribution: ROS_DISTRO, and rclpy on PYTHONPATH."""
    (tmp_path / "rclpy.py").write_text("")
    return {"ROS_DISTRO": "jazzy", "PYTHONPATH": str(tmp_path), "PYTHON": sys.executable}


def test_wheels_without_a_distribution(repository: Path) -> None:
    assert which_venv(repository) == ".venv"
    assert which_venv(repository, ROS_WHEELS="kilted") == ".venv-kilted"


def test_a_sourced_distribution_is_used(repository: Path, python_with_rclpy) -> None:
    assert which_venv(repository, **python_with_rclpy) == ".venv-ros-jazzy"


def test_a_distribution_without_rclpy_is_not_used(repository: Path, tmp_path: Path) -> None:
    no_rclpy = tmp_path / "python"
    no_rclpy.write_text("#!/bin/sh\nexit 1\n")
    no_rclpy.chmod(0o755)
    assert which_venv(repository, ROS_DISTRO="jazzy", PYTHON=str(no_rclpy)) == ".venv"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"ROS_WHEELS": "foxy"}, "there is no set of ROS 2 wheels called foxy"),
        ({"PYTHON": "/nowhere/python3"}, "PYTHON=/nowhere/python3 does not run"),
    ],
)
def test_a_wrong_choice_is_answered_in_one_sentence(
    repository: Path, variables: dict[str, str], sentence: str
) -> None:
    result = subprocess.run(
        ["sh", "setup/prepare.sh"],
        cwd=repository,
        text=True,
        check=False,
        env=clean_environment(**variables),
        capture_output=True,
    )
    assert result.returncode == 1
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_compiler_is_named(repository: Path, tmp_path: Path) -> None:
    """With a PATH that has no compiler and no apt-get, the sentence says what to install."""
    for command in ("dirname", "uname", "id", "sh"):
        (tmp_path / command).symlink_to(f"/usr/bin/{command}")
    result = subprocess.run(
        ["/bin/sh", "setup/prepare.sh"],
        cwd=repository,
        text=True,
        check=False,
        env=clean_environment(PATH=str(tmp_path), PYTHON=sys.executable),
        capture_output=True,
    )
    assert result.returncode == 1
    assert "missing: a C and C++ compiler; install" in result.stderr
    assert "g++" in result.stderr


def test_help_lists_the_targets(repository: Path) -> None:
    result = subprocess.run(
        ["make", "--no-print-directory"], cwd=repository, text=True, check=True, capture_output=True
    )
    for target in ("setup", "demo", "test", "nightly", "golden", "lint", "up", "clean"):
        assert f"\n  {target} " in result.stdout
