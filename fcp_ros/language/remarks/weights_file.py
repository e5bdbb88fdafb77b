# SPDX-License-Identifier: Apache-2.0
"""Weights of the model of remarks in a file, with the datasheet of their training."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.array_file import Datasheet, read_arrays, take_array, write_arrays
from fcp_ros.language.remarks.model import RemarkWeights
from fcp_ros.language.remarks.parts import FEATURES

PACKAGED_FILE = Path(__file__).with_name("remarks.safetensors")
"""Trained on the parts of `rows.yaml`."""
FORMAT = "fcp_ros remarks 1"
_KIND = "remarks"


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
