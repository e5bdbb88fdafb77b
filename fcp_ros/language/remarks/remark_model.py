# SPDX-License-Identifier: Apache-2.0
"""The probability that a part of an instruction asks for nothing: a logistic regression.

It weighs the place of the part in the tree and the vector of its words by the sentence encoder. It
was taught by labelled parts: reasons, small talk and hedges against parts that restrict, negate,
add a demand or name another thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.datasheet import Datasheet, read_arrays, take_array, write_arrays
from fcp_ros.language.remarks.parts import FEATURES, Array, DescribedPart

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns the unit vectors of texts, one a row."""
TEXT_SCALE = 3.0
"""Factor of the vectors beside the features, whose squares sum up to about nine."""
LEAST_IDLE = 0.5
"""Probability from which on a part is left out of a reading that is asked about.

Of 1,130 sentences of others, none of them trained on, the partial readings of chart and learned
reader that this completes were right in 8 of 8; from 0.4 on in 12 of 14, without the bound on the
rest (`LEAST_REST`) in 13 of 14.
"""
PACKAGED_FILE = Path(__file__).with_name("remarks.safetensors")
"""Weights trained on the parts of `rows.yaml`."""
FORMAT = "fcp_ros remarks 1"
_KIND = "remarks"
NO_TEXT = "something"
"""Stands for a part that has no words."""


@dataclass(frozen=True)
class RemarkWeights:
    """Weights that training finds."""

    features: Array  # of each of `parts.FEATURES`
    text: Array  # of each dimension of the encoder's vectors
    bias: float
    encoder: str  # fingerprint of the weights of the sentence encoder


class RemarkModel:
    """Rates parts of instructions.

    Args:
        encode: the sentence encoder that the weights were trained with.
    """

    def __init__(self, weights: RemarkWeights, encode: Encode) -> None:
        self._weights = weights
        self._encode = encode

    def rate(self, parts: Sequence[DescribedPart]) -> list[float]:
        """Return the probability of each part that leaving it out changes nothing."""
        if not parts:
            return []
        weights = self._weights
        inputs = join_inputs(parts, self._encode)
        scores = inputs @ np.concatenate([weights.features, weights.text, [weights.bias]])
        return [float(chance) for chance in 1.0 / (1.0 + np.exp(-scores))]


def join_inputs(parts: Sequence[DescribedPart], encode: Encode) -> Array:
    """Join features, scaled vectors and a one, shape (parts, features + dimension + 1)."""
    vectors = np.asarray(encode([part.text or NO_TEXT for part in parts]), np.float64)
    features = np.stack([part.features for part in parts])
    return np.hstack([features, TEXT_SCALE * vectors, np.ones((len(parts), 1))])


def save_weights(weights: RemarkWeights, datasheet: Datasheet, file: Path) -> None:
    """Write a file of weights.

    Raises:
        InputError: it can't be written.
    """
    text = {
        "format": FORMAT,
        "encoder": weights.encoder,
        "features": list(FEATURES),
        **datasheet.to_json(),
    }
    arrays = {
        "features": weights.features.astype(np.float32),
        "text": weights.text.astype(np.float32),
        "bias": np.array([weights.bias], np.float32),
    }
    write_arrays(arrays, _KIND, text, file)


def load_weights(file: Path = PACKAGED_FILE) -> tuple[RemarkWeights, Datasheet]:
    """Read a file of weights.

    Raises:
        InputError: it can't be read, or holds something else; the message says what to do.
    """
    try:
        arrays, text = read_arrays(file, _KIND, FORMAT)
        if text["features"] != list(FEATURES):
            raise ValueError("its features are not those of this version")
        weights = RemarkWeights(
            take_array(arrays, "features", (len(FEATURES),), np.float64),
            take_array(arrays, "text", (-1,), np.float64),
            float(take_array(arrays, "bias", (1,), np.float64)[0]),
            str(text["encoder"]),
        )
        return weights, Datasheet.from_json(text)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(
            f"{file} holds no weights of the model of remarks ({error}); "
            "train it again with `fcp language train-remarks`"
        ) from error
