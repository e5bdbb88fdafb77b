# SPDX-License-Identifier: Apache-2.0
"""A training that was killed goes on where it was: weights and moments of AdamW in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fcp_ros.foundation.array_file import read_text_about, write_whole
from fcp_ros.grounding.judgement import GroundingCode, GroundingError

KEEP = 50  # Steps between two kept states
STATE = "fcp_ros tuning state 1"


def keep_state(
    file: Path,
    identity: str,  # of the training: a hash of all that its outcome depends on
    parameters: Mapping[str, Tensor],
    optimizer: Any,
    done: int,
) -> None:
    """Write the state after so many steps; STORE_FAILED if it can't be written."""
    from safetensors.torch import save

    tensors = {}
    for name, parameter in parameters.items():
        moments = optimizer.state[parameter]
        tensors[f"weight.{name}"] = parameter.detach()
        tensors[f"mean.{name}"] = moments["exp_avg"]
        tensors[f"square.{name}"] = moments["exp_avg_sq"]
    text = json.dumps({"format": STATE, "identity": identity, "done": done})
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_whole(file, save(tensors, {"state": text}))
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the state of the training can't be kept in {file} ({error.strerror or error}); "
            "make room, or set FCP_MODELS to a folder on another disk",
        ) from error


def restore_state(
    file: Path, identity: str, parameters: Mapping[str, Tensor], optimizer: Any
) -> int:
    """Restore the state of the same training; return its steps, 0 without one.

    STORE_FAILED if the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not file.is_file():
        return 0
    try:
        text = read_text_about(file, "state")
        if text.get("format") != STATE or text.get("identity") != identity:
            return 0  # of other examples or settings: it is trained from the beginning
        with safe_open(str(file), framework="pt") as tensors, torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(tensors.get_tensor(f"weight.{name}"))
                optimizer.state[parameter] = {
                    "step": torch.tensor(float(text["done"])),
                    "exp_avg": tensors.get_tensor(f"mean.{name}"),
                    "exp_avg_sq": tensors.get_tensor(f"square.{name}"),
                }
        return int(text["done"])
    except (OSError, KeyError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the state of the training in {file} is damaged ({error}); delete the file to "
            "start again",
        ) from error


def compute_rate(step: int, steps: int, warm_up: float) -> float:
    """Compute the share of the rate at a step: a rise, then a fall to 0, both linear."""
    rise = max(1.0, warm_up * steps)
    if step < rise:
        return (step + 1) / rise
    return max(steps - step, 0) / max(steps - rise, 1.0)
