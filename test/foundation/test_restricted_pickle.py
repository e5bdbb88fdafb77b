# SPDX-License-Identifier: Apache-2.0
"""Pickles of arrays are read as numpy reads them; no other pickle does anything."""

import collections
import copyreg
import functools
import os
import pickle
import struct
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fcp_ros.foundation import restricted_pickle
from fcp_ros.foundation.restricted_pickle import (
    PickledArray,
    RestrictedPickleError,
    load_restricted,
)

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(-9, 9), inner)
    ),
    max_leaves=20,
)
dtypes = st.sampled_from(["<f8", ">f4", "<i8", "|u1", "|b1", "<U5", "|S3", "<f2", ">i2"])


# ---- what numpy writes --------------------------------------------------------------------------


@given(plain, st.sampled_from((2, 3, 4, 5)))
def test_plain_values_read_as_pickle_reads_them(value: Any, protocol: int) -> None:
    assert load_restricted(pickle.dumps(value, protocol)) == value


@given(st.data(), dtypes, st.sampled_from((2, 3, 4)), st.booleans())
def test_arrays_read_as_pickle_reads_them(
    data: Any, dtype: str, protocol: int, by_column: bool
) -> None:
    shape = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0)
    array = data.draw(arrays.arrays(np.dtype(dtype), shape))
    if by_column:
        array = np.asfortranarray(array)
    found = load_restricted(pickle.dumps(array, protocol))
    assert isinstance(found, PickledArray)
    np.testing.assert_array_equal(found.values, array)
    assert found.values.dtype == array.dtype


def test_numbers_and_objects_of_numpy() -> None:
    inner = np.array([1.5, 2.5])
    content = {"id": np.int64(7), "size": inner, "area": np.float32(0.5)}
    outer = np.array(content, dtype=object)
    found = load_restricted(pickle.dumps(outer, 4)).values
    assert isinstance(found, list)
    assert found[0]["id"] == 7
    assert type(found[0]["id"]) is int
    assert found[0]["area"] == 0.5
    np.testing.assert_array_equal(found[0]["size"].values, inner)


def test_old_and_new_names_of_numpy() -> None:
    """numpy 2 writes numpy._core, numpy 1 numpy.core."""
    new = pickle.dumps(np.arange(3.0), 2)
    old = new.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert old != new
    for content in (old, new):
        np.testing.assert_array_equal(load_restricted(content).values, [0.0, 1.0, 2.0])


# ---- pickles that try to run something ----------------------------------------------------------


class Calls:
    """Pickled as a call of a function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> Any:
        return self._call


class Holder:
    """Pickled as an instance whose state is set (NEWOBJ, BUILD)."""

    def __init__(self) -> None:
        self.answer = 42


def gadgets(marker: Path) -> dict[str, Any]:
    """Values whose unpickling would make the marker, or could lead to it."""
    touch = f"open({str(marker)!r}, 'w').close()"
    shell = f"touch {marker}"
    nested = np.array([Calls(os.system, shell), 1], dtype=object)
    return {
        "os.system": Calls(os.system, shell),
        "subprocess": Calls(subprocess.check_call, ["touch", str(marker)]),
        "eval": Calls(eval, touch),
        "exec": Calls(exec, touch),
        "import": Calls(__import__, "antigravity"),
        "getattr chain": Calls(getattr, Calls(__import__, "os"), "system"),
        "partial": functools.partial(os.system, shell),
        "copyreg": Calls(copyreg.constructor, os.system),
        "reconstructor": Calls(copyreg._reconstructor, Holder, object, None),
        "numpy.load": Calls(np.load, str(marker), None, True),
        "numpy.fromfile": Calls(np.fromfile, str(marker)),
        "numpy.memmap": Calls(np.memmap, str(marker), "u1", "w+", 0, (1,)),
        "numpy.f2py": Calls(np.vectorize, os.system),
        "apply_along_axis": Calls(np.apply_along_axis, os.system, 0, np.array([shell])),
        "in an object array": nested,
        "in a dict in a list": [{"room": {1: Calls(os.system, shell)}}],
        "an instance": Holder(),
        "a class": Holder,
        "a set": {1, 2},
        "an ordered dict": collections.OrderedDict(a=1),
        "a complex number": 1j,
        "a structured array": np.zeros(2, dtype=[("a", "f8")]),
        "a date": np.array(["2026-01-01"], dtype="M8[D]"),
        "a masked array": np.ma.masked_array([1.0], [True]),
        "bytearray": bytearray(b"abc"),
    }


@pytest.mark.parametrize("name", gadgets(Path("unused")))
def test_nothing_is_run(name: str, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for protocol in (0, 1, 2, 3, 4):
        content = pickle.dumps(gadgets(marker)[name], protocol)
        with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
            load_restricted(content)
        assert not marker.exists()


def test_the_gadgets_do_work(tmp_path: Path) -> None:
    """With the usual unpickler: so the test above is one."""
    marker = tmp_path / "marker"
    pickle.loads(pickle.dumps(gadgets(marker)["os.system"]))
    assert marker.exists()


ARRAY_TYPE = b"cnumpy\nndarray\n"
DTYPE = b"cnumpy\ndtype\n"
RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\n"


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            RECONSTRUCT + b"}" + text("__code__") + b"Ns" + b"b", id="state of a function"
        ),
        pytest.param(RECONSTRUCT + b"N}\x86b", id="slots of a function"),
        pytest.param(ARRAY_TYPE + b"(K\x01)b", id="state of a type"),
        pytest.param(ARRAY_TYPE + b")\x81", id="new instance of a type"),
        pytest.param(ARRAY_TYPE + b"(K\x08\x85R", id="the type called"),
        pytest.param(ARRAY_TYPE + b"K\x08\x85R", id="numpy.ndarray called"),
        pytest.param(RECONSTRUCT + b"cbuiltins\nlist\nK\x00\x85C\x01b\x87R", id="another type"),
        pytest.param(RECONSTRUCT + ARRAY_TYPE + b"\x85R}b", id="state of an array is a dict"),
        pytest.param(RECONSTRUCT + ARRAY_TYPE + b"\x85R(t" + b"b", id="empty state"),
        pytest.param(DTYPE + text("f8") + b"\x85R(K\x03tb", id="short state of a dtype"),
        pytest.param(DTYPE + b"K\x08\x85R", id="a dtype of no text"),
        pytest.param(b"(K\x01i" + b"os\nsystem\n", id="INST"),
        pytest.param(b"(cos\nsystem\no", id="OBJ"),
        pytest.param(b"Pname\n", id="persistent id"),
        pytest.param(b"\x82\x01", id="extension code"),
        pytest.param(b"\x97", id="out-of-band buffer"),
        pytest.param(b"K\x010", id="POP"),
        pytest.param(b"2", id="DUP of nothing"),
        pytest.param(b"\x85", id="a tuple of nothing"),
        pytest.param(b"t", id="no mark"),
        pytest.param(b"K\x01(\x85", id="below the mark"),
        pytest.param(b"K\x01K\x02", id="two values"),
        pytest.param(b"K\x01(", id="an open mark"),
        pytest.param(b"h\x07", id="nothing put aside"),
        pytest.param(b"q\x00", id="nothing to put aside"),
        pytest.param(b"K\x01K\x02a", id="append to an integer"),
        pytest.param(b"]K\x01K\x02s", id="items of a list"),
        pytest.param(b"}(K\x01u", id="half an item"),
        pytest.param(b"}))s", id="a tuple as a key"),
        # the hash of this one would overflow the stack of the process
        pytest.param(b"}K\x01" + b"\x85" * 400_000 + b"Ns", id="a deep tuple as a key"),
        pytest.param(b"}K\x01NsK\x01Ns", id="a key twice"),
        pytest.param(b"K\x01K\x02\x93", id="a name of integers"),
        pytest.param(b"c_codecs\nencode\n" + text("a") + text("rot13") + b"\x86R", id="codec"),
        pytest.param(b"\x8a\x09" + b"\x7f" * 9, id="a long integer"),
        pytest.param(b"\x8b\x04\x00\x00\x00\x01\x00\x00\x00", id="LONG4"),
        pytest.param(b"I1\n", id="text of protocol 0"),
    ],
)
def test_programs_that_numpy_does_not_write(program: bytes) -> None:
    with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
        load_restricted(b"\x80\x04" + program + b".")


@pytest.mark.parametrize(
    "program", [b"", b".", b"\x80\x04", b"K", b"\x8e" + b"\xff" * 8 + b".", b"K\x01.K", b"\xff."]
)
def test_broken_pickles(program: bytes) -> None:
    with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
        load_restricted(program)


# ---- bombs --------------------------------------------------------------------------------------


def array_of(shape: tuple[int, ...], content: bytes, code: str = "f8") -> bytes:
    """An array as numpy pickles it, whatever its shape and content say."""
    numbers = b"".join(b"\x8a\x08" + struct.pack("<q", extent) for extent in shape)
    return (
        RECONSTRUCT
        + ARRAY_TYPE
        + b"K\x00\x85C\x01b\x87R(K\x01("
        + numbers
        + b"t"
        + DTYPE
        + text(code)
        + b"\x89\x88\x87R(K\x03"
        + text("<")
        + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89B"
        + struct.pack("<I", len(content))
        + content
        + b"tb."
    )


def test_the_array_by_hand_is_one() -> None:
    found = load_restricted(array_of((2,), struct.pack("<2d", 1.0, 2.0)))
    np.testing.assert_array_equal(found.values, [1.0, 2.0])


def test_a_second_state_is_refused() -> None:
    """Of an array that has its content, and of a type that has its byte order."""
    array = array_of((1,), b"\x00" * 8)[:-1]
    state = array[array.index(b"(K\x01(") :]
    order = b"(K\x03" + text("<") + b"NNNtb"
    dtype = DTYPE + text("f8") + b"\x89\x88\x87R" + order
    for program in (array + state, dtype + order):
        with pytest.raises(RestrictedPickleError, match="as numpy does not"):
            load_restricted(program + b".")


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        ((10**12,), "f8"),
        ((2**62, 4), "f8"),
        ((-1,), "f8"),
        ((0, -1), "f8"),
        ((1,) * 40, "f8"),
        ((3,), "f8"),
        ((2,), "V8"),
        ((2,), "U0"),
        ((2,), "S0"),
        ((10**6,), "U0"),
        ((2,), "f16"),
        ((2,), "8f8"),
        ((2,), "f8,f8"),
        ((2,), "O"),
        ((2,), "M8[ns]"),
        ((2,), "S999999999"),
    ],
)
def test_shapes_and_types_that_do_not_fit(shape: tuple[int, ...], code: str) -> None:
    with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
        load_restricted(array_of(shape, b"\x00" * 16, code))


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(b"]" * 12_000, id="lists"),
        pytest.param(b"]" + b"]q\x00a" * 4_000, id="lists in a list, put aside"),
        pytest.param(b"]\x94" + b"h\x00h\x00\x86\x94" * 3_000, id="pairs"),
        pytest.param(b"(" * 12_000, id="marks"),
        pytest.param(b"K\x01r\xff\xff\xff\x7f" * 3, id="a huge number to put aside under"),
        pytest.param(b"T\xff\xff\xff\x7f" + b"a", id="text longer than the file"),
        pytest.param(b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", id="bytes longer than the file"),
        pytest.param(b"\x8d\xff\xff\xff\xff\xff\x00\x00\x00", id="more text than the file"),
    ],
)
def test_bombs_stay_small(program: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hundredth of the instructions that are allowed."""
    monkeypatch.setattr(restricted_pickle, "MAX_STEPS", restricted_pickle.MAX_STEPS // 100)
    tracemalloc.start()
    try:
        with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
            load_restricted(b"\x80\x04" + program + b".")
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_deep_nesting_is_no_recursion() -> None:
    value = load_restricted(b"\x80\x04]" + b"\x85" * 100_000 + b".")
    assert type(value) is tuple


@pytest.mark.filterwarnings("error")
def test_text_that_python_would_warn_about() -> None:
    with pytest.raises(RestrictedPickleError, match="its pickle is refused"):
        load_restricted(b"\x80\x02S'\\('\n.")


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_or_plain(content: bytes) -> None:
    try:
        load_restricted(b"\x80\x04" + content)
    except RestrictedPickleError as error:
        assert "its pickle is refused" in str(error)  # noqa: PT017
