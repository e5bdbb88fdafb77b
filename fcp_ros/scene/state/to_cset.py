# SPDX-License-Identifier: Apache-2.0
"""Turns a completed scene graph into a state: an instance of the domain's schema.

Nothing is dropped or guessed in silence: the notes of ``SceneState`` say what was.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from fcp_ros.cset import Instance, InstanceBuilder, InstanceError, Schema
from fcp_ros.scene.graph.graph import SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.state.label_types import NodeTyper, TypeChoice, passage_types, typing_notes
from fcp_ros.scene.state.location import ItemLocations
from fcp_ros.scene.state.mapping import AttributeFact, SceneMapping, type_of_label
from fcp_ros.scene.state.similar_labels import LabelSimilarity
from fcp_ros.scene.state.tuples import TupleWriter

__all__ = [
    "AttributeFact",
    "SceneMapping",
    "SceneState",
    "scene_to_instance",
    "type_of_label",
]

_LOCATIONS = ("on", "inside")


@dataclass(frozen=True)
class SceneState:
    """A state made from a scene, and what was guessed, changed or left out in making it.

    Attributes:
        instance: The state.
        notes: What was guessed, changed or left out, a sentence each.
        typing: How each element got its type, by node id.
    """

    instance: Instance
    notes: tuple[str, ...] = ()
    typing: Mapping[str, TypeChoice] = field(default_factory=dict)


def scene_to_instance(
    graph: SceneGraph,
    schema: Schema,
    mapping: SceneMapping,
    similarity: LabelSimilarity | None = None,
) -> SceneState:
    """The state that a scene describes, in the words of a schema.

    Element names are node ids; the attributes category, x, y, z, size_x, size_y, size_z, width,
    depth, height (m) and those of the nodes are set where the schema declares them. Relations are
    kept where the elements' types fit their legs. An item lies in exactly one place: inside what is
    a container before on what is a support; what the source calls "on" is read as "inside" (or the
    reverse) where only that fits; a place that is neither leads on to where *it* lies, at last to
    the room's floor.

    Args:
        graph: A scene that ``complete_relations`` has seen.
        schema: The domain's schema.
        mapping: How labels, layers and attributes become types and facts.
        similarity: Compares unknown labels with known ones, where the mapping has a threshold.

    Returns:
        The state; it has no functional conflicts.
    """
    typer = NodeTyper(schema, mapping, similarity)
    typing = _typing(graph, schema, typer)
    types = {id_: choice.type for id_, choice in typing.items()}
    notes = [*typer.notes, *typing_notes(graph, typing)]
    builder = InstanceBuilder(schema)
    declared = {
        type_: frozenset(attribute.name for attribute in schema.attributes_of(type_))
        for type_ in set(types.values())
    }
    for id_, type_ in types.items():
        element = builder.add(type_, id_)
        notes += _set_attributes(builder, element, graph.nodes[id_], declared[type_])
    writer = TupleWriter(builder, types)
    for relation in graph.relations:
        if relation.name not in _LOCATIONS and relation.name != "in_room":
            writer.write(relation.name, relation.elements)
    for fact in mapping.attribute_facts:
        for id_ in types:
            if fact.holds(graph.nodes[id_]):
                writer.write(fact.relation, (id_,))
    _place_in_rooms(graph, writer)
    notes += ItemLocations(graph, writer).write()
    instance = builder.build()
    instance.prepare()  # here, where time goes with the size of the scene; planning's does not
    return SceneState(instance, (*notes, *writer.notes()), typing)


def _typing(graph: SceneGraph, schema: Schema, typer: NodeTyper) -> dict[str, TypeChoice]:
    """How each node that takes part got its type."""
    passages = passage_types(graph, schema)
    typer.learn(graph.nodes.values())
    choices = (
        (node.id, typer.choose(node, passages.get(node.id))) for node in graph.nodes.values()
    )
    return {id_: choice for id_, choice in choices if choice is not None}


def _set_attributes(
    builder: InstanceBuilder, element: int, node: SceneNode, declared: Set[str]
) -> list[str]:
    """Set what the schema declares for the element's type; notes on values that do not fit."""
    values = dict(node.attributes)
    values["category"] = node.category
    if node.pose is not None:
        values.update(zip(("x", "y", "z"), node.pose.position, strict=True))
    if node.size is not None:
        values.update(zip(("size_x", "size_y", "size_z"), node.size, strict=True))
        # The box's own axes say nothing about which side is called its width: the longer one is.
        depth, width = sorted(node.size[:2])
        values = {"width": width, "depth": depth, "height": node.size[2], **values}
    notes = []
    for name, value in values.items():
        if name in declared:
            try:
                builder.set_attribute(element, name, value)
            except InstanceError as error:
                notes.append(f"left out: {error}")
    return notes


def _place_in_rooms(graph: SceneGraph, writer: TupleWriter) -> None:
    """``in_room`` where it fits; an agent that was mapped as an object is ``at`` the room."""
    for relation in graph.related("in_room"):
        if writer.fits("in_room", relation.elements):
            writer.write("in_room", relation.elements)
        elif writer.fits("at", relation.elements):
            writer.write("at", relation.elements)
        elif not _is_carried(relation, writer):
            writer.write("in_room", relation.elements)


def _is_carried(relation: SceneRelation, writer: TupleWriter) -> bool:
    """Items are in a room by what they lie on: that they have no tuple of their own is right."""
    return writer.admits("on", 0, relation.elements[0]) or writer.admits(
        "inside", 0, relation.elements[0]
    )
