# SPDX-License-Identifier: Apache-2.0
"""The numbers that a model computes with, and whether its device can."""

from __future__ import annotations

import importlib.util
from typing import Any

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Precision


def choose_precision(precision: Precision, device: str) -> Precision:
    """The precision for a setting on a device.

    AUTO is bfloat16 on a CUDA device that computes in it, float16 on an older one, float32 on a
    CPU: what each is fast in. A CPU takes bfloat16 where it is asked for.

    Raises:
        GroundingError: the device can't compute in this precision, or 4bit lacks its library.
    """
    import torch

    precision = Precision(precision)
    if precision is Precision.AUTO:
        if device != "cuda":
            return Precision.FLOAT32
        return Precision.BFLOAT16 if torch.cuda.is_bf16_supported() else Precision.FLOAT16
    if device != "cuda" and precision in (Precision.FLOAT16, Precision.FOUR_BIT):
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the precision is {precision.value!r}, which needs a CUDA device, and the model runs "
            f"on the device {device!r}; use 'auto', 'float32' or 'bfloat16'",
        )
    if precision is Precision.BFLOAT16 and device == "cuda" and not torch.cuda.is_bf16_supported():
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            "the precision is 'bfloat16', which this CUDA device doesn't compute in; "
            "use 'auto' or 'float16'",
        )
    if precision is Precision.FOUR_BIT and importlib.util.find_spec("bitsandbytes") is None:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            "the precision is '4bit', which needs bitsandbytes; pip install bitsandbytes, "
            "or use 'auto'",
        )
    return precision


def loading_arguments(precision: Precision) -> dict[str, Any]:
    """What ``from_pretrained`` is given for a chosen precision."""
    import torch

    if precision is not Precision.FOUR_BIT:
        return {"dtype": getattr(torch, precision.value)}
    from transformers import BitsAndBytesConfig

    half = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    settings = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=half
    )
    # Quantised weights are made on their device and can't be moved there afterwards.
    return {"dtype": half, "quantization_config": settings, "device_map": {"": 0}}
