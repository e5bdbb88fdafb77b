# SPDX-License-Identifier: Apache-2.0
"""Degrees of judged pairs in a safetensors file, found by a hash of their words.

The package's own lie in `PACKAGED_PAIRS`, made from config/judgements by ``fcp grounding collect``.
A file of trained heads holds, in the same arrays, the pairs of the user's own training. No
encoder is needed to read either.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judged.judgement_set import JudgementSet
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

PACKAGED_PAIRS = Path(__file__).with_name("judged_pairs.safetensors")
DESCRIPTION = "fcp_ros"  # The entry of a file's metadata that holds its description as JSON
KEYS, DEGREES, PHRASES = "known_keys", "known_degrees", "known_phrases"


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Degrees of the judged pairs of one set, by a hash of their words."""

    columns: tuple[str, str]  # names of the two sides: ("item", "wanted")
    keys: NDArray[np.uint64]  # sorted; shape (pairs,)
    degrees: NDArray[np.uint8]  # hundredths; shape (pairs,)
    phrases: frozenset[str] = frozenset()  # both sides of all pairs, each once

    def look_up(self, pair: tuple[str, str]) -> float | None:
        """Look up the judged degree of a pair in plain spelling, in whole hundredths, or None."""
        key = np.uint64(hash_pair(pair))
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return None
        return int(self.degrees[place]) / 100.0

    def look_up_all(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Look up many pairs at once."""
        if not pairs or not len(self.keys):
            return [None] * len(pairs)
        keys = np.array([hash_pair(pair) for pair in pairs], np.uint64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = (self.keys[places] == keys).tolist()
        degrees = (self.degrees[places] / 100.0).tolist()
        return [
            degree if is_there else None for is_there, degree in zip(found, degrees, strict=True)
        ]

    def may_hold(self, side: str) -> bool:
        """Return False for a side that stands in no pair; a file without phrases doesn't say."""
        return not self.phrases or side in self.phrases

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file for the set of that name."""
        text = zlib.compress("\n".join(sorted(self.phrases)).encode(), 9)
        return {
            f"{name}.{KEYS}": self.keys,
            f"{name}.{DEGREES}": self.degrees,
            f"{name}.{PHRASES}": np.frombuffer(text, np.uint8),
        }


def hash_pair(pair: Sequence[str]) -> int:
    """Hash the words of a pair."""
    digest = hashlib.blake2b("\n".join(pair).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def collect_pairs(kind: JudgementSet) -> JudgedPairs:
    """Collect all judgements of a set."""
    keys = np.array([hash_pair(judgement.pair) for judgement in kind.judgements], np.uint64)
    degrees = np.array([round(100 * j.degree) for j in kind.judgements], np.uint8)
    order = np.argsort(keys)
    phrases = frozenset(side for judgement in kind.judgements for side in judgement.pair)
    return JudgedPairs(kind.columns, keys[order], degrees[order], phrases)


def save_pairs(pairs: Mapping[str, JudgedPairs], judgements: str, file: Path) -> None:
    """Write the pairs of each set, with the hash of the judgements (`hash_judgements`)."""
    from safetensors.numpy import save

    arrays: dict[str, NDArray[Any]] = {}
    for name, own in pairs.items():
        arrays |= own.to_arrays(name)
    columns = {name: list(own.columns) for name, own in pairs.items()}
    text = json.dumps({"columns": columns, "judgements": judgements}, sort_keys=True)
    write_whole(file, save(arrays, {DESCRIPTION: text}), "judged pairs")


def write_whole(file: Path, data: bytes, what: str) -> None:
    """Write a file whole or not at all; `what` is in it, for messages."""
    partial = file.with_name(f"{file.name}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(file)
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the {what} can't be written to {file} ({error.strerror or error}); give a file in a "
            "folder with write permission",
        ) from error


def list_pair_files(own: Path | None) -> list[Path]:
    """List the files to look pairs up in: the package's, then one of the user's own heads."""
    return [PACKAGED_PAIRS] if own is None else [PACKAGED_PAIRS, own.expanduser()]


def load_pairs(file: Path) -> dict[str, JudgedPairs]:
    """Read the pairs of each set in a file; of a file of heads, only its judged pairs."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"judged pairs need safetensors ({error}); pip install safetensors",
        ) from error
    try:
        with safe_open(str(file.expanduser()), framework="numpy") as arrays:
            columns = json.loads(arrays.metadata()[DESCRIPTION])["columns"]
            there = set(arrays.keys())
            return {
                name: _check(
                    name,
                    JudgedPairs(
                        (sides[0], sides[1]),
                        arrays.get_tensor(f"{name}.{KEYS}"),
                        arrays.get_tensor(f"{name}.{DEGREES}"),
                        _read_phrases(arrays.get_tensor(f"{name}.{PHRASES}").tobytes())
                        if f"{name}.{PHRASES}" in there
                        else frozenset(),
                    ),
                )
                for name, sides in columns.items()
                if f"{name}.{KEYS}" in there
            }
    except FileNotFoundError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND, f"there is no file of judged pairs at {file}"
        ) from error
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, zlib.error) as error:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the judged pairs in {file} can't be read: it is damaged "
            f"({type(error).__name__}: {error})",
        ) from error


def _read_phrases(data: bytes) -> frozenset[str]:
    return frozenset(zlib.decompress(data).decode().split("\n"))


def _check(name: str, pairs: JudgedPairs) -> JudgedPairs:
    keys, degrees = pairs.keys, pairs.degrees
    if keys.dtype != np.uint64 or degrees.dtype != np.uint8 or keys.shape != degrees.shape:
        raise ValueError(f"{name} has {keys.dtype} keys and {degrees.dtype} degrees")
    if (keys[1:] <= keys[:-1]).any() or (len(degrees) and degrees.max() > 100):
        raise ValueError(f"the keys of {name} don't rise, or a degree is above 1")
    return pairs
