# SPDX-License-Identifier: Apache-2.0
"""A scene that follows its sources: updates in order, stable identities, derived relations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from fcp_ros.scene.graph.delta import (
    SceneChange,
    SceneDelta,
    UpdateStatus,
    apply_delta,
    compute_delta,
    describe_change,
)
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor, is_robot
from fcp_ros.scene.live_matching import (
    IdentityMap,
    IdTrust,
    LiveOptions,
    Matching,
    match_nodes,
    suppress_jitter,
)
from fcp_ros.scene.relations.maintainer import RelationMaintainer
from fcp_ros.scene.relations.relation_options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.sequence_numbers import SequenceNumbers, UpdateOrder


def replace_graph(
    given: SceneGraph | None,
    update: SceneGraph,
    nodes: list[SceneNode],
    relations: list[SceneRelation],
) -> tuple[SceneGraph, SceneDelta | None]:
    """Make the graph of a full update, and the delta to it; None if that is large.

    ``given`` is the graph before (None: the first); nodes and relations have our ids.
    """
    if given is not None and given.frame_id == update.frame_id:
        delta = _make_delta(given, nodes, relations)
        if len(delta.upserted) + len(delta.removed) <= len(given.nodes) // 4:
            after = apply_delta(given, delta)  # shares what stays, and the indexes
            return after.with_source(update.source).with_notes(update.notes), delta
    number = 0 if given is None else given.sequence + 1
    return SceneGraph.of(
        nodes,
        relations,
        frame_id=update.frame_id,
        sequence=number,
        source=update.source,
        notes=update.notes,
    ), None


def _make_delta(
    given: SceneGraph, nodes: list[SceneNode], relations: list[SceneRelation]
) -> SceneDelta:
    ids = {node.id for node in nodes}
    removed = tuple([id_ for id_ in given.nodes if id_ not in ids])
    gone = set(removed)
    now = {relation.key: relation for relation in relations}
    was = given.nodes
    return SceneDelta(
        given.sequence + 1,
        tuple([n for n in nodes if (older := was.get(n.id)) is not n and older != n]),
        removed,
        tuple([r for r in relations if given.relation(r.name, *r.elements) != r]),
        tuple([r for r in given.relations if r.key not in now and gone.isdisjoint(r.elements)]),
    )


def reorder_as_follower(before: SceneGraph, after: SceneGraph) -> SceneGraph:
    """Return a graph in the order of a follower that applies the delta from ``before`` to it.

    The elements of ``before`` come first, in their order, then the new ones.
    """
    now = {relation.key: relation for relation in after.relations}
    relations = {key: now[key] for one in before.relations if (key := one.key) in now}
    relations.update(now)
    nodes = {id_: after.nodes[id_] for id_ in before.nodes if id_ in after.nodes}
    nodes.update(after.nodes)
    return after.with_contents(nodes, relations, after.notes)


def iterate_ids(update: SceneDelta) -> Iterable[str]:
    for node in update.upserted:
        yield from (node.id, *node.parents)
    for relation in (*update.added, *update.dropped):
        yield from relation.elements


# --- a scene that follows its sources ---

DEFAULT_LIVE_OPTIONS = LiveOptions()


class LiveScene:
    """The present scene graph, kept up to date by full updates and deltas.

    Each update that is taken gives the graph the next number (a full one without a source its own,
    where that is greater); a follower that applies the ``delta`` of every change has the same
    graph. Memory does not grow with the number of updates. For one thread at a time. ``relations``
    None derives none; ``number`` is the one before the first graph's.
    """

    def __init__(
        self,
        options: LiveOptions = DEFAULT_LIVE_OPTIONS,
        relations: RelationOptions | None = DEFAULT_OPTIONS,
        number: int = 0,
    ) -> None:
        self._options = options
        self._number = number
        self._relations = relations
        # Nodes and relations that sources gave, with our ids, and the graph derived from them.
        # Both are None before the first full update, and change together in `_take`.
        self._given: SceneGraph | None = None
        self._graph: SceneGraph | None = None
        self._maintainer: RelationMaintainer | None = None
        # Layers of removed rooms and robots, until a source has one again: not to be assumed.
        self._removed: frozenset[Layer] = frozenset()
        self._numbers = SequenceNumbers(options.most_sources)
        self._identities: OrderedDict[str, IdentityMap] = OrderedDict()

    @property
    def graph(self) -> SceneGraph | None:
        """The present graph; None before the first."""
        return self._graph

    def take_full(
        self, update: SceneGraph, *, source: str = "", time: float | None = None
    ) -> SceneChange:
        """Work in a whole graph; elements that it lacks are gone. SceneError without nodes.

        Elements keep our ids: they are recognised by their ids at the source, else by category,
        place and size. ``update.sequence`` is the source's number, ``source`` "" one that counts as
        our graph; ``time`` (s) of the observation tells a late update from a restarted source.
        """
        check = self._numbers.check_full(source, update.sequence, time)
        if check.order is UpdateOrder.LATE:
            return self._reject(UpdateStatus.IGNORED, check.reason)
        if not update.nodes:
            raise SceneError(
                "a full update without any node",
                source=update.source,
                advice="Send at least one room or object.",
            )
        identity, given = self._find_identity(source), self._given
        if given is None:
            matching = Matching({})
        else:
            matching = match_nodes(
                given,
                update.nodes.values(),
                None,
                identity,
                self._options.association,
                trust=(
                    IdTrust.WITH_KIND_AND_PLACE
                    if check.order is UpdateOrder.RESTARTED
                    else IdTrust.UNLESS_ALL_DIFFERS
                ),
                same_frame=given.frame_id == update.frame_id,
            )
        nodes = self._suppress_jitter(map(matching.translate_node, update.nodes.values()))
        relations = self._drop_derived(map(matching.translate_relation, update.relations))
        before = self._number if self._graph is None else self._graph.sequence
        number = max(before + 1, 0 if source else update.sequence)
        graph, delta = replace_graph(given, update, nodes, relations)
        change = self._take(graph, delta, number, matching, self._removed)
        self._bind_names(identity, matching, change.removed)
        self._numbers.record(source, update.sequence, time)
        return change

    def take_delta(
        self, update: SceneDelta, *, source: str = "", time: float | None = None
    ) -> SceneChange:
        """Work in a delta; the status is IGNORED or NEED_FULL if it was not taken.

        Arguments as in ``take_full``; the delta of "" has the number of our graph plus one. Raises
        SceneError if it does not fit, or the result would not be valid. Nothing changes then, and
        the source's next deltas are answered by NEED_FULL.
        """
        given, graph = self._given, self._graph
        if given is None or graph is None:
            return self._reject(UpdateStatus.NEED_FULL, "there is no graph yet")
        check = self._numbers.check_delta(source, update.sequence, time, graph.sequence)
        if check.order is UpdateOrder.LATE:
            return self._reject(UpdateStatus.IGNORED, check.reason)
        if check.order is UpdateOrder.GAP:
            self._numbers.record_loss(source)
            return self._reject(UpdateStatus.NEED_FULL, check.reason)
        try:
            _check_ids(update)
            identity = self._find_identity(source)
            matching, delta = self._translate(given, update, identity)
            removed = self._removed | self._find_layers(identity, update.removed)
            after = apply_delta(given, delta)
            change = self._take(after, delta, graph.sequence + 1, matching, removed)
        except SceneError:
            self._numbers.record_loss(source)
            raise
        self._bind_names(identity, matching, change.removed)
        self._numbers.record(source, update.sequence, time)
        return change

    # --- what an update says, in our ids

    def _translate(
        self, given: SceneGraph, update: SceneDelta, identity: IdentityMap
    ) -> tuple[Matching, SceneDelta]:
        """Translate a delta to our ids, and drop what the given graph holds already."""
        removed = [identity.to_ours(id_) or id_ for id_ in update.removed]
        association = self._options.association
        matching = match_nodes(
            given, update.upserted, removed, identity, association, trust=IdTrust.ALWAYS
        )
        reborn = {renaming.id for renaming in matching.renamed}
        ours = {
            **{id_: identity.to_ours(id_) or id_ for id_ in iterate_ids(update)},
            **matching.ours,
        }
        whole = Matching(ours, matching.renamed, matching.ambiguous)
        steady = self._suppress_jitter(map(whole.translate_node, update.upserted))
        nodes = {node.id: node for node in steady}
        added = self._drop_derived(map(whole.translate_relation, update.added))
        dropped = [whole.translate_relation(relation) for relation in update.dropped]
        self._promote(nodes, added)
        keys = {relation.key for relation in added}
        for id_ in reborn:  # relations stated under its old name went with that name
            dropped += [r for r in given.relations_of(id_) if r.key not in keys]
        delta = SceneDelta(
            given.sequence + 1,
            tuple(node for node in nodes.values() if given.nodes.get(node.id) != node),
            tuple(id_ for id_ in removed if id_ not in reborn and not self._is_derived(id_)),
            tuple(r for r in added if given.relation(r.name, *r.elements) != r),
            tuple(r for r in dict.fromkeys(dropped) if not self._is_derived_relation(r)),
        )
        return whole, delta

    def _suppress_jitter(self, nodes: Iterable[SceneNode]) -> list[SceneNode]:
        known = {} if self._given is None else self._given.nodes
        return [suppress_jitter(known.get(node.id), node, self._options) for node in nodes]

    def _drop_derived(self, relations: Iterable[SceneRelation]) -> list[SceneRelation]:
        """Drop the relations that the source derived and that are derived here again."""
        if self._relations is None:
            return list(relations)
        derived = self._relations.derived
        return [r for r in relations if r.provenance is Provenance.GIVEN or r.name not in derived]

    def _is_derived(self, id_: str) -> bool:
        """Return True if a node is there only because completion made it."""
        given, graph = self._given, self._graph
        return (
            given is not None
            and graph is not None
            and id_ in graph.nodes
            and id_ not in given.nodes
        )

    def _is_derived_relation(self, relation: SceneRelation) -> bool:
        """Return True if a relation is there only because it was derived."""
        given, graph = self._given, self._graph
        assert given is not None
        assert graph is not None
        name, elements = relation.key
        return (
            given.relation(name, *elements) is None and graph.relation(name, *elements) is not None
        )

    def _find_layers(self, identity: IdentityMap, removed: Iterable[str]) -> frozenset[Layer]:
        """Find the layers of removed rooms and robots, which completion would assume again."""
        assert self._graph is not None
        nodes = map(self._graph.nodes.get, (identity.to_ours(id_) or id_ for id_ in removed))
        return frozenset(node.layer for node in nodes if node is not None and _is_assumable(node))

    def _promote(self, nodes: dict[str, SceneNode], added: Iterable[SceneRelation]) -> None:
        """Add nodes that completion made and that a source now names: they become given ones."""
        assert self._graph is not None
        waiting = [parent for node in nodes.values() for parent in node.parents]
        waiting += [element for relation in added for element in relation.elements]
        while waiting:
            id_ = waiting.pop()
            if id_ not in nodes and self._is_derived(id_):
                nodes[id_] = self._graph.nodes[id_]
                waiting += nodes[id_].parents

    def _find_identity(self, source: str) -> IdentityMap:
        found = self._identities.setdefault(source, IdentityMap())
        self._identities.move_to_end(source)
        if len(self._identities) > self._options.most_sources + 1:
            self._identities.popitem(last=False)
        return found

    def _bind_names(
        self, identity: IdentityMap, matching: Matching, removed: Iterable[str]
    ) -> None:
        for theirs, ours in matching.ours.items():
            if identity.to_theirs(ours) != theirs:
                identity.bind(ours, theirs)
        for other in self._identities.values():
            other.retire(removed)

    # --- the graph

    def _take(
        self,
        given: SceneGraph,
        delta: SceneDelta | None,
        number: int,
        matching: Matching,
        removed: frozenset[Layer],
    ) -> SceneChange:
        """Make a graph of given nodes and relations the present one; ``delta`` None: much changed.

        Nothing of this object changes before all that may raise is done. Of the layers ``removed``
        no node is to be assumed.
        """
        before, older = self._graph, self._given
        if removed:
            removed -= {node.layer for node in given.nodes.values() if _is_assumable(node)}
        if before is None or older is None or delta is None:
            graph, whole = self._derive_all(given, number, removed)
        elif self._maintainer is None:
            graph, whole = given.with_sequence(number), delta
        elif removed != self._removed or _changes_structure(delta, older.nodes, self._is_derived):
            graph, whole = self._derive_all(given, number, removed)
        else:
            whole = self._maintainer.advance(replace(delta, sequence=before.sequence + 1))
            graph = self._maintainer.graph.with_source(given.source).with_sequence(number)
            if self._maintainer.rederived:
                graph = reorder_as_follower(before, graph)
            self._maintainer.adopt(graph)
        self._given, self._graph, self._removed = given, graph, removed
        renamed, ambiguous = matching.renamed, matching.ambiguous
        return describe_change(before, graph, replace(whole, sequence=number), renamed, ambiguous)

    def _derive_all(
        self, given: SceneGraph, number: int, removed: frozenset[Layer]
    ) -> tuple[SceneGraph, SceneDelta]:
        """Derive everything again."""
        completed = given
        if self._relations is not None:
            options = replace(self._relations, assumed=self._relations.assumed - removed)
            # A source that sends only whole graphs hardly needs any index.
            is_first = self._graph is None
            self._maintainer = RelationMaintainer(given, options, prepare=is_first)
            completed = self._maintainer.graph
        graph = completed.with_sequence(number)
        whole = compute_delta(self._graph or SceneGraph({}), graph)
        if self._graph is not None and self._graph.frame_id == graph.frame_id:
            graph = reorder_as_follower(self._graph, graph)
        if self._maintainer is not None:
            self._maintainer.adopt(graph)
        return graph, whole

    def _reject(self, status: UpdateStatus, reason: str) -> SceneChange:
        number = self._number if self._graph is None else self._graph.sequence
        return SceneChange(status, self._graph, self._graph, SceneDelta(number), reason=reason)


def _check_ids(update: SceneDelta) -> None:
    """Refuse a delta that names a node twice, before names are matched: a copy would look new."""
    seen: set[str] = set()
    for id_ in (*(node.id for node in update.upserted), *update.removed):
        if id_ in seen:
            raise SceneError(
                "the delta names this node twice",
                element=id_,
                advice="Send each node once, either changed or removed.",
            )
        seen.add(id_)


def _changes_structure(
    delta: SceneDelta, nodes: Mapping[str, SceneNode], is_derived: Callable[[str], bool]
) -> bool:
    """Return True if rooms, passages, floors or the number of agents change.

    Completion makes nodes for these (a room's floor, a passage, a robot; ``is_derived``), which
    must be made again from the given ones, so that none is left behind.
    """
    if any(relation.name == "connected" for relation in (*delta.added, *delta.dropped)):
        return True
    if any(id_ in nodes and _is_structural(nodes[id_]) for id_ in delta.removed):
        return True
    for node in delta.upserted:
        older = nodes.get(node.id)
        if older is None:
            if _is_structural(node) or is_derived(node.id):
                return True
        elif (_is_structural(node) or _is_structural(older)) and _shape(older) != _shape(node):
            return True
    return False


def _is_assumable(node: SceneNode) -> bool:
    """Return True if completion would assume such a node in a scene that has none."""
    return node.layer is Layer.ROOM or (node.layer is Layer.AGENT and is_robot(node))


def _is_structural(node: SceneNode) -> bool:
    return node.layer is not Layer.OBJECT or is_floor(node) or is_door(node)


def _shape(node: SceneNode) -> tuple[object, ...]:
    """Return the fields that the structure depends on; agents may move."""
    if node.layer is Layer.AGENT:
        return (node.layer, node.category)
    rest = (node.pose, node.size, node.polygon, node.height, node.parents)
    return (node.layer, node.category, *rest)
