# SPDX-License-Identifier: Apache-2.0
"""Trained heads in a safetensors file: arrays, and a JSON text that describes them.

The arrays of a head have its name before a dot ("function.weights"). Large arrays are in half
precision; heads are trained on the rounded values, so this loses nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.head import Head, Scaling, Supports
from fcp_ros.grounding.heads.pair_features import COMPONENTS, PHRASINGS, Basis, count_features
from fcp_ros.grounding.judged.judged_pairs import JudgedPairs
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

PACKAGED_HEADS = Path(__file__).with_name("packaged") / "minilm.safetensors"
FORMAT = "fcp_ros heads 1"
"""The version of the file format; changed if older files become unreadable."""
RETRAIN = "train it again with `fcp grounding train`"

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of one file.

    Args:
        by_name: each head by its set's name.
        encoder: model name and fingerprint of the encoder of the training.
        judgements: hash of the judgements (`hash_judgements`).
        figures: figures measured on the held-out part of each set.
    """

    by_name: Mapping[str, Head]
    encoder: str
    judgements: str
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def hash_file(file: Path) -> str:
    """Hash a heads file to 12 hexadecimal digits, without parsing it.

    Raises:
        GroundingError: it can't be read.
    """
    try:
        return hashlib.sha256(file.expanduser().read_bytes()).hexdigest()[:12]
    except OSError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"the trained heads of the embedding oracle can't be read from {file} "
            f"({error.strerror or error}); {RETRAIN}",
        ) from error


def save_heads(heads: Heads, file: Path, judged: Mapping[str, JudgedPairs] | None = None) -> None:
    """Write a file, whole or not at all.

    Args:
        heads: the heads.
        file: to write.
        judged: pairs to look up before any model is asked, by set, in the place of the package's.

    Raises:
        GroundingError: it can't be written.
    """
    from safetensors.numpy import save

    arrays: Arrays = {}
    for name, head in heads.by_name.items():
        for part, array in _to_arrays(head).items():
            # safetensors writes raw memory: a transposed array would come back permuted.
            arrays[f"{name}.{part}"] = np.ascontiguousarray(array)
    for name, pairs in (judged or {}).items():
        arrays |= pairs.to_arrays(name)
    text = {
        "format": FORMAT,
        "encoder": heads.encoder,
        "phrasings": list(PHRASINGS),
        "judgements": heads.judgements,
        "columns": {name: list(head.columns) for name, head in heads.by_name.items()},
        "figures": {name: dict(figures) for name, figures in heads.figures.items()},
    }
    data = save(arrays, {"fcp_ros": json.dumps(text, sort_keys=True)})
    partial = file.with_name(f"{file.name}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(file)
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the heads can't be written to {file} ({error.strerror or error}); give a file in a "
            "folder with write permission",
        ) from error


def load_heads(file: Path, encoder: str) -> Heads:
    """Read a file, and check that it belongs to this encoder.

    Args:
        file: as `save_heads` wrote it.
        encoder: the encoder's model name and fingerprint.

    Raises:
        GroundingError: MISSING_LIBRARY, MODEL_NOT_FOUND, or NOT_A_MODEL if the file is damaged
            or was trained for another encoder or version.
    """
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"trained heads need safetensors ({error}); pip install safetensors",
        ) from error
    hash_file(file)  # reports a missing file
    try:
        data = file.expanduser().read_bytes()
        arrays = load(data)
        text = _read_metadata(data)
        if text.get("format") != FORMAT or text.get("phrasings") != list(PHRASINGS):
            raise _build_unfit(file, "it was written by another version of this package")
        if text["encoder"].split("@")[-1] != encoder.split("@")[-1]:
            raise _build_unfit(
                file, f"it was trained on {text['encoder']}, but the model is {encoder}"
            )
        heads = {
            name: _read_head(name, (columns[0], columns[1]), arrays)
            for name, columns in text["columns"].items()
        }
        return Heads(heads, text["encoder"], text["judgements"], text["figures"])
    except (SafetensorError, OSError, KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, GroundingError):
            raise
        raise _build_unfit(file, f"it is damaged ({type(error).__name__}: {error})") from error


def _read_metadata(data: bytes) -> dict[str, Any]:
    """Read the JSON text in the header; safetensors reads it only with a file and a framework."""
    size = int.from_bytes(data[:8], "little")
    text = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["fcp_ros"])
    if not isinstance(text, dict):
        raise ValueError("its description is no JSON object")
    return text


def _build_unfit(file: Path, why: str) -> GroundingError:
    return GroundingError(
        GroundingCode.NOT_A_MODEL,
        f"the trained heads in {file} can't be used: {why}; {RETRAIN}",
    )


def _to_arrays(head: Head) -> Arrays:
    supports = head.supports
    return {
        "hubs": head.basis.hubs,
        "components": head.basis.components.astype(np.float16),
        "feature_mean": head.scaling.mean,
        "feature_factor": head.scaling.factor,
        "support_features": supports.features.astype(np.float16),
        "support_words": supports.words.astype(np.float16),
        "support_left": supports.left,
        "support_right": supports.right,
        "weights": head.weights,
        "mean": np.array([head.mean], np.float64),
        "map_scores": np.array(head.degree_map.similarities, np.float64),
        "map_degrees": np.array(head.degree_map.degrees, np.float64),
    }


def _read_head(name: str, columns: tuple[str, str], arrays: Arrays) -> Head:
    def read(part: str, kind: type[np.generic], *shape: int) -> NDArray[Any]:
        """Read an array, converted and checked; -1 in the shape stands for any length."""
        array = arrays[f"{name}.{part}"]
        fits = len(array.shape) == len(shape) and all(
            wanted in (-1, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits or not np.isfinite(array).all():
            raise ValueError(f"{name}.{part} has shape {array.shape} or is not finite")
        return array.astype(kind)

    hubs = read("hubs", np.float32, len(PHRASINGS), -1)
    weights = read("weights", np.float32, -1)
    words = read("support_words", np.float32, -1, COMPONENTS)
    count, features = len(weights), count_features()
    left, right = (read(f"support_{side}", np.int32, count) for side in ("left", "right"))
    if count and not 0 <= min(left.min(), right.min()) <= max(left.max(), right.max()) < len(words):
        raise ValueError(f"{name}.support_left or support_right points beyond support_words")
    scores = read("map_scores", np.float64, -1)
    degrees = read("map_degrees", np.float64, len(scores))
    if len(scores) < 2 or (np.diff(scores) <= 0).any() or (np.diff(degrees) < 0).any():
        raise ValueError(f"{name}.map_scores and map_degrees don't rise")
    return Head(
        name,
        columns,
        Basis(hubs, read("components", np.float32, hubs.shape[1], COMPONENTS)),
        Scaling(
            read("feature_mean", np.float32, features), read("feature_factor", np.float32, features)
        ),
        Supports(read("support_features", np.float32, count, features), words, left, right),
        weights,
        float(read("mean", np.float64, 1)[0]),
        DegreeMap(tuple(scores.tolist()), tuple(degrees.clip(0.0, 1.0).tolist())),
    )
