# SPDX-License-Identifier: Apache-2.0
"""The slow twin of `load_yaml`: PyYAML's loader in Python, with the plain words of YAML 1.2."""

import math
import re
from typing import Any

import yaml

_TAG = "tag:yaml.org,2002:"
_WORDS = {
    "null": "~|null|Null|NULL|",
    "bool": "true|True|TRUE|false|False|FALSE",
    "int": r"[0-9][0-9_]*|[-+][0-9_]*[0-9]_*"
    r"|[-+]?(0b[01_]*[01]_*|0o[0-7_]*[0-7]_*|0x[0-9a-fA-F_]*[0-9a-fA-F]_*)",
    "float": r"[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\._*[0-9][0-9_]*([eE][-+][0-9]+)?|\.(inf|Inf|INF))|\.(nan|NaN|NAN)",
    "merge": "<<",
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}

    def mapping(self, node: yaml.MappingNode) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value if key.tag != f"{_TAG}merge"]
        if len(set(keys)) < len(keys):
            raise ValueError("a key is there twice")
        self.flatten_mapping(node)
        return {self.construct_object(k): self.construct_object(v, True) for k, v in node.value}

    def integer(self, node: yaml.ScalarNode) -> int:
        word = node.value.replace("_", "").lower()
        for prefix, base in (("0b", 2), ("0o", 8), ("0x", 16)):
            if prefix in word:
                return int(word.replace(prefix, ""), base)
        return int(word)

    def real(self, node: yaml.ScalarNode) -> float:
        word = node.value.replace("_", "").lower()
        return math.nan if word == ".nan" else float(word.replace(".inf", "inf"))


for _kind, _pattern in _WORDS.items():
    _Loader.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(f"({_pattern})\\Z"), None)
_Loader.add_constructor(f"{_TAG}map", _Loader.mapping)
_Loader.add_constructor(f"{_TAG}int", _Loader.integer)
_Loader.add_constructor(f"{_TAG}float", _Loader.real)
_Loader.add_constructor(f"{_TAG}merge", _Loader.construct_yaml_str)


def load_by_twin(text: str) -> Any:
    """The value of a YAML text."""
    return yaml.load(text, _Loader)
