# SPDX-License-Identifier: Apache-2.0
"""Reads pickles of plain values and numpy arrays without running anything.

A pickle is a program: the usual unpicklers call whatever it names. This one has an allow-list of
instructions, those that Python and numpy need for plain values and arrays in the protocols 2 to 5,
and an allow-list of names, which stand for classes and functions of this file. Nothing is imported.
Arrays are made of their bytes after their shape was checked. Everything else is refused, as are
keys other than texts and integers, and repeated keys.

Memory stays in proportion to the pickle: every instruction adds one value at most, bytes are read
from what is there, and the number of instructions is limited.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_STEPS = 1_000_000
"""Instructions of one pickle; the largest Gibson buildings need some ten thousand."""

MAX_DIMENSIONS = 8  # Dimensions of an array

_LONGEST_INTEGER = 64
_NUMBER_CODES = re.compile(r"b1|[iu][1248]|f[248]|[SU]\d{1,4}")


class RestrictedPickleError(ValueError):
    """A pickle that is damaged, or that wants more than it may; the message says why, a clause."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"its pickle is refused: {reason}")


def load_restricted(data: bytes) -> Any:
    """Return the value of one whole pickle; RestrictedPickleError if it is damaged or holds more.

    It is made of None, bool, int, float, str, bytes, list, tuple, dict and `PickledArray`.
    """
    stream = io.BytesIO(data)
    try:
        value = _Unpickler(stream).load()
    except RestrictedPickleError:
        raise
    except Exception as error:  # whatever a damaged pickle makes of the machine
        raise RestrictedPickleError(
            f"it breaks off or is damaged ({type(error).__name__})"
        ) from None
    if stream.tell() != len(data):
        raise RestrictedPickleError(f"{len(data) - stream.tell()} bytes follow its end")
    return value


# ---- what the names in a pickle stand for --------------------------------------------------------


class PickledDtype:
    """A dtype of a pickle: its code (such as f8), and its byte order once that is known."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = ""

    @property
    def is_object(self) -> bool:
        """True if an array of it holds values instead of bytes."""
        return self.code.startswith("O")

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take the byte order; types with fields or inner arrays are refused."""
        if self.order or len(state) < 5:
            raise RestrictedPickleError("it sets the state of a type as numpy does not")
        order, inner = state[1], state[2:5]
        if order not in ("<", ">", "|", "=") or inner != (None, None, None):
            raise RestrictedPickleError("it has an array of a structured type")
        self.order = order

    def to_numpy(self) -> np.dtype[Any]:
        """Return the dtype of numpy; only numbers and texts of a fixed length have one."""
        if _NUMBER_CODES.fullmatch(self.code) and self.order:
            kind = np.dtype(f"{self.order}{self.code}")
            if kind.itemsize > 0:
                return kind
        raise RestrictedPickleError(f"it has an array of the type {self.code[:40]!r}")


class PickledArray:
    """An array of a pickle. `values`: numbers as a numpy array, or objects as a flat list."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: NDArray[Any] | list[Any] | None = None

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take shape, type, order and content, once; the content must fit the shape."""
        if self.values is not None or len(state) != 5:
            raise RestrictedPickleError("it sets the state of an array as numpy does not")
        _, shape, dtype, by_column, content = state
        if type(shape) is not tuple or len(shape) > MAX_DIMENSIONS:
            raise RestrictedPickleError("an array has no proper shape")
        if any(type(extent) is not int or extent < 0 for extent in shape):
            raise RestrictedPickleError("an array has no proper shape")
        if not isinstance(dtype, PickledDtype):
            raise RestrictedPickleError("an array has no type")
        count = math.prod(shape)
        misfit = RestrictedPickleError(f"an array of shape {shape} does not fit its content")
        if dtype.is_object:
            if type(content) is not list or len(content) != count:
                raise misfit
            self.values = content
            return
        kind, raw = dtype.to_numpy(), _bytes_of(content)
        if count * kind.itemsize != len(raw):
            raise misfit
        flat: NDArray[Any] = np.frombuffer(raw, dtype=kind)
        self.values = np.reshape(flat, shape, order="F" if by_column is True else "C")


class _Name:
    """A name that a pickle may use, with the function that stands for it where it is called."""

    def __init__(self, shown: str, make: Callable[..., Any] | None = None) -> None:
        self.shown = shown
        self._make = make

    def call(self, arguments: tuple[Any, ...]) -> Any:
        """Return what the function makes of arguments, which must be those that numpy gives it."""
        made = self._make(*arguments) if self._make is not None else None
        if made is None:
            raise RestrictedPickleError(f"it calls {self.shown} as numpy does not")
        return made


_ARRAY_TYPE = _Name("numpy.ndarray")


def _make_array(type_: Any = None, *_: Any) -> PickledArray | None:
    return PickledArray() if type_ is _ARRAY_TYPE else None


def _make_dtype(code: Any = None, *_: Any) -> PickledDtype | None:
    return PickledDtype(code) if type(code) is str else None


def _make_number(dtype: Any, content: Any) -> Any:
    if not isinstance(dtype, PickledDtype):
        raise RestrictedPickleError("a number has no type")
    kind, raw = dtype.to_numpy(), _bytes_of(content)
    if kind.itemsize != len(raw):
        raise RestrictedPickleError("a number does not fit its type")
    return np.frombuffer(raw, dtype=kind)[0].item()


def _encode(text: Any, encoding: Any) -> bytes | None:
    return _bytes_of(text) if encoding == "latin1" else None


def _bytes_of(content: Any) -> bytes:
    """Return bytes, which Python 2 wrote as text."""
    if type(content) is bytes:
        return content
    if type(content) is str:
        return content.encode("latin1")
    raise RestrictedPickleError("an array's content is no bytes")


_RECONSTRUCT = _Name("numpy's _reconstruct", _make_array)
_SCALAR = _Name("numpy's scalar", _make_number)
_NAMES: Mapping[tuple[str, str], _Name] = {
    ("numpy", "ndarray"): _ARRAY_TYPE,
    ("numpy", "dtype"): _Name("numpy.dtype", _make_dtype),
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy.core.multiarray", "scalar"): _SCALAR,
    ("numpy._core.multiarray", "scalar"): _SCALAR,
    # Python 3 writes bytes so in protocol 2, and no bytes as in the second line.
    ("_codecs", "encode"): _Name("_codecs.encode", _encode),
    ("__builtin__", "bytes"): _Name("bytes", lambda: b""),
}
"""What a pickle may name."""


# ---- the instructions ----------------------------------------------------------------------------

_INSTRUCTIONS = (
    *("PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE"),
    *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
    *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "SHORT_BINSTRING", "BINSTRING"),
    *("BINPUT", "LONG_BINPUT", "MEMOIZE", "BINGET", "LONG_BINGET"),
    *("EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "TUPLE", "EMPTY_LIST", "APPEND", "APPENDS"),
    *("EMPTY_DICT", "SETITEM", "SETITEMS", "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD"),
)
"""The instructions that are carried out, by their names in the module pickle."""
_CHECKED = ("STOP", "LONG1", "SETITEM", "SETITEMS", "REDUCE", "BUILD")
"""Those that `_Unpickler` carries out in its own way."""


_Machine: Any = pickle._Unpickler  # type: ignore[attr-defined]
"""Python's unpickler in Python: the compiled one has no table of instructions to restrict."""


class _Unpickler(_Machine):  # type: ignore[misc]
    """Carries out the instructions of the allow-list, on values of this file only."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, encoding="latin1")
        self.dispatch = _Dispatch(self)

    def find_class(self, module: str, name: str) -> _Name:
        found = _NAMES.get((module, name))
        if found is None:
            wanted = f"{module}.{name}"[:80]
            reason = f"it names {wanted!r}, which is no array and could run code"
            raise RestrictedPickleError(reason)
        return found

    def load_stop(self) -> None:
        """STOP: the value is what remains."""
        if len(self.stack) != 1 or self.metastack:
            raise RestrictedPickleError("it leaves no single value")
        super().load_stop()

    def load_long1(self) -> None:
        """LONG1: an integer of any length."""
        super().load_long1()
        if self.stack[-1].bit_length() > _LONGEST_INTEGER:
            raise RestrictedPickleError(f"it has an integer of {self.stack[-1].bit_length()} bits")

    def load_setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._set_items([key, value])

    def load_setitems(self) -> None:
        """SETITEMS: keys and values down to the mark."""
        self._set_items(self.pop_mark())

    def _set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict or len(items) % 2:
            raise RestrictedPickleError("it sets items of what is no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if type(key) not in (str, int):
                raise RestrictedPickleError(f"a key is of the type {type(key).__name__}")
            if key in target:
                raise RestrictedPickleError(f"the key {str(key)[:40]!r} is given twice")
            target[key] = value

    def load_reduce(self) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        if type(arguments) is not tuple or type(called) is not _Name:
            raise RestrictedPickleError("it calls what is no known name")
        self.append(called.call(arguments))

    def load_build(self) -> None:
        """BUILD: the state of an array or of a type is set."""
        state, target = self.stack.pop(), self.stack[-1]
        if type(state) is not tuple or type(target) not in (PickledArray, PickledDtype):
            raise RestrictedPickleError("it sets the state of what is no array")
        target.set_state(state)


class _Dispatch(dict[int, Callable[[Any], None]]):
    """The instructions that are carried out, by their byte; counts them, and refuses others."""

    def __init__(self, unpickler: _Unpickler) -> None:
        codes = {name: getattr(pickle, name)[0] for name in _INSTRUCTIONS}
        super().__init__({code: unpickler.dispatch[code] for code in codes.values()})
        for name in _CHECKED:
            self[codes[name]] = getattr(_Unpickler, f"load_{name.lower()}")
        self._left = MAX_STEPS

    def __getitem__(self, code: int) -> Callable[[Any], None]:
        self._left -= 1
        if self._left < 0:
            raise RestrictedPickleError(f"it has more than {MAX_STEPS} instructions")
        if code not in self:
            names = [known.name for known in pickletools.opcodes if ord(known.code) == code]
            raise RestrictedPickleError(f"it has the instruction {names[0] if names else code}")
        return super().__getitem__(code)
