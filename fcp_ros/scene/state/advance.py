# SPDX-License-Identifier: Apache-2.0
"""Lets a state follow a change of the scene it was made from, in time of the change's size.

What a change may touch is read anew by the rules that ``scene_to_instance`` goes by (``Reading``):
the elements whose nodes changed, the facts that changed nodes and relations state or stated, the
items that lie on what got another type, and the facts that a functional leg sets against one of
these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcp_ros.cset import Fact, InstanceBuilder
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.graph import SceneGraph, SceneRelation
from fcp_ros.scene.state.label_types import TypeChoice
from fcp_ros.scene.state.location import LOCATIONS
from fcp_ros.scene.state.reading import Reading, Standing, is_floor
from fcp_ros.scene.state.remarks import note_or_forget
from fcp_ros.scene.state.to_cset import SceneState
from fcp_ros.scene.state.vocabulary import LegKey


def advance_state(
    state: SceneState, delta: SceneDelta, after: SceneGraph | None = None
) -> SceneState:
    """The state of the scene after a change; what stays is shared with the state before.

    Args:
        state: Of the scene before.
        delta: The change of the (completed) scene.
        after: The scene after it, where it is there already.

    Returns:
        What ``scene_to_instance`` makes of the scene after the change, up to ids; elements that
        stay keep theirs. ``change`` says how the instance differs from ``state.instance``; give it
        to ``MatchSet.updated``.

    Raises:
        SequenceGap, SceneError: As ``apply_delta``.
    """
    return _Advance(state, apply_delta(state.graph, delta) if after is None else after, delta).state


class _Advance:
    """One change being worked in."""

    def __init__(self, state: SceneState, after: SceneGraph, delta: SceneDelta) -> None:
        before = state.reading.remembering()
        self._old = state
        self._before = before
        self._remarks = state.remarks.copy()
        self._nodes = _changed_nodes(before.graph, delta)
        self._relations = _changed_relations(before.graph, after, delta)
        typing = before.typing.copy()
        self._reading = Reading(after, before.vocabulary, before.mapping, typing)
        self._after = self._reading.remembering()
        self._retyped = self._choose_types(typing)
        self.state = self._finished()

    def _finished(self) -> SceneState:
        facts = self._with_rivals([*self._restated(), *self._placed(self._items_to_place())])
        kept = self._kept(facts)
        builder = InstanceBuilder.of(self._old.instance)
        for fact in facts:
            if fact not in kept or not self._retyped.keys().isdisjoint(fact.arguments):
                self._unrelate(builder, fact)
        self._renew_elements(builder)
        for fact in kept:
            builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
        change = builder.change()
        instance = builder.build() if change else self._old.instance
        return SceneState(instance, change, self._reading, self._old.typer, self._remarks)

    # --- elements

    def _choose_types(self, typing: PersistentMap[str, TypeChoice]) -> dict[str, None]:
        """Type the nodes anew that changed or became passages; those that get another type."""
        retyped: dict[str, None] = {}
        passages = (
            relation.elements[2]
            for relation in self._relations
            if relation.name == "connected" and len(relation.elements) == 3
        )
        for id_ in dict.fromkeys((*self._nodes, *passages)):
            was, now = typing.get(id_), self._choice(id_)
            if now is None:
                typing.pop(id_, None)
            elif now != was:
                typing[id_] = now
            if now is not None and now.is_guess:
                self._remarks.guessed[id_] = None
            else:
                self._remarks.guessed.pop(id_, None)
            if (was and was.type) != (now and now.type):
                retyped[id_] = None
        return retyped

    def _choice(self, id_: str) -> TypeChoice | None:
        graph = self._after.graph
        node = graph.nodes.get(id_)
        if node is None:
            return None
        is_passage = any(
            relation.name == "connected"
            and len(relation.elements) == 3
            and relation.elements[2] == id_
            for relation in graph.relations_of(id_)
        )
        passage_type = self._after.vocabulary.passage_type if is_passage else None
        return self._old.typer.choose(node, passage_type)

    def _renew_elements(self, builder: InstanceBuilder) -> None:
        """Elements whose type is another, made anew; attributes of the others that changed."""
        vocabulary, before, after = self._after.vocabulary, self._before, self._after
        for id_ in self._retyped:
            if id_ in before.typing:
                builder.remove(builder.id_of(id_))
        for id_ in dict.fromkeys((*self._nodes, *self._retyped)):
            self._remarks.attributes.pop(id_, None)
            type_ = after.type_of(id_)
            if type_ is None:
                continue
            values, notes = vocabulary.attributes(after.graph.nodes[id_], type_)
            if notes:
                self._remarks.attributes[id_] = notes
            if id_ in self._retyped:
                builder.add(type_, id_, values)
                continue
            element = builder.id_of(id_)
            had, _ = vocabulary.attributes(before.graph.nodes[id_], type_)
            for name in {**had, **values}:
                if had.get(name) != values.get(name):
                    builder.set_attribute(element, name, values.get(name))

    # --- facts

    def _restated(self) -> Iterator[Fact]:
        """What changed nodes and relations state or stated, places of items apart."""
        relations = dict.fromkeys(self._relations)
        for id_ in self._retyped:
            relations.update(dict.fromkeys(self._before.graph.relations_of(id_)))
            relations.update(dict.fromkeys(self._after.graph.relations_of(id_)))
        for reading in (self._before, self._after):
            for relation in relations:
                fact = reading.fact_of(relation)
                if fact is not None:
                    yield fact
            for id_ in dict.fromkeys((*self._nodes, *self._retyped)):
                node = reading.graph.nodes.get(id_)
                if node is not None:
                    yield from reading.state_facts(node)

    def _fact(self, relation: str, row: int) -> Fact:
        instance = self._old.instance
        legs = instance.tuples(relation)[row]
        return Fact(relation, tuple([instance.name_of(leg) for leg in legs]))

    def _with_rivals(self, facts: Iterable[Fact]) -> dict[Fact, None]:
        """These facts and those that a functional leg sets against them, or against such ones."""
        found = dict.fromkeys(facts)
        waiting = list(found)
        seen: set[LegKey] = set()
        while waiting:
            for key in self._before.vocabulary.functional_keys(waiting.pop()):
                if key in seen:
                    continue
                seen.add(key)
                for rival in (*self._related_at(key), *self._remarks.blocked_at.get(key, ())):
                    if rival not in found:
                        found[rival] = None
                        waiting.append(rival)
        return found

    def _related_at(self, key: LegKey) -> Iterator[Fact]:
        relation, position, id_ = key
        instance = self._old.instance
        if instance.has(id_):
            leg = self._before.vocabulary.relations[relation].legs[position][0]
            for row in instance.tuples_at(relation, leg, instance.id_of(id_)):
                yield self._fact(relation, row)

    def _kept(self, facts: Iterable[Fact]) -> dict[Fact, None]:
        """The facts that hold now: of those that contradict each other, the first."""
        vocabulary, remarks = self._after.vocabulary, self._remarks
        fitting = []
        for fact in facts:
            order = self._after.order_of(fact)
            standing = None if order is None else self._after.standing(fact)
            remarks.unblock(fact, vocabulary.functional_keys(fact))
            remarks.unfit.pop(fact, None)
            if standing is Standing.UNFIT:
                remarks.unfit[fact] = None
            elif standing is Standing.FITS:
                fitting.append((order, fact))
            if fact.relation not in vocabulary.relations:
                was_unknown = (
                    self._before.order_of(fact) is not None
                    and self._before.standing(fact) is Standing.UNKNOWN
                )
                remarks.count_unknown(fact.relation, (standing is Standing.UNKNOWN) - was_unknown)
        kept: dict[Fact, None] = {}
        taken: dict[LegKey, Fact] = {}
        for _, fact in sorted(fitting):
            keys = vocabulary.functional_keys(fact)
            winner = next((taken[key] for key in keys if key in taken), None)
            if winner is None:
                taken.update(dict.fromkeys(keys, fact))
                kept[fact] = None
            else:
                remarks.block(fact, keys, winner)
        return kept

    def _unrelate(self, builder: InstanceBuilder, fact: Fact) -> None:
        instance = self._old.instance
        if fact.relation in self._before.vocabulary.relations and all(
            map(instance.has, fact.arguments)
        ):
            legs = tuple([instance.id_of(argument) for argument in fact.arguments])
            if instance.find_tuple(fact.relation, legs) is not None:
                builder.unrelate(fact.relation, *legs)

    # --- places of items

    def _items_to_place(self) -> dict[str, None]:
        """The items whose place may be another one."""
        items: dict[str, None] = {}
        lower = dict.fromkeys(self._retyped)
        for relation in self._relations:
            if len(relation.elements) != 2:
                continue
            if relation.name in LOCATIONS:
                lower[relation.elements[0]] = None
            elif relation.name == "in_room":
                items[relation.elements[0]] = None
            elif relation.name == "holding":
                items[relation.elements[1]] = None
        for id_ in dict.fromkeys((*self._nodes, *self._retyped)):
            items.update(dict.fromkeys(self._above_floor(id_)))
        items.update(self._resting_on(lower))
        return items

    def _resting_on(self, lower: Iterable[str]) -> dict[str, None]:
        """These things and all that is on or inside them, however deep, before or after."""
        found = dict.fromkeys(lower)
        waiting = list(found)
        while waiting:
            holder = waiting.pop()
            for graph in (self._before.graph, self._after.graph):
                for relation in graph.relations_of(holder):
                    if (
                        relation.name in LOCATIONS
                        and len(relation.elements) == 2
                        and relation.elements[1] == holder
                        and relation.elements[0] not in found
                    ):
                        found[relation.elements[0]] = None
                        waiting.append(relation.elements[0])
        return found

    def _above_floor(self, id_: str) -> Iterator[str]:
        """What is in the rooms whose floor a node is or was, where that changed."""
        old, new = self._before.graph.nodes.get(id_), self._after.graph.nodes.get(id_)
        floors = [
            (graph, node)
            for graph, node in ((self._before.graph, old), (self._after.graph, new))
            if node is not None and is_floor(node)
        ]
        same = (
            len(floors) == 2 and old is not None and new is not None and old.parents == new.parents
        )
        if same and id_ not in self._retyped:
            return
        for _, node in floors:
            for graph in (self._before.graph, self._after.graph):
                for room in node.parents:
                    for relation in graph.relations_of(room):
                        if relation.name == "in_room" and len(relation.elements) == 2:
                            yield relation.elements[0]

    def _placed(self, items: Iterable[str]) -> Iterator[Fact]:
        """Where these items were, and where they are now."""
        remarks = self._remarks
        for id_ in items:
            was, now = self._before.place(id_), self._after.place(id_)
            for place in (was, now):
                if place is not None and place.fact is not None:
                    yield place.fact
            note_or_forget(remarks.read_as, id_, "" if now is None else now.read_as)
            if now is not None and now.fact is None:
                remarks.lost[id_] = None
            else:
                remarks.lost.pop(id_, None)


def _changed_nodes(before: SceneGraph, delta: SceneDelta) -> dict[str, None]:
    """Ids of all nodes that are new, gone or others than before."""
    nodes = dict.fromkeys([node.id for node in delta.upserted])
    for id_ in delta.removed:
        nodes[id_] = None
        nodes.update(dict.fromkeys(before.children_of(id_)))  # they have a parent less
    return nodes


def _changed_relations(
    before: SceneGraph, after: SceneGraph, delta: SceneDelta
) -> list[SceneRelation]:
    """The relations that are new, gone, or now at another place in the graph's order."""
    touched = {relation.key: relation for relation in (*delta.dropped, *delta.added)}
    for id_ in delta.removed:
        touched.update((relation.key, relation) for relation in before.relations_of(id_))
    return [
        relation
        for relation in touched.values()
        if _rank(before, relation) != _rank(after, relation)
    ]


def _rank(graph: SceneGraph, relation: SceneRelation) -> int | None:
    there = graph.relation(relation.name, *relation.elements)
    return None if there is None else graph.relation_rank(there)
