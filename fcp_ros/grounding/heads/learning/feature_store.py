# SPDX-License-Identifier: Apache-2.0
"""Features on disk, so that a training that was stopped, or is repeated, computes nothing twice.

A file holds records of one size: the hash of a text, and its features. Records are only appended,
each batch in one write. What a killed process has left of a last record is cut
off by the next one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.model_files.store import locate_models
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

Array = NDArray[np.float32]
KEY_BYTES = 16


def locate_features() -> Path:
    """Return the folder that features are kept in."""
    return locate_models() / ".features"


class FeatureStore:
    """Features of texts in one file, for one process at a time; to be closed.

    Args:
        folder: of the file.
        source: all that the features depend on beside the text: model, layers, precision.
        width: numbers of a text.
        is_halved: keep them in half precision, else in single.

    Raises:
        GroundingError: STORE_FAILED: another process uses the file, or it can't be written.
    """

    def __init__(self, folder: Path, source: str, width: int, *, is_halved: bool = False) -> None:
        name = hashlib.sha256(f"{source}|{width}|{is_halved}".encode()).hexdigest()[:24]
        self._file = folder / f"{name}.features"
        self._kind = np.dtype(
            [("key", f"V{KEY_BYTES}"), ("row", "<f2" if is_halved else "<f4", (width,))]
        )
        self._rows: dict[bytes, int] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / f"{name}.lock").open("w")
        except OSError as error:
            raise self._build_unwritable(error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"another process computes the same features in {folder}; wait until it has ended",
            ) from error
        try:
            self._open()
        except OSError as error:
            self.close()
            raise self._build_unwritable(error) from error

    def __len__(self) -> int:
        return len(self._rows)

    def close(self) -> None:
        """Let other processes use the file."""
        self._lock.close()  # which lets go of it, as the end of the process does

    def find_missing(self, texts: Sequence[str]) -> list[str]:
        """Find the texts without features, each once, in order."""
        return [text for text in dict.fromkeys(texts) if hash_text(text) not in self._rows]

    def fill(
        self,
        texts: Sequence[str],
        compute: Callable[[Sequence[str]], Array],
        batch: int,
        report: Callable[[int, int], None],
    ) -> None:
        """Compute the features of the texts that have none, and keep each batch at once.

        Args:
            texts: any number.
            compute: returns the features of a batch.
            batch: texts of a batch.
            report: takes the number of texts that are done, and of all.

        Raises:
            GroundingError: STORE_FAILED, the disk is full.
        """
        every = len(dict.fromkeys(texts))
        missing = self.find_missing(texts)
        done = every - len(missing)
        report(done, every)
        for start in range(0, len(missing), batch):
            chosen = missing[start : start + batch]
            self._append(chosen, compute(chosen))
            done += len(chosen)
            report(done, every)

    def read(self, texts: Sequence[str]) -> Array:
        """Read the features of texts, shape (len(texts), width); all must be there."""
        width = self._kind["row"].shape[0]
        if not texts:
            return np.zeros((0, width), np.float32)
        mapped = np.memmap(self._file, self._kind, mode="r")
        places = np.array([self._rows[hash_text(text)] for text in texts], np.intp)
        return np.asarray(mapped["row"][places], np.float32)

    def _open(self) -> None:
        size = self._file.stat().st_size if self._file.exists() else 0
        count = size // self._kind.itemsize
        if size != count * self._kind.itemsize:
            os.truncate(self._file, count * self._kind.itemsize)
        if count:
            mapped = np.memmap(self._file, self._kind, mode="r")
            keys = np.array(mapped["key"]).tobytes()
            for row in range(count):
                self._rows[keys[row * KEY_BYTES : (row + 1) * KEY_BYTES]] = row

    def _append(self, texts: Sequence[str], features: Array) -> None:
        keys = [hash_text(text) for text in texts]
        records = np.empty(len(texts), self._kind)
        records["key"] = np.frombuffer(b"".join(keys), f"V{KEY_BYTES}")
        records["row"] = features
        try:
            with self._file.open("ab", buffering=0) as stream:
                written = stream.write(records.tobytes())
                if written != records.nbytes:
                    raise OSError(f"only {written} of {records.nbytes} bytes were written")
        except OSError as error:
            with suppress(OSError):  # else the next records would stand beside their places
                os.truncate(self._file, len(self._rows) * self._kind.itemsize)
            raise self._build_unwritable(error) from error
        known = len(self._rows)
        self._rows.update({key: known + place for place, key in enumerate(keys)})

    def _build_unwritable(self, error: OSError) -> GroundingError:
        return GroundingError(
            GroundingCode.STORE_FAILED,
            f"features can't be kept in {self._file.parent} ({error.strerror or error}); make "
            "room, or set FCP_MODELS to a folder on another disk; what was computed is kept",
        )


def hash_text(text: str) -> bytes:
    """Hash a text to the key of its record."""
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()
