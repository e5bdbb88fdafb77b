# SPDX-License-Identifier: Apache-2.0
"""The names that a scene uses, and those of the domain that they are read in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.binding.label_types import find_known_label
from fcp_ros.domain.model import Domain
from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.domain.scene_names import DOORLESS, SceneMapping
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Layer, Provenance
from fcp_ros.scene.graph.graph import SceneGraph

MOST_ARGUMENTS = 3
"""Relations with more arguments are not compared."""
_LAYERS = (Layer.OBJECT, Layer.ROOM, Layer.AGENT)


@dataclass(frozen=True)
class SceneVocabulary:
    """The names of a scene that stand for something in a domain, or may."""

    graph: SceneGraph
    labels: Mapping[str, tuple[str, ...]]  # normalised label -> ids of its things, rooms and agents
    label_of: Mapping[str, str]
    relations: Mapping[str, tuple[tuple[str, ...], ...]]
    attributes: Mapping[str, Mapping[str, bool]]  # name of a truth value -> id -> value
    notes: tuple[str, ...] = ()  # sentences about names that are not compared

    def find_layer(self, label: str) -> Layer:
        counted = Counter(self.graph.nodes[id_].layer for id_ in self.labels[label])
        return counted.most_common(1)[0][0]


def collect_names(graph: SceneGraph) -> SceneVocabulary:
    """Collect the names of a scene as its source gives it, before anything is derived."""
    labels: dict[str, list[str]] = defaultdict(list)
    attributes: dict[str, dict[str, bool]] = defaultdict(dict)
    for node in graph.nodes.values():
        if node.layer not in _LAYERS:
            continue
        labels[normalise_label(node.category)].append(node.id)
        for name, value in node.attributes.items():
            if isinstance(value, bool):
                attributes[name][node.id] = value
    relations, notes = _collect_relations(graph)
    label_of = {id_: label for label, ids in labels.items() for id_ in ids}
    return SceneVocabulary(
        graph,
        {label: tuple(ids) for label, ids in labels.items()},
        label_of,
        relations,
        dict(attributes),
        tuple(notes),
    )


def _collect_relations(
    graph: SceneGraph,
) -> tuple[dict[str, tuple[tuple[str, ...], ...]], list[str]]:
    by_name: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for relation in graph.relations:
        if relation.provenance is Provenance.GIVEN:
            by_name[relation.name].append(relation.elements)
    found, notes = {}, []
    for name, tuples in by_name.items():
        arity = Counter(map(len, tuples)).most_common(1)[0][0]
        if arity > MOST_ARGUMENTS:
            notes.append(f"{name} has {arity} arguments and was not compared")
            continue
        found[name] = tuple(one for one in tuples if len(one) == arity)
        if len(found[name]) < len(tuples):
            notes.append(f"{name} was compared with {arity} arguments only")
    return found, notes


# --- the vocabulary that a scene's names are read in: the types, labels and relations of a domain


Mask = NDArray[np.bool_]
"""One truth value for each type of a target."""

_MOST_WORDS = 8
"""Phrases of a relation that names are compared with, the shortest."""


@dataclass(frozen=True, eq=False)
class TargetRelation:
    """A relation of the domain."""

    name: str
    legs: tuple[Mask, ...]  # the types that each argument may have
    functional: frozenset[int]  # positions of the arguments that occur in one tuple at most
    words: tuple[str, ...]  # what people say for it, its name among them
    opposite: tuple[str, ...] = ()  # what people say if it does not hold


class DomainTarget:
    """A domain as the vocabulary of a scene."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        schema, mapping = domain.schema, domain.mapping
        given = {*mapping.labels.values(), *mapping.layer_types.values()}
        # those that perceived things may have, in the domain's order
        self.types = tuple(type_ for type_ in schema.types if type_ in given)
        self._index = {type_: at for at, type_ in enumerate(self.types)}
        self.names = tuple(mapping.labels)  # labels of the domain, normalised, that things may have
        # position among the types, for each label
        self.name_types = np.array([self._index[one] for one in mapping.labels.values()], int)
        self.relations = tuple(self._build_relations())

    @property
    def mapping(self) -> SceneMapping:
        return self.domain.mapping

    def mask(self, type_: str) -> Mask:
        """Return the types that are a kind of a type of the schema."""
        is_kind = self.domain.schema.is_subtype
        return np.array([is_kind(one, type_) for one in self.types])

    def find_type(self, label: str) -> str | None:
        """Return the type that the domain gives to a label; None if it does not know it."""
        found = find_known_label(label, self.mapping)
        return None if found is None else self.mapping.labels[found[1]]

    def find_layer_types(self, layer: Layer) -> Mask:
        by_layer = self.mapping.layer_types
        if layer is not Layer.OBJECT:
            type_ = by_layer.get(layer.value)
            return self.mask(type_) if type_ else np.zeros(len(self.types), bool)
        able = np.ones(len(self.types), bool)
        for type_ in by_layer.values():
            able &= ~self.mask(type_)
        return able

    def index(self, type_: str) -> int:
        return self._index[type_]

    def find_relations(self, arity: int) -> tuple[TargetRelation, ...]:
        return tuple(one for one in self.relations if len(one.legs) == arity)

    def _build_relations(self) -> Iterator[TargetRelation]:
        words = self.domain.words
        for relation in self.domain.schema.relations:
            legs = [self.mask(type_) for _, type_ in relation.legs]
            if relation.name == "in_room":  # of a scene: whatever it is
                legs[0] = np.ones(len(self.types), bool)
            functional = frozenset(relation.position(leg) for leg in relation.functional)
            said = (
                relation.name,
                tuple(legs),
                functional,
                (relation.name.replace("_", " "), *_list_words(words.relations, relation.name)),
                _list_words(words.negated, relation.name),
            )
            yield TargetRelation(*said)
            if relation.name == DOORLESS and len(legs) == 3:
                yield TargetRelation(said[0], said[1][:2], functional, *said[3:])


def _list_words(phrases: Mapping[str, tuple], name: str) -> tuple[str, ...]:  # type: ignore[type-arg]
    """List the words of a relation's phrases without their slots, the shortest first."""
    texts = {
        " ".join(part.text for part in variant if isinstance(part, PhraseWord))
        for phrase in phrases.get(name, ())
        for variant in phrase.variants
    }
    return tuple(sorted(filter(None, texts), key=lambda text: (len(text), text))[:_MOST_WORDS])
