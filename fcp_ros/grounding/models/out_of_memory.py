# SPDX-License-Identifier: Apache-2.0
"""Running out of memory: how it shows on each device, and giving back what can be given back."""

from __future__ import annotations

import gc

SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate")
"""What torch writes where it has no exception of its own, as on a CPU."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that the device, or the machine, has no memory left."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in SIGNS)


def free_memory(device: str) -> None:
    """Give unused blocks back to the device, so that a smaller try finds them."""
    import torch

    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
