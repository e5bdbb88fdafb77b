# SPDX-License-Identifier: Apache-2.0
"""Files that a request over the network may name: those in the configured folders, no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path


class FileRefused(ValueError):
    """The file must not, or can't, be read; one sentence why and what to do."""


def resolve_allowed(
    address: str, folders: Sequence[Path], find: Callable[[str], Path], parameter: str
) -> str:
    """The real address of a requested file.

    Arguments:
        address: absolute, relative to one of `folders`, or a name that `find` knows; ``#id`` at
            its end names an entry of the file and is kept.
        folders: where files may lie. Links are followed before this is checked.
        find: path of a file of this package, given its bare name.
        parameter: name of the node's parameter that holds the folders, for messages.

    Raises:
        FileRefused: empty, not there, or outside of the folders.
    """
    text, mark, fragment = address.partition("#")
    if not text.strip():
        raise FileRefused("The path is empty: name a file.")
    if "\0" in text:
        raise FileRefused("The path holds a zero character: name a file.")
    roots = [folder.expanduser().resolve() for folder in folders]
    for candidate in _candidates(text, roots, find):
        real = candidate.resolve()
        if real.is_file() and any(real.is_relative_to(root) for root in roots):
            return f"{real}{mark}{fragment}"
    places = ", ".join(str(root) for root in roots)
    raise FileRefused(
        f"{text} is no file in {places}: give a file there, or add its folder to the parameter "
        f"{parameter} when you start the node."
    )


def _candidates(text: str, roots: Sequence[Path], find: Callable[[str], Path]) -> list[Path]:
    path = Path(text)
    if path.is_absolute():
        return [path]
    return [*(root / path for root in roots), find(text)]


def configured_folders(texts: Sequence[str], default: Path) -> tuple[Path, ...]:
    """The folders of a parameter; without any, the package's own."""
    return tuple(Path(text) for text in texts) or (default,)
