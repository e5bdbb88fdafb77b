# SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled: one way for all of them.

Kernels make no arrays, they only look into those of their caller. So references need not be
counted, which would cost two atomic operations for each look into an array of a tuple.

Machine code on disk holds the kernels that it calls as well, but numba only asks whether the file
of the kernel itself has changed. Here it is worth nothing as soon as any file has changed that the
kernel's file takes kernels or types from, and so on from there.
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
"""Modules that kernels depend on are looked for here."""


def kernel(function: Function) -> Function:
    """Compiles a function that makes no arrays at its first call; the machine code stays on disk.

    Other threads run on while it does (no GIL). Its arguments must always have the same types, or
    it is compiled once more.
    """
    compiled = njit(cache=True, nogil=True, _nrt=False)(function)
    with contextlib.suppress(AttributeError):  # a numba that keeps its stamp elsewhere
        cached = compiled._cache._cache_file
        cached._source_stamp = stamp_of(function)
    return cast(Function, compiled)


def part(function: Function) -> Function:
    """Compiles a function into each of its callers, which are kernels or parts themselves.

    It may take whole tuples of arrays: a call would copy hundreds of words each time.
    """
    return cast(Function, njit(inline="always", nogil=True, _nrt=False)(function))


def stamp_of(function: Callable[..., object]) -> bytes:
    """Changes with the text of all files that a kernel's machine code depends on."""
    own = function.__code__.co_filename
    files = {own}.union(*map(_files, _modules(function.__globals__.values())))
    return hashlib.sha256(b"".join(_digest(file) for file in sorted(files))).digest()


def _modules(values: Iterable[object]) -> set[str]:
    """Modules of this package that functions, kernels and types come from."""
    names = {getattr(value, "__module__", None) or "" for value in values}
    return {name for name in names if isinstance(name, str) and name.startswith(PACKAGE)}


@cache
def _files(module: str) -> frozenset[str]:
    """The file of a module that is imported already, and those of the modules that it uses."""
    found = sys.modules[module]
    seen, pending = {module}, [module]
    while pending:
        found = sys.modules[pending.pop()]
        more = _modules(vars(found).values()) - seen
        seen |= more
        pending.extend(more)
    return frozenset(str(sys.modules[name].__file__) for name in seen)


@cache
def _digest(file: str) -> bytes:
    return hashlib.sha256(Path(file).read_bytes()).digest()
