# SPDX-License-Identifier: Apache-2.0
"""Full updates as changes of the graph before, so that unchanged parts are shared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_FEW = 8
"""If at most one element in this many changes, the indexes are updated one by one."""


def replace_graph(
    given: SceneGraph | None,
    update: SceneGraph,
    nodes: list[SceneNode],
    relations: list[SceneRelation],
) -> tuple[SceneGraph, SceneDelta | None]:
    """Make the graph of a full update.

    Args:
        given: The graph before; None for the first update.
        update: The update, for its frame, source and notes.
        nodes: Its nodes, with our ids.
        relations: Its relations, with our ids.

    Returns:
        The graph, and the delta that leads to it; None if the delta is large.
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
    """Make the delta to a graph of these nodes and relations."""
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


def reorder_as_follower(before: SceneGraph, delta: SceneDelta, after: SceneGraph) -> SceneGraph:
    """Return the graph ``after`` in the order of a follower that applies the delta to ``before``.

    After a small change the indexes of ``before`` are updated; after a large one they are made
    again on demand, which costs less.
    """
    changes = len(delta.upserted) + len(delta.removed) + len(delta.added) + len(delta.dropped)
    if changes * _FEW > len(after.nodes) + after.relation_count:
        return _reorder_as(before, after)
    reached = apply_delta(before, replace(delta, sequence=before.sequence + 1))
    reached = reached.with_source(after.source).with_notes(after.notes)
    return reached.with_sequence(after.sequence)


def _reorder_as(before: SceneGraph, after: SceneGraph) -> SceneGraph:
    """Return a graph with the elements of ``before`` first, in their order, then the new ones."""
    now = {relation.key: relation for relation in after.relations}
    relations = {key: now[key] for one in before.relations if (key := one.key) in now}
    relations.update(now)
    nodes = {id_: after.nodes[id_] for id_ in before.nodes if id_ in after.nodes}
    nodes.update(after.nodes)
    return after.with_contents(nodes, relations, after.notes)


def iterate_ids(update: SceneDelta) -> Iterable[str]:
    """Yield all ids that a delta names."""
    for node in update.upserted:
        yield from (node.id, *node.parents)
    for relation in (*update.added, *update.dropped):
        yield from relation.elements
