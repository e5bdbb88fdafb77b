# SPDX-License-Identifier: Apache-2.0
"""The obvious meaning of a grammar: all texts that it derives, if these are finitely many."""

from __future__ import annotations

from itertools import product

from fcp_ros.grounding.generation import START, Grammar, Nonterminal


def derive_all(grammar: Grammar, name: str = START) -> set[str]:
    """All texts of a rule of a grammar without recursion."""
    found = set()
    for sequence in grammar.rules[name]:
        parts = [
            derive_all(grammar, symbol.name) if isinstance(symbol, Nonterminal) else {symbol}
            for symbol in sequence
        ]
        found |= {"".join(chosen) for chosen in product(*parts)}
    return found


def derives(grammar: Grammar, text: str) -> bool:
    """Return True if a grammar derives a text; all derivations are tried from left to right."""

    def ends(name: str, start: int, pending: tuple[tuple[str, int], ...]) -> set[int]:
        if (name, start) in pending:  # left recursion adds nothing
            return set()
        found = set()
        for sequence in grammar.rules[name]:
            places = {start}
            for symbol in sequence:
                if isinstance(symbol, Nonterminal):
                    inner = (*pending, (name, start))
                    places = {e for place in places for e in ends(symbol.name, place, inner)}
                else:
                    places = {p + len(symbol) for p in places if text.startswith(symbol, p)}
            found |= places
        return found

    return len(text) in ends(START, 0, ())
