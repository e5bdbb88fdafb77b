# SPDX-License-Identifier: Apache-2.0
"""Machine code on disk is not used any more when something that it contains has changed."""

import importlib
import sys

import pytest

from fcp_ros.planning.flat import jit
from fcp_ros.planning.heuristics.evaluate import evaluate

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


def test_the_stamp_covers_what_is_called_in_other_files():
    modules = jit._find_modules(evaluate.py_func.__globals__.values())
    files = {file for module in modules for file in jit._find_files(module)}
    assert {"lm_cut.py", "fact_queues.py", "exploration.py", "relaxed_task.py", "task.py"} <= {
        file.rsplit("/", 1)[-1] for file in files
    }
