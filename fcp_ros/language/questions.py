# SPDX-License-Identifier: Apache-2.0
"""Questions about which element is meant, and descriptions that tell elements apart.

"Which mug: the blue one on counter_1, or the one in the sink?" A description is the shortest
combination of features that no other element in question has: attributes, category, states, place,
room, who holds it. Elements without such a combination are called by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.cset.schema import AttributeKind
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import Atom, Constant, Term
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.foundation.wording import join_words
from fcp_ros.language.nouns import name_element, quote_words, write_label
from fcp_ros.language.statement_table import StatementTable

MOST_FEATURES = 2
"""A description combines this many features at most; a longer one is worse than a name."""
_LONGEST_VALUE = 30
"""Longer values of attributes (characters) are no adjectives."""
_FARTHEST_ROOM = 4
"""Number of relations that lead from a thing to its room at most."""
_WORDS_OF_KINDS = (AttributeKind.STRING, AttributeKind.ENUM)


@dataclass(frozen=True, slots=True)
class _Feature:
    """Something that is true of an element, and how it is said of "the ... one ..."."""

    key: tuple[str, ...]  # equal for elements that share it
    before: str = ""
    noun: str = ""  # said instead of "one"
    after: str = ""


def describe_choices(
    elements: Sequence[str], domain: Domain, instance: Instance
) -> tuple[str, ...]:
    """Describe each of some elements so that it is told from the rest; all are different.

    Noun phrases, such as "the blue one", "the one on counter_1", or the elements' names.
    """
    describer = _Describer(domain, instance)
    return tuple(describer.describe(element, elements) for element in elements)


def ask_which(noun: str, choices: Sequence[str]) -> str:
    """Write the question which of some things is meant.

    Args:
        noun: what they have in common, such as "mug".
        choices: their descriptions, two or more.
    """
    return f"Which {noun}: {join_words(choices, 'or')}?"


class _Describer:
    def __init__(self, domain: Domain, instance: Instance) -> None:
        self._domain = domain
        self._instance = instance
        self._statements = StatementTable(domain)
        self._features: dict[str, list[_Feature]] = {}
        room = domain.mapping.layer_types.get("room", "room")
        self._room = room if instance.schema.has_type(room) else ""

    def describe(self, element: str, others: Sequence[str]) -> str:
        taken = [self._list_keys(other) for other in others if other != element]
        for number in range(1, MOST_FEATURES + 1):
            for chosen in combinations(self._list_features(element), number):
                keys = {feature.key for feature in chosen}
                if taken and not any(keys <= other for other in taken):
                    return _write(chosen)
        return name_element(element, self._instance)

    def _list_keys(self, element: str) -> set[tuple[str, ...]]:
        """List what is true of an element; a "coffee mug" is a "mug", too."""
        keys = {feature.key for feature in self._list_features(element)}
        labels = [key[1] for key in keys if key[0] == CATEGORY]
        return keys | {(CATEGORY, form) for label in labels for form in label_forms(label)}

    def _list_features(self, element: str) -> list[_Feature]:
        if element not in self._features:
            known = self._instance.has(element)
            found = list(self._find_features(self._instance.id_of(element))) if known else []
            self._features[element] = list({feature.key: feature for feature in found}.values())
        return self._features[element]

    def _find_features(self, id_: int) -> Iterator[_Feature]:
        yield from self._find_attributes(id_)
        category = self._instance.attribute(id_, CATEGORY)
        if isinstance(category, str) and normalise_label(category):
            label = normalise_label(category)
            yield _Feature((CATEGORY, label), noun=write_label(label))
        yield from self._find_states(id_)
        own, passive = self._find_facts(id_)
        yield from own
        room = self._find_room(id_)
        if room is not None:
            yield _Feature(("room", room), after=f"in {self._name_place(room)}")
        yield from passive

    def _find_attributes(self, id_: int) -> Iterator[_Feature]:
        schema = self._instance.schema
        for name, value in sorted(self._instance.attributes(id_).items()):
            if name == CATEGORY or not isinstance(value, str):
                continue
            kind = schema.attribute(self._instance.type_of(id_), name).kind
            if kind in _WORDS_OF_KINDS and 0 < len(value.strip()) <= _LONGEST_VALUE:
                said = value.strip().lower()
                yield _Feature((name, said), before=quote_words(said))

    def _find_states(self, id_: int) -> Iterator[_Feature]:
        """Find the relations of one leg that hold, and those that could but do not."""
        schema = self._instance.schema
        name = Constant(self._instance.name_of(id_))
        for relation in schema.relations:
            if len(relation.legs) != 1:
                continue
            leg, type_ = relation.legs[0]
            if not schema.is_subtype(self._instance.type_of(id_), type_):
                continue
            holds = len(self._instance.tuples_at(relation.name, leg, id_)) > 0
            atom = Atom(relation.name, (name,))
            clause, _ = self._statements.write(atom, lambda _: "it", negated=not holds)
            adjective = clause.verb == "is" and not clause.negated and " " not in clause.rest
            key = (relation.name, str(holds))
            if adjective:
                yield _Feature(key, before=clause.rest)
            else:
                yield _Feature(key, after=f"that {clause.write_predicate()}")

    def _find_facts(self, id_: int) -> tuple[list[_Feature], list[_Feature]]:
        """Find the relations of two legs to another element: with it as the subject, and others."""
        schema = self._instance.schema
        own: list[_Feature] = []
        passive: list[_Feature] = []
        for relation in sorted(schema.relations, key=lambda one: not one.functional):
            if len(relation.legs) != 2:
                continue
            for leg, _ in relation.legs:
                for number in self._instance.tuples_at(relation.name, leg, id_):
                    legs = self._instance.tuples(relation.name)[number]
                    self._describe_fact(relation.name, legs, id_, own, passive)
        return own, passive

    def _describe_fact(
        self,
        relation: str,
        legs: tuple[int, ...],
        subject: int,
        own: list[_Feature],
        passive: list[_Feature],
    ) -> None:
        names = tuple(Constant(self._instance.name_of(id_)) for id_ in legs)
        name = self._instance.name_of(subject)

        def refer(term: Term) -> str:
            other = term.name if isinstance(term, Constant) else ""
            return "it" if other == name else self._name_place(other)

        clause, about = self._statements.write(Atom(relation, names), refer)
        key = (relation, *("" if one.name == name else one.name for one in names))
        if about == Constant(name):
            after = clause.rest if clause.verb == "is" else f"that {clause.write_predicate()}"
            own.append(_Feature(key, after=after))
            return
        said = clause.write()
        if said.endswith(" it"):
            passive.append(_Feature(key, after=f"that {said[:-3]}"))

    def _find_room(self, id_: int) -> str | None:
        """Follow relations that an element has one of at most to the room that it is in."""
        instance = self._instance
        current = id_
        for _ in range(_FARTHEST_ROOM):
            upper = self._find_upper(current)
            if upper is None:
                return None
            current = upper
            if self._room and instance.schema.is_subtype(instance.type_of(current), self._room):
                return instance.name_of(current)
        return None

    def _find_upper(self, id_: int) -> int | None:
        """Find what an element is in or on: the other leg of a relation, the room first."""
        found = []
        for relation in self._instance.schema.relations:
            names = [leg for leg, _ in relation.legs]
            if len(names) != 2 or len(relation.functional) != 1:
                continue
            own = names.index(relation.functional[0])
            for number in self._instance.tuples_at(relation.name, names[own], id_):
                other = self._instance.tuples(relation.name)[number][1 - own]
                is_room = self._room and self._instance.schema.is_subtype(
                    self._instance.type_of(other), self._room
                )
                found.append((not is_room, other))
        return min(found)[1] if found else None

    def _name_place(self, name: str) -> str:
        """Name a place: "the sink" if there is only one, otherwise its own name."""
        instance = self._instance
        category = instance.attribute(instance.id_of(name), CATEGORY)
        label = normalise_label(category) if isinstance(category, str) else ""
        if label:
            alike = (instance.attribute(id_, CATEGORY) for id_ in instance.all_elements())
            number = sum(isinstance(c, str) and normalise_label(c) == label for c in alike)
            if number == 1 and quote_words(label) == label:
                return f"the {label}"
        return name_element(name, instance)


def _write(features: Sequence[_Feature]) -> str:
    nouns = [feature.noun for feature in features if feature.noun]
    before = [feature.before for feature in features if feature.before]
    after = [feature.after for feature in features if feature.after]
    return " ".join(["the", *before, *(nouns or ["one"]), *after])
