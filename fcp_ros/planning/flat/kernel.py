# SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled: one way for all of them.

Kernels make no arrays, they only look into those of their caller. So references need not be counted,
which would cost two atomic operations for each look into an array of a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compiles a function that makes no arrays at its first call; the machine code stays on disk.

    Other threads run on while it does (no GIL). Its arguments must always have the same types, or
    it is compiled once more.
    """
    return cast(Function, njit(cache=True, nogil=True, _nrt=False)(function))


def part(function: Function) -> Function:
    """Compiles a function into each of its callers, which are kernels or parts themselves.

    It may take whole tuples of arrays: a call would copy hundreds of words each time.
    """
    return cast(Function, njit(inline="always", nogil=True, _nrt=False)(function))
