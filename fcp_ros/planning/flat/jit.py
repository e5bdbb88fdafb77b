# SPDX-License-Identifier: Apache-2.0
"""Compilation of kernels, the same for all of them; the only file that imports numba.

Kernels allocate no arrays, they only use those of their caller. So references need not be counted,
which would cost two atomic operations for each access to an array of a tuple.

Importing numba takes 0.3 s. So `kernel` and `part` only note a function (`Deferred`) until the
first call of any kernel. That call makes numba's dispatchers of all of them and puts these in the
place of the notes in the globals of the kernels, where numba looks kernels up. From then on,
`kernel` makes dispatchers at once.

Machine code on disk contains the kernels that it calls as well, but numba only checks whether the
file of the kernel itself has changed. Here the cached code is discarded as soon as any file has
changed that the kernel's file takes kernels or types from, directly or indirectly.

Before it loads machine code, numba registers everything that it can compile, which takes another
0.5 s, half of it for importing SciPy. Code that is compiled already needs none of that, so here it
is loaded without; a compilation still registers everything first.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from fcp_ros.foundation.garbage import pause_garbage_collection

Function = TypeVar("Function", bound=Callable[..., object])
PACKAGE = "fcp_ros.planning."
"""Prefix of the modules that the machine code of a kernel may depend on."""


def kernel(function: Function) -> Function:
    """Compile a function that makes no arrays at its first call; the machine code stays on disk.

    It runs without the GIL. Its arguments must always have the same types, or it is compiled again.
    """
    return cast(Function, _defer(function, _make_kernel))


def part(function: Function) -> Function:
    """Compile a function into each of its callers, which are kernels or parts themselves.

    For functions that take whole tuples of arrays: a call would copy hundreds of words each time.
    """
    return cast(Function, _defer(function, _make_part))


def _make_kernel(function: Callable[..., object]) -> Any:
    from numba import njit

    compiled = njit(cache=True, nogil=True, _nrt=False)(function)
    with contextlib.suppress(AttributeError):  # a numba that keeps its cache elsewhere
        cached = compiled._cache
        cached._cache_file._source_stamp = compute_stamp(function)
        cached.load_overload = functools.partial(_load_machine_code, cached)
    return compiled


def _make_part(function: Callable[..., object]) -> Any:
    from numba import njit

    return njit(inline="always", nogil=True, _nrt=False)(function)


def _load_machine_code(cached: Any, signature: Any, context: Any) -> Any:
    """Load machine code from the disk; `load_overload` of numba's cache without registrations."""
    with cached._guard_against_spurious_io_errors():
        try:
            return cached._load_overload(signature, context)
        # Numba reads the names of the argument types before it compares the stamp. Those of an
        # older version may have moved to another file since.
        except (ImportError, AttributeError):
            cached._cache_file.flush()
            return None


# --- until numba is needed


class Deferred:
    """A kernel or part before the first call of any kernel."""

    def __init__(
        self, function: Callable[..., object], make: Callable[[Callable[..., object]], Any]
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._make = make
        self._made: Any = None

    def __call__(self, *args: object) -> Any:
        return self.resolve()(*args)

    def __getattr__(self, name: str) -> Any:
        """Look up an attribute of the dispatcher, such as `py_func`."""
        return getattr(self.resolve(), name)

    def resolve(self) -> Any:
        """Return the dispatcher; make those of all kernels first if that was not done."""
        if self._made is None:
            _make_all()
        return self._made

    def make(self) -> None:
        self._made = self._make(self._function)

    def replace_globals(self) -> None:
        """Put dispatchers in the place of the notes that the function refers to."""
        names = self._function.__globals__
        for name, value in list(names.items()):
            if isinstance(value, Deferred):
                names[name] = value.resolve()


_lock = threading.RLock()
_deferred: list[Deferred] | None = []
"""The notes so far; None once the dispatchers were made."""


def _defer(
    function: Callable[..., object], make: Callable[[Callable[..., object]], Any]
) -> Deferred | Any:
    with _lock:
        if _deferred is None:
            return make(function)
        _deferred.append(Deferred(function, make))
        return _deferred[-1]


def _make_all() -> None:
    global _deferred
    with _lock, pause_garbage_collection():  # in vain: a quarter of numba's import
        waiting = _deferred or []
        for note in waiting:
            note.make()
        _deferred = None
        for note in waiting:
            note.replace_globals()


def list_index_files() -> list[Path]:
    """List the files on disk that say where the machine code of the kernels made so far lies."""
    found: set[Path] = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGE):
            for value in list(vars(module).values()):
                made = value.resolve() if isinstance(value, Deferred) else value
                file = getattr(getattr(made, "_cache", None), "_cache_file", None)
                path = getattr(file, "_index_path", None)
                if isinstance(path, str) and Path(path).is_file():
                    found.add(Path(path))
    return sorted(found)


# --- the stamp of machine code


def compute_stamp(function: Callable[..., object]) -> bytes:
    """Hash the text of all files that a kernel's machine code depends on."""
    own = function.__code__.co_filename
    files = {own}.union(*map(_find_files, _find_modules(function.__globals__.values())))
    return hashlib.sha256(b"".join(_hash_file(file) for file in sorted(files))).digest()


def _find_modules(values: Iterable[object]) -> set[str]:
    names = {getattr(value, "__module__", None) or "" for value in values}
    return {name for name in names if isinstance(name, str) and name.startswith(PACKAGE)}


@cache
def _find_files(module: str) -> frozenset[str]:
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
