# SPDX-License-Identifier: Apache-2.0
"""GPU memory is reported where torch uses a GPU, and nothing is loaded to find out."""

import subprocess
import sys
from types import ModuleType

import pytest

from fcp_ros.grounding.models.torch_device import measure_device_memory


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
