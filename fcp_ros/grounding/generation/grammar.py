# SPDX-License-Identifier: Apache-2.0
"""Context-free grammars as values, in the notations of llguidance (Lark) and of servers (GBNF).

Symbols are literal texts and references to rules. No whitespace is skipped: a text is allowed
exactly as the rules spell it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

START = "start"  # The rule of a whole text; GBNF calls it `root`

_RULE_NAME = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True, slots=True)
class Nonterminal:
    """A reference to a rule; its name has lower-case letters and digits, as all notations allow."""

    name: str


Symbol = str | Nonterminal  # A literal text, or a reference
SymbolSequence = tuple[Symbol, ...]  # Symbols that follow one another


@dataclass(frozen=True)
class Grammar:
    """Rules by name, each with alternatives; ValueError for an undefined or empty symbol."""

    rules: Mapping[str, tuple[SymbolSequence, ...]]

    def __post_init__(self) -> None:
        if START not in self.rules:
            raise ValueError(f"a grammar begins with the rule {START!r}")
        for name, alternatives in self.rules.items():
            if not _RULE_NAME.fullmatch(name) or not alternatives:
                raise ValueError(f"the rule {name!r} needs letters in its name, and alternatives")
            for symbol in (symbol for sequence in alternatives for symbol in sequence):
                if isinstance(symbol, Nonterminal) and symbol.name not in self.rules:
                    raise ValueError(f"the rule {name!r} refers to {symbol.name!r}: add that rule")
                if symbol == "":
                    raise ValueError(f"the rule {name!r} has an empty literal: leave it out")

    @cached_property
    def lark(self) -> str:
        """The grammar as llguidance reads it."""
        return "".join(
            f"{self._name_lark(name)}: {self._join(alternatives, self._name_lark)}\n"
            for name, alternatives in self.rules.items()
        )

    @cached_property
    def gbnf(self) -> str:
        """The grammar as llama.cpp, vLLM and SGLang read it."""
        return "".join(
            f"{_name_gbnf(name)} ::= {self._join(alternatives, _name_gbnf)}\n"
            for name, alternatives in self.rules.items()
        )

    def _name_lark(self, name: str) -> str:
        # Upper case makes a terminal, which is matched by an automaton instead of the parser.
        alternatives = self.rules[name]
        is_word = all(isinstance(s, str) for sequence in alternatives for s in sequence)
        return name.upper() if is_word and name != START else name

    @staticmethod
    def _join(alternatives: tuple[SymbolSequence, ...], naming: Callable[[str], str]) -> str:
        return " | ".join(
            " ".join(
                naming(symbol.name) if isinstance(symbol, Nonterminal) else _quote(symbol)
                for symbol in sequence
            )
            for sequence in alternatives
        )


def _name_gbnf(name: str) -> str:
    return "root" if name == START else name


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
