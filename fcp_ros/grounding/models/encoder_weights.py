# SPDX-License-Identifier: Apache-2.0
"""The weights of a BERT or an MPNet, mapped from their file, under names that both have in common.

MPNet differs from BERT in the names of its weights, in its first position, in having no types of
tokens, and in a bias of attention for the distance of two tokens, which all layers share.

The weights stay in their file: pages are mapped when they are first read, and processes with the
same model share them.

Source of MPNet: Song et al., MPNet (2020); of its bias: Raffel et al., T5 (2020), section 2.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

BUCKETS = 32
"""Classes of distances between two tokens: half of them for tokens to the right."""
MOST_HEADER = 1 << 24
"""Bytes of the longest header of a safetensors file."""
FAR_TOKENS = 128
"""The distance from which on all are in one class."""

FEW_ROWS = 32
BLOCK = 8
"""Up to so many rows are multiplied with so many outputs at a time.

OpenBLAS rearranges a large matrix before each product, which takes most of the time with few rows;
it does without in small products. 21 rows, 768 inputs, 3072 outputs: 1.7 instead of 2.6 ms; from
40 rows on it is slower.
"""

_TYPES = {"F32": np.float32}
"""The types of weights that are mapped as they are."""


@dataclass(frozen=True, slots=True)
class Affine:
    """A matrix or a vector of factors, and what is added afterwards."""

    weight: Matrix
    bias: Matrix

    def apply(self, rows: Matrix) -> Matrix:
        """Project rows, shape (rows, inputs), to (rows, outputs)."""
        outputs, inputs = self.weight.shape
        if len(rows) > FEW_ROWS or outputs % BLOCK:
            found: Matrix = rows @ self.weight.T
        else:
            found = np.empty((len(rows), outputs), np.float32)
            blocks = self.weight.reshape(-1, BLOCK, inputs).transpose(0, 2, 1)
            np.matmul(rows, blocks, out=found.reshape(len(rows), -1, BLOCK).transpose(1, 0, 2))
        found += self.bias
        return found


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One layer: attention, then two projections with a non-linearity between them."""

    query: Affine
    key: Affine
    value: Affine
    attended: Affine
    attended_norm: Affine
    inner: Affine
    outer: Affine
    outer_norm: Affine


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """All weights.

    Args:
        words: vectors of the vocabulary, shape (vocabulary, width).
        positions: what is added at each place of a phrase, shape (places, width).
        norm: of their sum.
        layers: in order.
        distances: bias of attention by class of distance and head, shape (BUCKETS, heads); None
            for a BERT.
    """

    words: Matrix
    positions: Matrix
    norm: Affine
    layers: tuple[LayerWeights, ...]
    distances: Matrix | None

    def compute_bias(self, length: int) -> Matrix | None:
        """Compute the bias of attention from each token to each, shape (heads, length, length)."""
        if self.distances is None:
            return None
        places = np.arange(length)
        classes = classify_distances(places[None, :] - places[:, None])
        return np.ascontiguousarray(self.distances[classes].transpose(2, 0, 1))


@dataclass(frozen=True, slots=True)
class Architecture:
    """The parts of an encoder that differ.

    Args:
        attention: names, in a layer, of query, key, value, output and norm.
        first_position: row of the first token's place.
        distances: name of the bias by distance; "" if there is none.
        types: name of the vectors of types of tokens; "" if there are none.
    """

    attention: tuple[str, str, str, str, str]
    first_position: int = 0
    distances: str = ""
    types: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of a layer, in the order of `LayerWeights`."""
        return (*self.attention, "intermediate.dense", "output.dense", "output.LayerNorm")


ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": Architecture(
        (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.output.LayerNorm",
        ),
        types="embeddings.token_type_embeddings.weight",
    ),
    "mpnet": Architecture(
        (
            "attention.attn.q",
            "attention.attn.k",
            "attention.attn.v",
            "attention.attn.o",
            "attention.LayerNorm",
        ),
        first_position=2,  # 1 is the number of the padding, which has a place as well
        distances="encoder.relative_attention_bias.weight",
    ),
}
"""By the model type in a configuration."""


def map_weights(file: Path, model_type: str, layers: int) -> EncoderWeights:
    """Map the weights of an encoder.

    Args:
        file: with safetensors.
        model_type: one of `ARCHITECTURES`.
        layers: how many it has.

    Raises:
        OSError, ValueError, KeyError: the file is damaged or holds another model.
    """
    names = ARCHITECTURES[model_type]
    arrays = {name.removeprefix(f"{model_type}."): a for name, a in _map_arrays(file).items()}

    def get(name: str) -> Affine:
        return Affine(arrays[f"{name}.weight"], arrays[f"{name}.bias"])

    positions = arrays["embeddings.position_embeddings.weight"][names.first_position :]
    if names.types:
        positions = positions + arrays[names.types][0]  # phrases are of the first type
    return EncoderWeights(
        arrays["embeddings.word_embeddings.weight"],
        positions,
        get("embeddings.LayerNorm"),
        tuple(
            LayerWeights(*(get(f"encoder.layer.{number}.{part}") for part in names.parts))
            for number in range(layers)
        ),
        arrays[names.distances] if names.distances else None,
    )


def classify_distances(distances: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the classes of distances: one for each short one, ever wider ones up to FAR_TOKENS.

    Args:
        distances: places from one token to another, negative to the left.
    """
    half = BUCKETS // 2
    exact = half // 2
    size = np.abs(distances)
    share = np.log(np.maximum(size, 1) / exact) / np.log(FAR_TOKENS / exact)
    wide = exact + (share * (half - exact)).astype(np.intp)
    found = np.where(size < exact, size, np.minimum(wide, half - 1))
    return np.asarray(found + half * (distances > 0), np.intp)


def are_all_mapped(file: Path) -> bool:
    """Return True if all weights of a file are of a type that is mapped as it is.

    Raises:
        OSError, ValueError, KeyError: it is no safetensors file.
    """
    header, _ = _read_entries(file)
    return all(entry["dtype"] in (*_TYPES, "I64") for entry in header.values())


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Read the header of a safetensors file: its entries by name, and where the data begins.

    Raises:
        OSError, ValueError: it is no safetensors file.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > min(path.stat().st_size, MOST_HEADER):
            raise ValueError(f"{path} is no safetensors file")
        header = json.loads(file.read(size))
    if not isinstance(header, dict):
        raise ValueError(f"the header of {path} is no JSON object")
    return header, 8 + size


def _read_entries(path: Path) -> tuple[dict[str, Any], int]:
    header, begin = read_header(path)
    header.pop("__metadata__", None)
    return header, begin


def _map_arrays(path: Path) -> dict[str, Matrix]:
    """Map the arrays of a safetensors file, by name; nothing is read yet."""
    header, begin = _read_entries(path)
    data = np.memmap(path, np.uint8, mode="r", offset=0)[begin:]
    arrays = {}
    for name, entry in header.items():
        if entry["dtype"] in _TYPES:
            first, last = entry["data_offsets"]
            values = data[first:last].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
            arrays[name] = np.asarray(values)
    return arrays
