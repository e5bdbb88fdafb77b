# SPDX-License-Identifier: Apache-2.0
"""The change from one scene graph to the next: applied, computed, and described."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.scene.graph.checks import (
    check_hierarchy,
    check_new_holders,
    check_node,
    check_relation,
    index_relations,
)
from fcp_ros.scene.graph.elements import SceneError, SceneNode, SceneRelation, SequenceGap
from fcp_ros.scene.graph.graph import SceneGraph

_ASK_AGAIN = "Ask for a full update."


@dataclass(frozen=True)
class SceneDelta:
    """The changes from one graph to the next."""

    sequence: int
    upserted: tuple[SceneNode, ...] = ()  # Nodes that are new or replace the node of the same id
    # Ids of nodes that are gone; relations that name them go with them
    removed: tuple[str, ...] = ()
    # Relations that are new, or replace the one of the same name and elements
    added: tuple[SceneRelation, ...] = ()
    # Relations that no longer hold; name and elements count
    dropped: tuple[SceneRelation, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if only the sequence number changes."""
        return not (self.upserted or self.removed or self.added or self.dropped)


def apply_delta(graph: SceneGraph, delta: SceneDelta) -> SceneGraph:
    """Return the graph after a delta, in time of the delta's size; new nodes follow the others.

    Unchanged parts are shared with the graph before and not checked again. (The first delta after a
    graph was read takes time of the graph's size, unless ``SceneGraph.prepare`` was called before.)
    Raises SequenceGap: its number is not the graph's plus one (one was lost or came late);
    SceneError: it removes a node or drops a relation that is not there, names one twice, both
    upserts and removes a node, or the result is no valid graph.
    """
    if delta.sequence != graph.sequence + 1:
        raise SequenceGap(
            f"the delta has sequence number {delta.sequence}, but the graph is at "
            f"{graph.sequence} and needs {graph.sequence + 1}",
            source=graph.source,
            advice=_ASK_AGAIN,
        )
    try:
        return _apply(graph, delta)
    except SceneError as error:
        raise error.in_source(graph.source) from None


def _apply(graph: SceneGraph, delta: SceneDelta) -> SceneGraph:
    nodes = _collect_nodes(graph, delta)
    removed = dict.fromkeys(delta.removed)
    dropped = {relation.key: None for relation in delta.dropped}
    for relation in delta.dropped:
        if graph.relation(relation.name, *relation.elements) is None:
            raise SceneError(
                "the delta drops this relation, but the graph does not have it",
                element=str(relation),
                advice=_ASK_AGAIN,
            )
    for id_ in removed:
        dropped.update((relation.key, None) for relation in graph.relations_of(id_))
    added = index_relations(delta.added)
    after = graph.with_changes(
        put=nodes, gone=removed, related=added, unrelated=dropped, sequence=delta.sequence
    )
    for node in nodes.values():
        check_node(node, after.nodes)
    check_hierarchy(after.nodes, nodes)
    for relation in delta.added:
        check_relation(relation, after.nodes)
    check_new_holders(delta.added, after.relations_of)
    return after


def _collect_nodes(graph: SceneGraph, delta: SceneDelta) -> dict[str, SceneNode]:
    """Collect the nodes that are new or replaced; children of a removed one lose that parent."""
    nodes: dict[str, SceneNode] = {}
    for node in delta.upserted:
        if node.id in nodes:
            raise SceneError(
                "the delta upserts this node twice", element=node.id, advice=_ASK_AGAIN
            )
        nodes[node.id] = node
    removed = set(delta.removed)
    for id_ in delta.removed:
        if id_ not in graph.nodes or id_ in nodes:
            state = "also upserts it" if id_ in nodes else "the graph does not have it"
            raise SceneError(
                f"the delta removes this node, but {state}", element=id_, advice=_ASK_AGAIN
            )
    for id_ in delta.removed:
        for child in graph.children_of(id_):
            if child not in removed and child not in nodes:
                nodes[child] = _drop_parents(graph.nodes[child], removed)
    for id_, node in nodes.items():
        if not removed.isdisjoint(node.parents):
            nodes[id_] = _drop_parents(node, removed)
    return nodes


def _drop_parents(node: SceneNode, gone: set[str]) -> SceneNode:
    return replace(node, parents=tuple(parent for parent in node.parents if parent not in gone))


def compute_delta(before: SceneGraph, after: SceneGraph) -> SceneDelta:
    """Make the delta from one graph to another; it has the next number of ``before``.

    Order and notes of ``after`` are not part of it.
    """
    was = {relation.key: relation for relation in before.relations}
    now = {relation.key: relation for relation in after.relations}
    removed = tuple(id_ for id_ in before.nodes if id_ not in after.nodes)
    gone = set(removed)
    return SceneDelta(
        sequence=before.sequence + 1,
        upserted=tuple(
            node
            for id_, node in after.nodes.items()
            if (older := before.nodes.get(id_)) is not node and older != node
        ),
        removed=removed,
        added=tuple(relation for key, relation in now.items() if was.get(key) != relation),
        dropped=tuple(
            relation
            for key, relation in was.items()
            if key not in now and not gone.intersection(relation.elements)
        ),
    )


class UpdateStatus(str, Enum):
    """The outcome of an update."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    IGNORED = "ignored"
    NEED_FULL = "need_full"


@dataclass(frozen=True)
class Renaming:
    """A new name of an element at its source."""

    id: str
    before: str
    after: str


@dataclass(frozen=True)
class SceneChange:
    """The change that one update made."""

    # APPLIED; UNCHANGED (taken, but without anything new); IGNORED (late, or a duplicate);
    # NEED_FULL (updates were missed: ask the source for a full one)
    status: UpdateStatus
    before: SceneGraph | None  # The graph before; None if there was none
    after: SceneGraph | None  # The graph now; None if there still is none
    delta: SceneDelta  # Leads from ``before`` to ``after``; from the empty graph if there was none
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # Ids of nodes that are gone
    moved: tuple[str, ...] = ()  # Ids of nodes with a changed pose
    altered: tuple[str, ...] = ()  # Ids of nodes with any other change
    renamed: tuple[Renaming, ...] = ()  # Elements with a new name at their source
    ambiguous: tuple[str, ...] = ()  # Ids of new nodes that may be one of several that are gone
    reason: str = ""  # The reason why an update was not taken, a clause

    @property
    def changed(self) -> tuple[str, ...]:
        """Ids of all nodes that are new, gone, or changed in themselves or in a relation."""
        ids = dict.fromkeys((*self.added, *self.removed, *self.moved, *self.altered))
        for relation in (*self.delta.added, *self.delta.dropped):
            ids.update(dict.fromkeys(relation.elements))
        if self.before is not None:
            for id_ in self.delta.removed:
                for relation in self.before.relations_of(id_):
                    ids.update(dict.fromkeys(relation.elements))
        return tuple(ids)


def describe_change(
    before: SceneGraph | None,
    after: SceneGraph,
    delta: SceneDelta,
    renamed: tuple[Renaming, ...] = (),
    ambiguous: tuple[str, ...] = (),
) -> SceneChange:
    """Describe a delta as a change: which nodes are new, moved or altered."""
    added, moved, altered = [], [], []
    for node in delta.upserted:
        older = None if before is None else before.nodes.get(node.id)
        if older is None:
            added.append(node.id)
            continue
        if older.pose != node.pose:
            moved.append(node.id)
        if older.size != node.size or not have_same_properties(older, node):
            altered.append(node.id)
    if before is not None:  # children of removed nodes lose a parent
        known = {*altered, *moved, *added, *delta.removed}
        orphans = dict.fromkeys(id_ for gone in delta.removed for id_ in before.children_of(gone))
        altered += [id_ for id_ in orphans if id_ not in known and id_ in after.nodes]
    empty = delta.is_empty and before is not None and not renamed
    status = UpdateStatus.UNCHANGED if empty else UpdateStatus.APPLIED
    return SceneChange(
        status,
        before,
        after,
        delta,
        tuple(added),
        delta.removed,
        tuple(moved),
        tuple(altered),
        renamed,
        ambiguous,
    )


def have_same_properties(one: SceneNode, other: SceneNode) -> bool:
    """Return True if two nodes agree in all but id, pose and size."""
    return (
        one.layer is other.layer
        and one.category == other.category
        and one.parents == other.parents
        and one.attributes == other.attributes
        and one.polygon == other.polygon
        and one.height == other.height
    )
