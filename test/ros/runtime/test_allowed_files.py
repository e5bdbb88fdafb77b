# SPDX-License-Identifier: Apache-2.0
"""Requests can only name files inside the configured folders, whatever links and dots they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.nodes.runtime.parameters import FileRefusedError, FileRule


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Folders `allowed` (with a file, a folder and a link out) and `secret`."""
    (tmp_path / "allowed" / "deep").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "allowed" / "scene.json").write_text("{}")
    (tmp_path / "allowed" / "deep" / "other.json").write_text("{}")
    (tmp_path / "secret" / "key.json").write_text("{}")
    (tmp_path / "allowed" / "link.json").symlink_to(tmp_path / "secret" / "key.json")
    (tmp_path / "allowed" / "link").symlink_to(tmp_path / "secret")
    return tmp_path


def resolve(place: Path, address: str) -> str:
    rule = FileRule("folders", Path, lambda name: place / "allowed" / f"{name}.json")
    return rule.resolve(address, [str(place / "allowed")])


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("scene.json", "scene.json"),
        ("scene", "scene.json"),
        ("deep/other.json", "deep/other.json"),
        ("deep/../scene.json", "scene.json"),
        ("scene.json#house/3", "scene.json#house/3"),
    ],
)
def test_files_inside(place, address, file):
    assert resolve(place, address) == str(place / "allowed" / file)
    if "#" not in address:
        assert resolve(place, str(place / "allowed" / file)) == str(place / "allowed" / file)


@pytest.mark.parametrize(
    "address",
    [
        "",
        " ",
        "#x",
        "a\0b",
        "missing.json",
        "deep",
        "../secret/key.json",
        "link.json",
        "link/key.json",
        "/etc/passwd",
        "~/x",
        "allowed/../../secret/key.json",
    ],
)
def test_files_outside(place, address):
    with pytest.raises(FileRefusedError):
        resolve(place, address)


def test_absolute_path_outside(place):
    with pytest.raises(FileRefusedError, match="parameter folders"):
        resolve(place, str(place / "secret" / "key.json"))
    beside = place / "allowed-not"
    beside.mkdir()
    (beside / "x.json").write_text("")
    with pytest.raises(FileRefusedError):
        resolve(place, str(beside / "x.json"))


def test_default_folder(tmp_path):
    rule = FileRule("folders", lambda: tmp_path)
    assert rule.list_folders(("",)) == (tmp_path,)
    assert rule.list_folders(("a", "", "b")) == (Path("a"), Path("b"))


def test_folders_only_where_they_are_asked_for(place):
    folders = [str(place / "allowed")]
    rule = FileRule("folders", Path, with_folders=True)
    assert rule.resolve("deep", folders) == str(place / "allowed" / "deep")
    for address in ("link", str(place / "secret"), ".."):
        with pytest.raises(FileRefusedError):
            rule.resolve(address, folders)
