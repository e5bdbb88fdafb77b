# SPDX-License-Identifier: Apache-2.0
"""Where torch runs, and loading without progress bars between a node's log lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device


def choose_device(device: Device) -> str:
    """The torch device for a setting.

    Raises:
        GroundingError: CUDA is asked for and there is none, or torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"this oracle needs torch ({error}); pip install torch, or use the oracle 'table'",
        ) from error
    available = bool(torch.cuda.is_available())
    if device == Device.CUDA and not available:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            "the device is 'cuda', but torch finds no CUDA device; use 'auto' or 'cpu'",
        )
    return "cuda" if available and device != Device.CPU else "cpu"


@contextmanager
def quiet_loading() -> Iterator[None]:
    """No progress bars of transformers inside the block."""
    from transformers.utils import logging as transformers_logging

    was_on = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            transformers_logging.enable_progress_bar()
