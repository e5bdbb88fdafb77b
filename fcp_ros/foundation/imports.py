# SPDX-License-Identifier: Apache-2.0
"""Imports that come later, or not at all.

*Later*: packages re-export names without importing the modules that define them. Python runs a
package's ``__init__.py`` before any module inside it, so that a front door with plain imports makes
every user of one module pay for all of them: each node took 1.1 s of CPU to import, of which it
needed 0.3 to 0.5 s. Here they are imported when a name is first used (PEP 562), while type checkers
and readers see plain imports. Python 3.15 has ``lazy from`` (PEP 810) for it.

*Not at all*: optional dependencies that are installed, but that a library of ours goes without.
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

_ONE_BODY = threading.Lock()
"""Held while the body of a `defer_imports` runs, which imports nothing and so waits for nobody."""


class _Source:
    """A module that has not been imported, for ``from MODULE import NAME``."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Deferred:
        return _Deferred(self._module, name)


class _Deferred:
    """A name of a module that has not been imported."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def load(self) -> Any:
        """Import the module, and return the value."""
        return getattr(import_module(self._module), self._name)


@contextmanager
def defer_imports(package: str) -> Iterator[None]:
    """Defer each ``from MODULE import NAME`` of the body until the name is used from outside.

    The ``__init__.py`` itself can't use the names. None of them may be that of a module in the
    package (``__name__``): Python would put the module in the place of the name.
    """
    namespace = vars(sys.modules[package])
    import_now = builtins.__import__

    def import_later(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        # Other threads may import something else meanwhile.
        if globals is namespace and fromlist and not level:
            return _Source(name)
        return import_now(name, globals, locals, fromlist, level)

    with _ONE_BODY:
        import_now, builtins.__import__ = builtins.__import__, import_later
        try:
            yield
        finally:
            builtins.__import__ = import_now
    deferred = {name: value for name, value in namespace.items() if isinstance(value, _Deferred)}
    for name in deferred:
        del namespace[name]

    def get_attribute(name: str) -> Any:
        if name not in deferred:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = deferred[name].load()
        return namespace[name]

    namespace["__getattr__"] = get_attribute
    namespace["__dir__"] = lambda: sorted({*namespace, *deferred})


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
