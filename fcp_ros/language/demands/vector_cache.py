# SPDX-License-Identifier: Apache-2.0
"""Vectors of a domain's phrases, kept on disk for the first sentence of the next process.

A file belongs to one encoder and one list of texts, by its name; a damaged one is written again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import write_whole

Vectors = NDArray[np.float32]
MOST_FILES = 32
"""Files that are kept: the last used ones."""


def read_vectors(encoder: str, texts: Sequence[str]) -> Vectors | None:
    """Read the vectors of texts, shape (texts, dimension); None if they aren't kept."""
    file = _locate(encoder, texts)
    try:
        vectors = np.load(file, allow_pickle=False)
        os.utime(file)
    except (OSError, ValueError, EOFError):
        return None
    fits = vectors.ndim == 2 and len(vectors) == len(texts) and vectors.dtype == np.float16
    return vectors.astype(np.float32) if fits and np.isfinite(vectors).all() else None


def write_vectors(encoder: str, texts: Sequence[str], vectors: Vectors) -> Vectors:
    """Keep the vectors of texts, and return them as they are read again: rounded.

    A folder that can't be written to keeps nothing.
    """
    file = _locate(encoder, texts)
    rounded, stream = vectors.astype(np.float16), BytesIO()
    np.save(stream, rounded)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, stream.getvalue())
        others = sorted(file.parent.glob("*.npy"), key=lambda one: one.stat().st_mtime)
        for old in others[:-MOST_FILES]:
            old.unlink(missing_ok=True)
    return rounded.astype(np.float32)


def _locate(encoder: str, texts: Sequence[str]) -> Path:
    key = hashlib.sha256("\n".join((encoder, *texts)).encode("utf-8", "replace")).hexdigest()
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "fcp_ros" / "phrases" / f"{key[:32]}.npy"
