# SPDX-License-Identifier: Apache-2.0
"""Compile the search kernels, or load them from the disk, before the first request needs them.

Compiled once, they lie in the cache beside their sources (or, if that is not writable, in numba's
cache of the user) until a source or numba changes: `python -m fcp_ros.planning.warm_up`.

That compilation takes a minute, and more on a busy machine. A request whose time limit is running
should never have to wait for it. So `warm_up` leaves a note beside the machine code, and
`are_kernels_compiled` tells from it, without importing numba, if there is anything to compile.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from fcp_ros.foundation.array_file import write_whole
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator, FlatResource
from fcp_ros.planning.flat.jit import list_index_files
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.model.request import Algorithm, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import Objective

NOTE = f"kernels.{sys.implementation.cache_tag}.json"
"""File with the key of the kernels that were compiled, and the index files of their code."""
FOLDERS = ("flat", "heuristics", "model", "search")
"""Folders with all that machine code may depend on; ``setup/prepare.py`` goes by them, too."""
COMPILING = "Compiling the search kernels, once for this version and processor: about a minute."
"""Sentence for people who have to wait for it."""


def warm_up() -> float:
    """Use every kernel once; return the seconds that it took."""
    began = time.perf_counter()
    task = _make_little_task()
    for code in HeuristicCode:
        Estimator(task, code, task.loss).estimate(task.initial)
    estimator = Estimator(task, HeuristicCode.MAX, task.loss)
    estimator.find_helpful(task.initial)
    estimator.compute_operator_bounds(task.initial)
    prepared = PreparedTask(task)
    BestFirst(prepared, Objective(), SearchOptions(Algorithm.LAZY_GREEDY)).run(1000)
    _leave_note()
    return time.perf_counter() - began


def are_kernels_compiled() -> bool:
    """Return True if the machine code of all kernels lies on the disk: nothing is compiled then."""
    for folder in _list_note_folders():
        with suppress(OSError, ValueError, TypeError, KeyError):
            note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
            if note["key"] == _compute_key():
                return all(Path(file).is_file() for file in note["files"])
    return False


def compile_missing_kernels(tell: Callable[[str], object]) -> None:
    """Compile the kernels unless their machine code lies on the disk: before any clock starts."""
    if not are_kernels_compiled():
        tell(COMPILING)
        tell(f"The search kernels are compiled after {warm_up():.0f} s.")


def _leave_note() -> None:
    files = [str(file) for file in list_index_files()]
    text = json.dumps({"key": _compute_key(), "files": files}, indent=1)
    for folder in _list_note_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / NOTE, text.encode())
            return


def _list_note_folders() -> Iterator[Path]:
    """Yield the folders where the note may be, in the order of numba's own choice."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        yield Path(given)
    else:
        yield Path(__file__).parent / "flat" / "__pycache__"
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        yield Path(home) / "fcp_ros"


def _compute_key() -> str:
    """Hash all that machine code depends on: sources, numba, Python, processor."""
    here = Path(__file__).parent
    sources = sorted(file for name in FOLDERS for file in (here / name).rglob("*.py"))
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = ""
    parts = [str(here), numba, platform.python_version(), *_describe_processor()]
    digest = hashlib.sha256("\n".join(parts).encode())
    for file in sources:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _describe_processor() -> list[str]:
    """Return the lines of ``/proc/cpuinfo`` that decide on machine code; without it, the kind."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line, _ in zip(file, range(40), strict=False)]
        return [line for line in lines if line.startswith(("model name", "flags", "Features"))][:2]
    return [platform.machine()]


def _make_little_task() -> FlatTask:
    operators = [
        FlatOperator((), (), (FlatEffect(variable, 1),), loss=0.1, use=(1.0,))
        for variable in (0, 1)
    ]
    goal = [(0, 1), (1, 1)]
    return FlatBuilder([2, 2], [0, 0], goal, operators, [FlatResource(5.0, 0.0)]).build()


if __name__ == "__main__":
    print(f"search kernels ready after {warm_up():.1f} s")
