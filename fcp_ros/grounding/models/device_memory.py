# SPDX-License-Identifier: Apache-2.0
"""How much of the GPU's memory is in use, for diagnostics; nothing is loaded to find out."""

from __future__ import annotations

import sys
from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Memory of one CUDA device, in MiB: of this process's tensors, in use by anybody, in all."""

    device: str
    own: float
    used: float
    total: float


def device_memory() -> DeviceMemory | None:
    """The memory of the current CUDA device; None where torch has not begun to use one."""
    torch = sys.modules.get("torch")
    # Another thread may be in the middle of importing it.
    if not hasattr(getattr(torch, "cuda", None), "is_initialized"):
        return None
    assert torch is not None
    if not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    index = torch.cuda.current_device()
    free, total = torch.cuda.mem_get_info(index)
    return DeviceMemory(
        f"cuda:{index}",
        torch.cuda.memory_allocated(index) / MIB,
        (total - free) / MIB,
        total / MIB,
    )
