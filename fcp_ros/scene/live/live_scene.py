# SPDX-License-Identifier: Apache-2.0
"""A scene that follows its sources: updates in order, stable identities, derived relations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, delta_between
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import Layer, Provenance, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.graph.labels import normalise_label
from fcp_ros.scene.live.change import SceneChange, UpdateStatus, change_of
from fcp_ros.scene.live.identity import IdentityMap
from fcp_ros.scene.live.matching import IdTrust, LiveOptions, Matching, match, settled
from fcp_ros.scene.live.numbers import SourceNumbers, Turn
from fcp_ros.scene.relations.draft import DOORS, FLOOR
from fcp_ros.scene.relations.keeper import RelationKeeper
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions

DEFAULT_LIVE_OPTIONS = LiveOptions()


class LiveScene:
    """The present scene graph, kept up to date by full updates and deltas.

    Each update that is taken gives the graph the next number (a full one without a source its own,
    where that is greater); whoever applies the ``delta`` of every change has the same graph. Memory
    does not grow with the number of updates. For one thread at a time.

    Args:
        options: How updates are compared with what is known.
        relations: Which relations are derived; None to derive none.
        number: After which the graph's numbers go on.
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
        self._given: SceneGraph | None = None  # what sources said, with our ids
        self._graph: SceneGraph | None = None  # with what follows from it
        self._keeper: RelationKeeper | None = None
        self._numbers = SourceNumbers(options.most_sources)
        self._identities: OrderedDict[str, IdentityMap] = OrderedDict()

    @property
    def graph(self) -> SceneGraph | None:
        """The present graph; None before the first."""
        return self._graph

    def take_full(
        self, update: SceneGraph, *, source: str = "", time: float | None = None
    ) -> SceneChange:
        """Work in a whole graph; what it lacks is gone.

        Args:
            update: The graph with the source's ids; its ``sequence`` is the source's number.
            source: Who sent it; "" for one who uses the numbers of our graph.
            time: Of the observation (s); tells a late update from a source that began anew.

        Returns:
            What it changed. Elements keep our ids: by their ids at the source, else by category,
            place and size.

        Raises:
            SceneError: It has no nodes.
        """
        judged = self._numbers.of_full(source, update.sequence, time)
        if judged.turn is Turn.LATE:
            return self._nothing(UpdateStatus.IGNORED, judged.reason)
        if not update.nodes:
            raise SceneError(
                "a full update without any node",
                source=update.source,
                advice="Send at least one room or object.",
            )
        identity, given = self._identity(source), self._given
        if given is None:
            matching = Matching({})
        else:
            matching = match(
                given,
                update.nodes.values(),
                None,
                identity,
                self._options.association,
                trust=(
                    IdTrust.WITH_KIND_AND_PLACE
                    if judged.turn is Turn.ANEW
                    else IdTrust.UNLESS_ALL_DIFFERS
                ),
                same_frame=given.frame_id == update.frame_id,
            )
        nodes = self._settled(map(matching.node, update.nodes.values()))
        relations = self._stated(map(matching.relation, update.relations))
        before = self._number if self._graph is None else self._graph.sequence
        number = max(before + 1, 0 if source else update.sequence)
        change = self._take(*_replacement(given, update, nodes, relations), number, matching)
        self._named(identity, matching, change.removed)
        self._numbers.took(source, update.sequence, time)
        return change

    def take_delta(
        self, update: SceneDelta, *, source: str = "", time: float | None = None
    ) -> SceneChange:
        """Work in a delta.

        Args:
            update: The change with the source's ids and number.
            source: As in ``take_full``; the delta of "" has the number of our graph plus one.
            time: As in ``take_full``.

        Returns:
            What it changed, or IGNORED or NEED_FULL, where nothing did.

        Raises:
            SceneError: It does not fit the graph, or the result would not be valid. Nothing changes
                then, and the source's next deltas are answered by NEED_FULL.
        """
        given, graph = self._given, self._graph
        if given is None or graph is None:
            return self._nothing(UpdateStatus.NEED_FULL, "there is no graph yet")
        judged = self._numbers.of_delta(source, update.sequence, time, graph.sequence)
        if judged.turn is Turn.LATE:
            return self._nothing(UpdateStatus.IGNORED, judged.reason)
        if judged.turn is Turn.GAP:
            self._numbers.lost(source)
            return self._nothing(UpdateStatus.NEED_FULL, judged.reason)
        try:
            identity = self._identity(source)
            matching, delta = self._translated(given, update, identity)
            change = self._take(apply_delta(given, delta), delta, graph.sequence + 1, matching)
        except SceneError:
            self._numbers.lost(source)
            raise
        self._named(identity, matching, change.removed)
        self._numbers.took(source, update.sequence, time)
        return change

    # --- what an update says, in our ids

    def _translated(
        self, given: SceneGraph, update: SceneDelta, identity: IdentityMap
    ) -> tuple[Matching, SceneDelta]:
        """A delta for the given graph, without what is known already."""
        removed = [identity.ours(id_) or id_ for id_ in update.removed]
        association = self._options.association
        matching = match(
            given, update.upserted, removed, identity, association, trust=IdTrust.ALWAYS
        )
        reborn = {renaming.id for renaming in matching.renamed}
        ours = {**{id_: identity.ours(id_) or id_ for id_ in _named_in(update)}, **matching.ours}
        whole = Matching(ours, matching.renamed, matching.ambiguous)
        nodes = {node.id: node for node in self._settled(map(whole.node, update.upserted))}
        added = self._stated(map(whole.relation, update.added))
        dropped = [whole.relation(relation) for relation in update.dropped]
        self._promote(nodes, added)
        keys = {relation.key for relation in added}
        for id_ in reborn:  # what was stated of it by its old name went with that
            dropped += [r for r in given.relations_of(id_) if r.key not in keys]
        delta = SceneDelta(
            given.sequence + 1,
            tuple(node for node in nodes.values() if given.nodes.get(node.id) != node),
            tuple(id_ for id_ in removed if id_ not in reborn and not self._is_derived(id_)),
            tuple(r for r in added if given.relation(r.name, *r.elements) != r),
            tuple(r for r in dict.fromkeys(dropped) if not self._follows(r)),
        )
        return whole, delta

    def _settled(self, nodes: Iterable[SceneNode]) -> list[SceneNode]:
        known = {} if self._given is None else self._given.nodes
        return [settled(known.get(node.id), node, self._options) for node in nodes]

    def _stated(self, relations: Iterable[SceneRelation]) -> list[SceneRelation]:
        """Without those that somebody else derived and that are derived here anew."""
        if self._relations is None:
            return list(relations)
        derived = self._relations.derived
        return [r for r in relations if r.provenance is Provenance.GIVEN or r.name not in derived]

    def _is_derived(self, id_: str) -> bool:
        """Whether a node is there only because completion made it."""
        given, graph = self._given, self._graph
        return (
            given is not None
            and graph is not None
            and id_ in graph.nodes
            and id_ not in given.nodes
        )

    def _follows(self, relation: SceneRelation) -> bool:
        """Whether a relation is there only because it follows from others."""
        given, graph = self._given, self._graph
        assert given is not None
        assert graph is not None
        name, elements = relation.key
        return (
            given.relation(name, *elements) is None and graph.relation(name, *elements) is not None
        )

    def _promote(self, nodes: dict[str, SceneNode], added: Iterable[SceneRelation]) -> None:
        """A node that completion made is a given one as soon as a source speaks of it."""
        assert self._graph is not None
        waiting = [parent for node in nodes.values() for parent in node.parents]
        waiting += [element for relation in added for element in relation.elements]
        while waiting:
            id_ = waiting.pop()
            if id_ not in nodes and self._is_derived(id_):
                nodes[id_] = self._graph.nodes[id_]
                waiting += nodes[id_].parents

    def _identity(self, source: str) -> IdentityMap:
        found = self._identities.setdefault(source, IdentityMap())
        self._identities.move_to_end(source)
        if len(self._identities) > self._options.most_sources + 1:
            self._identities.popitem(last=False)
        return found

    def _named(self, identity: IdentityMap, matching: Matching, removed: Iterable[str]) -> None:
        for theirs, ours in matching.ours.items():
            if identity.theirs(ours) != theirs:
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
    ) -> SceneChange:
        """Make a graph of given nodes and relations the present one.

        Args:
            given: What sources say now.
            delta: What leads to it from what they said before; None for too much.
            number: Of the graph that results.
            matching: How the update was matched.
        """
        before = self._graph
        if before is None or delta is None:
            graph, whole = self._whole(given, number)
        elif self._keeper is None:
            graph, whole = given.with_sequence(number), delta
        elif self._is_structure(delta):
            graph, whole = self._whole(given, number)
        else:
            whole = self._keeper.advance(replace(delta, sequence=before.sequence + 1))
            graph = self._keeper.graph.with_sequence(number)
            if self._keeper.last.full:
                graph = _following(before, whole, graph)
            self._keeper.adopt(graph)
        self._given, self._graph = given, graph
        renamed, ambiguous = matching.renamed, matching.ambiguous
        return change_of(before, graph, replace(whole, sequence=number), renamed, ambiguous)

    def _whole(self, given: SceneGraph, number: int) -> tuple[SceneGraph, SceneDelta]:
        """Derive everything anew."""
        if self._relations is not None:
            self._keeper = RelationKeeper(given, self._relations)
            completed = self._keeper.graph
        else:
            completed = given
        graph = completed.with_sequence(number)
        whole = delta_between(self._graph or SceneGraph({}), graph)
        if self._graph is not None and self._graph.frame_id == graph.frame_id:
            graph = _following(self._graph, whole, graph)
        if self._keeper is not None:
            self._keeper.adopt(graph)
        return graph, whole

    def _is_structure(self, delta: SceneDelta) -> bool:
        """Whether rooms, passages, floors or the number of agents change.

        Completion makes nodes for these (a room's floor, a passage, a robot), so that they are made
        anew and none stays behind.
        """
        assert self._given is not None
        nodes = self._given.nodes
        if any(relation.name == "connected" for relation in (*delta.added, *delta.dropped)):
            return True
        if any(_is_structural(nodes[id_]) for id_ in delta.removed):
            return True
        for node in delta.upserted:
            older = nodes.get(node.id)
            if older is None and (_is_structural(node) or self._is_derived(node.id)):
                return True
            is_structural = _is_structural(node) or (older is not None and _is_structural(older))
            if is_structural and older is not None and _shape(older) != _shape(node):
                return True
        return False

    def _nothing(self, status: UpdateStatus, reason: str) -> SceneChange:
        number = self._number if self._graph is None else self._graph.sequence
        return SceneChange(status, self._graph, self._graph, SceneDelta(number), reason=reason)


def _replacement(
    given: SceneGraph | None,
    update: SceneGraph,
    nodes: list[SceneNode],
    relations: list[SceneRelation],
) -> tuple[SceneGraph, SceneDelta | None]:
    """What sources say after a full update, and the delta that leads there if it is a small one."""
    if given is not None and given.frame_id == update.frame_id:
        delta = _difference(given, nodes, relations)
        if len(delta.upserted) + len(delta.removed) <= len(given.nodes) // 4:
            after = apply_delta(given, delta)  # shares what stays, and the indexes
            return after.with_source(update.source).with_notes_instead(update.notes), delta
    number = 0 if given is None else given.sequence + 1
    return SceneGraph.of(
        nodes,
        relations,
        frame_id=update.frame_id,
        sequence=number,
        source=update.source,
        notes=update.notes,
    ), None


def _difference(
    given: SceneGraph, nodes: list[SceneNode], relations: list[SceneRelation]
) -> SceneDelta:
    """The delta to a graph of these nodes and relations."""
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


def _following(before: SceneGraph, delta: SceneDelta, after: SceneGraph) -> SceneGraph:
    """The graph ``after`` in the order, and with the indexes, that a follower's graph has."""
    reached = apply_delta(before, replace(delta, sequence=before.sequence + 1))
    reached = reached.with_source(after.source).with_notes_instead(after.notes)
    return reached.with_sequence(after.sequence)


def _named_in(update: SceneDelta) -> Iterable[str]:
    """All ids that a delta names."""
    for node in update.upserted:
        yield from (node.id, *node.parents)
    for relation in (*update.added, *update.dropped):
        yield from relation.elements


def _is_structural(node: SceneNode) -> bool:
    if node.layer is not Layer.OBJECT:
        return True
    label = normalise_label(node.category)
    return label == FLOOR or label in DOORS


def _shape(node: SceneNode) -> tuple[object, ...]:
    """What the structure depends on; an agent may go where it likes."""
    if node.layer is Layer.AGENT:
        return (node.layer, node.category)
    rest = (node.pose, node.size, node.polygon, node.height, node.parents)
    return (node.layer, node.category, *rest)
