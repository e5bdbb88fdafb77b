# SPDX-License-Identifier: Apache-2.0
"""Machine code on disk is not used any more when something that it contains has changed."""

import importlib
import subprocess
import sys

import pytest

from fcp_ros.planning.flat import jit
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.warm_up import warm_up

CALLED = """
from fcp_ros.planning.flat.jit import kernel


@kernel
def called(x: int) -> int:
    return x + {added}
"""
CALLER = """
from fcp_ros.planning.flat.jit import kernel
from stamped_called import called


@kernel
def caller(x: int) -> int:
    return 10 * called(x)
"""
PAIR = """
from typing import NamedTuple


class Pair(NamedTuple):
    left: int
    right: int
"""
ADDER = """
from fcp_ros.planning.flat.jit import kernel
from {home} import Pair


@kernel
def add(pair: Pair) -> int:
    return pair.left + pair.right
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Writes the two modules and imports them anew; returns the kernel that calls the other."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(jit, "PACKAGE", "stamped_")

    def write(added):
        (tmp_path / "stamped_called.py").write_text(CALLED.format(added=added))
        (tmp_path / "stamped_caller.py").write_text(CALLER)
        for name in ("stamped_called", "stamped_caller"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        jit._find_files.cache_clear()
        jit._hash_file.cache_clear()
        return importlib.import_module("stamped_caller").caller

    yield write
    jit._find_files.cache_clear()
    jit._hash_file.cache_clear()


def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(modules):
    assert modules(1)(1) == 20
    again = modules(1)
    assert again(1) == 20
    assert again.stats.cache_hits
    changed = modules(123)  # another length, too: Python's own cache goes by time and size
    assert changed(1) == 1240
    assert not changed.stats.cache_hits


def test_a_kernel_is_compiled_again_when_the_type_of_an_argument_has_moved(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for home in ("moved_from", "moved_to"):
        for old in tmp_path.glob("moved_*.py"):
            old.unlink()
        for name in ("moved_from", "moved_adder"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{home}.py").write_text(PAIR)
        (tmp_path / "moved_adder.py").write_text(ADDER.format(home=home))
        importlib.invalidate_caches()
        jit._hash_file.cache_clear()
        add = importlib.import_module("moved_adder").add
        assert add(importlib.import_module(home).Pair(1, 2)) == 3
    jit._hash_file.cache_clear()


def test_the_stamp_covers_what_is_called_in_other_files():
    modules = jit._find_modules(evaluate.py_func.__globals__.values())
    files = {file for module in modules for file in jit._find_files(module)}
    assert {"fact_queues.py", "exploration.py", "relaxed_task.py", "task.py"} <= {
        file.rsplit("/", 1)[-1] for file in files
    }


ONE_AFTER_ANOTHER = """
import sys
import fcp_ros.planning
from fcp_ros.planning.search.kernel.packing import mix_hash
from fcp_ros.planning.warm_up import warm_up

assert "numba" not in sys.modules, "numba is imported with the first call of a kernel"
warm_up()
assert "numba" in sys.modules
unneeded = {"numba.np.arraymath", "scipy.linalg"} & sys.modules.keys()
assert not unneeded, f"machine code is loaded without what only compilation needs: {unneeded}"
assert mix_hash(1) == mix_hash(1)

import numpy as np
from numba import njit

norm = njit(lambda a: np.linalg.norm(a) + a.sum())
assert norm(np.array([3.0, 4.0])) == 12.0, "other functions can be compiled all the same"
assert "scipy.linalg" in sys.modules
"""


def test_numba_is_imported_late_and_in_parts():
    warm_up()  # now the machine code is on the disk
    child = subprocess.run([sys.executable, "-c", ONE_AFTER_ANOTHER], capture_output=True)
    assert child.returncode == 0, child.stderr.decode()
