# SPDX-License-Identifier: Apache-2.0
"""Learned weights in a file (`foundation.array_file`), with the datasheet of their training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.foundation.array_file import (
    Arrays,
    pack_arrays,
    read_text_about,
    unpack_arrays,
    write_whole,
)
from fcp_ros.foundation.bounded_file import MEBIBYTE, read_bytes
from fcp_ros.foundation.input_error import InputError

MOST_BYTES = 64 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Datasheet:
    """The circumstances of a training."""

    sources: tuple[str, ...]  # file, number of rows and licence, a line each
    scores: Mapping[str, float]  # name of a score -> value in [0, 1]

    def to_json(self) -> dict[str, Any]:
        """Return its entries in a file."""
        return {"sources": list(self.sources), "scores": dict(self.scores)}

    @classmethod
    def from_json(cls, text: Mapping[str, Any]) -> Datasheet:
        """Read its entries in a file.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: they are something else.
        """
        scores = {str(name): float(value) for name, value in text["scores"].items()}
        return cls(tuple(map(str, text["sources"])), scores)


def write_arrays(arrays: Arrays, kind: str, text: Mapping[str, Any], file: Path) -> None:
    """Write arrays, and a text about them under the name of their kind.

    Raises:
        InputError: it can't be written.
    """
    try:
        write_whole(file, pack_arrays(arrays, kind, text))
    except OSError as error:
        raise InputError(
            f"{file} can't be written ({error.strerror or error}); give another path with --out"
        ) from error


def read_arrays(file: Path, kind: str, form: str) -> tuple[Arrays, dict[str, Any]]:
    """Read the arrays of a file, and the text about them.

    Args:
        form: the format that the text has to name.

    Raises:
        InputError: it can't be read.
        KeyError, TypeError, ValueError: it holds something else.
    """
    arrays = unpack_arrays(read_bytes(file, MOST_BYTES))
    text = read_text_about(file, kind)
    if text["format"] != form:
        raise ValueError(f"its format is {text['format']!r}, not {form!r}")
    return arrays, text
