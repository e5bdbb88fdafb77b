# SPDX-License-Identifier: Apache-2.0
"""Files that may be named over the network: only those in the folders that a node started with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


class FileRefusedError(ValueError):
    """The file must not, or can't, be read; one sentence why, and what to do."""


@dataclass(frozen=True)
class FileRule:
    """The files that requests, and values of a parameter, may name while a node runs.

    Attributes:
        folders: Name of the node's parameter with the folders, which is set at the start only.
        default: Returns the folder that counts without any.
        find: Returns the path of a file of this package, given its bare name.
        with_folders: True if a folder may be named, too.
    """

    folders: str
    default: Callable[[], Path]
    find: Callable[[str], Path] = Path
    with_folders: bool = False

    def list_folders(self, texts: Sequence[str]) -> tuple[Path, ...]:
        """Return the folders of the parameter's value."""
        return tuple(Path(text) for text in texts if text) or (self.default(),)

    def resolve(self, address: str, texts: Sequence[str]) -> str:
        """Return the real address of a file that is named.

        Args:
            address: Absolute, relative to one of the folders, or a name that `find` knows; ``#id``
                at its end names an entry of the file and is kept.
            texts: The value of the parameter `folders`. Links are followed before it is checked.

        Raises:
            FileRefusedError: it is empty, missing, or outside the folders.
        """
        text, mark, fragment = address.partition("#")
        if not text.strip():
            raise FileRefusedError("The path is empty: name a file.")
        if "\0" in text:
            raise FileRefusedError("The path holds a zero character: name a file.")
        roots = [folder.expanduser().resolve() for folder in self.list_folders(texts)]
        for candidate in _candidates(text, roots, self.find):
            try:
                real = candidate.resolve()
            except (OSError, RuntimeError) as error:
                raise FileRefusedError(
                    f"{text} leads nowhere ({error}): a link that names itself? Give the file "
                    "itself."
                ) from error
            if not real.is_file() and real.exists() and not real.is_dir():
                raise FileRefusedError(
                    f"{text} is no file but a pipe, a socket or a device: give a regular file."
                )
            is_right = real.is_file() or (self.with_folders and real.is_dir())
            if is_right and any(real.is_relative_to(root) for root in roots):
                return f"{real}{mark}{fragment}"
        places = ", ".join(str(root) for root in roots)
        raise FileRefusedError(
            f"{text} is no file in {places}: give a file there, or add its folder to the parameter "
            f"{self.folders} when you start the node."
        )


def _candidates(text: str, roots: Sequence[Path], find: Callable[[str], Path]) -> list[Path]:
    path = Path(text)
    if path.is_absolute():
        return [path]
    return [*(root / path for root in roots), find(text)]
