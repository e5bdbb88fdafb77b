# SPDX-License-Identifier: Apache-2.0
"""The interface of generators: a request for texts, its grammar, the texts with probabilities.

Grammars are context-free, written in the notations of llguidance (Lark) and of servers (GBNF).
Symbols are literal texts and references to rules. No whitespace is skipped: a text is allowed
exactly as the rules spell it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.language_model.chat_turn import Turn
from fcp_ros.grounding.language_model.rubric_prompt import sanitise

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


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request for texts."""

    task: str  # what is to be done: the same for many requests, and first in the prompt
    question: str  # this request's own part, last in the prompt
    # all texts that are allowed; None: any text, which ends where its end is likelier than any
    # word. With one, a line is the whole answer.
    grammar: Grammar | None = None
    count: int = 1  # texts that are wanted at most, at least 1
    most_tokens: int = 128
    seconds: float = 60.0
    seed: int = 0  # of servers that draw at random
    examples: tuple[tuple[str, str], ...] = ()  # questions and answers, as if they went before

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The chat that this stands for, the question last."""
        if not self.examples:
            return (Turn("user", f"{self.task}\n\n{self.question}"),)
        told = (
            turn
            for question, answer in self.examples
            for turn in (Turn("user", question), Turn("assistant", answer))
        )
        return (Turn("system", self.task), *told, Turn("user", self.question))


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a model wrote."""

    text: str  # without spaces at its ends
    # of the text in the model, natural logarithm; of a server that tells none, the logarithm of its
    # share among the answers drawn
    log_probability: float
    is_complete: bool = True  # False if the text was cut at the most tokens


class TextGenerator(Protocol):
    """Anything that writes texts; equal requests get equal texts as far as the model allows it."""

    @property
    def model(self) -> str: ...

    def write(self, request: TextRequest, check: Check) -> list[WrittenText]:
        """Write texts, likeliest first, each once; GroundingError without an answer in time."""
        ...


def quote_data(text: str, most: int = 2000) -> str:
    """Put text from a person or a scene between double quotes of a prompt (`sanitise`)."""
    return sanitise(text).replace('"', "'")[:most]
