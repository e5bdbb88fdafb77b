# SPDX-License-Identifier: Apache-2.0
"""What is no model, or no safe one, is refused from its files alone, by name and with a reason."""

import json
from pathlib import Path

import pytest

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_folder import INDEX, check_model_folder, compute_fingerprint
from fcp_ros.grounding.models.model_store import MANIFEST


def model(folder: Path, **files: str | bytes) -> Path:
    folder.mkdir(exist_ok=True)
    contents: dict[str, str | bytes] = {"config.json": "{}", "tokenizer.json": "{}", **files}
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def refused(path: Path) -> GroundingError:
    with pytest.raises(GroundingError) as caught:
        check_model_folder(path)
    return caught.value


def test_a_sound_folder_passes(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", **{"model.safetensors": b"weights"})
    assert check_model_folder(folder) == folder.resolve()


def test_a_missing_folder(tmp_path: Path) -> None:
    error = refused(tmp_path / "nowhere")
    assert error.code is GroundingCode.MODEL_NOT_FOUND
    assert str(tmp_path / "nowhere") in error.sentence


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"")
    assert refused(tmp_path / "model.gguf").code is GroundingCode.NOT_A_MODEL


def test_a_folder_without_configuration(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert error.code is GroundingCode.NOT_A_MODEL
    assert "config.json" in error.sentence


def test_a_damaged_configuration(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", **{"config.json": "{", "model.safetensors": b"x"})
    assert refused(folder).code is GroundingCode.NOT_A_MODEL


def test_pickle_weights(tmp_path: Path) -> None:
    error = refused(model(tmp_path / "m", **{"pytorch_model.bin": b"x"}))
    assert error.code is GroundingCode.UNSAFE_WEIGHTS
    assert "pytorch_model.bin" in error.sentence
    assert "any code" in error.sentence


def test_no_weights(tmp_path: Path) -> None:
    assert "no weights" in refused(model(tmp_path / "m")).sentence


def test_no_tokenizer(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", **{"model.safetensors": b"x"})
    (folder / "tokenizer.json").unlink()
    assert "tokenizer" in refused(folder).sentence


def test_a_model_with_its_own_code(tmp_path: Path) -> None:
    config = json.dumps({"auto_map": {"AutoModel": "code.Model"}})
    folder = model(tmp_path / "m", **{"config.json": config, "model.safetensors": b"x"})
    assert "its own Python code" in refused(folder).sentence


@pytest.mark.parametrize(
    ("shard", "code"),
    [("m-2.safetensors", GroundingCode.NOT_A_MODEL), ("m-2.bin", GroundingCode.UNSAFE_WEIGHTS)],
)
def test_shards_that_are_missing_or_unsafe(tmp_path: Path, shard: str, code: GroundingCode) -> None:
    index = json.dumps({"weight_map": {"a": "m-1.safetensors", "b": shard}})
    folder = model(tmp_path / "m", **{"m-1.safetensors": b"x", INDEX: index})
    error = refused(folder)
    assert error.code is code
    assert shard in error.sentence


def test_the_fingerprint_tells_models_apart(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", **{"model.safetensors": bytes(3 << 20)})
    before = compute_fingerprint(folder)
    assert before.startswith("m@")
    assert compute_fingerprint(folder) == before
    (folder / MANIFEST).write_text("{}")
    assert compute_fingerprint(folder) == before, "it does not matter how the model came here"
    weights = bytearray(3 << 20)
    weights[-1] = 1
    (folder / "model.safetensors").write_bytes(weights)
    assert compute_fingerprint(folder) != before
