# SPDX-License-Identifier: Apache-2.0
"""The grammar of additions that hold rules over the names of a domain, for constrained decoding.

A parameter is called like its type, or `other_` and its type for a second one. That lets a grammar
without context keep the arguments of atoms to parameters of types that fit. Which parameters are
declared is left to the validator.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from fcp_ros.domain.model import Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.grounding.generation import START, Grammar, Nonterminal, Symbol, SymbolSequence

OTHER = "other_"
DURATIONS = ("2", "5", "10", "20", "30", "60")


def build_rule_grammar(base: Domain) -> Grammar:
    """Build the grammar of rules over the types, relations and executors of a domain."""
    n = Nonterminal
    vocabulary = Vocabulary.of(base)
    executors = dict.fromkeys(rule.executor for rule in base.rules.values())
    static = {relation.name for relation in base.schema.relations if relation.static}
    types: dict[str, str] = {}
    atoms: list[SymbolSequence] = []
    changes: list[SymbolSequence] = []
    absences: list[SymbolSequence] = []
    for name, parameters in vocabulary.relations.items():
        legs = [types.setdefault(p.type, f"argument{len(types)}") for p in parameters]
        atom = _write_atom(name, [(n(leg),) for leg in legs])
        atoms.append(atom)
        if name not in static:
            changes.append(atom)
        absences.append(("not ", *atom))
        for place in range(len(legs) if len(legs) > 1 else 0):
            terms = [("?any",) if i == place else (n(leg),) for i, leg in enumerate(legs)]
            absences.append(("not ", *_write_atom(name, terms)))
    rules: dict[str, tuple[SymbolSequence, ...]] = {
        START: (("rules:\n", n("rules")),),
        "rules": ((n("rule"),), (n("rule"), n("rules"))),
        "rule": (
            (
                *("  ", n("name"), ":\n    parameters: {", n("parameters"), "}\n"),
                *("    when: [", n("conditions"), "]\n", n("effects")),
                *("    duration: ", n("duration"), "\n    executor: ", n("executor"), "\n"),
            ),
        ),
        "effects": (
            ("    delete: [", n("changes"), "]\n    add: [", n("changes"), "]\n"),
            ("    delete: [", n("changes"), "]\n"),
            ("    add: [", n("changes"), "]\n"),
        ),
        "name": ((n("letter"),), (n("letter"), n("name"))),
        "letter": tuple((letter,) for letter in (*ascii_lowercase, "_")),
        "parameters": ((n("parameter"),), (n("parameter"), ", ", n("parameters"))),
        "parameter": tuple(
            (f"{prefix}{type_}: {type_}",) for type_ in vocabulary.parents for prefix in ("", OTHER)
        ),
        "conditions": ((n("condition"),), (n("condition"), ", ", n("conditions"))),
        "condition": (("'", n("atom"), "'"), ("'", n("absence"), "'")),
        "changes": ((n("change"),), (n("change"), ", ", n("changes"))),
        "change": (("'", n("fact"), "'"),),
        "atom": tuple(atoms),
        "absence": tuple(absences),
        "fact": tuple(changes),
        "duration": tuple((duration,) for duration in DURATIONS),
        "executor": tuple((executor,) for executor in executors),
    }
    for type_, rule in types.items():
        rules[rule] = tuple(
            (f"{prefix}{name}",)
            for name in vocabulary.parents
            if vocabulary.common_subtypes((name, type_))
            for prefix in ("", OTHER)
        )
    return Grammar(rules)


def _write_atom(name: str, terms: Sequence[SymbolSequence]) -> SymbolSequence:
    symbols: list[Symbol] = [f"{name}("]
    for position, term in enumerate(terms):
        symbols += [", ", *term] if position else term
    return (*symbols, ")")
