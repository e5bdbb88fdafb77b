# SPDX-License-Identifier: Apache-2.0
"""The rules of the package's structure: each lists the places that break it."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from package_source import Definition, Module, find_imported_modules

MOST_FILES = 25
"""Python files of a folder, its ``__init__.py`` included."""

ENTRIES = ("nodes", "client", "cli", "demo", "report")
"""The folders that a user reaches: by a process, a command, or an import."""

UNREACHED = {
    "fcp_ros.cset.presentation": "patterns by generators and equations, for users of the library"
}
"""Modules (or folders) of the library that no entry reaches, each with the reason to keep it."""

QUESTION_WORDS = "what whether which where who whose how why when"
IRREGULAR_PARTICIPLES = (
    "said kept found known made given begun met told taken seen shown left bound built written "
    "drawn done gone held lost meant sent spent understood thought chosen broken brought bought "
    "caught felt heard laid led paid sold sought stood taught won driven forgotten hidden proven "
    "risen spoken got gotten grown thrown undone redone withheld sunk swept worn stuck struck"
)
NO_PARTICIPLES = "need feed seed speed embed exceed proceed succeed shed"

Modules = dict[str, Module]
Rule = Callable[[Modules], Iterator[str]]


def find_repeated_class_names(modules: Modules) -> Iterator[str]:
    """List public class names that stand for several things."""
    places = defaultdict(list)
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.name)
    for name, where in places.items():
        if len(where) > 1:
            yield f"{name}: {', '.join(where)}"


def find_mutual_imports(modules: Modules) -> Iterator[str]:
    """List pairs of files that import one another."""
    imports = {
        name: find_imported_modules(module, modules)
        for name, module in modules.items()
        if not module.is_folder
    }
    for one, imported in imports.items():
        for other in imported:
            if one < other and one in imports.get(other, ()):
                yield f"{one}, {other}"


def find_full_folders(modules: Modules) -> Iterator[str]:
    """List folders with more files than a reader takes in at a glance."""
    count = Counter(
        module.name if module.is_folder else module.name.rpartition(".")[0]
        for module in modules.values()
    )
    yield from (folder for folder, files in count.items() if files > MOST_FILES)


def find_unreached_modules(modules: Modules) -> Iterator[str]:
    """List modules that no entry imports, directly or through others."""
    todo = [name for name in modules if name.split(".")[1:2] and name.split(".")[1] in ENTRIES]
    reached: set[str] = set()
    while todo:
        name = todo.pop()
        if name in reached or name not in modules:
            continue
        reached.add(name)
        todo += [name.rpartition(".")[0], *find_imported_modules(modules[name], modules)]
        todo += _list_quoted_modules(modules[name])
    for name in modules.keys() - reached:
        if not any(f"{name}.".startswith(f"{kept}.") for kept in UNREACHED):
            yield name


def _list_quoted_modules(module: Module) -> Iterator[str]:
    """List modules that are named in a string, because a child process imports them."""
    if not re.search(r"""["']fcp_ros\.""", module.text):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and str(node.value).startswith("fcp_ros."):
            yield str(node.value).partition(":")[0]


def find_question_docstrings(modules: Modules) -> Iterator[str]:
    """List modules, classes and functions whose docstring begins with a question word."""
    for module in modules.values():
        for name, node in [(module.name, module.tree), *module.definitions]:
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].rstrip(",:.").lower() in QUESTION_WORDS.split():
                yield name


def find_odd_function_names(modules: Modules) -> Iterator[str]:
    """List functions named by a participle or a question word; properties are values."""
    for module in modules.values():
        for name, node in module.definitions:
            if isinstance(node, ast.ClassDef) or _is_property(node):
                continue
            word = node.name.strip("_").partition("_")[0]
            if word in QUESTION_WORDS.split() or _is_participle(word):
                yield name


def _is_participle(word: str) -> bool:
    ends = word.endswith("ed") and len(word) > 3 and word not in NO_PARTICIPLES.split()
    return ends or word in IRREGULAR_PARTICIPLES.split()


def _is_property(node: Definition) -> bool:
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def find_hidden_imports(modules: Modules) -> Iterator[str]:
    """List modules that hide imports from the layers behind TYPE_CHECKING."""
    for module in modules.values():
        if "TYPE_CHECKING" in module.text:
            yield module.name


RULES: dict[str, Rule] = {
    "a public class name means one thing": find_repeated_class_names,
    "no two files import one another": find_mutual_imports,
    f"a folder has at most {MOST_FILES} files": find_full_folders,
    "every module is reached by a node, a command, the client or a report": find_unreached_modules,
    "docstrings begin with an imperative or a noun phrase": find_question_docstrings,
    "functions are verbs": find_odd_function_names,
    "no import is hidden behind TYPE_CHECKING": find_hidden_imports,
}
