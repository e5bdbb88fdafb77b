# SPDX-License-Identifier: Apache-2.0
"""The environment that fcp_ros runs in, for shells and for the interpreter itself."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

SHELL_FILE = "fcp_env.sh"
STARTUP_MODULE = "_fcp_ros_environment"
BUILD_START = Path(__file__).resolve().parent / "build_start"


def site_packages(prefix: Path) -> Path:
    """Return the folder of Python packages under an installation prefix."""
    for place in ("lib", "local/lib"):  # Debian's own Python has the second
        if found := sorted(prefix.glob(f"{place}/python3*/*-packages")):
            return found[0]
    raise FileNotFoundError(f"{prefix} has no folder lib/python3.*/site-packages")


def wheel_libraries(venv: Path) -> list[Path]:
    """Return the folders with shared libraries of the ROS 2 wheels."""
    return [venv / "lib", *sorted(site_packages(venv).glob("ros_*.libs"))]


def build_variables(venv: Path, distribution: bool) -> dict[str, str]:
    """Return the environment for building with colcon: the venv first, and its wheels as ROS 2."""
    variables = {**os.environ, "VIRTUAL_ENV": str(venv), "PYTHONNOUSERSITE": "1"}
    folders = [str(BUILD_START), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables |= {"PYTHONPATH": ":".join(folders), "FCP_IDL_TREES": str(venv / "colcon" / "trees")}
    # Else colcon starts no second compiler while the load is above the number of cores, as it is
    # while the search kernels are compiled beside it, and for a minute after that.
    variables["MAKEFLAGS"] = f"-j{os.cpu_count() or 1}"
    variables["PATH"] = f"{venv / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    if not distribution:
        variables |= dict.fromkeys(("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"), str(venv))
        variables["LD_LIBRARY_PATH"] = ":".join(map(str, wheel_libraries(venv)))
        variables["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    return variables


def write_shell_file(venv: Path, install: Path, source: Path, distribution: bool) -> None:
    """Write the file to be sourced by sh, bash or zsh before `fcp`, `python` or `ros2` are used.

    It names `install`, the (merged) prefix that colcon installed fcp_ros to, but the checkout
    before it: its Python files are the ones that run.
    """
    wheels = [] if distribution else [venv]
    lines = [
        "# Made by `make setup`; source it to use fcp, python and the nodes of this checkout:",
        f"#     . {venv}/{SHELL_FILE}",
        _export("VIRTUAL_ENV", [venv], append=False),
        _export("PATH", [venv / "bin"]),
        _export("PYTHONPATH", [source, site_packages(install)]),
        _export("LD_LIBRARY_PATH", [install / "lib", *(wheel_libraries(venv) if wheels else ())]),
        _export("AMENT_PREFIX_PATH", [install, *wheels], append=distribution),
    ]
    if wheels:  # LD_LIBRARY_PATH is set, so Python need not start itself again for it
        lines.append("export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1")
    (venv / SHELL_FILE).write_text("\n".join(lines) + "\n")


def _export(name: str, folders: list[Path], append: bool = True) -> str:
    """One export line; an earlier value stays behind the new folders where append is true."""
    value = shlex.quote(":".join(map(str, folders)))
    return f"export {name}={value}" + (f'"${{{name}:+:${name}}}"' if append else "")


def write_startup_module(venv: Path, install: Path) -> None:
    """Make `<venv>/bin/python` and `<venv>/bin/fcp` work without a sourced file (wheels only).

    The wheels start Python a second time when LD_LIBRARY_PATH lacks their libraries. This module is
    imported just before, adds the folder of fcp_ros's own interfaces, and makes them importable.
    """
    added = [("AMENT_PREFIX_PATH", str(folder)) for folder in (venv, install)]
    added.append(("LD_LIBRARY_PATH", str(install / "lib")))
    packages = site_packages(venv)
    (packages / f"{STARTUP_MODULE}.py").write_text(f'''\
"""Made by `make setup`: puts the interfaces of fcp_ros on the paths (ROS 2 wheels only)."""

import os
import sys

for name, folder in {added!r}:
    folders = [part for part in os.environ.get(name, "").split(":") if part]
    if folder not in folders:
        os.environ[name] = ":".join([folder, *folders])
sys.path.append({str(site_packages(install))!r})
''')
    # Files of this kind are read in alphabetical order: before ros_wheels_bootstrapper.pth.
    (packages / f"{STARTUP_MODULE}.pth").write_text(f"import {STARTUP_MODULE}\n")
