# SPDX-License-Identifier: Apache-2.0
"""Files that a request over the network may name: only those in the configured folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path


class FileRefusedError(ValueError):
    """The file must not, or can't, be read; one sentence why, and what to do."""


def resolve_allowed(
    address: str, folders: Sequence[Path], find: Callable[[str], Path], parameter: str
) -> str:
    """Return the real address of a requested file.

    Args:
        address: Absolute, relative to one of `folders`, or a name that `find` knows; ``#id`` at
            its end names an entry of the file and is kept.
        folders: Folders of allowed files. Links are followed before this is checked.
        find: Returns the path of a file of this package, given its bare name.
        parameter: Name of the node's parameter that holds the folders, for messages.

    Raises:
        FileRefusedError: it is empty, missing, or outside the folders.
    """
    text, mark, fragment = address.partition("#")
    if not text.strip():
        raise FileRefusedError("The path is empty: name a file.")
    if "\0" in text:
        raise FileRefusedError("The path holds a zero character: name a file.")
    roots = [folder.expanduser().resolve() for folder in folders]
    for candidate in _candidates(text, roots, find):
        try:
            real = candidate.resolve()
        except (OSError, RuntimeError) as error:
            raise FileRefusedError(
                f"{text} leads nowhere ({error}): a link that names itself? Give the file itself."
            ) from error
        if not real.is_file() and real.exists() and not real.is_dir():
            raise FileRefusedError(
                f"{text} is no file but a pipe, a socket or a device: give a regular file."
            )
        if real.is_file() and any(real.is_relative_to(root) for root in roots):
            return f"{real}{mark}{fragment}"
    places = ", ".join(str(root) for root in roots)
    raise FileRefusedError(
        f"{text} is no file in {places}: give a file there, or add its folder to the parameter "
        f"{parameter} when you start the node."
    )


def _candidates(text: str, roots: Sequence[Path], find: Callable[[str], Path]) -> list[Path]:
    path = Path(text)
    if path.is_absolute():
        return [path]
    return [*(root / path for root in roots), find(text)]


def to_folders(texts: Sequence[str], default: Path) -> tuple[Path, ...]:
    """Return the folders of a parameter, or `default` if it has none."""
    return tuple(Path(text) for text in texts) or (default,)
