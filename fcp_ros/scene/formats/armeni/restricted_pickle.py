# SPDX-License-Identifier: Apache-2.0
"""Reads pickles of plain values and numpy arrays, and can't run anything while doing so.

A pickle is a program: the usual unpicklers call whatever it names. Here is a machine of its own
for the few instructions that numpy's files need (protocols 2 to 5). It never imports, calls or
builds an object of a class that the file names: the names that it knows are constants, and arrays
are made of their bytes here, with their shape checked first. Everything else is refused: other
names, other instructions (also those that only old or hand-written pickles have), and repeated
keys.

Memory stays in proportion to the file: every instruction adds one value, bytes are read from what
is there, and their number is limited. So a file is bounded by ``SceneLimits.max_bytes``.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from fcp_ros.scene.formats.armeni.pickled_arrays import (
    PickledArray,
    PickledDtype,
    bytes_of,
    refused,
    scalar_of,
)
from fcp_ros.scene.graph.errors import SceneError

MAX_STEPS = 1_000_000
"""Instructions of one pickle; the largest Gibson buildings need some ten thousand."""

_LONGEST_INTEGER = 64


class _Name(Enum):
    """What a pickle may name; none of these is ever called."""

    ARRAY_TYPE = "numpy.ndarray"
    DTYPE = "numpy.dtype"
    RECONSTRUCT = "_reconstruct"
    SCALAR = "scalar"
    ENCODE = "_codecs.encode"
    BYTES = "bytes"


_NAMES: Mapping[str, _Name] = {
    "numpy ndarray": _Name.ARRAY_TYPE,
    "numpy dtype": _Name.DTYPE,
    "numpy.core.multiarray _reconstruct": _Name.RECONSTRUCT,
    "numpy._core.multiarray _reconstruct": _Name.RECONSTRUCT,
    "numpy.core.multiarray scalar": _Name.SCALAR,
    "numpy._core.multiarray scalar": _Name.SCALAR,
    "_codecs encode": _Name.ENCODE,  # how Python 3 writes bytes in protocol 2 ...
    "__builtin__ bytes": _Name.BYTES,  # ... and no bytes
}


def load_restricted(data: bytes) -> Any:
    """The value of a pickle: None, bool, int, float, str, bytes, list, tuple, dict, PickledArray.

    Args:
        data: One whole pickle, with nothing after it.

    Raises:
        SceneError: It is damaged, or holds anything else.
    """
    machine = _Machine()
    try:
        end = machine.run(data)
    except SceneError:
        raise
    except (ValueError, IndexError, EOFError, OverflowError, struct.error, Warning) as error:
        raise refused(f"it breaks off or is damaged ({type(error).__name__})") from None
    if end != len(data):
        raise refused(f"{len(data) - end} bytes follow its end")
    return machine.result()


class _Machine:
    """The stack, the marks on it, and what was put aside under a number."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def run(self, data: bytes) -> int:
        """Carry out a pickle; where it ended."""
        for step, (opcode, argument, position) in enumerate(pickletools.genops(data)):
            if step >= MAX_STEPS:
                raise refused(f"it has more than {MAX_STEPS} instructions")
            if opcode.name == "STOP":
                return int(position or 0) + 1
            if opcode.name in _VALUES:
                self._push_value(argument)
            elif opcode.name in _CONSTANTS:
                self._stack.append(_CONSTANTS[opcode.name])
            elif opcode.name in _INSTRUCTIONS:
                _INSTRUCTIONS[opcode.name](self, argument)
            else:
                raise refused(f"it has the instruction {opcode.name}")
        raise refused("it has no end")

    def result(self) -> Any:
        if len(self._stack) != 1 or self._marks:
            raise refused("it leaves no single value")
        return self._stack[0]

    def _push_value(self, value: Any) -> None:
        if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
            raise refused(f"it has an integer of {value.bit_length()} bits")
        self._stack.append(value)

    def _pop(self) -> Any:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise refused("it takes more from its stack than there is")
        return self._stack.pop()

    def _top(self) -> Any:
        value = self._pop()
        self._stack.append(value)
        return value

    def _popped_to_mark(self) -> list[Any]:
        if not self._marks:
            raise refused("it takes more from its stack than there is")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    def mark(self, _: Any) -> None:
        self._marks.append(len(self._stack))

    def nothing(self, _: Any) -> None:
        """PROTO and FRAME: they help reading, and say nothing."""

    def put(self, number: int) -> None:
        self._memo[number] = self._top()

    def memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._top()

    def get(self, number: int) -> None:
        if number not in self._memo:
            raise refused(f"it recalls {number}, which it never put aside")
        self._stack.append(self._memo[number])

    def empty_list(self, _: Any) -> None:
        self._stack.append([])

    def empty_dict(self, _: Any) -> None:
        self._stack.append({})

    def tuple_of(self, count: int) -> None:
        values = [self._pop() for _ in range(count)]
        self._stack.append(tuple(reversed(values)))

    def tuple_to_mark(self, _: Any) -> None:
        values = self._popped_to_mark()
        self._stack.append(tuple(values))

    def append(self, _: Any) -> None:
        self._extend([self._pop()])

    def appends(self, _: Any) -> None:
        self._extend(self._popped_to_mark())

    def _extend(self, values: list[Any]) -> None:
        target = self._top()
        if type(target) is not list:
            raise refused("it appends to what is no list")
        target.extend(values)

    def set_item(self, _: Any) -> None:
        value, key = self._pop(), self._pop()
        self._update([key, value])

    def set_items(self, _: Any) -> None:
        self._update(self._popped_to_mark())

    def _update(self, pairs: list[Any]) -> None:
        target = self._top()
        if type(target) is not dict or len(pairs) % 2:
            raise refused("it sets items of what is no dict")
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            if type(key) not in (str, int):
                raise refused(f"a key is of the type {type(key).__name__}")
            if key in target:
                raise refused(f"the key {str(key)[:40]!r} is given twice")
            target[key] = value

    def name(self, words: str) -> None:
        if words not in _NAMES:
            dotted = words[:80].replace(" ", ".")
            raise refused(f"it names {dotted!r}, which is no array and could run code")
        self._stack.append(_NAMES[words])

    def name_on_stack(self, _: Any) -> None:
        name, module = self._pop(), self._pop()
        self.name(f"{module} {name}" if type(name) is type(module) is str else "(no name)")

    def reduce(self, _: Any) -> None:
        """``name(*arguments)``, of which only four kinds are known."""
        arguments, called = self._pop(), self._pop()
        if type(arguments) is not tuple or not isinstance(called, _Name):
            raise refused("it calls what is no known name")
        if called is _Name.RECONSTRUCT and arguments[:1] == (_Name.ARRAY_TYPE,):
            self._stack.append(PickledArray())
        elif called is _Name.DTYPE and arguments and type(arguments[0]) is str:
            self._stack.append(PickledDtype(arguments[0]))
        elif called is _Name.SCALAR and len(arguments) == 2:
            self._stack.append(scalar_of(*arguments))
        elif called is _Name.ENCODE and len(arguments) == 2 and arguments[1] == "latin1":
            self._stack.append(bytes_of(arguments[0]))
        elif called is _Name.BYTES and not arguments:
            self._stack.append(b"")
        else:
            raise refused(f"it calls {called.value} with other arguments than numpy does")

    def build(self, _: Any) -> None:
        """The state of the array or type on top of the stack."""
        state, target = self._pop(), self._top()
        if type(state) is not tuple or not isinstance(target, PickledArray | PickledDtype):
            raise refused("it sets the state of what is no array")
        target.set_state(state)


_VALUES = frozenset(
    {"BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"}
    | {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
    | {"SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "SHORT_BINSTRING", "BINSTRING"}
)
_CONSTANTS: Mapping[str, Any] = {
    "NONE": None,
    "NEWTRUE": True,
    "NEWFALSE": False,
    "EMPTY_TUPLE": (),
}
_INSTRUCTIONS: Mapping[str, Callable[[_Machine, Any], None]] = {
    "PROTO": _Machine.nothing,
    "FRAME": _Machine.nothing,
    "MARK": _Machine.mark,
    "BINPUT": _Machine.put,
    "LONG_BINPUT": _Machine.put,
    "MEMOIZE": _Machine.memoize,
    "BINGET": _Machine.get,
    "LONG_BINGET": _Machine.get,
    "EMPTY_LIST": _Machine.empty_list,
    "EMPTY_DICT": _Machine.empty_dict,
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "TUPLE": _Machine.tuple_to_mark,
    "APPEND": _Machine.append,
    "APPENDS": _Machine.appends,
    "SETITEM": _Machine.set_item,
    "SETITEMS": _Machine.set_items,
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": _Machine.name_on_stack,
    "REDUCE": _Machine.reduce,
    "BUILD": _Machine.build,
}
