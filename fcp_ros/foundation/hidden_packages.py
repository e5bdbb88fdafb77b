# SPDX-License-Identifier: Apache-2.0
"""Optional dependencies of libraries that are installed, but not wanted by a library of ours."""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager


class _Hiding:
    """A finder before all others that says of some packages that they aren't installed."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: object = None
    ) -> None:
        """Refuse a hidden package; leave any other to the finders behind."""
        if name in self._names and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def hide_packages(*names: str) -> Iterator[None]:
    """Let the imports of the body, in this thread alone, find none of these top-level packages.

    What has been imported before stays as it is. A library whose optional dependency is hidden
    goes without it in the whole process.
    """
    finder = _Hiding(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
