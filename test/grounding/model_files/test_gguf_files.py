# SPDX-License-Identifier: Apache-2.0
"""A GGUF file given as a model: the command that converts it, and its folder from then on.

The conversion itself takes seconds, and is tested where models are fetched (test_fetching.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaged_models import FILES

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.models import gguf_files
from fcp_ros.grounding.models.gguf_files import convert_file, locate_converted
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def write(file: Path, content: bytes = b"GGUF and more") -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    return file


def refused(path: Path) -> GroundingError:
    with pytest.raises(GroundingError) as caught:
        check_model_folder(path)
    return caught.value


def write_folder(_source: Path, target: Path) -> None:
    """Stand for a conversion."""
    target.mkdir(parents=True)
    for name, content in FILES.items():
        (target / name).write_bytes(content)


def test_a_file_is_answered_with_the_command_and_then_stands_for_its_folder(
    tmp_path: Path, store: Path, monkeypatch: Any
) -> None:
    file = write(tmp_path / "own" / "tiny.gguf")
    error = refused(file)
    assert error.code is GroundingCode.NOT_A_MODEL
    assert f"`fcp models convert {file}`" in error.sentence
    monkeypatch.setattr(gguf_files, "convert_gguf", write_folder)
    folder = convert_file(file)
    assert folder.parent.parent == store
    assert check_model_folder(file) == check_model_folder(file.parent) == folder.resolve()
    assert compute_fingerprint(folder).startswith("tiny-")
    monkeypatch.setattr(gguf_files, "convert_gguf", None)  # once is enough
    assert convert_file(file.parent) == folder
    assert sorted(path.name for path in folder.parent.iterdir()) == [folder.name]


def test_a_file_without_the_suffix_is_known_by_its_beginning(tmp_path: Path) -> None:
    assert "fcp models convert" in refused(write(tmp_path / "model.bin")).sentence


def test_a_changed_file_is_another_one(tmp_path: Path) -> None:
    first = locate_converted(write(tmp_path / "m.gguf"))
    assert locate_converted(write(tmp_path / "m.gguf", b"GGUF and less")) != first


def test_a_folder_of_several_files(tmp_path: Path) -> None:
    for name in ("q4.gguf", "q8.gguf"):
        write(tmp_path / "several" / name)
    error = refused(tmp_path / "several")
    assert error.code is GroundingCode.NOT_A_MODEL
    assert "q4.gguf, q8.gguf" in error.sentence


def test_a_folder_with_safetensors_beside_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = write(tmp_path / "both" / "m.gguf").parent
    for name, content in (("config.json", b"{}"), ("tokenizer.json", b"{}")):
        write(folder / name, content)
    write(folder / "model.safetensors", b"weights")
    assert check_model_folder(folder) == folder.resolve()


def test_a_conversion_that_fails_half_way_leaves_nothing_behind(
    tmp_path: Path, store: Path, monkeypatch: Any
) -> None:
    def fail(source: Path, target: Path) -> None:
        write_folder(source, target)
        raise GroundingError(GroundingCode.NOT_A_MODEL, "it can't be converted")

    monkeypatch.setattr(gguf_files, "convert_gguf", fail)
    with pytest.raises(GroundingError, match="can't be converted"):
        convert_file(write(tmp_path / "broken.gguf"))
    assert list((store / "converted").iterdir()) == []


@pytest.mark.parametrize("name", ["nowhere", "text.txt"])
def test_only_gguf_files_are_converted(name: str, tmp_path: Path) -> None:
    write(tmp_path / "text.txt", b"words")
    with pytest.raises(GroundingError, match="is no GGUF file") as caught:
        convert_file(tmp_path / name)
    assert caught.value.code is GroundingCode.NOT_A_MODEL
