# SPDX-License-Identifier: Apache-2.0
"""A full update as a small change of what is known, so that all that stays is shared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_FEW = 8
"""Up to this fraction of a graph, changes are worked into its indexes one by one."""


def replacement(
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


def following(before: SceneGraph, delta: SceneDelta, after: SceneGraph) -> SceneGraph:
    """The graph ``after`` in the order that a follower's graph has, who applies the delta.

    Where little changed, the indexes of ``before`` are carried along; else they are made anew when
    they are needed, which costs less.
    """
    changes = len(delta.upserted) + len(delta.removed) + len(delta.added) + len(delta.dropped)
    if changes * _FEW > len(after.nodes) + after.relation_count:
        return _in_order_of(before, after)
    reached = apply_delta(before, replace(delta, sequence=before.sequence + 1))
    reached = reached.with_source(after.source).with_notes(after.notes)
    return reached.with_sequence(after.sequence)


def _in_order_of(before: SceneGraph, after: SceneGraph) -> SceneGraph:
    """What stays, in the order that it had, and then what is new, in its own order."""
    now = {relation.key: relation for relation in after.relations}
    relations = {key: now[key] for one in before.relations if (key := one.key) in now}
    relations.update(now)
    nodes = {id_: after.nodes[id_] for id_ in before.nodes if id_ in after.nodes}
    nodes.update(after.nodes)
    return after.with_contents(nodes, relations, after.notes)


def named_in(update: SceneDelta) -> Iterable[str]:
    """All ids that a delta names."""
    for node in update.upserted:
        yield from (node.id, *node.parents)
    for relation in (*update.added, *update.dropped):
        yield from relation.elements
