# SPDX-License-Identifier: Apache-2.0
"""Locations of this package's files: in a checkout, a ROS installation, or a pip installation."""

from __future__ import annotations

import sys
from pathlib import Path

SCENE_SUFFIXES = (".json", ".yaml")


def config_folder() -> Path:
    """Find the folder ``config`` of the checkout or of the installed share directory.

    Raises:
        FileNotFoundError: the installation is incomplete; the message lists the places searched.
    """
    candidates = [
        Path(__file__).resolve().parents[1] / "config",
        *_ament_folders(),
        Path(sys.prefix) / "share" / "fcp_ros" / "config",
    ]
    for folder in candidates:
        if (folder / "domains").is_dir():
            return folder
    places = ", ".join(str(folder) for folder in candidates)
    raise FileNotFoundError(f"fcp_ros can't find its config folder in {places}: reinstall it")


def find_domain(name_or_path: str) -> Path:
    """Return the path of a domain given by path, or by a name such as ``household``."""
    return _find(name_or_path, config_folder() / "domains", (".yaml",))


def find_scene(name_or_path: str) -> Path:
    """Return the path of a scene given by path, or by a name such as ``twin_house``.

    A path may carry the id of one scene in the file: ``instances.json#laundry/Parole/problem_1``.
    """
    return _find(name_or_path, config_folder() / "scenes", SCENE_SUFFIXES)


def _find(name_or_path: str, folder: Path, suffixes: tuple[str, ...]) -> Path:
    """Look up a bare name among the files of this package; anything else is already a path."""
    path = Path(name_or_path).expanduser()
    if path.exists() or path.name != name_or_path or path.suffix:
        return path
    for suffix in suffixes:
        if (folder / f"{name_or_path}{suffix}").is_file():
            return folder / f"{name_or_path}{suffix}"
    return path


def _ament_folders() -> list[Path]:
    """Return the share directory of a ROS installation, if there is one."""
    try:
        from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
    except ImportError:
        return []
    try:
        return [Path(get_package_share_directory("fcp_ros")) / "config"]
    except (PackageNotFoundError, OSError):  # the latter without AMENT_PREFIX_PATH
        return []
