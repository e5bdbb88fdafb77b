# SPDX-License-Identifier: Apache-2.0
"""Each device computes in what it is fast in; what it can't is refused with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from later import Later

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models import torch_device
from fcp_ros.grounding.models.torch_device import (
    choose_precision,
    find_cpu_features,
    free_memory,
    is_cpu_fast_in_bfloat16,
    is_out_of_memory,
    measure_device_memory,
)
from fcp_ros.grounding.options import Precision

torch = Later("torch")


@pytest.mark.parametrize(
    ("asked", "device", "bfloat16", "chosen"),
    [
        (Precision.AUTO, "cpu", False, Precision.FLOAT32),
        (Precision.AUTO, "cpu", True, Precision.BFLOAT16),
        (Precision.FLOAT32, "cpu", True, Precision.FLOAT32),
        (Precision.AUTO, "cuda", True, Precision.BFLOAT16),
        (Precision.AUTO, "cuda", False, Precision.FLOAT16),
        (Precision.BFLOAT16, "cpu", False, Precision.BFLOAT16),
        (Precision.FLOAT32, "cuda", True, Precision.FLOAT32),
    ],
)
def test_the_precision_of_a_device(
    asked: Precision, device: str, bfloat16: bool, chosen: Precision, monkeypatch: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bfloat16)
    monkeypatch.setattr(torch_device, "is_cpu_fast_in_bfloat16", lambda: bfloat16)
    assert choose_precision(asked, device) is chosen


@pytest.mark.parametrize(
    ("asked", "device", "code"),
    [
        (Precision.FLOAT16, "cpu", GroundingCode.INVALID_OPTION),
        (Precision.BFLOAT16, "cuda", GroundingCode.INVALID_OPTION),
    ],
)
def test_what_a_device_can_not_is_refused(
    asked: Precision, device: str, code: GroundingCode, monkeypatch: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    with pytest.raises(GroundingError, match=asked.value) as caught:
        choose_precision(asked, device)
    assert caught.value.code is code
    assert "use" in caught.value.sentence


def test_out_of_memory_is_known_on_each_device() -> None:
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory."))
    assert is_out_of_memory(MemoryError())
    with pytest.raises(RuntimeError) as caught:
        torch.empty(1 << 60, dtype=torch.uint8)
    assert is_out_of_memory(caught.value)
    assert not is_out_of_memory(RuntimeError("shapes do not fit"))
    assert not is_out_of_memory(ValueError("out of memory"))
    free_memory("cpu")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("processor: 0\nflags\t\t: fpu amx_bf16 avx512_bf16\nflags: fpu\n", "amx_bf16"),
        ("processor : 0\nFeatures  : fp asimd bf16 i8mm\n", "bf16"),
        ("vendor_id : one without such a line\nmodel name : bf16\n", ""),
    ],
    ids=["Intel", "ARM", "unknown"],
)
def test_what_the_kernel_lists_of_a_cpu(text: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    features = find_cpu_features(tmp_path / "cpuinfo")
    assert (found in features) if found else not features
    assert find_cpu_features(tmp_path / "nowhere") == frozenset()


@pytest.mark.parametrize(
    ("feature", "half", "single", "is_fast"),
    [("amx_bf16", 1.0, 7.0, True), ("avx512_bf16", 2.0, 1.0, False), ("avx2", 1.0, 7.0, False)],
    ids=["native and fast", "native and slow", "not native"],
)
def test_a_cpu_takes_bfloat16_where_it_is_native_and_measured_to_be_no_slower(
    feature: str, half: float, single: float, is_fast: bool, monkeypatch: Any
) -> None:
    seconds = {torch.bfloat16: half, torch.float32: single}
    monkeypatch.setattr(torch_device, "find_cpu_features", lambda: frozenset({"sse", feature}))
    monkeypatch.setattr(torch_device, "time_product", seconds.__getitem__)
    is_cpu_fast_in_bfloat16.cache_clear()
    assert is_cpu_fast_in_bfloat16() == is_fast
    is_cpu_fast_in_bfloat16.cache_clear()


def test_a_product_is_timed() -> None:
    assert 0.0 < torch_device.time_product(torch.float32) < 10.0


# --- GPU memory is reported where torch uses a GPU, and nothing is loaded to find out


def test_asking_loads_nothing() -> None:
    program = (
        "import sys\n"
        "from fcp_ros.grounding.models.torch_device import measure_device_memory\n"
        "assert measure_device_memory() is None\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_numbers_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        assert measure_device_memory() is None
        return
    tensor = torch.zeros(1 << 22, device="cuda")  # 16 MiB
    memory = measure_device_memory()
    assert memory is not None
    assert tensor.nbytes / (1 << 20) <= memory.own <= memory.used <= memory.total


def test_torch_half_imported(monkeypatch):
    """Diagnostics are made while another thread loads the model."""
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert measure_device_memory() is None
