# SPDX-License-Identifier: Apache-2.0
"""A scene that follows its sources: updates in order, stable identities, derived relations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, delta_between
from fcp_ros.scene.graph.elements import Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.live.change import SceneChange, UpdateStatus, change_of
from fcp_ros.scene.live.identity import IdentityMap
from fcp_ros.scene.live.matching import IdTrust, LiveOptions, Matching, match, settled
from fcp_ros.scene.live.numbers import SourceNumbers, Turn
from fcp_ros.scene.live.replacement import following, named_in, replacement
from fcp_ros.scene.live.structure import concerns_structure
from fcp_ros.scene.relations.maintenance.maintainer import RelationMaintainer
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
        self._keeper: RelationMaintainer | None = None
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
        change = self._take(*replacement(given, update, nodes, relations), number, matching)
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
        ours = {**{id_: identity.ours(id_) or id_ for id_ in named_in(update)}, **matching.ours}
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
        before, older = self._graph, self._given
        if before is None or older is None or delta is None:
            graph, whole = self._whole(given, number)
        elif self._keeper is None:
            graph, whole = given.with_sequence(number), delta
        elif concerns_structure(delta, older.nodes, self._is_derived):
            graph, whole = self._whole(given, number)
        else:
            whole = self._keeper.advance(replace(delta, sequence=before.sequence + 1))
            graph = self._keeper.graph.with_sequence(number)
            if self._keeper.last.full:
                graph = following(before, whole, graph)
            self._keeper.adopt(graph)
        self._given, self._graph = given, graph
        renamed, ambiguous = matching.renamed, matching.ambiguous
        return change_of(before, graph, replace(whole, sequence=number), renamed, ambiguous)

    def _whole(self, given: SceneGraph, number: int) -> tuple[SceneGraph, SceneDelta]:
        """Derive everything anew."""
        if self._relations is not None:
            # Of the graphs of a source that sends only whole ones, hardly any index is asked for.
            is_first = self._graph is None
            self._keeper = RelationMaintainer(given, self._relations, prepare=is_first)
            completed = self._keeper.graph
        else:
            completed = given
        graph = completed.with_sequence(number)
        whole = delta_between(self._graph or SceneGraph({}), graph)
        if self._graph is not None and self._graph.frame_id == graph.frame_id:
            graph = following(self._graph, whole, graph)
        if self._keeper is not None:
            self._keeper.adopt(graph)
        return graph, whole

    def _nothing(self, status: UpdateStatus, reason: str) -> SceneChange:
        number = self._number if self._graph is None else self._graph.sequence
        return SceneChange(status, self._graph, self._graph, SceneDelta(number), reason=reason)
