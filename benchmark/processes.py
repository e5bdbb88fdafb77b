# SPDX-License-Identifier: Apache-2.0
"""What Linux says of a process: processor time and memory."""

from __future__ import annotations

import os
import re
from pathlib import Path


def read_cpu_seconds(pid: int) -> float:
    """CPU seconds of a process so far, of user and kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_resident(pid: int | str = "self") -> float:
    """Resident memory (MiB)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def read_peak() -> float:
    """Peak of our own resident memory (MiB); `getrusage` counts what started us, too."""
    return _read_kibibytes(Path("/proc/self/status"), "VmHWM") / 1024.0


def read_share(pid: int) -> float:
    """Proportional set size (MB): pages that processes share are divided among them."""
    return _read_kibibytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss") * 1024 / 1e6


def _read_kibibytes(file: Path, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", file.read_text(), re.MULTILINE)
    assert found is not None, f"{file} has no {name}"
    return int(found[1])
