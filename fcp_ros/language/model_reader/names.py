# SPDX-License-Identifier: Apache-2.0
"""The names that a goal may use: those of the domain and the scene, narrowed to an instruction.

Names and labels of a scene are data from outside. What looks like a sentence, or has characters
that no plain name has, is shown to the model under a made-up name (`thing_3`), so that it can be
chosen by type and place but says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Expression,
    Or,
    TrajectoryConstraint,
    quote_if_needed,
)
from fcp_ros.domain.model import Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.language.reader import ReadingContext

MOST_ELEMENTS = 400
"""Elements that a goal may name."""
MOST_SHOWN = 40
"""Elements that the prompt shows."""
MOST_KINDS = 160
"""Types and labels that a goal may name."""
MOST_TEXTS = 120
"""Words that a graded predicate may be asked about."""
SIMILAR = 0.5
"""Least similarity of a label to a word of the instruction that counts."""

_PLAIN_NAME = re.compile(r"[^\W\d_][\w.\-]*(?: [\w.\-]+){0,4}\Z")
_LONGEST_NAME = 48
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


@dataclass(frozen=True, slots=True)
class OfferedElement:
    """An element that a goal may name."""

    name: str
    shown: str  # as prompts and answers write it: the name, quoted if needed, or one made up
    type: str
    label: str  # its category in plain words; its type where that can't be shown
    # words about it that are no part of its name; "" where they can't be shown
    description: str = ""


@dataclass(frozen=True)
class OfferedNames:
    """The names that a goal may use."""

    elements: tuple[OfferedElement, ...]  # those most like the instruction first
    # types and labels that variables may range over, most like the instruction first
    kinds: tuple[str, ...]
    # labels of elements that no variable can range over, as the domain does not know them, and
    # those to be excepted ("everything but the mugs")
    labels: tuple[str, ...]
    # words for graded predicates: of their rubrics, and of the instruction itself
    texts: tuple[str, ...]
    vocabulary: Vocabulary  # types, relations and graded predicates of the domain
    types_of_kinds: Mapping[str, str]

    @property
    def shown(self) -> tuple[OfferedElement, ...]:
        """The elements that the prompt shows."""
        return self.elements[:MOST_SHOWN]

    def group_kinds(self) -> dict[str, list[str]]:
        """Group the kinds by the type that a variable gets from them."""
        groups: dict[str, list[str]] = {}
        for kind in self.kinds:
            groups.setdefault(self.types_of_kinds[kind], []).append(kind)
        return groups

    def list_elements(self, type_: str) -> tuple[OfferedElement, ...]:
        """List the elements of a type."""
        return tuple(e for e in self.elements if self.vocabulary.is_subtype(e.type, type_))

    def restore(self, goal: Expression) -> Expression:
        """Put the elements' own names in place of made-up ones."""
        own = {e.shown: e.name for e in self.elements if e.shown != quote_if_needed(e.name)}
        return _rename(goal, own) if own else goal


def _rename(goal: Expression, own: Mapping[str, str]) -> Expression:
    if isinstance(goal, Atom):
        terms = tuple(
            Constant(own[term.name]) if isinstance(term, Constant) and term.name in own else term
            for term in goal.arguments
        )
        return replace(goal, arguments=terms)
    if isinstance(goal, (And, Or, TrajectoryConstraint)):
        return replace(goal, parts=tuple(_rename(part, own) for part in goal.parts))
    return replace(goal, body=_rename(goal.body, own))


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case."""
    return [match.lower() for match in _WORD.findall(text)]


def find_stem(word: str) -> str:
    """Return a word without the ending of a plural, for comparisons."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def is_plain(name: str) -> bool:
    """Return True if a name can be shown to a model: a few words without other characters."""
    return len(name) <= _LONGEST_NAME and _PLAIN_NAME.match(name) is not None


def offer_names(instruction: str, context: ReadingContext) -> OfferedNames:
    """Choose the names that the goal of an instruction may use."""
    domain, instance = context.domain, context.instance
    closeness = _Closeness(instruction, context.similarity)
    vocabulary = Vocabulary.of(domain)
    elements = [_offer(instance, id_, index) for index, id_ in enumerate(instance.all_elements())]
    closeness.learn(element.label for element in elements)
    special = {context.speaker, context.robot} - {""}

    def rank(element: OfferedElement) -> float:
        if element.name in special:
            return 2.0
        named = closeness.measure(normalise_label(element.shown))
        return max(named, closeness.measure(element.label))

    if len(elements) > MOST_SHOWN:  # few ones keep their order, so that prompts begin alike
        elements.sort(key=lambda element: -rank(element))
    known = {label: type_ for label, type_ in domain.mapping.labels.items() if is_plain(label)}
    types = {**known, **{type_: type_ for type_ in domain.schema.types}}
    kinds = _choose_kinds(types, domain, elements, closeness)
    here = dict.fromkeys(element.label for element in elements)
    return OfferedNames(
        tuple(elements[:MOST_ELEMENTS]),
        kinds,
        tuple(label for label in here if is_plain(label))[:MOST_KINDS],
        _choose_texts(domain, instruction),
        vocabulary,
        {kind: types[kind] for kind in kinds},
    )


def _offer(instance: Instance, id_: int, index: int) -> OfferedElement:
    name, type_ = instance.name_of(id_), instance.type_of(id_)
    category = instance.attribute(id_, "category")
    label = normalise_label(category) if isinstance(category, str) else ""
    shown = quote_if_needed(name) if is_plain(name) else f"thing_{index}"
    while shown != quote_if_needed(name) and instance.has(shown):
        shown = f"{shown}_"
    plain = label if label and is_plain(label) else type_.replace("_", " ")
    description = str(instance.attribute(id_, "description") or "")
    said = description if is_plain(description) else ""
    return OfferedElement(name, shown, type_, plain, said)


def _choose_kinds(
    types: Mapping[str, str],
    domain: Domain,
    elements: Sequence[OfferedElement],
    closeness: _Closeness,
) -> tuple[str, ...]:
    """Choose labels and types: those in the instruction, of the scene, then similar ones."""
    closeness.learn(kind.replace("_", " ") for kind in types)
    here = {element.label for element in elements}

    def measure(kind: str) -> float:
        return closeness.measure(kind.replace("_", " ")) + (0.3 if kind in here else 0.0)

    ranked = sorted(types, key=lambda kind: -measure(kind))
    close = (
        kind
        for kind in ranked
        if measure(kind) >= SIMILAR or kind in here or kind in domain.schema.types
    )
    return tuple(close)[:MOST_KINDS]


def _choose_texts(domain: Domain, instruction: str) -> tuple[str, ...]:
    """List the words that graded predicates know, and runs of up to three of the instruction."""
    found: dict[str, None] = {}
    for predicate in domain.graded.values():
        places = [i for i, p in enumerate(predicate.parameters) if p.is_text]
        anchors = predicate.rubric.anchors if predicate.rubric is not None else ()
        for anchor in anchors:
            for example in anchor.examples:
                found.update(dict.fromkeys(example[i] for i in places if i < len(example)))
    own = [word for word in split_words(instruction) if word.isascii()]
    runs = [" ".join(own[i : i + n]) for n in (1, 2, 3) for i in range(len(own) - n + 1)]
    known = [text for text in found if is_plain(text)]
    chosen = dict.fromkeys([*(r for r in runs if is_plain(r)), *known])
    return tuple(chosen)[:MOST_TEXTS]


class _Closeness:
    """Measures how close labels are to the words of an instruction, in [0, 1]."""

    def __init__(self, instruction: str, similarity: LabelSimilarity | None) -> None:
        self._words = list(dict.fromkeys(split_words(instruction)))[:60]
        self._stems = {find_stem(word) for word in self._words}
        self._similarity = similarity
        self._values: dict[str, float] = {}

    def learn(self, labels: Iterable[str]) -> None:
        """Compare labels with the instruction, all new ones in one call of the model."""
        new = [label for label in dict.fromkeys(labels) if label not in self._values]
        for label in new:
            self._values[label] = self._match(label)
        unlike = [label for label in new if self._values[label] == 0.0 and is_plain(label)]
        if self._similarity is None or not unlike or not self._words:
            return
        try:
            table = self._similarity.similarities(self._words, unlike)
        except NoSimilarity:
            return
        for label, value in zip(unlike, table.max(axis=0).tolist(), strict=True):
            self._values[label] = max(0.0, min(0.95, value))

    def measure(self, label: str) -> float:
        """Return the closeness of a label; of one that was not learnt by its words alone."""
        found = self._values.get(label)
        return self._match(label) if found is None else found

    def _match(self, label: str) -> float:
        words = [find_stem(word) for word in split_words(label)]
        if not words:
            return 0.0
        share = sum(word in self._stems for word in words) / len(words)
        # The last word names the thing.
        return share if words[-1] in self._stems else 0.5 * share
