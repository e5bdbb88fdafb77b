# SPDX-License-Identifier: Apache-2.0
"""Weights of the demand model in a file, with the datasheet of their training."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fcp_ros.foundation.array_file import Arrays
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.datasheet import Datasheet, read_arrays, take_array, write_arrays
from fcp_ros.language.demands.model import FAMILIARITY_FEATURES, FEATURES, DemandWeights
from fcp_ros.language.demands.roles import ROLE_FEATURES

PACKAGED_FILE = Path(__file__).with_name("demands.safetensors")
"""Trained on ALFRED's train split and the clauses of `clauses.yaml`; see the file NOTICE."""
FORMAT = "fcp_ros demands 1"
_KIND = "demands"
_RETRAIN = "train it again with `fcp language train`"


def save_weights(weights: DemandWeights, datasheet: Datasheet, file: Path) -> None:
    """Write a file of weights.

    Raises:
        InputError: it can't be written.
    """
    text = {
        "format": FORMAT,
        "encoder": weights.encoder,
        "features": list(FEATURES),
        "role_features": list(ROLE_FEATURES),
        "kinds": list(weights.kind_names),
        "names": {label: dict(nouns) for label, nouns in weights.names.items()},
        **datasheet.to_json(),
    }
    arrays: Arrays = {
        "features": weights.features.astype(np.float64),
        "roles": weights.roles.astype(np.float64),
        "familiarity": weights.familiarity.astype(np.float64),
        "kinds": weights.kinds.astype(np.float16),
    }
    write_arrays(arrays, _KIND, text, file)


def load_weights(file: Path = PACKAGED_FILE) -> tuple[DemandWeights, Datasheet]:
    """Read a file of weights.

    Raises:
        InputError: it can't be read, or holds something else; the message says what to do.
    """
    try:
        return _parse(file)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(
            f"{file} holds no weights of the demand model ({error}); {_RETRAIN}"
        ) from error


def _parse(file: Path) -> tuple[DemandWeights, Datasheet]:
    arrays, text = read_arrays(file, _KIND, FORMAT)
    if text["features"] != list(FEATURES) or text["role_features"] != list(ROLE_FEATURES):
        raise ValueError("its features are not those of this version")
    kinds = tuple(map(str, text["kinds"]))
    weights = DemandWeights(
        take_array(arrays, "features", (len(FEATURES),), np.float64),
        take_array(arrays, "roles", (len(ROLE_FEATURES),), np.float64),
        take_array(arrays, "familiarity", (len(FAMILIARITY_FEATURES) + 1,), np.float64),
        take_array(arrays, "kinds", (-1, len(kinds)), np.float32),
        kinds,
        str(text["encoder"]),
        {
            str(label): {str(noun): int(count) for noun, count in nouns.items()}
            for label, nouns in text["names"].items()
        },
    )
    return weights, Datasheet.from_json(text)
