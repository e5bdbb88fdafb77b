# SPDX-License-Identifier: Apache-2.0
"""How the search kernel is compiled: without counting references, parts copied into the whole.

Search kernels make no arrays; they only look into those that they are given, which their caller
holds. So numba needs not count who looks at them, which would take most of the time: each access to
an array in a tuple would be two atomic operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

from fcp_ros.planning.flat.kernel import kernel

Function = TypeVar("Function", bound=Callable[..., object])


def search_kernel(function: Function) -> Function:
    """Compiles a function that makes no arrays; the machine code stays on disk."""
    return kernel(function)


def part(function: Function) -> Function:
    """Compiles a function into each of its callers, which are search kernels or parts themselves.

    It may take whole tuples of arrays: a call would copy hundreds of words each time.
    """
    return cast(Function, njit(inline="always", nogil=True, _nrt=False)(function))
