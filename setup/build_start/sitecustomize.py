# SPDX-License-Identifier: Apache-2.0
"""Let the generators of a build share what they have parsed; Python imports this when it starts.

Seven generators in turn parse each interface with an Earley parser: half of the whole build's time.
Here the first one leaves the trees in the folder FCP_IDL_TREES, by the hash of their text.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

PARSER, FUNCTION = "rosidl_parser.parser", "get_ast_from_idl_string"


class ParserFinder:
    """Finds rosidl's parser, and makes it keep its trees once it is imported."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(self, name: str, *_path: object) -> Any:
        if name != PARSER:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_wrap(module: ModuleType) -> None:
                execute(module)
                # Where another version has no such function, it parses as ever.
                if hasattr(module, FUNCTION):
                    grammar = getattr(module, "grammar", "")
                    parse = keep_trees(getattr(module, FUNCTION), str(grammar), self._folder)
                    setattr(module, FUNCTION, parse)

            spec.loader.exec_module = execute_and_wrap  # type: ignore[method-assign]
        return spec


def keep_trees(parse: Callable[[str], Any], grammar: str, folder: Path) -> Callable[[str], Any]:
    """Return `parse`, but a text that was parsed before is loaded from the folder."""

    def parse_or_load(text: str) -> Any:
        file = folder / hashlib.sha256(f"{sys.version}\0{grammar}\0{text}".encode()).hexdigest()
        try:
            return pickle.loads(file.read_bytes())
        except Exception:  # not there, or cut off by a full disk: it is parsed again
            tree = parse(text)
        folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")  # packages may be built side by side
        part.write_bytes(pickle.dumps(tree))
        part.replace(file)
        return tree

    return parse_or_load


if "FCP_IDL_TREES" in os.environ:
    sys.meta_path.insert(0, ParserFinder(Path(os.environ["FCP_IDL_TREES"])))  # type: ignore[arg-type]
