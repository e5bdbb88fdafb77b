# SPDX-License-Identifier: Apache-2.0
"""Checks of a folder with a Hugging Face model, and the model's fingerprint.

Both read files only, before torch is imported, so that a wrong path is reported when a node is
configured and not at the first question. Only safetensors are loaded: pickle files (.bin, .pt) can
run any code while they are read.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.downloads import find_model_folder
from fcp_ros.grounding.models.model_store import MANIFEST, is_hub_name

CONFIG = "config.json"
INDEX = "model.safetensors.index.json"
PICKLE_SUFFIXES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.txt")
EDGE = 1 << 20


def check_model_folder(path: Path) -> Path:
    """Check that a folder holds a model that may be loaded, and return its absolute path.

    `path`: a folder as Hugging Face's ``save_pretrained`` writes it, or the name of a model that
    `fcp models fetch` has fetched. Raises GroundingError: MODEL_NOT_FOUND, NOT_A_MODEL or
    UNSAFE_WEIGHTS, with what to do.
    """
    folder = find_model_folder(path)
    if not folder.exists():
        hub = f"; `fcp models fetch {path}` asks the hub for it" if is_hub_name(str(path)) else ""
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"there is no model at {path}{hub}; give the path of a folder with a Hugging Face "
            "model (config.json, *.safetensors, tokenizer files), or a name of `fcp models list`",
        )
    if not folder.is_dir():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} is a file; give the folder that holds config.json and the weights (a GGUF "
            "file is for a model server, such as llama.cpp's: oracle endpoint)",
        )
    config = _read_json(folder, CONFIG)
    if "auto_map" in config:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the model in {path} brings its own Python code (auto_map in config.json), which is "
            "not run here; use a model whose architecture is part of transformers",
        )
    _check_weights(folder)
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} has no tokenizer ({', '.join(TOKENIZER_FILES)}); save the model's tokenizer "
            "into the same folder",
        )
    return folder.resolve()


def compute_fingerprint(folder: Path) -> str:
    """Identify a model by its folder's name and a hash of configuration, tokenizer and weights.

    Of each weights file the size, the first and the last MiB are hashed: a header and some weights,
    which any training changes. The cost doesn't grow with the model.
    """
    digest = hashlib.sha256()
    # Some models keep their tokenizer or pooling in folders beside the weights.
    for file in sorted(p for pattern in ("*", "*/*") for p in folder.glob(pattern) if p.is_file()):
        if file.name == MANIFEST:
            continue  # a model that was fetched is the same as one that was copied
        if file.suffix in (".json", ".txt", ".model", ".jinja"):
            digest.update(file.name.encode() + file.read_bytes())
        elif file.suffix == ".safetensors":
            _add_weights(digest, file)
    return f"{folder.name}@{digest.hexdigest()[:12]}"


def compute_weights_fingerprint(folder: Path) -> str:
    """Identify the weights of a model alone, by the same parts of them.

    Configuration and tokenizer of a converted model differ with the libraries that wrote them.
    """
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        _add_weights(digest, file)
    return digest.hexdigest()[:16]


def _add_weights(digest: hashlib._Hash, file: Path) -> None:
    digest.update(f"{file.name}:{file.stat().st_size}:".encode())
    with file.open("rb") as stream:
        digest.update(stream.read(EDGE))
        stream.seek(max(0, file.stat().st_size - EDGE))
        digest.update(stream.read(EDGE))


def _check_weights(folder: Path) -> None:
    if any(folder.glob("*.safetensors")):
        _check_shards(folder)
        return
    pickles = sorted(p.name for p in folder.iterdir() if p.suffix in PICKLE_SUFFIXES)
    if pickles:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"{folder} has only pickle weights ({', '.join(pickles)}), and reading a pickle can "
            "run any code; convert them with save_pretrained(..., safe_serialization=True) and "
            "give that folder",
        )
    raise GroundingError(
        GroundingCode.NOT_A_MODEL,
        f"{folder} has no weights; a model folder holds *.safetensors beside config.json",
    )


def _check_shards(folder: Path) -> None:
    if not (folder / INDEX).is_file():
        return
    shards = _read_json(folder, INDEX).get("weight_map", {})
    names = set(shards.values()) if isinstance(shards, dict) else set()
    unsafe = sorted(name for name in names if not str(name).endswith(".safetensors"))
    missing = sorted(name for name in names if not (folder / str(name)).is_file())
    if unsafe or missing:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS if unsafe else GroundingCode.NOT_A_MODEL,
            f"{folder / INDEX} names {', '.join(unsafe or missing)}, which "
            + ("is no safetensors file" if unsafe else "is not there")
            + "; copy the whole model again",
        )


def _read_json(folder: Path, name: str) -> dict[str, object]:
    file = folder / name
    if not file.is_file():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{folder} is not a model: it has no {name}; give the folder that "
            "save_pretrained wrote",
        )
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL, f"{file} can't be read as JSON ({error}); copy it again"
        ) from error
    if not isinstance(content, dict):
        raise GroundingError(
            GroundingCode.NOT_A_MODEL, f"{file} doesn't hold a JSON object; copy the model again"
        )
    return content
