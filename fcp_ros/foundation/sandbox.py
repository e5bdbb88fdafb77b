# SPDX-License-Identifier: Apache-2.0
"""Decodes untrusted files in a child process with limits on memory and time.

Libraries that decode binary files (USD, Open3D) crash on some damaged bytes, and a few hundred
bytes may ask for gigabytes. Here only the child process ends then. It is given the names of files,
and hands back plain data and arrays (JSON and `.npy` in an uncompressed `.npz`), never a pickle.

A decoder is a module that imports nothing of this package, so that the child starts fast. It has a
function `decode(*arguments) -> (document, arrays)`, texts in, JSON data and numpy arrays by
name out, and may have

- an exception class `REFUSAL`: its message, a clause, says why a file cannot be used;
- a function `prepare()`, which imports libraries once for all files.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DOCUMENT, REFUSAL = "__document__", "__refusal__"
"""Names in the result of a file: JSON data, and why there are none, as the bytes of a text."""

START_TIME, BYTES_PER_SECOND = 60.0, 500_000
"""Time limit (s): one for the start of a child, and one second for each this many bytes."""


def _find_file(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None, module
    assert spec.origin is not None, module
    return spec.origin


# Isolated (-I): neither the current folder nor the environment says what is imported.
COMMAND = (sys.executable, "-I", _find_file("fcp_ros.foundation.sandbox_child"))
"""The command of the child process, which reads its task from its standard input."""


class DecodingError(Exception):
    """A file that could not be decoded; the message says why, a clause."""


@dataclass(frozen=True, eq=False)
class DecodedFile:
    """The content of a file."""

    document: Any
    arrays: Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of a child process."""

    memory: int  # bytes that it may allocate
    seconds: float  # time that all its files together may take (s), on the clock and of the CPU

    @staticmethod
    def of_size(memory: int, size: int) -> SandboxLimits:
        """Return the limits for files of so many bytes together."""
        return SandboxLimits(memory, START_TIME + size / BYTES_PER_SECOND)


def decode_in_sandbox(
    decoder: str, files: Sequence[Sequence[str]], limits: SandboxLimits, folder: Path | None = None
) -> list[DecodedFile | DecodingError]:
    """Decode files, by the arguments of `decode` for each, in a child process.

    A file that crashes the decoder (a module's dotted name) costs only itself: the child goes on
    with the next one.
    """
    if not files:
        return []
    with tempfile.TemporaryDirectory(prefix="fcp_sandbox_") as temporary:
        results = [Path(temporary) / f"{number}.npz" for number in range(len(files))]
        task = {
            # Without what stands for the current folder: files there are not to be trusted.
            "path": [os.path.abspath(entry) for entry in sys.path[1:] if entry],
            "memory": limits.memory,
            "seconds": limits.seconds,
            "decoder": _find_file(decoder),
            "jobs": [
                [list(arguments), str(result)]
                for arguments, result in zip(files, results, strict=True)
            ],
        }
        in_time = _run(json.dumps(task).encode(), limits.seconds, folder)
        return [_read_result(result, in_time) for result in results]


def _run(task: bytes, seconds: float, folder: Path | None) -> bool:
    """Run the child process; return False if it had to be stopped."""
    process = subprocess.Popen(
        COMMAND,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.communicate(task, seconds)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)  # with its forks
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return False
    return True


def _read_result(path: Path, in_time: bool) -> DecodedFile | DecodingError:
    """Read what the child process wrote about a file; it is trusted no more than the file."""
    if not path.exists():
        return DecodingError(
            "its decoder ends without a result, or needs too much memory"
            if in_time
            else "it takes too long"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                return DecodingError("its decoder wrote what it should not")
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if REFUSAL in arrays:
            return DecodingError(arrays[REFUSAL].tobytes().decode())
        document = json.loads(arrays.pop(DOCUMENT).tobytes())
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return DecodingError("its decoder ends before it has written everything")
    return DecodedFile(document, arrays)
