# SPDX-License-Identifier: Apache-2.0
"""Device, precision and memory of the models that run in torch.

Torch is imported in the functions only. `measure_device_memory` serves diagnostics and never
imports it.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.options import Device, Precision


def choose_device(device: Device) -> str:
    try:
        import torch
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"this model needs torch ({error}); pip install torch, or use the default model, which "
            "needs none",
        ) from error
    available = bool(torch.cuda.is_available())
    if device == Device.CUDA and not available:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            "the device is 'cuda', but torch finds no CUDA device; use 'auto' or 'cpu'",
        )
    return "cuda" if available and device != Device.CPU else "cpu"


CUDA_FILES = ("/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/nvgpu", "/dev/dxg")
"""Files of the driver: on a computer, on Jetsons before and from JetPack 6, and in WSL."""


def may_use_cuda() -> bool:
    """Return False if torch can't use a CUDA device here, without importing it to ask."""
    has_driver = any(Path(file).exists() for file in CUDA_FILES)
    return has_driver and importlib.util.find_spec("torch") is not None


@contextmanager
def suppress_progress_bars() -> Iterator[None]:
    """Suppress the progress bars of transformers, which would garble a node's log."""
    from transformers.utils import logging as transformers_logging

    was_on = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            transformers_logging.enable_progress_bar()


def choose_precision(precision: Precision, device: str) -> Precision:
    """Choose the precision for a setting on a device.

    AUTO is what each device is fast in: bfloat16 on a CUDA device that supports it, float16 on an
    older one; bfloat16 on a CPU that computes with it no slower than with float32, else float32.
    """
    import torch

    precision = Precision(precision)
    if precision is Precision.AUTO:
        if device != "cuda":
            return Precision.BFLOAT16 if is_cpu_fast_in_bfloat16() else Precision.FLOAT32
        return Precision.BFLOAT16 if torch.cuda.is_bf16_supported() else Precision.FLOAT16
    if device != "cuda" and precision is Precision.FLOAT16:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the precision is {precision.value!r}, which needs a CUDA device, and the model runs "
            f"on the device {device!r}; use 'auto', 'float32' or 'bfloat16'",
        )
    if precision is Precision.BFLOAT16 and device == "cuda" and not torch.cuda.is_bf16_supported():
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            "the precision is 'bfloat16', which this CUDA device doesn't support; "
            "use 'auto' or 'float16'",
        )
    return precision


CPU_FILE = Path("/proc/cpuinfo")
BFLOAT16_FEATURES = frozenset({"amx_bf16", "avx512_bf16", "bf16"})
"""Names of the instructions: Intel's and AMD's, and ARM's."""
PRODUCT = (256, 1024, 1024)
"""Sides of the matrix product that is timed: a packed pass through a narrow layer."""
REPETITIONS = 5


def find_cpu_features(file: Path = CPU_FILE) -> frozenset[str]:
    """Read the features that the kernel lists for this machine's CPU; none where it lists none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    listed = (line.partition(":") for line in lines)
    named = (words for name, _, words in listed if name.strip().lower() in ("flags", "features"))
    return frozenset(next(named, "").split())


@cache
def is_cpu_fast_in_bfloat16() -> bool:
    """Return True if the CPU has instructions for bfloat16 that are no slower than float32."""
    if not BFLOAT16_FEATURES & find_cpu_features():
        return False
    import torch

    return time_product(torch.bfloat16) <= time_product(torch.float32)


def time_product(kind: Any) -> float:
    """Time a matrix product in a number format of torch: the fastest of several, in seconds."""
    import torch

    rows, inner, columns = PRODUCT
    left, right = torch.ones(rows, inner, dtype=kind), torch.ones(columns, inner, dtype=kind)
    times = []
    with torch.inference_mode():
        for _ in range(REPETITIONS):
            begin = time.perf_counter()
            torch.nn.functional.linear(left, right)
            times.append(time.perf_counter() - begin)
    return min(times)


SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate")
"""Messages of torch in cases without an exception type of their own, as on a CPU."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error means that the device or the machine has no memory left."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in SIGNS)


def free_memory(device: str) -> None:
    """Return unused blocks to the device, so that a smaller try finds them."""
    import torch

    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()


MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Memory of one CUDA device in MiB: this process's tensors, used by all processes, total."""

    device: str
    own: float
    used: float
    total: float


def measure_device_memory() -> DeviceMemory | None:
    """Measure the memory of the current CUDA device; None unless torch already uses one."""
    torch = sys.modules.get("torch")
    # Another thread may be in the middle of the import.
    if not hasattr(getattr(torch, "cuda", None), "is_initialized"):
        return None
    assert torch is not None
    if not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    index = torch.cuda.current_device()
    free, total = torch.cuda.mem_get_info(index)
    return DeviceMemory(
        f"cuda:{index}", torch.cuda.memory_allocated(index) / MIB, (total - free) / MIB, total / MIB
    )
