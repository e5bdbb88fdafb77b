# SPDX-License-Identifier: Apache-2.0
"""A small language model's change that makes it write plain English, in a safetensors file.

Each linear map of the model's layers is its own plus the product of two narrow matrices (Hu et al.
2021, "LoRA", section 4.1). The file is bound to the weights that it was trained on, and the model
is loaded only if they are on this machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import Arrays, read_text_about
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding.models.model_store import ModelState, find_state
from fcp_ros.language.datasheet import Datasheet, read_arrays, write_arrays

PACKAGED_FILE = Path(__file__).with_name("plain_adapter.safetensors")
KIND = "plain english"
FORMAT = "fcp_ros plain english 1"
SIDES = ("left", "right")
RETRAIN = "train it again with `fcp language train-writer`"
PROMPT = "<|im_start|>{}<|im_end|>\n"
"""What was said, without names of roles: each of their tokens would cost a pass in training. The
model answers behind it."""


@dataclass(frozen=True)
class PlainAdapter:
    """The change of a model."""

    base: str  # name of the model in the registry of models
    weights: str  # fingerprint of its weights
    # `NAME.left` float16[outputs, rank] and `NAME.right` float16[rank, inputs], by the map's name
    arrays: Arrays = field(repr=False)


def save_adapter(adapter: PlainAdapter, datasheet: Datasheet, file: Path) -> None:
    """Write a file, whole or not at all.

    Raises:
        InputError: it can't be written.
    """
    text = {
        "format": FORMAT,
        "base": adapter.base,
        "weights": adapter.weights,
        **datasheet.to_json(),
    }
    write_arrays(adapter.arrays, KIND, text, file)


def load_adapter(file: Path = PACKAGED_FILE) -> tuple[PlainAdapter, Datasheet]:
    """Read a file.

    Raises:
        InputError: it can't be read, or holds something else; the message says what to do.
    """
    try:
        arrays, text = read_arrays(file, KIND, FORMAT)
        if not all(array.ndim == 2 and np.isfinite(array).all() for array in arrays.values()):
            raise ValueError("its arrays are no finite matrices")
        adapter = PlainAdapter(str(text["base"]), str(text["weights"]), arrays)
        return adapter, Datasheet.from_json(text)
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{file} makes no model write plain English ({error}); {RETRAIN}"
        ) from error


def is_base_here(file: Path = PACKAGED_FILE) -> bool:
    """Return True if the model that a file changes was fetched. InputError: a damaged file."""
    base = _read_base(file)
    return find_state(base) in (ModelState.READY, ModelState.INSTALLED)


def add_change(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Add a change to a transformers model; KeyError, ValueError: it is not one of this model."""
    import torch

    maps = dict(model.named_modules())
    with torch.no_grad():
        for name in list_maps(arrays):
            left, right = (torch.from_numpy(arrays[f"{name}.{side}"]) for side in SIDES)
            weight = maps[name].weight
            if weight.shape != (left.shape[0], right.shape[1]):
                raise ValueError(f"{name} has the shape {tuple(weight.shape)}")
            change = left.float() @ right.float()
            weight.copy_(weight.float() + change.to(weight.device))


def list_maps(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """List the names of the maps that are changed."""
    return sorted({name.rpartition(".")[0] for name in arrays})


def _read_base(file: Path) -> str:
    try:
        return str(read_text_about(file, KIND)["base"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{file} makes no model write plain English ({error}); {RETRAIN}"
        ) from error
