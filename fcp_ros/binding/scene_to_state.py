# SPDX-License-Identifier: Apache-2.0
"""A completed scene graph as a state: an instance of the domain's schema.

Nothing is dropped or guessed in silence: the notes of ``SceneState`` list it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from fcp_ros.binding.conversion_log import ConversionLog
from fcp_ros.binding.label_types import NodeTyper, TypeChoice, find_held, find_passage_types
from fcp_ros.binding.schema_vocabulary import LegKey, SchemaVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.binding.stated_facts import FactStatus, StatedFacts
from fcp_ros.cset import Fact, Instance, InstanceBuilder, Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class SceneState:
    """A state made from a scene, with a log of what was guessed, changed or left out."""

    instance: Instance
    facts: StatedFacts = field(repr=False)
    typer: NodeTyper = field(repr=False)
    log: ConversionLog = field(repr=False)

    @property
    def graph(self) -> SceneGraph:
        """The scene."""
        return self.facts.graph

    @property
    def typing(self) -> Mapping[str, TypeChoice]:
        """The type of each element and its reason, by node id."""
        return self.facts.typing

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """A sentence on each thing that was guessed, changed or left out."""
        return self.log.to_sentences(self.facts, self.typer.notes)

    @cached_property
    def fact_notes(self) -> tuple[str, ...]:
        """The sentences on places and facts that are not read as the scene has them."""
        return self.log.describe_facts(self.facts)


def scene_to_instance(
    graph: SceneGraph,
    schema: Schema,
    mapping: SceneMapping,
    similarity: LabelSimilarity | None = None,
    # The types in an earlier state of the scene; what held something then, whatever its label, can
    # hold something now
    earlier: Mapping[str, TypeChoice] = MappingProxyType({}),
) -> SceneState:
    """Make the state that a scene describes, in the words of a schema.

    Element names are node ids; the attributes category, x, y, z, size_x, size_y, size_z, width,
    depth, height (m) and those of the nodes are set where the schema declares them. Relations are
    kept where the elements' types fit their legs. An item lies in at most one place: inside a
    container before on a support. A stated "on" is read as "inside" (or the reverse) where only
    that fits; a place that fits neither leads on to where *it* lies. What the scene states no place
    for has none here, either. Of two facts that cannot both hold, the first is kept.

    Returns:
        The state; it has no functional conflicts. ``advance_state`` follows changes of the scene.
    """
    typer = NodeTyper(schema, mapping, similarity)
    typing = _choose_types(graph, schema, typer, earlier)
    facts = StatedFacts(graph, SchemaVocabulary(schema), mapping, typing)
    facts.prepare()
    builder, log = InstanceBuilder(schema), ConversionLog()
    _add_elements(facts, builder, log)
    _add_facts(facts, builder, log)
    instance = builder.build()
    instance.prepare()  # here, in time of the scene's size; planning's time does not grow with it
    bare = StatedFacts(graph, facts.vocabulary, mapping, facts.typing)  # without the indexes
    return SceneState(instance, bare, typer, log)


def _choose_types(
    graph: SceneGraph, schema: Schema, typer: NodeTyper, earlier: Mapping[str, TypeChoice]
) -> PersistentMap[str, TypeChoice]:
    passages, held = find_passage_types(graph, schema), find_held(graph)
    typer.learn(graph.nodes.values())
    choices = (
        (id_, typer.choose(node, passages.get(id_), held.get(id_, ()), earlier.get(id_)))
        for id_, node in graph.nodes.items()
    )
    return PersistentMap({id_: choice for id_, choice in choices if choice is not None})


def _add_elements(facts: StatedFacts, builder: InstanceBuilder, log: ConversionLog) -> None:
    for id_, choice in facts.typing.items():
        values, notes = facts.vocabulary.attributes(facts.graph.nodes[id_], choice.type)
        builder.add(choice.type, id_, values)
        if notes:
            log.attributes[id_] = notes
        if choice.is_guess:
            log.guessed[id_] = None


def _add_facts(facts: StatedFacts, builder: InstanceBuilder, log: ConversionLog) -> None:
    """Relate the facts that fit; of facts with the same functional key, the first one."""
    vocabulary = facts.vocabulary
    winners: dict[LegKey, Fact] = {}
    seen: set[Fact] = set()
    for fact in _iterate_facts(facts, log):
        if fact in seen:
            continue
        seen.add(fact)
        status = facts.status(fact)
        if status is FactStatus.UNKNOWN:
            log.count_unknown(fact.relation, 1)
        elif status is FactStatus.UNFIT:
            log.unfit[fact] = None
        elif status is FactStatus.FITS:
            keys = vocabulary.functional_keys(fact)
            winner = next((winners[key] for key in keys if key in winners), None)
            if winner is not None:
                log.block(fact, keys, winner)
                continue
            winners.update(dict.fromkeys(keys, fact))
            builder.relate(fact.relation, *map(builder.id_of, fact.arguments))


def _iterate_facts(facts: StatedFacts, log: ConversionLog) -> Iterator[Fact]:
    """Yield all facts that the scene states, in the order of ``FactOrder``."""
    graph = facts.graph
    in_rooms = []
    for relation in graph.relations:
        fact = facts.fact_of(relation)
        if relation.name == "in_room":
            in_rooms.append(fact)
        elif fact is not None:
            yield fact
    for rule in facts.mapping.attribute_facts:
        for id_ in facts.typing:
            if rule.holds(graph.nodes[id_].attributes):
                yield Fact(rule.relation, (id_,))
    yield from (fact for fact in in_rooms if fact is not None)
    for id_ in facts.typing:
        place = facts.place(id_)
        if place is not None:
            log.note_place(id_, place)
            if place.fact is not None:
                yield place.fact
