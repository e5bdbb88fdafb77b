# SPDX-License-Identifier: Apache-2.0
"""A perceived scene in the words of a domain, before anything is derived from it.

The overrides of a domain say what the names of a perception mean (`SceneNames`). They come before
completion, since that goes by names, too: a door joins rooms, ``on`` says where a thing lies.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fcp_ros.binding.label_types import NodeTyper
from fcp_ros.binding.schema_vocabulary import SchemaVocabulary
from fcp_ros.cset import Schema
from fcp_ros.domain.scene_names import RelationReading, SceneMapping, SceneNames
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import AttributeValue, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

PERCEIVED_AS = "perceived_as"
"""The attribute that keeps the label of the perception."""


def rename_scene(graph: SceneGraph, schema: Schema, mapping: SceneMapping) -> SceneGraph:
    """Return a scene in the words of a domain, by its overrides; without any the same graph."""
    names = mapping.names
    if not names:
        return graph
    nodes = {id_: _rename_node(node, names, mapping) for id_, node in graph.nodes.items()}
    choice = ReadingChoice(nodes, schema, mapping)
    relations: dict[tuple[str, tuple[str, ...]], SceneRelation] = {}
    for relation in _rename_relations(graph.relations, names, choice):
        known = relations.get(relation.key)
        if known is None or known.confidence < relation.confidence:
            relations[relation.key] = relation
    return SceneGraph.of(
        nodes.values(),
        relations.values(),
        frame_id=graph.frame_id,
        sequence=graph.sequence,
        source=graph.source,
        notes=graph.notes,
    )


def rename_parts(
    nodes: Iterable[SceneNode],
    relations: Iterable[SceneRelation],
    known: Mapping[str, SceneNode],
    schema: Schema,
    mapping: SceneMapping,
) -> tuple[tuple[SceneNode, ...], tuple[SceneRelation, ...]]:
    """Return nodes and relations of an update in the words of a domain, by its overrides."""
    names = mapping.names
    renamed = {node.id: _rename_node(node, names, mapping) for node in nodes}
    choice = ReadingChoice(ChainMap(renamed, dict(known)), schema, mapping)
    return tuple(renamed.values()), tuple(_rename_relations(relations, names, choice))


def _rename_node(node: SceneNode, names: SceneNames, mapping: SceneMapping) -> SceneNode:
    label = names.labels.get(normalise_label(node.category))
    if label is not None and label in mapping.labels:
        attributes = {**node.attributes, PERCEIVED_AS: node.category}
        node = replace(node, category=label, attributes=attributes)
    if names.attributes and not names.attributes.keys().isdisjoint(node.attributes):
        return replace(node, attributes=dict(_rename_attributes(node.attributes, names)))
    return node


def _rename_attributes(
    attributes: Mapping[str, AttributeValue], names: SceneNames
) -> Iterator[tuple[str, AttributeValue]]:
    for name, value in attributes.items():
        reading = names.attributes.get(name)
        if reading is None:
            yield name, value
        elif isinstance(value, bool) and reading.negated:
            yield reading.name, not value
        else:
            yield reading.name, value


def _rename_relations(
    relations: Iterable[SceneRelation], names: SceneNames, choice: ReadingChoice
) -> Iterator[SceneRelation]:
    for relation in relations:
        reading = choice.choose(names.relations.get(relation.name, ()), relation.elements)
        if reading is None:
            yield relation
        else:
            elements = reading.read(relation.elements)
            yield replace(relation, name=reading.name, elements=elements)


class ReadingChoice:
    """Chooses among the readings of a relation by the types of its elements."""

    def __init__(
        self, nodes: Mapping[str, SceneNode], schema: Schema, mapping: SceneMapping
    ) -> None:
        self._nodes = nodes
        self._typer = NodeTyper(schema, mapping)
        self._vocabulary = SchemaVocabulary(schema)

    def choose(
        self, readings: tuple[RelationReading, ...], elements: tuple[str, ...]
    ) -> RelationReading | None:
        """Choose the first reading whose types fit; None if none has so many arguments."""
        able = [one for one in readings if len(one.places) == len(elements)]
        if len(able) < 2:
            return able[0] if able else None
        return next((one for one in able if self.fits(one, elements)), able[-1])

    def fits(self, reading: RelationReading, elements: tuple[str, ...]) -> bool:
        """Return True if the domain's relation takes these elements.

        Anything may be in a room: items are there by what they lie on.
        """
        read = reading.read(elements)
        if reading.name == "in_room":
            return self._vocabulary.admits("in_room", 1, self._find_type(read[1]))
        if reading.name not in self._vocabulary.relations:
            return True
        return all(
            self._vocabulary.admits(reading.name, leg, self._find_type(element))
            for leg, element in enumerate(read)
        )

    def _find_type(self, id_: str) -> str | None:
        node = self._nodes.get(id_)
        chosen = None if node is None else self._typer.choose(node)
        return None if chosen is None else chosen.type
