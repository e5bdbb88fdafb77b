# SPDX-License-Identifier: Apache-2.0
"""Compilation of kernels, the same for all of them; the only file that imports numba's compiler.

Kernels allocate no arrays, they only use those of their caller. So references need not be counted,
which would cost two atomic operations for each access to an array of a tuple.

Machine code on disk contains the kernels that it calls as well, but numba only checks whether the
file of the kernel itself has changed. Here the cached code is discarded as soon as any file has
changed that the kernel's file takes kernels or types from, directly or indirectly.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])
PACKAGE = "fcp_ros.planning."
"""Prefix of the modules that the machine code of a kernel may depend on."""


def kernel(function: Function) -> Function:
    """Compile a function that makes no arrays at its first call; the machine code stays on disk.

    It runs without the GIL. Its arguments must always have the same types, or it is compiled again.
    """
    compiled = njit(cache=True, nogil=True, _nrt=False)(function)
    with contextlib.suppress(AttributeError):  # a numba that keeps its stamp elsewhere
        cached = compiled._cache._cache_file
        cached._source_stamp = compute_stamp(function)
    return cast(Function, compiled)


def part(function: Function) -> Function:
    """Compile a function into each of its callers, which are kernels or parts themselves.

    For functions that take whole tuples of arrays: a call would copy hundreds of words each time.
    """
    return cast(Function, njit(inline="always", nogil=True, _nrt=False)(function))


def compute_stamp(function: Callable[..., object]) -> bytes:
    """Hash the text of all files that a kernel's machine code depends on."""
    own = function.__code__.co_filename
    files = {own}.union(*map(_find_files, _find_modules(function.__globals__.values())))
    return hashlib.sha256(b"".join(_hash_file(file) for file in sorted(files))).digest()


def _find_modules(values: Iterable[object]) -> set[str]:
    """Find the modules of this package that functions, kernels and types come from."""
    names = {getattr(value, "__module__", None) or "" for value in values}
    return {name for name in names if isinstance(name, str) and name.startswith(PACKAGE)}


@cache
def _find_files(module: str) -> frozenset[str]:
    """Find the file of an imported module, and those of the modules that it uses."""
    found = sys.modules[module]
    seen, pending = {module}, [module]
    while pending:
        found = sys.modules[pending.pop()]
        more = _find_modules(vars(found).values()) - seen
        seen |= more
        pending.extend(more)
    return frozenset(str(sys.modules[name].__file__) for name in seen)


@cache
def _hash_file(file: str) -> bytes:
    return hashlib.sha256(Path(file).read_bytes()).digest()
