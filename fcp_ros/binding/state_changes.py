# SPDX-License-Identifier: Apache-2.0
"""States that follow the changes of their scene, in time of the change's size.

Everything that a change may touch is read again by the rules of ``scene_to_instance``
(``StatedFacts``): the elements whose nodes changed; the facts that changed nodes and relations
state or stated; the items that lie on a node whose type changed; and the facts that a functional
leg sets against one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcp_ros.binding.label_types import TypeChoice
from fcp_ros.binding.renaming import LegKey
from fcp_ros.binding.scene_to_state import SceneState
from fcp_ros.binding.stated_facts import LOCATIONS, FactStatus, StatedFacts, is_assumed
from fcp_ros.cset import Fact, InstanceBuilder
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import Provenance, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


def advance_state(
    state: SceneState, delta: SceneDelta, after: SceneGraph | None = None
) -> SceneState:
    """Return the state after a change of its scene; unchanged parts are shared with the old state.

    Returns:
        The same as ``scene_to_instance`` of the scene after the change and the types before it, up
        to ids; elements that stay keep theirs.
    """
    graph = apply_delta(state.graph, delta) if after is None else after
    return _StateUpdate(state, graph, delta).run()


class _StateUpdate:
    """The working data of one call of ``advance_state``."""

    def __init__(self, state: SceneState, after: SceneGraph, delta: SceneDelta) -> None:
        before = state.facts.with_cache()
        self._old = state
        self._before = before
        self._log = state.log.copy()
        self._nodes = _find_changed_nodes(before.graph, delta)
        self._relations = _find_changed_relations(before.graph, after, delta)
        self._typing = before.typing.copy()
        self._facts = StatedFacts(after, before.vocabulary, before.mapping, self._typing)
        self._after = self._facts.with_cache()

    def run(self) -> SceneState:
        self._retyped = self._choose_types(self._typing)
        facts = self._add_rivals([*self._collect_facts(), *self._place(self._find_items())])
        winners = self._resolve(facts)
        builder = InstanceBuilder.of(self._old.instance)
        for fact in facts:
            if fact not in winners or not self._retyped.keys().isdisjoint(fact.arguments):
                self._unrelate(builder, fact)
        self._renew_elements(builder)
        for fact in winners:
            builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
        instance = builder.build() if builder.change() else self._old.instance
        return SceneState(instance, self._facts, self._old.typer, self._log)

    # --- elements

    def _choose_types(self, typing: PersistentMap[str, TypeChoice]) -> dict[str, None]:
        """Choose types again for nodes that changed, became passages, or hold something now."""
        retyped: dict[str, None] = {}
        passages = (
            relation.elements[2]
            for relation in self._relations
            if relation.name == "connected" and len(relation.elements) == 3
        )
        holders = (
            relation.elements[1]
            for relation in self._relations
            if relation.name in LOCATIONS and len(relation.elements) == 2
        )
        for id_ in dict.fromkeys((*self._nodes, *passages, *holders)):
            was, now = typing.get(id_), self._choose_type(id_)
            if now is None:
                typing.pop(id_, None)
            elif now != was:
                typing[id_] = now
            if now is not None and now.is_guess:
                self._log.guessed[id_] = None
            else:
                self._log.guessed.pop(id_, None)
            if (was and was.type) != (now and now.type):
                retyped[id_] = None
        return retyped

    def _choose_type(self, id_: str) -> TypeChoice | None:
        graph = self._after.graph
        node = graph.nodes.get(id_)
        if node is None:
            return None
        is_passage, holds = False, set()
        for relation in graph.relations_of(id_):
            name, elements = relation.name, relation.elements
            is_passage |= name == "connected" and len(elements) == 3 and elements[2] == id_
            if name in LOCATIONS and len(elements) == 2 and elements[1] == id_:
                holds.add(name)
        passage_type = self._after.vocabulary.passage_type if is_passage else None
        return self._old.typer.choose(node, passage_type, holds, self._before.typing.get(id_))

    def _renew_elements(self, builder: InstanceBuilder) -> None:
        """Replace elements whose type changed, and update changed attributes of the others."""
        vocabulary, before, after = self._after.vocabulary, self._before, self._after
        for id_ in self._retyped:
            if id_ in before.typing:
                builder.remove(builder.id_of(id_))
        for id_ in dict.fromkeys((*self._nodes, *self._retyped)):
            self._log.attributes.pop(id_, None)
            type_ = after.type_of(id_)
            if type_ is None:
                continue
            values, notes = vocabulary.attributes(after.graph.nodes[id_], type_)
            if notes:
                self._log.attributes[id_] = notes
            if id_ in self._retyped:
                builder.add(type_, id_, values)
                continue
            element = builder.id_of(id_)
            had, _ = vocabulary.attributes(before.graph.nodes[id_], type_)
            for name in {**had, **values}:
                if had.get(name) != values.get(name):
                    builder.set_attribute(element, name, values.get(name))

    # --- facts

    def _collect_facts(self) -> Iterator[Fact]:
        """Yield the facts that changed nodes and relations state or stated, except places."""
        relations = dict.fromkeys(self._relations)
        for id_ in self._retyped:
            relations.update(dict.fromkeys(self._before.graph.relations_of(id_)))
            relations.update(dict.fromkeys(self._after.graph.relations_of(id_)))
        for side in (self._before, self._after):
            for relation in relations:
                stated = side.graph.relation(relation.name, *relation.elements)
                fact = None if stated is None else side.fact_of(stated)
                if fact is not None:
                    yield fact
            for id_ in dict.fromkeys((*self._nodes, *self._retyped)):
                node = side.graph.nodes.get(id_)
                if node is not None:
                    yield from side.state_facts(node)

    def _fact(self, relation: str, row: int) -> Fact:
        instance = self._old.instance
        legs = instance.tuples(relation)[row]
        return Fact(relation, tuple([instance.name_of(leg) for leg in legs]))

    def _add_rivals(self, facts: Iterable[Fact]) -> dict[Fact, None]:
        """Return these facts with all that functional legs set against them, transitively."""
        found = dict.fromkeys(facts)
        waiting = list(found)
        seen: set[LegKey] = set()
        while waiting:
            for key in self._before.vocabulary.functional_keys(waiting.pop()):
                if key in seen:
                    continue
                seen.add(key)
                for rival in (*self._find_related(key), *self._log.blocked_at.get(key, ())):
                    if rival not in found:
                        found[rival] = None
                        waiting.append(rival)
        return found

    def _find_related(self, key: LegKey) -> Iterator[Fact]:
        relation, position, id_ = key
        instance = self._old.instance
        if instance.has(id_):
            leg = self._before.vocabulary.relations[relation].legs[position][0]
            for row in instance.tuples_at(relation, leg, instance.id_of(id_)):
                yield self._fact(relation, row)

    def _resolve(self, facts: Iterable[Fact]) -> dict[Fact, None]:
        """Return the facts that hold now: of those that contradict each other, the first."""
        vocabulary, log = self._after.vocabulary, self._log
        fitting = []
        for fact in facts:
            order = self._after.order_of(fact)
            status = None if order is None else self._after.status(fact)
            log.unblock(fact, vocabulary.functional_keys(fact))
            log.unfit.pop(fact, None)
            if status is FactStatus.UNFIT:
                log.unfit[fact] = None
            elif status is FactStatus.FITS:
                fitting.append((order, fact))
            if fact.relation not in vocabulary.relations:
                was_unknown = (
                    self._before.order_of(fact) is not None
                    and self._before.status(fact) is FactStatus.UNKNOWN
                )
                log.count_unknown(fact.relation, (status is FactStatus.UNKNOWN) - was_unknown)
        winners: dict[Fact, None] = {}
        by_key: dict[LegKey, Fact] = {}
        for _, fact in sorted(fitting):
            keys = vocabulary.functional_keys(fact)
            winner = next((by_key[key] for key in keys if key in by_key), None)
            if winner is None:
                by_key.update(dict.fromkeys(keys, fact))
                winners[fact] = None
            else:
                log.block(fact, keys, winner)
        return winners

    def _unrelate(self, builder: InstanceBuilder, fact: Fact) -> None:
        instance = self._old.instance
        if fact.relation in self._before.vocabulary.relations and all(
            map(instance.has, fact.arguments)
        ):
            legs = tuple([instance.id_of(argument) for argument in fact.arguments])
            if instance.find_tuple(fact.relation, legs) is not None:
                builder.unrelate(fact.relation, *legs)

    # --- places of items

    def _find_items(self) -> dict[str, None]:
        items: dict[str, None] = {}
        lower = dict.fromkeys(self._retyped)
        for relation in self._relations:
            if len(relation.elements) != 2:
                continue
            if relation.name in LOCATIONS:
                lower[relation.elements[0]] = None
            elif relation.name == "holding":
                items[relation.elements[1]] = None
        items.update(self._find_resting_on(lower))
        return items

    def _find_resting_on(self, lower: Iterable[str]) -> dict[str, None]:
        """Find these things and all on or inside them, transitively, before or after."""
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

    def _place(self, items: Iterable[str]) -> Iterator[Fact]:
        """Yield the old and the new place of each item, and log the new one."""
        log = self._log
        for id_ in items:
            was, now = self._before.place(id_), self._after.place(id_)
            for place in (was, now):
                if place is not None and place.fact is not None:
                    yield place.fact
            log.note_place(id_, now)


def _find_changed_nodes(before: SceneGraph, delta: SceneDelta) -> dict[str, None]:
    """Find the ids of all nodes that are new, gone or changed."""
    nodes = dict.fromkeys([node.id for node in delta.upserted])
    for id_ in delta.removed:
        nodes[id_] = None
        nodes.update(dict.fromkeys(before.children_of(id_)))  # they lose a parent
    return nodes


def _find_changed_relations(
    before: SceneGraph, after: SceneGraph, delta: SceneDelta
) -> list[SceneRelation]:
    """Find the relations that are new, gone, or at another place in the graph's order.

    A place that is given or seen now, and was derived or assumed, counts as changed.
    """
    touched = {relation.key: relation for relation in (*delta.dropped, *delta.added)}
    for id_ in delta.removed:
        touched.update((relation.key, relation) for relation in before.relations_of(id_))
    return [
        relation
        for relation in touched.values()
        if _rank(before, relation) != _rank(after, relation)
    ]


def _rank(graph: SceneGraph, relation: SceneRelation) -> tuple[int, bool, bool] | None:
    there = graph.relation(relation.name, *relation.elements)
    if there is None:
        return None
    is_given = relation.name in LOCATIONS and there.provenance is Provenance.GIVEN
    return graph.relation_rank(there), is_given, is_assumed(there)
