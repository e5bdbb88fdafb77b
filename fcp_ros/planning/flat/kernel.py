# SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled: one decorator, so that all of them are compiled in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compiles a function over flat arrays at its first call; the machine code stays on disk.

    Other threads run on while it does (no GIL). Its arguments must always have the same types, or
    it is compiled once more.
    """
    return cast(Function, njit(cache=True, nogil=True)(function))
