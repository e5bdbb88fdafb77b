# SPDX-License-Identifier: Apache-2.0
"""Each device computes in what it is fast in; what it can't is refused with a reason."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from fcp_ros.grounding.models.torch_device import (
    build_loading_arguments,
    choose_precision,
    free_memory,
    is_out_of_memory,
)
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Precision

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("asked", "device", "bfloat16", "chosen"),
    [
        (Precision.AUTO, "cpu", False, Precision.FLOAT32),
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
    assert choose_precision(asked, device) is chosen
    assert build_loading_arguments(chosen) == {"dtype": getattr(torch, chosen.value)}


@pytest.mark.parametrize(
    ("asked", "device", "code"),
    [
        (Precision.FLOAT16, "cpu", GroundingCode.INVALID_OPTION),
        (Precision.FOUR_BIT, "cpu", GroundingCode.INVALID_OPTION),
        (Precision.BFLOAT16, "cuda", GroundingCode.INVALID_OPTION),
        (Precision.FOUR_BIT, "cuda", GroundingCode.MISSING_LIBRARY),
    ],
)
def test_what_a_device_can_not_is_refused(
    asked: Precision, device: str, code: GroundingCode, monkeypatch: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
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
