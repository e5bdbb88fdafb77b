# SPDX-License-Identifier: Apache-2.0
"""The modules of the package as syntax trees, and their imports of one another.

Used by the tests of the structure, and by the drawing of the architecture.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "fcp_ros"

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Module:
    """A Python file of the package.

    Attributes:
        name: The dotted name; that of a folder for its ``__init__.py``.
        path: The file.
    """

    name: str
    path: Path

    @property
    def is_folder(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @cached_property
    def statements(self) -> tuple[tuple[str, ast.stmt], ...]:
        """All statements with the dotted name of what they are in, a definition with its own.

        Without their expressions, which are nine of ten nodes.
        """
        return tuple(_list_statements(self.name, self.tree))

    @cached_property
    def imports(self) -> dict[str, int]:
        """The absolute names of all that is imported, inside functions, too, with their lines."""
        return dict(self._list_imports())

    def _list_imports(self) -> Iterator[tuple[str, int]]:
        for _, node in self.statements:
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{self.path}:{node.lineno}: a relative import"
                names = ("", *(f".{alias.name}" for alias in node.names))
                yield from ((node.module + name, node.lineno) for name in names)

    @property
    def definitions(self) -> Iterator[tuple[str, Definition]]:
        """All functions and classes with their dotted names, those inside others, too."""
        return ((name, node) for name, node in self.statements if isinstance(node, Definition))


def _list_statements(prefix: str, parent: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(parent, block, ()):
            name = f"{prefix}.{node.name}" if isinstance(node, Definition) else prefix
            if isinstance(node, ast.stmt):
                yield name, node
            yield from _list_statements(name, node)


@cache
def read_modules(package: Path = PACKAGE) -> dict[str, Module]:
    """Return all modules of the package by name, which a process parses once."""
    modules = {}
    gc.disable()  # else half of the time goes to looking for garbage in millions of nodes
    try:
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules[name] = Module(name, path)
            assert modules[name].statements is not None
    finally:
        gc.freeze()
        gc.enable()
    return modules


def find_imported_modules(module: Module, modules: dict[str, Module]) -> set[str]:
    """Return the names of the package's modules that a module imports."""
    return {name for name in module.imports if name in modules and name != module.name}
