# SPDX-License-Identifier: Apache-2.0
"""Weights of the demand model in a safetensors file, with the datasheet of their training.

A safetensors file is arrays and texts: reading one runs no code, whoever made it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.bounded_file import MEBIBYTE, read_bytes
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.demands.model import FAMILIARITY_FEATURES, FEATURES, DemandWeights
from fcp_ros.language.demands.roles import ROLE_FEATURES

PACKAGED_FILE = Path(__file__).with_name("demands.safetensors")
"""Trained on ALFRED's train split and the clauses of `clauses.yaml`; see the file NOTICE."""
FORMAT = "fcp_ros demands 1"
MOST_BYTES = 64 * MEBIBYTE
_RETRAIN = "train it again with `fcp language train`"


@dataclass(frozen=True, slots=True)
class Datasheet:
    """The circumstances of a training."""

    sources: tuple[str, ...]  # file, number of rows and licence, a line each
    scores: Mapping[str, float]  # name of a score -> value in [0, 1]


def save_weights(weights: DemandWeights, datasheet: Datasheet, file: Path) -> None:
    """Write a file of weights.

    Raises:
        InputError: it can't be written.
    """
    from safetensors.numpy import save

    text = {
        "format": FORMAT,
        "encoder": weights.encoder,
        "features": list(FEATURES),
        "role_features": list(ROLE_FEATURES),
        "kinds": list(weights.kind_names),
        "names": {label: dict(nouns) for label, nouns in weights.names.items()},
        "sources": list(datasheet.sources),
        "scores": dict(datasheet.scores),
    }
    arrays: dict[str, NDArray[Any]] = {
        "features": weights.features.astype(np.float64),
        "roles": weights.roles.astype(np.float64),
        "familiarity": weights.familiarity.astype(np.float64),
        "kinds": weights.kinds.astype(np.float16),
    }
    # safetensors writes raw memory: a transposed array would come back permuted.
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = save(arrays, {"demands": json.dumps(text, sort_keys=True)})
    draft = file.with_name(f".{file.name}.part")
    try:
        draft.write_bytes(content)
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(
            f"{file} can't be written ({error.strerror or error}); give another path with --out"
        ) from error


def load_weights(file: Path = PACKAGED_FILE) -> tuple[DemandWeights, Datasheet]:
    """Read a file of weights.

    Raises:
        InputError: it can't be read, or holds something else; the message says what to do.
    """
    content = read_bytes(file, MOST_BYTES)
    try:
        return _parse(content)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(
            f"{file} holds no weights of the demand model ({error}); {_RETRAIN}"
        ) from error


def _parse(content: bytes) -> tuple[DemandWeights, Datasheet]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(content)
    except SafetensorError as error:
        raise ValueError(f"it is no safetensors file: {error}") from error
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    text = json.loads(header["__metadata__"]["demands"])
    if text["format"] != FORMAT:
        raise ValueError(f"its format is {text['format']!r}, not {FORMAT!r}")
    if text["features"] != list(FEATURES) or text["role_features"] != list(ROLE_FEATURES):
        raise ValueError("its features are not those of this version")
    kinds = tuple(map(str, text["kinds"]))
    weights = DemandWeights(
        _read(arrays, "features", (len(FEATURES),), np.float64),
        _read(arrays, "roles", (len(ROLE_FEATURES),), np.float64),
        _read(arrays, "familiarity", (len(FAMILIARITY_FEATURES) + 1,), np.float64),
        _read(arrays, "kinds", (-1, len(kinds)), np.float32),
        kinds,
        str(text["encoder"]),
        {
            str(label): {str(noun): int(count) for noun, count in nouns.items()}
            for label, nouns in text["names"].items()
        },
    )
    scores = {str(name): float(value) for name, value in text["scores"].items()}
    return weights, Datasheet(tuple(map(str, text["sources"])), scores)


def _read(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], kind: type[np.generic]
) -> NDArray[Any]:
    """Read an array, checked and converted; -1 stands for any length."""
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(
        wanted in (-1, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits or not np.isfinite(array).all():
        raise ValueError(f"{name} has the shape {array.shape} or is not finite")
    return array.astype(kind)
