# SPDX-License-Identifier: Apache-2.0
"""A tuned encoder in a safetensors file, with its blends, bound to the weights of the encoder.

A blend belongs to the heads that were fitted with it: the file has some for each model whose heads
it may help, by the fingerprint of that model's weights.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fcp_ros.foundation.array_file import Arrays, pack_arrays, read_text_about, unpack_arrays
from fcp_ros.foundation.bounded_file import FileError, read_bytes
from fcp_ros.grounding.heads.head import DegreeMap
from fcp_ros.grounding.heads.head_file import (
    MOST_BYTES,
    SUFFIX,
    HeadSource,
    hash_file,
)
from fcp_ros.grounding.judged_pairs import store
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_folder import compute_weights_fingerprint
from fcp_ros.grounding.models.model_store import ModelState, find_ready_folder, find_state
from fcp_ros.grounding.models.sentence_encoder import (
    BETTER_MODEL,
    PACKAGED_MODEL,
    SentenceEncoder,
)
from fcp_ros.grounding.tuning.adapter import TunedEncoder
from fcp_ros.grounding.tuning.blending import Blend, TunedHead, list_tuned_heads

PACKAGED_FOLDER = Path(__file__).with_name("packaged")
DESCRIPTION = "tuned"
FORMAT = "fcp_ros tuned 1"
RETRAIN = "train it again with `fcp grounding train --tune`"
BLEND_PARTS = ("degree", "map_scores", "map_degrees", "error", "error_scores", "error_squares")


@dataclass(frozen=True, slots=True)
class Tuned:
    """A tuned encoder: arrays of what was changed (`adapter`), and all that belongs to it."""

    encoder: str  # name of the encoder
    weights: str  # fingerprint of its weights
    judgements: str  # hash of the judgements (`hash_judgements`)
    forms: Mapping[str, str]  # of the second side, by set, in the order of the logits
    arrays: Arrays = field(repr=False)
    # by the fingerprint of the weights that the heads stand on, then by set
    blends: Mapping[str, Mapping[str, Blend]]


def save_tuned(tuned: Tuned, file: Path) -> None:
    """Write a file, whole or not at all."""
    arrays = dict(tuned.arrays)
    for weights, by_set in tuned.blends.items():
        for name, blend in by_set.items():
            for part, values in zip(BLEND_PARTS, _list_values(blend), strict=True):
                arrays[f"blend.{weights}.{name}.{part}"] = np.array(values, np.float64)
    text = {
        "format": FORMAT,
        "encoder": tuned.encoder,
        "weights": tuned.weights,
        "judgements": tuned.judgements,
        "forms": [[name, form] for name, form in tuned.forms.items()],
        "blends": {weights: sorted(by_set) for weights, by_set in tuned.blends.items()},
    }
    store(file, pack_arrays(arrays, DESCRIPTION, text), "tuned encoder")


def load_tuned(file: Path) -> Tuned:
    """Read a file; NOT_A_MODEL if it is damaged or of another version."""
    try:
        content = read_bytes(file.expanduser(), MOST_BYTES)
        text = read_text_about(file.expanduser(), DESCRIPTION)
        if text.get("format") != FORMAT:
            raise ValueError("it was written by another version of this package")
        arrays = unpack_arrays(content)
        blends = {
            weights: {name: _read_blend(arrays, f"blend.{weights}.{name}") for name in names}
            for weights, names in text["blends"].items()
        }
        return Tuned(
            str(text["encoder"]),
            str(text["weights"]),
            str(text["judgements"]),
            {str(name): str(form) for name, form in text["forms"]},
            {name: array for name, array in arrays.items() if not name.startswith("blend.")},
            blends,
        )
    except FileError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"the tuned encoder can't be read from {file}: it {error.what}; {RETRAIN}",
        ) from error
    except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
        raise _build_unfit(file, f"it is damaged ({type(error).__name__}: {error})") from error


def _list_values(blend: Blend) -> Sequence[Sequence[float]]:
    return (
        blend.degree,
        blend.degree_map.similarities,
        blend.degree_map.degrees,
        blend.error,
        blend.error_map.similarities,
        blend.error_map.degrees,
    )


def _read_blend(arrays: Mapping[str, Any], name: str) -> Blend:
    found = [np.asarray(arrays[f"{name}.{part}"], np.float64) for part in BLEND_PARTS]
    if not all(values.ndim == 1 and np.isfinite(values).all() for values in found):
        raise ValueError(f"{name} is not finite")
    degree, scores, degrees, error, error_scores, squares = (tuple(v.tolist()) for v in found)
    a, b, c = degree
    return Blend((a, b, c), _make_map(scores, degrees), error, _make_map(error_scores, squares))


def _make_map(scores: tuple[float, ...], degrees: tuple[float, ...]) -> DegreeMap:
    rises = all(a < b for a, b in itertools.pairwise(scores))
    if (
        len(scores) != len(degrees)
        or len(scores) < 2
        or not rises
        or list(degrees) != sorted(degrees)
    ):
        raise ValueError("the knots of a map don't rise")
    return DegreeMap(scores, degrees)


def _build_unfit(file: Path, why: str, remedy: str = RETRAIN) -> GroundingError:
    return GroundingError(
        GroundingCode.NOT_A_MODEL, f"the tuned encoder in {file} can't be used: {why}; {remedy}"
    )


# --- the heads of a model with a tuned encoder beside them ---


class TunedSource:
    """The heads of a model, helped by a tuned encoder. Raises GroundingError: a damaged file.

    `encoder`: the one that was tuned; `plain`: the heads that its file has blends for.
    """

    def __init__(
        self, plain: HeadSource, encoder: SentenceEncoder, file: Path, sets: Sequence[str] = ()
    ) -> None:
        self._plain = plain
        self._encoder = encoder
        self.file = file
        self.sets = frozenset(sets)  # whose heads it helps; another set is left to its head
        self.hash = f"{plain.hash}+{hash_file(file)}"
        self.lock = threading.RLock()  # not that of the heads: a pass holds up no first look
        self._is_read = False

    @property
    def model(self) -> str:
        """The heads' model and the tuned encoder."""
        return f"{self._plain.model}+{self.file.stem}-tuned@{self.hash.rpartition('+')[2]}"

    @property
    def is_loaded(self) -> bool:
        return self._is_read and self._plain.is_loaded

    @property
    def is_english_only(self) -> bool:
        return self._plain.is_english_only

    def load(self) -> Mapping[str, TunedHead]:
        """Read heads and encoder. NOT_A_MODEL, MISSING_LIBRARY: they can't be used."""
        tuned = load_tuned(self.file)
        if tuned.weights != self._encoder.weights:
            folder = self._encoder.folder
            why = f"it was tuned from {tuned.encoder}, but {folder} holds another model"
            raise _build_unfit(self.file, why)
        if self._plain.weights not in tuned.blends:
            why = f"it was not fitted with the heads of {self._plain.model}"
            raise _build_unfit(self.file, why)
        try:
            encoder = TunedEncoder(self._encoder.map_model(), tuned.arrays, tuned.forms)
        except ImportError as error:
            raise GroundingError(
                GroundingCode.MISSING_LIBRARY,
                f"a tuned encoder needs tokenizers ({error}); pip install tokenizers",
            ) from error
        except (OSError, KeyError, ValueError) as error:
            raise _build_unfit(self.file, f"{type(error).__name__}: {error}") from error
        heads = self._plain.load()
        self._is_read = True
        return list_tuned_heads(heads, encoder, tuned.blends[self._plain.weights], self._plain.lock)


def find_tuned(plain: HeadSource, own: Path | None = None) -> TunedSource | None:
    """Find a tuned encoder that helps these heads, and whose own encoder is here.

    `own`: the only file to look at, of which it is an error that it doesn't fit.
    """
    files = [own.expanduser()] if own is not None else sorted(PACKAGED_FOLDER.glob(f"*{SUFFIX}"))
    for file in files:
        try:
            text = read_text_about(file, DESCRIPTION)
        except (OSError, KeyError, TypeError, ValueError) as error:
            if own is None:
                continue
            raise _build_unfit(file, f"it is damaged ({error})") from error
        sets = text.get("blends", {}).get(plain.weights)
        encoder = _find_encoder(str(text.get("weights", "")), plain) if sets is not None else None
        if encoder is not None:
            return TunedSource(plain, encoder, file, sets)
    if own is not None:
        raise _build_unfit(own, f"it doesn't fit {plain.model}, or its encoder was not fetched")
    return None


def _find_encoder(weights: str, plain: HeadSource) -> SentenceEncoder | None:
    """Find the encoder with these weights: that of the heads, or one of those that are here."""
    own = plain.encoder
    if isinstance(own, SentenceEncoder) and own.weights == weights:
        return own
    for name in (BETTER_MODEL, PACKAGED_MODEL):
        if find_state(name) in (ModelState.READY, ModelState.INSTALLED):
            folder = find_ready_folder(name)
            if compute_weights_fingerprint(folder) == weights:
                return SentenceEncoder(folder)
    return None
