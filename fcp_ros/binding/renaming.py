# SPDX-License-Identifier: Apache-2.0
"""A perceived scene in the words of a domain, before anything is derived.

The overrides of a domain say what the names of a perception mean (`SceneNames`). They come before
completion, since that goes by names, too: a door joins rooms, ``on`` says where a thing lies.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from fcp_ros.binding.label_types import NodeTyper
from fcp_ros.cset import Attribute, AttributeKind, Fact, InstanceError, Relation, Schema
from fcp_ros.cset.builder import check_value
from fcp_ros.domain.scene_names import RelationReading, SceneMapping, SceneNames
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import AttributeValue, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.relation_options import ON_REQUEST, RelationOptions

_PYTHON_TYPES: Mapping[AttributeKind, type] = {
    AttributeKind.BOOL: bool,
    AttributeKind.INT: int,
    AttributeKind.FLOAT: float,
    AttributeKind.STRING: str,
}
"""Values of exactly this type need no further check."""

TypeOf = Callable[[str], "str | None"]
"""The type of an element by name; None for a name of no element."""

LegKey = tuple[str, int, str]
"""A relation, the position of a functional leg, and the element there; at most one tuple has it."""


class SchemaVocabulary:
    """A schema's relations and attributes, with a cache of the answers about them.

    Attributes:
        passage_type: Type that the schema asks of a node that joins two rooms; None without one.
        is_doorless: True if the schema says of two rooms that they are connected, not by what.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.relations: Mapping[str, Relation] = {
            relation.name: relation for relation in schema.relations
        }
        self._functional = {relation.name: relation.keys for relation in schema.relations}
        connected = self.relations.get("connected")
        self.passage_type = (
            connected.legs[2][1] if connected is not None and len(connected.legs) == 3 else None
        )
        self.is_doorless = connected is not None and len(connected.legs) == 2
        self._admitted: dict[tuple[str, int, str], bool] = {}
        self._attributes: dict[str, dict[str, Attribute]] = {}

    def admits(self, relation: str, leg: int, type_: str | None) -> bool:
        """Return True if an element of a type may be this leg (by position) of a relation."""
        declared = self.relations.get(relation)
        if type_ is None or declared is None or leg >= len(declared.legs):
            return False
        known = self._admitted.get((relation, leg, type_))
        if known is None:
            known = self.schema.is_subtype(type_, declared.legs[leg][1])
            self._admitted[relation, leg, type_] = known
        return known

    def fits(self, relation: str, elements: tuple[str, ...], type_of: TypeOf) -> bool:
        """Return True if the schema has the relation and its legs admit exactly these elements."""
        declared = self.relations.get(relation)
        if declared is None or len(declared.legs) != len(elements):
            return False
        return all(self.admits(relation, leg, type_of(id_)) for leg, id_ in enumerate(elements))

    def functional_keys(self, fact: Fact) -> list[LegKey]:
        """Return the fact's keys that no two tuples may share; empty where the legs disagree."""
        relation, arguments = fact
        declared = self.relations.get(relation)
        if declared is None or len(declared.legs) != len(arguments):
            return []
        return [(relation, leg, arguments[leg]) for leg in self._functional[relation]]

    def attributes(
        self, node: SceneNode, type_: str
    ) -> tuple[dict[str, AttributeValue], tuple[str, ...]]:
        """Collect the attributes of a node that the schema declares for its type, and misfits."""
        declared = self._attributes.get(type_)
        if declared is None:
            declared = {attribute.name: attribute for attribute in self.schema.attributes_of(type_)}
            self._attributes[type_] = declared
        values: dict[str, AttributeValue] = {}
        notes = []
        for name, value in _values_of(node).items():
            attribute = declared.get(name)
            if attribute is None:
                continue
            if type(value) is _PYTHON_TYPES.get(attribute.kind):
                values[name] = value  # numbers of a graph are finite
            else:
                try:
                    values[name] = check_value(attribute, value, lambda: repr(node.id))
                except InstanceError as error:
                    notes.append(f"left out: {error}")
        return values, tuple(notes)


def _values_of(node: SceneNode) -> dict[str, AttributeValue]:
    """Collect all that a node says of itself; geometry wins over attributes of the same name."""
    values: dict[str, AttributeValue] = {}
    if node.size is not None:
        # The box's own axes do not say which side is called its width: take the longer one.
        x, y, z = node.size
        values = {"width": max(x, y), "depth": min(x, y), "height": z}
    values.update(node.attributes)
    values["category"] = node.category
    if node.pose is not None:
        values["x"], values["y"], values["z"] = node.pose.position
    if node.size is not None:
        values["size_x"], values["size_y"], values["size_z"] = node.size
    return values


def relation_options_for(schema: Schema, also: Iterable[str] = ()) -> RelationOptions:
    """Return the default options, extended by the derivable relations that a schema declares."""
    declared = {relation.name for relation in schema.relations if len(relation.legs) == 2}
    return RelationOptions(also=frozenset(declared.intersection(ON_REQUEST).union(also)))


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
