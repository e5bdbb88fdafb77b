# SPDX-License-Identifier: Apache-2.0
"""Changes of a scene graph: applied with their sequence number checked, or computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fcp_ros.scene.graph.errors import SceneError, SequenceGap
from fcp_ros.scene.graph.graph import SceneGraph, SceneNode, SceneRelation


@dataclass(frozen=True)
class SceneDelta:
    """What changed from one graph to the next.

    Attributes:
        sequence: Sequence number of the graph that results.
        upserted: Nodes that are new or replace the node of the same id.
        removed: Ids of nodes that are gone; relations that name them go with them.
        added: Relations that are new, or replace the one of the same name and elements.
        dropped: Relations that no longer hold; name and elements count.
    """

    sequence: int
    upserted: tuple[SceneNode, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[SceneRelation, ...] = ()
    dropped: tuple[SceneRelation, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing but the sequence number changes."""
        return not (self.upserted or self.removed or self.added or self.dropped)


def apply_delta(graph: SceneGraph, delta: SceneDelta) -> SceneGraph:
    """The graph after a delta.

    Args:
        graph: The graph that the delta was made for.
        delta: The change; its sequence number must be the graph's plus one.

    Returns:
        A new graph; nodes that stay keep their order, new ones follow.

    Raises:
        SequenceGap: The delta does not follow this graph (one was lost or came late).
        SceneError: It removes a node or drops a relation that is not there, both upserts and
            removes a node, or the result is no valid graph.
    """
    if delta.sequence != graph.sequence + 1:
        raise SequenceGap(
            f"the delta has sequence number {delta.sequence}, but the graph is at "
            f"{graph.sequence} and needs {graph.sequence + 1}",
            source=graph.source,
            advice="Ask for a full update.",
        )
    nodes = dict(graph.nodes)
    upserted = {node.id for node in delta.upserted}
    for removed in delta.removed:
        if removed not in graph.nodes or removed in upserted:
            state = "also upserts it" if removed in upserted else "the graph does not have it"
            raise SceneError(
                f"the delta removes this node, but {state}",
                source=graph.source,
                element=removed,
                advice="Ask for a full update.",
            )
        nodes.pop(removed, None)
    for node in delta.upserted:
        nodes[node.id] = node
    if delta.removed:
        nodes = _without_lost_parents(nodes, set(delta.removed))
    return replace(
        graph,
        nodes=nodes,
        relations=_changed_relations(graph, delta),
        sequence=delta.sequence,
    )


def delta_between(before: SceneGraph, after: SceneGraph) -> SceneDelta:
    """The delta that leads from one graph to another, for the graph after ``before``.

    Applying it to ``before`` gives the nodes and relations of ``after`` (their order and the
    notes may differ).
    """
    was = {relation.key: relation for relation in before.relations}
    now = {relation.key: relation for relation in after.relations}
    removed = tuple(id_ for id_ in before.nodes if id_ not in after.nodes)
    gone = set(removed)
    return SceneDelta(
        sequence=before.sequence + 1,
        upserted=tuple(node for id_, node in after.nodes.items() if before.nodes.get(id_) != node),
        removed=removed,
        added=tuple(relation for key, relation in now.items() if was.get(key) != relation),
        dropped=tuple(
            relation
            for key, relation in was.items()
            if key not in now and not gone.intersection(relation.elements)
        ),
    )


def _without_lost_parents(nodes: dict[str, SceneNode], removed: set[str]) -> dict[str, SceneNode]:
    """The children of a removed node stay; only the reference goes."""
    kept = dict(nodes)
    for id_, node in nodes.items():
        if removed.intersection(node.parents):
            parents = tuple(parent for parent in node.parents if parent not in removed)
            kept[id_] = replace(node, parents=parents)
    return kept


def _changed_relations(graph: SceneGraph, delta: SceneDelta) -> tuple[SceneRelation, ...]:
    removed = set(delta.removed)
    relations = {relation.key: relation for relation in graph.relations}
    for relation in delta.dropped:
        if relations.pop(relation.key, None) is None:
            raise SceneError(
                "the delta drops this relation, but the graph does not have it",
                source=graph.source,
                element=str(relation),
                advice="Ask for a full update.",
            )
    relations = {
        key: relation
        for key, relation in relations.items()
        if not removed.intersection(relation.elements)
    }
    relations.update((relation.key, relation) for relation in delta.added)
    return tuple(relations.values())
