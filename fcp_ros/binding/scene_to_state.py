# SPDX-License-Identifier: Apache-2.0
"""A completed scene graph as a state: an instance of the domain's schema.

Nothing is dropped or guessed in silence: the notes of ``SceneState`` list it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from fcp_ros.binding.label_types import (
    NodeTyper,
    TypeChoice,
    describe_guesses,
    find_held,
    find_passage_types,
)
from fcp_ros.binding.renaming import LegKey, SchemaVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.binding.stated_facts import FactStatus, ItemPlace, StatedFacts
from fcp_ros.cset import Fact, Instance, InstanceBuilder, Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.foundation.persistent_map import PersistentMap, evolve
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass
class ConversionLog:
    """The log of one state; its maker changes a copy, nobody changes it later."""

    guessed: MutableMapping[str, None] = field(default_factory=dict)  # Nodes whose type is a guess
    # Notes on attributes that do not fit, by node
    attributes: MutableMapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Locations that were read otherwise, by item
    read_as: MutableMapping[str, str] = field(default_factory=dict)
    # Items whose place the scene assumes
    assumed: MutableMapping[str, Fact] = field(default_factory=dict)
    lost: MutableMapping[str, None] = field(default_factory=dict)  # Items that have no place
    # Number of facts that were left out, by relation that the schema lacks
    unknown: MutableMapping[str, int] = field(default_factory=dict)
    unfit: MutableMapping[Fact, None] = field(default_factory=dict)  # Facts whose types do not fit
    # Facts that contradict another one, and that other one
    blocked: MutableMapping[Fact, Fact] = field(default_factory=dict)
    blocked_at: MutableMapping[LegKey, tuple[Fact, ...]] = field(default_factory=dict)

    def copy(self) -> ConversionLog:
        """Return a copy that can be changed; this one may not be changed from then on."""
        return ConversionLog(
            evolve(self.guessed),
            evolve(self.attributes),
            evolve(self.read_as),
            evolve(self.assumed),
            evolve(self.lost),
            dict(self.unknown),
            evolve(self.unfit),
            evolve(self.blocked),
            evolve(self.blocked_at),
        )

    def count_unknown(self, relation: str, by: int) -> None:
        """Add to the number of facts (``by`` may be negative) of a relation that is unknown."""
        count = self.unknown.get(relation, 0) + by
        if count:
            self.unknown[relation] = count
        else:
            self.unknown.pop(relation, None)

    def note_place(self, item: str, place: ItemPlace | None) -> None:
        """Record how the place of an item was read; None for what is no item, or is held."""
        self.read_as.pop(item, None)
        self.assumed.pop(item, None)
        self.lost.pop(item, None)
        if place is None:
            return
        if place.fact is None:
            self.lost[item] = None
        elif place.is_guess:
            self.assumed[item] = place.fact
        if place.read_as:
            self.read_as[item] = place.read_as

    def block(self, fact: Fact, keys: Iterable[LegKey], winner: Fact) -> None:
        """Record that a fact, with these functional keys, contradicts one that is kept."""
        self.blocked[fact] = winner
        for key in keys:
            self.blocked_at[key] = (*self.blocked_at.get(key, ()), fact)

    def unblock(self, fact: Fact, keys: Iterable[LegKey]) -> None:
        """Remove the record that a fact was blocked, if there is one."""
        if self.blocked.pop(fact, None) is None:
            return
        for key in keys:
            rest = tuple([other for other in self.blocked_at[key] if other != fact])
            if rest:
                self.blocked_at[key] = rest
            else:
                del self.blocked_at[key]

    def to_sentences(self, facts: StatedFacts, about_typing: Iterable[str]) -> tuple[str, ...]:
        """Write the log as one sentence for each kind of entry, entries in the scene's order."""
        rank = facts.graph.node_rank
        choices = {id_: facts.typing[id_] for id_ in sorted(self.guessed, key=rank)}
        notes = [*about_typing, *describe_guesses(facts.graph, choices)]
        for id_ in sorted(self.attributes, key=rank):
            notes += self.attributes[id_]
        notes += (
            f"the domain has no relation {name!r}: {count} tuples of the scene are left out"
            for name, count in sorted(self.unknown.items())
        )
        return (*notes, *self.describe_facts(facts))

    def describe_facts(self, facts: StatedFacts) -> tuple[str, ...]:
        """Write the part of the log on places and facts that are not read as the scene has them."""
        rank, nodes = facts.graph.node_rank, facts.graph.nodes
        notes = []
        # Without a robot nothing acts, and every goal that does not hold is proven unsolvable.
        for id_ in sorted(self.guessed, key=rank):
            if nodes[id_].layer is Layer.AGENT:
                notes.append(
                    f"{id_} is an agent of a kind that the domain does not know, and does nothing "
                    f"here; if it is the robot, say so: {nodes[id_].category}=robot"
                )
        if self.read_as:
            changed = [self.read_as[id_] for id_ in sorted(self.read_as, key=rank)]
            notes.append(f"read otherwise, to fit the domain's types: {list_names(changed)}")
        if self.assumed:
            assumed = [str(self.assumed[id_]) for id_ in sorted(self.assumed, key=rank)]
            notes.append(
                "assumed, since it was not seen what these things lie on or in: "
                f"{list_names(assumed)}"
            )
        attached, lost, unfit = [], [], []
        for id_ in sorted(self.lost, key=rank):
            stated, holder = facts.holders(id_), facts.find_attachment(id_)
            if stated:
                unfit.append(f"{stated[0][0]}({id_}, {stated[0][1]})")
            elif holder is not None:
                attached.append(f"{id_} (attached to {holder})")
            else:
                lost.append(id_)
        if attached:
            notes.append(f"these hang, and lie on nothing: {list_names(attached)}")
        if lost:
            notes.append(
                f"it is not known where these lie, so no plan can fetch them: {list_names(lost)}"
            )
        unfit += [str(fact) for fact in _in_order(self.unfit, facts)]
        if unfit:
            notes.append(f"left out, since the domain's types do not fit: {list_names(unfit)}")
        if self.blocked:
            pairs = [
                f"{fact} against {self.blocked[fact]}" for fact in _in_order(self.blocked, facts)
            ]
            notes.append(
                f"left out, since only one can hold (the first is kept): {list_names(pairs)}"
            )
        return tuple(notes)


def _in_order(entries: Mapping[Fact, object], facts: StatedFacts) -> list[Fact]:
    return sorted(entries, key=lambda fact: (facts.order_of(fact) or (), fact))


# --- A completed scene graph as a state: an instance of the domain's schema
#
# Nothing is dropped or guessed in silence: the notes of ``SceneState`` list it.


@dataclass(frozen=True)
class SceneState:
    """A state made from a scene, with a log of what was guessed, changed or left out."""

    instance: Instance
    facts: StatedFacts = field(repr=False)
    typer: NodeTyper = field(repr=False)
    log: ConversionLog = field(repr=False)

    @property
    def graph(self) -> SceneGraph:
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
