# SPDX-License-Identifier: Apache-2.0
"""Trained heads in a safetensors file: arrays, and a JSON text that describes them.

The arrays of a head have its name before a dot ("function.weights"); those that all heads of a file
share have none. Large arrays are in half precision; heads are trained on the rounded values, so
this loses nothing. A file belongs to one encoder, by the fingerprint of its weights.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import Arrays, pack_arrays, read_text_about, unpack_arrays
from fcp_ros.foundation.bounded_file import MEBIBYTE, FileError, read_bytes
from fcp_ros.grounding.heads.head import (
    DegreeMap,
    Head,
    Kernel,
    ReducedSupports,
    ScoreEvidence,
    ScoringHead,
)
from fcp_ros.grounding.heads.hidden_states import StatePlaces
from fcp_ros.grounding.heads.pair_features import (
    COMPONENTS,
    FEATURES,
    PHRASINGS,
    Basis,
    HeadEncoder,
    Scaling,
    SentenceFeatures,
    make_encoder,
)
from fcp_ros.grounding.heads.state_features import (
    QuestionForm,
    StateEncoder,
    StateFeatures,
    StateReduction,
)
from fcp_ros.grounding.judged_pairs import DESCRIPTION, JudgedPairs, store
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_folder import compute_weights_fingerprint
from fcp_ros.grounding.models.model_store import ModelState, find_ready_folder, find_state
from fcp_ros.grounding.models.sentence_encoder import (
    BETTER_MODEL,
    PACKAGED_MODEL,
    SentenceEncoder,
    find_default_model,
)
from fcp_ros.grounding.options import Device, Precision

PACKAGED_FOLDER = Path(__file__).with_name("packaged")
SUFFIX = ".safetensors"
FORMAT = "fcp_ros heads 2"
"""The version of the file format; changed if older files become unreadable."""
RETRAIN = "train it again with `fcp grounding train`"


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of one file."""

    by_name: Mapping[str, Head]
    encoder: str  # model name of the encoder of the training
    weights: str  # fingerprint of the encoder's weights
    judgements: str  # hash of the judgements (`hash_judgements`)
    places: StatePlaces | None = None  # the hidden states that are read; None for a sentence model
    # figures measured on the held-out part of each set
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


MOST_BYTES = 1024 * MEBIBYTE  # Size of the largest heads file


def hash_file(file: Path) -> str:
    """Hash a heads file to 12 hexadecimal digits, without parsing it."""
    try:
        return hashlib.sha256(read_bytes(file.expanduser(), MOST_BYTES)).hexdigest()[:12]
    except FileError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"the trained heads can't be read from {file}: it {error.what}; {RETRAIN}",
        ) from error


def find_packaged_heads(weights: str) -> Path | None:
    for file in sorted(PACKAGED_FOLDER.glob(f"*{SUFFIX}")):
        if read_weights(file) == weights:
            return file
    return None


def read_weights(file: Path) -> str:
    """Read which encoder a file of heads is for; "" if it is none."""
    try:
        return str(read_text_about(file, DESCRIPTION).get("weights", ""))
    except (OSError, KeyError, TypeError, ValueError):
        return ""


def save_heads(heads: Heads, file: Path, judged: Mapping[str, JudgedPairs] | None = None) -> None:
    """Write a file, whole or not at all, with judged pairs that precede the package's."""
    arrays: Arrays = {}
    for name, head in heads.by_name.items():
        arrays |= {f"{name}.{part}": array for part, array in _to_arrays(head).items()}
        arrays |= _to_shared_arrays(head)
    for name, pairs in (judged or {}).items():
        arrays |= pairs.to_arrays(name)
    text = {
        "format": FORMAT,
        "encoder": heads.encoder,
        "weights": heads.weights,
        "layers": list(heads.places.layers) if heads.places is not None else [],
        "phrasings": list(PHRASINGS),
        "judgements": heads.judgements,
        "columns": {name: list(head.columns) for name, head in heads.by_name.items()},
        "questions": {
            name: [head.features.form.prefix, head.features.form.tail]
            for name, head in heads.by_name.items()
            if isinstance(head.features, StateFeatures)
        },
        "figures": {name: dict(figures) for name, figures in heads.figures.items()},
    }
    store(file, pack_arrays(arrays, DESCRIPTION, text), "heads")


def load_heads(file: Path, encoder: HeadEncoder) -> Heads:
    """Read a file, and check that it belongs to this encoder, which is not loaded.

    NOT_A_MODEL if it is damaged or was trained for another encoder or version.
    """
    if find_spec("safetensors") is None:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            "trained heads need safetensors; pip install safetensors",
        )
    hash_file(file)  # reports a missing file
    try:
        text = read_text_about(file.expanduser(), DESCRIPTION)
        if text.get("format") != FORMAT or text.get("phrasings") != list(PHRASINGS):
            raise _build_unfit(file, "it was written by another version of this package")
        if text["weights"] != encoder.weights:
            raise _build_unfit(
                file,
                f"they were trained on {text['encoder']}, but the model is {encoder.model}",
                f"give that model, or train heads for this one with `fcp grounding train --model "
                f"{encoder.folder}`",
            )
        arrays = unpack_arrays(read_bytes(file.expanduser(), MOST_BYTES))
        reader = _Reader(arrays, text, encoder)
        heads = {
            name: reader.read_head(name, (columns[0], columns[1]))
            for name, columns in text["columns"].items()
        }
        return Heads(
            heads,
            text["encoder"],
            text["weights"],
            text["judgements"],
            reader.places,
            text["figures"],
        )
    except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, GroundingError):
            raise
        raise _build_unfit(file, f"it is damaged ({type(error).__name__}: {error})") from error


def _build_unfit(file: Path, why: str, remedy: str = RETRAIN) -> GroundingError:
    return GroundingError(
        GroundingCode.NOT_A_MODEL, f"the trained heads in {file} can't be used: {why}; {remedy}"
    )


def _to_arrays(head: Head) -> Arrays:
    arrays: Arrays = {
        "sharpness": np.array(head.kernel.sharpness, np.float64),
        "supports": head.supports.astype(np.float16),
        "weights": head.weights,
        "means": np.array(head.means, np.float64),
        "map_scores": np.array(head.degree_map.similarities, np.float64),
        "map_degrees": np.array(head.degree_map.degrees, np.float64),
        "error_scores": np.array(head.error_map.similarities, np.float64),
        "error_squares": np.array(head.error_map.degrees, np.float64),
        "evidence_training": head.evidence.training.astype(np.float16),
        "evidence_unrelated": head.evidence.unrelated.astype(np.float16),
        "evidence_held_out": head.evidence.held_out.astype(np.float16),
    }
    if head.reduced is not None:
        arrays |= {
            "reduced_places": head.reduced.places.astype(np.uint16),
            "reduced_weights": head.reduced.weights,
        }
    features = head.features
    if isinstance(features, SentenceFeatures):
        assert features.scaling is not None
        arrays |= {
            "hubs": features.basis.hubs,
            "components": features.basis.components.astype(np.float16),
            "feature_mean": features.scaling.mean,
            "feature_factor": features.scaling.factor,
        }
    return arrays


def _to_shared_arrays(head: Head) -> Arrays:
    if not isinstance(head.features, StateFeatures):
        return {}
    reduction = head.features.reduction
    return {
        "state_mean": reduction.mean,
        "state_factor": reduction.factor,
        "projection": reduction.projection.astype(np.float16),
    }


class _Reader:
    """Reads the heads of one file. `encoder`: gives the features of pairs."""

    def __init__(self, arrays: Arrays, text: Mapping[str, Any], encoder: HeadEncoder) -> None:
        self._arrays = arrays
        self._text = text
        self._encoder = encoder
        layers = tuple(int(layer) for layer in text["layers"])
        self.places = StatePlaces(layers) if layers else None
        self._reduction = self._read_reduction() if self.places is not None else None

    def read_head(self, name: str, columns: tuple[str, str]) -> Head:
        features = self._read_features(name)
        sharpness = self._read(f"{name}.sharpness", np.float64, len(features.widths))
        weights = self._read(f"{name}.weights", np.float32, -1, 2)
        means = self._read(f"{name}.means", np.float64, 2)
        evidence = [
            self._read(f"{name}.evidence_{part}", np.float32, -1, 3)
            for part in ("training", "unrelated", "held_out")
        ]
        if (sharpness <= 0).any():
            raise ValueError(f"{name}.sharpness is not above 0")
        return Head(
            name,
            columns,
            features,
            Kernel(tuple(features.widths), tuple(sharpness.tolist()), tuple(features.sides)),
            self._read(f"{name}.supports", np.float32, len(weights), sum(features.widths)),
            weights,
            (float(means[0]), float(means[1])),
            self._read_map(f"{name}.map_scores", f"{name}.map_degrees"),
            self._read_map(f"{name}.error_scores", f"{name}.error_squares"),
            ScoreEvidence(*evidence),
            self._read_reduced(name, len(weights)),
        )

    def _read_reduced(self, name: str, count: int) -> ReducedSupports | None:
        """Read the reduced supports of a head; None if its file has none."""
        if f"{name}.reduced_places" not in self._arrays:
            return None
        places = self._read(f"{name}.reduced_places", np.intp, -1)
        weights = self._read(f"{name}.reduced_weights", np.float32, len(places), 2)
        if len(places) and places.max() >= count:
            raise ValueError(f"{name}.reduced_places has a place beyond the supports")
        return ReducedSupports(places, weights)

    def _read_features(self, name: str) -> SentenceFeatures | StateFeatures:
        encoder = self._encoder
        if self.places is not None and self._reduction is not None:
            if not isinstance(encoder, StateEncoder):
                raise ValueError("it has layers, but its encoder is a sentence model")
            prefix, tail = map(str, self._text["questions"][name])
            reading = encoder.make_reading(self.places)
            return StateFeatures(reading, QuestionForm(prefix, tail), self._reduction)
        if isinstance(encoder, StateEncoder):
            raise ValueError("it has no layers, but its encoder is a causal model")
        hubs = self._read(f"{name}.hubs", np.float32, len(PHRASINGS), -1)
        return SentenceFeatures(
            encoder.encode,
            Basis(hubs, self._read(f"{name}.components", np.float32, hubs.shape[1], COMPONENTS)),
            Scaling(
                self._read(f"{name}.feature_mean", np.float32, FEATURES),
                self._read(f"{name}.feature_factor", np.float32, FEATURES),
            ),
        )

    def _read_reduction(self) -> StateReduction:
        projection = self._read("projection", np.float32, -1, -1)
        count = len(projection)
        return StateReduction(
            self._read("state_mean", np.float32, count),
            self._read("state_factor", np.float32, count),
            projection,
        )

    def _read_map(self, scores: str, degrees: str) -> DegreeMap:
        xs = self._read(scores, np.float64, -1)
        ys = self._read(degrees, np.float64, len(xs))
        if len(xs) < 2 or (np.diff(xs) <= 0).any() or (np.diff(ys) < 0).any():
            raise ValueError(f"{scores} and {degrees} don't rise")
        return DegreeMap(tuple(xs.tolist()), tuple(ys.clip(0.0, 1.0).tolist()))

    def _read(self, part: str, kind: type[np.generic], *shape: int) -> NDArray[Any]:
        """Read an array, converted and checked; -1 in the shape stands for any length."""
        array = self._arrays[part]
        fits = len(array.shape) == len(shape) and all(
            wanted in (-1, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits or not np.isfinite(array).all():
            raise ValueError(f"{part} has shape {array.shape} or is not finite")
        return array.astype(kind)


# --- the heads of a model ---


class ScoringSource(Protocol):
    """Heads that are read when they are needed."""

    @property
    def file(self) -> Path: ...

    @property
    def hash(self) -> str:
        """Changes with the heads."""
        ...

    @property
    def model(self) -> str:
        """Name and fingerprint of what they stand on."""
        ...

    @property
    def is_loaded(self) -> bool: ...

    @property
    def is_english_only(self) -> bool: ...

    @property
    def lock(self) -> threading.RLock:
        """Held while heads are read and score: several oracles may share them."""
        ...

    def load(self) -> Mapping[str, ScoringHead]:
        """Read the heads; a model is loaded at the first question."""
        ...


class HeadSource:
    """The heads of one encoder. Raises GroundingError: the file can't be read."""

    def __init__(self, encoder: HeadEncoder, file: Path) -> None:
        self.encoder = encoder
        self.file = file
        self.hash = hash_file(file)
        self.lock = threading.RLock()
        self._heads: Mapping[str, Head] | None = None

    @property
    def model(self) -> str:
        """Name and fingerprint of the encoder."""
        return self.encoder.model

    @property
    def weights(self) -> str:
        """Fingerprint of the encoder's weights."""
        return self.encoder.weights

    @property
    def is_loaded(self) -> bool:
        return self.encoder.is_loaded

    @property
    def is_english_only(self) -> bool:
        """True for a sentence model; those that heads are trained for know English."""
        return isinstance(self.encoder, SentenceEncoder)

    def load(self) -> Mapping[str, Head]:
        """Read the heads once; the model is loaded at the first question."""
        with self.lock:
            if self._heads is None:
                self._heads = load_heads(self.file, self.encoder).by_name
            return self._heads


def choose_model(model: str, heads: Path | None) -> str:
    """Return a model's name, or where it is "" the name of one that can be used.

    Heads of a sentence model that is here choose this model, so that those that were trained before
    another default was fetched stay in use.
    """
    if model:
        return model
    wanted = read_weights(heads.expanduser()) if heads is not None else ""
    for name in (BETTER_MODEL, PACKAGED_MODEL):
        is_here = find_state(name) in (ModelState.READY, ModelState.INSTALLED)
        if wanted and is_here and compute_weights_fingerprint(find_ready_folder(name)) == wanted:
            return name
    return find_default_model()


def find_source(
    model: str,
    heads: Path | None = None,
    device: Device = Device.AUTO,
    precision: Precision = Precision.AUTO,
) -> HeadSource:
    """Find the heads of a model ("" is the one that the file is for, or the default one)."""
    encoder = make_encoder(choose_model(model, heads), device, precision)
    file = heads or find_packaged_heads(encoder.weights)
    if file is not None:
        return HeadSource(encoder, file)
    raise GroundingError(
        GroundingCode.MODEL_NOT_FOUND,
        f"no heads are trained for {model}; train them with `fcp grounding train --model {model} "
        "-o heads` and give that file as the option heads, or use another model "
        f"({_list_models()})",
    )


def _list_models() -> str:
    return ", ".join(sorted(file.stem for file in PACKAGED_FOLDER.iterdir()))
