# SPDX-License-Identifier: Apache-2.0
"""The grammar of all goals over the names that exist, for constrained decoding.

It has the forms of the goal language (docs/goals.md) that people ask for. Predicates have their
number of arguments, and each place takes an element of its type. Quantifiers nest twice at most;
the outer variable is `?x`, the inner one `?y`, and each condition within speaks of its variable, in
places that the variable's type fits. So little is left to `check_goal`: graded predicates within
constraints, and the outer variable's type within an inner quantifier.

Relations that no action changes, labels and graded predicates stand within quantifiers only, where
they choose: nobody can bring them about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.syntax import RESERVED, quote_if_needed
from fcp_ros.domain.model import IS_A, Parameter
from fcp_ros.grounding.generation import (
    START,
    Grammar,
    Nonterminal,
    Symbol,
    SymbolSequence,
)
from fcp_ros.language.model_reader.names import OfferedNames

UNCLEAR = "unclear"
"""The answer of a model that finds no goal in an instruction."""
LARGEST_COUNT = 12
WEIGHTS = ("0.1", "0.2", "0.3", "0.5", "0.8")

_Rules = dict[str, tuple[SymbolSequence, ...]]


def build_goal_grammar(names: OfferedNames, schema: Schema) -> Grammar:
    """Build the grammar of the goals over some names; the schema says what is static."""
    return _Builder(names, schema).build()


class _Builder:
    def __init__(self, names: OfferedNames, schema: Schema) -> None:
        self._names = names
        self._static = {relation.name for relation in schema.relations if relation.static}
        # The number of each parameter type's rule; "" if no element has the type.
        self._numbers: dict[str, str] = {}
        self._kinds = names.group_kinds()

    def build(self) -> Grammar:
        """Build all rules."""
        r = Nonterminal
        rules: _Rules = {
            # Models without a chat template begin with a space.
            START: ((r("answer"),), (" ", r("answer"))),
            "answer": ((r("goal"),), (r("condition"), " or ", r("condition")), (UNCLEAR,)),
            "goal": ((r("requirement"),), (r("requirement"), " and ", r("goal"))),
            "requirement": (
                (r("condition"),),
                ("(", r("condition"), " or ", r("condition"), ")"),
                ("never ", r("operand")),
                ("always ", r("operand")),
                ("sometime ", r("operand")),
                ("first ", r("operand"), " then ", r("operand")),
                (r("operand"), " before ", r("operand")),
                ("as many as possible ", r("outer")),
                ("prefer ", r("weight"), ": ", r("condition")),
            ),
            "weight": tuple((weight,) for weight in WEIGHTS),
            "number": tuple((str(number),) for number in range(LARGEST_COUNT, 0, -1)),
            "quantifier": (
                ("exists ",),
                ("forall ",),
                ("at least ", r("number"), " "),
                ("at most ", r("number"), " "),
                ("exactly ", r("number"), " "),
            ),
        }
        facts = tuple(self._list_facts())
        quantified = (r("quantifier"), r("outer"))
        rules["operand"] = (quantified,)
        rules["condition"] = (quantified, ("not ", *quantified))
        if facts:
            rules["fact"] = facts
            rules["literal"] = ((r("fact"),), ("not ", r("fact")))
            rules["operand"] += ((r("literal"),),)
            rules["condition"] += ((r("literal"),),)
        rules |= self._build_quantified()
        if self._names.texts:
            rules["words"] = tuple((_quote(text),) for text in self._names.texts)
        if self._names.labels:
            rules["label"] = tuple((_quote(label),) for label in self._names.labels)
        for type_, number in self._numbers.items():
            if number:
                elements = self._names.list_elements(type_)
                rules[f"name{number}"] = tuple((element.shown,) for element in elements)
        return Grammar(rules)

    def _build_quantified(self) -> _Rules:
        """Build the rules of quantifiers: for each type those of its kinds and conditions."""
        r = Nonterminal
        rules: _Rules = {}
        outer: list[SymbolSequence] = []
        inner: list[SymbolSequence] = []
        for index, (type_, kinds) in enumerate(self._kinds.items()):
            kind = f"kind{index}"
            rules[kind] = tuple((quote_if_needed(one),) for one in kinds)
            for variable, level, heads in (("?x", "x", outer), ("?y", "y", inner)):
                choice, part, body = (
                    f"{word}{level}{index}" for word in ("choice", "part", "body")
                )
                atoms = tuple(self._list_atoms(type_, variable))
                rules[f"atom{level}{index}"] = atoms
                atom = r(f"atom{level}{index}")
                rules[choice] = (
                    (atom,),
                    ("not ", atom),
                    ("initially (", atom, ")"),
                    ("not initially (", atom, ")"),
                )
                if self._names.labels:
                    rules[choice] += ((f"not {IS_A}({variable}, ", r("label"), ")"),)
                rules[part] = ((r(choice),), ("(", r(choice), " or ", r(choice), ")"))
                if level == "x":
                    rules[part] += ((r("quantifier"), r("inner")),)
                rules[body] = (
                    (r(part),),
                    (r(part), " and ", r(body)),
                    (r(choice), " or ", r(choice)),
                )
                heads.append((f"{variable}: ", r(kind), " (", r(body), ")"))
        return {"outer": tuple(outer), "inner": tuple(inner), **rules}

    def _list_facts(self) -> Iterator[SymbolSequence]:
        """List the atoms over elements that an action may bring about."""
        for predicate, parameters in self._names.vocabulary.relations.items():
            if predicate not in self._static:
                terms = [self._choose_elements(parameter) for parameter in parameters]
                if all(terms):
                    yield _write_atom(predicate, terms)

    def _list_atoms(self, type_: str, variable: str) -> Iterator[SymbolSequence]:
        """List the atoms with a variable of some type in one of their places."""
        vocabulary = self._names.vocabulary
        for predicate, parameters in (*vocabulary.relations.items(), *vocabulary.graded.items()):
            for place, own in enumerate(parameters):
                if own.is_text:
                    continue
                fits = vocabulary.is_subtype(type_, own.type)
                if not fits and predicate in vocabulary.relations:
                    fits = bool(vocabulary.common_subtypes((type_, own.type)))
                if not fits:
                    continue
                terms = [
                    (variable,) if position == place else self._choose_elements(parameter)
                    for position, parameter in enumerate(parameters)
                ]
                if all(terms):
                    yield _write_atom(predicate, terms)
                if variable == "?y":  # the outer variable may stand in another place
                    for other, parameter in enumerate(parameters):
                        if other != place and not parameter.is_text:
                            with_x = [*terms[:other], ("?x",), *terms[other + 1 :]]
                            if all(with_x):
                                yield _write_atom(predicate, with_x)
        if self._names.labels:
            yield (f"{IS_A}({variable}, ", Nonterminal("label"), ")")

    def _choose_elements(self, parameter: Parameter) -> SymbolSequence:
        """Return what may stand for a parameter besides variables; () if there is nothing."""
        if parameter.is_text:
            return (Nonterminal("words"),) if self._names.texts else ()
        number = self._numbers.get(parameter.type)
        if number is None:
            number = str(len(self._numbers)) if self._names.list_elements(parameter.type) else ""
            self._numbers[parameter.type] = number
        return (Nonterminal(f"name{number}"),) if number else ()


def _write_atom(predicate: str, terms: Sequence[SymbolSequence]) -> SymbolSequence:
    name = json.dumps(predicate) if predicate in RESERVED else quote_if_needed(predicate)
    symbols: list[Symbol] = [f"{name}("]
    for position, term in enumerate(terms):
        symbols += [", ", *term] if position else term
    return (*symbols, ")")


def _quote(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
