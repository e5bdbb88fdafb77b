# SPDX-License-Identifier: Apache-2.0
"""Turns a completed scene graph into a state: an instance of the domain's schema.

Nothing is dropped or guessed in silence: the notes of ``SceneState`` say what was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset import Change, Fact, Instance, InstanceBuilder, Schema
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.state.label_types import NodeTyper, TypeChoice, passage_types
from fcp_ros.scene.state.mapping import SceneMapping
from fcp_ros.scene.state.reading import Reading, Standing
from fcp_ros.scene.state.remarks import Remarks, note_or_forget
from fcp_ros.scene.state.similar_labels import LabelSimilarity
from fcp_ros.scene.state.vocabulary import LegKey, Vocabulary


@dataclass(frozen=True)
class SceneState:
    """A state made from a scene, and what was guessed, changed or left out in making it.

    Attributes:
        instance: The state.
        change: How ``instance`` differs from that of the state that this one was advanced from
            (for match sets); from nothing for a state that was made of a whole scene.
        reading: How the scene was read; for ``advance_state``.
        typer: What chose the types; for ``advance_state``.
        remarks: What ``notes`` says.
    """

    instance: Instance
    change: Change = field(repr=False)
    reading: Reading = field(repr=False)
    typer: NodeTyper = field(repr=False)
    remarks: Remarks = field(repr=False)

    @property
    def graph(self) -> SceneGraph:
        """The scene."""
        return self.reading.graph

    @property
    def typing(self) -> Mapping[str, TypeChoice]:
        """How each element got its type, by node id."""
        return self.reading.typing

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, changed or left out, a sentence each."""
        return self.remarks.notes(self.reading, self.typer.notes)


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
    the room's floor. Of two facts that cannot both hold, the first is kept.

    Args:
        graph: A scene that ``complete_relations`` has seen.
        schema: The domain's schema.
        mapping: How labels, layers and attributes become types and facts.
        similarity: Compares unknown labels with known ones, where the mapping has a threshold.

    Returns:
        The state; it has no functional conflicts. ``advance_state`` follows changes of the scene.
    """
    typer = NodeTyper(schema, mapping, similarity)
    reading = Reading(graph, Vocabulary(schema), mapping, _typing(graph, schema, typer))
    reading.prepare()
    builder, remarks = InstanceBuilder(schema), Remarks()
    _add_elements(reading, builder, remarks)
    _add_facts(reading, builder, remarks)
    change = builder.change()
    instance = builder.build()
    instance.prepare()  # here, where time goes with the size of the scene; planning's does not
    kept = Reading(graph, reading.vocabulary, mapping, reading.typing)
    return SceneState(instance, change, kept, typer, remarks)


def _typing(graph: SceneGraph, schema: Schema, typer: NodeTyper) -> PersistentMap[str, TypeChoice]:
    """How each node that takes part got its type."""
    passages = passage_types(graph, schema)
    typer.learn(graph.nodes.values())
    choices = (
        (node.id, typer.choose(node, passages.get(node.id))) for node in graph.nodes.values()
    )
    return PersistentMap({id_: choice for id_, choice in choices if choice is not None})


def _add_elements(reading: Reading, builder: InstanceBuilder, remarks: Remarks) -> None:
    for id_, choice in reading.typing.items():
        values, notes = reading.vocabulary.attributes(reading.graph.nodes[id_], choice.type)
        builder.add(choice.type, id_, values)
        if notes:
            remarks.attributes[id_] = notes
        if choice.is_guess:
            remarks.guessed[id_] = None


def _add_facts(reading: Reading, builder: InstanceBuilder, remarks: Remarks) -> None:
    """Relate what may hold; of facts with the same functional key, the first one."""
    vocabulary = reading.vocabulary
    taken: dict[LegKey, Fact] = {}
    seen: set[Fact] = set()
    for fact in _stated(reading, remarks):
        if fact in seen:
            continue
        seen.add(fact)
        standing = reading.standing(fact)
        if standing is Standing.UNKNOWN:
            remarks.count_unknown(fact.relation, 1)
        elif standing is Standing.UNFIT:
            remarks.unfit[fact] = None
        elif standing is Standing.FITS:
            keys = vocabulary.functional_keys(fact)
            winner = next((taken[key] for key in keys if key in taken), None)
            if winner is not None:
                remarks.block(fact, keys, winner)
                continue
            taken.update(dict.fromkeys(keys, fact))
            builder.relate(fact.relation, *map(builder.id_of, fact.arguments))


def _stated(reading: Reading, remarks: Remarks) -> Iterator[Fact]:
    """What the scene states, first things first; see ``Order``."""
    graph = reading.graph
    in_rooms = []
    for relation in graph.relations:
        fact = reading.fact_of(relation)
        if relation.name == "in_room":
            in_rooms.append(fact)
        elif fact is not None:
            yield fact
    for stated in reading.mapping.attribute_facts:
        for id_ in reading.typing:
            if stated.holds(graph.nodes[id_]):
                yield Fact(stated.relation, (id_,))
    yield from (fact for fact in in_rooms if fact is not None)
    for id_ in reading.typing:
        place = reading.place(id_)
        if place is None:
            continue
        if place.fact is None:
            remarks.lost[id_] = None
        else:
            note_or_forget(remarks.read_as, id_, place.read_as)
            yield place.fact
