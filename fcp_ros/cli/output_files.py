# SPDX-License-Identifier: Apache-2.0
"""Files that a command writes: never one of those that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fcp_ros.cli.terminal import fail
from fcp_ros.package_files import find_domain, find_scene


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None]) -> None:
    """Leave with a message if a file to be written is read as well.

    `inputs`: files to read: paths, or names of domains and scenes as options take them. Raises
    typer.Exit if a file is in both.
    """
    read = {path.resolve() for one in inputs if one for path in _list_meanings(one)}
    for output in outputs:
        if output is not None and output.expanduser().resolve() in read:
            fail(f"{output} would be overwritten, but it is read: give another place")


def _list_meanings(name_or_path: Path | str) -> list[Path]:
    """List the files that an option may mean; ``#id`` at its end names an entry of the file."""
    if isinstance(name_or_path, Path):
        return [name_or_path.expanduser()]
    name = name_or_path.partition("#")[0]
    return [find_domain(name), find_scene(name)]
