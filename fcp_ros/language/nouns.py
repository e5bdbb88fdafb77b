# SPDX-License-Identifier: Apache-2.0
"""English nouns and numbers: plurals, names of elements and of variables in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Text,
    TypedVariable,
    Variable,
    children,
    list_conjuncts,
    quote_if_needed,
)
from fcp_ros.domain.model import BUILT_IN, IS_A, Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import choose_article, join_words, to_printable

_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "foot": "feet", "tooth": "teeth", "goose": "geese", "loaf": "loaves", "leaf": "leaves",
    "half": "halves", "thief": "thieves", "calf": "calves", "scarf": "scarves",
    "potato": "potatoes", "tomato": "tomatoes", "hero": "heroes", "fish": "fish",
    "sheep": "sheep", "series": "series",
}  # fmt: skip
_UNCOUNTED = frozenset(
    [
        *("cutlery", "furniture", "clothing", "underclothing", "underwear", "bread", "milk"),
        *("water", "food", "waste", "rubbish", "trash", "garbage", "linen", "hardware", "decor"),
        *("crockery", "drinkware", "cookware", "tableware", "silverware", "equipment", "ram"),
        *("laundry", "compost", "memory", "coffee", "tea", "rice", "pasta", "soap", "detergent"),
        *("pants", "trousers", "jeans", "scissors", "headphones", "glasses", "clothes", "socks"),
    ]
)
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_PLAIN_WORDS = re.compile(r"[\w'\-]+(?: [\w'\-]+)*\Z")
_LONGEST_WORDS = 60
"""Longer texts (characters) are quoted, so that it is seen where they end."""


def pluralise(noun: str) -> str:
    """Return the plural of a noun or of the last word of a compound ("tin can": "tin cans")."""
    head, _, last = noun.rpartition(" ")
    lowered = last.lower()
    if lowered in _UNCOUNTED:
        plural = last
    elif lowered in _IRREGULAR:
        plural = _IRREGULAR[lowered]
    elif re.search(r"[^aeiou]y\Z", lowered):
        plural = last[:-1] + "ies"
    elif re.search(r"(?:[sxz]|ch|sh)\Z", lowered):
        plural = last + "es"
    elif re.search(r"(?:kni|wi|li)fe\Z", lowered):
        plural = last[:-2] + "ves"
    elif re.search(r"(?:shel|wol|sel|el)f\Z", lowered):
        plural = last[:-1] + "ves"
    else:
        plural = last + "s"
    return f"{head} {plural}" if head else plural


def is_countable(noun: str) -> bool:
    """Return False for "cutlery" or "pants", which take no "a"."""
    return noun.rpartition(" ")[2].lower() not in _UNCOUNTED


def write_number(number: int) -> str:
    """Write a number in words up to twelve."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def add_article(noun: str) -> str:
    """Return the noun with "a" or "an", or "some" where it can't be counted."""
    if not is_countable(noun):
        return f"some {noun}"
    return f"{choose_article(noun)} {noun}"


def write_label(label: str) -> str:
    """Write a label or type as words: "dining_table": "dining table"; odd ones in quotes."""
    return quote_words(normalise_label(label) or label)


def quote_words(words: str) -> str:
    """Return words as they are if they can stand in a sentence, otherwise in quotes."""
    if _PLAIN_WORDS.match(words) and len(words) <= _LONGEST_WORDS:
        return words
    return '"' + to_printable(words).replace('"', "'") + '"'


def name_element(name: str, instance: Instance) -> str:
    """Name an element in a sentence: "mug_1", "the woman anna".

    The category is told where the name does not say it.
    """
    written = to_printable(quote_if_needed(name))
    if not instance.has(name):
        return written
    category = instance.attribute(instance.id_of(name), CATEGORY)
    label = normalise_label(category) if isinstance(category, str) else ""
    if not label or not _PLAIN_WORDS.match(label) or len(label) > _LONGEST_WORDS:
        return written
    said = normalise_label(name)
    if said == label or said.endswith(f" {label}") or label.endswith(f" {said}"):
        return written
    return f"the {label} {written}"


Scope = Mapping[str, str]
"""What each variable is called: "the mug", "mug B"."""

_NOUNS = frozenset(["table", "vegetable", "cable", "valuable"])
"""Nouns that end like the adjectives of types."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class VariableNoun:
    """A noun for a variable, and what else restricts it.

    `singular` and `plural` are without an article.
    """

    singular: str
    plural: str


class VariableNouns:
    """Finds the nouns for the variables of goals of a domain."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._vocabulary = Vocabulary.of(domain)

    def find_noun(
        self, variable: TypedVariable, parts: list[Expression]
    ) -> tuple[VariableNoun, list[Expression]]:
        """Find the noun for a variable, and the parts of a conjunction that it does not say."""
        label = self.list_labels(parts[0], variable.name) if parts else []
        rest = parts[1:] if label else parts
        kinds = self._domain.words.kinds
        names = self._find_kind(label) or [variable.type or "thing"]
        said = [_write_noun(name) for name in names]
        singular = join_words(said, "or")
        plural = join_words([pluralise(name) for name in said], "or")
        if label and not all(
            self._implies(name, variable.type) for name in label if name not in kinds
        ):
            kind = write_label(variable.type)
            singular, plural = f"{kind} called {singular}", f"{pluralise(kind)} called {singular}"
        return VariableNoun(singular, plural), rest

    def _find_kind(self, labels: list[str]) -> list[str]:
        """Say labels that make up a kind of the domain in its one word."""
        for kind, members in self._domain.words.kinds.items():
            if len(labels) > 1 and {normalise_label(name) for name in labels} == {kind, *members}:
                return [kind]
        return labels

    def list_labels(self, part: Expression, variable: str) -> list[str]:
        """List the labels of `is_a(x, ..)`, or of several joined by `or`; empty for others."""
        parts = part.parts if isinstance(part, Or) else (part,)
        labels = []
        for one in parts:
            if not isinstance(one, Atom) or one.predicate != IS_A or len(one.arguments) != 2:
                return []
            element, label = one.arguments
            if element != Variable(variable) or not isinstance(label, Text):
                return []
            labels.append(label.value)
        return labels

    def _implies(self, label: str, type_: str) -> bool:
        """Return True if what goes by a label is of a type, as far as the domain says."""
        own = {normalise_label(name): name for name in self._vocabulary.parents}
        found = own.get(normalise_label(label)) or match_label(label, self._domain.mapping.labels)
        return not type_ or (found is not None and self._vocabulary.is_subtype(found, type_))

    def name_variable(
        self, variable: str, noun: VariableNoun, scope: Scope, body: Expression
    ) -> tuple[VariableNoun, Scope]:
        """Give a variable a name that no other in scope, or within, has."""
        called = f"the {noun.singular}"
        inside = {one.singular for one in self._list_nouns(body)}
        clash = noun.singular in inside or " or " in called
        if called not in scope.values() and not clash:
            return noun, {**scope, variable: called}
        number = len(scope)
        letter = _LETTERS[number % 26] + (str(number // 26) if number >= 26 else "")
        name = f"{noun.singular} {letter}"
        return VariableNoun(name, name), {**scope, variable: name}

    def _list_nouns(self, expression: Expression) -> Iterator[VariableNoun]:
        """List the nouns for all variables that are bound within an expression."""
        if isinstance(expression, (Exists, Forall, Count)):
            conditions: list[Expression] = []
            if isinstance(expression, Forall):
                conditions, _ = split_implication(expression.body)
            for variable in expression.variables:
                for parts in ([], conditions, list(list_conjuncts(expression.body))):
                    yield self.find_noun(variable, parts)[0]
        for part in children(expression):
            yield from self._list_nouns(part)


def _write_noun(label: str) -> str:
    """Write a label or type as a noun: types such as "grabbable" are adjectives."""
    written = write_label(label)
    adjective = written.endswith(("able", "ible")) and written.split()[-1] not in _NOUNS
    return f"{written} thing" if adjective else written


def split_implication(body: Expression) -> tuple[list[Expression], list[Expression]]:
    """Read `not A or not B or C` as "if A and B, then C"; without C the last denial is demanded.

    What a thing is, is a condition, too: `is_a(x, "apple") or C` is "if not an apple, then C".
    """
    if not isinstance(body, Or):
        return [], list(list_conjuncts(body))
    conditions = [part.body for part in body.parts if isinstance(part, Not)]
    demands: list[Expression] = [part for part in body.parts if not isinstance(part, Not)]
    exceptions = [part for part in demands if _says_what_it_is(part)]
    if len(exceptions) < len(demands) or len(conditions) > 1:
        demands = [part for part in demands if part not in exceptions]
        conditions += [Not(part) for part in exceptions]
    if not conditions:
        return [], [body]
    if not demands:
        last = max((i for i, one in enumerate(conditions) if not isinstance(one, Not)), default=-1)
        demands = [Not(conditions.pop(last))]
    demand = Or(tuple(demands)) if len(demands) > 1 else demands[0]
    return [part for one in conditions for part in list_conjuncts(one)], list(
        list_conjuncts(demand)
    )


def _says_what_it_is(part: Expression) -> bool:
    return isinstance(part, Atom) and part.predicate in BUILT_IN
