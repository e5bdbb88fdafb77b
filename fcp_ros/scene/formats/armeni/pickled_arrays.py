# SPDX-License-Identifier: Apache-2.0
"""Arrays and numbers of a pickle, made here of their bytes after checking that these fit."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.errors import SceneError

MAX_DIMENSIONS = 8

_ADVICE = "Do not open it with other tools either, unless you trust where it comes from."
_NUMBER_CODES = re.compile(r"b1|[iu][1248]|f[248]|[SU]\d{1,4}")


def refused(reason: str) -> SceneError:
    """The error for a pickle that is damaged, or that wants more than it may."""
    return SceneError(f"its pickle is refused: {reason}", advice=_ADVICE)


class PickledDtype:
    """A dtype of a pickle: its code (``f8``), and its byte order once that is known."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = ""

    @property
    def is_object(self) -> bool:
        """Whether an array of it holds values instead of bytes."""
        return self.code.startswith("O")

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take the byte order; types with fields or inner arrays are refused."""
        if self.order or len(state) < 5:
            raise refused("it sets the state of a type as numpy does not")
        order, inner = state[1], state[2:5]
        if order not in ("<", ">", "|", "=") or inner != (None, None, None):
            raise refused("it has an array of a structured type")
        self.order = order

    def numpy(self) -> np.dtype[Any]:
        """The same for numpy; only numbers and text of a fixed length."""
        if not _NUMBER_CODES.fullmatch(self.code) or not self.order:
            raise refused(f"it has an array of the type {self.code[:40]!r}")
        kind = np.dtype(f"{self.order}{self.code}")
        if kind.itemsize == 0:
            raise refused(f"it has an array of the type {self.code[:40]!r}")
        return kind


class PickledArray:
    """An array of a pickle: numbers as a numpy array, or objects as a flat list."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: NDArray[Any] | list[Any] | None = None

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take shape, type, order and content, once; the content must fit the shape."""
        if self.values is not None or len(state) != 5:
            raise refused("it sets the state of an array as numpy does not")
        _, shape, dtype, by_column, content = state
        if type(shape) is not tuple or len(shape) > MAX_DIMENSIONS:
            raise refused("an array has no proper shape")
        if any(type(extent) is not int or extent < 0 for extent in shape):
            raise refused("an array has no proper shape")
        if not isinstance(dtype, PickledDtype):
            raise refused("an array has no type")
        count = math.prod(shape)
        if dtype.is_object:
            if type(content) is not list or len(content) != count:
                raise refused(f"an array of shape {shape} does not fit its content")
            self.values = content
            return
        kind, raw = dtype.numpy(), bytes_of(content)
        if count * kind.itemsize != len(raw):
            raise refused(f"an array of shape {shape} does not fit its content")
        flat: NDArray[Any] = np.frombuffer(raw, dtype=kind)
        self.values = np.reshape(flat, shape, order="F" if by_column is True else "C")


def scalar_of(dtype: Any, content: Any) -> Any:
    """One number of a type, from its bytes."""
    if not isinstance(dtype, PickledDtype):
        raise refused("a number has no type")
    kind, raw = dtype.numpy(), bytes_of(content)
    if kind.itemsize != len(raw):
        raise refused("a number does not fit its type")
    return np.frombuffer(raw, dtype=kind)[0].item()


def bytes_of(content: Any) -> bytes:
    """Bytes, which Python 2 wrote as text."""
    if type(content) is bytes:
        return content
    if type(content) is str:
        return content.encode("latin1")
    raise refused("an array's content is no bytes")
