# SPDX-License-Identifier: Apache-2.0
"""The words of a schema: the relations and attributes of a scene that it declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fcp_ros.cset import Attribute, AttributeKind, Fact, InstanceError, Relation, Schema
from fcp_ros.cset.builder import check_value
from fcp_ros.scene.graph.elements import AttributeValue, SceneNode
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
    declared |= {attribute.name for attribute in schema.attributes}
    return RelationOptions(also=frozenset(declared.intersection(ON_REQUEST).union(also)))
