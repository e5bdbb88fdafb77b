# SPDX-License-Identifier: Apache-2.0
"""Sentence encoders of the kind of BERT and MPNet in numpy, for a CPU.

Torch and transformers take 300 MB and seconds of a start, mostly for what a forward pass through
some layers does not need.

    phrases -> tokens, sorted by length -> the tokens of a batch in one matrix, without padding
            -> layers: projections of the whole matrix, attention among the tokens of each phrase
            -> mean over the tokens of a phrase, unit length

Source of the architecture: Devlin et al., BERT (2019), section 3; mean pooling: Reimers and
Gurevych, Sentence-BERT (2019), section 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import read_header

Matrix = NDArray[np.float32]

BUCKETS = 32  # Classes of distances between two tokens: half of them for tokens to the right
FAR_TOKENS = 128  # The distance from which on all are in one class

FEW_ROWS = 32
BLOCK = 8
"""Up to so many rows are multiplied with so many outputs at a time.

OpenBLAS rearranges a large matrix before each product, which takes most of the time with few rows;
it does without in small products. 21 rows, 768 inputs, 3072 outputs: 1.7 instead of 2.6 ms; from
40 rows on it is slower.
"""

_TYPES = {"F32": np.float32}  # The types of weights that are mapped as they are


@dataclass(frozen=True, slots=True)
class Affine:
    """A matrix or a vector of factors, and what is added afterwards."""

    weight: Matrix
    bias: Matrix
    # two narrow matrices whose product is added to a matrix (`tuning.adapter`): so the weights stay
    # in their mapped file, which processes share
    change: tuple[Matrix, Matrix] | None = None

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
        if self.change is not None:
            left, right = self.change
            found += (rows @ right.T) @ left.T
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
    """All weights."""

    words: Matrix  # vectors of the vocabulary, shape (vocabulary, width)
    positions: Matrix  # what is added at each place of a phrase, shape (places, width)
    norm: Affine
    layers: tuple[LayerWeights, ...]  # in order
    # bias of attention by class of distance and head, shape (BUCKETS, heads); None for a BERT
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
    """The parts of an encoder that differ."""

    # names, in a layer, of query, key, value, output and norm
    attention: tuple[str, str, str, str, str]
    first_position: int = 0  # row of the first token's place
    distances: str = ""  # name of the bias by distance; "" if there is none
    types: str = ""  # name of the vectors of types of tokens; "" if there are none

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


@dataclass(frozen=True, slots=True)
class MappedModel:
    """An encoder in a folder with its weights, for all that computes with them.

    The pages of a mapped file are counted for each map of it, so a process needs only one.
    """

    folder: Path
    weights: EncoderWeights
    heads: int
    epsilon: float  # of the norms


def map_model(folder: Path) -> MappedModel:
    """Map the weights of a folder.

    Raises OSError, ValueError, KeyError: the files are damaged or hold another model.
    """
    config = read_config(folder)
    weights = _map_weights(
        folder / "model.safetensors", config["model_type"], int(config["num_hidden_layers"])
    )
    heads, epsilon = int(config["num_attention_heads"]), float(config["layer_norm_eps"])
    return MappedModel(folder, weights, heads, epsilon)


def _map_weights(file: Path, model_type: str, layers: int) -> EncoderWeights:
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

    `distances`: places from one token to another, negative to the left.
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

    Raises OSError, ValueError, KeyError: it is no safetensors file.
    """
    header, _ = _read_entries(file)
    return all(entry["dtype"] in (*_TYPES, "I64") for entry in header.values())


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


# --- sentence encoders of the kind of BERT and MPNet in numpy, for a CPU ---

BATCH_TOKENS = 512
"""Most tokens in one pass, but for a longer phrase: more are no faster, and need more memory."""

GELU_ROWS = 32
"""Rows that stay in the cache of a core: twice as fast as all rows of a batch at once."""
GELU_FALL = np.float32(0.3275911 / np.sqrt(2.0))
GELU_COEFFICIENTS = np.array(
    [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32
) / np.float32(2.0)
"""Abramowitz and Stegun 7.1.26, highest power first: the error function within 1.5e-7."""


def can_encode(folder: Path) -> bool:
    """Return True if a folder holds a model of the kind that this module computes.

    That is a BERT or an MPNet with GELU in float32 and one safetensors file, whose
    sentence-transformers modules are mean pooling and normalisation.
    """
    try:
        config = read_config(folder)
        pooling = _read_json(folder / "1_Pooling" / "config.json")
        modules = [item["type"].rpartition(".")[2] for item in _read_json(folder / "modules.json")]
        plain = are_all_mapped(folder / "model.safetensors")
        files = (folder / "tokenizer.json").is_file()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    modes = {name for name, is_on in pooling.items() if name.startswith("pooling_mode") and is_on}
    return (
        files
        and plain
        and config.get("model_type") in ARCHITECTURES
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and config.get("relative_attention_num_buckets", BUCKETS) == BUCKETS
        and modules == ["Transformer", "Pooling", "Normalize"]
        and modes == {"pooling_mode_mean_tokens"}
    )


@dataclass(frozen=True, slots=True)
class PhraseGroup:
    """Phrases of one length that follow each other in a batch."""

    rows: slice
    shape: tuple[int, int]
    bias: Matrix | None  # of attention between their tokens; None for none


class TokenPasses:
    """The passes of texts' tokens through all layers."""

    def __init__(self, model: MappedModel) -> None:
        self._weights = model.weights
        self._heads = model.heads
        self._epsilon = np.float32(model.epsilon)

    def compute_states(self, tokens: Sequence[Sequence[int]]) -> tuple[Matrix, list[PhraseGroup]]:
        """Compute the last states of texts that are sorted by length, a row a token, in order."""
        weights = self._weights
        places = np.concatenate([np.arange(len(item)) for item in tokens])
        hidden = weights.words[np.concatenate(tokens)] + weights.positions[places]
        hidden = self._normalise(weights.norm, hidden)
        groups = list(self._group(tokens))
        for layer in weights.layers:
            hidden = self._pass_layer(layer, hidden, groups)
        return hidden, groups

    def _group(self, tokens: Sequence[Sequence[int]]) -> Iterator[PhraseGroup]:
        start = 0
        for length, phrases in groupby(map(len, tokens)):
            count = len(list(phrases))
            end = start + count * length
            bias = self._weights.compute_bias(length)
            yield PhraseGroup(slice(start, end), (count, length), bias)
            start = end

    def _pass_layer(
        self, layer: LayerWeights, hidden: Matrix, groups: Sequence[PhraseGroup]
    ) -> Matrix:
        attended = layer.attended.apply(self._attend(layer, hidden, groups))
        attended += hidden
        hidden = self._normalise(layer.attended_norm, attended)
        inner = layer.inner.apply(hidden)
        apply_gelu(inner)
        outer = layer.outer.apply(inner)
        outer += hidden
        return self._normalise(layer.outer_norm, outer)

    def _attend(self, layer: LayerWeights, hidden: Matrix, groups: Sequence[PhraseGroup]) -> Matrix:
        """Return for each token what it sees of its phrase, shape (tokens, width)."""
        query, key, value = (part.apply(hidden) for part in (layer.query, layer.key, layer.value))
        seen = np.empty_like(query)
        size = query.shape[1] // self._heads
        query /= np.float32(np.sqrt(size))

        def split(values: Matrix, group: PhraseGroup) -> Matrix:
            """Return the tokens of a group, shape (phrases, heads, length, size)."""
            parts = values[group.rows].reshape(*group.shape, self._heads, size)
            found: Matrix = parts.transpose(0, 2, 1, 3)
            return found

        for group in groups:
            scores = split(query, group) @ split(key, group).swapaxes(2, 3)
            if group.bias is not None:
                scores += group.bias
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            split(seen, group)[...] = scores @ split(value, group)
        return seen

    def _normalise(self, scale: Affine, values: Matrix) -> Matrix:
        """Shift and scale each row in place to mean 0 and variance 1, then by the weights."""
        values -= values.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", values, values)[:, None] / np.float32(values.shape[1])
        values /= np.sqrt(variance + self._epsilon)
        values *= scale.weight
        values += scale.bias
        return values


class BertEncoder:
    """Unit vectors of phrases.

    `model`: of a folder for which `can_encode` is True. Raises ImportError: tokenizers is not
    installed; OSError, ValueError, KeyError: the files are damaged.
    """

    def __init__(self, model: MappedModel) -> None:
        from tokenizers import Tokenizer

        self._passes = TokenPasses(model)
        longest = _read_json(model.folder / "sentence_bert_config.json").get("max_seq_length")
        places = len(model.weights.positions)
        self._width = model.weights.words.shape[1]
        self._tokenizer: Any = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min(int(longest or places), places))

    def encode(self, phrases: Sequence[str]) -> Matrix:
        """Encode phrases, shape (len(phrases), dimension)."""
        tokens = [item.ids for item in self._tokenizer.encode_batch(list(phrases))]
        vectors = np.empty((len(tokens), self._width), np.float32)
        for batch in split_batches([len(item) for item in tokens]):
            vectors[batch] = self._encode_batch([tokens[number] for number in batch])
        return vectors

    def _encode_batch(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """Encode phrases that are sorted by length."""
        hidden, groups = self._passes.compute_states(tokens)
        pooled = [hidden[g.rows].reshape(*g.shape, -1).mean(axis=1) for g in groups]
        vectors = np.concatenate(pooled)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, np.float32(1e-12)), np.float32)


def split_batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Split phrases, by the number of their tokens, into batches of about equal lengths.

    Yields the numbers of the phrases of a batch, the shortest phrases first.
    """
    batch: list[int] = []
    tokens = 0
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and tokens + lengths[number] > BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += lengths[number]
    if batch:
        yield batch


def apply_gelu(values: Matrix) -> None:
    """Replace each x by x times the normal distribution function at x, within 4e-7."""
    for start in range(0, len(values), GELU_ROWS):
        _apply_gelu(values[start : start + GELU_ROWS])


def _apply_gelu(values: Matrix) -> None:
    """Compute max(x, 0) - |x| (1 - erf(|x| / sqrt(2))) / 2 in place."""
    size = np.abs(values)
    share = size * GELU_FALL
    share += np.float32(1.0)
    np.reciprocal(share, out=share)
    loss = share * GELU_COEFFICIENTS[0]
    for coefficient in GELU_COEFFICIENTS[1:]:
        loss += coefficient
        loss *= share
    loss *= size
    np.square(size, out=size)
    size *= np.float32(-0.5)
    loss *= np.exp(size, out=size)
    np.maximum(values, np.float32(0.0), out=values)
    values -= loss


def read_config(folder: Path) -> Any:
    return _read_json(folder / "config.json")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
