# SPDX-License-Identifier: Apache-2.0
"""GGUF files of a user: converted once into the folder of models, and found there again.

The converted folder is named after the file and a hash of its beginning, end and size, so that a
changed file is converted again.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from fcp_ros.grounding.model_files.gguf_conversion import check_libraries, convert_gguf
from fcp_ros.grounding.model_files.store import CHUNK, check_space, locate_models, lock_model
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

SUFFIX = ".gguf"
MAGIC = b"GGUF"
CONVERTED = "converted"
GROWTH = 9
"""The most times that the folder can be as large as the file: two bits a weight become sixteen."""


def find_gguf(path: Path) -> Path | None:
    """Find the GGUF file that a path means: itself, or the only one of a folder without others.

    Returns:
        None if the path is something else.

    Raises:
        GroundingError: NOT_A_MODEL, the folder holds several.
    """
    if path.is_file():
        return path if _is_gguf(path) else None
    if not path.is_dir() or any(path.glob("*.safetensors")):
        return None
    files = sorted(path.glob(f"*{SUFFIX}"))
    if len(files) > 1:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} holds {len(files)} GGUF files ({', '.join(file.name for file in files[:4])}); "
            "give the path of one of them",
        )
    return files[0] if files else None


def find_converted(file: Path) -> Path:
    """Return the folder that a GGUF file was converted to.

    Raises:
        GroundingError: NOT_A_MODEL, it was not yet, with the command that does it.
    """
    folder = locate_converted(file)
    if not folder.is_dir():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{file} is a GGUF file, whose weights are packed; `fcp models convert {file}` "
            "converts it once to safetensors, then this path stands for the result",
        )
    return folder


def locate_converted(file: Path) -> Path:
    """Return the folder that a GGUF file is converted to; it may not exist yet."""
    size = file.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with file.open("rb") as stream:
        digest.update(stream.read(CHUNK))
        stream.seek(max(0, size - CHUNK))
        digest.update(stream.read(CHUNK))
    return locate_models() / CONVERTED / f"{file.stem}-{digest.hexdigest()[:12]}"


def convert_file(path: Path) -> Path:
    """Convert a GGUF file to a folder of models, unless that was done; returns the folder.

    Args:
        path: the file, or a folder that holds one.

    Raises:
        GroundingError: there is no such file, no room, no library, or it can't be converted.
    """
    file = find_gguf(path)
    if file is None:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{path} is no GGUF file" + ("" if path.exists() else "; there is no such path"),
        )
    folder = locate_converted(file)
    if folder.is_dir():
        return folder
    check_libraries()
    with lock_model(folder.name):
        check_space(folder.parent, GROWTH * file.stat().st_size)
        made = folder.with_name(f".{folder.name}")
        try:
            convert_gguf(file, made)
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _is_gguf(file: Path) -> bool:
    if file.suffix.lower() == SUFFIX:
        return True
    with file.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
