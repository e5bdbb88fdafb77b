# SPDX-License-Identifier: Apache-2.0
"""Where the other planners live: an environment of their own, made on demand, never ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "out" / "rivals-venv"
PACKAGES: Mapping[str, str] = {
    "Fast Downward": "up-fast-downward==1.0.0",
    "Kairos": "kairos-planner==1.0.6",
}
"""What to install for each planner."""


@dataclass(frozen=True)
class RivalEnvironment:
    """The environment of the other planners.

    Attributes:
        folder: a virtual environment.
        missing: planner -> why it can't be used.
    """

    folder: Path
    missing: Mapping[str, str]

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    def command(self, planner: str) -> Sequence[str]:
        """How a planner is called; its own arguments follow."""
        if planner == "Fast Downward":
            return [self.python, str(next(iter(_fast_downward(self.folder))))]
        return [str(self.folder / "bin" / planner.lower())]


def rival_environment(
    folder: Path = FOLDER, planners: Iterable[str] = tuple(PACKAGES)
) -> RivalEnvironment:
    """The environment; makes it and installs those of the planners that are not in it yet.

    Returns:
        the environment; what can't be installed is in `missing`, with the reason.
    """
    if not (folder / "bin" / "python").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    missing = {}
    for planner in planners:
        if _is_there(folder, planner):
            continue
        package = PACKAGES[planner]
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode or not _is_there(folder, planner):
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            missing[planner] = f"could not be installed: {last[0]}"
    return RivalEnvironment(folder, missing)


def _is_there(folder: Path, planner: str) -> bool:
    if planner == "Fast Downward":
        return bool(_fast_downward(folder))
    return (folder / "bin" / planner.lower()).is_file()


def _fast_downward(folder: Path) -> list[Path]:
    """The driver script that the wheel brings."""
    return list(
        folder.glob("lib/python3*/site-packages/up_fast_downward/downward/fast-downward.py")
    )
