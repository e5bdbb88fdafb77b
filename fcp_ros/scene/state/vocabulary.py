# SPDX-License-Identifier: Apache-2.0
"""What a schema has words for: which facts and which attributes of a scene fit into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fcp_ros.cset import Attribute, AttributeKind, Fact, InstanceError, Relation, Schema
from fcp_ros.cset.instance.values import checked_value
from fcp_ros.scene.graph.graph import AttributeValue, SceneNode

_OF_KIND: Mapping[AttributeKind, type] = {
    AttributeKind.BOOL: bool,
    AttributeKind.INT: int,
    AttributeKind.FLOAT: float,
    AttributeKind.STRING: str,
}
"""Values of just this type need no further look."""

TypeOf = Callable[[str], "str | None"]
"""The type of an element by name; None for what is no element."""

LegKey = tuple[str, int, str]
"""A relation, the position of a functional leg, and the element there: one tuple may have it."""


class Vocabulary:
    """A schema's relations and attributes, with what was asked about them remembered.

    Args:
        schema: The domain's schema.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.relations: Mapping[str, Relation] = {
            relation.name: relation for relation in schema.relations
        }
        self._functional = {
            relation.name: tuple(relation.position(leg) for leg in relation.functional)
            for relation in schema.relations
        }
        connected = self.relations.get("connected")
        #: What a node must be that joins two rooms; None where the schema does not say.
        self.passage_type = (
            connected.legs[2][1] if connected is not None and len(connected.legs) == 3 else None
        )
        self._admitted: dict[tuple[str, int, str], bool] = {}
        self._attributes: dict[str, dict[str, Attribute]] = {}

    def admits(self, relation: str, leg: int, type_: str | None) -> bool:
        """Whether an element of a type may be this leg (by position) of a relation."""
        declared = self.relations.get(relation)
        if type_ is None or declared is None or leg >= len(declared.legs):
            return False
        known = self._admitted.get((relation, leg, type_))
        if known is None:
            known = self.schema.is_subtype(type_, declared.legs[leg][1])
            self._admitted[relation, leg, type_] = known
        return known

    def fits(self, relation: str, elements: tuple[str, ...], type_of: TypeOf) -> bool:
        """Whether the schema has the relation with legs for just these elements."""
        declared = self.relations.get(relation)
        if declared is None or len(declared.legs) != len(elements):
            return False
        return all(self.admits(relation, leg, type_of(id_)) for leg, id_ in enumerate(elements))

    def functional_keys(self, fact: Fact) -> list[LegKey]:
        """The keys of which no two tuples may have the same; none where the legs do not agree."""
        relation, arguments = fact
        declared = self.relations.get(relation)
        if declared is None or len(declared.legs) != len(arguments):
            return []
        return [(relation, leg, arguments[leg]) for leg in self._functional[relation]]

    def attributes(
        self, node: SceneNode, type_: str
    ) -> tuple[dict[str, AttributeValue], tuple[str, ...]]:
        """The attributes that the schema declares for a node's type, and notes on what misfits."""
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
            if type(value) is _OF_KIND.get(attribute.kind):
                values[name] = value  # numbers of a graph are finite
            else:
                try:
                    values[name] = checked_value(attribute, value, lambda: repr(node.id))
                except InstanceError as error:
                    notes.append(f"left out: {error}")
        return values, tuple(notes)


def _values_of(node: SceneNode) -> dict[str, AttributeValue]:
    """What a node says of itself."""
    values: dict[str, AttributeValue] = {}
    if node.size is not None:
        # The box's own axes say nothing about which side is called its width: the longer one is.
        x, y, z = node.size
        values = {"width": max(x, y), "depth": min(x, y), "height": z}
    values.update(node.attributes)
    values["category"] = node.category
    if node.pose is not None:
        values["x"], values["y"], values["z"] = node.pose.position
    if node.size is not None:
        values["size_x"], values["size_y"], values["size_z"] = node.size
    return values
