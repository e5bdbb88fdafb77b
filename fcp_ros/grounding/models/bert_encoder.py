# SPDX-License-Identifier: Apache-2.0
"""A BERT sentence encoder in numpy, for small models on a CPU.

Torch and transformers take 300 MB and seconds of a start, mostly for what a forward pass through
six layers does not need. The weights stay in their file: pages are mapped when they are first read,
and processes with the same model share them.

Source of the architecture: Devlin et al., BERT (2019), section 3; mean pooling: Reimers and
Gurevych, Sentence-BERT (2019), section 3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

BATCH_SIZE = 64
"""Most phrases in one pass; phrases of about equal length share one."""

FAR_BELOW = np.float32(-1e9)
"""Attention to padding, before the softmax."""

ERF_END = np.float32(3.8)
"""Where erf is 1 in float32, but for 8e-8."""

ERF_COEFFICIENTS = np.array(
    [
        *(1.9810711e-4, -5.1650991e-4, 4.4501284e-4, -8.6676795e-4, 2.9552118e-3, -5.8810859e-3),
        *(9.7478816e-3, -1.6484845e-2, 2.6648955e-2, -3.9645253e-2, 5.5103029e-2, -7.237794e-2),
        *(9.0822497e-2, -0.11119733, 0.13774021, -0.18564091, 0.37210761),
    ],
    np.float32,
)
"""erf(x) / x as a polynomial in 2 (x / ERF_END)**2 - 1, highest power first.

It interpolates at the 17 Chebyshev nodes; a test computes it again.
"""

_WEIGHTS = {"F32": np.float32}
"""The types of weights that are mapped as they are."""


def can_encode(folder: Path) -> bool:
    """Return True if a folder holds a model of the kind that this module computes.

    That is a BERT with GELU in float32 and one safetensors file, whose sentence-transformers
    modules are mean pooling and normalisation.
    """
    try:
        config = _read_json(folder / "config.json")
        pooling = _read_json(folder / "1_Pooling" / "config.json")
        modules = [item["type"].rpartition(".")[2] for item in _read_json(folder / "modules.json")]
        header, _ = _read_header(folder / "model.safetensors")
        files = (folder / "tokenizer.json").is_file()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    modes = {name for name, is_on in pooling.items() if name.startswith("pooling_mode") and is_on}
    return (
        files
        and config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and modules == ["Transformer", "Pooling", "Normalize"]
        and modes == {"pooling_mode_mean_tokens"}
        and all(item["dtype"] in (*_WEIGHTS, "I64") for item in header.values())
    )


class BertEncoder:
    """Unit vectors of phrases.

    Args:
        folder: a model for which `can_encode` is True.

    Raises:
        ImportError: tokenizers is not installed.
        OSError, ValueError, KeyError: the files are damaged.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = _read_json(folder / "config.json")
        self._heads = int(config["num_attention_heads"])
        self._layers = int(config["num_hidden_layers"])
        self._epsilon = np.float32(config["layer_norm_eps"])
        self._weights = _map_weights(folder / "model.safetensors")
        longest = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(int(longest or config["max_position_embeddings"]))

    def encode(self, phrases: Sequence[str]) -> Matrix:
        """Encode phrases, shape (len(phrases), dimension)."""
        tokens = [item.ids for item in self._tokenizer.encode_batch(list(phrases))]
        by_length = sorted(range(len(tokens)), key=lambda number: len(tokens[number]))
        vectors: list[Matrix | None] = [None] * len(tokens)
        for begin in range(0, len(by_length), BATCH_SIZE):
            batch = by_length[begin : begin + BATCH_SIZE]
            found = self._encode_batch([tokens[number] for number in batch])
            for number, vector in zip(batch, found, strict=True):
                vectors[number] = vector
        return np.stack([vector for vector in vectors if vector is not None])

    def _encode_batch(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        length = max(len(item) for item in tokens)
        ids = np.zeros((len(tokens), length), np.int64)
        mask = np.zeros((len(tokens), length), np.float32)
        for row, item in enumerate(tokens):
            ids[row, : len(item)] = item
            mask[row, : len(item)] = 1.0
        hidden = (
            self._weights["embeddings.word_embeddings.weight"][ids]
            + self._weights["embeddings.position_embeddings.weight"][:length]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normalise("embeddings.LayerNorm", hidden)
        hidden_from = (np.float32(1.0) - mask)[:, None, None, :] * FAR_BELOW
        for layer in range(self._layers):
            hidden = self._pass_layer(f"encoder.layer.{layer}", hidden, hidden_from)
        pooled = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        norms = np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled / np.maximum(norms, np.float32(1e-12)), np.float32)

    def _pass_layer(self, name: str, hidden: Matrix, hidden_from: Matrix) -> Matrix:
        rows, length, width = hidden.shape
        size = width // self._heads

        def split(part: str) -> Matrix:
            """Return a projection, shape (rows, heads, length, size)."""
            found = self._project(f"{name}.attention.self.{part}", hidden)
            heads = found.reshape(rows, length, self._heads, size)
            return np.asarray(heads.transpose(0, 2, 1, 3), np.float32)

        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(size)) + hidden_from
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
        hidden = self._normalise(
            f"{name}.attention.output.LayerNorm",
            hidden + self._project(f"{name}.attention.output.dense", seen),
        )
        inner = self._project(f"{name}.intermediate.dense", hidden)
        inner *= np.float32(0.5) + np.float32(0.5) * compute_erf(inner / np.float32(np.sqrt(2.0)))
        return self._normalise(
            f"{name}.output.LayerNorm", hidden + self._project(f"{name}.output.dense", inner)
        )

    def _project(self, name: str, values: Matrix) -> Matrix:
        weight = self._weights[f"{name}.weight"]
        flat = values.reshape(-1, weight.shape[1])  # one product of two matrices, not one a row
        found = flat @ weight.T + self._weights[f"{name}.bias"]
        return np.asarray(found, np.float32).reshape(*values.shape[:-1], weight.shape[0])

    def _normalise(self, name: str, values: Matrix) -> Matrix:
        centred = values - values.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + self._epsilon)
        found = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(found, np.float32)


def compute_erf(values: Matrix) -> Matrix:
    """Compute the error function within 3e-7 (float32 has 1.2e-7 near 1).

    scipy has it, but takes five times as long, and half a second of CPU to import.
    """
    x = np.clip(values, -ERF_END, ERF_END)
    scaled = x * x
    scaled *= np.float32(2.0) / ERF_END**2
    scaled -= np.float32(1.0)
    found = np.full_like(scaled, ERF_COEFFICIENTS[0])
    for coefficient in ERF_COEFFICIENTS[1:]:  # in place: three times as fast
        found *= scaled
        found += coefficient
    found *= x
    return found


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _read_header(path: Path) -> tuple[Mapping[str, Any], int]:
    """Read the header of a safetensors file: name -> entry, and where the data begins."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > path.stat().st_size:
            raise ValueError(f"{path} is no safetensors file")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    return header, 8 + size


def _map_weights(path: Path) -> dict[str, Matrix]:
    """Map the weights of a safetensors file, by name; nothing is read yet."""
    header, begin = _read_header(path)
    data = np.memmap(path, np.uint8, mode="r", offset=0)[begin:]
    weights = {}
    for name, entry in header.items():
        if entry["dtype"] in _WEIGHTS:
            first, last = entry["data_offsets"]
            values = data[first:last].view(_WEIGHTS[entry["dtype"]]).reshape(entry["shape"])
            weights[name.removeprefix("bert.")] = np.asarray(values)
    return weights
