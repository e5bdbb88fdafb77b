# SPDX-License-Identifier: Apache-2.0
"""Arrays and a text about them in one safetensors file; files that are written whole.

Reading a safetensors file runs no code, whoever made it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
MOST_HEADER = 1 << 24
"""Bytes of the longest header of a safetensors file."""


def write_whole(file: Path, content: bytes) -> None:
    """Write a file whole or not at all; OSError if it can't be."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def pack_arrays(arrays: Arrays, key: str, text: Mapping[str, Any]) -> bytes:
    """Write arrays, and a text about them under a key of the metadata."""
    from safetensors.numpy import save

    # safetensors writes raw memory: a transposed array would come back permuted.
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(plain, {key: json.dumps(text, sort_keys=True)})


def unpack_arrays(content: bytes) -> Arrays:
    """Read arrays; ValueError if they are none."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return load(content)
    except SafetensorError as error:
        raise ValueError(f"it is no safetensors file: {error}") from error


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Read the header of a file, without its arrays: its entries, and where the data begins.

    Raises OSError, ValueError: it is no safetensors file.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > min(path.stat().st_size, MOST_HEADER):
            raise ValueError(f"{path} is no safetensors file")
        header = json.loads(file.read(size))
    if not isinstance(header, dict):
        raise ValueError(f"the header of {path} is no JSON object")
    return header, 8 + size


def read_text_about(path: Path, key: str) -> dict[str, Any]:
    """Read the text about the arrays of a file.

    Raises OSError, KeyError, TypeError, ValueError: there is none.
    """
    text = json.loads(read_header(path)[0]["__metadata__"][key])
    if not isinstance(text, dict):
        raise ValueError("its description is no JSON object")
    return text
