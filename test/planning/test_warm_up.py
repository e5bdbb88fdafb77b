# SPDX-License-Identifier: Apache-2.0
"""What must be compiled is known before a clock starts, and compiled before it does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from fcp_ros.fuzzy import Composition
from fcp_ros.planning import warm_up as module
from fcp_ros.planning.flat import jit
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.search.bidirectional import LowerBounds
from fcp_ros.planning.warm_up import (
    COMPILING,
    FOLDERS,
    NOTE,
    are_kernels_compiled,
    compile_missing_kernels,
    warm_up,
)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """The folder of the note; machine code that is loaded already stays where it is."""
    warm_up()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def change_note(folder, **changes):
    note = json.loads((folder / NOTE).read_text())
    (folder / NOTE).write_text(json.dumps({**note, **changes}))


def test_the_note_of_a_warm_up_is_found(folder):
    assert not are_kernels_compiled()
    warm_up()
    assert are_kernels_compiled()
    files = json.loads((folder / NOTE).read_text())["files"]
    assert any("advance" in Path(file).name for file in files)
    assert list(folder.iterdir()) == [folder / NOTE], "nothing unfinished stays"


@pytest.mark.parametrize(
    "changes", [{"key": "another"}, {"files": ["/no/such/file.nbi"]}, {"files": 7}]
)
def test_a_note_of_other_kernels_does_not_count(folder, changes):
    warm_up()
    change_note(folder, **changes)
    assert not are_kernels_compiled()


def test_a_broken_note_does_not_count(folder):
    for text in ("", "[]", '"x"', "{}", "\x00"):
        (folder / NOTE).write_text(text)
        assert not are_kernels_compiled()


def test_a_changed_source_asks_for_compilation(folder, monkeypatch):
    warm_up()
    monkeypatch.setattr(module, "FOLDERS", (*FOLDERS, "goal"))  # as if more files were there
    assert not are_kernels_compiled()


def test_the_key_covers_all_that_machine_code_depends_on():
    """What stamps the machine code stamps the note as well."""
    warm_up()
    modules = {name for name in sys.modules if name.startswith(jit.PACKAGE)}
    kernels = [
        value.py_func
        for name in modules
        for value in vars(sys.modules[name]).values()
        if hasattr(value, "py_func")
    ]
    used = {name for one in kernels for name in jit._find_modules(one.__globals__.values())}
    files = {Path(file) for name in used for file in jit._find_files(name)}
    here = Path(module.__file__).parent
    assert {file.relative_to(here).parts[0] for file in files} == set(FOLDERS)


def test_nothing_is_said_if_nothing_is_compiled(folder):
    warm_up()
    told = []
    compile_missing_kernels(told.append)
    assert not told


def test_a_compilation_is_told_before_and_after(folder):
    told = []
    compile_missing_kernels(told.append)
    assert told[0] == COMPILING
    assert told[1].startswith("The search kernels are compiled after ")
    assert are_kernels_compiled()


def test_searching_from_both_ends_compiles_nothing_more():
    warm_up()
    compiled = len(evaluate.signatures)
    LowerBounds(module._make_little_task(), Composition.SUM)((0, 0))
    assert len(evaluate.signatures) == compiled
