# SPDX-License-Identifier: Apache-2.0
"""The environment that fcp_ros runs in, for shells and for the interpreter itself."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

SHELL_FILE = "fcp_env.sh"
STARTUP_MODULE = "_fcp_ros_environment"


def site_packages(prefix: Path) -> Path:
    """Returns the folder of Python packages under an installation prefix."""
    found = sorted(prefix.glob("lib/python3*/*-packages")) or sorted(
        prefix.glob("local/lib/python3*/*-packages")
    )
    if not found:
        raise FileNotFoundError(f"{prefix} has no folder lib/python3.*/site-packages")
    return found[0]


def wheel_libraries(venv: Path) -> list[Path]:
    """Returns the folders with shared libraries of the ROS 2 wheels."""
    return [venv / "lib", *sorted(site_packages(venv).glob("ros_*.libs"))]


def build_variables(venv: Path, distribution: bool) -> dict[str, str]:
    """Returns the environment for building with colcon: the venv first, and its wheels as ROS 2."""
    variables = {
        **os.environ,
        "VIRTUAL_ENV": str(venv),
        "PYTHONNOUSERSITE": "1",
        "PATH": f"{venv / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
    }
    if not distribution:
        libraries = ":".join(str(folder) for folder in wheel_libraries(venv))
        variables.update(
            {
                "AMENT_PREFIX_PATH": str(venv),
                "CMAKE_PREFIX_PATH": str(venv),
                "LD_LIBRARY_PATH": libraries,
                "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
            }
        )
    return variables


def write_shell_file(venv: Path, install: Path, source: Path, distribution: bool) -> Path:
    """Writes the file to be sourced by sh, bash or zsh before `fcp`, `python` or `ros2` are used.

    Args:
        venv: the virtual environment.
        install: the (merged) prefix that colcon installed fcp_ros to.
        source: the checkout, so that its Python files are the ones that run.
        distribution: whether ROS 2 itself comes from a sourced distribution and not from wheels.

    Returns:
        The path of the file.
    """
    libraries = [install / "lib"] + ([] if distribution else wheel_libraries(venv))
    lines = [
        "# Made by `make setup`; source it to use fcp, python and the nodes of this checkout:",
        f"#     . {venv}/{SHELL_FILE}",
        _export("VIRTUAL_ENV", [venv], append=False),
        _export("PATH", [venv / "bin"]),
        _export("PYTHONPATH", [source, site_packages(install)]),
        _export("LD_LIBRARY_PATH", libraries),
        _export(
            "AMENT_PREFIX_PATH", [install] if distribution else [install, venv], append=distribution
        ),
    ]
    if not distribution:
        lines.append("# LD_LIBRARY_PATH is set, so Python need not start itself again for it.")
        lines.append("export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1")
    path = venv / SHELL_FILE
    path.write_text("\n".join(lines) + "\n")
    return path


def _export(name: str, folders: list[Path], append: bool = True) -> str:
    """One export line; an earlier value stays behind the new folders where append is true."""
    value = shlex.quote(":".join(str(folder) for folder in folders))
    return f"export {name}={value}" + (f'"${{{name}:+:${name}}}"' if append else "")


def write_startup_module(venv: Path, install: Path) -> None:
    """Makes `<venv>/bin/python` and `<venv>/bin/fcp` work without a sourced file (wheels only).

    The wheels start Python a second time when LD_LIBRARY_PATH lacks their libraries. This module is
    imported just before, adds the folder of fcp_ros's own interfaces, and makes them importable.
    """
    packages = site_packages(venv)
    (packages / f"{STARTUP_MODULE}.py").write_text(f'''\
"""Made by `make setup`: puts the interfaces of fcp_ros on the paths (ROS 2 wheels only)."""

import os
import sys


def _add(name, folder):
    folders = [part for part in os.environ.get(name, "").split(":") if part]
    if folder not in folders:
        os.environ[name] = ":".join([folder, *folders])


_add("AMENT_PREFIX_PATH", {str(venv)!r})
_add("AMENT_PREFIX_PATH", {str(install)!r})
_add("LD_LIBRARY_PATH", {str(install / "lib")!r})
sys.path.append({str(site_packages(install))!r})
''')
    # Files of this kind are read in alphabetical order: before ros_wheels_bootstrapper.pth.
    (packages / f"{STARTUP_MODULE}.pth").write_text(f"import {STARTUP_MODULE}\n")
